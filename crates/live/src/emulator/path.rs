//! The part of a plan that real packets pass: one link, with its two directions.

use std::collections::HashMap;
use std::sync::Arc;

use dumbbell_core::{BitRate, ConfigError, Duration, HeaderKind};
use dumbbell_net::link::Direction;
use dumbbell_net::node::{NodeAgentParams, NodeAgentSpec};
use dumbbell_net::queue::QueueSpec;
use dumbbell_net::router::AgentSpec;
use dumbbell_sim::Plan;
use dumbbell_sim::pairs::Pair;
use dumbbell_sim::plan::PlannedLink;

use super::unmet::{self, Unmet};

/// The number of the direction from the client to the server.
pub const UP: usize = 0;
/// The number of the way back.
pub const DOWN: usize = 1;

/// Addresses of the client, and with them groups of pairs with delays of their own.
const MOST_GROUPS: usize = 32;

/// The two directions of an emulated path.
///
/// The rest of the path, links that are no bottleneck, counts as propagation delay: real packets see the base round-trip
/// time of the pair whose address they have. What all pairs whose data crosses the link have in common is part of the delay
/// of the link, behind its queue.
#[derive(Clone, Debug)]
pub struct Path {
    /// From the client to the server, with the delay that all pairs have in common.
    pub uplink: PlannedLink,
    /// From the server to the client, with the delay that all pairs have in common.
    pub downlink: PlannedLink,
    /// The largest packet on the whole path.
    pub mtu: u32,
    /// The pairs whose data crosses the link, by their delays; one for each address of the client. The first holds the first
    /// pair.
    pub groups: Vec<Group>,
    /// Of the delay behind the queue of the uplink, what the scenario has before it: packets meet the queue so much earlier.
    pub ahead: Duration,
    /// The routers with agents at its ends: the client's, and the server's.
    pub routers: [Option<Router>; 2],
    /// What the scenario says of other links, and real packets do not meet.
    pub unmet: Vec<Unmet>,
}

/// A router with an agent.
#[derive(Clone, Debug)]
pub struct Router {
    /// Its name.
    pub name: String,
    /// The parameters of the agent, which build it.
    pub params: Arc<dyn NodeAgentParams>,
    /// The link that leads on from it, away from the emulated one; of several a name for all.
    pub beyond: String,
    /// The rate of these links together.
    pub beyond_rate: BitRate,
}

/// Pairs with the same delays.
#[derive(Clone, Debug)]
pub struct Group {
    /// Their sources and destinations.
    pub pairs: Vec<(u32, u32)>,
    /// What they add to the delay of the uplink.
    pub up: Beside,
    /// What they add to the delay of the downlink.
    pub down: Beside,
}

/// Delays of the links beside the emulated one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Beside {
    /// Before the queue.
    pub before: Duration,
    /// Behind it.
    pub after: Duration,
}

impl Beside {
    /// The links of a route but for one of them. A route that does not take it is as long, all behind it.
    fn on(plan: &Plan, link: u32, route: &[u32]) -> Beside {
        let sum = |links: &[u32]| {
            links.iter().fold(Duration::ZERO, |sum, l| sum + plan.links[*l as usize].direction.delay)
        };
        match route.iter().position(|l| *l == link) {
            Some(place) => Beside { before: sum(&route[..place]), after: sum(&route[place + 1..]) },
            None => {
                let own = plan.links[link as usize].direction.delay;
                Beside { before: Duration::ZERO, after: sum(route).saturating_sub(own) }
            }
        }
    }

    /// Both together.
    pub fn total(self) -> Duration {
        self.before + self.after
    }

    /// Takes from all what they have in common, and returns it.
    fn split<'a>(all: impl Iterator<Item = &'a mut Beside>) -> Beside {
        let all: Vec<&mut Beside> = all.collect();
        let least = |of: fn(&Beside) -> Duration| all.iter().map(|b| of(b)).min().unwrap_or_default();
        let common = Beside { before: least(|b| b.before), after: least(|b| b.after) };
        for beside in all {
            beside.before -= common.before;
            beside.after -= common.after;
        }
        common
    }
}

impl Path {
    /// The path through the link called `at`. Without a name, through a link of the first pair that is all that packets meet,
    /// but for delays: the slowest if there are several.
    ///
    /// # Errors
    /// If there is no such link, no pair sends data over it, its pairs have too many delays, its router or its marker works with
    /// a header that real packets have not, the link shares a buffer, or nodes of the plan have agents or policies.
    pub fn of(plan: &Plan, at: Option<&str>) -> Result<Path, ConfigError> {
        let named = |link: &u32| at.is_none_or(|name| *plan.links[*link as usize].name == *name);
        let mut paths = plan.pairs.iter().flat_map(|pair| pair.forward.iter().map(move |path| (pair, path)));
        let Some((pair, there)) = paths.find(|(_, path)| path.iter().any(named)) else {
            return Err(no_pair(plan, at.unwrap_or_default()));
        };
        let mut candidates: Vec<u32> = there.iter().copied().filter(named).collect();
        if at.is_some() {
            return Path::through(plan, pair, candidates[0]);
        }
        candidates.sort_by_key(|l| plan.links[*l as usize].direction.rate);
        let mut refused = None;
        for link in candidates {
            let path = Path::through(plan, pair, link)?;
            match unmet::check(&path.uplink, &path.unmet) {
                Ok(()) => return Ok(path),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.unwrap_or_else(|| no_pair(plan, "")))
    }

    /// The path through a link that `pair` sends data over.
    fn through(plan: &Plan, pair: &Pair, uplink: u32) -> Result<Path, ConfigError> {
        let slowest =
            |path: &[u32]| path.iter().min_by_key(|l| plan.links[**l as usize].direction.rate).copied();
        let (from, to) = (plan.links[uplink as usize].from, plan.links[uplink as usize].to);
        let opposite = |l: &u32| (plan.links[*l as usize].from, plan.links[*l as usize].to) == (to, from);
        let back = |pair: &'_ Pair| {
            let through = pair.reverse.iter().find(|path| path.iter().any(opposite));
            through.unwrap_or(pair.reverse.first()).to_vec()
        };
        let first_back = back(pair);
        let downlink = first_back.iter().copied().find(opposite).or_else(|| slowest(&first_back));
        let Some(downlink) = downlink else {
            return Err(no_pair(plan, &plan.links[uplink as usize].name));
        };
        for link in [uplink, downlink] {
            check_built_in(&plan.links[link as usize])?;
            check_router(&plan.links[link as usize])?;
            check_marker(&plan.links[link as usize])?;
            check_alone(&plan.links[link as usize])?;
        }
        let mut mtu = u32::MAX;
        let mut groups: Vec<Group> = Vec::new();
        let mut known = HashMap::new();
        let mut ways = Vec::new();
        for pair in &plan.pairs {
            let Some(there) = pair.forward.iter().find(|path| path.contains(&uplink)) else { continue };
            mtu = mtu.min(pair.mtu);
            let back = back(pair);
            let (up, down) = (Beside::on(plan, uplink, there), Beside::on(plan, downlink, &back));
            ways.push([there.to_vec(), back]);
            let group = *known.entry((up, down)).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Group { pairs: Vec::new(), up, down });
            }
            groups[group].pairs.push((pair.source, pair.destination));
        }
        check_groups(&plan.links[uplink as usize], &groups)?;
        let routers = routers(plan, uplink, &ways)?;
        // A router stands where it stands: packets meet it neither earlier nor later than in the scenario.
        let [up, down] = if routers.iter().any(Option::is_some) {
            [Beside::default(); 2]
        } else {
            let up = Beside::split(groups.iter_mut().map(|group| &mut group.up));
            [up, Beside::split(groups.iter_mut().map(|group| &mut group.down))]
        };
        Ok(Path {
            uplink: with_delay(&plan.links[uplink as usize], up.total()),
            downlink: with_delay(&plan.links[downlink as usize], down.total()),
            mtu,
            groups,
            ahead: up.before,
            routers,
            unmet: unmet::of(plan, [uplink, downlink], &ways),
        })
    }

    /// Propagation there and back, of the pairs of a group.
    pub fn base_rtt(&self, group: &Group) -> Duration {
        self.uplink.direction.delay + self.downlink.direction.delay + group.up.total() + group.down.total()
    }
}

fn with_delay(link: &PlannedLink, more: Duration) -> PlannedLink {
    // Real packets come in any size that fits; the queue of the link is what a shell is for.
    let delay = link.direction.delay + more;
    let direction = Arc::new(Direction { delay, ..(*link.direction).clone() });
    PlannedLink { direction, sampled: true, ..link.clone() }
}

/// Refuses more delays than the client has addresses.
fn check_groups(link: &PlannedLink, groups: &[Group]) -> Result<(), ConfigError> {
    if groups.len() <= MOST_GROUPS {
        return Ok(());
    }
    Err(ConfigError::new(
        format!("link {:?}", link.name),
        format!(
            "its pairs have {} different delays, and the client has one address for each, at most {MOST_GROUPS}",
            groups.len()
        ),
        "give fewer different round-trip times",
    ))
}

/// The routers with agents at the ends of a link; `ways` are those of the pairs whose data crosses it, there and back.
///
/// # Errors
/// What nodes do in a simulation and cannot do to real packets: one link is emulated, between real hosts.
fn routers(plan: &Plan, uplink: u32, ways: &[[Vec<u32>; 2]]) -> Result<[Option<Router>; 2], ConfigError> {
    let link = &plan.links[uplink as usize];
    let mut routers = [None, None];
    for node in &plan.described {
        let name = &plan.nodes[node.node as usize];
        let refused = |what: String, key: &str| {
            let remedy = format!("leave out `{key}`, or simulate: `dumbbell run`");
            Err(ConfigError::new(format!("node {name:?}"), what, remedy))
        };
        if let Some(host) = &node.host {
            let what = format!("real hosts have no policy: `host = {:?}` has no place there", host.name);
            return refused(what, "host");
        }
        let Some(agent) = &node.agent else { continue };
        let leads = |l: u32| plan.links[l as usize].from == node.node;
        let Some(end) = [link.from, link.to].iter().position(|end| *end == node.node) else {
            // Others, which no packet over the link meets, have nothing to do here.
            if ways.iter().flatten().any(|way| way.iter().skip(1).any(|l| leads(*l))) {
                let what = format!(
                    "the emulator has the routers at the ends of {:?} alone: `agent = {:?}` has no place there",
                    link.name, agent.name
                );
                return refused(what, "agent");
            }
            continue;
        };
        check_headers(agent.params.headers(), name, agent.name)?;
        // Packets leave the router at the client's end on their way back, the other on their way there.
        let mut beyond: Vec<u32> =
            ways.iter().filter_map(|way| way[1 - end].iter().copied().skip(1).find(|l| leads(*l))).collect();
        beyond.sort_unstable();
        beyond.dedup();
        let rate = beyond.iter().map(|l| plan.links[*l as usize].direction.rate.as_bps()).sum();
        routers[end] = match beyond.as_slice() {
            // Flows end here: nothing passes.
            [] => None,
            [only] => Some(plan.links[*only as usize].name.to_string()),
            _ => Some(format!("{name}->*")),
        }
        .map(|beyond| Router {
            name: name.to_string(),
            params: agent.params.clone(),
            beyond,
            beyond_rate: BitRate::from_bps(rate),
        });
    }
    Ok(routers)
}

/// Refuses an agent of a router whose headers real packets cannot carry: it would see none and do nothing.
fn check_headers(headers: &[HeaderKind], node: &str, agent: &str) -> Result<(), ConfigError> {
    let is_missing = |kind: &&HeaderKind| dumbbell_header::datagram(**kind).is_none();
    let Some(missing) = headers.iter().find(is_missing) else { return Ok(()) };
    let able = NodeAgentSpec::all_defaults();
    let able = able.iter().filter(|spec| !spec.headers().iter().any(|kind| is_missing(&kind)));
    let able = able.map(|spec| format!("`agent = {:?}`, ", spec.name())).collect::<String>();
    Err(ConfigError::new(
        format!("node {node:?}"),
        format!(
            "{} has no wire form: real packets cannot carry the header that `agent = {agent:?}` works with",
            dumbbell_header::info(*missing).name
        ),
        format!("use {able}or leave it out"),
    ))
}

/// Refuses members of other crates, whose code sees simulated packets.
fn check_built_in(link: &PlannedLink) -> Result<(), ConfigError> {
    fn own(queue: &QueueSpec) -> Option<&'static str> {
        if queue.is_own() {
            return Some(queue.name());
        }
        queue.within().iter().find_map(|held| own(held.queue))
    }
    let direction = &link.direction;
    let router = direction.router.as_ref().filter(|router| router.is_own()).map(|router| router.name());
    let marker = direction.marker.as_ref().filter(|marker| marker.is_own()).map(|marker| marker.name());
    let all = [("queue", own(&direction.queue)), ("router", router), ("marker", marker)];
    match all.into_iter().find_map(|(key, name)| Some((key, name?))) {
        None => Ok(()),
        Some((key, name)) => Err(ConfigError::new(
            format!("link {:?}", link.name),
            format!("`{key} = {name:?}` is of another crate, and knows simulated packets only"),
            "use a built-in one, or simulate: `dumbbell run`",
        )),
    }
}

/// Refuses a router whose headers real packets cannot carry: it would see none and do nothing.
fn check_router(link: &PlannedLink) -> Result<(), ConfigError> {
    let missing = |headers: &[HeaderKind]| {
        headers.iter().map(|kind| dumbbell_header::info(*kind)).find(|info| !info.has_wire_form)
    };
    let Some(router) = &link.direction.router else { return Ok(()) };
    let Some(header) = missing(router.headers()) else { return Ok(()) };
    let able = AgentSpec::all_defaults();
    let able = able.iter().filter(|spec| missing(spec.headers()).is_none());
    let able = able.map(|spec| format!("`router = {:?}`, ", spec.name())).collect::<String>();
    Err(ConfigError::new(
        format!("link {:?}", link.name),
        format!(
            "{} has no wire form: real packets cannot carry the header that `router = {:?}` works with",
            header.name,
            router.name()
        ),
        format!("use {able}or leave it out"),
    ))
}

/// Refuses a marker that goes by headers which real packets cannot carry: it would find none and mark nothing.
fn check_marker(link: &PlannedLink) -> Result<(), ConfigError> {
    let Some(marker) = &link.direction.marker else { return Ok(()) };
    let mut headers = marker.headers().iter().map(|kind| dumbbell_header::info(*kind));
    match headers.find(|header| !header.has_wire_form) {
        None => Ok(()),
        Some(header) => Err(ConfigError::new(
            format!("link {:?}", link.name),
            format!(
                "`marker = {:?}` goes by the {} header of simulated packets, which real ones do not carry",
                marker.name(),
                header.name
            ),
            "use a marker that goes by rates, such as `token-bucket`, or simulate: `dumbbell run`",
        )),
    }
}

/// Refuses a port that shares a buffer with ports that are not there, or that pauses them.
fn check_alone(link: &PlannedLink) -> Result<(), ConfigError> {
    if link.pause.is_any() {
        return Err(ConfigError::new(
            format!("link {:?}", link.name),
            "it has a part in flow control with links before or behind it, and real packets go over one",
            "leave out `pause` of the node",
        ));
    }
    match link.buffer {
        None => Ok(()),
        Some(_) => Err(ConfigError::new(
            format!("link {:?}", link.name),
            "it shares a buffer with the other ports of its node, and real packets go over one",
            "leave out `buffer` of the node, and give the queue a limit",
        )),
    }
}

fn no_pair(plan: &Plan, at: &str) -> ConfigError {
    let crossed = plan.pairs.iter().flat_map(|pair| pair.forward.links().into_owned());
    let mut used: Vec<&str> = crossed.map(|link| &*plan.links[link as usize].name).collect();
    used.sort_unstable();
    used.dedup();
    ConfigError::new(
        "--at",
        format!("no data crosses a link {at:?}"),
        dumbbell_core::config::suggest(at, &used),
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use dumbbell_core::Frame;
    use dumbbell_net::queue::droptail::DropTail;
    use dumbbell_net::queue::{QueueParams, Setting};
    use dumbbell_sim::Scenario;

    /// The plan of a scenario of one second.
    fn planned(text: &str) -> Arc<Plan> {
        let scenario = Scenario::from_toml(&format!("duration = \"1s\"\n{text}")).unwrap();
        Plan::new(&scenario, std::path::Path::new(".")).unwrap()
    }

    dumbbell_core::config! {
        /// Holds nothing back.
        pub struct Foreign {}
    }
    impl dumbbell_core::Validate for Foreign {}
    impl dumbbell_core::registry::Algorithm for Foreign {
        const NAME: &'static str = "foreign";
        const TITLE: &'static str = "A queue of another crate";
        const REFERENCE: &'static str = "choice: DropTail by another name";
    }
    impl QueueParams for Foreign {
        type Machine<P: Frame> = DropTail<P>;
        fn build<P: Frame>(&self, setting: Setting) -> DropTail<P> {
            DropTail::new(&Default::default(), setting)
        }
    }

    #[test]
    fn a_member_of_another_crate_is_refused() {
        let mut registry = dumbbell_sim::built_in().clone();
        registry.add(QueueSpec::member::<Foreign>()).unwrap();
        for queue in ["\"foreign\"", "{ kind = \"strict-priority\", classes = [\"droptail\", \"foreign\"] }"]
        {
            let text = format!(
                "duration = \"1s\"\nflows = [{{ from = \"senders\", to = \"receivers\" }}]\n\
                 [topology]\nkind = \"dumbbell\"\nbottleneck = {{ queue = {queue} }}"
            );
            let scenario =
                Scenario::from_value(&dumbbell_sim::toml::parse(&text).unwrap(), &registry).unwrap();
            let plan = Plan::new(&scenario, std::path::Path::new(".")).unwrap();
            let error = Path::of(&plan, None).unwrap_err().to_string();
            assert_eq!(
                error,
                "link \"left->right\": `queue = \"foreign\"` is of another crate, and knows simulated packets only; \
                 use a built-in one, or simulate: `dumbbell run`"
            );
        }
    }

    /// The plan of flows over a dumbbell with these entries; other entries stand `above` its table.
    pub fn dumbbell(above: &str, topology: &str) -> Arc<Plan> {
        let flows = r#"flows = [{ from = "senders", to = "receivers" }]"#;
        planned(&format!("{above}\n{flows}\n[topology]\nkind = \"dumbbell\"\n{topology}"))
    }

    fn plan() -> Arc<Plan> {
        dumbbell(
            "",
            r#"
            pairs = 2
            bottleneck = { rate = "10Mbit/s", delay = "5ms", reverse = { rate = "2Mbit/s" } }
            access = { rate = "100Mbit/s", delay = "10ms", mtu = "1400B" }
            "#,
        )
    }

    #[test]
    fn the_rest_of_the_path_counts_as_delay() {
        let path = Path::of(&plan(), None).unwrap();
        assert_eq!((&*path.uplink.name, &*path.downlink.name), ("left->right", "right->left"));
        assert_eq!(
            (path.uplink.direction.rate.as_bps(), path.downlink.direction.rate.as_bps()),
            (10_000_000, 2_000_000)
        );
        assert_eq!(path.uplink.direction.delay, Duration::from_millis(25));
        assert_eq!(path.groups.len(), 1);
        assert_eq!(path.base_rtt(&path.groups[0]), plan().pairs[0].base_rtt);
        assert_eq!(path.ahead, Duration::from_millis(10));
        assert_eq!(path.mtu, 1400);
    }

    fn with_times(rtts: &[String]) -> Arc<Plan> {
        let topology = format!(
            r#"
            pairs = {}
            rtts = {rtts:?}
            bottleneck = {{ rate = "10Mbit/s", delay = "5ms" }}
            access = {{ rate = "1Gbit/s" }}
            "#,
            rtts.len()
        );
        dumbbell("", &topology)
    }

    #[test]
    fn pairs_with_delays_of_their_own_share_common_links() {
        let plan = with_times(&["50ms", "20ms", "50ms"].map(str::to_owned));
        let path = Path::of(&plan, None).unwrap();
        let ms = |n: u64| Duration::from_micros(n * 100);
        // Access links of 10 and 2.5 ms: 2.5 ms before and behind the bottleneck are common to all.
        let beside = |n| Beside { before: ms(n), after: ms(n) };
        let pair = |i: usize| (plan.pairs[i].source, plan.pairs[i].destination);
        let groups: Vec<_> = path.groups.iter().map(|g| (g.pairs.clone(), g.up, g.down)).collect();
        let far = (vec![pair(0), pair(2)], beside(75), beside(75));
        assert_eq!(groups, [far, (vec![pair(1)], beside(0), beside(0))]);
        assert_eq!((path.ahead, path.uplink.direction.delay), (ms(25), ms(100)));
        for (group, i) in path.groups.iter().zip([0, 1]) {
            assert_eq!(path.base_rtt(group), plan.pairs[i].base_rtt);
        }
    }

    #[test]
    fn more_delays_than_addresses_are_refused() {
        let rtts = |n: usize| (0..n).map(|i| format!("{}ms", 20 + i)).collect::<Vec<_>>();
        assert_eq!(Path::of(&with_times(&rtts(32)), None).unwrap().groups.len(), 32);
        assert_eq!(
            Path::of(&with_times(&rtts(33)), None).unwrap_err().to_string(),
            "link \"left->right\": its pairs have 33 different delays, and the client has one address for each, at most 32; \
             give fewer different round-trip times"
        );
    }

    #[test]
    fn agents_of_routers_and_policies_of_hosts_are_refused() {
        let refused = |node: &str| {
            let plan = planned(&format!(
                r#"
                nodes = [{{ {node} }}]
                flows = [{{ from = "senders", to = "receivers" }}]
                topology = {{ kind = "chain", hops = 3 }}
                "#
            ));
            Path::of(&plan, None).unwrap_err().to_string()
        };
        assert_eq!(
            refused(r#"name = "node1", agent = "source-quench""#),
            "node \"node1\": source quench has no wire form: real packets cannot carry the header that \
             `agent = \"source-quench\"` works with; use `agent = \"rbcc\"`, `agent = \"circuit-breaker\"`, or leave it out"
        );
        assert_eq!(
            refused(r#"name = "node2", agent = "rbcc""#),
            "node \"node2\": the emulator has the routers at the ends of \"node0->node1\" alone: `agent = \"rbcc\"` has no \
             place there; leave out `agent`, or simulate: `dumbbell run`"
        );
        assert_eq!(
            refused(r#"name = "receivers", host = "fair-window""#),
            "node \"node3\": real hosts have no policy: `host = \"fair-window\"` has no place there; leave out `host`, or \
             simulate: `dumbbell run`"
        );
    }

    #[test]
    fn routers_stand_where_they_stand_in_the_scenario() {
        let plan = dumbbell(
            r#"
            transport = "trump"
            nodes = [{ name = "left", agent = "rbcc" }, { name = "right", agent = "rbcc" }]
            "#,
            r#"
            pairs = 2
            bottleneck = { rate = "10Mbit/s", delay = "5ms" }
            access = { rate = "1Gbit/s", delay = "10ms" }
            "#,
        );
        let path = Path::of(&plan, None).unwrap();
        let ms = Duration::from_millis;
        assert_eq!((path.ahead, path.uplink.direction.delay), (Duration::ZERO, ms(5)));
        let access = Beside { before: ms(10), after: ms(10) };
        assert_eq!((path.groups.len(), path.groups[0].up, path.groups[0].down), (1, access, access));
        assert_eq!(path.base_rtt(&path.groups[0]), plan.pairs[0].base_rtt);
        let [near, far] = path.routers.map(Option::unwrap);
        assert_eq!(
            (&*near.name, &*near.beyond, &*far.name, &*far.beyond),
            ("left", "left->*", "right", "right->*")
        );
        assert_eq!(near.beyond_rate.as_bps(), 2_000_000_000);
    }

    #[test]
    fn a_router_without_a_real_header_is_refused() {
        let refused = |forward: &str, reverse: &str| {
            let plan = planned(&format!(
                r#"
                flows = [{{ from = "node0", to = "node1" }}]
                [topology]
                kind = "chain"
                link = {{ rate = "10Mbit/s", {forward} reverse = {{ rate = "1Mbit/s", {reverse} }} }}
                "#
            ));
            Path::of(&plan, None).err().map(|e| e.to_string())
        };
        let message = |link: &str| {
            Some(format!(
                "link {link:?}: XCP has no wire form: real packets cannot carry the header that `router = \"xcp\"` \
                 works with; use `router = \"rcp\"`, or leave it out"
            ))
        };
        assert_eq!(refused(r#"router = "xcp","#, ""), message("node0->node1"));
        assert_eq!(refused("", r#"router = "xcp""#), message("node1->node0"));
        assert_eq!(refused(r#"router = "rcp","#, r#"router = "rcp""#), None);
    }

    #[test]
    fn a_port_that_needs_the_other_links_of_its_node_is_refused() {
        for (nodes, said) in [
            (
                r#"buffer = { size = "1MB" }"#,
                "it shares a buffer with the other ports of its node, and real packets go over one; \
                 leave out `buffer` of the node, and give the queue a limit",
            ),
            (
                r#"pause = { xoff = "50kB" }"#,
                "it has a part in flow control with links before or behind it, and real packets go over one; \
                 leave out `pause` of the node",
            ),
        ] {
            let plan = planned(&format!(
                r#"
                topology = "star"
                flows = [{{ from = "sender0", to = "receiver0" }}]
                nodes = [{{ name = "switch", {nodes} }}]
                "#
            ));
            let error = Path::of(&plan, Some("switch->receiver0")).unwrap_err().to_string();
            assert_eq!(error, format!("link \"switch->receiver0\": {said}"));
        }
    }

    #[test]
    fn a_link_is_chosen_by_name() {
        let plan = plan();
        let name = &plan.links[plan.pairs[1].forward.first()[0] as usize].name;
        let path = Path::of(&plan, Some(name)).unwrap();
        assert_eq!(&path.uplink.name, name);
        assert_eq!((path.downlink.from, path.downlink.to), (path.uplink.to, path.uplink.from));
        let error = Path::of(&plan, Some("left->rihgt")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "--at: no data crosses a link \"left->rihgt\"; did you mean \"left->right\"?"
        );
    }

    #[test]
    fn of_several_paths_real_packets_take_one_that_crosses_the_link() {
        let plan = planned(
            r#"
            paths = "ecmp"
            topology = { kind = "leaf-spine", leaves = 2, spines = 3, hosts = 1 }
            flows = [{ from = "host0", to = "host1" }]
            "#,
        );
        for spine in 0..3 {
            let path = Path::of(&plan, Some(&format!("leaf0->spine{spine}"))).unwrap();
            assert_eq!(*path.downlink.name, format!("spine{spine}->leaf0"));
            assert_eq!(path.base_rtt(&path.groups[0]), Duration::from_nanos(14_800));
        }
    }
}
