//! How long threads waited for a processor, by the account of the scheduler: the fields of
//! `/proc/PID/task/TID/schedstat` are the nanoseconds that a thread ran, those that it could have run and did not, and how
//! often it ran. And how long threads were stopped, by a signal or a debugger: no account tells that, so their states are read.
//!
//! A kernel in virtual time keeps the account in ticks: a wait of a microsecond that a tick falls into counts 4 ms there.
//! So each wait counts for the least that it can have been: one tick less.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use dumbbell_core::Duration;

use super::device;
use crate::clock::lateness::Lateness;
use crate::clock::{self, precise};

/// Time between two looks at the threads of a namespace. What a thread waited meanwhile counts as a single wait, the longest
/// that it can have been.
const WINDOW: std::time::Duration = std::time::Duration::from_millis(20);

/// The same in virtual time, where threads wait for those alone that spin, and a look costs some thirty switches between
/// processes of the machine.
const WINDOW_IN_VIRTUAL_TIME: std::time::Duration = std::time::Duration::from_millis(200);

/// Between two looks, at least this many times what one look takes: no more than a fiftieth of a processor.
const REST: u32 = 50;

/// A thread of an end point that runs more than half of the time for so much longer loses its priority over other work: one
/// that never rests, after twice as long. It computes, and has no packets that wait.
const MOST_BUSY: u64 = 50_000_000;

/// The watch itself was stopped if it comes so much later than due, and did not wait for a processor meanwhile.
const GAP: std::time::Duration = WINDOW;

/// What a thread has waited so far, and how often it ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Account {
    ran: u64,
    waited: u64,
    runs: u64,
}

/// What was last known of a thread: its account, and how many packets had passed the device when that last changed.
#[derive(Clone, Copy, Debug)]
struct Seen {
    account: Account,
    packets: u64,
    /// How much more than half of the time it ran of late (ns).
    busy: u64,
}

impl Account {
    fn parse(text: &[u8]) -> Option<Account> {
        let mut fields = std::str::from_utf8(text).ok()?.split_ascii_whitespace();
        let mut field = || fields.next()?.parse().ok();
        Some(Account { ran: field()?, waited: field()?, runs: field()? })
    }

    /// How long the thread waited since `last`, at least, if the account counts in steps of `grain`.
    fn waited_since(self, last: Account, grain: Duration) -> Duration {
        let unsure = grain.as_nanos() * self.runs.saturating_sub(last.runs);
        Duration::from_nanos(self.waited.saturating_sub(last.waited).saturating_sub(unsure))
    }
}

/// The account of the calling thread.
#[derive(Debug)]
pub struct OwnDelay {
    file: Option<File>,
    grain: Duration,
    last: Account,
}

impl OwnDelay {
    /// From now on, for this thread.
    pub fn begin() -> OwnDelay {
        let file = File::open("/proc/thread-self/schedstat").ok();
        let last = Account { ran: 0, waited: 0, runs: 0 };
        let mut own = OwnDelay { file, grain: clock::scheduler_grain(), last };
        own.since_last();
        own
    }

    /// True if the system keeps an account.
    pub fn is_known(&self) -> bool {
        self.file.is_some()
    }

    /// How long the thread waited since it asked last.
    pub fn since_last(&mut self) -> Duration {
        let mut text = [0; 64];
        let length = self.file.as_ref().and_then(|file| file.read_at(&mut text, 0).ok()).unwrap_or(0);
        let now = Account::parse(&text[..length]).unwrap_or(self.last);
        now.waited_since(std::mem::replace(&mut self.last, now), self.grain)
    }
}

/// How long the processes of an end point waited for a processor, each time they ran.
///
/// A wait counts if packets passed the device since the thread ran last: a program that starts, and has nothing to do with
/// packets yet, keeps none waiting. A thread counts from when it is first seen.
pub struct Watch {
    threads: HashMap<(u32, u32), Seen>,
    waited: Waited,
    own: OwnDelay,
    grain: Duration,
    last: Instant,
    next: Instant,
}

/// What a [`Watch`] came to.
#[derive(Clone, Debug, Default)]
pub struct Waited {
    /// The wait each time a thread ran.
    pub each: Lateness,
    /// All waits together.
    pub total: Duration,
    /// For how long some process with a socket was stopped.
    pub stopped: Duration,
    /// For how long nobody looked, because the watch was stopped itself.
    pub unseen: Duration,
}

impl Waited {
    /// For the emulator.
    pub fn to_bytes(&self) -> Vec<u8> {
        let times = [self.total, self.stopped, self.unseen];
        let mut bytes = times.map(|time| time.as_nanos().to_be_bytes()).concat();
        bytes.extend(self.each.to_bytes());
        bytes
    }

    /// What [`Waited::to_bytes`] wrote; none if it did not.
    pub fn from_bytes(bytes: &[u8]) -> Option<Waited> {
        let (times, each) = bytes.split_at_checked(3 * size_of::<u64>())?;
        let (times, _) = times.as_chunks();
        let [total, stopped, unseen] = [0, 1, 2].map(|i| Duration::from_nanos(u64::from_be_bytes(times[i])));
        Some(Waited { each: Lateness::from_bytes(each)?, total, stopped, unseen })
    }
}

impl Watch {
    /// A watch over all processes of the caller's process namespace but the first, which is the caller; none if `/proc` does
    /// not show them.
    pub fn begin(now: Instant) -> Option<Watch> {
        let ours = fs::read_link("/proc/self").is_ok_and(|own| own == Path::new("1"));
        let kept = fs::read("/proc/self/schedstat").is_ok_and(|text| Account::parse(&text).is_some());
        (ours && kept).then(|| Watch {
            threads: HashMap::new(),
            waited: Waited::default(),
            own: OwnDelay::begin(),
            grain: clock::scheduler_grain(),
            last: now,
            next: now,
        })
    }

    /// Time until the next look is due.
    pub fn patience(&self, now: Instant) -> std::time::Duration {
        self.next.saturating_duration_since(now)
    }

    /// Looks at every thread.
    pub fn look(&mut self, clock: impl Fn() -> Instant) {
        let begin = clock();
        let window = begin - self.last;
        let half = window.as_nanos() as u64 / 2;
        self.last = begin;
        let late = elapsed(begin.saturating_duration_since(self.next));
        let late = late.saturating_sub(self.own.since_last());
        if late > elapsed(GAP) {
            self.waited.unseen += late;
        }
        let mut stopped = false;
        let packets = device::counters().map_or(0, |counters| counters.packets);
        let before = std::mem::take(&mut self.threads);
        for process in numbers(Path::new("/proc")).filter(|process| *process != 1) {
            stopped = stopped || is_stopped(process) && holds_socket(process);
            for thread in numbers(Path::new(&format!("/proc/{process}/task"))) {
                let Some(account) = read(process, thread) else { continue };
                let last = before.get(&(process, thread));
                // A number may have been given to another thread.
                let last = last.filter(|last| last.account.runs <= account.runs);
                let mut seen = match last {
                    Some(last) if last.account.runs == account.runs => *last,
                    _ => Seen { account, packets, busy: last.map_or(0, |last| last.busy) },
                };
                if let Some(last) = last
                    && last.packets != packets
                {
                    self.count(last.account, account);
                }
                let ran = account.ran.saturating_sub(last.map_or(0, |last| last.account.ran));
                seen.account.ran = account.ran;
                seen.busy = (seen.busy + ran).saturating_sub(half);
                if seen.busy > MOST_BUSY {
                    precise::take_real_time_from(thread);
                    seen.busy = 0;
                }
                self.threads.insert((process, thread), seen);
            }
        }
        if stopped {
            self.waited.stopped += elapsed(window);
        }
        let end = clock();
        let rest = if clock::is_virtual() { WINDOW_IN_VIRTUAL_TIME } else { WINDOW };
        self.next = end + rest.max((end - begin) * REST);
    }

    fn count(&mut self, last: Account, account: Account) {
        let runs = account.runs - last.runs;
        if runs > 0 {
            let waited = account.waited_since(last, self.grain);
            self.waited.each.add(waited);
            self.waited.each.add_times(Duration::ZERO, runs - 1);
            self.waited.total += waited;
        }
    }

    /// What it came to.
    pub fn finish(self) -> Waited {
        self.waited
    }
}

/// True if a process does not run because of a signal or a debugger: the states `T` and `t` of proc_pid_stat(5). A stop by
/// signal takes all threads.
fn is_stopped(process: u32) -> bool {
    let mut text = [0; 128];
    let read = File::open(format!("/proc/{process}/stat")).and_then(|mut file| file.read(&mut text));
    state(&text[..read.unwrap_or(0)]).is_some_and(|state| matches!(state, b'T' | b't'))
}

/// The state in the line of a process: what follows its name, which stands in brackets and may hold any.
fn state(line: &[u8]) -> Option<u8> {
    let end = line.iter().rposition(|byte| *byte == b')')?;
    line.get(end + 2).copied()
}

/// True if packets may wait for a process, as they do not for an editor that somebody has put aside. Unknown counts as true.
fn holds_socket(process: u32) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{process}/fd")) else { return true };
    let mut targets = open.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
    targets.any(|target| target.as_os_str().as_encoded_bytes().starts_with(b"socket:"))
}

fn elapsed(time: std::time::Duration) -> Duration {
    Duration::from_nanos(time.as_nanos() as u64)
}

fn read(process: u32, thread: u32) -> Option<Account> {
    let mut text = [0; 64];
    let mut file = File::open(format!("/proc/{process}/task/{thread}/schedstat")).ok()?;
    let length = file.read(&mut text).ok()?;
    Account::parse(&text[..length])
}

/// The entries of a folder whose names are numbers.
fn numbers(folder: &Path) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_three_fields() {
        assert_eq!(Account::parse(b"12 345 6\n"), Some(Account { ran: 12, waited: 345, runs: 6 }));
        for text in ["", "1 2", "1 two 3", "\u{ff}"] {
            assert_eq!(Account::parse(text.as_bytes()), None);
        }
    }

    #[test]
    fn a_wait_counts_for_the_least_it_can_have_been() {
        let account = |waited, runs| Account { ran: 0, waited, runs };
        let last = account(7_000_000, 10);
        let tick = Duration::from_millis(4);
        for (now, grain, expected) in [
            (account(7_000_035, 11), Duration::ZERO, Duration::from_nanos(35)),
            // A tick fell into two of 142 waits of some microseconds: that is no wait of 4 ms.
            (account(15_000_000, 152), tick, Duration::ZERO),
            (account(11_000_000, 11), tick, Duration::ZERO),
            // Ten ticks were at least nine.
            (account(47_000_000, 11), tick, Duration::from_millis(36)),
        ] {
            assert_eq!(now.waited_since(last, grain), expected, "{now:?}");
        }
    }

    #[test]
    fn what_was_waited_passes_to_another_process() {
        let [total, stopped, unseen] = [7, 20, 30].map(Duration::from_millis);
        let mut waited = Waited { total, stopped, unseen, ..Waited::default() };
        waited.each.add_times(Duration::from_micros(35), 200);
        let read = Waited::from_bytes(&waited.to_bytes()).unwrap();
        assert_eq!((read.total, read.stopped, read.unseen), (total, stopped, unseen));
        assert_eq!(read.each.buckets(), waited.each.buckets());
        assert!(Waited::from_bytes(&[0; 23]).is_none() && Waited::from_bytes(&[0; 28]).is_none());
    }

    #[test]
    fn the_state_follows_the_name_whatever_that_holds() {
        for (line, expected) in [
            ("7 (iperf3) T 1 7 7", Some(b'T')),
            ("7 (a) S (b) t 1", Some(b't')),
            ("7 (never ending", None),
            ("7 (cut)", None),
        ] {
            assert_eq!(state(line.as_bytes()), expected, "{line}");
        }
    }
}
