//! What a program has written and the sender has not yet: the rest of a segment that waits for more (TCP_CORK, MSG_MORE), and what
//! comes after the end of a record (MSG_EOR), which no segment crosses.

use std::collections::VecDeque;

/// How a program writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct How {
    /// More follows: MSG_MORE.
    pub more: bool,
    /// A record ends here: MSG_EOR.
    pub ends_record: bool,
    /// Somebody waits for what becomes of the data: MSG_ZEROCOPY.
    pub copied: bool,
}

/// The stream of one connection, by numbers of bytes.
#[derive(Debug, Default)]
pub struct Stream {
    /// What was written, and what the sender has of it.
    pub written: u64,
    given: u64,
    /// Ends of records that have not left.
    ends: VecDeque<u64>,
    /// TCP_CORK: segments that are not full wait.
    pub corked: bool,
    /// They wait for this write: MSG_MORE.
    more: bool,
}

impl Stream {
    /// Something is written.
    pub fn write(&mut self, bytes: u64, how: How) {
        self.written += bytes;
        self.more = how.more;
        if how.ends_record && bytes > 0 {
            self.ends.push_back(self.written);
        }
    }

    /// What holds back the rest of a segment does so no longer, but for TCP_CORK.
    pub fn release(&mut self) {
        self.more = false;
    }

    /// All goes.
    pub fn flush(&mut self) {
        (self.more, self.corked) = (false, false);
    }

    /// The bytes that the sender gets now, when all below `sent` has left, in segments of `segment` bytes.
    pub fn give(&mut self, sent: u64, segment: u64) -> u64 {
        while self.ends.front().is_some_and(|end| *end <= sent) {
            self.ends.pop_front();
        }
        let mut end = self.ends.front().copied().unwrap_or(self.written).min(self.written);
        if end == self.written && self.ends.is_empty() && (self.more || self.corked) {
            end -= end.saturating_sub(sent) % segment;
        }
        let bytes = end.saturating_sub(self.given);
        self.given += bytes;
        bytes
    }

    /// True if the sender has not got all.
    pub fn is_holding(&self) -> bool {
        self.given < self.written
    }

    /// True if the rest waits for more, when all below `sent` has left: not for the sender, which has sent all it got.
    pub fn is_waiting(&self, sent: u64) -> bool {
        self.is_holding() && self.given <= sent
    }

    /// True if a record ends before what was written ends: its last segment waits for nothing.
    pub fn ends_before_more(&self) -> bool {
        self.ends.front().is_some_and(|end| *end < self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MORE: How = How { more: true, ends_record: false, copied: false };
    const RECORD: How = How { more: false, ends_record: true, copied: false };

    #[test]
    fn what_waits_for_more_leaves_in_whole_segments() {
        let mut stream = Stream::default();
        stream.write(3_100, MORE);
        assert_eq!((stream.give(0, 1_000), stream.is_holding()), (3_000, true));
        stream.write(50, MORE);
        assert_eq!(stream.give(3_000, 1_000), 0);
        stream.release();
        assert_eq!((stream.give(3_000, 1_000), stream.is_holding()), (150, false));
        stream.corked = true;
        stream.write(40, How::default());
        stream.release();
        assert_eq!(stream.give(3_150, 1_000), 0);
        stream.flush();
        assert_eq!(stream.give(3_150, 1_000), 40);
    }

    #[test]
    fn no_segment_crosses_the_end_of_a_record() {
        let mut stream = Stream::default();
        stream.write(400, RECORD);
        stream.write(400, RECORD);
        stream.write(1_000, How::default());
        assert_eq!((stream.give(0, 1_000), stream.ends_before_more()), (400, true));
        assert_eq!(stream.give(0, 1_000), 0, "the first has not left");
        assert_eq!(stream.give(400, 1_000), 400);
        assert_eq!((stream.give(800, 1_000), stream.ends_before_more()), (1_000, false));
    }
}
