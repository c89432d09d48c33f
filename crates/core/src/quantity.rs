//! Quantities with units: rates, sizes, probabilities, queue limits. Parsed here and nowhere else.

use std::fmt;

use serde_json::json;

use crate::Duration;
use crate::config::{At, Config, ConfigError};
use crate::value::Value;

/// The longest time that anything takes, 27 hours: an event of the largest network keeps 47 bits for its time in
/// nanoseconds.
pub const MAX_DURATION: Duration = Duration::from_secs(100_000);
/// The highest rate, 1 Pbit/s: a packet of 125 bytes in a nanosecond.
pub const MAX_RATE: BitRate = BitRate(1_000_000_000_000_000);
/// The most bytes, 1 EB: sums of some of them fit into 63 bits.
pub const MAX_BYTES: Bytes = Bytes(1_000_000_000_000_000_000);

/// A rate in bits per second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct BitRate(u64);

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Bytes(u64);

/// A real number in [0, 1].
#[derive(Clone, Copy, PartialEq, PartialOrd, Default, Debug)]
pub struct Probability(f64);

/// How much a queue may hold, as the user states it; links resolve it to packets or bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum QueueLimit {
    /// A number of packets, whatever their size.
    Packets(u64),
    /// A number of bytes.
    Bytes(u64),
    /// Multiples of the bandwidth-delay product of the link's rate and the scenario's base RTT.
    Bdp(f64),
    /// No limit.
    Unlimited,
}

impl BitRate {
    /// A rate of `bits` per second.
    pub const fn from_bps(bits: u64) -> BitRate {
        BitRate(bits)
    }

    /// Bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Time to send `bytes` at this rate, rounded down to nanoseconds; unlimited at rate 0.
    pub fn time_to_send(self, bytes: u64) -> Duration {
        match self.0 {
            0 => Duration::MAX,
            rate => Duration::from_nanos((u128::from(bytes) * 8_000_000_000 / u128::from(rate)) as u64),
        }
    }

    /// Bytes sent at this rate in `time`, rounded down.
    pub fn bytes_in(self, time: Duration) -> u64 {
        (u128::from(self.0) * u128::from(time.as_nanos()) / 8_000_000_000) as u64
    }
}

impl Bytes {
    /// `n` bytes.
    pub const fn new(n: u64) -> Bytes {
        Bytes(n)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Probability {
    /// The probability as a real number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

fn scaled(n: u64, units: &[(u64, &str)]) -> String {
    let (divisor, unit) =
        units.iter().find(|(d, _)| n >= *d).copied().unwrap_or(*units.last().expect("units"));
    format!("{}{unit}", n as f64 / divisor as f64)
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000, "Gbit/s"), (1_000_000, "Mbit/s"), (1_000, "kbit/s"), (1, "bit/s")];
        f.write_str(&scaled(self.0, &units))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"), (1, "B")];
        f.write_str(&scaled(self.0, &units))
    }
}

impl fmt::Display for QueueLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueueLimit::Packets(n) => write!(f, "{n}pkt"),
            QueueLimit::Bytes(n) => Bytes(*n).fmt(f),
            QueueLimit::Bdp(x) => write!(f, "{x}bdp"),
            QueueLimit::Unlimited => f.write_str("unlimited"),
        }
    }
}

/// Units and how many of the first each is, of rates, times and sizes.
pub const UNITS: [&[(&str, f64)]; 3] = [RATE_UNITS, TIME_UNITS, BYTE_UNITS];

/// Splits `"12.5 Mbit/s"` into the number and the unit.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let number_end = text
        .char_indices()
        .find(|&(i, c)| {
            let exponent = matches!(c, 'e' | 'E')
                && text[i + 1..].starts_with(|d: char| d.is_ascii_digit() || d == '-' || d == '+');
            !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | '_') || exponent)
        })
        .map_or(text.len(), |(i, _)| i);
    let number: f64 = text[..number_end].replace('_', "").parse().ok()?;
    Some((number, text[number_end..].trim_start()))
}

const RATE_UNITS: &[(&str, f64)] = &[
    ("bit/s", 1.0),
    ("kbit/s", 1e3),
    ("Mbit/s", 1e6),
    ("Gbit/s", 1e9),
    ("Tbit/s", 1e12),
    ("bps", 1.0),
    ("kbps", 1e3),
    ("Kbps", 1e3),
    ("Mbps", 1e6),
    ("Gbps", 1e9),
    ("Tbps", 1e12),
    ("B/s", 8.0),
    ("kB/s", 8e3),
    ("MB/s", 8e6),
    ("GB/s", 8e9),
];
const TIME_UNITS: &[(&str, f64)] =
    &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9)];
const BYTE_UNITS: &[(&str, f64)] = &[
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];

/// Reads a non-negative quantity and returns it in the base unit. Every quantity of a scenario has its limit here.
fn quantity(
    v: &Value,
    at: &At<'_>,
    what: &str,
    units: &[(&str, f64)],
    example: &str,
    (most, shown): (u64, &dyn fmt::Display),
) -> Result<f64, ConfigError> {
    let remedy = format!("write it as a string with a unit, for example {example}");
    let Value::Str(text) = v else {
        return Err(at.error(format!("{} is not {what}", v.kind()), remedy));
    };
    let Some((number, unit)) = split(text) else {
        return Err(at.error(format!("{text:?} is not {what}"), remedy));
    };
    let Some((_, factor)) = units.iter().find(|(name, _)| *name == unit) else {
        let names: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
        let message = if unit.is_empty() {
            format!("{text:?} has no unit")
        } else {
            format!("{unit:?} is not a unit of {what}")
        };
        return Err(at.error(message, format!("use one of {}, for example {example}", names.join(", "))));
    };
    if number < 0.0 {
        return Err(at.error(format!("{text:?} is negative"), "leave out the minus sign"));
    }
    let base = number * factor;
    if !(0.0..=most as f64).contains(&base) {
        return Err(at.error(format!("{text:?} is above the limit of {shown}"), "give less"));
    }
    Ok(base)
}

/// The quantity as displayed if that reads back the same, else exactly, in the base unit.
fn shortest<T: Config + fmt::Display + PartialEq>(quantity: &T, base: u64, unit: &str) -> Value {
    let shown = Value::Str(quantity.to_string());
    match T::from_value(&shown, &At::root("")) {
        Ok(read) if read == *quantity => shown,
        _ => Value::Str(format!("{base}{unit}")),
    }
}

impl Config for BitRate {
    const KIND: &'static str = "rate";
    fn from_value(v: &Value, at: &At<'_>) -> Result<BitRate, ConfigError> {
        let bits = quantity(v, at, "a rate", RATE_UNITS, "\"10Mbit/s\"", (MAX_RATE.0, &MAX_RATE))?;
        if bits < 1.0 {
            return Err(at.error(format!("a rate of {v} sends nothing"), "give a rate above zero"));
        }
        Ok(BitRate(bits.round() as u64))
    }
    fn to_value(&self) -> Value {
        shortest(self, self.0, "bit/s")
    }
    fn schema() -> serde_json::Value {
        json!({"type": "string", "pattern": "^[0-9._eE+-]+ ?([kMGT]?bit/s|[kKMGT]?bps|[kMG]?B/s)$", "examples": ["10Mbit/s"]})
    }
}

impl Config for Duration {
    const KIND: &'static str = "duration";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Duration, ConfigError> {
        let nanos =
            quantity(v, at, "a duration", TIME_UNITS, "\"25ms\"", (MAX_DURATION.as_nanos(), &MAX_DURATION))?;
        Ok(Duration::from_nanos(nanos.round() as u64))
    }
    fn to_value(&self) -> Value {
        shortest(self, self.as_nanos(), "ns")
    }
    fn schema() -> serde_json::Value {
        json!({"type": "string", "pattern": "^[0-9._eE+-]+ ?(ns|us|µs|ms|s|min|h)$", "examples": ["25ms"]})
    }
}

impl Config for Bytes {
    const KIND: &'static str = "size";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Bytes, ConfigError> {
        Ok(
            Bytes(
                quantity(v, at, "a size", BYTE_UNITS, "\"64kB\"", (MAX_BYTES.0, &MAX_BYTES))?.round() as u64
            ),
        )
    }
    fn to_value(&self) -> Value {
        shortest(self, self.0, "B")
    }
    fn schema() -> serde_json::Value {
        json!({"type": "string", "pattern": "^[0-9._eE+-]+ ?([kMGT]?B|[KMG]iB)$", "examples": ["64kB"]})
    }
}

impl Config for Probability {
    const KIND: &'static str = "probability";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Probability, ConfigError> {
        let p = f64::from_value(v, at)?;
        if !(0.0..=1.0).contains(&p) {
            return Err(at.error(format!("{p} is not a probability"), "give a number from 0 to 1"));
        }
        Ok(Probability(p))
    }
    fn to_value(&self) -> Value {
        Value::Float(self.0)
    }
    fn schema() -> serde_json::Value {
        json!({"type": "number", "minimum": 0, "maximum": 1})
    }
}

impl Config for QueueLimit {
    const KIND: &'static str = "queue limit";
    fn from_value(v: &Value, at: &At<'_>) -> Result<QueueLimit, ConfigError> {
        let units: Vec<(&str, f64)> =
            [("pkt", 1.0), ("bdp", 1.0)].iter().chain(BYTE_UNITS).copied().collect();
        let text = match v {
            Value::Str(s) if s == "unlimited" => return Ok(QueueLimit::Unlimited),
            Value::Str(s) => s.as_str(),
            _ => "",
        };
        let example = "\"42pkt\", \"64kB\", \"1bdp\" or \"unlimited\"";
        let n = quantity(v, at, "a queue limit", &units, example, (MAX_BYTES.0, &"what a counter holds"))?;
        let unit = split(text).map_or("", |(_, unit)| unit);
        if n == 0.0 {
            return Err(at.error("a queue of nothing drops everything", "give a limit above zero"));
        }
        Ok(match unit {
            "pkt" if n.fract() != 0.0 => {
                return Err(at.error(format!("{text:?} is not a whole number of packets"), "round it"));
            }
            "pkt" => QueueLimit::Packets(n as u64),
            "bdp" => QueueLimit::Bdp(n),
            _ => QueueLimit::Bytes(n.round() as u64),
        })
    }
    fn to_value(&self) -> Value {
        match self {
            QueueLimit::Bytes(n) => Bytes(*n).to_value(),
            _ => Value::Str(self.to_string()),
        }
    }
    fn schema() -> serde_json::Value {
        json!({"type": "string", "pattern": "^(unlimited|[0-9._eE+-]+ ?(pkt|bdp|[kMGT]?B|[KMG]iB))$",
               "examples": ["42pkt", "64kB", "1bdp", "unlimited"]})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read<T: Config>(text: &str) -> Result<T, String> {
        T::from_value(&Value::from(text), &At::root("x")).map_err(|e| e.to_string())
    }

    #[test]
    fn units_are_read_in_one_place() {
        assert_eq!(read::<BitRate>("10Mbit/s"), Ok(BitRate(10_000_000)));
        assert_eq!(read::<BitRate>("2.4 Gbps"), Ok(BitRate(2_400_000_000)));
        assert_eq!(read::<BitRate>("64 Kbps"), read::<BitRate>("64kbit/s"));
        assert_eq!(read::<Duration>("25ms"), Ok(Duration::from_millis(25)));
        assert_eq!(read::<Duration>("1e-3s"), Ok(Duration::from_millis(1)));
        assert_eq!(read::<Bytes>("64KiB"), Ok(Bytes(65_536)));
        assert_eq!(read::<QueueLimit>("2bdp"), Ok(QueueLimit::Bdp(2.0)));
        assert_eq!(read::<QueueLimit>("42pkt"), Ok(QueueLimit::Packets(42)));
    }

    #[test]
    fn wrong_units_are_refused_with_a_remedy() {
        let message = read::<Duration>("25").unwrap_err();
        assert_eq!(
            message,
            "x: \"25\" has no unit; use one of ns, us, µs, ms, s, min, h, for example \"25ms\""
        );
        assert!(read::<BitRate>("10ms").unwrap_err().contains("\"ms\" is not a unit of a rate"));
        assert!(read::<BitRate>("-1Mbit/s").is_err());
        assert!(read::<BitRate>("0bit/s").is_err());
        assert!(read::<Bytes>("nanB").is_err());
    }

    #[test]
    fn time_to_send_and_bytes_in_agree() {
        let rate = BitRate::from_bps(10_000_000);
        assert_eq!(rate.time_to_send(1500), Duration::from_micros(1200));
        assert_eq!(rate.bytes_in(Duration::from_millis(50)), 62_500);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,24}") {
            let _ = read::<BitRate>(&text);
            let _ = read::<Duration>(&text);
            let _ = read::<Bytes>(&text);
            let _ = read::<QueueLimit>(&text);
        }

        #[test]
        fn quantities_read_back_as_written(n in 1_u64..100_000_000_000_000) {
            fn back<T: Config>(quantity: T) -> Result<T, ConfigError> {
                T::from_value(&quantity.to_value(), &At::root(""))
            }
            prop_assert_eq!(back(BitRate(n)), Ok(BitRate(n)));
            prop_assert_eq!(back(Duration::from_nanos(n)), Ok(Duration::from_nanos(n)));
            prop_assert_eq!(back(QueueLimit::Bytes(n)), Ok(QueueLimit::Bytes(n)));
            prop_assert_eq!(back(QueueLimit::Packets(n)), Ok(QueueLimit::Packets(n)));
        }
    }
}
