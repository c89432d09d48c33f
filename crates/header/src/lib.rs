//! Protocol headers: one file each, one line each in `headers!`. A file says how its header packs into the words of a
//! simulated packet and, if it has a wire form, into bytes.

pub mod datagram;
pub mod exchange;
pub mod hpcc;
#[cfg(test)]
mod laws;
pub mod nada;
mod options;
pub mod quench;
pub mod rcp;
mod segment;
pub mod tcp;
pub mod tfrc;
pub mod trump;
pub mod udp;
pub mod xcp;

use dumbbell_core::header::HeaderInfo;
use dumbbell_core::{Header, HeaderKind, Registered};

pub use datagram::{Datagram, DatagramHeader};
pub use exchange::{Asking, Exchange, Feedback};
pub use nada::NadaKind;
pub use options::TcpOptions;
pub use rcp::RcpKind;
pub use tcp::SackBlock;
pub use tfrc::TfrcKind;
pub use trump::TrumpKind;

/// Declares the headers. One line each: `module::Type`. The line gives the header its [`HeaderKind`], its place in
/// [`HEADERS`], and the laws that hold for all.
macro_rules! headers {
    ( $( $module:ident :: $type:ident ),+ $(,)? ) => {
        /// Numbers in the order registered.
        enum Number { First, $( $type, )+ End }

        const _: () = assert!(Number::End as u8 <= HeaderKind::FOREIGN, "numbers are left for other crates");

        $(
            pub use $module::$type;

            impl Registered for $module::$type {
                const KIND: HeaderKind = HeaderKind::new(
                    Number::$type as u8 - Number::First as u8,
                    <$module::$type as Header>::ON,
                );
            }
        )+

        /// Every header.
        pub const HEADERS: &[HeaderInfo] = &[ $( HeaderInfo::of::<$module::$type>() ),+ ];

        #[cfg(test)]
        laws::laws! { $( $module :: $type ),+ }
    };
}

headers! {
    tcp::TcpHeader,
    udp::UdpHeader,
    rcp::RcpHeader,
    xcp::XcpHeader,
    quench::SourceQuench,
    trump::TrumpHeader,
    tfrc::TfrcHeader,
    hpcc::HpccHeader,
    nada::NadaHeader,
}

/// Those of them that end points exchange in datagrams.
pub const DATAGRAMS: &[Datagram] =
    &[Datagram::of::<RcpHeader>(), Datagram::of::<TrumpHeader>(), Datagram::of::<TcpHeader>()];

/// The header of this kind, if end points exchange it in datagrams.
pub fn datagram(kind: HeaderKind) -> Option<Datagram> {
    DATAGRAMS.iter().find(|datagram| datagram.kind == kind).copied()
}

/// The number of the flow of a datagram that one of our end points has sent.
pub fn flow_of(payload: &[u8]) -> Option<u32> {
    DATAGRAMS.iter().find_map(|datagram| datagram.number(payload))
}

/// What the registry lists of a kind. It knows no more of a header of another crate.
pub fn info(kind: HeaderKind) -> HeaderInfo {
    let foreign = HeaderInfo { kind, name: "a header of another crate", has_wire_form: false };
    HEADERS.iter().copied().find(|info| info.kind == kind).unwrap_or(foreign)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
