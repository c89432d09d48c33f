//! One part of a run: the loop of the engine over the events of some nodes.

use dumbbell_core::{Duration, Packet, Time};

use super::board::{Crossing, GivenUp};
use super::cut::Cut;
use super::ends::{Ends, Place};
use super::pulse::Pulse;
use super::rows::Written;
use crate::engine::going::LONGEST_STEP;
use crate::engine::network::link_of;
use crate::engine::owners::Owners;
use crate::engine::regions::Regions;
use crate::engine::share::{Rows, Share};
use crate::engine::{Engine, TICK};

/// Events that a turn may have, however many regions there are: the next region finds them all at once.
const LEAST_TURN: u64 = 256;

/// Packets come out here.
const HERE: u8 = u8::MAX;

/// What stands beside the loop of a part: which nodes and links are its own, and the packets that leave it.
#[derive(Debug)]
pub struct Part<'c> {
    pub(super) cut: &'c Cut,
    pub number: u8,
    /// Its events, but for samples and the end of the warm-up.
    pub regions: Regions,
    /// By link: the other part that its packets come out in, or [`HERE`].
    leads: Vec<u8>,
    /// By part: the packets of this window that come out there.
    out: Vec<Vec<Crossing>>,
    /// When the first of them does.
    earliest: Time,
    /// Events that a turn may have at most in this round.
    turn: u64,
    /// Packets that left for other parts and came from them.
    left: u64,
    came: u64,
    /// See [`Plan::epoch`](crate::plan::Plan::epoch).
    pub(super) epoch: Duration,
    /// The ends of flows.
    pub(super) ends: Ends,
    /// Rows that events have added to tables.
    pub(super) written: Written,
}

impl<'c> Part<'c> {
    pub fn new(cut: &'c Cut, number: u8, owners: &Owners, epoch: Duration) -> Part<'c> {
        let leads = |link: usize| {
            let (enters, leaves) = (cut.enters(link), cut.leaves(link));
            if enters == number && leaves != number { leaves } else { HERE }
        };
        Part {
            cut,
            number,
            regions: Regions::new(&cut.layout, number, owners),
            leads: (0..cut.layout.into.len()).map(leads).collect(),
            out: vec![Vec::new(); cut.parts],
            earliest: Time::NEVER,
            turn: LEAST_TURN,
            left: 0,
            came: 0,
            epoch,
            ends: Ends::default(),
            written: Written::default(),
        }
    }
}

impl Share for Part<'_> {
    const IS_PART: bool = true;

    #[inline]
    fn has_node(&self, node: u32) -> bool {
        self.cut.of_node[node as usize] == self.number
    }

    #[inline]
    fn has_link(&self, link: u32) -> bool {
        self.cut.enters(link as usize) == self.number
    }

    #[inline]
    fn leads_out(&self, link: u32) -> bool {
        self.leads[link as usize] != HERE
    }

    #[inline]
    fn carry(&mut self, link: u32, packet: &Packet) {
        self.out[usize::from(self.leads[link as usize])].push(Crossing(*packet));
        self.earliest = self.earliest.min(packet.at);
        self.left += 1;
    }

    #[inline]
    fn regions(&mut self) -> Option<&mut Regions> {
        Some(&mut self.regions)
    }

    #[inline]
    fn begin(&mut self, time: Time, owner: u32, endpoint: u32) {
        self.ends.at = Place { time, owner, endpoint };
    }

    #[inline]
    fn has_ends(&self) -> bool {
        !self.epoch.is_zero()
    }

    fn wrote(&mut self, table: Rows, rows: usize) {
        self.written.add(self.ends.at, table, rows);
    }

    fn open(&mut self, slot: u32) {
        if self.has_ends() {
            self.ends.open(slot);
        }
    }

    fn touch(&mut self, slot: u32, ended: bool) {
        if self.has_ends() {
            self.ends.touch(slot, ended);
        }
    }
}

impl Engine<(), Part<'_>> {
    /// Handles the events of this part up to `end`, window by window. Returns how many.
    ///
    /// A window is no longer than a packet takes at least from one part to another. So nothing that happens in it in one part can
    /// matter to another before its end, and each part handles its events in the order in which one loop would: by time, then
    /// by owner, whose numbers are the same in all parts.
    pub fn run_part(&mut self, pulse: &mut Pulse<'_>, end: Time) -> Result<u64, GivenUp> {
        let (part, window) = (usize::from(self.network.share.number), self.network.share.cut.window);
        let board = pulse.board;
        let _entered = self.budget.enter();
        let mut empty = Vec::new();
        let mut rounds = 0;
        loop {
            let round = rounds;
            let next = self.next_event();
            for (to, out) in self.network.share.out.iter_mut().enumerate() {
                board.post(round, (part, to), out);
            }
            let first = board.meet(part, round, next, || pulse.wait())?;
            for from in (0..self.network.share.cut.parts).filter(|from| *from != part) {
                board.collect(round, (from, part), &mut empty);
                self.take_over(&empty);
                empty.clear();
            }
            rounds += 1;
            if first > end {
                break self.end_flows(pulse, &mut rounds)?;
            }
            self.end_epoch(pulse, &mut rounds, first)?;
            let stop = (first + window).min(end + TICK).min(self.ends_due(first));
            self.network.share.regions.skip(first);
            loop {
                // Samples see all regions at their time.
                let (now, owner) = self.network.tree.first();
                let all = if now < stop { now + TICK } else { stop };
                self.take_turns(pulse, all)?;
                if now >= stop {
                    break;
                }
                self.end_flows(pulse, &mut rounds)?;
                self.network.share.begin(now, owner, 0);
                self.step_aside(now, owner);
                pulse.count(1, || now)?;
            }
        }
        self.budget.set_until(end + TICK);
        Ok(pulse.events())
    }

    /// The time of the next event in this part, or of the first packet that it hands over.
    fn next_event(&mut self) -> Time {
        let here = &mut self.network.share;
        let handed = std::mem::replace(&mut here.earliest, Time::NEVER);
        let starts = self.next_flow.map_or(Time::NEVER, |flow| flow.start);
        let pending = here.regions.first_of_all(&self.network.links);
        pending.min(handed).min(starts).min(self.network.tree.first().0)
    }

    /// Handles everything before `stop`, region by region.
    fn take_turns(&mut self, pulse: &mut Pulse<'_>, stop: Time) -> Result<(), GivenUp> {
        self.open_before(stop);
        let regions = self.network.share.regions.len();
        loop {
            let (mut handled, mut finished, mut cut_short) = (0, true, false);
            let most = self.network.share.turn;
            for region in 0..regions {
                let bound = self.network.share.regions.bound(region, stop);
                if !self.network.share.regions.has_done(region, bound) {
                    let events = self.take_turn(region, bound, most.min(pulse.left()));
                    if self.budget.is_exhausted() {
                        return Err(GivenUp);
                    }
                    handled += events;
                    cut_short |= events == most;
                    pulse.count(events, || self.network.share.regions.clock())?;
                }
                finished &= self.network.share.regions.has_done(region, stop);
            }
            // Packets of a region that is ahead wait on the links out of it: of all regions together, about as many as one step
            // has events. Each may have as many as any other, or a source would get ahead of its receiver round by round. And
            // a round looks at all regions, so where one of them has most of the events, its turns have to be long.
            self.network.share.turn = if handled > LONGEST_STEP {
                (most / 2).max(LEAST_TURN)
            } else if cut_short {
                (2 * most).min(LONGEST_STEP)
            } else {
                most
            };
            if cfg!(debug_assertions) {
                self.assert_part_conservation();
            }
            if finished {
                return Ok(());
            }
            if handled == 0 {
                let regions = &mut self.network.share.regions;
                let first = regions.first_of_all(&self.network.links);
                regions.skip(first.min(stop));
            }
        }
    }

    /// Handles the events of a region before `bound`, at least one and at most `most`. Returns how many.
    fn take_turn(&mut self, region: u32, bound: Time, most: u64) -> u64 {
        self.network.share.regions.begin(region, &self.network.links);
        self.budget.set_until(bound);
        let mut left = most;
        let next = loop {
            let (now, owner) = self.network.share.regions.first();
            if left == 0 || now >= self.budget.until() {
                break now;
            }
            self.network.share.begin(now, owner, 0);
            self.step(now, owner);
            left -= 1;
        };
        self.network.share.regions.end(next.min(bound));
        most - left
    }

    /// Opens the flows that start before `stop`: each sends when it is the turn of its region.
    fn open_before(&mut self, stop: Time) {
        while let Some(flow) = self.next_flow.filter(|flow| flow.start < stop) {
            self.start_flow(flow.start);
        }
    }

    /// Takes the packets over that come out in this part.
    fn take_over(&mut self, crossings: &[Crossing]) {
        self.network.share.came += crossings.len() as u64;
        for Crossing(packet) in crossings {
            let link = link_of(self.network.paths[packet.hop as usize - 1]);
            let flight = self.network.links[link as usize].hand_over();
            let flight = flight.expect("parts meet at links that hand over");
            let first = flight.is_empty();
            flight.push(*packet);
            if first {
                self.network.arm(link, packet.at);
            }
        }
    }

    /// Sent + originated + came from other parts + duplicated = delivered + dropped + left for other parts + inside.
    fn assert_part_conservation(&mut self) {
        let inside = self.network.packets_inside();
        let (tally, here) = (&self.network.tally, &self.network.share);
        assert_eq!(
            tally.sent + tally.originated + here.came + tally.duplicated,
            tally.delivered + tally.dropped + here.left + inside,
            "packets in part {}",
            here.number
        );
    }
}
