//! Profiles: whose TCP a connection is, as a table of defaults with their sources. What a scenario says goes before them.
//! The defaults that [`Params`](super::Params) declares are those of Linux; the other profiles say what differs from them.

use dumbbell_core::registry::Profile;
use dumbbell_core::{Value, words};

words! {
    /// Whose TCP: a table of defaults.
    pub enum ProfileName { Linux = "linux", Linux61 = "linux-6.1", Rfc = "rfc", Ns2 = "ns2", Bsd = "bsd" }
}

/// Declares profiles: a title, the profile whose settings hold where there is none here, what holds for controllers by
/// their names, and the other defaults; each with its source.
macro_rules! profiles {
    ($( $name:ident $(over $base:ident)?, $title:literal {
        $( [$controller:literal] $( $its:ident = $its_value:expr, $its_source:expr; )+ )*
        [] $( $key:ident = $value:expr, $source:expr; )*
    } )+) => {
        /// Every profile.
        pub fn profiles() -> Vec<Profile> {
            vec![ $( profile_named(ProfileName::$name) ),+ ]
        }

        fn profile_named(name: ProfileName) -> Profile {
            match name { $( ProfileName::$name => {
                let profile = Profile {
                    name: name.word(),
                    title: $title,
                    settings: vec![ $( (stringify!($key), Value::from($value), $source) ),* ],
                    controllers: vec![ $( ($controller, vec![
                        $( (stringify!($its), Value::from($its_value), $its_source) ),+
                    ]) ),* ],
                };
                $( let profile = profile.over(profile_named(ProfileName::$base)); )?
                profile
            } )+ }
        }
    };
}

profiles! {
    Linux, "Linux 6.x" {
        ["bic"]
            variant = "linux", "Linux net/ipv4/tcp_bic.c";
            max_increment = 16.0, "Linux net/ipv4/tcp_bic.c: max_increment 16";
            min_increment = 0.2, "Linux net/ipv4/tcp_bic.c: BICTCP_B / smooth_part, 4 / 20";
            decrease = 819.0 / 1024.0, "Linux net/ipv4/tcp_bic.c: beta 819 / 1024";
            divisor = 4.0, "Linux net/ipv4/tcp_bic.c: BICTCP_B 4";
        ["dctcp"]
            law = "linux", "Linux net/ipv4/tcp_dctcp.c";
        ["highspeed"]
            whole_steps = true, "Linux net/ipv4/tcp_highspeed.c: hstcp_aimd_vals";
            counts_acks = true, "Linux net/ipv4/tcp_highspeed.c: an acknowledgement adds ai + 1";
        ["htcp"]
            variant = "linux", "Linux net/ipv4/tcp_htcp.c";
            most_decrease = 102.0 / 128.0, "Linux net/ipv4/tcp_htcp.c: BETA_MAX 102 / 128";
        ["hybla"]
            starts_with_rho = true, "Linux net/ipv4/tcp_hybla.c: hybla_init";
            whole_parts = true, "Linux net/ipv4/tcp_hybla.c: snd_cwnd_cents";
        ["illinois"]
            single_delays = true, "Linux net/ipv4/tcp_illinois.c: max_rtt";
            alpha_min = 38.0 / 128.0, "Linux net/ipv4/tcp_illinois.c: ALPHA_MIN 38 / 128";
        ["scalable"]
            least_increase = 1.0, "Linux net/ipv4/tcp_scalable.c: min(window, 100)";
            legacy_window = 0.001, "Linux net/ipv4/tcp_scalable.c: none";
        ["vegas"]
            law = "linux", "Linux net/ipv4/tcp_vegas.c";
            alpha = 2.0, "Linux net/ipv4/tcp_vegas.c: alpha 2";
            beta = 4.0, "Linux net/ipv4/tcp_vegas.c: beta 4";
        ["westwood-plus"]
            variant = "linux", "Linux net/ipv4/tcp_westwood.c";
            memory = 0.875, "Linux net/ipv4/tcp_westwood.c: westwood_do_filter, 7 / 8";
        []
    }
    Linux61 over Linux, "Linux 6.1" {
        []
            lost_syn = "doubling", "Linux 6.1 net/ipv4/tcp_timer.c: no net.ipv4.tcp_syn_linear_timeouts";
            packet_memory = "1280B", "Linux 6.1 net/core/skbuff.c: a packet's head lies in 1024 bytes";
            segmentation_offload = "pieces", "Linux 6.1 net/ipv4/tcp_output.c: tcp_cwnd_test, and no tcp_grow_skb";
            receive_window = "3MiB", "Linux 6.1 net.ipv4.tcp_rmem[2]: 6291456, half of it for the window";
            window_share = "half", "Linux 6.1 net.ipv4.tcp_adv_win_scale: 1";
    }
    Rfc, "The defaults of the current RFCs" {
        ["cubic"]
            variant = "rfc9438", "RFC 9438";
            hystart = "off", "choice: RFC 9438 section 4.10 leaves it open";
        []
            send_buffer = "unlimited", "choice: only network and receiver limit";
            nagle = "off", "RFC 9293 section 3.7.4: a program can turn it off; what it writes here it writes at once";
            receive_window = "1073725440B", "RFC 7323 section 2.3: the largest, so that only the network limits";
            initial_receive_window = "1073725440B", "choice: the window does not change";
            delayed_acks = "fixed", "RFC 5681 section 4.2";
            sack_compression = false, "RFC 5681 section 4.2: a segment above a hole is acknowledged at once";
            lost_syn = "restart", "RFC 5681 section 3.1, RFC 6298 section 5.7";
            dsack = false, "choice: RFC 2883 is optional";
            byte_counting = 2, "RFC 3465 section 2.3: L";
            segmentation_offload = "off", "choice: a segment leaves when the window allows it";
            loss_detection = "duplicates", "RFC 5681 section 3.2, RFC 6675 section 4";
            cut_from = "flight", "RFC 5681 equation 4";
            timestamps = false, "choice: segments of 1460 bytes, as in most published studies";
            rto_floor = "timeout", "RFC 6298 section 2.4";
            rto_max = "60s", "RFC 6298 section 2.5";
    }
    Ns2 over Rfc, "The agents of ns-2.35 with their defaults" {
        ["newreno"]
            full_ack = "threshold", "ns-2.35 tcp/tcp-newreno.cc: newreno_changes_ 0";
        []
            controller = "newreno", "ns-2.35: Agent/TCP/Newreno";
            handshake = true, "ns-2.35 tcl/lib/ns-default.tcl: syn_ true";
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
    Bsd over Rfc, "4.4BSD-Lite: Reno with coarse timers" {
        ["reno"]
            variant = "bsd", "4.4BSD-Lite sys/netinet/tcp_input.c, tcp_timer.c";
        []
            controller = "reno", "Wright & Stevens, TCP/IP Illustrated 2, 1995, section 29.4";
            sack = false, "RFC 2018 is younger";
            initial_window = 1, "Wright & Stevens, section 28.9: one segment after the handshake";
            nagle = "classic", "4.4BSD-Lite sys/netinet/tcp_output.c: unless the connection is idle or TF_NODELAY is set";
            receive_window = "8kB", "4.4BSD-Lite sys/netinet/tcp_usrreq.c: tcp_recvspace 8192";
            initial_receive_window = "8kB", "4.4BSD-Lite: the window does not change";
            ack_every = 2, "Wright & Stevens, section 29.4";
            ack_delay = "200ms", "Wright & Stevens, section 25.4: the fast timer";
            delayed_acks = "ticks", "Wright & Stevens, section 25.4: every 200 ms, whenever the segment came";
            byte_counting = 1, "Wright & Stevens, section 29.7: acknowledgements count";
            exit_inflation_fix = false, "4.4BSD-Lite sys/netinet/tcp_input.c: only after more than tcprexmtthresh duplicates";
            single_fast_retransmit = false, "RFC 2582 is younger";
            window_validation = false, "RFC 2861 is younger";
            limited_transmit = false, "RFC 3042 is younger";
            timestamps = true, "Wright & Stevens, section 24.4: RFC 1323 is asked for";
            rto_min = "1s", "Wright & Stevens, section 25.7: two ticks of 500 ms";
            rto_initial = "6s", "Wright & Stevens, section 25.7";
            rto_max = "64s", "Wright & Stevens, section 25.7: TCPTV_REXMTMAX";
            rto_tick = "500ms", "Wright & Stevens, section 25.3: the slow timer";
            rtt_integers = true, "Wright & Stevens, section 25.10; Stevens, TCP/IP Illustrated 1, 1994, figure 21.1: 1.5, 3, 6 s";
            retries = 12, "Wright & Stevens, section 25.9: TCP_MAXRXTSHIFT";
    }
}
