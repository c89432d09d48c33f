//! A two-ended pipe for tests: delay, rate, and a script that says what happens to each packet.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use dumbbell_core::config::At;
use dumbbell_core::memory::{Budget, Counting, Pool};
use dumbbell_core::rng::{self, Stream};
use dumbbell_core::{BitRate, Config, Duration, Frame, Packet, Stage, Time, Value, Way, json};

use crate::transport::Opening;

/// A configuration from JSON text.
pub fn read<T: Config>(text: &str) -> T {
    let value: Value = json::from_str(text).unwrap();
    T::from_value(&value, &At::root("test")).unwrap_or_else(|e| panic!("{e}"))
}

/// An opening of flow 7 with an MTU of 1500 bytes.
pub fn opening(size: Option<u64>) -> Opening {
    Opening {
        flow: 7.into(),
        size,
        mtu: 1500,
        access: None,
        rng: stream(),
        replay: None,
        granted: None,
        application: None,
        reader: None,
    }
}

/// A random stream.
pub fn stream() -> Stream {
    rng::stream(1, "test")
}

/// A time in milliseconds.
pub fn ms(n: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(n / 1e3)
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What a function makes, and the bytes of memory that it keeps beside its own size.
pub fn kept<T>(make: impl FnOnce() -> T) -> (T, u64) {
    let budget = Budget::new(&Pool::new(u64::MAX, 1), Time::ZERO).enter();
    let before = budget.taken();
    let made = make();
    let bytes = budget.taken() - before;
    (made, bytes)
}

/// What happens to a packet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fate {
    Pass,
    Drop,
    Mark,
    /// Arrives later than it should, and so perhaps after its successors.
    Delay(Duration),
    Twice,
}

/// The way a packet goes, what it is, and how many went that way before it.
pub type Script = Box<dyn FnMut(Way, &Packet, usize) -> Fate>;

/// What a router on the way does to a packet.
pub type Router = Box<dyn FnMut(Time, Way, &mut Packet)>;

/// Two ends and what lies between.
pub struct Pipe<S, R> {
    pub sender: S,
    pub receiver: R,
    pub now: Time,
    /// Every packet sent, dropped ones included.
    pub forward: Vec<(Time, Packet)>,
    pub reverse: Vec<(Time, Packet)>,
    delay: Duration,
    rate: Option<BitRate>,
    free_at: Time,
    /// Packets that may wait, the one in transmission counted.
    room: Option<u64>,
    /// What should arrive in this time arrives at its end.
    stalled: Option<(Time, Time)>,
    /// How long packets waited before the bottleneck, by the time at which they came.
    pub waits: Vec<(Time, Duration)>,
    /// When packets found no room.
    pub overflowed: Vec<Time>,
    script: Script,
    router: Option<Router>,
    arrivals: BinaryHeap<Reverse<(Time, u64)>>,
    packets: BTreeMap<u64, (Way, Packet)>,
    count: u64,
}

impl<S: Stage, R: Stage> Pipe<S, R> {
    /// A pipe with an RTT of 50 ms and no other limit, opened at time 0.
    pub fn new(
        (sender, receiver): (S, R),
        script: impl FnMut(Way, &Packet, usize) -> Fate + 'static,
    ) -> Self {
        let mut pipe = Pipe {
            sender,
            receiver,
            now: Time::ZERO,
            forward: Vec::new(),
            reverse: Vec::new(),
            delay: Duration::from_millis(25),
            rate: None,
            free_at: Time::ZERO,
            room: None,
            stalled: None,
            waits: Vec::new(),
            overflowed: Vec::new(),
            script: Box::new(script),
            router: None,
            arrivals: BinaryHeap::new(),
            packets: BTreeMap::new(),
            count: 0,
        };
        pipe.sender.wake(Time::ZERO);
        pipe
    }

    /// The same with a bottleneck of `rate` on the way forward and an RTT of `rtt`.
    pub fn shaped(mut self, rate: Option<BitRate>, rtt: Duration) -> Self {
        self.rate = rate;
        self.delay = rtt / 2;
        self
    }

    /// The same with room for so many packets before the bottleneck, all as large as the largest so far.
    pub fn buffered(mut self, packets: u64) -> Self {
        self.room = Some(packets);
        self
    }

    /// The same with another script from now on.
    pub fn with_script(mut self, script: impl FnMut(Way, &Packet, usize) -> Fate + 'static) -> Self {
        self.script = Box::new(script);
        self
    }

    /// The same with a router on the way.
    pub fn routed(mut self, router: impl FnMut(Time, Way, &mut Packet) + 'static) -> Self {
        self.router = Some(Box::new(router));
        self
    }

    /// Lets nothing arrive between two times, either way; what should arrives at the end.
    pub fn stall(&mut self, from: Time, to: Time) {
        self.stalled = Some((from, to));
    }

    fn carry(&mut self, way: Way, mut packet: Packet) {
        let log = if way == Way::Forward { &mut self.forward } else { &mut self.reverse };
        let index = log.len();
        log.push((self.now, packet));
        self.router.iter_mut().for_each(|router| router(self.now, way, &mut packet));
        let mut departure = self.now;
        if let (Way::Forward, Some(rate)) = (way, self.rate) {
            let waiting = self.free_at.max(self.now).since(self.now);
            self.waits.push((self.now, waiting));
            let room = self.room.map(|packets| rate.time_to_send(packets * 1500));
            if room.is_some_and(|room| waiting >= room) {
                self.overflowed.push(self.now);
                return;
            }
            departure = departure.max(self.free_at) + rate.time_to_send(u64::from(packet.size));
            self.free_at = departure;
        }
        let mut copies = 1;
        match (self.script)(way, &packet, index) {
            Fate::Pass => {}
            Fate::Drop => return,
            Fate::Mark => packet.mark_ce(),
            Fate::Delay(d) => departure += d,
            Fate::Twice => copies = 2,
        }
        for _ in 0..copies {
            self.count += 1;
            let at = departure + self.delay;
            let at = self.stalled.filter(|(from, to)| (*from..*to).contains(&at)).map_or(at, |(_, to)| to);
            self.arrivals.push(Reverse((at, self.count)));
            self.packets.insert(self.count, (way, packet));
        }
    }

    fn pull(&mut self) {
        while let Some(packet) = self.sender.pull(self.now) {
            self.carry(Way::Forward, packet);
        }
        while let Some(packet) = self.receiver.pull(self.now) {
            self.carry(Way::Reverse, packet);
        }
    }

    /// Lets the next thing happen. False if nothing ever will.
    pub fn step(&mut self) -> bool {
        self.pull();
        let timer = self.sender.wake_at().min(self.receiver.wake_at());
        let arrival = self.arrivals.peek().map_or(Time::NEVER, |a| a.0.0);
        if arrival.min(timer) == Time::NEVER {
            return false;
        }
        if arrival <= timer {
            let Reverse((at, number)) = self.arrivals.pop().unwrap();
            let (way, packet) = self.packets.remove(&number).unwrap();
            self.now = at;
            match way {
                Way::Forward => self.receiver.push(at, &packet),
                Way::Reverse => self.sender.push(at, &packet),
            }
        } else {
            self.now = timer;
            self.sender.wake(timer);
            self.receiver.wake(timer);
            self.pull();
            assert!(self.sender.wake_at().min(self.receiver.wake_at()) > timer, "a timer stands still");
        }
        self.pull();
        true
    }

    /// Goes on until `done` or until nothing more happens.
    pub fn until(&mut self, mut done: impl FnMut(&Self) -> bool) {
        self.pull();
        while !done(self) {
            if !self.step() {
                return;
            }
        }
    }

    /// Goes on until nothing more happens.
    pub fn finish(&mut self) {
        self.until(|_| false);
    }
}
