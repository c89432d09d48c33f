//! What a scenario says of the other links of a path: real packets pass one link, and meet nothing of the others but their
//! delays.

use std::collections::BTreeSet;
use std::sync::Arc;

use dumbbell_core::ConfigError;
use dumbbell_net::queue::QueueSpec;
use dumbbell_sim::Plan;
use dumbbell_sim::plan::PlannedLink;

/// Something of other links that real packets do not meet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmet {
    /// What it is, in the words of the scenario.
    pub what: String,
    /// The links, in the order of their numbers.
    pub links: Vec<Arc<str>>,
    /// True if it changes what packets get whatever they do. A queue may stay empty.
    pub matters: bool,
}

impl Unmet {
    /// One line: what, and where.
    pub fn text(&self) -> String {
        let more = match self.links.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("link {:?}{more}: {}", self.links[0], self.what)
    }
}

/// What the links of `ways`, there and back, have beyond a delay, but for the two that are emulated.
pub fn of(plan: &Plan, [uplink, downlink]: [u32; 2], ways: &[[Vec<u32>; 2]]) -> Vec<Unmet> {
    let mut found: Vec<Unmet> = Vec::new();
    for (direction, emulated) in [uplink, downlink].into_iter().enumerate() {
        let others: BTreeSet<u32> = ways.iter().flat_map(|way| way[direction].iter().copied()).collect();
        for other in others.into_iter().filter(|other| ![uplink, downlink].contains(other)) {
            let link = &plan.links[other as usize];
            for (what, matters) in beyond_delay(link, &plan.links[emulated as usize]) {
                match found.iter_mut().find(|known| known.what == what) {
                    Some(known) if known.links.contains(&link.name) => {}
                    Some(known) => known.links.push(link.name.clone()),
                    None => found.push(Unmet { what, links: vec![link.name.clone()], matters }),
                }
            }
        }
    }
    found
}

/// What packets meet at a link, and whether it matters whatever they do.
fn beyond_delay(link: &PlannedLink, emulated: &PlannedLink) -> Vec<(String, bool)> {
    let direction = &link.direction;
    let mut found: Vec<(String, bool)> = treatment(link).into_iter().map(|what| (what, true)).collect();
    if direction.rate < emulated.direction.rate {
        let (rate, faster) = (direction.rate, emulated.direction.rate);
        found.push((format!("`rate = \"{rate}\"`, below the {faster} of {:?}", emulated.name), true));
    }
    if !matches!(direction.queue, QueueSpec::DropTail(_)) {
        found.push((format!("`queue = {:?}`", direction.queue.name()), false));
    }
    found
}

/// What a link does to packets besides queueing, in the words of the scenario.
fn treatment(link: &PlannedLink) -> Vec<String> {
    let direction = &link.direction;
    let loss = direction.loss.get();
    let parts = [
        (loss > 0.0).then(|| format!("`loss = {loss}`")),
        (!direction.drop_list.is_empty()).then(|| "a `drop_list`".to_owned()),
        (!direction.impairments.is_empty()).then(|| {
            let each: Vec<String> = direction.impairments.iter().map(|spec| spec.summary()).collect();
            format!("`impairments` ({})", each.join(", "))
        }),
        direction.marker.as_ref().map(|marker| format!("`marker = {:?}`", marker.name())),
        direction.router.as_ref().map(|router| format!("`router = {:?}`", router.name())),
        (!direction.rate_changes.is_empty()).then(|| "`rate_changes`".to_owned()),
        link.trace.is_some().then(|| "a `trace`".to_owned()),
        direction.power.as_ref().map(|power| format!("`power` ({})", power.policy.name())),
        link.pause.is_any().then(|| "`pause` of its node".to_owned()),
    ];
    parts.into_iter().flatten().collect()
}

/// Refuses a link that nobody has chosen by its name, and that is not all that packets meet.
///
/// # Errors
/// Names the first thing that real packets would not meet.
pub fn check(link: &PlannedLink, unmet: &[Unmet]) -> Result<(), ConfigError> {
    let Some(first) = unmet.iter().find(|unmet| unmet.matters) else { return Ok(()) };
    Err(ConfigError::new(
        format!("link {:?}", first.links[0]),
        format!(
            "real packets pass one link, here {:?}, and would not meet {} of this one",
            link.name, first.what
        ),
        "describe all at one link, or choose one: `--at LINK` says what is missing",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::path::Path;
    use crate::emulator::path::tests::dumbbell;

    fn path(bottleneck: &str, access: &str, at: Option<&str>) -> Result<Path, String> {
        let topology = format!(
            r#"
            pairs = 2
            bottleneck = {{ delay = "5ms", {bottleneck} }}
            access = {{ delay = "1ms", {access} }}
            "#
        );
        Path::of(&dumbbell("", &topology), at).map_err(|error| error.to_string())
    }

    const FAST: &str = r#"rate = "1Gbit/s""#;
    const SLOW: &str = r#"rate = "100Mbit/s""#;

    fn lossy(rate: &str) -> String {
        format!("{rate}, loss = 0.01")
    }

    #[test]
    fn the_slowest_link_is_taken_if_it_is_all_that_packets_meet() {
        let path = path(SLOW, FAST, None).unwrap();
        assert_eq!((&*path.uplink.name, path.unmet), ("left->right", Vec::new()));
    }

    #[test]
    fn of_equally_slow_links_the_one_that_loses_is_taken() {
        let path = path(&lossy(SLOW), SLOW, None).unwrap();
        assert_eq!((&*path.uplink.name, path.unmet), ("left->right", Vec::new()));
    }

    #[test]
    fn a_path_that_no_link_stands_for_is_refused() {
        let message = |link: &str, emulated: &str, what: &str| {
            format!(
                "link {link:?}: real packets pass one link, here {emulated:?}, and would not meet {what} of this one; \
                 describe all at one link, or choose one: `--at LINK` says what is missing"
            )
        };
        for (bottleneck, access, expected) in [
            (lossy(FAST), SLOW.to_owned(), message("left->right", "sender0->left", "`loss = 0.01`")),
            (SLOW.to_owned(), lossy(FAST), message("sender0->left", "left->right", "`loss = 0.01`")),
            (
                SLOW.to_owned(),
                format!("{FAST}, impairments = [{{ kind = \"duplication\", probability = 0.1 }}]"),
                message("sender0->left", "left->right", "`impairments` (0.1 of packets twice)"),
            ),
            (
                SLOW.to_owned(),
                format!("{FAST}, reverse = {{ rate = \"1Mbit/s\" }}"),
                message(
                    "left->sender0",
                    "left->right",
                    "`rate = \"1Mbit/s\"`, below the 100Mbit/s of \"right->left\"",
                ),
            ),
        ] {
            assert_eq!(path(&bottleneck, &access, None).unwrap_err(), expected);
        }
    }

    #[test]
    fn a_link_chosen_by_name_says_what_packets_do_not_meet() {
        let path = path(&lossy(FAST), &format!("{SLOW}, queue = \"codel\""), Some("left->right")).unwrap();
        let said: Vec<String> = path.unmet.iter().map(Unmet::text).collect();
        assert_eq!(
            said,
            [
                "link \"sender0->left\" and 3 more: `rate = \"100Mbit/s\"`, below the 1Gbit/s of \"left->right\"",
                "link \"sender0->left\" and 7 more: `queue = \"codel\"`",
                "link \"left->sender0\" and 3 more: `rate = \"100Mbit/s\"`, below the 1Gbit/s of \"right->left\"",
            ]
        );
    }

    #[test]
    fn a_queue_of_a_faster_link_is_said_and_not_refused() {
        let path = path(SLOW, &format!("{FAST}, queue = \"codel\""), None).unwrap();
        let said: Vec<String> = path.unmet.iter().map(Unmet::text).collect();
        assert_eq!(said, ["link \"sender0->left\" and 7 more: `queue = \"codel\"`"]);
    }
}
