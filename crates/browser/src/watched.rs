//! What happens to packets within a time of a run.

use std::cell::RefCell;
use std::io;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use dumbbell_core::{Time, Way};
use dumbbell_sim::Plan;
use dumbbell_sim::trace::{Output, Selection, trace};
use dumbbell_trace::{Event, Happened, Network, Sink, What};

/// Numbers of an event.
const WIDTH: usize = 6;

/// Keeps events of packets, of each six numbers: the time in seconds; the packet; its flow; the link, or -1 at an end point;
/// what happened, as [`code`] has it; the bytes of the packet, less than zero if it travels back to the source of its flow.
#[derive(Clone, Default)]
pub struct Watched {
    numbers: Rc<RefCell<Vec<f64>>>,
    most: usize,
}

/// What happened as a number: 0 sent, 1 arrived at a link, 2 left it, 3 dropped, 4 marked, 5 at an end point.
fn code(happened: Happened) -> Option<f64> {
    Some(match happened {
        Happened::Sent | Happened::Originated | Happened::Duplicated(_) => 0.0,
        Happened::Arrived(_) => 1.0,
        Happened::Left(_) => 2.0,
        Happened::Dropped(..) => 3.0,
        Happened::Marked(_) => 4.0,
        Happened::Delivered | Happened::Returned => 5.0,
        Happened::Passed(_) => return None,
    })
}

impl Sink for Watched {
    fn begin(&mut self, _network: &Network) -> io::Result<()> {
        Ok(())
    }

    fn event(&mut self, _network: &Network, event: &Event<'_>) -> io::Result<()> {
        let What::Packet(happened, seen) = event.what else { return Ok(()) };
        let Some(code) = code(happened) else { return Ok(()) };
        let mut numbers = self.numbers.borrow_mut();
        if numbers.len() >= self.most * WIDTH {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let way = if seen.way == Way::Forward { 1.0 } else { -1.0 };
        numbers.extend([
            event.time.as_secs_f64(),
            seen.number as f64,
            event.flow.number.into(),
            happened.link().map_or(-1.0, f64::from),
            code,
            way * f64::from(seen.fields.size),
        ]);
        Ok(())
    }

    fn end(&mut self, _network: &Network, _now: Time) -> io::Result<()> {
        Ok(())
    }
}

/// What happens between two times, as bytes of numbers: at most so many events. Those beyond are left out.
pub fn events(plan: &Arc<Plan>, [from, until]: [Time; 2], most: usize, memory: u64) -> Vec<u8> {
    let watched = Watched { most, ..Watched::default() };
    let selection = Selection { flows: None, links: None, from, until };
    let outputs = vec![(String::new(), Output::Chosen(Box::new(watched.clone())))];
    // A cut is the limit of events, or that of memory: what came before it holds.
    let _ = trace(plan, memory, &selection, outputs, |_| ControlFlow::Continue(()));
    watched.numbers.take().iter().flat_map(|number| number.to_le_bytes()).collect()
}
