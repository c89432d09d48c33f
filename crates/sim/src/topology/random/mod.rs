//! Random networks: what the models (`tree.rs`, `waxman.rs`, `barabasi_albert.rs`) have in common. A model draws which routers are
//! joined; rates, delays and the places of hosts are drawn here, each from a stream of its own: a change of one parameter
//! changes no other draw.

pub mod barabasi_albert;
pub mod tree;
pub mod waxman;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::rng::{Stream, stream};
use dumbbell_core::{BitRate, Duration, Validate, Value, config};
use dumbbell_net::link::LinkSpec;
use rand::RngExt;

use super::{Network, check_count, to_host};
use crate::limits::MAX_LINKS;
use crate::roles::droptail;

/// The most routers: a model may look at each pair of them.
const MAX_ROUTERS: u32 = 5000;

config! {
    /// The link between two routers of a random network.
    pub struct RandomLink {
        ..link: LinkSpec {
            rate = "8Mbit/s", "choice: with `min_rate`, the loads that Toomey, PhD thesis, UNSW 1998, chapter 11 reports";
            delay = "20ms", "choice: with `min_delay`, paths within a continent";
            queue = droptail("15000B"), "Toomey, PhD thesis, UNSW 1998, section 11.5: 10 data packets";
        }
    }
}

impl Validate for RandomLink {}

config! {
    /// The link of a host of a random network.
    pub struct RandomAccess {
        ..link: LinkSpec {
            rate = "10Mbit/s", "choice: above the rate of any link between routers";
            delay = "10us", "choice: hosts are near their routers";
            queue = "droptail", "choice: unlimited, a host does not drop its own packets";
        }
    }
}

impl Validate for RandomAccess {}

config! {
    /// What all random networks have.
    pub struct Common {
        /// Routers.
        routers: u32 as "routers" = 12, "choice: with 15 pairs, the loads that Toomey, PhD thesis, UNSW 1998, chapter 11 reports";
        /// Pairs of a sender and a receiver, each a host of its own. The routers of the two differ.
        pairs: u32 as "pairs" = 15, "choice: as `routers`";
        /// The seed of the network.
        seed: Option<u64> as "dimensionless" = (), "absent: that of the run, so each seed has a network of its own";
        /// The least rate of a link between routers: rates are uniform from this to `link.rate`, the same both ways unless
        /// `link.reverse.rate` is given.
        min_rate: Option<BitRate> = "2Mbit/s", "choice: as `routers`; none: all have `link.rate`";
        /// The least delay of a link between routers; `link.delay` is the longest.
        min_delay: Option<Duration> = "1ms", "choice: neighbouring towns; none: all have `link.delay`";
        /// The power of the law of delays: the way from the least to the longest is a uniform number to this power. Above 1
        /// most links are short and few are long. Of a model that knows how far its routers are, the length takes its place.
        delay_power: f64 as "dimensionless" = 1.0, "choice: uniform delays";
        /// Every link between routers, apart from its rate and its delay.
        link: RandomLink = Value::table(), "see its fields";
        /// The link of every host; forward is from the host to its router. Its queue is the host's; that of the router's port is
        /// `link.queue`, unless `reverse.queue` is given.
        access: RandomAccess = Value::table(), "see its fields";
    }
}

impl Validate for Common {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_count("routers", self.routers, MAX_ROUTERS as usize, at)?;
        check_count("pairs", self.pairs, MAX_LINKS / 4, at)?;
        if self.routers < 2 {
            return Err(at
                .key("routers")
                .error("a sender and its receiver have different routers", "give 2 or more"));
        }
        let link = &self.link.link;
        if self.min_rate.is_some_and(|least| least > link.rate) {
            let message = format!("is above `link.rate`, {}", link.rate);
            return Err(at.key("min_rate").error(message, "give a lower rate, or a higher `link.rate`"));
        }
        if let Some(least) = self.min_delay.filter(|least| *least > link.delay) {
            let message = format!("{least} is above `link.delay`, {}", link.delay);
            return Err(at.key("min_delay").error(message, "give a shorter one, or a longer `link.delay`"));
        }
        at.above_zero("delay_power", self.delay_power, 100.0)?;
        // What depends on the rate or the delay must hold for the least of them too.
        let mut least = link.clone();
        least.rate = self.min_rate.unwrap_or(least.rate);
        least.delay = self.min_delay.unwrap_or(least.delay);
        least.validate(&at.key("link"))
    }
}

/// Two routers that are joined.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Joined {
    a: u32,
    b: u32,
    /// The delay as a part of the way from the least to the longest; none: drawn.
    length: Option<f64>,
}

impl Joined {
    /// Joined by a link whose delay is drawn.
    fn new(a: u32, b: u32) -> Joined {
        Joined { a, b, length: None }
    }
}

impl Common {
    /// True if each seed of a run has a network of its own.
    fn follows_seed(&self) -> bool {
        self.seed.is_none()
    }

    /// The random stream of one purpose, in a run with `seed`.
    fn stream(&self, seed: u64, purpose: &str) -> Stream {
        stream(self.seed.unwrap_or(seed), &format!("topology {purpose}"))
    }

    /// The network in which the routers are joined as `model` draws it.
    fn build(
        &self,
        seed: u64,
        at: &At<'_>,
        model: impl FnOnce(u32, &mut Stream) -> Vec<Joined>,
    ) -> Result<Network, ConfigError> {
        let joined = model(self.routers, &mut self.stream(seed, "links"));
        let links = 2 * (joined.len() + 2 * self.pairs as usize);
        if links > MAX_LINKS {
            let message = format!("{links} links are above the limit of {MAX_LINKS}");
            return Err(at.key("routers").error(message, "make the network smaller, or join fewer routers"));
        }
        let mut net = Network::default();
        let routers = net.hosts("routers", "router", self.routers);
        let senders = net.hosts("senders", "sender", self.pairs);
        let receivers = net.hosts("receivers", "receiver", self.pairs);
        net.groups.push(("hosts".to_owned(), [senders.as_slice(), &receivers].concat()));
        let link = &self.link.link;
        let (mut rates, mut delays) = (self.stream(seed, "rates"), self.stream(seed, "delays"));
        for Joined { a, b, length } in joined {
            let mut own = link.clone();
            if let Some(least) = self.min_rate {
                own.rate = BitRate::from_bps(rates.random_range(least.as_bps()..=link.rate.as_bps()));
            }
            let part = length.unwrap_or_else(|| delays.random::<f64>().powf(self.delay_power));
            if let Some(least) = self.min_delay {
                own.delay = least + (link.delay - least).mul_f64(part);
            }
            let forward = net.duplex(routers[a as usize], routers[b as usize], &own.resolve());
            net.bottlenecks.extend([forward, forward + 1]);
        }
        let access = to_host(self.access.link.clone(), link).resolve();
        let mut places = self.stream(seed, "hosts");
        for (sender, receiver) in senders.into_iter().zip(receivers) {
            let first = places.random_range(0..self.routers);
            let second = places.random_range(0..self.routers - 1);
            let second = second + u32::from(second >= first);
            for (host, router) in [(sender, first), (receiver, second)] {
                let up = net.duplex(host, routers[router as usize], &access);
                net.bottlenecks.push(up + 1);
            }
        }
        Ok(net)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use dumbbell_core::Config;
    use proptest::prelude::*;

    use super::super::TopologySpec;
    use super::*;

    const KINDS: [&str; 3] = ["random-tree", "waxman", "barabasi-albert"];

    fn spec(text: &str) -> TopologySpec {
        let value: Value = dumbbell_core::json::from_str(text).unwrap();
        TopologySpec::from_value(&value, &At::root("topology")).unwrap()
    }

    fn build(text: &str, seed: u64) -> Network {
        spec(text).build(seed, &At::root("topology")).unwrap()
    }

    fn refused(text: &str) -> String {
        let value: Value = dumbbell_core::json::from_str(text).unwrap();
        TopologySpec::from_value(&value, &At::root("topology")).unwrap_err().to_string()
    }

    /// Routers that are joined, each link once.
    fn joined(net: &Network, routers: u32) -> Vec<(u32, u32)> {
        let between = net.links.iter().step_by(2).filter(|link| link.from < routers && link.to < routers);
        between.map(|link| (link.from, link.to)).collect()
    }

    proptest! {
        /// Every network is connected, joins no two nodes twice, and gives each sender and its receiver routers that differ.
        #[test]
        fn networks_are_whole(seed: u64, routers in 2..40_u32, pairs in 1..30_u32) {
            for kind in KINDS {
                let text = format!(r#"{{"kind": "{kind}", "routers": {routers}, "pairs": {pairs}}}"#);
                let text = if kind == "random-tree" && routers < 5 { text.replace('}', r#", "extra_links": 0}"#) } else { text };
                let net = build(&text, seed);
                let mut ends = HashSet::new();
                for link in &net.links {
                    prop_assert!(link.from != link.to && ends.insert((link.from, link.to)), "{}", kind);
                }
                let mut reached = BTreeSet::from([0]);
                while let Some(link) = net.links.iter().find(|l| reached.contains(&l.from) && !reached.contains(&l.to)) {
                    reached.insert(link.to);
                }
                prop_assert_eq!(reached.len(), net.nodes.len(), "{}", kind);
                let router = |host: u32| net.links.iter().find(|link| link.from == host).unwrap().to;
                for pair in 0..pairs {
                    let sender = routers + pair;
                    prop_assert!(router(sender) != router(sender + pairs));
                }
                for link in net.links.iter().filter(|link| link.from < routers && link.to < routers) {
                    prop_assert!((2_000_000..=8_000_000).contains(&link.direction.rate.as_bps()));
                    prop_assert!((1_000_000..=20_000_000).contains(&link.direction.delay.as_nanos()));
                }
            }
        }
    }

    #[test]
    fn a_seed_is_a_network() {
        for kind in KINDS {
            let text = format!(r#"{{"kind": "{kind}"}}"#);
            assert_eq!(build(&text, 1), build(&text, 1));
            assert_ne!(build(&text, 1), build(&text, 2));
            assert!(spec(&text).follows_seed());
            let own = format!(r#"{{"kind": "{kind}", "seed": 1}}"#);
            assert_eq!(build(&own, 2), build(&text, 1));
            assert!(!spec(&own).follows_seed());
        }
    }

    #[test]
    fn another_delay_changes_neither_links_nor_rates_nor_hosts() {
        let near = build(r#"{"kind": "random-tree", "min_delay": null, "link": {"delay": "2ms"}}"#, 7);
        let far = build(r#"{"kind": "random-tree"}"#, 7);
        assert_eq!(near.links.len(), far.links.len());
        for (near, far) in near.links.iter().zip(&far.links) {
            assert_eq!((near.from, near.to, near.direction.rate), (far.from, far.to, far.direction.rate));
        }
    }

    #[test]
    fn with_a_power_most_links_are_short() {
        let delays = |power: f64| {
            let text = format!(r#"{{"kind": "random-tree", "routers": 500, "delay_power": {power}}}"#);
            let net = build(&text, 7);
            let between = net.links.iter().filter(|link| link.from < 500 && link.to < 500);
            let mut all: Vec<f64> = between.map(|link| link.direction.delay.as_secs_f64() * 1e3).collect();
            all.sort_by(f64::total_cmp);
            (all[all.len() / 2], all[all.len() - 1])
        };
        let (plain, skewed) = (delays(1.0), delays(4.0));
        // Half of a uniform draw is below 1/2, and of its fourth power below 1/16; from 1 to 20 ms.
        assert!((plain.0 - 10.5).abs() < 1.0 && (skewed.0 - 2.2).abs() < 0.5, "{plain:?} {skewed:?}");
        assert!(skewed.1 > 19.0);
        assert_eq!(
            refused(r#"{"kind": "random-tree", "delay_power": 0}"#),
            "topology.delay_power: 0 is out of range; give a number above 0 and up to 100"
        );
    }

    #[test]
    fn the_tree_has_the_links_it_should_and_the_extra_ones() {
        for extra in [0, 2, 55] {
            let net = build(&format!(r#"{{"kind": "random-tree", "extra_links": {extra}}}"#), 3);
            assert_eq!(joined(&net, 12).len(), 11 + extra);
        }
        assert_eq!(
            refused(r#"{"kind": "random-tree", "extra_links": 56}"#),
            "topology.extra_links: 12 routers have room for 55 beside their tree; give fewer, or more routers"
        );
    }

    #[test]
    fn in_a_recursive_tree_the_first_router_has_the_expected_degree() {
        // The degree of the first of n is the sum of 1/i for i from 1 to n-1 (Na & Rapoport 1970): 3.02 for 12, variance 1.46.
        let degree = |seed| {
            let net = build(r#"{"kind": "random-tree", "extra_links": 0}"#, seed);
            joined(&net, 12).iter().filter(|(a, b)| *a == 0 || *b == 0).count()
        };
        let mean = (0..2000).map(degree).sum::<usize>() as f64 / 2000.0;
        assert!((mean - 3.02).abs() < 4.0 * (1.46_f64 / 2000.0).sqrt(), "{mean}");
    }

    #[test]
    fn waxman_joins_neighbours_by_their_distance() {
        // With a tiny alpha only what must be is joined: the shortest tree. With all at beta = 1, everything.
        let tree = build(r#"{"kind": "waxman", "alpha": 1e-9, "beta": 0.5}"#, 1);
        assert_eq!(joined(&tree, 12).len(), 11);
        let full = build(r#"{"kind": "waxman", "alpha": 1e9, "beta": 1.0}"#, 1);
        assert_eq!(joined(&full, 12).len(), 66);
        let delays = |net: &Network| -> u64 {
            let between = net.links.iter().filter(|link| link.from < 12 && link.to < 12);
            between.map(|link| link.direction.delay.as_nanos()).sum()
        };
        assert!(delays(&tree) as f64 / 22.0 < 0.6 * delays(&full) as f64 / 132.0);
    }

    #[test]
    fn barabasi_and_albert_join_newcomers_to_those_with_many_links() {
        let text = r#"{"kind": "barabasi-albert", "routers": 2000, "links": 2}"#;
        let net = build(text, 1);
        let joined = joined(&net, 2000);
        assert_eq!(joined.len(), 2 + 2 * (2000 - 3));
        let mut degrees = vec![0_u32; 2000];
        joined.iter().for_each(|(a, b)| [a, b].iter().for_each(|i| degrees[**i as usize] += 1));
        assert!(*degrees.iter().max().unwrap() > 60);
        // Of a power law with exponent 3, P(k) = 2m(m+1) / (k(k+1)(k+2)): half have m = 2 links.
        let least = degrees.iter().filter(|d| **d == 2).count();
        assert!((900..=1100).contains(&least), "{least}");
    }

    #[test]
    fn what_does_not_fit_is_one_line() {
        for (text, line) in [
            (
                r#""routers": 1"#,
                "topology.routers: a sender and its receiver have different routers; give 2 or more",
            ),
            (
                r#""routers": 5001"#,
                "topology.routers: 5001 is above the limit of 5000; make the topology smaller",
            ),
            (r#""pairs": 0"#, "topology.pairs: must be above zero; give 1 or more"),
            (
                r#""min_rate": "9Mbit/s""#,
                "topology.min_rate: is above `link.rate`, 8Mbit/s; give a lower rate, or a higher `link.rate`",
            ),
            (
                r#""min_delay": "21ms""#,
                "topology.min_delay: 21ms is above `link.delay`, 20ms; give a shorter one, or a longer `link.delay`",
            ),
        ] {
            for kind in KINDS {
                assert_eq!(refused(&format!(r#"{{"kind": "{kind}", {text}}}"#)), line);
            }
        }
        let waxman = |text: &str| refused(&format!(r#"{{"kind": "waxman", {text}}}"#));
        assert_eq!(
            waxman(r#""beta": 1.5"#),
            "topology.beta: 1.5 is out of range; give a number above 0 and up to 1"
        );
        assert_eq!(waxman(r#""alpha": 0"#), "topology.alpha: 0 joins no routers; give a number above 0");
        assert_eq!(
            refused(r#"{"kind": "barabasi-albert", "links": 12}"#),
            "topology.links: 12 routers cannot have 12 neighbours each; give 1 to 11"
        );
    }
}
