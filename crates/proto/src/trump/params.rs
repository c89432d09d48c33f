//! The parameters of a flow.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{BitRate, ConfigError, Duration, Validate, config};

/// Packets that an acknowledgement reports, at most (chapter 11.7 of the thesis).
pub const MOST_ACKNOWLEDGED: u32 = 16;

config! {
    /// TRUMP: one message, or an endless stream, from the source to the destination, at the rate that the routers on
    /// the way return. There is no window and no round-trip timer, and a loss does not change the rate. At least one
    /// router of each path needs `agent = "rbcc"`.
    pub struct Params {
        /// Payload of a packet in bytes, never more than the path's MTU allows; absent: what the MTU allows.
        payload: Option<u32> as "bytes" = (), "Toomey 1998, chapter 11.5: a buffer of 15,000 octets holds 10 data packets, headers counted";
        /// Bytes of header of every packet: all of a packet that carries no data.
        header: u16 as "bytes" = 40, "Toomey, RBCC, 1996: an acknowledgement takes 40/1500 of the rate of the data";
        /// The rate that the source would like; absent: all that it can get.
        desired: Option<BitRate> = (), "Toomey, RBCC, 1996: the desired rate may be infinite";
        /// Data packets that an acknowledgement reports, 1 to 16. The destination waits until it has as many.
        selacksize: u32 as "packets" = 1, "Toomey 1998, chapter 11.7: recommends one data packet, one acknowledgement";
        /// Time after which the source sends an unanswered set-up packet again. Also how long it waits, once everything
        /// is sent and nothing is heard, until it sends again what is not acknowledged.
        retry: Duration = "1s", "Toomey, RBCC, 1996: S; choice: no other constant for the end of a message, which is not published";
        /// Time without an answer after which the source gives up.
        give_up: Duration = "30s", "Toomey, RBCC, 1996: T, for the set-up; choice: the same for data, which is not published";
        /// The longest that the destination holds back what it has to report.
        ack_delay: Duration = "1s", "choice: as `retry`; the text lets information wait until an acknowledgement is full";
        /// A packet is lost when an acknowledgement reports one that was sent more than so many transmissions later.
        reordering: u32 as "packets" = 0, "choice: how losses are found is not published; paths keep the order, so 0; 3 if a route changes";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.payload == Some(0) {
            return Err(at.key("payload").error("packets without payload carry nothing", "give 1 or more"));
        }
        if !(1..=MOST_ACKNOWLEDGED).contains(&self.selacksize) {
            return Err(at.key("selacksize").error(
                format!("an acknowledgement cannot report {} packets", self.selacksize),
                format!("give a number from 1 to {MOST_ACKNOWLEDGED}"),
            ));
        }
        if self.desired.is_some_and(|rate| rate.as_bps() == 0) {
            return Err(at
                .key("desired")
                .error("a source that wants nothing sends nothing", "give 1bit/s or more"));
        }
        let times = [("retry", self.retry), ("give_up", self.give_up), ("ack_delay", self.ack_delay)];
        if let Some((key, _)) = times.iter().find(|(_, time)| time.is_zero()) {
            return Err(at.key(key).error("must be above zero", "give a time such as \"1s\""));
        }
        if self.give_up < self.retry {
            return Err(at.key("give_up").error("is shorter than `retry`", "make it longer"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "trump";
    const TITLE: &'static str = "TRUMP: sends at the rate that RBCC routers return";
    const REFERENCE: &'static str =
        "W. Toomey, A Rate-Based Congestion Control for Connectionless Packet-Switched Networks, UNSW, 1998";
}

impl Params {
    /// Payload of a full packet on a path whose largest packet is `mtu` bytes.
    pub fn segment(&self, mtu: u32) -> u32 {
        let largest = mtu.min(u32::from(u16::MAX)).saturating_sub(u32::from(self.header)).max(1);
        self.payload.map_or(largest, |payload| payload.min(largest))
    }

    /// Bytes of a full packet.
    pub(super) fn full(&self, mtu: u32) -> u16 {
        self.header + self.segment(mtu) as u16
    }
}
