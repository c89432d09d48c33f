//! The event loop: packets in, through the links of the simulator, and out when their time has come.

mod delays;
pub mod desk;
mod guests;
mod interface;
pub mod log;
pub mod path;
pub mod recorder;
pub mod routers;
mod tally;
pub mod unmet;
mod waits;

use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use dumbbell_core::{Duration, Frame, Time, VerdictSink};
use dumbbell_net::link::{Carried, Entrance, Incident, Incidents, Meter, QueuedLink};
use dumbbell_net::node::PortView;
use dumbbell_trace::Happened;
use nix::poll::{PollFd, PollFlags};

use self::delays::Delays;
use self::guests::Guests;
use self::interface::{Input, Interface, Pool};
use self::log::Log;
use self::path::{DOWN, Path, UP};
use self::recorder::{Recorder, Traced, Tracing};
use self::routers::{Counted, Fate, Routers};
pub use self::tally::{Dropped, Originated, Sample, Tally};
use self::waits::{WRITE, poll, sleep, without_looks};
use crate::clock::precise::{Lead, Precise};
use crate::clock::{Clock, is_virtual, processor_time};
use crate::frame::IpFrame;
use crate::namespace::device::Address;
use crate::namespace::nest;
use crate::namespace::waiting::{OwnDelay, Waited};
use crate::namespace::{End, News};

/// Between two wake-ups while traffic is dense: packets that come or go within it are handled together. Half the allowed
/// error of a round-trip time, and most of the cost of a packet saved: on a virtual machine, that is setting a timer and
/// waking up. A packet that comes or goes alone never waits for it.
const QUANTUM: Duration = Duration::from_micros(150);

/// Traffic is dense if packets moved in two wake-ups no further apart than this.
const DENSE: Duration = Duration::from_micros(300);

/// Time between two looks at the caller, who may wish to stop.
const TICK: Duration = Duration::from_millis(100);

/// Packets read from one interface before the others have their turn.
const BATCH: usize = 128;

/// Bytes of memory that packets may hold in all; with more, nothing is read until some have left, and the kernel drops.
const MOST_HELD: u64 = 256 << 20;

/// One direction of the path.
pub struct OneWay {
    /// Links before the emulated one, where the client's addresses differ.
    before: Delays,
    link: QueuedLink<IpFrame>,
    /// Links behind it.
    after: Delays,
    log: Option<Log>,
    /// What happened so far.
    pub tally: Tally,
}

impl OneWay {
    /// When something is due that another can see.
    fn wake_at(&self) -> Time {
        self.link.comes_out_at().min(self.before.wake_at()).min(self.after.wake_at())
    }

    fn finish(mut self, now: Time) -> io::Result<Tally> {
        self.tally.total = self.link.counters(now);
        self.tally.inside = self.link.inside() + self.after.waiting().count() as u64;
        self.tally.account = self.link.read_port(now);
        self.tally.classes = self.link.read_classes(now);
        self.tally.average = self.link.average();
        if let Some(log) = self.log {
            log.finish(now)?;
        }
        Ok(self.tally)
    }
}

/// What to run.
pub struct Settings<'a> {
    /// The links.
    pub path: &'a Path,
    /// The seed of random losses and of queues that draw lots.
    pub seed: u64,
    /// Figures count from here.
    pub warmup: Duration,
    /// Period of samples.
    pub period: Option<Duration>,
    /// Note each drop.
    pub drops: bool,
    /// Logs of the uplink and the downlink.
    pub logs: [Option<PathBuf>; 2],
    /// The date in milliseconds since 1970.
    pub unix: u64,
}

/// Where the server is.
pub enum Far {
    /// In a namespace of this emulator.
    Server(End),
    /// Behind the emulator around this one.
    Outer(OwnedFd),
}

/// The emulator.
pub struct Emulator {
    clock: Clock,
    directions: [OneWay; 2],
    routers: Routers,
    client: End,
    server: Option<End>,
    near: Interface,
    far: Interface,
    guests: Guests,
    /// The numbers of the client's addresses, one for each group of the path.
    addresses: Vec<u32>,
    lead: Lead,
    /// In virtual time, a timer fires when it is due, and waking up costs nothing.
    exact: bool,
    /// When the thread woke up last.
    woken: Time,
    /// How long the thread waited for a processor.
    delay: OwnDelay,
    /// How long a packet that is read now has waited, at most.
    unread: Duration,
    pool: Pool,
    held: u64,
    incidents: Incidents<IpFrame>,
    warmup: Time,
    period: Option<Duration>,
    note_drops: bool,
    recorder: Option<Recorder>,
}

/// What a run came to.
pub struct Outcome {
    /// The exit status of the command.
    pub status: u8,
    /// The exit status of a server's command that failed before the client's began.
    pub server_failed: Option<u8>,
    /// Uplink and downlink.
    pub tallies: [Tally; 2],
    /// Packets that the kernel dropped on their way to the emulator, at the client and at the server.
    pub lost_before: [u64; 2],
    /// How long the processes of the client and the server waited for a processor, where that is known. The server is not
    /// ours in a shell within another, which knows about it.
    pub waited: [Option<Box<Waited>>; 2],
    /// True if the emulator knows how long it waited itself.
    pub knows_own_delay: bool,
    /// When counting began: at the end of the warm-up, or at the end of the run if that came first.
    pub counted_from: Time,
    /// When it began, by the clock of the machine ([`crate::clock::monotonic`]).
    pub started: Time,
    /// How long it took.
    pub duration: Duration,
    /// Processor time of the emulator.
    pub processor: Duration,
    /// What routers counted.
    pub counted: Vec<Counted>,
    /// How the trace went, if one was asked for.
    pub traced: Option<Traced>,
}

impl Emulator {
    /// An emulator between two ends whose commands have not started. `addresses` are the numbers of the client's.
    ///
    /// # Errors
    /// If a log cannot be written.
    pub fn new(
        settings: &Settings<'_>,
        client: End,
        far: Far,
        addresses: Vec<u32>,
        tracing: Option<Tracing>,
    ) -> io::Result<Emulator> {
        let links = [&settings.path.uplink, &settings.path.downlink];
        let mut directions = Vec::new();
        for (i, link) in links.into_iter().enumerate() {
            let log = match &settings.logs[i] {
                Some(path) => Some(Log::create(path, ["uplink", "downlink"][i], link, settings.unix)?),
                None => None,
            };
            let config = link.config(settings.seed, [].into());
            let beside = || settings.path.groups.iter().map(move |group| [group.up, group.down][i]);
            directions.push(OneWay {
                before: Delays::new(beside().map(|beside| beside.before)),
                link: QueuedLink::new(&config),
                after: Delays::new(beside().map(|beside| beside.after)),
                log,
                tally: Tally::default(),
            });
        }
        let Ok(directions) = directions.try_into() else { unreachable!("two links") };
        let near = Interface::device(client.device.try_clone()?);
        let (server, far) = match far {
            Far::Server(end) => {
                let interface = Interface::device(end.device.try_clone()?);
                (Some(end), interface)
            }
            Far::Outer(socket) => (None, Interface::socket(socket)),
        };
        let routers =
            Routers::new(settings.path, settings.seed, addresses.first().copied().unwrap_or_default());
        let clock = Clock::start();
        let recorder = match tracing {
            Some(tracing) => Some(Recorder::begin(tracing, settings.path, &clock)?),
            None => None,
        };
        // Of the first shell; others ask the emulator around them.
        let first_number = server.is_some().then(|| addresses.iter().max().map_or(1, |last| last + 1));
        Ok(Emulator {
            clock,
            directions,
            routers,
            client,
            server,
            near,
            far,
            guests: Guests::new(first_number),
            addresses,
            lead: Lead::default(),
            exact: is_virtual(),
            woken: Time::ZERO,
            delay: OwnDelay::begin(),
            unread: Duration::ZERO,
            pool: Pool::new(settings.path.mtu),
            held: 0,
            incidents: Vec::new(),
            warmup: Time::ZERO + settings.warmup,
            period: settings.period,
            note_drops: settings.drops,
            recorder,
        })
    }

    /// Starts the commands and carries their packets until the client's has ended.
    ///
    /// `tick` is called some ten times a second with the time since the start, may look at the links and change them, and may end the run.
    ///
    /// # Errors
    /// If a log cannot be written, or the caller ended the run ([`io::ErrorKind::Interrupted`]).
    pub fn run(
        mut self,
        mut tick: impl FnMut(Time, &mut Emulator) -> ControlFlow<()>,
    ) -> io::Result<Outcome> {
        let _precise = Precise::begin();
        let processor = processor_time();
        let mut started = false;
        let mut server_failed = None;
        match &self.server {
            Some(server) => server.start(),
            None => {
                self.client.start();
                started = true;
            }
        }
        let mut next_tick = Time::ZERO;
        let mut next_sample = self.period.map_or(Time::NEVER, |period| Time::ZERO + period);
        let mut counted_from = (self.warmup == Time::ZERO).then_some(Time::ZERO);
        let mut ready = Ready::default();
        let mut last_moved = Time::ZERO;
        self.woken = self.clock.now();
        loop {
            let now = self.now();
            if self.exact {
                // Nobody wakes up for a sample alone: nothing has happened since then.
                while next_sample < now {
                    self.release(next_sample);
                    self.sample(next_sample);
                    next_sample += self.period.unwrap_or(Duration::MAX);
                }
            }
            // What waited goes first: the links take packets in order of time.
            let moved = self.release(now) + self.read(now, &ready) > 0;
            let dense = moved && !self.exact && now.since(last_moved) <= DENSE;
            if moved {
                last_moved = now;
            }
            if now >= next_tick {
                next_tick = now + TICK;
                if tick(now, &mut self).is_break() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                self.routers.sweep(now);
                let mut known = now;
                for direction in &mut self.directions {
                    if direction.log.is_none() && self.recorder.is_none() {
                        continue;
                    }
                    // The departure of a packet is noted when it reaches the far end.
                    let under_way = direction.link.in_flight().chain(direction.after.waiting());
                    let left = under_way.map(IpFrame::left).min().unwrap_or(now);
                    known = known.min(left);
                    if let Some(log) = &mut direction.log {
                        log.write_until(left)?;
                    }
                }
                if let Some(recorder) = &mut self.recorder {
                    recorder.known_until(known);
                }
            }
            if counted_from.is_none() && now >= self.warmup {
                counted_from = Some(now);
                for direction in &mut self.directions {
                    direction.tally.baseline = direction.link.counters(now);
                    direction.link.read_port(now);
                    direction.link.read_classes(now);
                    direction.tally.delivered_before = direction.tally.delivered;
                    direction.tally.originated_before = direction.tally.originated;
                }
            }
            if now >= next_sample {
                self.sample(next_sample);
                next_sample += self.period.unwrap_or(Duration::MAX);
            }
            if dense {
                sleep(QUANTUM);
                self.delay.since_last();
                // Whatever the reason, nobody looked meanwhile.
                self.unread = self.clock.now().since(now);
                ready = Ready { near: true, far: true, door: false, guests: true };
                continue;
            }
            let wake_at = self.directions.iter().map(OneWay::wake_at).min().unwrap_or(Time::NEVER);
            let wake_at = wake_at.min(self.routers.wake_at());
            let news;
            let other = if self.exact { next_tick } else { next_tick.min(next_sample) };
            (news, ready) = self.wait(wake_at, other);
            match news {
                Wait::Packets => {}
                Wait::Server => match self.server.as_ref().map(End::news) {
                    Some(News::Exited { .. }) => {
                        return Err(io::Error::other("the namespace of the server was killed"));
                    }
                    _ if started => {}
                    news => {
                        if let Some(News::Listening { failed }) = news {
                            server_failed = failed;
                        }
                        self.client.start();
                        started = true;
                    }
                },
                Wait::Client => match self.client.news() {
                    News::Listening { .. } => {}
                    News::Exited { status, lost, waited } => {
                        let outcome = self.finish(counted_from, status, (lost, waited), processor)?;
                        return Ok(Outcome { server_failed, ..outcome });
                    }
                },
            }
        }
    }

    /// The time now. In virtual time it hardly moves until the thread waits, and a look at the clock would cost a system call.
    fn now(&self) -> Time {
        if self.exact { self.woken } else { self.clock.now() }
    }

    /// Reads what has come; how much that was.
    fn read(&mut self, now: Time, ready: &Ready) -> usize {
        let mut count = 0;
        while ready.near && count < BATCH && self.held <= MOST_HELD {
            match self.near.read(now, &mut self.pool) {
                Input::Nothing | Input::Closed => break,
                input => self.take(now, UP, input),
            }
            count += 1;
        }
        let most = count + BATCH;
        while ready.far && count < most && self.held <= MOST_HELD {
            match self.far.read(now, &mut self.pool) {
                Input::Nothing | Input::Closed => break,
                Input::Attached(number) => self.guests.attached(number),
                input => self.take(now, DOWN, input),
            }
            count += 1;
        }
        if ready.door {
            self.admit_guests();
        }
        if ready.guests { count + self.read_guests(now) } else { count }
    }

    fn take(&mut self, now: Time, to: usize, input: Input) {
        let Input::Packet(frame) = input else {
            self.directions[to].tally.malformed += 1;
            return;
        };
        if frame.is_for_neighbours() {
            // It would also draw from the streams of the link whenever a kernel likes: one seed, other losses.
            self.pool.give(frame.into_buffer());
            return;
        }
        self.held += frame.footprint();
        let address = self.address(to, &frame);
        self.note(frame.at(), to, Happened::Sent, &frame);
        let direction = &mut self.directions[to];
        direction.tally.unread.add(self.unread);
        if let Some(frame) = direction.before.keep(address, frame) {
            self.enter(now, to, frame);
        }
    }

    /// Which of the client's addresses a packet has; the first for packets of shells within this one.
    fn address(&self, to: usize, frame: &IpFrame) -> usize {
        if self.addresses.len() == 1 {
            return 0;
        }
        let bytes = if to == UP { frame.source() } else { frame.destination() };
        let number = Address::number(bytes);
        self.addresses.iter().position(|address| Some(*address) == number).unwrap_or(0)
    }

    /// Puts a packet into the queue of the link at `at`, now or a little earlier, past the router before it.
    fn enter(&mut self, at: Time, to: usize, frame: IpFrame) {
        if let Some(frame) = self.pass(at, to, to, frame) {
            self.queue(at, to, frame);
        }
        self.originate(at, to);
    }

    /// Tells the trace, if there is one.
    fn note(&mut self, at: Time, to: usize, happened: Happened, frame: &IpFrame) {
        if let Some(recorder) = &mut self.recorder {
            recorder.note(at, to, happened, frame);
        }
    }

    fn queue(&mut self, at: Time, to: usize, frame: IpFrame) {
        self.note(at, to, Happened::Arrived(to as u32), &frame);
        let direction = &mut self.directions[to];
        if let Some(log) = &mut direction.log {
            log.arrived(at, frame.size());
        }
        direction.link.push(at, frame, &mut self.incidents);
        self.account(at, to);
    }

    /// A packet passes the router at an end, if there is one, on its way in a direction.
    fn pass(&mut self, at: Time, end: usize, to: usize, mut frame: IpFrame) -> Option<IpFrame> {
        if !self.routers.is_at(end) {
            return Some(frame);
        }
        let view = if end == to { self.view(at, to) } else { self.routers.beyond(end) };
        let fate = self.routers.pass(at, end, to, &mut frame, &view);
        let link = &mut self.directions[to].link;
        let mut sink = Entrance { link, incidents: &mut self.incidents };
        let onward = match fate {
            Fate::Onward(None) => Some(frame),
            Fate::Onward(Some(reason)) => {
                sink.mark(&mut frame, reason);
                Some(frame)
            }
            Fate::Dropped(reason) => {
                sink.dropped(frame, reason);
                None
            }
        };
        self.account(at, to);
        onward
    }

    /// The queue of the link of a direction.
    fn view(&mut self, at: Time, to: usize) -> PortView {
        let link = &mut self.directions[to].link;
        let queue = link.queue(at, &mut self.incidents);
        let view = PortView { queue, counters: link.counters(at), backlog: link.backlog(at) };
        self.account(at, to);
        view
    }

    /// What the router at an end has originated leaves it.
    fn originate(&mut self, at: Time, end: usize) {
        if !self.routers.is_at(end) {
            return;
        }
        for (to, frame) in self.routers.originated(at) {
            self.held += frame.footprint();
            if let Some(recorder) = &mut self.recorder {
                recorder.note(at, to, Happened::Originated, &frame);
            }
            let direction = &mut self.directions[to];
            if end == to {
                direction.tally.originated.entered += 1;
                self.queue(at, to, frame);
                continue;
            }
            direction.tally.originated.behind += 1;
            if let Some(log) = &mut direction.log {
                log.arrived(at, frame.size());
            }
            self.leave(to, frame);
        }
    }

    /// A packet leaves the emulated link, and what is behind it.
    fn leave(&mut self, to: usize, frame: IpFrame) {
        let address = self.address(to, &frame);
        if let Some(frame) = self.directions[to].after.keep(address, frame) {
            self.hand_over(to, frame);
        }
    }

    /// What happened on a link.
    fn account(&mut self, now: Time, of: usize) {
        let direction = &mut self.directions[of];
        for (mut frame, incident) in self.incidents.drain(..) {
            // What is lost on the wire has left before.
            let gone = frame.left() > frame.arrived();
            if let Some(recorder) = &mut self.recorder {
                let link = of as u32;
                match incident {
                    Incident::Dropped(reason) => {
                        let at = if gone { frame.left() } else { now };
                        if frame.take_mark() {
                            recorder.note(at, of, Happened::Marked(link), &frame);
                        }
                        if gone {
                            recorder.note(at, of, Happened::Left(link), &frame);
                        }
                        recorder.note(now, of, Happened::Dropped(link, reason), &frame);
                    }
                    // The plan of such a link is refused.
                    Incident::Pause(_) => {}
                    Incident::Duplicated => recorder.note(now, of, Happened::Duplicated(link), &frame),
                }
            }
            let Incident::Dropped(reason) = incident else {
                self.held += frame.footprint();
                continue;
            };
            if gone {
                direction.tally.lost_bytes += u64::from(frame.size());
            }
            if let Some(log) = &mut direction.log {
                log.dropped(now, frame.size());
            }
            if self.note_drops {
                let (class, size) = (frame.class(), frame.size());
                direction.tally.drops.push(Dropped { at: now, class, size, reason });
            }
            self.held -= frame.footprint();
            self.pool.give(frame.into_buffer());
        }
    }

    /// Moves what has reached the link or the far end by `now`; how much that was.
    fn release(&mut self, now: Time) -> usize {
        let mut count = 0;
        for to in [UP, DOWN] {
            while let Some(mut frame) = self.directions[to].before.next(now) {
                // At the time when it was due: what the emulator is late, the delay of the link makes up for.
                frame.enter();
                count += 1;
                self.enter(frame.at(), to, frame);
            }
            while self.directions[to].link.wake_at() <= now {
                let taken = self.directions[to].link.take(now, &mut self.incidents);
                if !self.incidents.is_empty() {
                    self.account(now, to);
                }
                let Some(mut frame) = taken else { continue };
                count += 1;
                if frame.take_mark() {
                    self.note(frame.left(), to, Happened::Marked(to as u32), &frame);
                }
                self.note(frame.left(), to, Happened::Left(to as u32), &frame);
                let (at, end) = (frame.at(), 1 - to);
                if let Some(frame) = self.pass(at, end, to, frame) {
                    self.leave(to, frame);
                }
                self.originate(at, end);
            }
            while let Some(frame) = self.directions[to].after.next(now) {
                count += 1;
                self.hand_over(to, frame);
            }
        }
        if self.routers.wake_at() <= now {
            for end in [UP, DOWN] {
                let link = self.view(now, end);
                self.routers.wake(now, end, link);
                self.originate(now, end);
            }
        }
        count
    }

    fn hand_over(&mut self, to: usize, mut frame: IpFrame) {
        let interface = match to {
            UP => &self.far,
            _ if self.guests.len() == 0 => &self.near,
            _ => self.guests.behind(Address::number(frame.destination())).unwrap_or(&self.near),
        };
        // The clock is read for each packet: a batch of writes takes its time.
        let now = self.now();
        let late = now.since(frame.at());
        let written = interface.write(frame.bytes());
        if let Some(recorder) = &mut self.recorder {
            // By the router at the far end.
            if frame.take_mark() {
                recorder.note(now, to, Happened::Marked(to as u32), &frame);
            }
            if written.is_ok() {
                recorder.note(now, to, Happened::Delivered, &frame);
            }
        }
        let direction = &mut self.directions[to];
        let tally = &mut direction.tally;
        match written {
            Ok(()) => tally.written_bytes += u64::from(frame.size()),
            Err(_) => tally.refused += 1,
        }
        tally.delivered += 1;
        tally.lateness.add(late);
        if let Some(log) = &mut direction.log {
            log.left(frame.left(), frame.size(), frame.arrived());
        }
        self.held -= frame.footprint();
        self.pool.give(frame.into_buffer());
    }

    /// Admits shells within this one.
    fn admit_guests(&mut self) {
        while let Some(socket) = self.client.door.as_ref().and_then(|door| nest::admit(door).ok()) {
            self.guests.admit(socket);
        }
    }

    /// Reads the packets of shells within this one; how many there were.
    fn read_guests(&mut self, now: Time) -> usize {
        let mut count = 0;
        for guest in 0..self.guests.len() {
            let most = count + BATCH;
            while count < most
                && self.held <= MOST_HELD
                && let Some(interface) = self.guests.interface(guest)
            {
                match interface.read(now, &mut self.pool) {
                    Input::Nothing => break,
                    Input::Closed => self.guests.end(guest),
                    Input::Attach => self.guests.attach(guest, &self.far),
                    input => self.take(now, UP, input),
                }
                count += 1;
            }
        }
        count
    }

    fn sample(&mut self, at: Time) {
        for direction in &mut self.directions {
            let backlog = direction.link.backlog(at);
            if at > self.warmup {
                direction.tally.queue.add(backlog);
            }
            let counters = direction.link.progress(at);
            direction.tally.samples.push(Sample {
                at,
                backlog,
                sent_bytes: counters.sent_bytes,
                arrived_bytes: direction.tally.written_bytes + direction.tally.lost_bytes,
                dropped: counters.dropped_total(),
            });
        }
    }

    /// Waits for packets, for news, for the time of a packet, which is kept exactly, or for that of other work.
    fn wait(&mut self, packet: Time, other: Time) -> (Wait, Ready) {
        let input = |fd| PollFd::new(fd, PollFlags::POLLIN);
        let has_come = |watched: &PollFd<'_>| watched.revents().is_some_and(|events| !events.is_empty());
        let mut watched = vec![input(self.client.as_fd())];
        watched.extend(self.server.iter().map(|server| input(server.as_fd())));
        let ports = watched.len();
        if self.held <= MOST_HELD {
            watched.extend([input(self.near.as_fd()), input(self.far.as_fd())]);
            watched.extend(self.client.door.iter().map(|door| input(door.as_fd())));
            watched.extend(self.guests.watched().map(input));
        }
        let lead = if self.exact { WRITE } else { self.lead.get() };
        let until = other.min(packet);
        let timer = other.min(packet - lead);
        let woken = loop {
            let now = self.clock.now();
            // Once the timer has fired, the rest is spent looking at the ports again and again.
            let timeout = timer.since(now);
            // A signal is looked at with the next tick.
            let (came, waited) = poll(&mut watched, timeout);
            // In virtual time, a look at the clock is a system call, and a timer fires when it is due.
            let later = match self.exact {
                true if came => without_looks(self.woken, now + waited),
                true => until,
                false => self.clock.now(),
            };
            self.woken = later;
            if !came && timeout > Duration::ZERO && !self.exact {
                self.lead.observe(later.since(timer));
            }
            if came || later >= until {
                break later;
            }
        };
        // It waited for a processor, or stood still beyond its timer for another reason.
        let delay = if self.exact { Duration::ZERO } else { self.delay.since_last() };
        self.unread = delay.max(woken.since(until));
        let (processes, ports) = watched.split_at(ports);
        let at = |i: usize| ports.get(i).is_some_and(has_come);
        let doors = 2 + usize::from(self.client.door.is_some());
        let ready = Ready {
            near: at(0),
            far: at(1),
            door: doors == 3 && at(2),
            guests: ports.iter().skip(doors).any(has_come),
        };
        let wait = match processes.iter().position(has_come) {
            Some(0) => Wait::Client,
            Some(_) => Wait::Server,
            None => Wait::Packets,
        };
        (wait, ready)
    }

    fn finish(
        mut self,
        counted_from: Option<Time>,
        status: u8,
        (lost_at_client, client_waited): (u64, Option<Box<Waited>>),
        processor: Duration,
    ) -> io::Result<Outcome> {
        let now = self.clock.now();
        // What has left a transmitter since the thread woke up last counts as sent.
        for to in [UP, DOWN] {
            self.view(now, to);
        }
        let at_server = self.server.as_ref().map(|server| {
            server.finish();
            loop {
                if let News::Exited { lost, waited, .. } = server.news() {
                    break (lost, waited);
                }
            }
        });
        let (lost_at_server, server_waited) = at_server.unwrap_or((0, Some(Box::default())));
        let counted = self.routers.counted();
        let traced = self.recorder.map(|recorder| recorder.finish(now));
        let [up, down] = self.directions;
        Ok(Outcome {
            counted,
            status,
            tallies: [up.finish(now)?, down.finish(now)?],
            server_failed: None,
            lost_before: [lost_at_client, lost_at_server],
            waited: [client_waited, server_waited],
            knows_own_delay: self.exact || self.delay.is_known(),
            counted_from: counted_from.unwrap_or(now),
            started: self.clock.started(),
            duration: now.since(Time::ZERO),
            processor: processor_time().saturating_sub(processor),
            traced,
        })
    }
}

/// What can be read.
#[derive(Clone, Copy, Debug, Default)]
struct Ready {
    near: bool,
    far: bool,
    door: bool,
    guests: bool,
}

enum Wait {
    Packets,
    Client,
    Server,
}
