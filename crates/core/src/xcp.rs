//! The header of XCP, which rides on the data segments of TCP.

use crate::packet::{Header, Packet, TcpHeader};

/// What a data segment tells the routers on its way, and what they answer. Fields as in ns-2.35 (`xcp-end-sys.h`), which
/// states feedback as a change of rate where the paper states a change of window.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct XcpHeader {
    /// The sender's time between packets, in seconds: round-trip time by packets in the window.
    pub spacing: f64,
    /// The sender's round-trip time in seconds; 0 if unknown.
    pub rtt: f64,
    /// The change of rate in bytes a second: what the sender asks for, and the least that a router on the way granted.
    pub delta: f64,
}

impl XcpHeader {
    /// Puts the header on a data segment of TCP, in the place of the SACK blocks that only acknowledgements carry.
    pub fn attach(self, p: &mut Packet) {
        p.header = Header::Xcp;
        p.flags |= TcpHeader::FEEDBACK;
        p.body[2] = self.spacing.to_bits();
        p.body[3] = self.rtt.to_bits();
        p.body[4] = self.delta.to_bits();
    }

    /// The header of a packet whose [`Packet::header`] is [`Header::Xcp`].
    pub fn of(p: &Packet) -> XcpHeader {
        let [_, _, spacing, rtt, delta] = p.body.map(f64::from_bits);
        XcpHeader { spacing, rtt, delta }
    }

    /// Puts feedback, in bytes a second, on an acknowledgement, in the place of its third SACK block.
    pub fn answer(p: &mut Packet, feedback: f64) {
        p.flags |= TcpHeader::FEEDBACK;
        p.body[4] = feedback.to_bits();
    }

    /// Takes the feedback off an acknowledgement that has [`TcpHeader::FEEDBACK`].
    pub fn take_answer(p: &mut Packet) -> f64 {
        p.flags &= !TcpHeader::FEEDBACK;
        f64::from_bits(std::mem::take(&mut p.body[4]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Ecn, SackBlock};

    #[test]
    fn headers_ride_on_segments_and_answers_on_acknowledgements() {
        let mut segment =
            TcpHeader { number: 7, timestamp: 9, ..TcpHeader::default() }.into_packet(0, 1000, Ecn::NotEct);
        let header = XcpHeader { spacing: 1e-3, rtt: 0.1, delta: 1e24 };
        header.attach(&mut segment);
        assert_eq!((XcpHeader::of(&segment), segment.header), (header, Header::Xcp));
        assert_eq!((segment.body[0], segment.body[1]), (7, 9));

        let sack = [SackBlock { start: 1, end: 2 }; 3];
        let mut ack = TcpHeader { number: 7, sack, ..TcpHeader::default() }.into_packet(0, 40, Ecn::NotEct);
        XcpHeader::answer(&mut ack, -5.5);
        assert_eq!(XcpHeader::take_answer(&mut ack), -5.5);
        let left = [sack[0], sack[1], SackBlock::default()];
        assert_eq!((TcpHeader::of(&ack).flags, TcpHeader::of(&ack).sack), (0, left));
    }
}
