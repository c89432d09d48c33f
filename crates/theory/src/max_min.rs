//! Exact max-min sharing of a network: processor sharing where flows cross several links.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::arrivals::{TheoryError, refuse};
use crate::sharing::{Departure, check_order, check_rate};

/// A flow that takes all that its links give it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic {
    /// When it begins, in seconds.
    pub start: f64,
    /// How much it sends, in any unit; infinite for a flow that does not end.
    pub work: f64,
    /// Its class: an index into the list of classes.
    pub class: usize,
}

/// The time that each flow takes where all have their max-min fair rates at every moment, in seconds; infinite for a flow
/// without an end.
///
/// Flows of a class cross the same links and so have one rate, so each class has a virtual time of its own. With one link this
/// is [`crate::sharing::processor_sharing`]. An event costs as much as the classes with flows, times their links, times the
/// links that limit some of them.
///
/// # Arguments
/// `flows` in order of start; `classes`, for each the links that it crosses; `capacities` of the links, in units of work per
/// second.
///
/// # Errors
/// If a number is out of range, flows go back in time, or a class or link is not there.
pub fn max_min_sharing(
    flows: &[Elastic],
    classes: &[Vec<usize>],
    capacities: &[f64],
) -> Result<Vec<f64>, TheoryError> {
    check(flows, classes, capacities)?;
    let mut times = vec![f64::INFINITY; flows.len()];
    let mut network = Network::new(classes, capacities);
    let (mut now, mut index) = (0.0, 0);
    loop {
        let (leaves, first) = network.next_departure(now);
        let comes = flows.get(index).map_or(f64::INFINITY, |flow| flow.start);
        let then = leaves.min(comes);
        if then == f64::INFINITY {
            return Ok(times);
        }
        network.serve(then - now);
        now = then;
        if leaves <= comes {
            let job = network.leave(first);
            times[job] = now - flows[job].start;
        } else {
            network.join(&flows[index], index);
            index += 1;
        }
        network.share();
    }
}

/// The max-min fair rate of a flow of each class, 0 for a class without flows (Bertsekas & Gallager, Data Networks, 1992,
/// section 6.5.2).
struct Network<'a> {
    paths: &'a [Vec<usize>],
    capacities: &'a [f64],
    classes: Vec<Class>,
    /// Classes that have flows.
    active: Vec<usize>,
    /// Of each link what no flow has yet, and how many flows are still to get their rates.
    links: Vec<(f64, usize)>,
}

#[derive(Clone, Default)]
struct Class {
    present: BinaryHeap<Reverse<Departure>>,
    served: f64,
    /// Of each of its flows; not-a-number while it is to be found.
    rate: f64,
}

impl<'a> Network<'a> {
    fn new(paths: &'a [Vec<usize>], capacities: &'a [f64]) -> Network<'a> {
        let classes = vec![Class::default(); paths.len()];
        Network { paths, capacities, classes, active: Vec::new(), links: vec![(0.0, 0); capacities.len()] }
    }

    /// When the next flow ends if nothing comes before, and its class.
    fn next_departure(&self, now: f64) -> (f64, usize) {
        let mut next = (f64::INFINITY, 0);
        for &index in &self.active {
            let class = &self.classes[index];
            let Some(Reverse(first)) = class.present.peek() else { continue };
            let at = now + (first.virtual_time - class.served).max(0.0) / class.rate;
            if at < next.0 {
                next = (at, index);
            }
        }
        next
    }

    fn serve(&mut self, span: f64) {
        for &index in &self.active {
            let class = &mut self.classes[index];
            class.served += class.rate * span;
        }
    }

    fn join(&mut self, flow: &Elastic, job: usize) {
        let class = &mut self.classes[flow.class];
        if class.present.is_empty() {
            // Virtual time has no meaning across an idle period; from zero it is most exact.
            class.served = 0.0;
            self.active.push(flow.class);
        }
        class.present.push(Reverse(Departure { virtual_time: class.served + flow.work, job }));
    }

    /// Takes the first flow of a class out, and returns its index.
    fn leave(&mut self, index: usize) -> usize {
        let class = &mut self.classes[index];
        let Reverse(first) = class.present.pop().expect("the class of a departure has a flow");
        class.served = first.virtual_time;
        if class.present.is_empty() {
            self.active.retain(|&other| other != index);
        }
        first.job
    }

    /// Progressive filling: the link that gives least to each of its flows sets their rates, and so on with what is left.
    fn share(&mut self) {
        for &index in &self.active {
            self.classes[index].rate = f64::NAN;
            for &link in &self.paths[index] {
                self.links[link] = (self.capacities[link], 0);
            }
        }
        for &index in &self.active {
            for &link in &self.paths[index] {
                self.links[link].1 += self.classes[index].present.len();
            }
        }
        let mut unset = self.active.len();
        while unset > 0 {
            let growing = self.active.iter().filter(|&&index| self.classes[index].rate.is_nan());
            let crossed = growing.flat_map(|&index| &self.paths[index]);
            let each = |&link: &usize| self.links[link].0 / self.links[link].1 as f64;
            let tightest = crossed.copied().min_by(|a, b| each(a).total_cmp(&each(b)));
            let tightest = tightest.expect("every class crosses a link");
            let level = each(&tightest);
            for &index in &self.active {
                let class = &mut self.classes[index];
                if class.rate.is_nan() && self.paths[index].contains(&tightest) {
                    class.rate = level;
                    unset -= 1;
                    for &link in &self.paths[index] {
                        self.links[link].0 -= level * class.present.len() as f64;
                        self.links[link].1 -= class.present.len();
                    }
                }
            }
        }
    }
}

fn check(flows: &[Elastic], classes: &[Vec<usize>], capacities: &[f64]) -> Result<(), TheoryError> {
    for &capacity in capacities {
        check_rate("capacity", capacity)?;
    }
    for (index, links) in classes.iter().enumerate() {
        if links.is_empty() {
            return refuse(format!("class {index} crosses no link; give at least one"));
        }
        if let Some(link) = links.iter().find(|link| **link >= capacities.len()) {
            return refuse(format!(
                "class {index} crosses link {link} of {}; count from 0",
                capacities.len()
            ));
        }
    }
    for (index, flow) in flows.iter().enumerate() {
        if !flow.start.is_finite() || flow.work.is_nan() || flow.work < 0.0 {
            return refuse(format!(
                "flow {index}: start {}, work {}; give numbers, the start finite, work not negative",
                flow.start, flow.work
            ));
        }
        if flow.class >= classes.len() {
            return refuse(format!(
                "flow {index} is of class {} of {}; count from 0",
                flow.class,
                classes.len()
            ));
        }
    }
    check_order("flow", flows.iter().map(|flow| flow.start))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sharing::{Job, processor_sharing};

    fn elastic(list: &[(f64, f64, usize)]) -> Vec<Elastic> {
        list.iter().map(|&(start, work, class)| Elastic { start, work, class }).collect()
    }

    #[test]
    fn made_by_hand() {
        // Two links of 1; class 0 crosses both. Two flows have 1/2 on each link, until the short one of link 0 leaves at 2.
        let (parking, links) = ([vec![0, 1], vec![0], vec![1]], [1.0, 1.0]);
        let flows = elastic(&[(0.0, 2.0, 0), (0.0, 1.0, 1), (0.0, 3.0, 2)]);
        // Then class 0 still has 1/2 on link 1, up to 4, and class 2 has 1 left, alone.
        assert_eq!(max_min_sharing(&flows, &parking, &links), Ok(vec![4.0, 2.0, 5.0]));
        // A narrow link leaves the rest of a wide one to others: 1/4 and 3/4.
        let flows = elastic(&[(0.0, 1.0, 0), (0.0, 3.0, 1)]);
        assert_eq!(max_min_sharing(&flows, &[vec![0, 1], vec![1]], &[0.25, 1.0]), Ok(vec![4.0, 4.0]));
        // A flow without an end takes half for ever.
        let flows = elastic(&[(0.0, f64::INFINITY, 0), (1.0, 2.0, 0)]);
        assert_eq!(max_min_sharing(&flows, &[vec![0]], &[1.0]), Ok(vec![f64::INFINITY, 4.0]));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (flows, classes, capacities) in [
            (&[(1.0, 1.0, 0), (0.5, 1.0, 0)][..], vec![vec![0]], &[1.0][..]),
            (&[(0.0, f64::NAN, 0)], vec![vec![0]], &[1.0]),
            (&[(0.0, 1.0, 1)], vec![vec![0]], &[1.0]),
            (&[], vec![vec![1]], &[1.0]),
            (&[], vec![vec![]], &[1.0]),
            (&[], vec![], &[0.0]),
        ] {
            assert!(max_min_sharing(&elastic(flows), &classes, capacities).is_err());
        }
    }

    proptest! {
        #[test]
        fn one_link_is_processor_sharing(
            list in prop::collection::vec((0.0f64..2.0, 0.0f64..5.0, 0usize..3), 1..40),
            capacity in 0.5f64..4.0,
        ) {
            let mut start = 0.0;
            let list: Vec<_> = list.iter().map(|&(gap, work, c)| { start += gap; (start, work, c) }).collect();
            let jobs: Vec<Job> = list.iter().map(|&(start, work, _)| Job { start, work }).collect();
            let classes = [vec![0], vec![0, 1], vec![2, 0]];
            let found = max_min_sharing(&elastic(&list), &classes, &[capacity, 2.0 * capacity, capacity]).unwrap();
            for (a, b) in found.iter().zip(processor_sharing(&jobs, capacity, None).unwrap()) {
                prop_assert!((a - b).abs() < 1e-6, "{a} {b}");
            }
        }
    }
}
