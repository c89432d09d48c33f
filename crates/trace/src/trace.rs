//! Where events come together: packets are numbered and read once, for all sinks.

use std::collections::HashMap;
use std::io;

use dumbbell_core::{Time, Way};

use crate::event::{Content, Event, Flow, Happened, Network, Seen, State, What};
use crate::numbers::Numbers;
use crate::sink::Sink;

/// Tells sinks what happens in a network.
pub struct Trace<'s> {
    network: Network,
    sinks: Vec<(String, Box<dyn Sink + 's>)>,
    flows: HashMap<u32, Flow>,
    numbers: Numbers,
}

impl<'s> Trace<'s> {
    /// Begins a trace. Each sink has the name that errors give it: that of its file.
    ///
    /// # Errors
    /// If a sink cannot be written to.
    pub fn begin(network: Network, sinks: Vec<(String, Box<dyn Sink + 's>)>) -> io::Result<Trace<'s>> {
        let mut trace = Trace { network, sinks, flows: HashMap::new(), numbers: Numbers::default() };
        let Trace { network, sinks, .. } = &mut trace;
        for (name, sink) in sinks {
            sink.begin(network).map_err(|error| at(name, &error))?;
        }
        Ok(trace)
    }

    /// A flow begins.
    ///
    /// # Errors
    /// If a sink cannot be written to.
    pub fn opened(&mut self, now: Time, flow: Flow) -> io::Result<()> {
        let number = flow.number;
        self.flows.insert(number, flow);
        self.tell(now, number, What::Opened)
    }

    /// A flow has ended. Its packets that come later belong to no flow, and are not told of.
    ///
    /// # Errors
    /// If a sink cannot be written to.
    pub fn closed(&mut self, now: Time, flow: u32) -> io::Result<()> {
        self.tell(now, flow, What::Closed)?;
        self.flows.remove(&flow);
        self.numbers.forget(flow);
        Ok(())
    }

    /// The state of the sender of a flow has changed.
    ///
    /// # Errors
    /// If a sink cannot be written to.
    pub fn state(&mut self, now: Time, flow: u32, state: &State) -> io::Result<()> {
        self.tell(now, flow, What::State(state))
    }

    /// Reports an event of a packet of a flow. Flows that were not opened are ignored.
    ///
    /// # Errors
    /// If a sink cannot be written to.
    pub fn packet(
        &mut self,
        now: Time,
        flow: u32,
        way: Way,
        happened: Happened,
        content: Content<'_>,
    ) -> io::Result<()> {
        let Some(known) = self.flows.get(&flow) else { return Ok(()) };
        let (stamp, fields) = self.numbers.note(now, known, way, happened, content);
        let seen = Seen {
            number: stamp.number,
            since: stamp.since,
            way,
            originated: stamp.originated,
            entry: stamp.entry,
            fields: &fields,
            content,
        };
        self.tell(now, flow, What::Packet(happened, &seen))
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// If a sink cannot be written to.
    pub fn end(mut self, now: Time) -> io::Result<()> {
        let Trace { network, sinks, .. } = &mut self;
        for (name, sink) in sinks {
            sink.end(network, now).map_err(|error| at(name, &error))?;
        }
        Ok(())
    }

    fn tell(&mut self, time: Time, flow: u32, what: What<'_>) -> io::Result<()> {
        let Trace { network, sinks, flows, .. } = self;
        let Some(flow) = flows.get(&flow) else { return Ok(()) };
        let event = Event { time, flow, what };
        for (name, sink) in sinks {
            sink.event(network, &event).map_err(|error| at(name, &error))?;
        }
        Ok(())
    }
}

fn at(name: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{name}: {error}"))
}
