//! Other names: what papers, kernels and tools call a thing that scenarios write in another way.

/// Another name of an algorithm, or of an algorithm with some parameters set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alias {
    /// What others write, in lower case, with hyphens instead of spaces and underscores.
    pub names: &'static [&'static str],
    /// What it is, in a line, with its source where the algorithm has another.
    pub title: &'static str,
    /// The settings `path=value` that give it: of a dumbbell's bottleneck, of TCP.
    pub settings: &'static [&'static str],
    /// The algorithm or the table that describes it: a family or `table`, and a name.
    pub place: (&'static str, &'static str),
}

macro_rules! aliases {
    ($( $($name:literal)|+ is $title:literal, by [$($setting:literal),*], in $family:literal $place:literal; )+) => {
        /// All other names.
        pub const ALIASES: &[Alias] = &[ $( Alias {
            names: &[ $($name),+ ],
            title: $title,
            settings: &[ $($setting),* ],
            place: ($family, $place),
        } ),+ ];
    };
}
aliases! {
    // How TCP finds and repairs losses.
    "sack-tcp" | "rfc6675" is "selective acknowledgements with repair by duplicates (RFC 2018, RFC 6675)",
        by ["transport.sack=true", "transport.loss_detection=duplicates"], in "transport" "tcp";
    "tlp" | "rack-tlp" is "losses found by time, with tail loss probes (RFC 8985)",
        by ["transport.loss_detection=rack", "transport.tail_loss_probe=true"], in "transport" "tcp";
    "prr" is "proportional rate reduction (RFC 9937), part of the repair by time",
        by ["transport.loss_detection=rack"], in "transport" "tcp";
    "eifel" is "a cut is taken back that was not needed (RFC 3522, RFC 4015)",
        by ["transport.undo=true"], in "transport" "tcp";
    "f-rto" is "spurious timeouts are detected (RFC 5682)", by ["transport.frto=true"], in "transport" "tcp";
    "d-sack" is "the receiver reports what arrived twice (RFC 2883)", by ["transport.dsack=true"], in "transport" "tcp";
    "minrto" | "min-rto" | "rtomin" is "the least retransmission timeout; fine timers against incast (SIGCOMM 2009)",
        by ["transport.rto_min=1ms"], in "transport" "tcp";
    // Windows.
    "gip" is "guarantee important packets: each object starts with a small window and repeats its last segment (Zhang et al., ICNP 2013)",
        by ["transport.unit_window=2", "transport.unit_copies=2"], in "transport" "tcp";
    "tcp-lite" | "lite" | "4.4bsd-lite" | "bsd-lite" is "the TCP of 4.4BSD-Lite (Wright & Stevens, TCP/IP Illustrated 2, 1995)",
        by ["transport.profile=bsd"], in "transport" "tcp";
    "iw10" is "an initial window of ten segments (RFC 6928)", by ["transport.initial_window=10"], in "transport" "tcp";
    "abc" | "appropriate-byte-counting" is "windows grow by bytes, not by acknowledgements (RFC 3465)",
        by ["transport.byte_counting=2"], in "transport" "tcp";
    "cwv" | "congestion-window-validation" is "a window that is not used does not grow (RFC 2861, RFC 7661)",
        by ["transport.window_validation=true"], in "transport" "tcp";
    "tso" | "gso" is "a host hands several segments at once to its device (TCP segmentation offload)",
        by ["transport.segmentation_offload=linux"], in "transport" "tcp";
    "hystart++" | "hystart-plus-plus" is "CUBIC leaves slow start when delays grow (RFC 9406)",
        by ["transport.controller=cubic", "transport.controller.hystart=rfc9406"], in "controller" "cubic";
    "accecn" | "accurate-ecn" is "the sender hears of every mark (RFC 9768)", by ["transport.ecn=accurate"], in "transport" "tcp";
    "classic-ecn" | "rfc3168" is "one answer to marks in a round trip (RFC 3168)", by ["transport.ecn=classic"], in "transport" "tcp";
    // Controllers.
    "bbr1" | "bbrv1" is "BBR, version 1", by ["transport.controller=bbr"], in "controller" "bbr";
    "bbrv3" is "BBR, version 3", by ["transport.controller=bbr3"], in "controller" "bbr3";
    "hstcp" is "HighSpeed TCP (RFC 3649)", by ["transport.controller=highspeed"], in "controller" "highspeed";
    "h-tcp" is "H-TCP", by ["transport.controller=htcp"], in "controller" "htcp";
    "stcp" | "scalable-tcp" is "Scalable TCP", by ["transport.controller=scalable"], in "controller" "scalable";
    "ledbat++" is "LEDBAT++", by ["transport.controller=ledbat-plus-plus"], in "controller" "ledbat-plus-plus";
    "westwood+" is "Westwood+", by ["transport.controller=westwood-plus"], in "controller" "westwood-plus";
    "tcp-prague" is "Prague, the controller of L4S (RFC 9331)", by ["transport.controller=prague"], in "controller" "prague";
    // Queues.
    "drop-tail" | "tail-drop" | "taildrop" | "fifo" | "pfifo" | "bfifo" is "a packet that finds the buffer full is dropped",
        by ["topology.bottleneck.queue=droptail"], in "queue" "droptail";
    "rio-c" is "RIO with coupled averages: that of a class counts the classes before it (Clark & Fang, 1998)",
        by ["topology.bottleneck.queue=rio", "topology.bottleneck.queue.averages=coupled",
            "topology.bottleneck.marker=token-bucket", "topology.bottleneck.marker.rate=1Mbit/s"], in "queue" "rio";
    "rio-d" | "rio-dc" is "RIO with decoupled averages: that of a class counts its own packets",
        by ["topology.bottleneck.queue=rio", "topology.bottleneck.queue.averages=decoupled",
            "topology.bottleneck.marker=token-bucket", "topology.bottleneck.marker.rate=1Mbit/s"], in "queue" "rio";
    "adaptive-red" | "ared" is "RED that adapts its probability (Floyd, Gummadi & Shenker, 2001)",
        by ["topology.bottleneck.queue=red", "topology.bottleneck.queue.adaptive={}"], in "queue" "red";
    "gentle-red" is "RED whose probability rises beyond the upper threshold step by step",
        by ["topology.bottleneck.queue=red", "topology.bottleneck.queue.gentle=true"], in "queue" "red";
    "step-marking" | "dctcp-queue" is "all packets above a length of the queue are marked (SIGCOMM 2010)",
        by ["topology.bottleneck.queue=threshold"], in "queue" "threshold";
    "l4s" | "dualq" | "dual-queue" is "low latency, low loss and scalable throughput: DualPI2 and Prague (RFC 9330 to 9332)",
        by ["topology.bottleneck.queue=dualpi2", "transport.controller=prague"], in "queue" "dualpi2";
    "tbf" is "a token bucket that shapes", by ["topology.bottleneck.queue=token-bucket-filter"], in "queue" "token-bucket-filter";
    "prio" | "priority" is "strict priority", by ["topology.bottleneck.queue=strict-priority"], in "queue" "strict-priority";
    // Links and hosts.
    "netem" is "network emulation: delay, jitter, loss, duplication, reordering (Hemminger, 2005)",
        by ["topology.bottleneck.loss=0.01",
            r#"topology.bottleneck.impairments=[{ kind = "reordering", probability = 0.01, packets = 3 }]"#], in "impairment" "reordering";
    "mahimahi" | "recorded-link" is "a link that sends at recorded times (Netravali et al., USENIX ATC 2015)",
        by [], in "table" "trace";
    "pfc" | "802.1qbb" | "priority-flow-control" is "a long queue pauses the links before it (IEEE 802.1Qbb)",
        by [], in "table" "pause";
    "incast" | "synchronized-reads" is "many servers answer one client at once (Phanishayee et al., FAST 2008)",
        by [], in "workload" "rounds";
    "udp" | "datagrams" is "datagrams at a constant rate; `poisson`, `on-off` and `replay` send others",
        by ["transport=cbr"], in "transport" "cbr";
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::plan::Plan;
    use crate::scenario::Scenario;
    use crate::schema::{TABLES, algorithms};
    use crate::toml;

    const BED: &str = r#"
        duration = "1s"
        transport = "tcp"
        topology = { kind = "dumbbell", pairs = 1, bottleneck = { queue = "droptail" } }
        flows = [{ from = "senders", to = "receivers" }]
    "#;

    #[test]
    fn settings_of_aliases_are_scenarios() {
        for alias in ALIASES {
            let mut value = toml::parse(BED).unwrap();
            for setting in alias.settings {
                toml::apply_set(&mut value, setting, crate::built_in())
                    .unwrap_or_else(|e| panic!("{setting}: {e}"));
            }
            let scenario = Scenario::from_value(&value, crate::built_in())
                .unwrap_or_else(|e| panic!("{:?}: {e}", alias.names));
            Plan::new(&scenario, Path::new(".")).unwrap_or_else(|e| panic!("{:?}: {e}", alias.names));
        }
    }

    #[test]
    fn aliases_name_what_there_is_and_nothing_twice() {
        let members = |family: &str| -> Vec<&str> {
            let found = algorithms().into_iter().filter(|(name, _)| *name == family);
            found.flat_map(|(_, members)| members).map(|about| about.name).collect()
        };
        let own: Vec<&str> =
            algorithms().iter().flat_map(|(_, found)| found.iter().map(|a| a.name)).collect();
        let mut seen: Vec<&str> = Vec::new();
        for Alias { names, place: (family, place), .. } in ALIASES {
            let there =
                if *family == "table" { TABLES.contains(place) } else { members(family).contains(place) };
            assert!(there, "{family} {place}");
            for name in *names {
                assert!(
                    !own.contains(name) && !TABLES.contains(name) && !seen.contains(name),
                    "{name} stands twice"
                );
                assert!(!name.contains([' ', '_']) && *name == name.to_lowercase(), "{name}");
                seen.push(name);
            }
        }
    }
}
