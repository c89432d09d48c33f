//! What the program does with its connection, and what it sees of it.

use dumbbell_core::Time;
use dumbbell_proto::tcp::{Info, Nagle, TIMESTAMPS};

use super::{Connection, Phase};
use crate::inbox::Inbox;
use crate::messages::Message;
use crate::push::{self, Leaves};
use crate::settings::Agreed;
use crate::stream::How;
use crate::wire::flag;

impl Connection {
    /// The program writes.
    pub fn write(&mut self, now: Time, bytes: u64, how: How, timed: u32) {
        let mut left = bytes;
        while left > 0 {
            let Some(info) = self.info() else { return };
            let (copied, leaves) = self.packets.copy(left, info.mss.into(), left == bytes, how);
            left -= copied;
            self.stream.write(copied, How { ends_record: how.ends_record && left == 0, ..how });
            if left == 0 {
                self.errors.watch(self.stream.written, how.copied, timed);
            }
            match leaves {
                Leaves::All => self.drain(now, false),
                Leaves::One => self.drain_sender(now, push::group(&info, &self.settings) as usize),
                Leaves::Nothing => {}
            }
        }
        self.report(now);
    }

    /// The first report that waits.
    pub fn take_report(&mut self) -> Option<Message> {
        self.errors.take()
    }

    /// True if a report waits.
    pub fn has_reports(&self) -> bool {
        self.errors.are_waiting()
    }

    /// Bytes count from here in reports.
    pub fn count_reports(&mut self) {
        self.errors.count_from(self.stream.written);
    }

    /// Holds back segments that are not full from now on, or not any more: TCP_CORK.
    pub fn set_cork(&mut self, now: Time, on: bool) {
        self.stream.corked = on;
        if !on {
            self.stream.release();
            self.drain(now, false);
        }
    }

    /// Sets the differentiated services of segments from now on.
    pub fn set_dscp(&mut self, dscp: u8) {
        self.asked.dscp = dscp;
    }

    /// The program has set the receive buffer, doubled.
    pub fn set_buffer(&mut self, buffer: u32) {
        self.inbox.room.set(buffer);
    }

    /// What somebody may wait for has happened: bits of epoll(7).
    pub fn take_news(&mut self) -> u32 {
        std::mem::take(&mut self.news)
    }

    /// True if the program has ended its stream.
    pub fn is_shut(&self) -> bool {
        self.shut
    }

    /// The program closes altogether. Unread data is lost, and a reset tells the peer (RFC 2525 section 2.17).
    pub fn abandon(&mut self, now: Time) {
        if self.phase == Phase::Established && self.inbox.readable() == 0 {
            return self.close(now);
        }
        if self.phase == Phase::Established {
            let mut reset = self.bare(now, self.inbox.next, Vec::new());
            reset.flags |= flag::RST;
            self.out.push(reset);
        }
        self.die();
    }

    /// The program ends its stream.
    pub fn close(&mut self, now: Time) {
        self.closes_second |= !self.shut && self.is_ended();
        self.shut = true;
        self.stream.flush();
        self.drain(now, false);
    }

    /// What has arrived.
    pub fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// True if the peer will send nothing more.
    pub fn is_ended(&self) -> bool {
        self.phase == Phase::Dead || self.inbox.is_ended()
    }

    /// The program reads at most `most` bytes; with `peek` they stay.
    pub fn read(&mut self, now: Time, most: usize, peek: bool) -> Vec<u8> {
        let (bytes, tells) = self.inbox.read(now, most, peek);
        if tells && self.phase == Phase::Established {
            self.acknowledge(now);
        }
        bytes
    }

    /// The state of the sender, once there is one.
    pub fn info(&self) -> Option<Info> {
        self.ends.as_ref().map(|ends| ends.sender.info())
    }

    /// Bytes written that are not acknowledged.
    pub fn unacknowledged(&self) -> u64 {
        self.ends.as_ref().map_or(0, |ends| self.stream.written.saturating_sub(ends.sender.acknowledged_to()))
    }

    /// Bytes that the program may have written and that are not acknowledged, where buffers start at `first` bytes and grow with the
    /// window: two windows of packets of 2304 bytes.
    // Linux net/ipv4/tcp_input.c: what tcp_sndbuf_expand computes, for segments of up to 1460 bytes.
    pub fn send_room(&self, first: u64) -> u64 {
        first.max(self.info().map_or(0, |info| 2 * 2_304 * u64::from(info.window.max(10))))
    }

    /// Bytes written that have not left.
    pub fn unsent(&self) -> u64 {
        self.stream.written.saturating_sub(self.highest)
    }

    /// The largest segment that this end takes, without the options that all segments have.
    pub fn own_segment(&self) -> u32 {
        u32::from(self.largest()) - if self.agreed.timestamps { TIMESTAMPS } else { 0 }
    }

    /// What the two ends have agreed on.
    pub fn agreed(&self) -> Agreed {
        self.agreed
    }

    /// The shifts of the windows, of the peer and its own.
    pub fn scales(&self) -> (u8, u8) {
        (self.peer_scale.unwrap_or(0), self.scale)
    }

    /// Sends small segments at once from now on, or not any more: TCP_NODELAY.
    pub fn set_nodelay(&mut self, now: Time, on: bool) {
        self.nagle = if on { Nagle::Off } else { Nagle::Minshall };
        if let Some(ends) = &mut self.ends {
            ends.sender.set_nagle(self.nagle);
        }
        if on {
            self.stream.release();
        }
        let corked = std::mem::take(&mut self.stream.corked);
        self.drain(now, false);
        self.stream.corked = corked;
    }
}
