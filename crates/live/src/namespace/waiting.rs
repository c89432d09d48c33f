//! How long threads waited for a processor, by the account of the scheduler: the fields of
//! `/proc/PID/task/TID/schedstat` are the nanoseconds that a thread ran, those that it could have run and did not, and how
//! often it ran.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use dumbbell_core::Duration;

use super::device;
use crate::clock::lateness::Lateness;
use crate::clock::precise;

/// Time between two looks at the threads of a namespace. What a thread waited meanwhile counts as a single wait, the longest
/// that it can have been.
const WINDOW: std::time::Duration = std::time::Duration::from_millis(20);

/// Between two looks, at least this many times what one look takes: no more than a fiftieth of a processor.
const REST: u32 = 50;

/// A thread of an end point that runs more than half of the time for so much longer loses its priority over other work: one
/// that never rests, after twice as long. It computes, and has no packets that wait.
const MOST_BUSY: u64 = 50_000_000;

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
}

/// The account of the calling thread.
#[derive(Debug)]
pub struct OwnDelay {
    file: Option<File>,
    waited: u64,
}

impl OwnDelay {
    /// From now on, for this thread.
    pub fn begin() -> OwnDelay {
        let mut own = OwnDelay { file: File::open("/proc/thread-self/schedstat").ok(), waited: 0 };
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
        let waited = Account::parse(&text[..length]).map_or(self.waited, |account| account.waited);
        Duration::from_nanos(waited - std::mem::replace(&mut self.waited, waited).min(waited))
    }
}

/// How long the processes of an end point waited for a processor, each time they ran.
///
/// A wait counts if packets passed the device since the thread ran last: a program that starts, and has nothing to do with
/// packets yet, keeps none waiting. A thread counts from when it is first seen.
pub struct Watch {
    threads: HashMap<(u32, u32), Seen>,
    waited: Lateness,
    total: Duration,
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
}

impl Waited {
    /// For the emulator.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.total.as_nanos().to_be_bytes().to_vec();
        bytes.extend(self.each.to_bytes());
        bytes
    }

    /// What [`Waited::to_bytes`] wrote; none if it did not.
    pub fn from_bytes(bytes: &[u8]) -> Option<Waited> {
        let (total, each) = bytes.split_first_chunk::<8>()?;
        let total = Duration::from_nanos(u64::from_be_bytes(*total));
        Some(Waited { each: Lateness::from_bytes(each)?, total })
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
            waited: Lateness::default(),
            total: Duration::ZERO,
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
        let half = (begin - self.last).as_nanos() as u64 / 2;
        self.last = begin;
        let packets = device::counters().map_or(0, |counters| counters.packets);
        let before = std::mem::take(&mut self.threads);
        for process in numbers(Path::new("/proc")).filter(|process| *process != 1) {
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
        let end = clock();
        self.next = end + WINDOW.max((end - begin) * REST);
    }

    fn count(&mut self, last: Account, account: Account) {
        let (runs, waited) = (account.runs - last.runs, account.waited.saturating_sub(last.waited));
        if runs > 0 {
            let waited = Duration::from_nanos(waited);
            self.waited.add(waited);
            self.waited.add_times(Duration::ZERO, runs - 1);
            self.total += waited;
        }
    }

    /// What it came to.
    pub fn finish(self) -> Waited {
        Waited { each: self.waited, total: self.total }
    }
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
    fn what_was_waited_passes_to_another_process() {
        let mut waited = Waited { total: Duration::from_millis(7), ..Waited::default() };
        waited.each.add_times(Duration::from_micros(35), 200);
        let read = Waited::from_bytes(&waited.to_bytes()).unwrap();
        assert_eq!((read.total, read.each.buckets()), (waited.total, waited.each.buckets()));
        assert!(Waited::from_bytes(&[0; 7]).is_none() && Waited::from_bytes(&[0; 12]).is_none());
    }
}
