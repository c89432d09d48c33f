//! RBCC: the router allocates the bandwidth of each interface to the flows that leave by it, and writes what they may
//! send into the headers of TRUMP.
//!
//! The text that could be read leaves much of this open: what a header holds when it leaves the source, in which order
//! a packet is looked at, who is quenched, when a flow is forgotten. Each such place says "choice" and why.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{
    BitRate, ConfigError, Duration, Frame, HeaderKind, Packet, Registered, Time, Validate, VerdictSink, Way,
    config, words,
};
use dumbbell_header::{TrumpHeader, TrumpKind};

use self::table::{Asked, Entry, Table, is_below, same};
use super::contract::{Allocated, FlowId, NodeAgent, NodeAgentParams, Outbox, Passage, PortView, Setting};

mod table;
#[cfg(test)]
mod tests;

words! {
    /// Whom a router quenches.
    pub enum Scope { All = "all", Own = "own" }
}

words! {
    /// Which packets let a router look at its queue.
    pub enum Decisions { Misses = "misses", Packets = "packets" }
}

words! {
    /// Which packets on an interface a router counts.
    pub enum Counted { Waiting = "waiting", Found = "found", All = "all" }
}

words! {
    /// Which packets of a flow quench other flows.
    pub enum Causes { Data = "data", Setup = "setup" }
}

words! {
    /// What the end of a flow does to the tables.
    pub enum Teardown { Miss = "miss", Update = "update", Leave = "leave" }
}

config! {
    /// Rate-Based Congestion Control: the router keeps a table of the flows through each interface, and gives each its
    /// max-min share of the rate. A packet whose fields are as the last time costs one comparison, a hit; any other is
    /// a miss, and may change the table. A flow that no other router limits more receives at most its
    /// share.
    pub struct Params {
        /// Packets on an interface above which its bandwidth is scaled: T.
        threshold: u32 as "packets" = 5, "Toomey 1998, chapter 11.3: thresh=5; chapter 11.9 recommends 4";
        /// The factor by which it is scaled, above 0 and at most 1.
        alpha: f64 as "dimensionless" = 0.75, "Toomey 1998, chapter 11.3: alpha=0.75; chapter 11.9 recommends 0.4";
        /// True if the router quenches sources at once when their rates fall.
        quench: bool = false, "Toomey 1998, chapter 11.4: quench=no; chapter 11.9 recommends yes";
        /// Whom: `all` flows that are lowered, or the packet's `own` alone.
        quench_scope: Scope = "all", "choice: a newcomer lowers the others, and the text can be read either way";
        /// Which packets quench: `data`, or `setup` packets as well.
        quench_causes: Causes = "data", "Toomey 1998, chapter 11.3: if a data packet causes a rate to be lowered";
        /// Which packets let the router look at its queue: `misses`, or all `packets`.
        decisions: Decisions = "misses", "Toomey 1998, chapter 11.2: hits skip update decisions; no row has more updates than misses";
        /// Which packets count: those `waiting`, or those that a packet `found`, the one in transmission counted, or
        /// `all`, itself counted too.
        counted: Counted = "waiting", "Toomey 1998, chapter 11.5: packets queued for transmission";
        /// The share by which a field of a packet may differ from the last one for a hit.
        accuracy: f64 as "dimensionless" = 0.001, "RBCC report, 1996, section 12: rates are accurate to a part in a thousand";
        /// What a teardown does: a `miss` is counted and the table is computed again; an `update` computes it without
        /// a miss; `leave` removes the flow, and the next miss shares its rate out.
        teardown: Teardown = "leave", "choice: with it the updates and misses of Toomey 1998, chapter 11, come out within 1.5";
        /// True if what acknowledgements return changes the table too. Routes must be the same both ways.
        revupdates: bool = false, "Toomey 1998, chapter 11.3: revupdates=no";
        /// Bytes of a quench.
        quench_size: u16 as "bytes" = 40, "choice: as an acknowledgement";
        /// The shortest silence after which a flow is forgotten.
        idle: Duration = "10s", "choice: the rule is not published; ten times the interval of set-up packets";
        /// Intervals between packets of 1500 bytes after which a flow is forgotten, if that is longer.
        idle_packets: u32 as "intervals" = 10, "choice: a slow flow is silent for seconds between two packets";
        /// How often the router looks for flows to forget.
        sweep: Duration = "1s", "choice: a tenth of `idle`";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.threshold == 0 {
            let why = "a single packet that waits would be above it";
            return Err(at.key("threshold").error(why, "give 1 or more"));
        }
        if !(self.alpha > 0.0 && self.alpha <= 1.0) {
            let message = format!("{} is no factor that leaves bandwidth", self.alpha);
            return Err(at.key("alpha").error(message, "give a number above 0, at most 1"));
        }
        if !(0.0..0.1).contains(&self.accuracy) {
            let message = format!("{} is no accuracy of a rate", self.accuracy);
            return Err(at.key("accuracy").error(message, "give 0 or more, below 0.1"));
        }
        if self.quench_size < 20 {
            return Err(at.key("quench_size").error("an IP header takes 20 bytes", "give 20 or more"));
        }
        if self.idle.is_zero() {
            return Err(at.key("idle").error("must be above zero", "give a time such as \"10s\""));
        }
        if self.sweep < Duration::from_millis(1) {
            let message = format!("a router that looks every {} does nothing else", self.sweep);
            return Err(at.key("sweep").error(message, "give 1ms or more"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "rbcc";
    const TITLE: &'static str = "RBCC: allocates the bandwidth of each interface to its flows";
    const REFERENCE: &'static str =
        "W. Toomey, A Rate-Based Congestion Control for Connectionless Packet-Switched Networks, UNSW, 1998";
}

impl NodeAgentParams for Params {
    fn build(&self, setting: Setting) -> Box<dyn NodeAgent> {
        Box::new(Rbcc::new(self.clone(), &setting))
    }

    fn headers(&self) -> &'static [HeaderKind] {
        &[TrumpHeader::KIND]
    }
}

/// Bits of a data packet, by which the silence of a slow flow is measured.
const DATA_BITS: f64 = 12_000.0;

/// An interface.
#[derive(Clone, Debug)]
struct Interface {
    table: Table,
    rate: BitRate,
    /// True while more than the threshold of packets are queued.
    scaled: bool,
    counted: Allocated,
}

/// The router.
#[derive(Debug)]
struct Rbcc {
    id: u32,
    params: Params,
    interfaces: Vec<Interface>,
    sweep_at: Time,
}

/// Why a table is computed again.
#[derive(Clone, Copy, Debug)]
enum Cause {
    /// A packet of this flow that may quench.
    Data(FlowId),
    /// Anything else, which quenches nobody.
    Other,
}

impl Rbcc {
    fn new(params: Params, setting: &Setting) -> Rbcc {
        let interface =
            |rate| Interface { table: Table::default(), rate, scaled: false, counted: Allocated::default() };
        Rbcc {
            id: setting.router,
            params,
            interfaces: setting.ports.iter().map(|port| interface(port.rate)).collect(),
            sweep_at: Time::NEVER,
        }
    }

    /// Computes the table of an interface again, and quenches the sources whose rates fall, on request. Choice:
    /// all that fall below what their sources know, by more than the accuracy of headers; a source that knows is not
    /// told again.
    fn allocate(&mut self, port: u32, cause: Cause, outbox: &mut Outbox) {
        let Interface { table, rate, scaled, counted } = &mut self.interfaces[port as usize];
        counted.updates += 1;
        let factor = if *scaled { self.params.alpha } else { 1.0 };
        table.allocate(rate.as_bps() as f64 * factor);
        for entry in table.entries_mut() {
            if let (true, Cause::Data(flow)) = (self.params.quench, cause)
                && entry.way == Way::Forward
                && is_below(entry.allocation, entry.told)
                && (self.params.quench_scope == Scope::All || entry.flow == flow)
            {
                entry.told = entry.allocation;
                counted.quenches += 1;
                let header = TrumpHeader {
                    kind: TrumpKind::Quench,
                    return_rate: entry.allocation as f32,
                    return_bottleneck: self.id,
                    ..TrumpHeader::default()
                };
                outbox.send(entry.flow, Way::Reverse, self.params.quench_size, header);
            }
        }
    }

    /// Packets that count for T where a packet finds `found` on an interface, and joins them.
    fn counted(&self, found: u64) -> u64 {
        match self.params.counted {
            Counted::Waiting => found.saturating_sub(1),
            Counted::Found => found,
            Counted::All => found + 1,
        }
    }

    /// Looks at an interface on which `queued` packets count; true if its bandwidth is another one now.
    #[inline]
    fn changes(&mut self, port: u32, queued: u64, rate: BitRate) -> bool {
        let interface = &mut self.interfaces[port as usize];
        let scaled = queued > u64::from(self.params.threshold);
        let changes = scaled != interface.scaled || rate != interface.rate;
        (interface.scaled, interface.rate) = (scaled, rate);
        changes
    }

    /// Looks at an interface where every packet makes the router do so: one recomputation for each crossing of the
    /// threshold. Nothing reads a table between two packets, so a queue that has drained is noticed when the next packet
    /// comes.
    #[inline]
    fn look(&mut self, port: u32, queued: u64, rate: BitRate, cause: Cause, outbox: &mut Outbox) {
        if self.params.decisions == Decisions::Packets && self.changes(port, queued, rate) {
            self.allocate(port, cause, outbox);
        }
    }

    /// What a packet of a flow may cause.
    fn cause(&self, passage: &Passage, kind: TrumpKind) -> Cause {
        let quenches = match self.params.quench_causes {
            Causes::Data => kind == TrumpKind::Data,
            Causes::Setup => passage.way == Way::Forward && !passage.originated,
        };
        if quenches { Cause::Data(passage.flow) } else { Cause::Other }
    }

    /// A packet of a flow leaves by an interface: decides on it if its fields have changed, and writes its rate.
    #[inline]
    fn visit(
        &mut self,
        now: Time,
        passage: &Passage,
        port: &PortView,
        header: &mut TrumpHeader,
        outbox: &mut Outbox,
    ) {
        let Interface { table, counted, .. } = &mut self.interfaces[passage.leaves as usize];
        let asked = Asked::of(header);
        let place = match table.find(passage.flow, passage.way) {
            Some(place) if table.at(place).asked.is_same(&asked, self.params.accuracy) => {
                counted.hits += 1;
                place
            }
            known => {
                counted.misses += 1;
                if let Some(place) = known {
                    // The source says itself what it knows.
                    let entry = table.at(place);
                    entry.told = entry.told.min(header.rate.into());
                }
                let cause = self.cause(passage, header.kind);
                self.decide(now, passage, port, (known, asked), cause, outbox)
            }
        };
        let entry = self.interfaces[passage.leaves as usize].table.at(place);
        entry.seen = now;
        // Choice: the router that limits a flow is the one that may raise its rate again; others lower it. One that
        // knows of a lower limit elsewhere leaves the rate to whoever sets that: its own knowledge is older, and a
        // false claim to be the bottleneck would let it raise the rate next.
        let allocation = entry.allocation as f32;
        let limits = entry.allocation < entry.limit;
        if limits && allocation < header.rate || header.bottleneck == self.id {
            header.rate = allocation.min(header.desired);
            header.bottleneck = match allocation < header.desired {
                true if limits => self.id,
                true => entry.bottleneck,
                false => 0,
            };
        }
        entry.told = header.rate.into();
    }

    /// The fields of a flow's packet are not those of the last decision; returns the flow's place.
    #[cold]
    fn decide(
        &mut self,
        now: Time,
        passage: &Passage,
        port: &PortView,
        (known, asked): (Option<usize>, Asked),
        cause: Cause,
        outbox: &mut Outbox,
    ) -> usize {
        let table = &mut self.interfaces[passage.leaves as usize].table;
        let limit = asked.limit(self.id);
        let (place, moved) = match known {
            None => (table.insert(now, (passage.flow, passage.way), asked, self.id), true),
            Some(place) => {
                let entry = table.at(place);
                (entry.asked, entry.bottleneck) = (asked, asked.bottleneck);
                let moved = !same(limit, table.at(place).limit);
                (if moved { table.set_limit(place, limit) } else { place }, moved)
            }
        };
        let crosses = self.params.decisions == Decisions::Misses
            && self.changes(passage.leaves, self.counted(port.backlog), port.queue.rate);
        if moved {
            self.sweep_at = self.sweep_at.min(now + self.params.sweep);
        }
        if moved || crosses {
            self.allocate(passage.leaves, cause, outbox);
        }
        place
    }

    /// What an upstream packet returns says more of a flow's data than the table does (chapter 11.4). Choice: quenches
    /// count as well as acknowledgements.
    #[cold]
    fn returned(&mut self, passage: &Passage, header: &TrumpHeader, outbox: &mut Outbox) {
        let table = &mut self.interfaces[passage.entered as usize].table;
        let Some(place) = table.find(passage.flow, Way::Forward) else { return };
        let (rate, bottleneck) = (f64::from(header.return_rate), header.return_bottleneck);
        let limit = rate.min(table.at(place).asked.desired.into());
        let moved = !same(limit, table.at(place).limit);
        let entry = table.at(place);
        let concerns = is_below(rate, entry.allocation) || entry.bottleneck == bottleneck;
        if bottleneck != 0 && bottleneck != self.id && concerns && moved {
            entry.bottleneck = bottleneck;
            table.set_limit(place, limit);
            self.allocate(passage.entered, Cause::Other, outbox);
        }
    }

    /// A flow is over: its data and its acknowledgements leave all tables.
    #[cold]
    fn forget(&mut self, flow: FlowId, outbox: &mut Outbox) {
        for port in 0..self.interfaces.len() as u32 {
            let Interface { table, counted, .. } = &mut self.interfaces[port as usize];
            if table.remove(flow, Way::Forward) | table.remove(flow, Way::Reverse) {
                counted.misses += u64::from(self.params.teardown == Teardown::Miss);
                if self.params.teardown != Teardown::Leave {
                    self.allocate(port, Cause::Other, outbox);
                }
            }
        }
    }
}

impl NodeAgent for Rbcc {
    fn passing(
        &mut self,
        now: Time,
        mut packet: Packet,
        passage: &Passage,
        port: &PortView,
        _sink: &mut dyn VerdictSink<Packet>,
        outbox: &mut Outbox,
    ) -> Option<Packet> {
        let queued = self.counted(port.backlog);
        self.look(passage.leaves, queued.saturating_sub(1), port.queue.rate, Cause::Other, outbox);
        let mut cause = Cause::Other;
        if let Some(mut header) = packet.read::<TrumpHeader>() {
            cause = self.cause(passage, header.kind);
            match header.kind {
                TrumpKind::Teardown => self.forget(passage.flow, outbox),
                TrumpKind::Quench | TrumpKind::Other => {}
                _ => {
                    self.visit(now, passage, port, &mut header, outbox);
                    packet.write(&header);
                }
            }
            if self.params.revupdates && passage.way == Way::Reverse {
                self.returned(passage, &header, outbox);
            }
        }
        self.look(passage.leaves, queued, port.queue.rate, cause, outbox);
        Some(packet)
    }

    fn wake(&mut self, now: Time, ports: &[PortView], outbox: &mut Outbox) {
        let (idle, intervals) = (self.params.idle, f64::from(self.params.idle_packets));
        let is_gone = |entry: &Entry| {
            let silence = now.since(entry.seen);
            silence > idle && silence.as_secs_f64() > intervals * DATA_BITS / entry.allocation
        };
        let mut flows = 0;
        for (port, view) in (0..).zip(ports) {
            let queued = self.counted(view.backlog).saturating_sub(1);
            self.look(port, queued, view.queue.rate, Cause::Other, outbox);
            let Interface { table, counted, .. } = &mut self.interfaces[port as usize];
            let gone = table.sweep(is_gone);
            counted.forgotten += gone;
            flows += table.entries().len();
            if gone > 0 {
                self.allocate(port, Cause::Other, outbox);
            }
        }
        self.sweep_at = if flows > 0 { now + self.params.sweep } else { Time::NEVER };
    }

    fn wake_at(&self) -> Time {
        self.sweep_at
    }

    fn allocated(&self) -> Vec<Allocated> {
        self.interfaces.iter().map(|interface| interface.counted).collect()
    }
}
