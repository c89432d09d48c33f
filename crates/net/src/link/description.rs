//! The parameters of a link. Each is declared once, in `link_parameters!`: the declaration gives what users write
//! ([`LinkSpec`]), what they write for the reverse direction ([`Reverse`]), and the resolved values of each direction
//! ([`Direction`]).

use std::fmt::Debug;
use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{BitRate, Bytes, Config, Duration, Probability, Time, Validate, Value, config};

use crate::impairment::ImpairmentSpec;
use crate::marker::MarkerSpec;
use crate::power::Power;
use crate::queue::QueueSpec;
use crate::router::AgentSpec;

/// The smallest MTU: an IPv4 header (20 B), the longest TCP header (60 B) and eight bytes of data, the least that
/// RFC 791 section 3.2 asks a fragment to carry.
pub const MIN_MTU: u64 = 88;
/// The largest MTU: the 16-bit total length of RFC 791 section 3.1.
pub const MAX_MTU: u64 = 65_535;

/// The value of a link's parameter in the reverse direction.
pub trait Rule {
    /// What users write for the reverse direction.
    type Reverse<T: Config + Clone + PartialEq + Debug>: Config + Clone + PartialEq + Debug;
    /// Where its default comes from.
    const SOURCE: &'static str;
    /// Its default, given that of the forward direction.
    fn default(forward: Option<Value>) -> Value;
    /// The value in the reverse direction.
    fn resolve<T: Config + Clone + PartialEq + Debug>(forward: &T, reverse: &Self::Reverse<T>) -> T;
}

/// The reverse direction has the value of the forward direction, unless `reverse` says otherwise.
#[derive(Debug)]
pub struct Both;

impl Rule for Both {
    type Reverse<T: Config + Clone + PartialEq + Debug> = Option<T>;
    const SOURCE: &'static str = "absent: as in the other direction";
    fn default(_forward: Option<Value>) -> Value {
        Value::Null
    }
    fn resolve<T: Config + Clone + PartialEq + Debug>(forward: &T, reverse: &Option<T>) -> T {
        reverse.as_ref().unwrap_or(forward).clone()
    }
}

/// Each direction sets the parameter for itself.
#[derive(Debug)]
pub struct Each;

impl Rule for Each {
    type Reverse<T: Config + Clone + PartialEq + Debug> = T;
    const SOURCE: &'static str = "choice: each direction sets its own";
    fn default(forward: Option<Value>) -> Value {
        forward.expect("a parameter of each direction has a default")
    }
    fn resolve<T: Config + Clone + PartialEq + Debug>(_forward: &T, reverse: &T) -> T {
        reverse.clone()
    }
}

/// Declares the parameters of a link: meaning, type, default with its source, and the [`Rule`] for the reverse direction. A
/// parameter without a default gets it from the roles that links have in topologies.
macro_rules! link_parameters {
    (@forward Both) => { " Both directions, unless `reverse` says otherwise." };
    (@forward Each) => { " Forward direction only; `reverse` sets its own." };
    (@default) => { ::core::option::Option::<Value>::None };
    (@default $default:expr) => { ::core::option::Option::Some(Value::from($default)) };
    ($(
        $(#[doc = $doc:literal])+
        $field:ident : $type:ty $(as $unit:literal)? $(= $default:expr, $source:expr)?, $rule:ident;
    )+) => {
        config! {
            /// A link between two nodes, both ways.
            pub struct LinkSpec {
                $(
                    $(#[doc = $doc])+
                    #[doc = link_parameters!(@forward $rule)]
                    $field: $type $(as $unit)? $(= $default, $source)?;
                )+
                /// How the reverse direction differs.
                reverse: Reverse = Value::table(), "choice: links are symmetric";
            }
        }

        config! {
            /// How the reverse direction differs from the forward direction, from the first node to the second.
            pub struct Reverse {
                $(
                    $(#[doc = $doc])+
                    $field: <$rule as Rule>::Reverse<$type> $(as $unit)? =
                        <$rule as Rule>::default(link_parameters!(@default $($default)?)),
                        <$rule as Rule>::SOURCE;
                )+
            }
        }

        /// One direction of a link.
        #[derive(Clone, PartialEq, Debug)]
        pub struct Direction {
            $( $(#[doc = $doc])+ pub $field: $type, )+
        }

        impl LinkSpec {
            /// The direction from the first node to the second.
            pub fn forward(&self) -> Direction {
                Direction { $( $field: self.$field.clone(), )+ }
            }

            /// The reverse direction.
            pub fn backward(&self) -> Direction {
                Direction { $( $field: <$rule as Rule>::resolve(&self.$field, &self.reverse.$field), )+ }
            }
        }
    };
}

link_parameters! {
    /// Bits per second.
    rate: BitRate, Both;
    /// Propagation delay, one way.
    delay: Duration, Both;
    /// Queue before the transmitter.
    queue: QueueSpec, Both;
    /// What the router does beside queueing.
    router: Option<AgentSpec> = (), "choice: routers queue and do nothing else", Both;
    /// What sets the traffic class of packets that arrive, before they are queued.
    marker: Option<MarkerSpec> = (), "choice: packets keep the class that their host gave them", Each;
    /// Changes of the rate during the run.
    rate_changes: Vec<RateChange> = [], "choice: links keep their rate", Both;
    /// A recorded link instead of the rate.
    trace: Option<TraceSpec> = (), "absent: a constant rate", Both;
    /// Power control of the transmitter.
    power: Option<Power> = (), "absent: the rate is fixed and energy is not counted", Each;
    /// Largest packet, headers included.
    mtu: Bytes = "1500B", "RFC 894: the Ethernet payload", Both;
    /// Share of packets lost at random after transmission.
    loss: Probability = 0.0, "choice: no losses unless the scenario asks for them", Each;
    /// Packets to drop, by order of arrival at the queue, counted from 0.
    drop_list: Vec<u64> as "positions" = [], "choice: no losses unless the scenario asks for them", Each;
    /// What happens to packets after transmission beside loss: jitter, reordering, duplication. In the order listed.
    impairments: Vec<ImpairmentSpec> = [], "choice: none unless the scenario asks for them", Each;
}

config! {
    /// A change of a link's rate during the run. The rest of a packet in transmission has the new rate.
    pub struct RateChange {
        /// When.
        at: Duration;
        /// Bits per second from then on.
        rate: BitRate;
    }
}

impl RateChange {
    /// The time of the change.
    pub fn time(&self) -> Time {
        Time::ZERO + self.at
    }
}

impl Validate for RateChange {}

config! {
    /// A recorded link: a trace of Mahimahi. Each of its lines is a time in milliseconds at which so many bytes may leave, over and
    /// over.
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

/// Both directions of a link, resolved once for all places where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Duplex {
    /// From the first node to the second.
    pub forward: Arc<Direction>,
    /// Back.
    pub backward: Arc<Direction>,
}

impl LinkSpec {
    /// Both directions.
    pub fn resolve(&self) -> Duplex {
        Duplex { forward: Arc::new(self.forward()), backward: Arc::new(self.backward()) }
    }
}

impl Direction {
    /// Bytes of the largest packet.
    pub fn largest_packet(&self) -> u32 {
        u32::try_from(self.mtu.get()).unwrap_or(u32::MAX)
    }

    /// True if the link counts packets by traffic class: its queue tells them apart, or a marker sets them.
    pub fn counts_classes(&self) -> bool {
        self.marker.is_some() || !self.queue.known_classes().is_empty()
    }

    /// Checks the queue, which stands at `at`, against the link.
    ///
    /// # Errors
    /// What does not fit.
    pub fn check_queue(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.queue.laziness().holds_back && self.power.is_some() {
            return Err(at.error(
                "it holds packets back, and a port under power control sends when one waits",
                "choose a queue without a shaper, or leave out `power`",
            ));
        }
        self.queue.check(self.largest_packet(), at)
    }

    /// The rules for what depends on several parameters.
    fn check(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_trace(self, at)?;
        check_power(self, at)?;
        self.check_queue(&at.key("queue"))?;
        if let Some(marker) = &self.marker {
            marker.check(self.largest_packet(), &at.key("marker"))?;
        }
        let mut least = self.delay;
        for (i, impairment) in self.impairments.iter().enumerate() {
            least = impairment.check(least, &at.key("impairments").index(i))?;
        }
        Ok(())
    }
}

impl Validate for Reverse {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_changes(self.rate_changes.as_deref().unwrap_or_default(), at)?;
        check_drop_list(&self.drop_list, at)?;
        self.mtu.map_or(Ok(()), |mtu| check_mtu(mtu, at))
    }
}

impl Validate for LinkSpec {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_changes(&self.rate_changes, at)?;
        check_drop_list(&self.drop_list, at)?;
        check_mtu(self.mtu, at)?;
        self.forward().check(at)?;
        self.backward().check(&at.key("reverse"))
    }
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
fn check_trace(direction: &Direction, at: &At<'_>) -> Result<(), ConfigError> {
    if direction.trace.is_some() && !direction.rate_changes.is_empty() {
        return Err(at.key("trace").error(
            "a recorded link has no rate, and `rate_changes` changes it",
            "leave out one of them, in `reverse` by `rate_changes = []`",
        ));
    }
    Ok(())
}

/// A port sets its own rate, below the link's.
fn check_power(direction: &Direction, at: &At<'_>) -> Result<(), ConfigError> {
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
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|w| w[0] == w[1]) {
        Some(twice) => {
            Err(at.key("drop_list").error(format!("packet {} stands there twice", twice[0]), "name it once"))
        }
        None => Ok(()),
    }
}

fn check_mtu(mtu: Bytes, at: &At<'_>) -> Result<(), ConfigError> {
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

#[cfg(test)]
mod tests {
    use dumbbell_core::config::Fields;

    use super::*;

    #[test]
    fn every_parameter_can_be_told_of_the_way_back() {
        let mut both = LinkSpec::names();
        assert_eq!(both.pop(), Some("reverse"));
        assert_eq!(both, Reverse::names());
        for field in LinkSpec::fields().iter().filter(|f| f.default.is_some()).chain(&Reverse::fields()) {
            assert!(!field.source.is_empty(), "{}", field.name);
        }
    }

    #[test]
    fn the_way_back_follows_the_rule_of_each_parameter() {
        let text = r#"{"rate": "8Mbit/s", "delay": "1ms", "queue": "codel", "mtu": "600B", "loss": 0.5, "drop_list": [1],
            "router": "rcp", "reverse": {"delay": "2ms", "mtu": "900B"}}"#;
        let v: Value = dumbbell_core::json::from_str(text).unwrap();
        let link = LinkSpec::from_value(&v, &At::root("")).unwrap();
        let expected = Direction {
            delay: Duration::from_millis(2),
            mtu: Bytes::new(900),
            loss: Probability::default(),
            drop_list: Vec::new(),
            ..link.forward()
        };
        assert_eq!(link.backward(), expected);
    }
}
