//! IA-TCP: an aggregator whose acknowledgements let out no more than its link carries.

use std::collections::VecDeque;

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Bytes, ConfigError, Duration, Time, Validate, config};

use super::contract::{Arrival, Grants, HostPolicy, HostPolicyParams, Setting};

config! {
    /// n senders that owe data may have floor(BDP / n) bytes each on the way, and BDP together. Where that is less than a
    /// segment each, an acknowledgement waits until a segment may follow: one in the time that the link takes for a packet. The
    /// aggregator knows how much it expects, and promises no more: a connection that owes nothing has a closed window.
    pub struct Params {
        /// The bandwidth-delay product.
        bdp: Option<Bytes> = (), "absent: the slowest link into the host times the mean base round-trip time of its senders";
        /// Segment size of the senders.
        segment: Option<Bytes> = (), "absent: what the MTU leaves behind headers of 40 bytes (RFC 9293 section 3.7.1)";
    }
}

/// IPv4 and TCP headers without options, in bytes.
const HEADERS: u32 = 40;

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        for (key, bytes) in [("bdp", self.bdp), ("segment", self.segment)] {
            if bytes == Some(Bytes::new(0)) {
                return Err(at.key(key).error("a window of nothing stops all senders", "give 1B or more"));
            }
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "ia-tcp";
    const TITLE: &'static str = "IA-TCP: acknowledgements that let out what the aggregator's link carries";
    const REFERENCE: &'static str = "Hwang, Yoo & Choi, IA-TCP, ICC 2012";
}

impl HostPolicyParams for Params {
    fn build(&self, setting: Setting) -> Box<dyn HostPolicy> {
        let segment = self.segment.map_or(u64::from(setting.mtu.saturating_sub(HEADERS).max(1)), Bytes::get);
        let bdp = self.bdp.map_or(setting.rate.bytes_in(setting.base_rtt), Bytes::get);
        Box::new(IaTcp {
            bdp,
            segment,
            pause: setting.rate.time_to_send(setting.mtu.into()).max(Duration::from_nanos(1)),
            flows: Vec::new(),
            owing: 0,
            outstanding: 0,
            waiting: VecDeque::new(),
            next_at: Time::ZERO,
        })
    }
}

/// What is known of a connection.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    /// Bytes that the host expects.
    left: u64,
    /// Those of them that the sender may send.
    promised: u64,
    /// True if it waits for credit.
    waits: bool,
}

#[derive(Debug)]
struct IaTcp {
    bdp: u64,
    segment: u64,
    /// Time from one segment granted to the next, where acknowledgements are paced: a packet's at the link.
    pause: Duration,
    /// By the index of the flow.
    flows: Vec<Flow>,
    /// Connections that owe data.
    owing: u64,
    /// Bytes promised to all of them that have not arrived.
    outstanding: u64,
    /// Those that wait for credit, the first first.
    waiting: VecDeque<u32>,
    /// When the next segment may be granted.
    next_at: Time,
}

impl IaTcp {
    /// True if a segment of each sender is more than the path holds.
    fn paces(&self) -> bool {
        self.owing * self.segment > self.bdp
    }

    /// What may be outstanding together.
    fn room(&self) -> u64 {
        self.bdp.max(self.owing * self.segment).saturating_sub(self.outstanding)
    }

    /// What a flow may be promised, if it is its turn, and that is a segment at least, or all that is left.
    fn promise_for(&self, index: u32) -> Option<u64> {
        let share = if self.paces() { self.segment } else { self.bdp / self.owing.max(1) };
        let flow = &self.flows[index as usize];
        let promised = share.min(flow.left).min(flow.promised.saturating_add(self.room()));
        (promised >= self.segment.min(flow.left)).then_some(promised)
    }

    /// Lets a flow send `bytes`, what it was promised before counted.
    fn promise(&mut self, now: Time, index: u32, bytes: u64, grants: &mut Grants) {
        let flow = &mut self.flows[index as usize];
        let more = bytes.saturating_sub(flow.promised);
        if more > 0 {
            flow.promised = bytes;
            self.outstanding += more;
            self.next_at = self.next_at.max(now) + self.pause * more.div_ceil(self.segment);
            grants.credit(index, bytes);
        }
    }

    /// The flow owes so many bytes from now on.
    fn owe(&mut self, now: Time, index: u32, left: u64, grants: &mut Grants) {
        let flow = &mut self.flows[index as usize];
        self.owing += u64::from(left > 0);
        self.owing -= u64::from(flow.left > 0);
        flow.left = left;
        self.outstanding -= flow.promised.saturating_sub(left);
        flow.promised = flow.promised.min(left);
        if left == 0 {
            if std::mem::take(&mut flow.waits) {
                self.waiting.retain(|waiting| *waiting != index);
            }
        } else if !flow.waits {
            let is_short = flow.promised < self.segment.min(left);
            match self.promise_for(index) {
                Some(bytes) if self.waiting.is_empty() && !self.paces() => {
                    self.promise(now, index, bytes, grants);
                }
                _ if is_short => {
                    self.flows[index as usize].waits = true;
                    self.waiting.push_back(index);
                }
                _ => {}
            }
        }
        self.serve(now, grants);
    }

    /// Gives those that wait what there is.
    fn serve(&mut self, now: Time, grants: &mut Grants) {
        while let Some(&index) = self.waiting.front()
            && let Some(bytes) = self.promise_for(index)
            && (now >= self.next_at || !self.paces())
        {
            self.waiting.pop_front();
            self.flows[index as usize].waits = false;
            self.promise(now, index, bytes, grants);
        }
    }
}

impl HostPolicy for IaTcp {
    fn largest(&self) -> u64 {
        self.bdp.max(self.segment)
    }

    fn gives_credit(&self) -> bool {
        true
    }

    fn opened(&mut self, now: Time, flow: u32, expected: u64, grants: &mut Grants) {
        let flows = self.flows.len().max(flow as usize + 1);
        self.flows.resize(flows, Flow::default());
        self.owe(now, flow, expected, grants);
    }

    fn expects(&mut self, now: Time, flow: u32, expected: u64, grants: &mut Grants) {
        self.owe(now, flow, expected, grants);
    }

    fn arrived(&mut self, now: Time, index: u32, arrival: Arrival, grants: &mut Grants) {
        if arrival.bytes == 0 {
            return;
        }
        let flow = &mut self.flows[index as usize];
        let arrived = arrival.bytes.min(flow.promised);
        flow.promised -= arrived;
        self.outstanding -= arrived;
        self.owe(now, index, arrival.left, grants);
    }

    fn ended(&mut self, now: Time, index: u32, grants: &mut Grants) {
        self.owe(now, index, 0, grants);
    }

    fn wake(&mut self, now: Time, grants: &mut Grants) {
        self.serve(now, grants);
    }

    fn wake_at(&self) -> Time {
        let turn = self.waiting.front().and_then(|index| self.promise_for(*index));
        turn.map_or(Time::NEVER, |_| self.next_at)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use dumbbell_core::BitRate;

    use super::super::contract::Grant;
    use super::*;

    const SEGMENT: u64 = 1460;

    /// `n` senders of `size` bytes each, all asked at once over 1 Gbit/s and 100 us: what is granted arrives a round-trip time
    /// later. Returns when grants were made, and the most that was outstanding.
    fn drive(n: u32, size: u64) -> (Vec<Time>, u64) {
        let rate = BitRate::from_bps(1_000_000_000);
        let rtt = Duration::from_micros(100);
        let mut policy = Params::default().build(Setting { rate, base_rtt: rtt, mtu: 1500 });
        let (mut grants, mut times, mut most) = (Grants::default(), Vec::new(), 0);
        let (mut left, mut end) = (vec![size; n as usize], vec![0; n as usize]);
        // Segments on their way: when they arrive, of which flow.
        let mut coming: VecDeque<(Time, u32, u64)> = VecDeque::new();
        let mut now = Time::ZERO;
        for flow in 0..n {
            policy.opened(now, flow, size, &mut grants);
        }
        loop {
            for (flow, grant) in grants.drain() {
                let (Grant::Credit(bytes), i) = (grant, flow as usize) else { panic!("{grant:?}") };
                let arrived = size - left[i];
                while end[i] < arrived + bytes
                    && (arrived + bytes - end[i] >= SEGMENT || arrived + bytes == size)
                {
                    let segment = SEGMENT.min(arrived + bytes - end[i]);
                    end[i] += segment;
                    coming.push_back((now + rtt, flow, segment));
                }
                times.push(now);
            }
            most = most.max(coming.iter().map(|(_, _, bytes)| bytes).sum());
            let arrival = coming.front().map_or(Time::NEVER, |(at, ..)| *at);
            now = arrival.min(policy.wake_at());
            if now == Time::NEVER {
                assert!(left.iter().all(|left| *left == 0), "all have what they asked for");
                return (times, most);
            }
            if arrival <= now {
                let (_, flow, bytes) = coming.pop_front().unwrap();
                left[flow as usize] -= bytes;
                let arrival = Arrival { bytes, left: left[flow as usize], transit: None };
                policy.arrived(now, flow, arrival, &mut grants);
            } else {
                policy.wake(now, &mut grants);
            }
        }
    }

    #[test]
    fn no_more_is_outstanding_than_the_product_or_a_segment_of_each() {
        // 1 Gbit/s times 100 us are 12,500 bytes: 8.6 segments.
        for n in [1, 2, 8, 9, 20, 43, 100] {
            for size in [300, 10 * SEGMENT, 64_000] {
                let most = drive(n, size).1;
                assert!(most <= 12_500.max(u64::from(n) * SEGMENT), "{n} senders of {size}: {most}");
            }
        }
        assert!(drive(8, 64_000).1 > 12_500 - 8 * SEGMENT / 2, "the path is used");
    }

    #[test]
    fn many_senders_share_grants_of_single_segments() {
        let (times, most) = drive(100, 10 * SEGMENT);
        // 1500 bytes at 1 Gbit/s: 12 us. At the end, with few senders left, windows are shares again.
        let paced = &times[..900];
        assert!(
            paced.windows(2).all(|pair| pair[1].since(pair[0]) >= Duration::from_micros(12)),
            "{paced:?}"
        );
        assert!(most <= 9 * SEGMENT, "a round-trip time of them: {most}");
    }
}
