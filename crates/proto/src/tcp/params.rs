//! The parameters of a connection.

use std::num::NonZeroU8;
use std::sync::Arc;

use dumbbell_core::config::At;
use dumbbell_core::registry::{Algorithm, Profile};
use dumbbell_core::{BitRate, Bytes, Config, ConfigError, Duration, Validate, Value, config, words};

use super::cheat::Cheat;
use super::profile::{ProfileName, profiles};
use super::send_buffer::SendBuffer;
use crate::choice::{ControllerChoice, OwnLaw};
use crate::controller::{Class, Compiled, Library, Needs};
use crate::transport::{Granted, Opening};

/// The controller of who names none.
const CONTROLLER: &str = "cubic";

/// IPv4 and TCP headers without options, in bytes (RFC 791 section 3.1, RFC 9293 section 3.1).
pub const HEADER: u32 = 40;
/// The timestamps option with its padding, in bytes (RFC 7323 appendix A).
pub const TIMESTAMPS: u32 = 12;
/// The largest segment and the window scale in a SYN, and that SACK is allowed where no padding of timestamps holds it, in bytes
/// (RFC 9293 section 3.2, RFC 7323 section 2.2, RFC 2018 section 2; each padded to 4).
const SYN_OPTIONS: u32 = 4 + 4;
const SACK_PERMITTED: u32 = 4;
/// No timeout is longer than this many ticks of its clock.
pub const MOST_TICKS: u64 = 1 << 32;

words! {
    /// What a sender does when a router asks it to slow down (RFC 792).
    pub enum Quench { SlowStart = "slow-start", Cut = "cut", Ignore = "ignore" }
}

words! {
    /// What finds losses.
    pub enum LossDetection { Duplicates = "duplicates", Fack = "fack", Rack = "rack" }
}

words! {
    /// What the size of a cut is reckoned from.
    pub enum CutFrom { Flight = "flight", Window = "window" }
}

words! {
    /// What the smallest retransmission timeout is a floor under.
    pub enum RtoFloor { Timeout = "timeout", Deviation = "deviation" }
}

words! {
    /// How receivers tell of marks: not at all, once a round trip (RFC 3168), or by counters (RFC 9768). `true` and `false` were
    /// its values before there was more than one way.
    pub enum EcnFeedback { Off = "off" or false, Classic = "classic" or true, Accurate = "accurate" }
}

words! {
    /// Whether segments leave in bursts that the host hands to its device at once, and of what size.
    pub enum Offload { Off = "off", Linux = "linux", Pieces = "pieces" }
}

words! {
    /// Whether segments leave at a rate.
    pub enum Pacing { Off = "off", Linux = "linux" }
}

words! {
    /// What a segment waits for that is not full.
    pub enum Nagle { Off = "off", Classic = "classic", Minshall = "minshall" }
}

words! {
    /// What it means that a SYN was sent again.
    pub enum LostSyn { Restart = "restart", Linux = "linux", Doubling = "doubling" }
}

words! {
    /// How much of the memory of a receive buffer is window.
    pub enum WindowShare { Measured = "measured", Half = "half" }
}

words! {
    /// How long acknowledgements wait.
    pub enum DelayedAcks { Fixed = "fixed", Ticks = "ticks", Linux = "linux" }
}

/// What a table held that was written out whole before there were profiles. It ran what is `rfc` now.
const BEFORE_PROFILES: [&str; 18] = [
    "handshake",
    "fin",
    "initial_window",
    "receive_window",
    "ack_every",
    "ack_delay",
    "byte_counting",
    "window_validation",
    "limited_transmit",
    "sack",
    "timestamps",
    "ecn",
    "rto_min",
    "rto_initial",
    "rto_max",
    "rto_granularity",
    "rtt_tick",
    "retries",
];

config! {
    /// Transmission control protocol: one object, or an endless stream, from the source to the destination.
    pub struct Params {
        /// Whose TCP it is: the defaults of the other parameters, see the profiles. The defaults below are those of `linux`.
        profile: ProfileName = "linux", "choice: what most servers run; `rfc` is what published studies assume";
        /// Congestion controller. `{ library = "mine.so" }` is one of your own in C, see docs/own-c-controller.md.
        controller: ControllerChoice = CONTROLLER, "RFC 9438 section 1: the default of Linux, Windows and Apple systems";
        /// Opens with SYN, SYN-ACK, ACK. If false, data flows at once.
        handshake: bool = true, "RFC 9293 section 3.5";
        /// How long after the handshake the application writes. The acknowledgement of the handshake leaves at once; where a queue
        /// is short, it matters whether it is still there when the first window arrives.
        first_write: Duration = "0ns", "choice: it is the application's (a program in C on Linux 6.18: 9 to 70 us, median 20)";
        /// The SYN and its answer carry the options of the connection: segment size, window scale, SACK, timestamps. They are then up
        /// to 60 bytes long. If false, they are as long as an acknowledgement.
        syn_options: bool = false, "choice: as in most published studies (Linux: 60 bytes with timestamps)";
        /// What it means that the SYN was sent again. `restart`: the timeout doubles each time; data begins with one segment and a
        /// timeout of 3 s. `linux`: the first four timeouts are equal; data begins with the initial window unless it was sent
        /// again twice; timestamps measure the round-trip time. `doubling`: the same, but that each timeout doubles, as before Linux 6.5.
        lost_syn: LostSyn = "linux", "Linux net.ipv4.tcp_syn_linear_timeouts: 4, net/ipv4/tcp_input.c: tcp_init_transfer (RFC 6928 section 2)";
        /// Closes with FIN in both directions. If false, the connection stays open.
        fin: bool = true, "RFC 9293 section 3.6";
        /// Segment payload in bytes, never more than the path's MTU allows; absent: what the MTU allows.
        mss: Option<u32> as "bytes" = (), "RFC 9293 section 3.7.1: MTU less 40 bytes, less 12 with timestamps";
        /// Window at the start, in segments.
        initial_window: u32 as "segments" = 10, "RFC 6928 section 2";
        /// Slow-start threshold at the start, in segments; absent: none.
        initial_threshold: Option<u32> as "segments" = (), "RFC 5681 section 3.1: arbitrarily high";
        /// Largest congestion window in use, in segments; absent: no limit.
        max_window: Option<u32> as "segments" = (), "choice: only network and receiver limit (ns-2.35: window_ = 20)";
        /// Window with which each object begins that the application writes, in segments, if it is larger then; absent: the
        /// objects of a connection are one stream. GIP: 2.
        unit_window: Option<u32> as "segments" = (), "choice: TCP knows no objects (Zhang et al., GIP, ICNP 2013: 2)";
        /// Copies of the last segment of each object, which leave right behind it. GIP: 2.
        unit_copies: u32 as "copies" = 0, "choice: TCP knows no objects (Zhang et al., GIP, ICNP 2013: it leaves up to three times)";
        /// Memory for what is written and not acknowledged, at most, or `unlimited`. It grows with the window, to twice what that
        /// takes. An application with more to say writes 256 KiB whenever a third of it is free.
        send_buffer: SendBuffer = "4MiB", "Linux net.ipv4.tcp_wmem[2]: 4194304";
        /// What a packet takes of that memory besides its payload.
        packet_memory: Bytes = "896B", "measured on Linux 6.12 (SO_MEMINFO)";
        /// Nagle's algorithm: a segment that is not full waits while anything is not acknowledged (`classic`), or while an earlier
        /// one that was not full is not (`minshall`). The last segment before the FIN leaves at once.
        nagle: Nagle = "minshall", "Linux net/ipv4/tcp_output.c: on unless a program sets TCP_NODELAY";
        /// The receiver's buffer, advertised in every segment it sends.
        receive_window: Bytes = "32MiB", "Linux 6.16 net.ipv4.tcp_rmem[2]: 33554432, of which all may be window";
        /// By how many bits windows are shifted; absent: as far as the largest needs. Kernels of Linux before 6.16 shift one more, as the
        /// memory of the largest needs.
        window_scale: Option<u32> as "bits" = (), "RFC 7323 section 2.2: 14 at most";
        /// How much of the receiver's memory is window, if windows grow: as much as the first segment shows, or half, as before Linux 6.6.
        /// Segments take whole slabs of that memory.
        window_share: WindowShare = "measured", "Linux net/ipv4/tcp_input.c: tcp_measure_rcv_mss (6.1: net.ipv4.tcp_adv_win_scale, 1)";
        /// The receiver acknowledges every so many segments; 1 turns delayed acknowledgements off.
        ack_every: u32 as "segments" = 2, "RFC 5681 section 4.2";
        /// Longest delay of an acknowledgement.
        ack_delay: Duration = "40ms", "Linux include/net/tcp.h: TCP_DELACK_MIN (RFC 5681 section 4.2: at most 500 ms)";
        /// How acknowledgements wait: `ack_every` and `ack_delay`, or as in Linux: one for each of the first segments and while
        /// the window grows, then one for two, with a delay between 40 and 200 ms that follows the gaps between segments. With
        /// `ticks` all of a host that wait leave together, every `ack_delay`. Who writes `ack_every` or `ack_delay` and not this
        /// asks for `fixed`.
        delayed_acks: DelayedAcks = "linux", "Linux net/ipv4/tcp_input.c: quick acknowledgements, ATO of 40 to 200 ms";
        /// Holds acknowledgements back while many segments arrive above a hole: after three, one a millisecond or for 44.
        sack_compression: bool = true, "Linux net.ipv4.tcp_comp_sack_delay_ns: 1 ms, tcp_comp_sack_nr: 44";
        /// The timer of `sack_compression` comes so much later. In one kernel, the timers of other connections would end it at any
        /// time of this.
        sack_compression_slack: Duration = "100us", "Linux net.ipv4.tcp_comp_sack_slack_ns: 100000";
        /// Tells the sender what arrived twice.
        dsack: bool = true, "RFC 2883; Linux net.ipv4.tcp_dsack: 1";
        /// The receive window at the start, at least a segment; it then grows as data is read, up to `receive_window`, if that is larger.
        initial_receive_window: Bytes = "65536B", "Linux net.ipv4.tcp_rmem[1]: 131072, half of it for the window";
        /// Segments that one acknowledgement may add to the window in slow start; 1 counts acknowledgements.
        byte_counting: u32 as "segments" = 1_000_000, "Linux net/ipv4/tcp_cong.c: all segments acknowledged count in slow start";
        /// Lets the window grow only while it limits the sender.
        window_validation: bool = true, "RFC 9438 section 5.8, RFC 7661";
        /// Lowers the window of a connection that was idle, or that long used little of it.
        slow_start_after_idle: bool = true, "RFC 5681 section 4.1, RFC 2861 (Linux net.ipv4.tcp_slow_start_after_idle)";
        /// The end of Reno's fast recovery takes back all that duplicates added to the window. If false, exactly as many as
        /// `duplicate_threshold` leave it as it is.
        exit_inflation_fix: bool = true, "RFC 5681 section 3.2, step 6";
        /// After a timeout without SACK, duplicates show a loss only when all that was sent before it is acknowledged. If false,
        /// duplicates that the sender itself has caused may show one.
        single_fast_retransmit: bool = true, "RFC 6582 section 4.1";
        /// Sends a new segment on each of the first two duplicate acknowledgements.
        limited_transmit: bool = true, "RFC 3042";
        /// Duplicate acknowledgements that show a loss: DupThresh. Not with `loss_detection = "rack"`.
        duplicate_threshold: u32 as "acknowledgements" = 3, "RFC 5681 section 3.2, RFC 6675 section 2";
        /// Selective acknowledgements, and loss recovery by them.
        sack: bool = true, "RFC 2018, RFC 6675; on in every current system";
        /// Finds losses by duplicate acknowledgements and SACK (RFC 6675); by forward acknowledgement (Mathis & Mahdavi, SIGCOMM 1996:
        /// FACK), which takes all holes for lost when the highest segment held is more than `duplicate_threshold` segments above the
        /// first; or by time (RFC 8985: RACK), with proportional rate reduction (RFC 9937).
        loss_detection: LossDetection = "rack", "Linux net.ipv4.tcp_recovery: 1, tcp_early_retrans: 3, tcp_frto: 2";
        /// Sends a probe when acknowledgements stay away for two round trips. Only with `loss_detection = "rack"`.
        tail_loss_probe: bool = true, "RFC 8985 section 7";
        /// Sends new data after a timeout, to see whether it was spurious. Only with `loss_detection = "rack"`.
        frto: bool = true, "RFC 5682";
        /// Takes a cut back when it turns out that nothing was lost. Only with `loss_detection = "rack"`.
        undo: bool = true, "RFC 4015, RFC 3708";
        /// What is cut: what is outstanding, or the window.
        cut_from: CutFrom = "window", "Linux net/ipv4/tcp_cong.c: ssthresh from snd_cwnd";
        /// Segments leave alone as the window allows, or in bursts as large as Linux makes them, for which it holds segments back
        /// while the next acknowledgement is near. `pieces`: as before Linux 6.10, whose packets hold no more than a piece of what was
        /// written, and whose last segment with the FIN does not ask for the window. Only with `loss_detection = "rack"`.
        segmentation_offload: Offload = "linux", "Linux net/ipv4/tcp_output.c: tcp_tso_autosize, tcp_tso_should_defer";
        /// Sends as the window allows, or at the rate that Linux reckons: 1.2 windows in a round-trip time, 2 in slow start; the
        /// first ten segments at once. For controllers that do not pace themselves. Only with `loss_detection = "rack"`.
        pacing: Pacing = "off", "Linux net/ipv4/tcp_output.c: only with the queue fq or SO_MAX_PACING_RATE";
        /// Largest pacing rate, headers not counted; absent: no limit. Only with `pacing = "linux"`.
        max_pacing_rate: Option<BitRate> = (), "choice: only the window limits (Linux SO_MAX_PACING_RATE)";
        /// The timestamps option: a round-trip time with every acknowledgement, and protection against old segments.
        timestamps: bool = true, "Linux net.ipv4.tcp_timestamps: 1";
        /// Explicit congestion notification: none, the echoes of RFC 3168, or the counters of RFC 9768. `true` is `"classic"`.
        /// On with a controller that answers nothing else: `true` under DCTCP, `accurate` under Prague.
        ecn: EcnFeedback = "off", "Linux net.ipv4.tcp_ecn: not asked for by default";
        /// The most that the receiver agrees to, whatever the sender asks for.
        ecn_answer: EcnFeedback = "accurate", "choice: what the sender asks for (Linux net.ipv4.tcp_ecn: 2, `classic`)";
        /// How the receiver misbehaves.
        cheat: Option<Cheat> = (), "absent: it is honest";
        /// Answer to a source quench, once a window: slow start from one segment, the cut for an ECN echo, or none.
        quench: Quench = "slow-start", "RFC 1122 section 4.2.3.9 (RFC 6633: none, as no router may send one any more)";
        /// Smallest retransmission timeout.
        rto_min: Duration = "200ms", "Linux include/net/tcp.h: TCP_RTO_MIN (RFC 6298 section 2.4: 1 s)";
        /// What `rto_min` is a floor under: the whole timeout, or what the deviation adds to the smoothed round-trip time.
        rto_floor: RtoFloor = "deviation", "Linux net/ipv4/tcp_input.c: 200 ms under the variance term";
        /// Retransmission timeout before the first measurement.
        rto_initial: Duration = "1s", "RFC 6298 section 2.1";
        /// Largest retransmission timeout.
        rto_max: Duration = "120s", "Linux net.ipv4.tcp_rto_max_ms: 120000";
        /// Tick of the sender's clock; zero: it is exact. With ticks, the timeout is a whole number of them, two at least, and the timer of k ticks
        /// expires at the k-th tick; round-trip times are counted in ticks, each with its full weight, and `rto_granularity` and
        /// `rtt_tick` have no meaning. Only with `loss_detection = "duplicates"`.
        rto_tick: Duration = "0s", "choice: the simulator's clock is exact (4.4BSD: 500 ms)";
        /// Tick of the host's timers, 1 / HZ in Linux; zero: they are exact. Timeouts, probes and delayed acknowledgements count in whole ticks
        /// and end on one, between one and two ticks after the time that they wait for, a ninth of it at most where it is long. Only
        /// with `loss_detection = "rack"`.
        timer_tick: Duration = "0s", "choice: the simulator's clock is exact (Linux kernel/time/timer.c; 4 ms in Debian, 1 ms in Fedora)";
        /// With `rto_tick`: the estimator keeps whole eighths of a tick, and whole quarters for the deviation, and cuts off the rest.
        /// With short round trips, the timeout then settles at three ticks. If false, it settles at `rto_min`.
        rtt_integers: bool = false, "RFC 6298 section 2 (4.4BSD: whole numbers)";
        /// The retransmission timer expires later by a part of the timeout, drawn uniformly from 0 to this share of it each time.
        rto_spread: f64 as "dimensionless" = 0.0, "RFC 6298 section 5: none (Vasudevan et al., SIGCOMM 2009, section 5: 0.5)";
        /// Clock granularity in the formula of the timeout: G.
        rto_granularity: Duration = "1ms", "RFC 6298 section 4: finer than 100 ms is better (Linux: 1 ms)";
        /// Tick in which round-trip times are measured; zero measures exactly.
        rtt_tick: Duration = "0ns", "choice: the simulator's clock is exact";
        /// Longest processing time of a segment that the window allows. Each takes a time drawn uniformly from 0 to this, one
        /// after the other. This breaks the phase effects of DropTail; the transmission time of a packet at the bottleneck
        /// works best.
        overhead: Duration = "0s", "ns-2.35 tcl/lib/ns-default.tcl: Agent/TCP set overhead_ 0 (Floyd & Jacobson, 1992)";
        /// Consecutive timeouts after which the sender gives up.
        retries: u32 as "timeouts" = 15, "Linux net.ipv4.tcp_retries2 (RFC 1122 section 4.2.3.5: 100 s or more)";
    }
}

/// No packet of any host takes more memory beside its payload.
const MOST_BESIDE: u64 = 1 << 16;

/// The most that `unit_copies` may be.
const MOST_COPIES: u32 = 3;

impl Validate for Params {
    fn complete(table: &Value) -> Option<Value> {
        let mut filled = table.clone();
        if ["ack_every", "ack_delay"].iter().any(|key| table.get(key).is_some())
            && table.get("delayed_acks").is_none()
        {
            filled.insert("delayed_acks", DelayedAcks::Fixed.word().into());
        }
        if table.get("profile").is_none() && BEFORE_PROFILES.iter().all(|key| table.get(key).is_some()) {
            filled.insert("profile", ProfileName::Rfc.word().into());
        }
        if table.get("ecn").is_none()
            && let Some(named) = table.get("controller")
            && let Ok(controller) = ControllerChoice::from_value(named, &At::root(""))
        {
            let needs = controller.needs();
            let feedback =
                if needs.any(Needs::SCALABLE) { EcnFeedback::Accurate.word().into() } else { true.into() };
            if needs.any(Needs::ECHOES) {
                filled.insert("ecn", feedback);
            }
        }
        if let Some(Value::Str(name)) = filled.get("profile")
            && let Some(profile) = profiles().into_iter().find(|profile| profile.name == *name)
        {
            filled = profile.fill(&filled);
            let default = Value::from(CONTROLLER);
            let controller = profile.fill_controller(filled.get("controller").unwrap_or(&default));
            filled.insert("controller", controller);
        }
        Some(filled)
    }

    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let positive = [
            ("mss", self.mss),
            ("initial_window", Some(self.initial_window)),
            ("initial_threshold", self.initial_threshold),
            ("max_window", self.max_window),
            ("unit_window", self.unit_window),
            ("ack_every", Some(self.ack_every)),
            ("byte_counting", Some(self.byte_counting)),
            ("duplicate_threshold", Some(self.duplicate_threshold)),
        ];
        for (key, value) in positive {
            if value == Some(0) {
                return Err(at.key(key).error("zero stops the connection", "give 1 or more"));
            }
        }
        for (key, value) in [("rto_min", self.rto_min), ("rto_initial", self.rto_initial)] {
            if value > self.rto_max || value.is_zero() {
                let message = format!("{value} is not between zero and `rto_max`, {}", self.rto_max);
                return Err(at.key(key).error(message, "lower it or raise `rto_max`"));
            }
        }
        self.check_ticks(at)?;
        if self.loss_detection == LossDetection::Fack && !self.sack {
            let message = "FACK looks at the highest segment selectively acknowledged, and `sack` is false";
            return Err(at.key("loss_detection").error(message, "add sack = true"));
        }
        if self.unit_copies > MOST_COPIES {
            let message = format!("{} copies are more than a sender counts", self.unit_copies);
            return Err(at.key("unit_copies").error(message, format!("give 0 to {MOST_COPIES}")));
        }
        at.within("rto_spread", self.rto_spread, 0.0..=10.0)?;
        if self.controller.needs().any(Needs::ECHOES) && self.ecn == EcnFeedback::Off {
            let message = format!("off, and {} answers nothing but marks", self.controller.name());
            return Err(at.key("ecn").error(message, "leave it out, or choose another controller"));
        }
        if self.max_pacing_rate.is_some() && self.pacing == Pacing::Off {
            let message = "nothing is paced";
            return Err(at.key("max_pacing_rate").error(message, "add pacing = \"linux\", or remove it"));
        }
        if self.receive_window.get() == 0 {
            return Err(at
                .key("receive_window")
                .error("a receiver without buffer takes no data", "give a size above zero"));
        }
        if self.sack_compression_slack > LONGEST_SLACK {
            let message = format!("{} is more than a second", self.sack_compression_slack);
            return Err(at
                .key("sack_compression_slack")
                .error(message, format!("give {LONGEST_SLACK} or less")));
        }
        if self.packet_memory.get() > MOST_BESIDE {
            let message = format!("{} are more than a packet takes", self.packet_memory);
            return Err(at.key("packet_memory").error(message, "give 65.536kB or less"));
        }
        let least = u32::from(scale_of(self.receive_window.get()));
        if let Some(scale) = self.window_scale.filter(|scale| !(least..=LARGEST_SCALE).contains(scale)) {
            let message = if scale < least {
                format!("{scale} bits are too few for a receive window of {}", self.receive_window)
            } else {
                format!("{scale} bits are more than RFC 7323 allows")
            };
            return Err(at.key("window_scale").error(message, format!("give {least} to {LARGEST_SCALE}")));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "tcp";
    const TITLE: &'static str = "TCP with a congestion controller";
    const REFERENCE: &'static str = "RFC 9293, RFC 5681, RFC 6298, RFC 6675, RFC 7323, RFC 3168";

    fn profiles() -> Vec<Profile> {
        profiles()
    }
}

impl Params {
    /// How many windows the send buffer shall hold.
    // Linux net/ipv4/tcp_input.c: tcp_sndbuf_expand; net/ipv4/tcp_bbr.c: bbr_sndbuf_expand.
    pub fn windows_held(&self) -> NonZeroU8 {
        let windows = if self.controller.class() == Class::Model { 3 } else { 2 };
        NonZeroU8::MIN.saturating_add(windows - 1)
    }

    /// The same under the controller of a library that was loaded.
    ///
    /// # Errors
    /// If the connection does not give what the controller needs.
    pub fn with_library(&self, library: Arc<Library>, at: &At<'_>) -> Result<Params, ConfigError> {
        let file = self.controller.library().unwrap_or_default().to_owned();
        self.under(ControllerChoice::Library(file, Some(library)), at)
    }

    /// The same under a law that was compiled.
    ///
    /// # Errors
    /// If the connection does not give what the controller needs.
    pub fn with_law(&self, law: Arc<OwnLaw>, compiled: Compiled, at: &At<'_>) -> Result<Params, ConfigError> {
        self.under(ControllerChoice::Own(law, Some(compiled)), at)
    }

    fn under(&self, controller: ControllerChoice, at: &At<'_>) -> Result<Params, ConfigError> {
        let needs = controller.needs();
        if needs.any(Needs::ECHOES) && self.ecn == EcnFeedback::Off {
            let message = format!("off, and {} answers marks one by one", controller.name());
            let word = if needs.any(Needs::SCALABLE) { "accurate" } else { "classic" };
            return Err(at.key("ecn").error(message, format!("add ecn = {word:?}")));
        }
        Ok(Params { controller, ..self.clone() })
    }

    fn check_ticks(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !self.timer_tick.is_zero() && self.loss_detection != LossDetection::Rack {
            let message = "losses are not found by time, as they are where timers have ticks";
            return Err(at.key("timer_tick").error(message, r#"add loss_detection = "rack""#));
        }
        let tick = self.rto_tick;
        if tick.is_zero() {
            return Ok(());
        }
        let (message, remedy) = if self.loss_detection == LossDetection::Rack {
            (
                "losses are found by time, which takes an exact clock".to_owned(),
                r#"add loss_detection = "duplicates""#,
            )
        } else if self.rto_max.as_nanos() / tick.as_nanos() > MOST_TICKS {
            (
                format!("`rto_max`, {}, is more than 2^32 ticks of {tick}", self.rto_max),
                "raise it or lower `rto_max`",
            )
        } else {
            return Ok(());
        };
        Err(at.key("rto_tick").error(message, remedy))
    }

    /// Bytes of header of a segment that carries data.
    pub fn header(&self) -> u32 {
        HEADER + if self.timestamps { TIMESTAMPS } else { 0 }
    }

    /// Bytes of a SYN.
    pub(super) fn syn(&self) -> u32 {
        if !self.syn_options {
            return HEADER;
        }
        let sack = if self.sack && !self.timestamps { SACK_PERMITTED } else { 0 };
        self.header() + SYN_OPTIONS + sack
    }

    /// How marks are told when the receiver has answered to what the sender asked for (RFC 9768 section 3.1.2).
    pub(super) fn agreed_ecn(&self) -> EcnFeedback {
        match (self.ecn, self.ecn_answer) {
            (EcnFeedback::Off, _) | (_, EcnFeedback::Off) => EcnFeedback::Off,
            (EcnFeedback::Accurate, EcnFeedback::Accurate) => EcnFeedback::Accurate,
            _ => EcnFeedback::Classic,
        }
    }

    /// By how many bits windows up to this one are shifted.
    pub(super) fn scale(&self, largest: u64) -> u8 {
        // Linux net/ipv4/tcp_output.c: tcp_select_initial_window takes the memory, of which half may be window.
        let shown = if self.window_share == WindowShare::Half { largest.saturating_mul(2) } else { largest };
        self.window_scale.map_or_else(|| scale_of(shown), |scale| scale as u8)
    }

    /// The receive window at first, and the largest.
    pub(super) fn window(&self, opening: &Opening) -> Granted {
        let buffer = self.receive_window.get();
        let least = u64::from(self.segment(opening.mtu));
        let granted = opening.granted.unwrap_or(Granted { first: buffer, largest: buffer, by_credit: false });
        let largest = granted.largest.max(least).min(buffer);
        let first = if granted.by_credit { 0 } else { granted.first.max(least).min(largest) };
        Granted { first, largest, ..granted }
    }

    /// Payload of a full segment on a path whose largest packet is `mtu` bytes.
    pub fn segment(&self, mtu: u32) -> u32 {
        let largest = mtu.min(u32::from(u16::MAX)).saturating_sub(self.header()).max(1);
        self.mss.map_or(largest, |mss| mss.min(largest))
    }
}

/// The most bits by which windows may be shifted (RFC 7323 section 2.2).
const LARGEST_SCALE: u32 = 14;
/// Fits four bytes of nanoseconds.
const LONGEST_SLACK: Duration = Duration::from_secs(1);

/// How far windows up to this one are shifted to fit 16 bits.
pub(super) fn scale_of(largest: u64) -> u8 {
    let bits = 64 - largest.leading_zeros();
    bits.saturating_sub(16).min(LARGEST_SCALE) as u8
}
