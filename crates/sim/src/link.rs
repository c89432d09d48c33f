//! What a user can say of a link. Every topology declares its links through [`link_role!`]: the same fields, with the
//! defaults that suit the role.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{BitRate, Bytes, Duration, Probability, Validate, Value, config};
use dumbbell_net::queue::QueueSpec;

use crate::limits::{MAX_MTU, MAX_RATE_BPS, MIN_MTU};

config! {
    /// How the direction back differs from the direction from the first node to the second.
    pub struct Reverse {
        /// Bits per second.
        rate: Option<BitRate> = (), "absent: as in the other direction";
        /// Propagation delay.
        delay: Option<Duration> = (), "absent: as in the other direction";
        /// Queue before the transmitter.
        queue: Option<QueueSpec> = (), "absent: as in the other direction";
        /// Share of packets lost at random after transmission.
        loss: Probability = 0.0, "choice: losses are asked for, one direction at a time";
        /// Packets to drop, by order of arrival at the queue, counted from 0.
        drop_list: Vec<u64> = [], "choice: losses are asked for, one direction at a time";
    }
}

impl Validate for Reverse {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_rate(self.rate, at)?;
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
            mtu: self.mtu.get() as u32,
            loss: self.reverse.loss,
            drop_list: sorted(&self.reverse.drop_list),
        }
    }
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

fn check_rate(rate: Option<BitRate>, at: &At<'_>) -> Result<(), ConfigError> {
    match rate {
        Some(rate) if rate.as_bps() > MAX_RATE_BPS => Err(at.key("rate").error(
            format!("{rate} is above the limit of {}", BitRate::from_bps(MAX_RATE_BPS)),
            "give a lower rate",
        )),
        _ => Ok(()),
    }
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
pub(crate) fn check(rate: BitRate, mtu: Bytes, drop_list: &[u64], at: &At<'_>) -> Result<(), ConfigError> {
    check_rate(Some(rate), at)?;
    check_drop_list(drop_list, at)?;
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
                $crate::link::check(self.rate, self.mtu, &self.drop_list, at)
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
