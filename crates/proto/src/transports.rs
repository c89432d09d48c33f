//! The transports that a flow can use.

use std::sync::Arc;

use dumbbell_core::{Duration, HeaderKind, Packet, Stage, Time};

use crate::controller::{Estimate, Stand};
use crate::host::Grant;
use crate::transport::{
    Agreed, Opening, ReceiveEnd, ReceiverReport, SendEnd, SenderReport, SenderState, Transport,
};
use crate::{lttp, rcp, tcp, tfrc, trump, udp};

/// Tells the compiler that what calls this is not the common case.
#[cold]
#[inline]
fn seldom() {}

/// What an end of any kind does. The first kind is what most packets belong to: its test goes before the jump to one of many.
macro_rules! mostly {
    ( $self:ident, $end:ident, $first:ident, [$( $variant:ident ),+], $e:ident => $body:expr ) => {
        if let $end::$first($e) = $self {
            $body
        } else {
            seldom();
            match $self { $end::$first($e) => $body, $( $end::$variant($e) => $body ),+ }
        }
    };
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

            /// See [`Transport::draws`].
            pub fn draws(&self) -> Vec<&'static str> {
                match self { $( TransportSpec::$variant(p) => p.draws() ),+ }
            }

            /// The header in which it asks routers: one of the forward links needs an agent that reads it. `None` if
            /// it asks nothing of them.
            pub fn asks_routers(&self) -> Option<HeaderKind> {
                match self { $( TransportSpec::$variant(p) => p.asks_routers() ),+ }
            }

            /// True if applications may write to its connections, and read from them, when they want.
            pub fn serves_applications(&self) -> bool {
                match self { $( TransportSpec::$variant(p) => p.serves_applications() ),+ }
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
        #[allow(missing_docs, clippy::large_enum_variant, reason = "the name says it; the large form is the common one")]
        pub enum Sender { $( $variant(<$params as Transport>::Sender) ),+ }

        /// The end of a flow that data is sent to.
        #[derive(Debug)]
        #[allow(missing_docs, reason = "the name says it; what it names has a page")]
        pub enum Receiver { $( $variant(<$params as Transport>::Receiver) ),+ }

        transports!(@end Sender, SendEnd, SenderReport, $($variant),+);
        transports!(@end Receiver, ReceiveEnd, ReceiverReport, $($variant),+);

        impl Sender {
            /// How it stands.
            pub fn state(&self) -> SenderState {
                match self { $( Sender::$variant(e) => e.state() ),+ }
            }

            /// The state of congestion control, and why it is in it.
            pub fn stand(&self) -> Option<Stand> {
                match self { $( Sender::$variant(e) => e.stand() ),+ }
            }

            /// Tells the values that congestion control goes by.
            pub fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
                match self { $( Sender::$variant(e) => e.estimates(tell) ),+ }
            }

            /// What SYNs say, with TCP.
            pub fn agreed(&self) -> Option<Agreed> {
                match self { $( Sender::$variant(e) => e.agreed() ),+ }
            }

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

            /// See [`ReceiveEnd::grant`].
            pub fn grant(&mut self, grant: Grant) -> bool {
                match self { $( Receiver::$variant(e) => e.grant(grant) ),+ }
            }

            /// See [`ReceiveEnd::transit`].
            pub fn transit(&self, now: Time) -> Option<Duration> {
                match self { $( Receiver::$variant(e) => e.transit(now) ),+ }
            }

            /// See [`ReceiveEnd::hasten`].
            pub fn hasten(&mut self) -> bool {
                match self { $( Receiver::$variant(e) => e.hasten() ),+ }
            }

            /// Expects `bytes` more: see [`SendEnd::write`].
            pub fn expect(&mut self, bytes: u64) {
                match self { $( Receiver::$variant(e) => e.expect(bytes) ),+ }
            }
        }
    };
    ( @end $end:ident, $behaviour:ident, $report:ident, $first:ident, $( $variant:ident ),+ ) => {
        impl Stage for $end {
            // Both are called from several places on the path of every packet: the compiler would make them calls.
            #[inline(always)]
            fn push(&mut self, now: Time, packet: &Packet) {
                mostly!(self, $end, $first, [$( $variant ),+], e => e.push(now, packet))
            }
            #[inline(always)]
            fn pull(&mut self, now: Time) -> Option<Packet> {
                mostly!(self, $end, $first, [$( $variant ),+], e => e.pull(now))
            }
            #[inline]
            fn wake(&mut self, now: Time) {
                mostly!(self, $end, $first, [$( $variant ),+], e => e.wake(now))
            }
            #[inline]
            fn wake_at(&self) -> Time {
                mostly!(self, $end, $first, [$( $variant ),+], e => e.wake_at())
            }
        }

        impl $end {
            /// What it has done so far.
            pub fn report(&self) -> $report {
                mostly!(self, $end, $first, [$( $variant ),+], e => $behaviour::report(e))
            }

            /// A packet of the flow has arrived that a router originated: see [`SendEnd::notice`].
            pub fn notice(&mut self, now: Time, packet: &Packet) {
                mostly!(self, $end, $first, [$( $variant ),+], e => $behaviour::notice(e, now, packet))
            }

            /// Packets that made no sense to it.
            pub fn ignored(&self) -> u64 {
                mostly!(self, $end, $first, [$( $variant ),+], e => $behaviour::ignored(e))
            }

            /// True if it will send nothing more unless a packet arrives, and needs no timer. When both ends are
            /// closed and no packet of the flow is in the network, the flow is over.
            #[inline]
            pub fn is_closed(&self) -> bool {
                mostly!(self, $end, $first, [$( $variant ),+], e => $behaviour::is_closed(e))
            }
        }
    };
}

transports! {
    Tcp(Arc<tcp::Params>),
    Rcp(Arc<rcp::Params>),
    Trump(Arc<trump::Params>),
    Tfrc(tfrc::Params),
    Lttp(lttp::Params),
    Cbr(udp::cbr::Params),
    Poisson(udp::poisson::Params),
    OnOff(udp::on_off::Params),
    Replay(udp::replay::Params),
}

#[cfg(test)]
mod tests {
    use dumbbell_core::config::At;
    use dumbbell_core::{Config, Duration, FlowTag, TrafficClass};

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
            assert_eq!(
                answered > 0,
                ["tcp", "rcp", "trump", "tfrc", "lttp"].contains(&descriptor.name),
                "{}",
                descriptor.name
            );
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
