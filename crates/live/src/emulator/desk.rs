//! What a caller sees of an emulation between two of its steps, and may change: the rate and the queue of each direction.

use dumbbell_core::Time;
use dumbbell_net::link::Meter;
use dumbbell_sim::plan::PlannedLink;

use super::path::{DOWN, Path, UP};
use super::{Emulator, OneWay};

/// How a direction stands. Counters count from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// Packets that wait or are in transmission.
    pub backlog: u64,
    /// Bytes fully transmitted.
    pub sent_bytes: u64,
    /// Packets dropped, for any reason.
    pub dropped: u64,
    /// Packets marked "congestion experienced".
    pub marked: u64,
    /// The rate (bit/s).
    pub rate: u64,
}

impl Emulator {
    /// How uplink and downlink stand.
    pub fn look(&mut self, now: Time) -> [Standing; 2] {
        let [up, down] = &mut self.directions;
        [up, down].map(|OneWay { link, .. }| {
            let counted = link.progress(now);
            Standing {
                backlog: link.backlog(now),
                sent_bytes: counted.sent_bytes,
                dropped: counted.dropped_total(),
                marked: counted.marked,
                rate: link.rate_now(now).as_bps(),
            }
        })
    }

    /// Carries out a change. Packets stay; a queue that is replaced hands its packets on to the new one.
    pub fn change(&mut self, now: Time, change: &Change) {
        for to in [UP, DOWN] {
            let Some(Turn { link, rate, queue }) = &change.0[to] else { continue };
            let (directions, incidents) = (&mut self.directions, &mut self.incidents);
            if *rate {
                directions[to].link.set_rate(now, link.direction.rate, incidents);
            }
            if *queue {
                let config = link.config(change.1, [].into());
                directions[to].link.set_queue(now, &config, incidents);
            }
            self.account(now, to);
        }
    }
}

/// Of a direction that changes: the name of its link, the new rate (bit/s) and the name of the new queue.
pub type Words = (String, Option<u64>, Option<String>);

/// Other rates or queues for a path.
#[derive(Clone, Debug)]
pub struct Change([Option<Turn>; 2], u64);

/// What changes of a direction.
#[derive(Clone, Debug)]
struct Turn {
    link: PlannedLink,
    rate: bool,
    queue: bool,
}

impl Change {
    /// What turns the links of one path into those of another, whose queues draw from streams of `seed`.
    ///
    /// # Errors
    /// If they differ in more than rates and queues, or if something else sets a rate, or a queue holds packets back: why not, in
    /// words.
    pub fn between(before: &Path, after: &Path, seed: u64) -> Result<Change, String> {
        let links = |path: &Path| [path.uplink.clone(), path.downlink.clone()];
        let mut turns = [None, None];
        for ((old, new), turn) in links(before).into_iter().zip(links(after)).zip(&mut turns) {
            *turn = turned(&old, new)?;
        }
        let same = before.mtu == after.mtu && before.ahead == after.ahead;
        let delays = |path: &Path| path.groups.iter().map(|group| (group.up, group.down)).collect::<Vec<_>>();
        if !same || delays(before) != delays(after) {
            return Err("more than the rate and the queue of the emulated link changes".to_owned());
        }
        Ok(Change(turns, seed))
    }

    /// What changes, of each direction that does.
    pub fn words(&self) -> Vec<Words> {
        let turns = self.0.iter().flatten();
        turns
            .map(|Turn { link, rate, queue }| {
                let direction = &link.direction;
                let queue = queue.then(|| direction.queue.name().to_owned());
                (link.name.to_string(), rate.then(|| direction.rate.as_bps()), queue)
            })
            .collect()
    }
}

fn turned(old: &PlannedLink, new: PlannedLink) -> Result<Option<Turn>, String> {
    let (was, is) = (&old.direction, &new.direction);
    let mut others = (**is).clone();
    others.rate = was.rate;
    others.queue = was.queue.clone();
    if old.name != new.name || others != **was || old.trace != new.trace {
        return Err(format!("more than the rate and the queue of {:?} changes", old.name));
    }
    let (rate, queue) = (was.rate != is.rate, was.queue != is.queue);
    if !rate && !queue {
        return Ok(None);
    }
    let by = [
        (old.trace.is_some(), "a recording sets its rate"),
        (was.power.is_some(), "a power policy sets its rate"),
        (!was.rate_changes.is_empty(), "`rate_changes` set its rate"),
        (was.queue.laziness().holds_back, "its queue holds packets back, so none can take its place"),
    ];
    match by.into_iter().find(|(stands, _)| *stands) {
        Some((_, why)) => Err(format!("{:?} stays as it is: {why}", old.name)),
        None => Ok(Some(Turn { link: new, rate, queue })),
    }
}

#[cfg(test)]
mod tests {
    use super::super::path::tests::dumbbell;
    use super::*;

    fn path(bottleneck: &str) -> Path {
        let topology = format!("bottleneck = {{ {bottleneck} }}\naccess = {{ rate = \"1Gbit/s\" }}");
        Path::of(&dumbbell("", &topology), Some("left->right")).unwrap()
    }

    fn between(before: &str, after: &str) -> Result<Vec<Words>, String> {
        Change::between(&path(before), &path(after), 1).map(|change| change.words())
    }

    #[test]
    fn rates_and_queues_may_change() {
        let found = between(
            r#"rate = "10Mbit/s", queue = "droptail""#,
            r#"rate = "5Mbit/s", queue = "codel", reverse = { rate = "10Mbit/s", queue = "droptail" }"#,
        );
        assert_eq!(found.unwrap(), [("left->right".to_owned(), Some(5_000_000), Some("codel".to_owned()))]);
        let same = r#"rate = "10Mbit/s""#;
        assert_eq!(between(same, same), Ok(Vec::new()));
    }

    #[test]
    fn what_cannot_change_says_why() {
        for (before, after, why) in [
            (
                r#"delay = "5ms""#,
                r#"delay = "6ms""#,
                "more than the rate and the queue of \"left->right\" changes",
            ),
            (
                r#"rate_changes = [{ at = "1s", rate = "1Mbit/s" }]"#,
                r#"rate = "1Mbit/s", rate_changes = [{ at = "1s", rate = "1Mbit/s" }]"#,
                "\"left->right\" stays as it is: `rate_changes` set its rate",
            ),
            (
                r#"queue = { kind = "token-bucket-filter", rate = "1Mbit/s" }"#,
                r#"queue = "droptail""#,
                "\"left->right\" stays as it is: its queue holds packets back, so none can take its place",
            ),
        ] {
            assert_eq!(between(before, after), Err(why.to_owned()));
        }
    }
}
