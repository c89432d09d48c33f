//! The floor under a packet-hop: packets go round chains of five store-and-forward links, and nothing else happens. A ring
//! for each link, one event a hop, a binary heap of the links' heads. To be timed as a whole process.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, VecDeque};
use std::hint::black_box;
use std::process::ExitCode;

/// Links of a chain.
const CHAIN: usize = 5;
/// Time to transmit a packet, and propagation delay, ns.
const SERVICE: u64 = 12;
const DELAY: u64 = 1000;

/// A packet of the size of the simulator's, and when it reaches the far end.
#[derive(Clone, Copy)]
struct Flying {
    arrives: u64,
    packet: [u64; 7],
}

#[derive(Clone, Default)]
struct Link {
    free: u64,
    flying: VecDeque<Flying>,
}

impl Link {
    /// Takes a packet, and tells whether it is the only one.
    fn pass(&mut self, now: u64, packet: [u64; 7]) -> bool {
        self.free = self.free.max(now) + SERVICE;
        self.flying.push_back(Flying { arrives: self.free + DELAY, packet });
        self.flying.len() == 1
    }
}

fn main() -> ExitCode {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let &[links, packets, hops] = numbers.as_slice() else {
        eprintln!("usage: floor LINKS PACKETS HOPS");
        return ExitCode::from(2);
    };
    let mut chain = vec![Link::default(); links / CHAIN * CHAIN];
    for i in 0..packets {
        chain[i % links / CHAIN * CHAIN].pass((i / links) as u64, [i as u64; 7]);
    }
    let heads =
        chain.iter().enumerate().filter_map(|(i, link)| Some(Reverse((link.flying.front()?.arrives, i))));
    let mut heads: BinaryHeap<Reverse<(u64, usize)>> = heads.collect();
    for _ in 0..hops {
        let mut first = heads.peek_mut().expect("packets never leave");
        let Reverse((now, here)) = *first;
        let packet = chain[here].flying.pop_front().expect("a head is in flight").packet;
        match chain[here].flying.front() {
            Some(head) => {
                *first = Reverse((head.arrives, here));
                drop(first);
            }
            None => drop(PeekMut::pop(first)),
        }
        let next = if (here + 1) % CHAIN == 0 { here + 1 - CHAIN } else { here + 1 };
        if chain[next].pass(now, packet) {
            heads.push(Reverse((chain[next].flying[0].arrives, next)));
        }
    }
    black_box(&chain);
    ExitCode::SUCCESS
}
