//! What a user can say of a link. Every topology declares its links through [`link_role!`]: the same fields, with the
//! defaults that suit the role.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{BitRate, Bytes, Duration, Probability, Time, Validate, Value, config};
use dumbbell_net::link::Trace;
use dumbbell_net::power::Power;
use dumbbell_net::queue::QueueSpec;
use dumbbell_net::router::AgentSpec;

use crate::files::Files;
use crate::limits::{MAX_DURATION_SECS, MAX_MTU, MIN_MTU};

config! {
    /// A change of a link's rate during the run. A packet in transmission keeps its rate.
    pub struct RateChange {
        /// When.
        at: Duration;
        /// Bits per second from then on.
        rate: BitRate;
    }
}

impl Validate for RateChange {}

config! {
    /// A recorded link: a Mahimahi trace, each line a time in milliseconds at which so many bytes may leave, over and over.
    pub struct TraceSpec {
        /// The file.
        file: String;
        /// Bytes that one line lets pass.
        opportunity: Bytes = "1504B", "mm-link(1) of Mahimahi as built: 1500 bytes and the prefix of its tunnel";
        /// Bytes counted with every packet beside its own.
        overhead: Bytes = "4B", "Mahimahi: the prefix of its tunnel";
    }
}

impl Validate for TraceSpec {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let most = MAX_MTU * 1000;
        let sane = |b: Bytes| b.get() <= most;
        if !sane(self.opportunity) || self.opportunity <= self.overhead {
            return Err(at.key("opportunity").error(
                format!(
                    "{} does not lie between the overhead of {} and {most}B",
                    self.opportunity, self.overhead
                ),
                "give the bytes that one line of the file lets pass",
            ));
        }
        Ok(())
    }
}

impl TraceSpec {
    /// Reads the file.
    ///
    /// # Errors
    /// A file that cannot be read or is not a trace.
    pub fn read(&self, files: &mut Files, at: &At<'_>) -> Result<Trace, ConfigError> {
        let text = files.read(&self.file, &at.key("file"))?;
        let mut last = 0.0;
        let mut times = Vec::new();
        let mut end = None;
        for row in text.rows(&["milliseconds"]) {
            let row = row?;
            end = Some(row);
            let ms = row.time("milliseconds", &mut last)?;
            if ms > MAX_DURATION_SECS as f64 * 1e3 || ms.fract() != 0.0 {
                return Err(
                    row.error(format!("{ms} is not a time in milliseconds"), "write whole milliseconds")
                );
            }
            times.push(Time::ZERO + Duration::from_millis(ms as u64));
        }
        if times.last() == Some(&Time::ZERO)
            && let Some(row) = end
        {
            return Err(row.error("the trace ends at 0", "end it at 1 or later"));
        }
        let narrow = |b: Bytes| u32::try_from(b.get()).unwrap_or(u32::MAX);
        Ok(Trace {
            times: times.into(),
            opportunity: narrow(self.opportunity),
            overhead: narrow(self.overhead),
        })
    }
}

config! {
    /// How the direction back differs from the direction from the first node to the second.
    pub struct Reverse {
        /// Bits per second.
        rate: Option<BitRate> = (), "absent: as in the other direction";
        /// Propagation delay.
        delay: Option<Duration> = (), "absent: as in the other direction";
        /// Queue before the transmitter.
        queue: Option<QueueSpec> = (), "absent: as in the other direction";
        /// What the router does beside queueing.
        router: Option<AgentSpec> = (), "absent: as in the other direction";
        /// Changes of the rate during the run.
        rate_changes: Option<Vec<RateChange>> = (), "absent: as in the other direction";
        /// A recorded link in place of the rate.
        trace: Option<TraceSpec> = (), "absent: as in the other direction";
        /// Power control of the transmitter.
        power: Option<Power> = (), "choice: power control is asked for, one direction at a time";
        /// Share of packets lost at random after transmission.
        loss: Probability = 0.0, "choice: losses are asked for, one direction at a time";
        /// Packets to drop, by order of arrival at the queue, counted from 0.
        drop_list: Vec<u64> = [], "choice: losses are asked for, one direction at a time";
    }
}

impl Validate for Reverse {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_changes(self.rate_changes.as_deref().unwrap_or_default(), at)?;
        check_drop_list(&self.drop_list, at)
    }
}

/// A link of any role, as the user described it.
#[derive(Clone, PartialEq, Debug)]
pub struct LinkSpec {
    /// Bits per second.
    pub rate: BitRate,
    /// Propagation delay, one way.
    pub delay: Duration,
    /// Queue before each of the two transmitters.
    pub queue: QueueSpec,
    /// What the router does beside queueing.
    pub router: Option<AgentSpec>,
    /// Changes of the rate during the run.
    pub rate_changes: Vec<RateChange>,
    /// A recorded link in place of the rate.
    pub trace: Option<TraceSpec>,
    /// Power control of the transmitter.
    pub power: Option<Power>,
    /// Largest packet, headers included.
    pub mtu: Bytes,
    /// Share of packets lost at random, forward direction.
    pub loss: Probability,
    /// Packets to drop, forward direction.
    pub drop_list: Vec<u64>,
    /// How the direction back differs.
    pub reverse: Reverse,
}

/// One direction of a link.
#[derive(Clone, PartialEq, Debug)]
pub struct DirectionSpec {
    /// Bits per second.
    pub rate: BitRate,
    /// Propagation delay.
    pub delay: Duration,
    /// Queue before the transmitter.
    pub queue: QueueSpec,
    /// What the router does beside queueing.
    pub router: Option<AgentSpec>,
    /// Changes of the rate, sorted by time.
    pub rate_changes: Vec<(Time, BitRate)>,
    /// A recorded link in place of the rate.
    pub trace: Option<TraceSpec>,
    /// Power control of the transmitter.
    pub power: Option<Power>,
    /// Largest packet, headers included.
    pub mtu: u32,
    /// Share of packets lost at random after transmission.
    pub loss: Probability,
    /// Packets to drop, sorted.
    pub drop_list: Vec<u64>,
}

impl LinkSpec {
    /// The direction from the first node to the second.
    pub fn forward(&self) -> DirectionSpec {
        DirectionSpec {
            rate: self.rate,
            delay: self.delay,
            queue: self.queue.clone(),
            router: self.router.clone(),
            rate_changes: changes(&self.rate_changes),
            trace: self.trace.clone(),
            power: self.power.clone(),
            mtu: self.mtu.get() as u32,
            loss: self.loss,
            drop_list: sorted(&self.drop_list),
        }
    }

    /// The direction back.
    pub fn backward(&self) -> DirectionSpec {
        DirectionSpec {
            rate: self.reverse.rate.unwrap_or(self.rate),
            delay: self.reverse.delay.unwrap_or(self.delay),
            queue: self.reverse.queue.as_ref().unwrap_or(&self.queue).clone(),
            router: self.reverse.router.as_ref().or(self.router.as_ref()).cloned(),
            rate_changes: changes(self.reverse.rate_changes.as_ref().unwrap_or(&self.rate_changes)),
            trace: self.reverse.trace.as_ref().or(self.trace.as_ref()).cloned(),
            power: self.reverse.power.clone(),
            mtu: self.mtu.get() as u32,
            loss: self.reverse.loss,
            drop_list: sorted(&self.reverse.drop_list),
        }
    }
}

fn changes(list: &[RateChange]) -> Vec<(Time, BitRate)> {
    list.iter().map(|change| (Time::ZERO + change.at, change.rate)).collect()
}

fn sorted(list: &[u64]) -> Vec<u64> {
    let mut list = list.to_vec();
    list.sort_unstable();
    list
}

/// The default of a queue field: DropTail with a limit.
pub(crate) fn droptail(limit: &str) -> Value {
    Value::Table(vec![("kind".to_owned(), Value::from("droptail")), ("limit".to_owned(), Value::from(limit))])
}

fn check_changes(list: &[RateChange], at: &At<'_>) -> Result<(), ConfigError> {
    match list.windows(2).position(|w| w[0].at >= w[1].at) {
        Some(i) => Err(at
            .key("rate_changes")
            .index(i + 1)
            .key("at")
            .error(format!("{} is not after {}", list[i + 1].at, list[i].at), "sort the changes by time")),
        None => Ok(()),
    }
}

/// A recorded link has no rate that could change.
fn check_trace(direction: &DirectionSpec, at: &At<'_>) -> Result<(), ConfigError> {
    if direction.trace.is_some() && !direction.rate_changes.is_empty() {
        return Err(at.key("trace").error(
            "a recorded link has no rate, and `rate_changes` changes it",
            "leave out one of them, in `reverse` by `rate_changes = []`",
        ));
    }
    Ok(())
}

/// A port sets its own rate, below the link's.
fn check_power(direction: &DirectionSpec, at: &At<'_>) -> Result<(), ConfigError> {
    let Some(power) = &direction.power else { return Ok(()) };
    let place = at.key("power");
    if direction.trace.is_some() || !direction.rate_changes.is_empty() {
        return Err(place.error(
            "the link's rate changes by itself",
            "leave out `trace` and `rate_changes`, or power control",
        ));
    }
    power.check(direction.rate, &place)
}

fn check_drop_list(list: &[u64], at: &At<'_>) -> Result<(), ConfigError> {
    match sorted(list).windows(2).find(|w| w[0] == w[1]) {
        Some(twice) => {
            Err(at.key("drop_list").error(format!("packet {} stands there twice", twice[0]), "name it once"))
        }
        None => Ok(()),
    }
}

/// The rules for the fields that all roles share.
pub(crate) fn check(link: &LinkSpec, at: &At<'_>) -> Result<(), ConfigError> {
    let mtu = link.mtu;
    check_changes(&link.rate_changes, at)?;
    check_drop_list(&link.drop_list, at)?;
    for (direction, at) in [(link.forward(), at), (link.backward(), &at.key("reverse"))] {
        check_trace(&direction, at)?;
        check_power(&direction, at)?;
    }
    if mtu.get() < MIN_MTU {
        return Err(at.key("mtu").error(
            format!("{mtu} leaves no room for headers and data"),
            format!("give {MIN_MTU}B or more"),
        ));
    }
    if mtu.get() > MAX_MTU {
        return Err(at
            .key("mtu")
            .error(format!("{mtu} is not a packet size"), format!("give {MAX_MTU}B or less")));
    }
    Ok(())
}

/// Declares the link of one role: the fields of every link, with the role's defaults for rate, delay and queue, and
/// any fields that only this role has.
macro_rules! link_role {
    (
        $(#[doc = $doc:literal])*
        pub struct $name:ident {
            rate $(= $rate:expr, $rate_source:expr)?;
            delay = $delay:expr, $delay_source:expr;
            queue = $queue:expr, $queue_source:expr;
            $( $(#[doc = $extra_doc:literal])+ $extra:ident : $type:ty $(= $default:expr, $source:expr)?; )*
        }
    ) => {
        dumbbell_core::config! {
            $(#[doc = $doc])*
            pub struct $name {
                $( $(#[doc = $extra_doc])+ $extra : $type $(= $default, $source)?; )*
                /// Bits per second, each way.
                rate: dumbbell_core::BitRate $(= $rate, $rate_source)?;
                /// Propagation delay, one way.
                delay: dumbbell_core::Duration = $delay, $delay_source;
                /// Queue before each of the two transmitters.
                queue: dumbbell_net::queue::QueueSpec = $queue, $queue_source;
                /// What the routers at both ends do beside queueing.
                router: Option<dumbbell_net::router::AgentSpec> = (), "choice: routers queue and do nothing else";
                /// Changes of the rate during the run.
                rate_changes: Vec<$crate::link::RateChange> = [], "choice: links keep their rate";
                /// A recorded link in place of the rate.
                trace: Option<$crate::link::TraceSpec> = (), "absent: a constant rate";
                /// Power control of the transmitter in the forward direction.
                power: Option<dumbbell_net::power::Power> = (), "absent: the rate is fixed and energy is not counted";
                /// Largest packet, headers included.
                mtu: dumbbell_core::Bytes = "1500B", "RFC 894: the Ethernet payload";
                /// Share of packets lost at random after transmission, in the forward direction only.
                loss: dumbbell_core::Probability = 0.0, "choice: losses are asked for";
                /// Packets to drop in the forward direction, by order of arrival at the queue, counted from 0.
                drop_list: Vec<u64> = [], "choice: losses are asked for";
                /// How the direction back differs.
                reverse: $crate::link::Reverse = dumbbell_core::Value::table(), "choice: links are symmetric";
            }
        }

        impl $name {
            /// The fields that every link has.
            pub fn link(&self) -> $crate::link::LinkSpec {
                $crate::link::LinkSpec {
                    rate: self.rate,
                    delay: self.delay,
                    queue: self.queue.clone(),
                    router: self.router.clone(),
                    rate_changes: self.rate_changes.clone(),
                    trace: self.trace.clone(),
                    power: self.power.clone(),
                    mtu: self.mtu,
                    loss: self.loss,
                    drop_list: self.drop_list.clone(),
                    reverse: self.reverse.clone(),
                }
            }
        }

        impl dumbbell_core::Validate for $name {
            fn validate(
                &self,
                at: &dumbbell_core::config::At<'_>,
            ) -> Result<(), dumbbell_core::ConfigError> {
                $crate::link::check(&self.link(), at)
            }
        }
    };
}
pub(crate) use link_role;

link_role! {
    /// An access link between a host and its router.
    pub struct Access {
        rate = "100Mbit/s", "choice: ten times the default bottleneck, so that only the bottleneck queues";
        delay = "10ms", "choice: with the default bottleneck, a base round-trip time of 50 ms";
        queue = "droptail", "choice: unlimited, so that only the bottleneck drops";
    }
}

link_role! {
    /// A link that flows share and that limits them.
    pub struct Bottleneck {
        rate = "10Mbit/s", "Panarello et al., e-Energy 2012";
        delay = "5ms", "choice: a fifth of the one-way delay of the default dumbbell";
        queue = droptail("1bdp"), "Villamizar & Song, CCR 24(5), 1994: one bandwidth-delay product";
    }
}
