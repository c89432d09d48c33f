//! What a transport is: how it opens a flow, its two ends, and what they report.

use std::fmt::Debug;
use std::sync::Arc;

use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Duration, FlowTag, HeaderKind, Packet, Stage, Time};

use crate::controller::{Estimate, Stand};
use crate::deviation::Spread;
use crate::host::Grant;
use crate::schedule::Planned;

/// What a transport needs to know to open one flow.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The flow's slot and class: the tag of all its packets, data and acknowledgements.
    pub flow: FlowTag,
    /// Application bytes to send; `None` for as long as the run lasts.
    pub size: Option<u64>,
    /// Largest packet on the path, headers included.
    pub mtu: u32,
    /// The rate of the slowest link that leaves the source on the flow's paths, if it is known.
    pub access: Option<BitRate>,
    /// The flow's own random stream.
    pub rng: Stream,
    /// The recorded list for a replay source: (time since the flow's start, bytes on the wire), sorted by time.
    pub replay: Option<Arc<[(Duration, u32)]>>,
    /// The receive window, if the receiver's host has a policy.
    pub granted: Option<Granted>,
    /// When the application writes; without, it writes all at once.
    pub application: Option<Planned>,
    /// When the receiver's application reads; without, it reads what comes.
    pub reader: Option<Planned>,
}

/// A receive window that a host grants, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Granted {
    /// At first.
    pub first: u64,
    /// The largest that there will be.
    pub largest: u64,
    /// True if the host gives credit instead of windows: see [`crate::host::HostPolicy::gives_credit`].
    pub by_credit: bool,
}

dumbbell_core::labels! {
    /// Why a sender gave up.
    pub enum Failure {
        /// Nobody answered the attempts to connect.
        Unanswered = "unanswered",
        /// Data was sent again and again without an acknowledgement (RFC 1122 section 4.2.3.5).
        TimedOut = "timed-out",
        /// RCP: nobody answered the probes of a paused flow.
        ProbesUnanswered = "probes-unanswered",
        /// RCP: answers came, and no router had written a rate into any of them.
        NoRate = "no-rate",
        /// RCP with `compat = "ns2"`: the sender quit when it was first offered a rate of 0.
        Quit = "quit",
    }
}

/// Retransmission timeouts by what they were due to, as far as the sender knows when its timer expires: each is counted once.
/// Those of a SYN are not here, nor one at which the sender gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeoutCauses {
    /// Nothing that was outstanding was seen to arrive, and that was not only the end of a transfer.
    pub full_window: u32,
    /// The transfer had been sent to its end, and too little arrived behind the missing segment to show the loss.
    pub tail: u32,
    /// The first missing segment had been sent again already.
    pub resent: u32,
    /// Nothing was lost: an acknowledgement came sooner than a round trip afterwards, or the cut was taken back.
    pub spurious: u32,
    /// None of these: in the middle of a transfer too little arrived behind the missing segment, or Reno had to repair too much.
    pub other: u32,
}

/// What a sender has done, for the flow's record and for samples.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SenderReport {
    /// Packets sent, of any kind.
    pub packets_sent: u64,
    /// Data segments sent again.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// Those of them after the handshake, by their causes.
    pub causes: TimeoutCauses,
    /// Window cuts other than timeouts.
    pub cuts: u32,
    /// Congestion window in bytes; 0 if the transport has none.
    pub window: u64,
    /// Smallest round-trip time measured; zero if none.
    pub min_rtt: Duration,
    /// Smoothed round-trip time; zero if none.
    pub smoothed_rtt: Duration,
    /// When everything was acknowledged; `None` until then.
    pub finished: Option<Time>,
    /// Why the sender gave up, if it did.
    pub failure: Option<Failure>,
}

/// How a sender stands, for who watches the run packet by packet.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SenderState {
    /// Congestion window in bytes; 0 if the transport has none.
    pub window: u64,
    /// Slow-start threshold in bytes; `None` if there is none yet.
    pub threshold: Option<u64>,
    /// Bytes sent and neither acknowledged nor taken for lost; 0 if nobody counts them.
    pub in_flight: u64,
    /// Smoothed round-trip time; zero before the first measurement.
    pub smoothed_rtt: Duration,
    /// Smallest round-trip time; zero before the first measurement.
    pub min_rtt: Duration,
    /// Pacing rate in bits a second; `None` if packets are not paced.
    pub pacing: Option<f64>,
    /// TCP: the first sequence number beyond the receiver's window, once the connection is established; 0 elsewhere.
    pub limit: u64,
    /// The state of congestion control by its name; `None` if it has no states.
    pub phase: Option<&'static str>,
}

dumbbell_core::labels! {
    /// What congestion control is about whose controller has no states of its own (RFC 5681).
    pub enum SenderPhase {
        /// The window grows by what is acknowledged.
        SlowStart = "slow-start",
        /// The window grows slowly, or as the controller has it.
        Avoidance = "congestion-avoidance",
        /// A loss is repaired, found by acknowledgements.
        Recovery = "recovery",
        /// A retransmission timeout is being repaired.
        Loss = "loss",
    }
}

/// What the two ends of a TCP connection agree to in their SYNs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Agreed {
    /// Bytes of the headers of a data segment.
    pub header: u32,
    /// Payload of a full segment in bytes.
    pub segment: u32,
    /// Shift of the receiver's window (RFC 7323 section 2).
    pub scale: u8,
    /// Selective acknowledgements.
    pub sack: bool,
    /// Timestamps.
    pub timestamps: bool,
}

/// What a receiver has got.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ReceiverReport {
    /// Application bytes received in order (UDP: received).
    pub delivered: u64,
    /// Application bytes that arrived, in order or not, each counted once.
    pub received: u64,
    /// Packets that arrived.
    pub packets: u64,
    /// Packets that were not the next in order: early, late or duplicate.
    pub out_of_order: u64,
    /// Packets that arrived marked "congestion experienced".
    pub marks: u64,
    /// When the last byte arrived in order; `None` until then, or if the flow has no end.
    pub finished: Option<Time>,
    /// Application bytes that arrived in order and wait to be read.
    pub unread: u64,
    /// The times that data packets were on their way, in seconds; `None` if packets do not say when they left.
    pub delay: Option<Spread>,
}

/// The end of a flow that sends data. The driver opens it by one `wake` at the flow's start.
pub trait SendEnd: Stage + Debug + Send {
    /// What it has done so far.
    fn report(&self) -> SenderReport;
    /// How it stands.
    fn state(&self) -> SenderState {
        let SenderReport { window, smoothed_rtt, min_rtt, .. } = self.report();
        SenderState { window, smoothed_rtt, min_rtt, ..SenderState::default() }
    }
    /// The state of congestion control, and why it is in it; `None` if it has no states.
    fn stand(&self) -> Option<Stand> {
        None
    }
    /// Tells the values that congestion control goes by.
    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        let _ = tell;
    }
    /// The words of its controller, if that is a law: a paused run may change them.
    fn words_mut(&mut self) -> Option<&mut [i64]> {
        None
    }
    /// What SYNs say, with TCP.
    fn agreed(&self) -> Option<Agreed> {
        None
    }
    /// Packets that made no sense to it.
    fn ignored(&self) -> u64 {
        0
    }
    /// True if it will send nothing more unless a packet arrives, and needs no timer.
    fn is_closed(&self) -> bool;

    /// A packet of the flow has arrived that a router originated. What it does not understand it ignores. The driver then
    /// calls `wake`.
    fn notice(&mut self, now: Time, packet: &Packet) {
        let _ = (now, packet);
    }

    /// Adds `bytes` to what it sends: the next object on a connection that stays open. The driver then calls `wake`.
    ///
    /// # Panics
    /// If the transport's connections carry one object: see [`Transport::kept_open`].
    fn write(&mut self, bytes: u64) {
        unreachable!("{bytes} bytes for a connection that carries one object");
    }
}

/// The end of a flow that data is sent to.
pub trait ReceiveEnd: Stage + Debug + Send {
    /// What it has got so far.
    fn report(&self) -> ReceiverReport;
    /// A packet of the flow has arrived that a router originated: see [`SendEnd::notice`].
    fn notice(&mut self, now: Time, packet: &Packet) {
        let _ = (now, packet);
    }

    /// The host grants a receive window, or credit; ignored where there is no window. True if an acknowledgement becomes due.
    fn grant(&mut self, grant: Grant) -> bool {
        let _ = grant;
        false
    }

    /// How long the latest packet in order was on its way, if packets say when they left.
    fn transit(&self, now: Time) -> Option<Duration> {
        let _ = now;
        None
    }

    /// When a packet that has arrived left its sender, if it carries data and says so.
    fn departed(&self, packet: &Packet) -> Option<Time> {
        let _ = packet;
        None
    }

    /// An acknowledgement becomes due if one is delayed that the sender has to wait for, because the window is used up.
    /// True if it did.
    fn hasten(&mut self) -> bool {
        false
    }

    /// When the last byte expected arrived in order; `None` until then.
    fn finished(&self) -> Option<Time> {
        self.report().finished
    }

    /// Expects `bytes` more: see [`SendEnd::write`].
    ///
    /// # Panics
    /// If the transport's connections carry one object: see [`Transport::kept_open`].
    fn expect(&mut self, bytes: u64) {
        unreachable!("{bytes} bytes for a connection that carries one object");
    }

    /// Packets that made no sense to it.
    fn ignored(&self) -> u64 {
        0
    }

    /// True if it will send nothing more unless a packet arrives, and needs no timer.
    fn is_closed(&self) -> bool;
}

impl<E: SendEnd + ?Sized> SendEnd for Box<E> {
    fn report(&self) -> SenderReport {
        (**self).report()
    }
    fn state(&self) -> SenderState {
        (**self).state()
    }
    fn stand(&self) -> Option<Stand> {
        (**self).stand()
    }
    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        (**self).estimates(tell);
    }
    fn words_mut(&mut self) -> Option<&mut [i64]> {
        (**self).words_mut()
    }
    fn agreed(&self) -> Option<Agreed> {
        (**self).agreed()
    }
    fn ignored(&self) -> u64 {
        (**self).ignored()
    }
    fn is_closed(&self) -> bool {
        (**self).is_closed()
    }
    fn notice(&mut self, now: Time, packet: &Packet) {
        (**self).notice(now, packet);
    }
    fn write(&mut self, bytes: u64) {
        (**self).write(bytes);
    }
}

impl<E: ReceiveEnd + ?Sized> ReceiveEnd for Box<E> {
    fn report(&self) -> ReceiverReport {
        (**self).report()
    }
    fn notice(&mut self, now: Time, packet: &Packet) {
        (**self).notice(now, packet);
    }
    fn grant(&mut self, grant: Grant) -> bool {
        (**self).grant(grant)
    }
    fn transit(&self, now: Time) -> Option<Duration> {
        (**self).transit(now)
    }
    fn departed(&self, packet: &Packet) -> Option<Time> {
        (**self).departed(packet)
    }
    fn hasten(&mut self) -> bool {
        (**self).hasten()
    }
    fn finished(&self) -> Option<Time> {
        (**self).finished()
    }
    fn expect(&mut self, bytes: u64) {
        (**self).expect(bytes);
    }
    fn ignored(&self) -> u64 {
        (**self).ignored()
    }
    fn is_closed(&self) -> bool {
        (**self).is_closed()
    }
}

/// What a line of the registry of transports provides.
pub trait Transport: Open + Send + Sync {
    /// The sending end.
    type Sender: SendEnd + 'static
    where
        Self: Sized;
    /// The receiving end.
    type Receiver: ReceiveEnd + 'static
    where
        Self: Sized;

    /// Opens one flow.
    fn open(&self, opening: Opening) -> (Self::Sender, Self::Receiver)
    where
        Self: Sized;

    /// The name of the congestion controller, if there is one.
    fn controller(&self) -> Option<&'static str> {
        None
    }

    /// Bytes on the wire of the first transmissions of one object of `payload` bytes, headers included.
    fn wire_bytes(&self, payload: u64, mtu: u32) -> u64;

    /// Mean rate on the wire, in bits per second, of a source that sends whatever the network does; `None` if the
    /// transport adapts to the network or is driven by a list.
    fn offered_rate(&self) -> Option<f64> {
        None
    }

    /// What its ends may draw, in a few words each; nothing if they never do.
    fn draws(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The header in which it asks routers: one of the forward links needs an agent that reads it. `None` if it asks
    /// nothing of them.
    fn asks_routers(&self) -> Option<HeaderKind> {
        None
    }

    /// True if applications may write to its connections, and read from them, when they want.
    fn serves_applications(&self) -> bool {
        false
    }

    /// Checks that the transport's packets fit a path whose largest packet is `mtu` bytes.
    ///
    /// # Errors
    /// What does not fit, and the remedy.
    fn fits(&self, mtu: u32) -> Result<(), String>;

    /// The same transport with connections that stay open and carry one object after another; `None` if it has none.
    fn kept_open(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

/// The two ends of a flow of any transport.
pub type Ends = (Box<dyn SendEnd>, Box<dyn ReceiveEnd>);

/// Opens flows of any transport, also of one from another crate.
pub trait Open {
    /// See [`Transport::open`].
    fn open_any(&self, opening: Opening) -> Ends;
    /// See [`Transport::kept_open`].
    fn keep_open(&self) -> Option<Arc<dyn Transport>>;
}

impl<P: Transport + 'static> Open for P {
    fn open_any(&self, opening: Opening) -> Ends {
        let (sender, receiver) = self.open(opening);
        (Box::new(sender), Box::new(receiver))
    }
    fn keep_open(&self) -> Option<Arc<dyn Transport>> {
        self.kept_open().map(|params| -> Arc<dyn Transport> { Arc::new(params) })
    }
}
