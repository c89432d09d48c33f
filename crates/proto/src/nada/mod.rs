//! NADA: real-time media whose rate follows delay, loss and marks on the path (RFC 8698).
//!
//! An encoder gives a frame 30 times a second, of the size that its rate allows. A shaping buffer paces the packets. The
//! receiver reports rate, mode and congestion every 100 ms, from which the sender computes its reference rate.

mod listener;
mod params;
mod rate;
mod window;

use std::sync::Arc;

use dumbbell_core::{BitRate, Duration, Ecn, FlowTag, Frame, Packet, Stage, Time};
use dumbbell_header::{NadaHeader, NadaKind};

pub use self::listener::Receiver;
pub use self::params::{HEADER, Params, Pause, REPORT};
use self::rate::Rate;
use crate::controller::{Estimate, Stand};
use crate::pacer::Pacer;
use crate::transport::{Opening, SendEnd, SenderReport, SenderState, Transport};

impl Transport for Arc<Params> {
    // In boxes: they would make the flows of every transport larger.
    type Sender = Box<Sender>;
    type Receiver = Box<Receiver>;

    fn open(&self, opening: Opening) -> (Box<Sender>, Box<Receiver>) {
        let receiver = Receiver::new(self.clone(), &opening);
        (Box::new(Sender::new(self.clone(), &opening)), Box::new(receiver))
    }

    fn wire_bytes(&self, payload: u64, _mtu: u32) -> u64 {
        payload + u64::from(HEADER) * payload.div_ceil(u64::from(self.packet_size) - u64::from(HEADER))
    }

    fn fits(&self, mtu: u32) -> Result<(), String> {
        let size = self.packet_size;
        if u32::from(size) > mtu {
            return Err(format!(
                "packets of {size} B do not fit the path's MTU of {mtu} B; lower `packet_size` or raise the MTU"
            ));
        }
        Ok(())
    }
}

/// The sending end.
#[derive(Debug)]
pub struct Sender {
    params: Arc<Params>,
    flow: FlowTag,
    rate: Rate,
    number: u64,
    /// Application bytes still to send; `u64::MAX` if unlimited.
    left: u64,
    /// When the flow started; `None` before.
    start: Option<Time>,
    frames: Pacer,
    frame_at: Time,
    /// Bytes on the wire of what the encoder has given and no packet has carried, and the part of a byte that its last
    /// frame left over.
    waiting: u64,
    rest: f64,
    next_at: Time,
}

impl Sender {
    fn new(params: Arc<Params>, opening: &Opening) -> Sender {
        Sender {
            flow: opening.flow,
            rate: Rate::new(params.clone()),
            number: 0,
            left: opening.size.unwrap_or(u64::MAX),
            start: None,
            frames: Pacer::new(BitRate::from_bps(8 * u64::from(params.fps)), 1),
            frame_at: Time::NEVER,
            waiting: 0,
            rest: 0.0,
            next_at: Time::ZERO,
            params,
        }
    }

    /// The end of the pause that holds this time; `None` if none does.
    fn pause(&self, now: Time) -> Option<Time> {
        let start = self.start?;
        let since = now.since(start);
        let within = |pause: &&Pause| (pause.at..pause.at + pause.lasts).contains(&since);
        self.params.pauses.iter().find(within).map(|pause| start + pause.at + pause.lasts)
    }

    /// The encoder gives a frame of its rate. Frames are bytes: a packet may hold the end of one and the beginning of the next.
    fn encode(&mut self, now: Time) {
        if let Some(end) = self.pause(now) {
            self.frame_at = end;
            return;
        }
        let bytes = self.rate.encoder(self.waiting) / (8.0 * f64::from(self.params.fps)) + self.rest;
        self.rest = bytes.fract();
        self.waiting += bytes as u64;
        self.frame_at = now + self.frames.gap();
    }
}

impl Stage for Sender {
    fn push(&mut self, now: Time, packet: &Packet) {
        if let Some(header) = packet.read::<NadaHeader>().filter(|header| header.kind != NadaKind::Media) {
            self.rate.heard(now, &header, self.number);
        }
    }

    fn pull(&mut self, now: Time) -> Option<Packet> {
        if self.waiting == 0 || now < self.next_at {
            return None;
        }
        let size = self.waiting.clamp(u64::from(HEADER) + 1, self.params.packet_size.into());
        let payload = self.left.min(size - u64::from(HEADER));
        let size = payload + u64::from(HEADER);
        self.waiting = self.waiting.saturating_sub(size);
        if self.left != u64::MAX {
            self.left -= payload;
        }
        if self.left == 0 {
            (self.waiting, self.frame_at) = (0, Time::NEVER);
        }
        let header = NadaHeader { number: self.number, sent: now, ..NadaHeader::default() };
        self.number += 1;
        let gap = Duration::from_secs_f64(size as f64 * 8.0 / self.rate.sending(self.waiting));
        self.next_at = now + gap.max(Duration::from_nanos(1));
        let ecn = if self.params.ecn { Ecn::Ect0 } else { Ecn::NotEct };
        Some(Packet::of(header, self.flow, size as u16, ecn))
    }

    fn wake(&mut self, now: Time) {
        if self.start.is_none() {
            (self.start, self.frame_at) = (Some(now), now);
            self.rate.start(now);
        }
        if now >= self.frame_at {
            self.encode(now);
        }
    }

    fn wake_at(&self) -> Time {
        let packet = if self.waiting > 0 { self.next_at } else { Time::NEVER };
        self.frame_at.min(packet)
    }
}

impl SendEnd for Sender {
    fn report(&self) -> SenderReport {
        SenderReport {
            packets_sent: self.number,
            min_rtt: self.rate.shortest,
            smoothed_rtt: self.rate.rtt,
            ..SenderReport::default()
        }
    }

    fn state(&self) -> SenderState {
        let (min_rtt, smoothed_rtt) = (self.rate.shortest, self.rate.rtt);
        let pacing = Some(self.rate.sending(self.waiting));
        SenderState { smoothed_rtt, min_rtt, pacing, ..SenderState::default() }
    }

    fn stand(&self) -> Option<Stand> {
        let state = if self.rate.mode == NadaKind::Gradual { "gradual" } else { "ramp-up" };
        Some(Stand { round: self.rate.reports, ..Stand::of(state) })
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        let Rate { received, .. } = self.rate;
        tell(Estimate { name: "r_ref", unit: "bit/s", value: self.rate.reference() });
        tell(Estimate { name: "x_curr", unit: "ms", value: self.rate.congestion() });
        tell(Estimate { name: "r_recv", unit: "bit/s", value: received });
    }

    fn ignored(&self) -> u64 {
        self.rate.ignored
    }

    fn is_closed(&self) -> bool {
        self.start.is_some() && self.left == 0
    }
}

#[cfg(test)]
mod tests;
