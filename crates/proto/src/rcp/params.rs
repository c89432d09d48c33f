//! The parameters of a flow, and what both ends read alike.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{BitRate, ConfigError, Duration, Validate, config, words};
use dumbbell_header::RcpHeader;

words! {
    /// What a sender does when it is offered a rate of 0: `none` asks for another until it gets one; `ns2` does as the
    /// code of the published figures does, and may stop for ever.
    pub enum Compat { None = "none", Ns2 = "ns2" }
}

config! {
    /// Rate Control Protocol: one object, or an endless stream, from the source to the destination, at the rate that the
    /// routers on the way write into packets. At least one of the forward links needs `router = "rcp"`, unless the source
    /// asks for a rate of its own.
    pub struct Params {
        /// Payload of a packet in bytes, never more than the path's MTU allows; absent: what the MTU allows.
        payload: Option<u32> as "bytes" = (), "choice: the MTU less the header; ns-2 rcp-host.cc: 960 bytes";
        /// Bytes of header of every packet: all of a packet that carries no data.
        header: u16 as "bytes" = 40, "ns-2 rcp-host.cc: SYN, REF and answers have 40 bytes, data 40 more than its payload";
        /// The rate that the source asks for, in bits of whole packets; absent: no limit, so that routers alone decide. With
        /// it, a flow needs no router.
        desired: Option<BitRate> = (), "Zhuang & Kaiser-Pendergrast, CS244 2016: RCP_DESIRED_RATE of their end host";
        /// Imitates the published code where it differs: `none` or `ns2`.
        compat: Compat = "none", "choice: a flow never stops silently";
        /// Time after which an unanswered SYN is sent again; it doubles each time.
        syn_timeout: Duration = "500ms", "ns-2 rcp-host.cc: SYN_DELAY";
        /// Shortest interval between probes.
        probe_min: Duration = "10ms", "choice: the longest period of router updates, so that the next probe finds a new rate";
        /// Longest interval between probes of a paused sender.
        probe_max: Duration = "1s", "choice: a paused flow goes on within a second or so of the first rate it is offered";
        /// Longest interval between probes of a sender whose packets are further apart than a round-trip time.
        probe_running: Duration = "500ms", "ns-2 rcp-host.cc: REF_TIMER";
        /// Smallest retransmission timeout; the timeout is twice the smoothed round-trip time.
        rto_min: Duration = "10ms", "choice: above the jitter of a software end point (ns-2: twice the round-trip time)";
        /// SYNs, probes or timeouts in a row without an answer after which the sender gives up.
        retries: u32 as "timeouts" = 8, "choice: about as patient as 100 s of RFC 1122 section 4.2.3.5 at a timeout of 0.5 s";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.payload == Some(0) {
            return Err(at.key("payload").error("packets without payload carry nothing", "give 1 or more"));
        }
        if self.desired.is_some_and(|rate| bytes_a_second(rate) == 0) {
            return Err(at
                .key("desired")
                .error("a source that wants nothing sends nothing", "give 8bit/s or more"));
        }
        let times = [
            ("syn_timeout", self.syn_timeout),
            ("probe_min", self.probe_min),
            ("probe_max", self.probe_max),
            ("probe_running", self.probe_running),
            ("rto_min", self.rto_min),
        ];
        if let Some((key, _)) = times.iter().find(|(_, time)| time.is_zero()) {
            return Err(at.key(key).error("must be above zero", "give a time such as \"10ms\""));
        }
        if self.probe_max < self.probe_min {
            return Err(at.key("probe_max").error("is shorter than `probe_min`", "make it longer"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "rcp";
    const TITLE: &'static str = "Rate Control Protocol: sends at the rate that routers give";
    const REFERENCE: &'static str = "Dukkipati & McKeown, CCR 36(1), 2006";
}

impl Params {
    /// Payload of a full packet on a path whose largest packet is `mtu` bytes.
    pub fn segment(&self, mtu: u32) -> u32 {
        let largest = mtu.min(u32::from(u16::MAX)).saturating_sub(u32::from(self.header)).max(1);
        self.payload.map_or(largest, |payload| payload.min(largest))
    }
}

/// Packets that an acknowledgement reports above the cumulative one.
pub(super) const SACK_BITS: u32 = 64;

/// A rate as headers tell it.
pub(super) fn bytes_a_second(rate: BitRate) -> u64 {
    rate.as_bps() / 8
}

/// The rate that a header brings: `None` if neither the source nor a router wrote one.
pub(super) fn rate_in(header: &RcpHeader) -> Option<u64> {
    (header.rate != RcpHeader::NO_LIMIT).then_some(header.rate)
}
