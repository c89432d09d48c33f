//! What holds for every header, checked over generated values.

use dumbbell_core::header::{HeaderInfo, Words};
use dumbbell_core::{Ecn, Frame, Header, Packet};
use proptest::prelude::*;

use crate::{DATAGRAMS, DatagramHeader, HEADERS, datagram, flow_of};

/// Writes the laws for the headers of the registry. The tests of each module provide `any()`, which generates headers.
macro_rules! laws {
    ( $( $module:ident :: $type:ident ),+ ) => {
        #[cfg(test)]
        mod every_header {
            $(
                mod $module {
                    use proptest::prelude::*;

                    proptest! {
                        #[test]
                        fn survives_packing(header in crate::$module::tests::any(), words in crate::laws::any_words()) {
                            crate::laws::packing(&header, words)?;
                        }

                        #[test]
                        fn leaves_alone_what_it_rides_on(
                            header in crate::$module::tests::any(), words in crate::laws::any_words(),
                        ) {
                            crate::laws::riding(&header, words)?;
                        }

                        #[test]
                        fn survives_the_wire(
                            header in crate::$module::tests::any(), bytes in prop::collection::vec(any::<u8>(), 0..200),
                        ) {
                            crate::laws::wire(&header, &bytes)?;
                        }
                    }
                }
            )+

            /// The words that each header leaves free.
            pub(super) const FREE: &[(dumbbell_core::HeaderKind, ::std::ops::Range<usize>)] = &[
                $( (
                    <crate::$module::$type as dumbbell_core::Registered>::KIND,
                    <crate::$module::$type as dumbbell_core::Header>::FREE,
                ) ),+
            ];
        }
    };
}
pub(crate) use laws;

pub(crate) fn any_words() -> impl Strategy<Value = Words> {
    any::<(u8, u16, [u64; 5])>().prop_map(|(flags, aux, body)| Words { flags, aux, body })
}

type Verdict = Result<(), TestCaseError>;

/// A header stands on the wire beside the number of its flow, and is no other header.
pub(crate) fn datagrams<H>(flow: u32, header: H, other: H) -> Verdict
where
    H: DatagramHeader + PartialEq,
{
    let mut bytes = header.encode(flow);
    prop_assert_eq!(H::decode(&bytes), Some((flow, header)));
    prop_assert_eq!(flow_of(&bytes), Some(flow));
    let length = header.length();
    prop_assert!(bytes[length..].iter().all(|byte| *byte == 0));
    prop_assert_eq!(H::decode(&bytes[..length]), Some((flow, header)));
    prop_assert_eq!(H::decode(&bytes[..length - 1]), None);
    let datagram = datagram(H::KIND).expect("it is registered");
    let found = datagram.read(&bytes, 7, 90, Ecn::Ect0).expect("it is one of them");
    prop_assert_eq!((found.number, found.way), (flow, header.way()));
    prop_assert_eq!(found.packet, Packet::of(header, 7, 90, Ecn::Ect0));
    prop_assert_eq!(datagram.encode(&found.packet, flow), bytes);
    let mut others = DATAGRAMS.iter().filter(|datagram| datagram.kind != H::KIND);
    prop_assert!(others.all(|other| other.read(&bytes, 7, 90, Ecn::Ect0).is_none()));
    datagram.write(&Packet::of(other, 7, 90, Ecn::Ect0), &mut bytes);
    prop_assert_eq!(H::decode(&bytes), Some((flow, other)));
    Ok(())
}

/// A packet whose words hold anything.
fn packet(words: Words, info: &HeaderInfo) -> Packet {
    let Words { flags, aux, body } = words;
    Packet {
        flags,
        aux,
        body,
        header: info.kind,
        ..Packet::of(crate::TcpHeader::default(), 1, 100, Ecn::Ect0)
    }
}

/// Values that hold a NaN are not equal to themselves; their text is.
fn same<T: std::fmt::Debug>(one: &T, other: &T) -> Verdict {
    prop_assert_eq!(format!("{one:?}"), format!("{other:?}"));
    Ok(())
}

/// A header is read as it was written, whatever was there before, and by its own name only.
pub(crate) fn packing<H: Header>(header: &H, words: Words) -> Verdict {
    let fresh = Packet::of(*header, 1, 100, Ecn::NotEct);
    prop_assert_eq!((fresh.header, fresh.flow, fresh.size), (H::KIND, 1, 100));
    same(&fresh.read::<H>(), &Some(*header))?;
    for info in HEADERS {
        let mut packet = packet(words, info);
        let before = packet;
        packet.write(header);
        if info.kind == H::KIND {
            same(&packet.read::<H>(), &Some(*header))?;
        } else if info.kind.carries(H::KIND) {
            let mut own = fresh.words();
            own.body[H::FREE].fill(0);
            same(&packet.read::<H>(), &Some(H::unpack(&own)))?;
        } else {
            prop_assert_eq!(packet, before);
            prop_assert!(packet.read::<H>().is_none());
        }
    }
    Ok(())
}

/// A header that rides on another fills none but the words that this one leaves free, and neither sees the other.
pub(crate) fn riding<H: Header>(header: &H, words: Words) -> Verdict {
    let free = |kind| every(kind).1.clone();
    match H::ON {
        Some(front) => {
            let mut packet = packet(words, &crate::info(front));
            let before = packet;
            packet.attach(header);
            prop_assert_eq!((packet.flags, packet.aux), (before.flags, before.aux));
            let kept = |i: &usize| !free(front).contains(i);
            for i in (0..5).filter(kept) {
                prop_assert_eq!(packet.body[i], before.body[i]);
            }
            same(&packet.read::<H>(), &Some(*header))?;
        }
        None => {
            for rider in HEADERS.iter().filter(|info| info.kind.rides() && info.kind.front() == H::KIND) {
                let mut packet = packet(words, rider);
                let ridden = packet.body[H::FREE].to_vec();
                packet.write(header);
                prop_assert_eq!(&packet.body[H::FREE], &ridden[..]);
            }
        }
    }
    Ok(())
}

fn every(kind: dumbbell_core::HeaderKind) -> &'static (dumbbell_core::HeaderKind, std::ops::Range<usize>) {
    crate::every_header::FREE.iter().find(|(k, _)| *k == kind).expect("registered")
}

/// A header is decoded as it was encoded, over whatever bytes; no bytes make the decoder panic.
pub(crate) fn wire<H: Header>(header: &H, bytes: &[u8]) -> Verdict {
    let Some(codec) = H::WIRE else { return Ok(()) };
    let _ = codec.decode(bytes);
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().max(codec.length()), 0);
    let behind = bytes[codec.length()..].to_vec();
    codec.encode(header, &mut bytes);
    same(&codec.decode(&bytes), &Some(*header))?;
    prop_assert_eq!(&bytes[codec.length()..], &behind[..]);
    prop_assert!(codec.decode(&bytes[..codec.length() - 1]).is_none());
    Ok(())
}

#[test]
fn kinds_and_names_are_the_headers_own() {
    for (i, one) in HEADERS.iter().enumerate() {
        assert_eq!(crate::info(one.kind), *one);
        assert!(HEADERS[..i].iter().all(|other| other.kind != one.kind && other.name != one.name));
    }
}
