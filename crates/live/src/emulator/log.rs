//! Logs in the format of Mahimahi, for the tools that draw from them (`mm-throughput-graph`, `mm-delay-graph`).
//!
//! After lines that begin with `#`, one line for each event, with its time in milliseconds: `t # 1504` for an opportunity
//! to send, `t + bytes` for an arrival, `t - bytes delay` for a departure with the milliseconds since its arrival,
//! `t d packets bytes` for a drop. As in Mahimahi, each packet counts four bytes more, the prefix of a TUN device.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use dumbbell_core::{Duration, Time};
use dumbbell_net::link::Trace;
use dumbbell_sim::plan::PlannedLink;

/// Bytes of one opportunity.
const OPPORTUNITY: u32 = 1504;
/// Bytes counted with each packet.
const PREFIX: u32 = 4;

/// What a link could have sent, as opportunities.
#[derive(Clone, Debug)]
enum Opportunities {
    /// One for each 1500 bytes at a constant rate.
    Constant(Duration),
    /// Those of a trace.
    Recorded(Trace),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    Arrived { size: u32 },
    Left { size: u32, arrived: Time },
    Dropped { size: u32 },
}

/// The log of one direction.
#[derive(Debug)]
pub struct Log {
    file: BufWriter<File>,
    opportunities: Opportunities,
    /// Opportunities written so far.
    written: u64,
    /// Events that earlier ones may yet join, by time, then in the order noted: the departure of a packet is known when
    /// it reaches the far end.
    pending: BinaryHeap<Reverse<(Time, u64, Event)>>,
    noted: u64,
}

impl Log {
    /// Begins a log. `unix` is the date in milliseconds since 1970 at which time 0 was.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, about: &str, link: &PlannedLink, unix: u64) -> io::Result<Log> {
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "# dumbbell shell ({about})")?;
        writeln!(file, "# queue: {}", link.direction.queue.name())?;
        writeln!(file, "# init timestamp: {unix}")?;
        writeln!(file, "# base timestamp: 0")?;
        let opportunities = link.trace.as_ref().map_or_else(
            || Opportunities::Constant(link.direction.rate.time_to_send(u64::from(OPPORTUNITY - PREFIX))),
            |trace| Opportunities::Recorded(trace.clone()),
        );
        Ok(Log { file, opportunities, written: 0, pending: BinaryHeap::new(), noted: 0 })
    }

    fn note(&mut self, at: Time, event: Event) {
        self.pending.push(Reverse((at, self.noted, event)));
        self.noted += 1;
    }

    /// A packet arrived.
    pub fn arrived(&mut self, now: Time, size: u32) {
        self.note(now, Event::Arrived { size });
    }

    /// A packet left at `at`.
    pub fn left(&mut self, at: Time, size: u32, arrived: Time) {
        self.note(at, Event::Left { size, arrived });
    }

    /// A packet was dropped.
    pub fn dropped(&mut self, now: Time, size: u32) {
        self.note(now, Event::Dropped { size });
    }

    /// Writes what happened up to `until`; no earlier event may be noted afterwards.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write_until(&mut self, until: Time) -> io::Result<()> {
        while let Some(Reverse((at, _, event))) = self.pending.peek().copied()
            && at <= until
        {
            self.pending.pop();
            self.write_opportunities(at)?;
            let ms = at.as_nanos() / 1_000_000;
            match event {
                Event::Arrived { size } => writeln!(self.file, "{ms} + {}", size + PREFIX)?,
                Event::Left { size, arrived } => {
                    let delay = at.since(arrived).as_nanos() / 1_000_000;
                    writeln!(self.file, "{ms} - {} {delay}", size + PREFIX)?;
                }
                Event::Dropped { size } => writeln!(self.file, "{ms} d 1 {}", size + PREFIX)?,
            }
        }
        self.write_opportunities(until)
    }

    fn write_opportunities(&mut self, until: Time) -> io::Result<()> {
        loop {
            let n = self.written;
            let at = match &self.opportunities {
                Opportunities::Constant(period) => Time::ZERO + *period * (n + 1),
                Opportunities::Recorded(trace) => {
                    let (round, i) = (n / trace.times.len() as u64, n % trace.times.len() as u64);
                    trace.times[i as usize] + trace.period() * round
                }
            };
            if at > until {
                return Ok(());
            }
            writeln!(self.file, "{} # {OPPORTUNITY}", at.as_nanos() / 1_000_000)?;
            self.written += 1;
        }
    }

    /// Ends the log.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn finish(mut self, now: Time) -> io::Result<()> {
        self.write_until(now)?;
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::BitRate;

    use super::*;

    fn log(trace: Option<Trace>, write: impl FnOnce(&mut Log)) -> String {
        let text = "duration = '1s'\ntopology = 'dumbbell'\n[[flows]]\nfrom = 'senders'\nto = 'receivers'";
        let scenario = dumbbell_sim::Scenario::from_toml(text).unwrap();
        let plan = dumbbell_sim::Plan::new(&scenario, Path::new(".")).unwrap();
        let mut link = PlannedLink { trace, ..plan.links[0].clone() };
        std::sync::Arc::make_mut(&mut link.direction).rate = BitRate::from_bps(12_000_000);
        let path = std::env::temp_dir().join(format!(
            "dumbbell-log-{}-{}",
            std::process::id(),
            link.trace.is_some()
        ));
        let mut log = Log::create(&path, "uplink", &link, 7).unwrap();
        write(&mut log);
        log.finish(ms(3)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        text.split_once("init").unwrap().1.to_owned()
    }

    fn ms(t: u64) -> Time {
        Time::from_nanos(t * 1_000_000)
    }

    #[test]
    fn the_format_is_mahimahis_and_events_come_in_order() {
        let text = log(None, |log| {
            log.arrived(ms(1), 1500);
            log.dropped(ms(3), 40);
            log.left(ms(2), 1500, ms(1));
        });
        assert_eq!(
            text,
            " timestamp: 7\n# base timestamp: 0\n1 # 1504\n1 + 1504\n2 # 1504\n2 - 1504 1\n3 # 1504\n3 d 1 44\n"
        );
    }

    #[test]
    fn opportunities_of_a_trace_are_its_own() {
        let times = [1, 1, 2].map(ms).into_iter().collect();
        let text = log(Some(Trace { times, opportunity: 1504, overhead: 4 }), |_| {});
        assert!(text.ends_with(": 0\n1 # 1504\n1 # 1504\n2 # 1504\n3 # 1504\n3 # 1504\n"), "{text}");
    }
}
