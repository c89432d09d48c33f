//! Which events a trace shows, and how many there may be.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io;
use std::rc::Rc;

use dumbbell_core::Time;
use dumbbell_trace::{Event, Network, Sink, What};

/// The events that a sink receives.
pub enum Output<'s> {
    /// What the selection names.
    Chosen(Box<dyn Sink + 's>),
    /// All of its flows and times, whatever its links: the sink chooses links itself.
    EveryLink(Box<dyn Sink + 's>),
}

/// Which events a trace shows.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Flows by number; all if there are none.
    pub flows: Option<BTreeSet<u32>>,
    /// Links by index; without, what happens at end points too.
    pub links: Option<BTreeSet<u32>>,
    /// From this time on.
    pub from: Time,
    /// Up to this time.
    pub until: Time,
}

impl Selection {
    /// A sink that receives only selected events, and the beginning of every flow.
    pub(super) fn apply<'s>(&'s self, output: Output<'s>) -> Box<dyn Sink + 's> {
        Box::new(match output {
            Output::Chosen(sink) => Selected { selection: self, links: self.links.as_ref(), sink },
            Output::EveryLink(sink) => Selected { selection: self, links: None, sink },
        })
    }
}

impl Selected<'_> {
    fn shows(&self, event: &Event<'_>) -> bool {
        match event.what {
            What::Opened => true,
            What::Closed | What::State(_) => event.time >= self.selection.from,
            What::Packet(happened, _) => {
                event.time >= self.selection.from
                    && self
                        .links
                        .as_ref()
                        .is_none_or(|links| happened.link().is_some_and(|l| links.contains(&l)))
            }
        }
    }
}

struct Selected<'s> {
    selection: &'s Selection,
    /// Of packets, only what happens at these links.
    links: Option<&'s BTreeSet<u32>>,
    sink: Box<dyn Sink + 's>,
}

impl Sink for Selected<'_> {
    fn begin(&mut self, network: &Network) -> io::Result<()> {
        self.sink.begin(network)
    }
    fn event(&mut self, network: &Network, event: &Event<'_>) -> io::Result<()> {
        if self.shows(event) { self.sink.event(network, event) } else { Ok(()) }
    }
    fn end(&mut self, network: &Network, now: Time) -> io::Result<()> {
        self.sink.end(network, now)
    }
}

/// Counts events of packets, and ends the trace when there are more than `most`.
#[derive(Clone, Debug, Default)]
pub struct Limit {
    most: u64,
    /// Events so far, and the time of the latest.
    counted: Rc<Cell<(u64, Time)>>,
}

impl Limit {
    /// Allows `most` events.
    pub fn new(most: u64) -> Limit {
        Limit { most, counted: Rc::default() }
    }

    /// Events so far, and the time of the latest.
    pub fn counted(&self) -> (u64, Time) {
        self.counted.get()
    }
}

impl Sink for Limit {
    fn begin(&mut self, _network: &Network) -> io::Result<()> {
        Ok(())
    }
    fn event(&mut self, _network: &Network, event: &Event<'_>) -> io::Result<()> {
        if let What::Packet(..) = event.what {
            let count = self.counted.get().0 + 1;
            self.counted.set((count, event.time));
            if count > self.most {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
        }
        Ok(())
    }
    fn end(&mut self, _network: &Network, _now: Time) -> io::Result<()> {
        Ok(())
    }
}
