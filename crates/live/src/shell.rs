//! A shell: two namespaces with an emulated path between them, from a plan to result tables.

use std::ffi::CString;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

use dumbbell_core::results::{AllocationRow, DropRow, Results, RunRow};
use dumbbell_core::series::{Series, SeriesLabels};
use dumbbell_core::table::Label;
use dumbbell_core::{ConfigError, Duration, Time};
use dumbbell_sim::Plan;
use serde::Serialize;

use crate::clock::lateness::{Bucket, Quantiles};
use crate::emulator::path::Path;
use crate::emulator::recorder::{Traced, Tracing};
use crate::emulator::routers::Counted;
use crate::emulator::unmet::Unmet;
use crate::emulator::{Dropped, Emulator, Far, Outcome, Sample, Settings, Tally};
use crate::namespace::device::Address;
use crate::namespace::nest;
use crate::namespace::waiting::Waited;
use crate::namespace::{Command, End, Inside};

/// The number of the server's address.
const SERVER: u32 = 1;
/// The number of the address of the outermost client.
const CLIENT: u32 = 2;

/// In a valid run, all but one packet in a hundred leave no later than this, and are read no later; and the processes at both
/// ends wait no longer for a processor, but for one time in a hundred. The grain of Mahimahi's clock (Netravali et al.,
/// USENIX ATC 2015).
pub const LATE_P99: Duration = Duration::from_millis(1);

/// An end point whose threads waited for a smaller share of the run, all together, was not starved: those of a client that runs
/// seldom have less than a hundred waits, and one of them may meet other work. The same share holds for the time that they were
/// stopped.
pub const MOST_WAITING: f64 = 1e-3;

/// In a valid run, at least this share of the rate reaches the far end while packets wait.
pub const LEAST_RATE: f64 = 0.97;

/// In a valid run, no more than this share of the packets is lost outside the emulated link: a hundredth of the loss at
/// which the throughput of TCP is commonly studied.
pub const MOST_MISSING: f64 = 1e-4;

/// Packets have to wait for so long in a row for the rate to be judged: what the ends of a stretch add or take is the
/// traffic of about one propagation delay.
const LEAST_STRETCH: Duration = Duration::from_secs(1);

/// What a shell runs.
#[derive(Clone, Debug)]
pub struct Shell {
    /// The program and arguments of the client.
    pub command: Vec<CString>,
    /// The program and arguments of the server; empty for none.
    pub server: Vec<CString>,
    /// The environment of both, `KEY=value`; the addresses are added.
    pub environment: Vec<CString>,
    /// The link to emulate; by default the slowest on the first path that is all that packets meet.
    pub at: Option<String>,
    /// Let the commands administer the network of their namespaces.
    pub network_administration: bool,
    /// Leave the commands the priority that the emulator was started with.
    pub keep_priority: bool,
    /// The congestion controller that TCP of the client and of the server has by default; that of the system if none.
    pub controller: Option<String>,
    /// Logs of the uplink and the downlink.
    pub logs: [Option<PathBuf>; 2],
    /// The date in milliseconds since 1970, for the logs.
    pub unix: u64,
}

/// How true an emulation was.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Fidelity {
    /// True if every bound holds.
    pub valid: bool,
    /// The bounds that do not hold, in words.
    pub reasons: Vec<String>,
    /// What the scenario says of other links, and packets did not meet.
    pub unmet: Vec<String>,
    /// When the run began, by `CLOCK_MONOTONIC` (s): what both ends can tell their times by.
    pub started: f64,
    /// How long the run took (s).
    pub duration: f64,
    /// Processor time of the emulator, the kernel's work for it included (s).
    pub processor: f64,
    /// From the client to the server.
    pub uplink: DirectionFidelity,
    /// From the server to the client.
    pub downlink: DirectionFidelity,
    /// The processes of the client; none if nobody knows.
    pub client: Option<EndFidelity>,
    /// The processes of the server.
    pub server: Option<EndFidelity>,
}

/// How true one end was.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EndFidelity {
    /// How long a thread waited for a processor, each time it ran (s).
    pub waits: Quantiles,
    /// The same in full.
    pub histogram: Vec<Bucket>,
    /// All waits together, of all threads (s).
    pub waited: f64,
    /// For how long a process with a socket was stopped, by a signal or a debugger (s).
    pub stopped: f64,
    /// For how long nobody could see whether one was (s).
    pub unseen: f64,
}

/// How true one direction was.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DirectionFidelity {
    /// The link.
    pub link: String,
    /// Its rate (bit/s).
    pub rate: f64,
    /// The rate at which it sent while packets waited (bit/s); none if they never did.
    pub busy_rate_asked: Option<f64>,
    /// The rate at which packets reached the far end meanwhile (bit/s).
    pub busy_rate_achieved: Option<f64>,
    /// How late packets left (s).
    pub lateness: Quantiles,
    /// The same in full.
    pub histogram: Vec<Bucket>,
    /// How long packets waited, at most, before the emulator read them (s).
    pub unread: Quantiles,
    /// The same in full.
    pub unread_histogram: Vec<Bucket>,
    /// Packets that the kernel dropped before the emulator could fetch them.
    pub lost_before: u64,
    /// Packets that the far end did not take.
    pub refused: u64,
    /// Input that was no packet.
    pub malformed: u64,
}

/// What a shell leaves behind.
pub struct Report {
    /// The exit status of the command.
    pub status: u8,
    /// The tables of a simulation.
    pub results: Results,
    /// How true the emulation was.
    pub fidelity: Fidelity,
    /// How the trace went, if one was asked for.
    pub traced: Option<Traced>,
}

/// Why a shell did not come to its end.
#[derive(Debug)]
pub enum Ended {
    /// The machine or the input does not allow it.
    Refused(ConfigError),
    /// The caller asked for it.
    Interrupted,
}

/// Makes a namespace with a device and takes it down again.
///
/// # Errors
/// What the machine does not allow or lacks.
pub fn probe() -> Result<(), ConfigError> {
    let inside =
        Inside { addresses: vec![Address::numbered(SERVER)], mtu: 1500, command: None, client: false };
    End::create(&inside).map(drop)
}

impl Shell {
    /// Runs the shell, and writes a trace on request. It calls `tick` about ten times a second, with the links at hand; `tick` may end it.
    ///
    /// # Errors
    /// See [`Ended`]. Nothing is left behind in any case.
    pub fn run(
        &self,
        plan: &Plan,
        tracing: Option<Tracing>,
        tick: impl FnMut(Time, &mut Emulator) -> ControlFlow<()>,
    ) -> Result<Report, Ended> {
        let path = Path::of(plan, self.at.as_deref()).map_err(Ended::Refused)?;
        let settings = Settings {
            path: &path,
            seed: plan.seed,
            warmup: plan.warmup,
            period: plan.record.period,
            drops: plan.record.drops,
            logs: self.logs.clone(),
            unix: self.unix,
        };
        let (client, far, addresses) = self.ends(&path).map_err(Ended::Refused)?;
        let emulator = Emulator::new(&settings, client, far, addresses, tracing);
        let ended = emulator.and_then(|emulator| emulator.run(tick));
        match ended {
            Ok(outcome) => Ok(report(plan, &path, outcome)),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Err(Ended::Interrupted),
            Err(e) => Err(Ended::Refused(ConfigError::new(
                "",
                format!("the emulation ended ({e})"),
                "see `dumbbell doctor`",
            ))),
        }
    }

    /// The two ends, and the numbers of the client's addresses.
    fn ends(&self, path: &Path) -> Result<(End, Far, Vec<u32>), ConfigError> {
        let mtu = path.mtu;
        let outer = nest::attach(path.groups.len()).map_err(|e| {
            ConfigError::new(
                "",
                format!("the shell around this one does not answer ({e})"),
                "leave it and start it again",
            )
        })?;
        let (far, numbers) = match outer {
            Some((socket, numbers)) => (Far::Outer(socket), numbers),
            None => {
                let numbers: Vec<u32> = (CLIENT..).take(path.groups.len()).collect();
                let command = (!self.server.is_empty()).then(|| self.command(&self.server, &numbers));
                let addresses = vec![Address::numbered(SERVER)];
                (Far::Server(End::create(&Inside { addresses, mtu, command, client: false })?), numbers)
            }
        };
        let command = Some(self.command(&self.command, &numbers));
        let addresses = numbers.iter().map(|number| Address::numbered(*number)).collect();
        let client = End::create(&Inside { addresses, mtu, command, client: true })?;
        Ok((client, far, numbers))
    }

    fn command(&self, arguments: &[CString], clients: &[u32]) -> Command {
        let clients: Vec<Address> = clients.iter().map(|number| Address::numbered(*number)).collect();
        let server = Address::numbered(SERVER);
        let list = |of: fn(&Address) -> String| clients.iter().map(of).collect::<Vec<_>>();
        let (v4, v6) = (list(|client| client.v4.to_string()), list(|client| client.v6.to_string()));
        let added = [
            ("DUMBBELL_CLIENT", v4[0].clone()),
            ("DUMBBELL_CLIENT_V6", v6[0].clone()),
            ("DUMBBELL_CLIENTS", v4.join(" ")),
            ("DUMBBELL_CLIENTS_V6", v6.join(" ")),
            ("DUMBBELL_SERVER", server.v4.to_string()),
            ("DUMBBELL_SERVER_V6", server.v6.to_string()),
        ];
        let ours = |entry: &CString| {
            let key = entry.to_bytes().split(|b| *b == b'=').next().unwrap_or_default();
            added.iter().any(|(name, _)| name.as_bytes() == key)
        };
        let mut environment: Vec<CString> = self.environment.iter().filter(|e| !ours(e)).cloned().collect();
        let added = added.iter().filter_map(|(name, value)| CString::new(format!("{name}={value}")).ok());
        environment.extend(added);
        Command {
            arguments: arguments.to_vec(),
            environment,
            network_administration: self.network_administration,
            keep_priority: self.keep_priority,
            controller: self.controller.clone(),
        }
    }
}

fn report(plan: &Plan, path: &Path, outcome: Outcome) -> Report {
    let mut results = Results::default();
    let links = [&path.uplink, &path.downlink];
    let from = outcome.counted_from;
    // An instant of a run that ended within its warm-up keeps rates finite.
    let until = (Time::ZERO + outcome.duration).max(from + Duration::from_nanos(1));
    let mut row = RunRow {
        seed: plan.seed,
        duration: outcome.duration.as_secs_f64(),
        warmup: from.as_secs_f64(),
        ended: results.label("duration"),
        ..RunRow::default()
    };
    let nodes: Vec<Label> = plan.nodes.iter().map(|name| results.labels.share(name)).collect();
    for (i, (link, tally)) in links.iter().zip(&outcome.tallies).enumerate() {
        let counted = tally.total.since(&tally.baseline);
        let link_row = link.row(
            &nodes,
            (&counted, None),
            (Some(&tally.queue), tally.average),
            (tally.account.as_ref(), None),
            (from, until),
            &mut results.labels,
        );
        let states = tally
            .account
            .iter()
            .flat_map(|account| link.states(account, &mut results.labels))
            .collect::<Vec<_>>();
        states.into_iter().for_each(|state| results.states.push(state));
        results.links.push(link_row);
        let classes = tally.classes.iter().flat_map(|c| link.class_rows(c, &mut results.labels));
        classes.collect::<Vec<_>>().into_iter().for_each(|class| results.classes.push(class));
        row.packet_hops += tally.total.sent;
        let (before, originated) = (tally.originated_before, tally.originated);
        row.packets_sent += counted.arrived - (originated.entered - before.entered);
        row.packets_originated += originated.entered + originated.behind - before.entered - before.behind;
        row.packets_duplicated += counted.duplicated;
        row.packets_delivered += tally.delivered - tally.delivered_before;
        row.packets_dropped += counted.dropped_total();
        row.total_sent += tally.total.arrived - originated.entered;
        row.total_originated += originated.entered + originated.behind;
        row.total_duplicated += tally.total.duplicated;
        row.total_delivered += tally.delivered;
        row.total_dropped += tally.total.dropped_total();
        row.packets_inside += tally.inside;
        note_samples(&mut results, i as u32, tally);
        for &Dropped { at, class, size, reason } in &tally.drops {
            let reason = results.label(reason.name());
            let (time, link, class) = (at.as_secs_f64(), i as u32, class.into());
            results.drops.push(DropRow { time, link, flow: 0, class, size, reason });
        }
    }
    for Counted { link, router, allocated } in &outcome.counted {
        let row = AllocationRow {
            link: results.label(link),
            router: results.label(router),
            hits: allocated.hits,
            misses: allocated.misses,
            updates: allocated.updates,
            quenches: allocated.quenches,
            forgotten: allocated.forgotten,
        };
        results.allocations.push(row);
    }
    results.runs.push(row);
    let links = links.map(|l| (&*l.name, l.direction.rate.as_bps() as f64, l.direction.delay));
    let unmet = path.unmet.iter().map(Unmet::text).collect();
    let fidelity = Fidelity { unmet, ..fidelity(&links, &outcome) };
    Report { status: outcome.status, fidelity, results, traced: outcome.traced }
}

fn note_samples(results: &mut Results, link: u32, tally: &Tally) {
    let labels = SeriesLabels::new(&mut results.labels);
    let mut last = Sample::default();
    for &sample in &tally.samples {
        let mut write = |series, value| results.samples.push(labels.row(series, link, sample.at, value));
        write(Series::Queue, sample.backlog as f64);
        write(Series::Throughput, rate(sample.sent_bytes - last.sent_bytes, last.at, sample.at));
        write(Series::Drops, (sample.dropped - last.dropped) as f64);
        last = sample;
    }
}

fn rate(bytes: u64, from: Time, until: Time) -> f64 {
    bytes as f64 * 8.0 / until.since(from).as_secs_f64()
}

/// The rate that the link sent at while packets waited, and that at which they arrived, `delay` later. Windows between samples count if
/// packets waited at both ends of them and of the one before, so that what left in the window before arrives instead of what has not
/// arrived yet; and only as part of a stretch that is long against such a window.
fn busy_rates(samples: &[Sample], delay: Duration) -> Option<(f64, f64)> {
    let (mut sent, mut arrived) = ((0, Duration::ZERO), (0, Duration::ZERO));
    for stretch in samples.split(|sample| sample.backlog <= 1) {
        let [_, first, .., last] = stretch else { continue };
        let Some(begin) = stretch.iter().find(|sample| sample.at >= first.at + delay) else { continue };
        let Some(end) = stretch.iter().rfind(|sample| sample.at + delay <= last.at) else { continue };
        if end.at >= first.at + LEAST_STRETCH {
            sent = (sent.0 + end.sent_bytes - first.sent_bytes, sent.1 + end.at.since(first.at));
            arrived =
                (arrived.0 + last.arrived_bytes - begin.arrived_bytes, arrived.1 + last.at.since(begin.at));
        }
    }
    let rate = |(bytes, time): (u64, Duration)| bytes as f64 * 8.0 / time.as_secs_f64();
    (!sent.1.is_zero()).then(|| (rate(sent), rate(arrived)))
}

fn fidelity(links: &[(&str, f64, Duration); 2], outcome: &Outcome) -> Fidelity {
    let mut reasons = Vec::new();
    let mut direction = |i: usize, what: &str| {
        let tally = &outcome.tallies[i];
        let (link, rate, delay) = links[i];
        let p99 = tally.lateness.quantile(0.99);
        let busy = busy_rates(&tally.samples, delay);
        let missing = tally.refused + outcome.lost_before[i];
        if p99 > LATE_P99 {
            let late = p99.as_secs_f64() * 1e3;
            reasons.push(format!(
                "{what}: one packet in a hundred left {late:.2} ms late, more than {LATE_P99}"
            ));
        }
        let unread = tally.unread.quantile(0.99);
        if unread > LATE_P99 {
            let late = unread.as_secs_f64() * 1e3;
            reasons.push(format!(
                "{what}: one packet in a hundred waited {late:.2} ms for the emulator to read it, more than {LATE_P99}"
            ));
        }
        if let Some((asked, achieved)) = busy
            && achieved < LEAST_RATE * asked
        {
            reasons.push(format!(
                "{what}: {:.1} Mbit/s left instead of {:.1}, less than {:.0} %",
                achieved / 1e6,
                asked / 1e6,
                LEAST_RATE * 100.0
            ));
        }
        if missing as f64 > MOST_MISSING * tally.total.arrived as f64 {
            reasons.push(format!("{what}: {missing} packets were lost outside the emulated link"));
        }
        DirectionFidelity {
            link: link.to_owned(),
            rate,
            busy_rate_asked: busy.map(|(asked, _)| asked),
            busy_rate_achieved: busy.map(|(_, achieved)| achieved),
            lateness: tally.lateness.quantiles(),
            histogram: tally.lateness.buckets(),
            unread: tally.unread.quantiles(),
            unread_histogram: tally.unread.buckets(),
            lost_before: outcome.lost_before[i],
            refused: tally.refused,
            malformed: tally.malformed,
        }
    };
    let (uplink, downlink) = (direction(0, "uplink"), direction(1, "downlink"));
    if outcome.tallies.iter().all(|tally| tally.total.arrived == 0) {
        reasons.push("no packet came to the link: nothing was emulated".to_owned());
    }
    if let Some(status) = outcome.server_failed {
        reasons.push(format!("server: its command ended with status {status} before the client's began"));
    }
    if !outcome.knows_own_delay {
        reasons.push("the kernel does not tell how long the emulator waited for a processor".to_owned());
    }
    let [client, server] = [0, 1]
        .map(|i| end(["client", "server"][i], outcome.waited[i].as_deref(), outcome.duration, &mut reasons));
    Fidelity {
        valid: reasons.is_empty(),
        reasons,
        unmet: Vec::new(),
        started: outcome.started.as_secs_f64(),
        duration: outcome.duration.as_secs_f64(),
        processor: outcome.processor.as_secs_f64(),
        uplink,
        downlink,
        client,
        server,
    }
}

fn end(what: &str, waited: Option<&Waited>, run: Duration, reasons: &mut Vec<String>) -> Option<EndFidelity> {
    let Some(Waited { each, total, stopped, unseen }) = waited else {
        reasons.push(format!("{what}: nobody knows how long its processes waited for a processor"));
        return None;
    };
    let p99 = each.quantile(0.99);
    let most = MOST_WAITING * run.as_secs_f64();
    let [total, stopped, unseen] = [total, stopped, unseen].map(|time| time.as_secs_f64());
    if stopped > most {
        reasons.push(format!(
            "{what}: its programs were stopped for {stopped:.3} s (by a signal such as SIGSTOP, or a debugger)"
        ));
    }
    if unseen > most {
        reasons.push(format!(
            "{what}: for {unseen:.3} s nobody saw whether its programs ran, because their watch was stopped"
        ));
    }
    if p99 > LATE_P99 && total > most {
        reasons.push(format!(
            "{what}: one time in a hundred its processes waited {:.2} ms for a processor, more than {LATE_P99} ({:.3} s in all)",
            p99.as_secs_f64() * 1e3,
            total,
        ));
    }
    Some(EndFidelity { waits: each.quantiles(), histogram: each.buckets(), waited: total, stopped, unseen })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::lateness::Lateness;

    #[test]
    fn busy_rates_count_windows_in_which_packets_waited() {
        let sample = |i: u64, backlog, sent_bytes, arrived_bytes| Sample {
            at: Time::from_nanos(i * 500_000_000),
            backlog,
            sent_bytes,
            arrived_bytes,
            dropped: 0,
        };
        let samples = [
            sample(1, 0, 0, 0),
            sample(2, 5, 1_000, 0),
            sample(3, 5, 2_000, 700),
            sample(4, 5, 3_000, 1_600),
            sample(5, 5, 4_000, 2_500),
            sample(6, 0, 4_500, 3_600),
            sample(7, 5, 9_000, 7_000),
            sample(8, 5, 9_900, 8_000),
        ];
        // A second, from the second sample of the first stretch to its last; the second stretch is too short.
        assert_eq!(busy_rates(&samples, Duration::ZERO), Some((16_000.0, 14_400.0)));
        assert_eq!(busy_rates(&samples[..4], Duration::ZERO), None);
    }

    #[test]
    fn what_is_under_way_is_not_missing() {
        // 1,000 bytes in 100 ms, which are 300 ms on the way; nothing was before.
        let sample = |i: u64| Sample {
            at: Time::from_nanos(i * 100_000_000),
            backlog: 5,
            sent_bytes: 1_000 * i,
            arrived_bytes: 1_000 * i.saturating_sub(3),
            dropped: 0,
        };
        let samples: Vec<Sample> = (0..=15).map(sample).collect();
        let on_time = busy_rates(&samples, Duration::from_millis(300)).unwrap();
        assert_eq!(on_time, (80_000.0, 80_000.0));
        let (sent, arrived) = busy_rates(&samples, Duration::ZERO).unwrap();
        assert!(arrived < LEAST_RATE * sent);
    }

    /// A run of ten seconds, 10 Mbit/s upwards, in which `late` of a thousand packets left 2 ms late, `share` of the rate
    /// arrived, and `lost` of 100 000 packets were lost outside.
    fn verdict(late: u64, share: f64, lost: u64) -> Fidelity {
        fidelity(&LINKS, &outcome(late, share, lost))
    }

    const LINKS: [(&str, f64, Duration); 2] = [("there", 1e7, Duration::ZERO), ("back", 1e7, Duration::ZERO)];

    fn late(times: u64) -> Lateness {
        let mut late = Lateness::default();
        late.add_times(Duration::from_micros(2_000), times);
        late.add_times(Duration::from_micros(50), 1_000 - times);
        late
    }

    fn waits(times: u64, ms: u64) -> Option<Box<Waited>> {
        let total = Duration::from_millis(ms);
        Some(Box::new(Waited { each: late(times), total, ..Waited::default() }))
    }

    fn outcome(late_packets: u64, share: f64, lost: u64) -> Outcome {
        let mut up = Tally { lateness: late(late_packets), ..Tally::default() };
        up.total.arrived = 100_000;
        up.samples = (1..=100)
            .map(|i: u64| Sample {
                at: Time::from_nanos(i * 100_000_000),
                backlog: 5,
                sent_bytes: i * 125_000,
                arrived_bytes: (i as f64 * 125_000.0 * share) as u64,
                dropped: 0,
            })
            .collect();
        Outcome {
            status: 0,
            server_failed: None,
            tallies: [up, Tally::default()],
            lost_before: [lost, 0],
            waited: [Some(Box::default()), Some(Box::default())],
            knows_own_delay: true,
            counted_from: Time::ZERO,
            started: Time::ZERO,
            duration: Duration::from_secs(10),
            processor: Duration::ZERO,
            counted: Vec::new(),
            traced: None,
        }
    }

    #[test]
    fn a_run_within_every_bound_is_valid() {
        let found = verdict(9, 0.971, 10);
        assert_eq!((found.valid, found.reasons.len()), (true, 0));
        assert_eq!(found.uplink.busy_rate_asked, Some(1e7));
    }

    #[test]
    fn a_run_beyond_a_bound_is_invalid_and_says_why() {
        for (found, word) in [
            (verdict(11, 1.0, 0), "left 2.00 ms late, more than 1ms"),
            (verdict(0, 0.969, 0), "9.7 Mbit/s left instead of 10.0, less than 97 %"),
            (verdict(0, 1.0, 11), "11 packets were lost outside"),
        ] {
            assert!(!found.valid);
            assert_eq!(found.reasons.len(), 1, "{:?}", found.reasons);
            assert!(
                found.reasons[0].starts_with("uplink: ") && found.reasons[0].contains(word),
                "{:?}",
                found.reasons
            );
        }
    }

    /// The bound decides by what was measured, not by where a bucket ends: the p99 is 0.985, 0.995 or 1.009 ms.
    #[test]
    fn a_run_within_the_bound_is_valid_and_beyond_it_is_not() {
        for (micros, valid) in [(985, true), (995, true), (1009, false)] {
            let mut near = outcome(0, 1.0, 0);
            let lateness = &mut near.tallies[0].lateness;
            lateness.add_times(Duration::from_micros(micros), 15);
            lateness.add_times(Duration::from_millis(5), 1);
            assert_eq!(fidelity(&LINKS, &near).valid, valid, "{micros} us");
        }
    }

    #[test]
    fn a_run_whose_packets_or_ends_waited_is_invalid_and_says_where() {
        let mut unread = outcome(0, 1.0, 0);
        unread.tallies[1].unread = late(11);
        let mut starved = outcome(0, 1.0, 0);
        starved.waited[0] = waits(10, 70);
        starved.waited[1] = waits(11, 72);
        let mut seldom = outcome(0, 1.0, 0);
        seldom.waited[0] = waits(500, 10);
        assert!(fidelity(&LINKS, &seldom).valid, "a millisecond in each second");
        let mut unknown = outcome(0, 1.0, 0);
        unknown.waited[0] = None;
        let stops = |ms| Waited { stopped: Duration::from_millis(ms), ..Waited::default() };
        let mut stopped = outcome(0, 1.0, 0);
        stopped.waited = [10, 40].map(|ms| Some(Box::new(stops(ms))));
        let mut unseen = outcome(0, 1.0, 0);
        unseen.waited[0] = Some(Box::new(Waited { unseen: Duration::from_millis(500), ..Waited::default() }));
        let mut empty = outcome(0, 1.0, 0);
        empty.tallies = Default::default();
        let mut failed = outcome(0, 1.0, 0);
        failed.server_failed = Some(127);
        for (outcome, reason) in [
            (
                stopped,
                "server: its programs were stopped for 0.040 s (by a signal such as SIGSTOP, or a debugger)",
            ),
            (
                unseen,
                "client: for 0.500 s nobody saw whether its programs ran, because their watch was stopped",
            ),
            (empty, "no packet came to the link: nothing was emulated"),
            (failed, "server: its command ended with status 127 before the client's began"),
            (
                unread,
                "downlink: one packet in a hundred waited 2.00 ms for the emulator to read it, more than 1ms",
            ),
            (
                starved,
                "server: one time in a hundred its processes waited 2.00 ms for a processor, more than 1ms (0.072 s in all)",
            ),
            (unknown, "client: nobody knows how long its processes waited for a processor"),
        ] {
            let found = fidelity(&LINKS, &outcome);
            assert_eq!((found.valid, found.reasons), (false, vec![reason.to_owned()]));
        }
    }
}
