//! The parameters of NADA: figure 3 of RFC 8698, by name.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{BitRate, ConfigError, Duration, Validate, config};

/// IPv4, UDP and RTP headers without options, in bytes (RFC 791 section 3.1, RFC 768, RFC 3550 section 5.1).
pub const HEADER: u32 = 40;
/// A report: IPv4 and UDP headers, an RTCP packet of RFC 3550 section 6.7 (12 bytes), and the fields of RFC 8698 section 5.3
/// in two words.
pub const REPORT: u32 = 48;

config! {
    /// A time without media: no new frames leave the encoder.
    pub struct Pause {
        /// When, since the flow's start.
        at: Duration;
        /// How long.
        lasts: Duration;
    }
}

impl Validate for Pause {}

config! {
    /// Real-time media under NADA: an encoder gives frames of the wanted size, a shaping buffer paces their packets, and the
    /// receiver reports delay, loss and marks as one signal, every `delta`. Rates are on the wire, headers included. Nothing is
    /// sent again.
    pub struct Params {
        /// Weight of the flow's priority (PRIO).
        prio: f64 as "dimensionless" = 1.0, "RFC 8698 figure 3";
        /// Smallest rate of the encoder (RMIN).
        rmin: BitRate = "150kbit/s", "RFC 8698 figure 3";
        /// Largest rate of the encoder (RMAX).
        rmax: BitRate = "1.5Mbit/s", "RFC 8698 figure 3";
        /// Congestion level of a flow at its largest rate (XREF).
        xref: Duration = "10ms", "RFC 8698 figure 3";
        /// Gain of gradual changes (KAPPA).
        kappa: f64 as "dimensionless" = 0.5, "RFC 8698 figure 3";
        /// Weight of the change of the signal in gradual changes (ETA).
        eta: f64 as "dimensionless" = 2.0, "RFC 8698 figure 3";
        /// Largest round-trip time that gradual changes are made for (TAU).
        tau: Duration = "500ms", "RFC 8698 figure 3";
        /// Time between reports (DELTA).
        delta: Duration = "100ms", "RFC 8698 figure 3";
        /// Time over which the receiver sums up packets (LOGWIN).
        logwin: Duration = "500ms", "RFC 8698 figure 3";
        /// Queueing delay below which there is no queue (QEPS).
        qeps: Duration = "10ms", "RFC 8698 figure 3";
        /// Bound on the delay of filters, for accelerated ramp-up (DFILT).
        dfilt: Duration = "120ms", "RFC 8698 figure 3";
        /// Largest growth from one report to the next in accelerated ramp-up (GAMMA_MAX).
        gamma_max: f64 as "dimensionless" = 0.5, "RFC 8698 figure 3";
        /// Queueing delay that ramp-up may cause (QBOUND).
        qbound: Duration = "50ms", "RFC 8698 figure 3";
        /// Mean loss intervals after which the last loss is forgotten (MULTILOSS).
        multiloss: f64 as "loss intervals" = 7.0, "RFC 8698 figure 3";
        /// Queueing delay from which delays are warped while packets are lost (QTH).
        qth: Duration = "50ms", "RFC 8698 figure 3";
        /// How fast the warped delay falls beyond (LAMBDA).
        lambda: f64 as "dimensionless" = 0.5, "RFC 8698 figure 3";
        /// Loss ratio whose penalty is `dloss` (PLRREF).
        plrref: f64 as "dimensionless" = 0.01, "RFC 8698 figure 3";
        /// Ratio of marks whose penalty is `dmark` (PMRREF).
        pmrref: f64 as "dimensionless" = 0.01, "RFC 8698 figure 3";
        /// Delay that stands for losses at `plrref` (DLOSS).
        dloss: Duration = "10ms", "RFC 8698 figure 3";
        /// Delay that stands for marks at `pmrref` (DMARK).
        dmark: Duration = "2ms", "RFC 8698 figure 3";
        /// Largest signal: beyond it the rate would grow with the fall of a signal that is far too high.
        xmax: Duration = "500ms", "ns3-rmcat of the authors: NADA_PARAM_XMAX; RFC 8698 figure 3 has none";
        /// Weight of the latest ratio of losses and of marks (ALPHA).
        alpha: f64 as "dimensionless" = 0.1, "RFC 8698 figure 3";
        /// Frames a second (FPS).
        fps: u32 as "frames/s" = 30, "RFC 8698 figure 3";
        /// Share of the shaping buffer by which packets leave faster (BETA_S).
        beta_s: f64 as "dimensionless" = 0.1, "RFC 8698 figure 3";
        /// Share of the shaping buffer by which the encoder goes slower (BETA_V).
        beta_v: f64 as "dimensionless" = 0.1, "RFC 8698 figure 3";
        /// Explicit congestion notification: packets are ECN-capable, and marks belong to the signal.
        ecn: bool = false, "choice: as of TFRC; RFC 8698 section 5.1.2 uses marks where there are any";
        /// Bytes of a full packet on the wire, headers included (40 bytes).
        packet_size: u16 as "bytes" = 1200, "choice: below every usual MTU";
        /// Times without media, in order: `{ at = "40s", lasts = "20s" }`.
        pauses: Vec<Pause> = [], "choice: none (RFC 8867 section 5.8: one of 20 s)";
    }
}

/// Limits of factors that nobody wants to reach: beyond them products are no longer finite.
const MOST: f64 = 1e6;
/// Frames a second, at most.
const MOST_FRAMES: u32 = 1000;

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        for (key, rate) in [("rmin", self.rmin), ("rmax", self.rmax)] {
            if rate.as_bps() < 1000 {
                return Err(at.key(key).error(format!("{rate} carry no media"), "give 1kbit/s or more"));
            }
        }
        if self.rmax < self.rmin {
            let message = format!("{} is below `rmin`, {}", self.rmax, self.rmin);
            return Err(at.key("rmax").error(message, "give a larger `rmax` or a smaller `rmin`"));
        }
        for (key, number) in [
            ("prio", self.prio),
            ("kappa", self.kappa),
            ("gamma_max", self.gamma_max),
            ("multiloss", self.multiloss),
            ("plrref", self.plrref),
            ("pmrref", self.pmrref),
        ] {
            at.above_zero(key, number, MOST)?;
        }
        for (key, number) in
            [("eta", self.eta), ("lambda", self.lambda), ("beta_s", self.beta_s), ("beta_v", self.beta_v)]
        {
            at.within(key, number, 0.0..=MOST)?;
        }
        at.above_zero("alpha", self.alpha, 1.0)?;
        at.within("fps", self.fps, 1..=MOST_FRAMES)?;
        let least = Duration::from_millis(1);
        for (key, time) in [
            ("xref", self.xref),
            ("tau", self.tau),
            ("delta", self.delta),
            ("logwin", self.logwin),
            ("qth", self.qth),
            ("xmax", self.xmax),
        ] {
            if time < least {
                return Err(at.key(key).error(format!("{time} is too short"), "give 1ms or more"));
            }
        }
        if u32::from(self.packet_size) <= HEADER {
            let message = format!("{} B leave no payload", self.packet_size);
            return Err(at.key("packet_size").error(message, "give more than 40 bytes"));
        }
        for (i, pair) in self.pauses.windows(2).enumerate() {
            if pair[1].at < pair[0].at + pair[0].lasts {
                let message = format!("it begins at {}, before the last has ended", pair[1].at);
                return Err(at.key("pauses").index(i + 1).key("at").error(message, "sort pauses by time"));
            }
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "nada";
    const TITLE: &'static str = "Real-time media under NADA";
    const REFERENCE: &'static str = "RFC 8698";
}

/// A time in milliseconds, the unit of the signal.
pub(super) fn millis(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e6
}
