//! The transports that a flow can use, and the two ends of one.

use std::sync::Arc;

use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, FlowTag, HeaderKind, Packet, Stage, Time};

use crate::{rcp, tcp, udp};

/// What a transport needs to know to open one flow.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The flow's slot and class: the tag of all its packets, data and acknowledgements.
    pub flow: FlowTag,
    /// Application bytes to send; `None` for as long as the run lasts.
    pub size: Option<u64>,
    /// Largest packet on the path, headers included.
    pub mtu: u32,
    /// The flow's own random stream.
    pub rng: Stream,
    /// The recorded list for a replay source: (time since the flow's start, bytes on the wire), sorted by time.
    pub replay: Option<Arc<[(Duration, u32)]>>,
}

/// Why a sender gave up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Nobody answered the attempts to connect.
    Unanswered,
    /// Data was sent again and again without an acknowledgement (RFC 1122 section 4.2.3.5).
    TimedOut,
    /// RCP: nobody answered the probes of a paused flow.
    ProbesUnanswered,
    /// RCP: answers came, and no router had written a rate into any of them.
    NoRate,
    /// RCP with `compat = "ns2"`: the sender quit when it was first offered a rate of 0.
    Quit,
}

impl Failure {
    /// Every reason, in the order of their codes.
    pub const ALL: [Failure; 5] =
        [Failure::Unanswered, Failure::TimedOut, Failure::ProbesUnanswered, Failure::NoRate, Failure::Quit];

    /// The name in tables and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Failure::Unanswered => "unanswered",
            Failure::TimedOut => "timed-out",
            Failure::ProbesUnanswered => "probes-unanswered",
            Failure::NoRate => "no-rate",
            Failure::Quit => "quit",
        }
    }
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

/// What a receiver has got.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ReceiverReport {
    /// Application bytes received in order (UDP: received).
    pub delivered: u64,
    /// Packets that arrived.
    pub packets: u64,
    /// Packets that were not the next in order: early, late or duplicate.
    pub out_of_order: u64,
    /// Packets that arrived marked "congestion experienced".
    pub marks: u64,
    /// When the last byte arrived in order; `None` until then, or if the flow has no end.
    pub finished: Option<Time>,
}

/// The end of a flow that sends data. The driver opens it by one `wake` at the flow's start.
pub trait SendEnd: Stage {
    /// What it has done so far.
    fn report(&self) -> SenderReport;
    /// Bytes of memory that grow with the packets in the network.
    fn memory(&self) -> u64 {
        0
    }
    /// True if it will send nothing more unless a packet arrives, and needs no timer.
    fn is_closed(&self) -> bool;

    /// Adds `bytes` to what it sends: the next object on a connection that stays open. The driver then calls `wake`.
    ///
    /// # Panics
    /// If the transport's connections carry one object: see [`Transport::kept_open`].
    fn write(&mut self, bytes: u64) {
        unreachable!("{bytes} bytes for a connection that carries one object");
    }
}

/// The end of a flow that data is sent to.
pub trait ReceiveEnd: Stage {
    /// What it has got so far.
    fn report(&self) -> ReceiverReport;
    /// Bytes of memory that grow with what arrives out of order.
    fn memory(&self) -> u64 {
        0
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

    /// True if it will send nothing more unless a packet arrives, and needs no timer.
    fn is_closed(&self) -> bool;
}

/// What a line of the registry of transports provides.
pub trait Transport {
    /// The sending end.
    type Sender: SendEnd;
    /// The receiving end.
    type Receiver: ReceiveEnd;

    /// Opens one flow.
    fn open(&self, opening: Opening) -> (Self::Sender, Self::Receiver);

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

    /// The header in which it asks routers: one of the forward links needs an agent that reads it. `None` if it asks
    /// nothing of them.
    fn asks_routers(&self) -> Option<HeaderKind> {
        None
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

/// Declares the transports. One line each: `Variant(module::Params)`, where the parameters implement [`Transport`].
macro_rules! transports {
    ( $( $variant:ident($params:ty) ),+ $(,)? ) => {
        dumbbell_core::registry! {
            /// A transport and its parameters.
            pub enum TransportSpec in "transport" { $( $variant($params) ),+ }
        }

        impl TransportSpec {
            /// Opens one flow: its two ends.
            pub fn open(&self, opening: Opening) -> (Sender, Receiver) {
                match self { $( TransportSpec::$variant(p) => {
                    let (sender, receiver) = p.open(opening);
                    (Sender::$variant(sender), Receiver::$variant(receiver))
                } )+ }
            }

            /// The name of the congestion controller, if the transport has one.
            pub fn controller(&self) -> Option<&'static str> {
                match self { $( TransportSpec::$variant(p) => p.controller() ),+ }
            }

            /// Bytes on the wire of the first transmissions of one object of `payload` bytes, headers included, on
            /// a path whose largest packet is `mtu` bytes.
            pub fn wire_bytes(&self, payload: u64, mtu: u32) -> u64 {
                match self { $( TransportSpec::$variant(p) => p.wire_bytes(payload, mtu) ),+ }
            }

            /// Mean rate on the wire, in bits per second, of a source that sends whatever the network does; `None` if
            /// the transport adapts to the network or is driven by a list.
            pub fn offered_rate(&self) -> Option<f64> {
                match self { $( TransportSpec::$variant(p) => p.offered_rate() ),+ }
            }

            /// The header in which it asks routers: one of the forward links needs an agent that reads it. `None` if
            /// it asks nothing of them.
            pub fn asks_routers(&self) -> Option<HeaderKind> {
                match self { $( TransportSpec::$variant(p) => p.asks_routers() ),+ }
            }

            /// Checks that the transport's packets fit a path whose largest packet is `mtu` bytes.
            ///
            /// # Errors
            /// What does not fit, and the remedy.
            pub fn fits(&self, mtu: u32) -> Result<(), String> {
                match self { $( TransportSpec::$variant(p) => p.fits(mtu) ),+ }
            }

            /// The same transport with connections that stay open and carry one object after another; `None` if it has
            /// none.
            pub fn kept_open(&self) -> Option<TransportSpec> {
                match self { $( TransportSpec::$variant(p) => p.kept_open().map(TransportSpec::$variant) ),+ }
            }
        }

        /// The end of a flow that sends data. The driver opens it by one [`Stage::wake`] at the flow's start.
        // A TCP sender is the common case: behind a box every packet would pay for the room saved elsewhere.
        #[derive(Debug)]
        #[allow(missing_docs, clippy::large_enum_variant)]
        pub enum Sender { $( $variant(<$params as Transport>::Sender) ),+ }

        /// The end of a flow that data is sent to.
        #[derive(Debug)]
        #[allow(missing_docs)]
        pub enum Receiver { $( $variant(<$params as Transport>::Receiver) ),+ }

        transports!(@end Sender, SendEnd, SenderReport, $($variant),+);
        transports!(@end Receiver, ReceiveEnd, ReceiverReport, $($variant),+);

        impl Sender {
            /// Adds `bytes` to what it sends: see [`SendEnd::write`].
            pub fn write(&mut self, bytes: u64) {
                match self { $( Sender::$variant(e) => e.write(bytes) ),+ }
            }
        }

        impl Receiver {
            /// When the last byte expected arrived in order; `None` until then.
            #[inline]
            pub fn finished(&self) -> Option<Time> {
                match self { $( Receiver::$variant(e) => e.finished() ),+ }
            }

            /// Expects `bytes` more: see [`SendEnd::write`].
            pub fn expect(&mut self, bytes: u64) {
                match self { $( Receiver::$variant(e) => e.expect(bytes) ),+ }
            }
        }
    };
    ( @end $end:ident, $behaviour:ident, $report:ident, $( $variant:ident ),+ ) => {
        impl Stage for $end {
            #[inline]
            fn push(&mut self, now: Time, packet: &Packet) {
                match self { $( $end::$variant(e) => e.push(now, packet) ),+ }
            }
            // Called from two places on the path of every packet: the compiler would make it a call.
            #[inline(always)]
            fn pull(&mut self, now: Time) -> Option<Packet> {
                match self { $( $end::$variant(e) => e.pull(now) ),+ }
            }
            #[inline]
            fn wake(&mut self, now: Time) {
                match self { $( $end::$variant(e) => e.wake(now) ),+ }
            }
            #[inline]
            fn wake_at(&self) -> Time {
                match self { $( $end::$variant(e) => e.wake_at() ),+ }
            }
        }

        impl $end {
            /// What it has done so far.
            pub fn report(&self) -> $report {
                match self { $( $end::$variant(e) => $behaviour::report(e) ),+ }
            }

            /// Bytes of memory beside its own size.
            pub fn memory(&self) -> u64 {
                match self { $( $end::$variant(e) => $behaviour::memory(e) ),+ }
            }

            /// True if it will send nothing more unless a packet arrives, and needs no timer. When both ends are
            /// closed and no packet of the flow is in the network, the flow is over.
            #[inline]
            pub fn is_closed(&self) -> bool {
                match self { $( $end::$variant(e) => $behaviour::is_closed(e) ),+ }
            }
        }
    };
}

transports! {
    Tcp(Arc<tcp::Params>),
    Rcp(Arc<rcp::Params>),
    Cbr(udp::cbr::Params),
    Poisson(udp::poisson::Params),
    OnOff(udp::on_off::Params),
    Replay(udp::replay::Params),
}

#[cfg(test)]
mod tests {
    use dumbbell_core::config::At;
    use dumbbell_core::{Config, TrafficClass};

    use super::*;
    use crate::testing::{opening, read};

    #[test]
    fn every_transport_opens_by_its_name_and_every_default_has_a_source() {
        for descriptor in TransportSpec::descriptors() {
            for field in &descriptor.fields {
                let place = format!("{}.{}", descriptor.name, field.name);
                assert!(field.default.is_none() || !field.source.is_empty(), "{place}");
            }
            let spec: TransportSpec = read(&format!("{:?}", descriptor.name));
            let (mut sender, receiver) = spec.open(opening(Some(10_000)));
            assert!(!sender.is_closed(), "not before it is opened");
            sender.wake(Time::ZERO);
            assert_eq!(receiver.report(), ReceiverReport::default());
            let again = TransportSpec::from_value(&spec.to_value(), &At::root("")).unwrap();
            assert_eq!(again, spec);
        }
    }

    #[test]
    fn packets_of_both_ends_have_the_class_of_their_flow() {
        let flow = FlowTag { slot: 7, class: TrafficClass::LAST };
        for descriptor in TransportSpec::descriptors() {
            let spec: TransportSpec = read(&format!("{:?}", descriptor.name));
            let replay = (descriptor.name == "replay").then(|| [(Duration::ZERO, 100)].into());
            let (mut sender, mut receiver) = spec.open(Opening { flow, replay, ..opening(Some(10_000)) });
            let mut now = Time::ZERO;
            let (mut sent, mut answered) = (0, 0);
            sender.wake(now);
            for _ in 0..100 {
                while let Some(packet) = sender.pull(now) {
                    sent += 1;
                    assert_eq!((packet.flow, packet.class), (7, 7), "data of {}", descriptor.name);
                    receiver.push(now, &packet);
                }
                while let Some(packet) = receiver.pull(now) {
                    answered += 1;
                    assert_eq!((packet.flow, packet.class), (7, 7), "answers of {}", descriptor.name);
                    sender.push(now, &packet);
                }
                now += Duration::from_millis(1);
                if receiver.wake_at() <= now {
                    receiver.wake(now);
                }
                if sender.wake_at() <= now {
                    sender.wake(now);
                }
            }
            assert!(sent > 0, "{}", descriptor.name);
            assert_eq!(answered > 0, ["tcp", "rcp"].contains(&descriptor.name), "{}", descriptor.name);
        }
    }

    #[test]
    fn a_transport_names_its_controller() {
        assert_eq!(read::<TransportSpec>(r#""tcp""#).controller(), Some("cubic"));
        assert_eq!(
            read::<TransportSpec>(r#"{"kind": "tcp", "controller": "tahoe"}"#).controller(),
            Some("tahoe")
        );
        assert_eq!(read::<TransportSpec>(r#""poisson""#).controller(), None);
    }
}
