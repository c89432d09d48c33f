//! Which traffic classes can come to each link, and whether somebody there tells them apart.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{ClassSet, TrafficClass};

use crate::pairs::Pair;
use crate::topology::Network;

/// The class of the flows of an entry, and where they go.
pub struct Use {
    /// `flows` or `workloads`.
    pub list: &'static str,
    /// The entry's position there.
    pub index: usize,
    /// The class.
    pub class: TrafficClass,
    /// The pairs of the flows.
    pub pairs: Vec<u32>,
}

/// The classes that packets can have in the queue of each link; none where the link does not count by class.
///
/// # Errors
/// A class that a queue on the way does not know, or none tells apart; a marker behind which no queue looks at classes; a queue
/// with thresholds for classes that nobody gives.
pub fn seen(network: &Network, pairs: &[Pair], uses: &[Use]) -> Result<Vec<ClassSet>, ConfigError> {
    let links = &network.links;
    let mut seen = vec![ClassSet::EMPTY; links.len()];
    let default = TrafficClass::default();
    if uses.iter().all(|u| u.class == default) && links.iter().all(|l| !l.direction.counts_classes()) {
        return Ok(seen);
    }
    let mut useful = vec![false; links.len()];
    for u in uses {
        let mut told_apart = u.class == default;
        let pairs = u.pairs.iter().map(|pair| &pairs[*pair as usize]);
        for path in pairs.flat_map(|pair| pair.forward.iter().chain(pair.reverse.iter())) {
            let mut classes = ClassSet::of(u.class);
            let mut marker = None;
            for link in path.iter().map(|link| *link as usize) {
                let direction = &links[link].direction;
                if let Some(spec) = &direction.marker {
                    (classes, marker) = (spec.classes(classes), Some(link));
                }
                if direction.counts_classes() {
                    seen[link] = seen[link].with(classes);
                }
                let known = direction.queue.known_classes();
                if known.is_empty() {
                    continue;
                }
                match marker {
                    Some(marker) => useful[marker] = true,
                    None => told_apart = true,
                }
                if let Some(class) = classes.without(known).iter().next() {
                    return Err(unknown(network, u, marker, link, class));
                }
            }
        }
        if !told_apart {
            return Err(At::root(u.list).index(u.index).key("class").error(
                format!("no queue on the way tells class {} apart", u.class.number()),
                "set `queue = \"strict-priority\"` or another with `classes` on a link, or leave it out",
            ));
        }
    }
    check_markers(network, &useful)?;
    check_marks(network, &seen)?;
    Ok(seen)
}

/// Refuses a queue that does nothing for its classes if packets have but one anywhere, and nobody marks them.
fn check_marks(network: &Network, seen: &[ClassSet]) -> Result<(), ConfigError> {
    let links = &network.links;
    let default = ClassSet::of(TrafficClass::default());
    let unmarked = |i: &usize| links[*i].direction.queue.laziness().needs_marks && seen[*i] == default;
    let is_marked =
        |i: usize| links[i].direction.queue.laziness().needs_marks && !seen[i].without(default).is_empty();
    let by_nobody =
        links.iter().all(|link| link.direction.marker.is_none()) && !(0..links.len()).any(is_marked);
    match (0..links.len()).find(unmarked).filter(|_| by_nobody) {
        None => Ok(()),
        Some(i) => Err(At::root("topology").key(&network.link_name(i as u32)).key("queue").error(
            format!("{:?} has thresholds for {} classes, and all packets are of class 0", links[i].direction.queue.name(), links[i].direction.queue.classes()),
            "add a `marker` to a link, for example `marker = { kind = \"token-bucket\", rate = \"1Mbit/s\" }`, or give flows a `class`",
        )),
    }
}

/// A class, given by the entry or by a marker on the way, that the queue of the link does not know.
fn unknown(
    network: &Network,
    u: &Use,
    marker: Option<usize>,
    link: usize,
    class: TrafficClass,
) -> ConfigError {
    let last = network.links[link].direction.queue.classes() - 1;
    let message =
        format!("the queue of {} does not know class {}", network.link_name(link as u32), class.number());
    let remedy = format!("give a class from 0 to {last}, or that queue more `classes`");
    let topology = At::root("topology");
    match marker {
        Some(marker) => topology.key(&network.link_name(marker as u32)).key("marker").error(message, remedy),
        None => At::root(u.list).index(u.index).key("class").error(message, remedy),
    }
}

/// Refuses a marker behind which no queue looks at classes. Of links that have the same one, such as those of a role in the
/// topology, one suffices.
fn check_markers(network: &Network, useful: &[bool]) -> Result<(), ConfigError> {
    let links = &network.links;
    let serves = |i: usize| {
        useful[i]
            || links[i].direction.marker.is_some() && !links[i].direction.queue.known_classes().is_empty()
    };
    let served: Vec<_> =
        (0..links.len()).filter(|i| serves(*i)).filter_map(|i| links[i].direction.marker.as_ref()).collect();
    let idle = |i: &usize| links[*i].direction.marker.as_ref().is_some_and(|m| !served.contains(&m));
    match (0..links.len()).find(idle) {
        None => Ok(()),
        Some(i) => Err(At::root("topology").key(&network.link_name(i as u32)).key("marker").error(
            "no queue from this link on tells its classes apart",
            "set `queue = \"strict-priority\"` or another with `classes` there or behind it, or leave it out",
        )),
    }
}
