//! What the commands of a script have set. They run as programs of their own, and write one `key=value` a line to a file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use dumbbell_core::config::At;
use dumbbell_core::{Config, Duration, Value, json};
use dumbbell_law::Program;
use dumbbell_proto::tcp::Params;
use dumbbell_proto::{Compiled, OwnLaw};

use crate::accurate::Feedback;

/// The environment variable that names the file.
pub const FILE: &str = "DUMBBELL_PACKETDRILL_SETTINGS";

/// What a command does that nothing here stands in for: the copy of a script sets this at the place of the command.
const COMMAND: &str = "command";

/// A controller of ours that all connections have, whatever the script sets.
const CONTROLLER: &str = "controller";
/// The same: a law of the user's own. The file holds its byte code.
const LAW: &str = "law";

/// Settings that are obeyed, whatever their value.
const OBEYED: &[&str] = &[
    CONTROLLER,
    LAW,
    "mask_push",
    "mss",
    "tcp_app_win",
    "tcp_dsack",
    "tcp_min_tso_segs",
    "tcp_moderate_rcvbuf",
    "tcp_pacing_ca_ratio",
    "tcp_pacing_ss_ratio",
    "tcp_rmem",
    "tcp_rto_max_ms",
    "tcp_sack",
    "tcp_shrink_window",
    "tcp_slow_start_after_idle",
    "tcp_timestamps",
    "tcp_window_scaling",
    // A write that does not fit is refused.
    "tcp_wmem",
];

/// Settings of which these values are obeyed.
const OBEYED_IN_PART: &[(&str, &[&str])] = &[
    ("hystart", &["linux", "linux-6.6"]),
    // Slow start is left by delays and by trains.
    ("hystart_detect", &["3"]),
    ("tcp_congestion_control", &["cubic", "reno"]),
    // A tail loss probe, or none (since Linux 4.14 there is no early retransmit).
    ("tcp_early_retrans", &["0", "3", "4"]),
    ("tcp_ecn_option", &["0", "2"]),
    ("tcp_ecn", &["0", "1", "2", "3", "4", "5"]),
    ("tcp_frto", &["0", "2"]),
    ("tcp_mtu_probing", &["0"]),
    ("tcp_notsent_lowat", &["4294967295", "-1"]),
    ("tcp_recovery", &["1"]),
    ("tcp_reordering", &["3"]),
];

/// Settings that change nothing that a script can see, and why.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("tcp_base_mss", "nothing probes for the size of packets"),
    ("tcp_fack", "Linux has ignored it since 4.15"),
    ("tcp_fastopen", "what is sent by TCP Fast Open is refused"),
    ("tcp_fastopen_blackhole_timeout_sec", "as tcp_fastopen"),
    ("tcp_fastopen_key", "as tcp_fastopen"),
    ("tcp_no_metrics_save", "nothing is kept from one connection to the next"),
    ("tcp_syn_retries", "a script ends before"),
    ("tcp_synack_retries", "a script ends before"),
    ("tcp_syncookies", "no queue of connections overflows"),
    ("tcp_tso_win_divisor", "segments leave one by one, and none waits for more"),
];

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
    /// Explicit congestion notification.
    pub ecn: Feedback,
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
        let parse = |value: &String| match value.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => value.parse().ok(),
        };
        self.values.get(key).and_then(parse).unwrap_or(default)
    }

    /// True unless the number is zero.
    pub fn is_on(&self, key: &str) -> bool {
        self.number(key, 1) != 0
    }

    /// True if segments carry no PSH.
    pub fn masks_push(&self) -> bool {
        self.number("mask_push", 0) != 0
    }

    /// What a command did or set that nothing here obeys: a command, then the first setting by its name.
    pub fn unmet(&self) -> Option<String> {
        if let Some(command) = self.values.get(COMMAND) {
            return Some(format!("the command `{command}`"));
        }
        self.values.iter().find(|(key, value)| !is_met(key, value)).map(|(key, value)| match key.as_str() {
            "qdisc" => format!("the queue `{value}`"),
            _ => format!("{key}={value}"),
        })
    }

    /// The three numbers of tcp_rmem: the least, the first and the largest buffer, in bytes.
    pub fn receive_buffers(&self) -> [u32; 3] {
        let mut words = self.text("tcp_rmem", "").split_whitespace();
        RMEM.map(|default| words.next().and_then(|n| n.parse().ok()).unwrap_or(default))
    }

    /// Bytes that a program may write before anything is acknowledged, at first.
    pub fn send_buffer(&self) -> u64 {
        self.text("tcp_wmem", "").split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(16_384)
    }

    /// The longest time until a segment is sent again.
    pub fn longest_timeout(&self) -> Duration {
        Duration::from_millis(self.number("tcp_rto_max_ms", 120_000).clamp(1_000, 120_000))
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

    /// The parameters of a connection, as Linux has them, whose receiver takes all of `window`.
    ///
    /// # Errors
    /// What is wrong with a setting.
    pub fn params(&self, agreed: Agreed, window: &str) -> Result<Arc<Params>, String> {
        let controller = match (self.values.get(CONTROLLER), self.text("tcp_congestion_control", "cubic")) {
            (Some(ours), _) => json::json!(ours).to_string(),
            (None, "cubic") => {
                format!(r#"{{"kind": "cubic", "hystart": "{}"}}"#, self.text("hystart", "linux"))
            }
            (None, "reno") => r#""newreno""#.to_owned(),
            (None, other) => return Err(format!("tcp_congestion_control={other}")),
        };
        let Agreed { mss, sack, timestamps, .. } = agreed;
        let ecn = match agreed.ecn {
            Feedback::Off => "off",
            Feedback::Classic => "classic",
            Feedback::Accurate => "accurate",
        };
        let text = format!(
            r#"{{"profile": "linux", "controller": {controller}, "handshake": false, "fin": false, "mss": {mss},
            "sack": {sack}, "timestamps": {timestamps}, "ecn": "{ecn}", "dsack": {dsack}, "tail_loss_probe": {probe},
            "frto": {frto}, "slow_start_after_idle": {idle}, "pacing": "{pacing}", "rto_max": "{longest}ms",
            "receive_window": "{window}", "initial_receive_window": "{window}"}}"#,
            longest = self.longest_timeout().as_nanos() / 1_000_000,
            pacing = if self.queue() == Queue::Paced { "linux" } else { "off" },
            dsack = self.is_on("tcp_dsack"),
            probe = self.is_on("tcp_early_retrans"),
            frto = self.is_on("tcp_frto"),
            idle = self.is_on("tcp_slow_start_after_idle"),
        );
        let value: Value = json::from_str(&text).map_err(|e| e.to_string())?;
        let at = At::root("settings");
        let mut params = Params::from_value(&value, &at).map_err(|e| e.to_string())?;
        if let Some(file) = self.values.get(LAW) {
            let program = program(Path::new(file))?;
            let law = OwnLaw { file: file.clone(), class: program.name.to_owned(), parameters: Vec::new() };
            params = params
                .with_law(Arc::new(law), Compiled::new(program, None), &at)
                .map_err(|e| e.to_string())?;
        }
        if params.controller.exchange().is_some() {
            return Err(format!("routers that answer {}", params.controller.name()));
        }
        Ok(Arc::new(params))
    }
}

/// The byte code in a file.
fn program(file: &Path) -> Result<Program, String> {
    let image = std::fs::read(file).map_err(|e| format!("a law that can be read ({e})"))?;
    Program::read(&image).map_err(|unfit| format!("a law that is fit to run ({unfit})"))
}

/// tcp_rmem of Linux 6.16.
const RMEM: [u32; 3] = [4_096, 131_072, 32 << 20];

/// True if a setting is obeyed, or changes nothing.
fn is_met(key: &str, value: &str) -> bool {
    if key == "qdisc" {
        let words: Vec<&str> = value.split_whitespace().collect();
        return matches!(words.as_slice(), ["pfifo" | "pfifo_fast" | "fq"] | ["pfifo", "limit", _]);
    }
    OBEYED.contains(&key)
        || OBEYED_IN_PART.iter().any(|(known, values)| *known == key && values.contains(&value))
        || WITHOUT_EFFECT.iter().any(|(known, _)| *known == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_obeyed_is_named() {
        let unmet = |text| Settings::parse(text).unmet();
        assert_eq!(unmet("tcp_ecn=1\nqdisc=pfifo limit 0\ntcp_syncookies=0\ntcp_rmem=1 2 3\n"), None);
        assert_eq!(unmet("tcp_ecn=7\ntcp_reordering=9\n"), Some("tcp_ecn=7".to_owned()));
        assert_eq!(
            unmet("net.ipv4.tcp_thin_linear_timeouts=1"),
            Some("tcp_thin_linear_timeouts=1".to_owned())
        );
        assert_eq!(unmet("qdisc=netem delay 10ms"), Some("the queue `netem delay 10ms`".to_owned()));
        assert_eq!(
            unmet("tcp_ecn=7\ncommand=dd if=/dev/zero"),
            Some("the command `dd if=/dev/zero`".to_owned())
        );
    }

    #[test]
    fn the_last_line_of_a_key_wins_however_the_key_is_written() {
        let text = "net.ipv4.tcp_ecn=0\n/proc/sys/net/ipv4/tcp_ecn=1\nnet/ipv4/tcp_rmem=4096 540000 15728640\nqdisc=pfifo limit 0\nrest\n";
        let settings = Settings::parse(text);
        assert_eq!(
            (settings.number("tcp_ecn", 2), settings.receive_buffers()),
            (1, [4096, 540_000, 15_728_640])
        );
        assert_eq!(settings.queue(), Queue::Closed);
        assert_eq!(Settings::parse("qdisc=fq").queue(), Queue::Paced);
        assert_eq!(Settings::default().queue(), Queue::Fifo);
    }

    #[test]
    fn parameters_are_those_of_linux_and_what_was_set() {
        let agreed = Agreed { mss: 1000, sack: true, timestamps: false, ecn: Feedback::Classic };
        let params = Settings::parse("tcp_early_retrans=0\ntcp_congestion_control=reno")
            .params(agreed, "1MiB")
            .unwrap();
        assert_eq!(
            (params.mss, params.ecn.word(), params.tail_loss_probe, params.frto),
            (Some(1000), "classic", false, true)
        );
        assert_eq!(params.controller.name(), "newreno");
        assert_eq!(params.pacing.word(), "off");
        assert_eq!(Settings::parse("qdisc=fq").params(agreed, "1MiB").unwrap().pacing.word(), "linux");
        let unknown = Settings::parse("tcp_congestion_control=vegas").params(agreed, "1MiB");
        assert!(unknown.unwrap_err().contains("vegas"));
    }

    #[test]
    fn a_controller_of_ours_stands_above_what_is_set() {
        let agreed = Agreed { mss: 1000, sack: true, timestamps: false, ecn: Feedback::Off };
        let under = |text: &str| {
            let settings = Settings::parse(&format!("tcp_congestion_control=reno\n{text}"));
            (settings.unmet(), settings.params(agreed, "1MiB").map(|params| params.controller.name()))
        };
        assert_eq!(under("controller=bbr3"), (None, Ok("bbr3")));
        assert_eq!(under("controller=xcp").1, Err("routers that answer xcp".to_owned()));
        assert!(
            under("controller=dctcp")
                .1
                .unwrap_err()
                .contains("ecn: off, and dctcp answers nothing but marks")
        );
        assert!(
            under("law=/dev/null").1.unwrap_err().starts_with("a law that is fit to run (it ends early)")
        );
        assert!(under("law=/none").1.unwrap_err().starts_with("a law that can be read (No such file"));
    }
}
