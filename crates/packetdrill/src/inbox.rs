//! What has arrived for the program: bytes, the end of the stream, and the memory that they take.

use std::collections::{BTreeMap, VecDeque};

use dumbbell_core::Time;
use dumbbell_proto::tcp::memory;

use crate::room::{Fit, Room};
use crate::wire::{Segment, flag};

/// The bytes of one connection, by number.
#[derive(Debug)]
pub struct Inbox {
    pub room: Room,
    arrived: BTreeMap<u64, Vec<u8>>,
    /// Where packets end that wait to be read, and the memory that each takes.
    held: VecDeque<(u64, u64)>,
    /// Bytes that the program has read.
    read: u64,
    /// Bytes that arrived in order, the FIN counted.
    pub next: u64,
    /// The peer's FIN has this number.
    fin: Option<u64>,
    /// When data arrived last.
    pub latest: Time,
}

impl Inbox {
    /// Before anything has arrived.
    pub fn new(room: Room) -> Inbox {
        let (arrived, held) = (BTreeMap::new(), VecDeque::new());
        Inbox { room, arrived, held, read: 0, next: 0, fin: None, latest: Time::ZERO }
    }

    /// Whether a segment with this number fits; `end` counts its FIN.
    pub fn fit(&mut self, number: u64, end: u64, fin: bool) -> Fit {
        self.room.fit((number, end, fin), self.next, self.readable() > 0)
    }

    /// Keeps the data of a segment, made of packets of at most `most` bytes. It is `new` if some of it was not there. Returns true
    /// if the window may grow.
    pub fn keep(&mut self, now: Time, number: u64, segment: &Segment, most: u32, new: bool) -> bool {
        let len = segment.payload.len() as u64;
        if segment.has(flag::FIN) {
            self.fin.get_or_insert(number + len);
        }
        if len == 0 {
            return false;
        }
        self.latest = now;
        self.arrived.entry(number).or_insert_with(|| segment.payload.clone());
        if !new {
            return false;
        }
        let (end, taken) = (number + len, memory(segment.length()));
        let at = self.held.partition_point(|(other, _)| *other <= end);
        self.held.insert(at, (end, taken));
        let in_order = number <= self.next;
        let next = if in_order { end.max(self.next) } else { self.next };
        self.room.keep(now, next, len as u32, taken, most, in_order)
    }

    /// Bytes that wait to be read.
    pub fn readable(&self) -> u64 {
        self.fin.map_or(self.next, |fin| self.next.min(fin)) - self.read
    }

    /// Bytes that have arrived in order, and what an application that waits for more may know: one, if the stream has ended and
    /// nothing waits.
    pub fn hint(&self) -> u64 {
        self.readable().max(u64::from(self.is_ended()))
    }

    /// Data that has arrived in order.
    pub fn received(&self) -> u64 {
        self.read + self.readable()
    }

    /// True if the peer will send nothing more.
    pub fn is_ended(&self) -> bool {
        self.fin.is_some_and(|fin| self.next > fin)
    }

    /// The program reads at most `most` bytes; with `peek` they stay. True with them if the peer should hear of the window.
    pub fn read(&mut self, now: Time, most: usize, peek: bool) -> (Vec<u8>, bool) {
        let from = self.read;
        let end = from + self.readable().min(most as u64);
        let mut bytes = vec![0; (end - from) as usize];
        for (&number, data) in self.arrived.range(..end) {
            let (first, last) = (number.max(from), (number + data.len() as u64).min(end));
            if first < last {
                let data = &data[(first - number) as usize..(last - number) as usize];
                bytes[(first - from) as usize..(last - from) as usize].copy_from_slice(data);
            }
        }
        if peek {
            return (bytes, false);
        }
        self.read = end;
        self.arrived.retain(|number, data| number + data.len() as u64 > end);
        let mut freed = 0;
        while let Some((_, taken)) = self.held.pop_front_if(|(other, _)| *other <= end) {
            freed += taken;
        }
        let tells = self.room.release(now, freed, end - from, end, self.next) && !self.is_ended();
        (bytes, tells)
    }
}
