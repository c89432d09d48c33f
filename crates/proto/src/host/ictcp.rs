//! ICTCP: the receiver opens the windows of its senders only as far as its link has room.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Bytes, ConfigError, Duration, Time, Validate, config};

use super::contract::{Arrival, Grants, HostPolicy, HostPolicyParams, Setting};

config! {
    /// In the first half of a slot of two mean round-trip times the host measures what arrives. In the second half the windows
    /// that are used may grow, together by no more than the capacity that was left, and each once in two of its round-trip
    /// times. A window of which less than half is used shrinks by a segment.
    pub struct Params {
        /// Segment size of the senders.
        segment: Bytes = "1460B", "choice: Ethernet's MTU less headers";
        /// Smallest window, in segments.
        least: u32 as "segments" = 2, "Wu et al., CoNEXT 2010: with 1 there is no timeout either, and less goodput";
        /// Part of the link's rate that windows may fill: alpha.
        share: f64 as "dimensionless" = 0.9, "Wu et al., CoNEXT 2010: alpha";
        /// Weight of the past in the measured throughput: beta.
        memory: f64 as "dimensionless" = 0.75, "choice: Wu et al. name beta and give no value";
        /// The window grows if the throughput falls short of what it allows by this share at most: gamma 1.
        used: f64 as "dimensionless" = 0.1, "Wu et al., CoNEXT 2010: gamma 1";
        /// It shrinks if the throughput falls short by more than this share for three round-trip times: gamma 2.
        unused: f64 as "dimensionless" = 0.5, "Wu et al., CoNEXT 2010: gamma 2";
        /// With less of the rate left than this share, windows above the mean shrink.
        scarce: f64 as "dimensionless" = 0.2, "Wu et al., CoNEXT 2010, on fairness";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        for (key, value) in [("segment", self.segment.get()), ("least", u64::from(self.least))] {
            if value == 0 {
                return Err(at.key(key).error("a window of nothing stops all senders", "give 1 or more"));
            }
        }
        let shares = [
            ("share", self.share),
            ("memory", self.memory),
            ("used", self.used),
            ("unused", self.unused),
            ("scarce", self.scarce),
        ];
        for (key, share) in shares {
            at.within(key, share, 0.0..=1.0)?;
        }
        if self.used > self.unused {
            let message = format!("{} is above `unused`, {}", self.used, self.unused);
            return Err(at.key("used").error(message, "give a smaller number"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "ictcp";
    const TITLE: &'static str = "ICTCP: receive windows that grow into what the link has left";
    const REFERENCE: &'static str = "Wu, Feng, Guo & Zhang, ICTCP, CoNEXT 2010";
}

/// The longest round-trip time for which the paper wants the policy.
const LONGEST_RTT: Duration = Duration::from_millis(2);
/// Round-trip times for which a window must be unused before it shrinks.
const PATIENCE: u32 = 3;

impl HostPolicyParams for Params {
    fn build(&self, setting: Setting) -> Box<dyn HostPolicy> {
        let segment = self.segment.get();
        let least = segment * u64::from(self.least);
        Box::new(Ictcp {
            params: self.clone(),
            segment,
            least,
            largest: setting.rate.bytes_in(LONGEST_RTT).max(least),
            rate: setting.rate.as_bps() as f64 / 8.0,
            base_rtt: setting.base_rtt.max(Duration::from_nanos(1)),
            flows: Vec::new(),
            open: Vec::new(),
            began: Time::ZERO,
            half: setting.base_rtt.max(Duration::from_nanos(1)),
            arrived: 0,
            room: None,
        })
    }
}

/// What is known of an open connection.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    /// The window granted.
    window: u64,
    /// True until the capacity left is too little to double the window.
    slow_start: bool,
    /// The shortest time that a packet was on its way, and the time of the latest.
    shortest: Option<Duration>,
    latest: Duration,
    /// Bytes since `since`, the beginning of this round trip.
    bytes: u64,
    since: Time,
    /// Measured throughput, in bytes a second.
    measured: f64,
    /// When the window grew last.
    grew: Time,
    /// Round trips in a row for which the window was not used.
    idle: u32,
}

#[derive(Debug)]
struct Ictcp {
    params: Params,
    segment: u64,
    least: u64,
    largest: u64,
    /// Of the link, in bytes a second.
    rate: f64,
    base_rtt: Duration,
    /// By the index of the flow.
    flows: Vec<Flow>,
    /// Open connections, in the order in which they opened.
    open: Vec<u32>,
    /// When this slot began, and half its length.
    began: Time,
    half: Duration,
    /// Bytes that arrived in its first half.
    arrived: u64,
    /// What windows may still grow by in its second half, in bytes a second; `None` in the first half.
    room: Option<f64>,
}

impl Ictcp {
    /// The round-trip time: that of an empty network, and what the latest packet waited.
    fn rtt(&self, flow: &Flow) -> Duration {
        self.base_rtt + flow.latest.saturating_sub(flow.shortest.unwrap_or(flow.latest))
    }

    /// Moves on to the half of the slot in which `now` lies.
    fn enter(&mut self, now: Time, grants: &mut Grants) {
        if now >= self.began + self.half * 2 {
            // The mean round-trip time, weighted by throughput.
            let of = |index: &u32| &self.flows[*index as usize];
            let total: f64 = self.open.iter().map(|i| of(i).measured).sum();
            let weighted = |i: &u32| of(i).measured * self.rtt(of(i)).as_secs_f64();
            let mean = self.open.iter().map(weighted).sum::<f64>() / total;
            let mean = if mean.is_finite() { Duration::from_secs_f64(mean) } else { self.base_rtt };
            (self.began, self.half) = (now, mean.clamp(self.base_rtt, LONGEST_RTT.max(self.base_rtt)));
            (self.arrived, self.room) = (0, None);
        } else if self.room.is_none() && now >= self.began + self.half {
            let arriving = self.arrived as f64 / self.half.as_secs_f64();
            let room = (self.params.share * self.rate - arriving).max(0.0);
            self.room = Some(room);
            if room < self.params.scarce * self.rate {
                self.level(grants);
            }
        }
    }

    /// Windows above the mean shrink by a segment.
    fn level(&mut self, grants: &mut Grants) {
        let total: u64 = self.open.iter().map(|i| self.flows[*i as usize].window).sum();
        let mean = total / self.open.len().max(1) as u64;
        for &index in &self.open {
            let flow = &mut self.flows[index as usize];
            if flow.window > mean && flow.window >= self.least + self.segment {
                flow.window -= self.segment;
                grants.grant(index, flow.window);
            }
        }
    }

    /// A round trip of a flow is over.
    fn adjust(&mut self, now: Time, index: u32, grants: &mut Grants) {
        let mut flow = self.flows[index as usize];
        let rtt = self.rtt(&flow);
        let sample = flow.bytes as f64 / now.since(flow.since).as_secs_f64();
        let memory = self.params.memory;
        flow.measured = sample.max(memory * flow.measured + (1.0 - memory) * sample);
        (flow.bytes, flow.since) = (0, now);
        let allowed = flow.measured.max(flow.window as f64 / rtt.as_secs_f64());
        let short = (allowed - flow.measured) / allowed;
        flow.idle = if short > self.params.unused { flow.idle + 1 } else { 0 };
        let before = flow.window;
        if flow.idle >= PATIENCE {
            flow.idle = 0;
            flow.window = flow.window.saturating_sub(self.segment).max(self.least);
        } else if short <= self.params.used || short <= self.segment as f64 / flow.window as f64 {
            self.grow(now, rtt, &mut flow);
        }
        self.flows[index as usize] = flow;
        if flow.window != before {
            grants.grant(index, flow.window);
        }
    }

    /// Opens a window that is used, if there is room.
    fn grow(&mut self, now: Time, rtt: Duration, flow: &mut Flow) {
        let Some(room) = &mut self.room else { return };
        if now.since(flow.grew) < rtt * 2 {
            return;
        }
        let needs = |bytes: u64| bytes as f64 / rtt.as_secs_f64();
        if flow.slow_start && needs(flow.window) > *room {
            flow.slow_start = false;
        }
        let more = if flow.slow_start { flow.window } else { self.segment };
        let more = more.min(self.largest - flow.window);
        if needs(more) <= *room {
            *room -= needs(more);
            flow.window += more;
            flow.grew = now;
        }
    }
}

impl HostPolicy for Ictcp {
    fn largest(&self) -> u64 {
        self.largest
    }

    fn opened(&mut self, now: Time, flow: u32, _expected: u64, grants: &mut Grants) {
        if self.flows.len() <= flow as usize {
            self.flows.resize(flow as usize + 1, Flow::default());
        }
        let window = self.least;
        self.flows[flow as usize] =
            Flow { window, slow_start: true, since: now, grew: now, ..Flow::default() };
        self.open.push(flow);
        grants.grant(flow, window);
    }

    fn ended(&mut self, _now: Time, flow: u32, _grants: &mut Grants) {
        self.open.retain(|open| *open != flow);
    }

    fn arrived(&mut self, now: Time, index: u32, arrival: Arrival, grants: &mut Grants) {
        self.enter(now, grants);
        if self.room.is_none() {
            self.arrived += arrival.bytes;
        }
        let flow = &mut self.flows[index as usize];
        flow.bytes += arrival.bytes;
        if let Some(transit) = arrival.transit {
            flow.latest = transit;
            flow.shortest = Some(flow.shortest.map_or(transit, |shortest| shortest.min(transit)));
        }
        let over = flow.since + self.rtt(&self.flows[index as usize]);
        if now >= over {
            self.adjust(now, index, grants);
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::BitRate;

    use super::super::contract::Grant;
    use super::*;

    const SEGMENT: u64 = 1460;

    fn us(n: u64) -> Time {
        Time::from_nanos(n * 1000)
    }

    fn policy(params: &Params) -> Box<dyn HostPolicy> {
        let rate = BitRate::from_bps(1_000_000_000);
        params.build(Setting { rate, base_rtt: Duration::from_micros(100), mtu: 1500 })
    }

    fn set(windows: &mut [u64], grants: &mut Grants) {
        for (flow, grant) in grants.drain() {
            let Grant::Window(window) = grant else { panic!("{grant:?}") };
            windows[flow as usize] = window;
        }
    }

    /// Lets each of the flows use its window, `rounds` round trips long. Returns the windows at the end.
    fn use_windows(policy: &mut dyn HostPolicy, flows: u32, rounds: u64) -> Vec<u64> {
        let mut grants = Grants::default();
        let mut windows = vec![0; flows as usize];
        for flow in 0..flows {
            policy.opened(us(0), flow, u64::MAX, &mut grants);
        }
        for step in 1..=rounds * 10 {
            let mut grown: Vec<f64> = vec![0.0; flows as usize];
            for flow in 0..flows {
                set(&mut windows, &mut grants);
                let before = windows[flow as usize];
                let arrival = Arrival { bytes: before / 10, left: u64::MAX, transit: None };
                policy.arrived(us(10 * step), flow, arrival, &mut grants);
                let after = grants.last_of(flow).unwrap_or(before);
                grown[flow as usize] = after as f64 - before as f64;
            }
        }
        set(&mut windows, &mut grants);
        windows
    }

    #[test]
    fn windows_grow_into_nine_tenths_of_the_rate_and_no_further() {
        // 1 Gbit/s times 100 us are 12.5 kB. What arrives is measured, then the windows grow, then it is measured again.
        for flows in [1, 2, 3] {
            let windows = use_windows(&mut *policy(&Params::default()), flows, 200);
            let total: u64 = windows.iter().sum();
            assert!(total <= 11_250, "{windows:?} send more than nine tenths");
            assert!(
                total > 11_250 - u64::from(flows) * SEGMENT,
                "{windows:?} leave room for another segment"
            );
        }
    }

    #[test]
    fn no_window_is_below_the_least() {
        for least in [1, 2] {
            let params = Params { least, ..Params::default() };
            let windows = use_windows(&mut *policy(&params), 40, 100);
            assert!(windows.iter().all(|w| *w == u64::from(least) * SEGMENT), "{windows:?}");
        }
    }

    #[test]
    fn an_unused_window_shrinks_in_three_round_trips() {
        let mut policy = policy(&Params::default());
        let windows = use_windows(&mut *policy, 1, 100);
        let mut grants = Grants::default();
        let mut granted = Vec::new();
        for step in 0..12_u64 {
            // A tenth of the window in each round trip: what was measured is forgotten by and by.
            let arrival = Arrival { bytes: windows[0] / 10, left: u64::MAX, transit: None };
            policy.arrived(us(10_000 + 100 * step), 0, arrival, &mut grants);
            granted.extend(grants.last_of(0));
            grants.drain().for_each(drop);
        }
        assert!(granted.first() == Some(&(windows[0] - SEGMENT)), "{granted:?}");
        assert!(granted.len() <= 4, "one in three round trips: {granted:?}");
    }
}
