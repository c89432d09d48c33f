//! What the commands of a script have set. They run as programs of their own, and write one `key=value` a line to a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use dumbbell_core::config::At;
use dumbbell_core::{Config, Value, json};
use dumbbell_proto::tcp::Params;

/// The environment variable that names the file.
pub const FILE: &str = "DUMBBELL_PACKETDRILL_SETTINGS";

/// The queue below TCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Queue {
    /// Sends at once.
    #[default]
    Fifo,
    /// Sends at once, too, as TCP itself paces: what Linux does with its fq.
    Paced,
    /// Takes nothing: what is sent fails.
    Closed,
}

/// The settings at one time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    values: BTreeMap<String, String>,
}

/// What two ends have agreed on in a handshake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Agreed {
    /// Payload of a full segment, in bytes.
    pub mss: u32,
    /// Selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Timestamps (RFC 7323).
    pub timestamps: bool,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: bool,
}

impl Settings {
    /// Reads the file that the environment names; nothing is set without it.
    pub fn read() -> Settings {
        let path = std::env::var_os(FILE);
        path.and_then(|path| std::fs::read_to_string(path).ok())
            .map_or_else(Settings::default, |text| Settings::parse(&text))
    }

    /// The last line of a key wins. A key is the last part of its path or name.
    pub fn parse(text: &str) -> Settings {
        let values = text.lines().filter_map(|line| line.split_once('=')).map(|(key, value)| {
            let key = key.trim().rsplit(['/', '.']).next().unwrap_or_default();
            (key.to_owned(), value.trim().to_owned())
        });
        Settings { values: values.collect() }
    }

    fn text(&self, key: &str, default: &'static str) -> &str {
        self.values.get(key).map_or(default, String::as_str)
    }

    /// A number; the default if there is none, or it is none.
    pub fn number(&self, key: &str, default: u64) -> u64 {
        self.values.get(key).and_then(|value| value.parse().ok()).unwrap_or(default)
    }

    /// True unless the number is zero.
    pub fn is_on(&self, key: &str) -> bool {
        self.number(key, 1) != 0
    }

    /// True if segments carry no PSH.
    pub fn masks_push(&self) -> bool {
        self.number("mask_push", 0) != 0
    }

    /// The queue below TCP.
    pub fn queue(&self) -> Queue {
        let words: Vec<&str> = self.text("qdisc", "pfifo").split_whitespace().collect();
        match words.as_slice() {
            [.., "limit", "0"] => Queue::Closed,
            ["fq", ..] => Queue::Paced,
            _ => Queue::Fifo,
        }
    }

    /// The shift of the windows that are advertised: what the largest buffer needs (RFC 7323 section 2.2).
    pub fn scale(&self) -> u8 {
        let largest = self.text("tcp_rmem", "").split_whitespace().nth(2).and_then(|n| n.parse::<u64>().ok());
        let bits = 64 - largest.unwrap_or(6 << 20).leading_zeros();
        bits.saturating_sub(16).min(14) as u8
    }

    /// The parameters of a connection, as Linux has them.
    ///
    /// # Errors
    /// What is wrong with a setting.
    pub fn params(&self, agreed: Agreed) -> Result<Arc<Params>, String> {
        let controller = match self.text("tcp_congestion_control", "cubic") {
            "cubic" => format!(r#"{{"kind": "cubic", "hystart": "{}"}}"#, self.text("hystart", "linux")),
            "reno" => r#""newreno""#.to_owned(),
            other => return Err(format!("no congestion control `{other}`; use cubic or reno")),
        };
        let Agreed { mss, sack, timestamps, ecn } = agreed;
        let text = format!(
            r#"{{"profile": "linux", "controller": {controller}, "handshake": false, "fin": false, "mss": {mss},
            "sack": {sack}, "timestamps": {timestamps}, "ecn": {ecn}, "dsack": {dsack}, "tail_loss_probe": {probe},
            "frto": {frto}, "slow_start_after_idle": {idle}, "pacing": "{pacing}"}}"#,
            pacing = if self.queue() == Queue::Paced { "linux" } else { "off" },
            dsack = self.is_on("tcp_dsack"),
            probe = self.is_on("tcp_early_retrans"),
            frto = self.is_on("tcp_frto"),
            idle = self.is_on("tcp_slow_start_after_idle"),
        );
        let value: Value = json::from_str(&text).map_err(|e| e.to_string())?;
        let params = Params::from_value(&value, &At::root("settings")).map_err(|e| e.to_string())?;
        Ok(Arc::new(params))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_key_wins_however_the_key_is_written() {
        let text = "net.ipv4.tcp_ecn=0\n/proc/sys/net/ipv4/tcp_ecn=1\nnet/ipv4/tcp_rmem=4096 540000 15728640\nqdisc=pfifo limit 0\nrest\n";
        let settings = Settings::parse(text);
        assert_eq!((settings.number("tcp_ecn", 2), settings.scale()), (1, 8));
        assert_eq!(settings.queue(), Queue::Closed);
        assert_eq!(Settings::parse("qdisc=fq").queue(), Queue::Paced);
        assert_eq!(Settings::default().queue(), Queue::Fifo);
    }

    #[test]
    fn parameters_are_those_of_linux_and_what_was_set() {
        let agreed = Agreed { mss: 1000, sack: true, timestamps: false, ecn: true };
        let params =
            Settings::parse("tcp_early_retrans=0\ntcp_congestion_control=reno").params(agreed).unwrap();
        assert_eq!(
            (params.mss, params.ecn.word(), params.tail_loss_probe, params.frto),
            (Some(1000), "classic", false, true)
        );
        assert_eq!(params.controller.name(), "newreno");
        assert_eq!(params.pacing.word(), "off");
        assert_eq!(Settings::parse("qdisc=fq").params(agreed).unwrap().pacing.word(), "linux");
        let unknown = Settings::parse("tcp_congestion_control=vegas").params(agreed);
        assert!(unknown.unwrap_err().contains("vegas"));
    }
}
