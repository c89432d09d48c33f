//! The transports that a flow can use.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use dumbbell_core::{Packet, Stage, Time, registry};

use crate::transport::{Opening, ReceiveEnd, SendEnd, Transport};
use crate::{lttp, nada, rcp, tcp, tfrc, trump, udp};

/// Tells the compiler that what calls this is not the common case.
#[cold]
#[inline]
fn seldom() {}

registry! {
    /// A transport and its parameters.
    pub enum TransportSpec in "transport" as Transport {
        Tcp(Arc<tcp::Params>),
        Rcp(Arc<rcp::Params>),
        Trump(Arc<trump::Params>),
        Tfrc(tfrc::Params),
        Lttp(lttp::Params),
        Nada(Arc<nada::Params>),
        Cbr(udp::cbr::Params),
        Poisson(udp::poisson::Params),
        OnOff(udp::on_off::Params),
        Replay(udp::replay::Params),
    }

    /// The end of a flow that sends data: a [`SendEnd`]. The driver opens it by one [`Stage::wake`] at the flow's start.
    // A TCP sender is the common case: behind a box every packet would pay for the room saved elsewhere.
    #[derive(Debug)]
    pub enum Sender [] = Sender or Box<dyn SendEnd>, each_sender!($);

    /// The end of a flow that data is sent to: a [`ReceiveEnd`].
    #[derive(Debug)]
    pub enum Receiver [] = Receiver or Box<dyn ReceiveEnd>, each_receiver!($);

    open(opening: Opening) or own => own.open_any(opening);

    same kept_open() or own => own.keep_open().map(|params| own.with(params));
}

/// An end of any kind is one of its trait. What happens to every packet tests for TCP first, before it jumps to one of many.
macro_rules! end {
    ($end:ident, $behaviour:ident, $each:ident) => {
        impl Deref for $end {
            type Target = dyn $behaviour;
            fn deref(&self) -> &Self::Target {
                $each!(self, e => e)
            }
        }

        impl DerefMut for $end {
            fn deref_mut(&mut self) -> &mut Self::Target {
                $each!(self, e => e)
            }
        }

        impl Stage for $end {
            // Both are called from several places on the path of every packet: the compiler would make them calls.
            #[inline(always)]
            fn push(&mut self, now: Time, packet: &Packet) {
                if let $end::Tcp(tcp) = self {
                    return tcp.push(now, packet);
                }
                seldom();
                $each!(self, e => e.push(now, packet));
            }
            #[inline(always)]
            fn pull(&mut self, now: Time) -> Option<Packet> {
                if let $end::Tcp(tcp) = self {
                    return tcp.pull(now);
                }
                seldom();
                $each!(self, e => e.pull(now))
            }
            #[inline]
            fn wake(&mut self, now: Time) {
                if let $end::Tcp(tcp) = self {
                    return tcp.wake(now);
                }
                seldom();
                $each!(self, e => e.wake(now));
            }
            #[inline]
            fn wake_at(&self) -> Time {
                if let $end::Tcp(tcp) = self {
                    return tcp.wake_at();
                }
                seldom();
                $each!(self, e => e.wake_at())
            }
        }

        impl $end {
            /// True if it will send nothing more unless a packet arrives, and needs no timer. When both ends are
            /// closed and no packet of the flow is in the network, the flow is over.
            // As above: it is asked after every packet.
            #[inline(always)]
            pub fn is_closed(&self) -> bool {
                if let $end::Tcp(tcp) = self {
                    return tcp.is_closed();
                }
                seldom();
                $each!(self, e => e.is_closed())
            }
        }
    };
}

end! { Sender, SendEnd, each_sender }
end! { Receiver, ReceiveEnd, each_receiver }

impl Sender {
    /// True if a paced packet of TCP is due. It leaves before what arrives at that time is read, as in Linux: a timer interrupts,
    /// a device is polled. Such ties are no accident: of two packets at the pacing rate, the acknowledgement of the first lets one
    /// leave, and that of the second comes when the next is due.
    #[inline(always)]
    pub fn is_due(&self, now: Time) -> bool {
        matches!(self, Sender::Tcp(tcp) if tcp.is_due(now))
    }
}

impl Receiver {
    /// When the last byte expected arrived in order; `None` until then.
    #[inline]
    pub fn finished(&self) -> Option<Time> {
        each_receiver!(self, e => e.finished())
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::config::At;
    use dumbbell_core::{Config, Duration, FlowTag, TrafficClass};

    use super::*;
    use crate::testing::{opening, read};
    use crate::transport::ReceiverReport;

    #[test]
    fn every_transport_opens_and_every_default_has_a_source() {
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
                ["tcp", "rcp", "trump", "tfrc", "lttp", "nada"].contains(&descriptor.name),
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
