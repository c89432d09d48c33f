//! What a controller needs of its transport.

use core::fmt;

/// What a controller needs of the transport besides sums: a set of bits. What it does not ask for is not kept and costs nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Needs(u32);

/// Declares the bits, with their names for C.
macro_rules! needs {
    ( $( $(#[doc = $doc:literal])+ $name:ident = $bit:literal; )+ ) => {
        impl Needs {
            $( $(#[doc = $doc])+ pub const $name: Needs = Needs(1 << $bit); )+

            /// All that there are: name, value, meaning.
            pub const ALL: &'static [(&'static str, Needs, &'static [&'static str])] =
                &[ $( (stringify!($name), Needs::$name, &[$( $doc ),+]) ),+ ];
        }
    };
}

needs! {
    /// A record of every segment in flight: `Signals::rate`, `round` and `lost`, a round-trip time with every
    /// acknowledgement, and an `Event::Ack` for everything acknowledged selectively or by a duplicate.
    RATES = 0;
    /// The ECN echo of every acknowledgement: the receiver echoes the marks themselves (RFC 8257 section 3.2), and
    /// `Signals::marked` counts them.
    ECHOES = 1;
    /// Without SACK, losses are also shown by the first duplicate, and by the first two acknowledgements after a
    /// retransmission, of a segment older than a timeout of exact round-trip times. Only with `Needs::RATES`.
    FINE_TIMEOUTS = 2;
    /// `Control::pacing` and `Control::quantum` are obeyed.
    PACING = 3;
    /// `Control::wake_at` is obeyed.
    WAKE = 4;
    /// `Event::Lost` for every segment found lost. Only with `Needs::RATES`.
    LOSSES = 5;
    /// How every repair of losses ends: by `Event::Recovered` or by `Event::Undone`.
    REPAIRS = 6;
    /// `Event::Restart`.
    RESTARTS = 7;
    /// Random numbers: `start` receives a stream of its own.
    RANDOM = 8;
    /// All data segments carry ECT(1), those sent again too: what shares a queue with them may tell that they answer to
    /// many marks (RFC 9331 section 4.1). Feedback is accurate ECN unless the scenario says otherwise.
    SCALABLE = 9;
    /// Data segments carry `Control::request` to routers in a header, and `Signals::feedback` brings the answer.
    ROUTERS = 10;
    /// A call for every segment that leaves: `on_sent`.
    SENT = 11;
    /// With `Needs::ECHOES`: a mark also cuts the window, as without it, and `Event::Ecn` asks by how much. `Event::Loss` asks
    /// again if something is found lost meanwhile.
    CUTS = 12;
}

impl Needs {
    /// Nothing but sums.
    pub const NOTHING: Needs = Needs(0);

    /// These and others.
    #[must_use]
    pub const fn and(self, other: Needs) -> Needs {
        Needs(self.0 | other.0)
    }

    /// True if any of `other` is needed.
    #[inline]
    pub const fn any(self, other: Needs) -> bool {
        self.0 & other.0 != 0
    }

    /// These bits; `None` if one of them has no meaning.
    pub fn of_bits(bits: u32) -> Option<Needs> {
        let all = Needs::ALL.iter().fold(0, |all, (_, need, _)| all | need.0);
        (bits & !all == 0).then_some(Needs(bits))
    }

    /// Those whose condition holds.
    pub fn of(list: &[(bool, Needs)]) -> Needs {
        list.iter().filter(|(wanted, _)| *wanted).fold(Needs::NOTHING, |all, (_, need)| all.and(*need))
    }

    /// The bits.
    pub const fn bits(self) -> u32 {
        self.0
    }
}

impl fmt::Debug for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Needs::ALL.iter().filter(|(_, need, _)| self.any(*need)).map(|(name, ..)| name);
        f.debug_set().entries(names).finish()
    }
}
