//! Ancillary messages of sockets (cmsg(3)) as bytes, and the queue of errors, which also reports what became of data.

use std::collections::VecDeque;

use dumbbell_core::Time;
use libc::{
    ENOMSG, IP_RECVERR, IPPROTO_IP, IPPROTO_TCP, MSG_ERRQUEUE, MSG_TRUNC, SCM_TIMESTAMPING, SOL_SOCKET,
    TCP_CM_INQ,
};

// Linux' include/uapi/linux/errqueue.h: what libc does not name.
/// Bits of SO_TIMESTAMPING: what is timed, and that the report has the number of the byte (TX_SCHED, TX_SOFTWARE, TX_ACK, OPT_ID).
const SCHEDULED: u32 = 1 << 8;
const SENT: u32 = 1 << 1;
const ACKNOWLEDGED: u32 = 1 << 9;
const NUMBERED: u32 = 1 << 7;
/// With which bits reports are as they are here: those, and that the clock is that of the software.
pub const TIMED: u32 = SCHEDULED | SENT | ACKNOWLEDGED | NUMBERED | 1 << 4;
const ORIGIN_TIMESTAMPING: u8 = 4;
const ORIGIN_ZEROCOPY: u8 = 5;
const COPIED: u8 = 1;
/// `struct scm_timestamping`: three times, of which the first is that of the software.
const TIMES: usize = 3;
/// `struct sockaddr_in`, which follows an error: zeros, for no router has sent it.
const ADDRESS: usize = 16;

/// What was timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stamp {
    /// The packet left: SCM_TSTAMP_SND.
    Sent = 0,
    /// The packet was given to the queue below: SCM_TSTAMP_SCHED.
    Scheduled = 1,
    /// All of it was acknowledged: SCM_TSTAMP_ACK.
    Acknowledged = 2,
}

/// An entry of the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Report {
    /// Sends with MSG_ZEROCOPY whose data is not needed any more, the first and the last. All were copied.
    Copied(u32, u32),
    /// The byte with this number reached something at this time.
    Stamped(Stamp, u32, Time),
}

/// Flags of the message, and its ancillary messages.
pub type Message = (i32, Vec<u8>);

/// What a send asked to hear of.
#[derive(Clone, Copy, Debug)]
struct Watched {
    /// Where its data ends.
    end: u64,
    /// Its number, if it had MSG_ZEROCOPY.
    copy: Option<u32>,
    /// The number of its last byte, and what of it is timed: bits of SO_TIMESTAMPING.
    key: u32,
    timed: u32,
    left: bool,
}

/// The errors of one socket.
#[derive(Debug, Default)]
pub struct Errors {
    queue: VecDeque<Report>,
    watched: VecDeque<Watched>,
    copies: u32,
    /// Numbers of bytes count from here.
    origin: u64,
}

impl Errors {
    /// Numbers of bytes count from `at`: the program has turned numbers on.
    pub fn count_from(&mut self, at: u64) {
        self.origin = at;
    }

    /// A send of data that ends at `end` wants to hear of it: bits of SO_TIMESTAMPING.
    pub fn watch(&mut self, end: u64, copied: bool, timed: u32) {
        let copy = copied.then(|| {
            self.copies += 1;
            self.copies - 1
        });
        let numbered = timed & NUMBERED != 0;
        let key = if numbered { end.saturating_sub(self.origin + 1) as u32 } else { 0 };
        if copied || timed & TIMED != 0 {
            self.watched.push_back(Watched { end, copy, key, timed, left: false });
        }
    }

    /// Everything below `sent` has left, and everything below `acknowledged` is acknowledged. True if there is news.
    pub fn follow(&mut self, now: Time, sent: u64, acknowledged: u64) -> bool {
        let before = self.queue.len();
        for watched in self.watched.iter_mut().filter(|w| w.end <= sent && !w.left) {
            watched.left = true;
            for (bit, stamp) in [(SCHEDULED, Stamp::Scheduled), (SENT, Stamp::Sent)] {
                if watched.timed & bit != 0 {
                    self.queue.push_back(Report::Stamped(stamp, watched.key, now));
                }
            }
        }
        let mut news = self.queue.len() > before;
        while let Some(watched) = self.watched.pop_front_if(|w| w.end <= acknowledged) {
            news |= watched.copy.is_some() || watched.timed & ACKNOWLEDGED != 0;
            if watched.timed & ACKNOWLEDGED != 0 {
                self.queue.push_back(Report::Stamped(Stamp::Acknowledged, watched.key, now));
            }
            match (watched.copy, self.queue.back_mut()) {
                (Some(copy), Some(Report::Copied(_, last))) if *last + 1 == copy => *last = copy,
                (Some(copy), _) => self.queue.push_back(Report::Copied(copy, copy)),
                (None, _) => {}
            }
        }
        news
    }

    /// True if something waits.
    pub fn are_waiting(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Takes the first.
    pub fn take(&mut self) -> Option<Message> {
        Some(match self.queue.pop_front()? {
            Report::Copied(first, last) => (
                MSG_ERRQUEUE,
                control(IPPROTO_IP, IP_RECVERR, &error(0, ORIGIN_ZEROCOPY, COPIED, first, last)),
            ),
            Report::Stamped(stamp, key, at) => {
                let mut bytes = control(SOL_SOCKET, SCM_TIMESTAMPING, &times(at));
                let error = error(ENOMSG, ORIGIN_TIMESTAMPING, 0, stamp as u32, key);
                bytes.extend(control(IPPROTO_IP, IP_RECVERR, &error));
                (MSG_ERRQUEUE | MSG_TRUNC, bytes)
            }
        })
    }
}

/// `struct sock_extended_err` and the address behind it.
fn error(errno: i32, origin: u8, code: u8, info: u32, data: u32) -> Vec<u8> {
    let mut bytes = (errno as u32).to_ne_bytes().to_vec();
    bytes.extend([origin, 0, code, 0]);
    bytes.extend(info.to_ne_bytes());
    bytes.extend(data.to_ne_bytes());
    bytes.resize(bytes.len() + ADDRESS, 0);
    bytes
}

fn times(at: Time) -> Vec<u8> {
    let nanos = at.as_nanos();
    let mut bytes = (nanos / 1_000_000_000).to_ne_bytes().to_vec();
    bytes.extend((nanos % 1_000_000_000).to_ne_bytes());
    bytes.resize(TIMES * 16, 0);
    bytes
}

/// How many bytes wait to be read: TCP_CM_INQ.
pub fn waiting(bytes: u32) -> Vec<u8> {
    control(IPPROTO_TCP, TCP_CM_INQ, &bytes.to_ne_bytes())
}

/// One ancillary message: length, level, type, data, and what aligns the next.
fn control(level: i32, kind: i32, data: &[u8]) -> Vec<u8> {
    let header = 2 * size_of::<usize>();
    let mut bytes = (header + data.len()).to_ne_bytes().to_vec();
    bytes.extend(level.to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(size_of::<usize>()), 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(message: &Message) -> (u32, u32) {
        let bytes = &message.1;
        let number = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap());
        (number(bytes.len() - 24), number(bytes.len() - 20))
    }

    #[test]
    fn copies_that_end_one_after_another_are_one_report() {
        let mut errors = Errors::default();
        for end in [10, 20, 30] {
            errors.watch(end, true, 0);
        }
        assert!(!errors.follow(Time::ZERO, 30, 9));
        assert!(errors.follow(Time::ZERO, 30, 20) && errors.are_waiting());
        let first = errors.take().unwrap();
        assert_eq!((first.0, first.1.len(), info(&first)), (MSG_ERRQUEUE, 48, (0, 1)));
        assert_eq!(errors.take(), None);
        assert!(errors.follow(Time::ZERO, 30, 30));
        assert_eq!(errors.take().map(|message| info(&message)), Some((2, 2)));
    }

    #[test]
    fn a_timed_write_is_reported_when_sent_and_acknowledged() {
        let mut errors = Errors::default();
        errors.count_from(100);
        errors.watch(300, false, TIMED);
        assert!(errors.follow(Time::from_nanos(5_000_000_007), 300, 100));
        let first = errors.take().unwrap();
        let seconds = |message: &Message| u64::from_ne_bytes(message.1[16..24].try_into().unwrap());
        let nanos = |message: &Message| u64::from_ne_bytes(message.1[24..32].try_into().unwrap());
        assert_eq!((first.0, seconds(&first), nanos(&first)), (MSG_ERRQUEUE | MSG_TRUNC, 5, 7));
        assert_eq!(info(&first), (Stamp::Scheduled as u32, 199));
        assert_eq!(errors.take().map(|message| info(&message)), Some((Stamp::Sent as u32, 199)));
        assert!(errors.follow(Time::from_nanos(6_000_000_000), 300, 300));
        assert_eq!(errors.take().map(|message| info(&message)), Some((Stamp::Acknowledged as u32, 199)));
    }
}
