//! Profiles: whose TCP a connection is, as a table of defaults with their sources. What a scenario says goes before them.

use dumbbell_core::registry::Profile;
use dumbbell_core::{Value, words};

words! {
    /// Whose TCP: a table of defaults.
    pub enum ProfileName { Linux = "linux", Rfc = "rfc", Ns2 = "ns2", Bsd = "bsd" }
}

/// Declares profiles: a title, what holds for controllers by their names, and the other defaults; each with its source.
macro_rules! profiles {
    ($( $name:ident, $title:literal {
        $( [$controller:literal] $( $its:ident = $its_value:expr, $its_source:expr; )+ )*
        [] $( $key:ident = $value:expr, $source:expr; )*
    } )+) => {
        /// Every profile.
        pub fn profiles() -> Vec<Profile> {
            vec![ $( Profile {
                name: ProfileName::$name.word(),
                title: $title,
                settings: vec![ $( (stringify!($key), Value::from($value), $source) ),* ],
                controllers: vec![ $( ($controller, vec![
                    $( (stringify!($its), Value::from($its_value), $its_source) ),+
                ]) ),* ],
            } ),+ ]
        }
    };
}

profiles! {
    Linux, "Linux 6.x" {
        ["cubic"]
            variant = "linux", "Linux net/ipv4/tcp_cubic.c";
            hystart = "linux", "Linux 6.14: net/ipv4/tcp_cubic.c, hystart and hystart_detect are on";
        []
            receive_window = "32MiB", "Linux 6.16 net.ipv4.tcp_rmem[2]: 33554432, of which all may be window";
            initial_receive_window = "65536B", "Linux net.ipv4.tcp_rmem[1]: 131072, half of it for the window";
            delayed_acks = "linux", "Linux net/ipv4/tcp_input.c: quick acknowledgements, ATO of 40 to 200 ms";
            sack_compression = true, "Linux net.ipv4.tcp_comp_sack_delay_ns: 1 ms, tcp_comp_sack_nr: 44";
            dsack = true, "Linux net.ipv4.tcp_dsack: 1";
            byte_counting = 1_000_000, "Linux net/ipv4/tcp_cong.c: all segments acknowledged count in slow start";
            loss_detection = "rack", "Linux net.ipv4.tcp_recovery: 1, tcp_early_retrans: 3, tcp_frto: 2";
            cut_from = "window", "Linux net/ipv4/tcp_cong.c: ssthresh from snd_cwnd";
            timestamps = true, "Linux net.ipv4.tcp_timestamps: 1";
            rto_floor = "deviation", "Linux net/ipv4/tcp_input.c: 200 ms under the variance term";
            rto_max = "120s", "Linux net.ipv4.tcp_rto_max_ms: 120000";
    }
    Rfc, "The defaults of the current RFCs" {
        []
    }
    Ns2, "The agents of ns-2.35 with their defaults" {
        ["newreno"]
            full_ack = "threshold", "ns-2.35 tcp/tcp-newreno.cc: newreno_changes_ 0";
        []
            controller = "newreno", "ns-2.35: Agent/TCP/Newreno";
            handshake = false, "ns-2.35: one-way agents open without SYN";
            fin = false, "ns-2.35: one-way agents do not close";
            sack = false, "ns-2.35: Agent/TCP/Newreno";
            initial_window = 2, "ns-2.35 tcl/lib/ns-default.tcl: windowInit_ 2";
            max_window = 20, "ns-2.35 tcl/lib/ns-default.tcl: window_ 20";
            ack_every = 1, "ns-2.35: Agent/TCPSink acknowledges every segment";
            byte_counting = 1, "ns-2.35 tcp/tcp.cc: opencwnd counts acknowledgements";
            window_validation = false, "ns-2.35 tcl/lib/ns-default.tcl: control_increase_ 0";
            rto_initial = "3s", "ns-2.35 tcl/lib/ns-default.tcl: rtxcur_init_ 3.0";
            rto_granularity = "10ms", "ns-2.35 tcl/lib/ns-default.tcl: tcpTick_ 0.01";
            rtt_tick = "10ms", "ns-2.35 tcl/lib/ns-default.tcl: tcpTick_ 0.01";
    }
    Bsd, "4.4BSD-Lite: Reno with coarse timers" {
        []
            controller = "reno", "Wright & Stevens, TCP/IP Illustrated 2, 1995, section 29.4";
            sack = false, "RFC 2018 is younger";
            initial_window = 1, "Wright & Stevens, section 28.9: one segment after the handshake";
            receive_window = "8kB", "4.4BSD-Lite sys/netinet/tcp_usrreq.c: tcp_recvspace 8192";
            ack_every = 2, "Wright & Stevens, section 29.4";
            ack_delay = "200ms", "Wright & Stevens, section 25.4: the fast timer";
            byte_counting = 1, "Wright & Stevens, section 29.7: acknowledgements count";
            window_validation = false, "RFC 2861 is younger";
            limited_transmit = false, "RFC 3042 is younger";
            timestamps = true, "Wright & Stevens, section 24.4: RFC 1323 is asked for";
            rto_min = "1s", "Wright & Stevens, section 25.7: two ticks of 500 ms";
            rto_initial = "6s", "Wright & Stevens, section 25.7";
            rto_max = "64s", "Wright & Stevens, section 25.7: TCPTV_REXMTMAX";
            rto_granularity = "500ms", "Wright & Stevens, section 25.3: the slow timer";
            rtt_tick = "500ms", "Wright & Stevens, section 25.3: the slow timer";
            retries = 12, "Wright & Stevens, section 25.9: TCP_MAXRXTSHIFT";
    }
}
