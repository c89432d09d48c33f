//! The paths between two nodes, one way.

use std::borrow::Cow;
use std::ops::Range;

/// Paths from one node to another, each a list of links in order. They are sorted, so that those which begin alike are
/// neighbours.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PathSet {
    /// The paths one behind the other.
    links: Vec<u32>,
    /// Where each path but the last ends: nothing, for the one path that most pairs have.
    ends: Vec<u32>,
}

impl PathSet {
    /// The set of one path.
    pub fn single(links: Vec<u32>) -> PathSet {
        PathSet { links, ends: Vec::new() }
    }

    /// Adds a path behind the others.
    pub fn push(&mut self, path: &[u32]) {
        if !self.links.is_empty() {
            self.ends.push(self.links.len() as u32);
        }
        self.links.extend(path);
    }

    /// How many paths; a path without links is one.
    #[allow(clippy::len_without_is_empty, reason = "a set of paths is never empty")]
    pub fn len(&self) -> usize {
        self.ends.len() + 1
    }

    /// Links in all paths together.
    pub fn total_links(&self) -> usize {
        self.links.len()
    }

    /// The links of all paths, one path behind the other.
    pub fn joined(&self) -> &[u32] {
        &self.links
    }

    /// The links of a path, in order.
    ///
    /// # Panics
    /// If there is no such path.
    pub fn path(&self, index: usize) -> &[u32] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        let end = self.ends.get(index).map_or(self.links.len(), |end| *end as usize);
        &self.links[start as usize..end]
    }

    /// The first path.
    pub fn first(&self) -> &[u32] {
        self.path(0)
    }

    /// All paths.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> + Clone {
        (0..self.len()).map(|index| self.path(index))
    }

    /// The links that some path crosses, each once: of one path in its order, of several by their numbers.
    pub fn links(&self) -> Cow<'_, [u32]> {
        if self.len() == 1 {
            return Cow::Borrowed(&self.links);
        }
        let mut links = self.links.clone();
        links.sort_unstable();
        links.dedup();
        Cow::Owned(links)
    }

    /// Splits paths that agree in their first `hop` links by the link that follows.
    pub fn branches(&self, paths: Range<usize>, hop: usize) -> Vec<Range<usize>> {
        let next = |index: usize| self.path(index).get(hop);
        let mut branches: Vec<Range<usize>> = Vec::new();
        for index in paths {
            match branches.last_mut() {
                Some(last) if next(last.start) == next(index) => last.end = index + 1,
                _ => branches.push(index..index + 1),
            }
        }
        branches
    }

    /// The share of packets on each path if every node shares what it gets evenly among its next hops.
    pub fn shares_by_hop(&self) -> Vec<f64> {
        let mut shares = vec![1.0; self.len()];
        let mut open = vec![(0..self.len(), 0)];
        while let Some((paths, hop)) = open.pop() {
            if paths.len() == 1 {
                continue;
            }
            let branches = self.branches(paths.clone(), hop);
            shares[paths].iter_mut().for_each(|share| *share /= branches.len() as f64);
            open.extend(branches.into_iter().map(|branch| (branch, hop + 1)));
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(paths: &[&[u32]]) -> PathSet {
        let mut set = PathSet::default();
        paths.iter().for_each(|path| set.push(path));
        set
    }

    #[test]
    fn a_set_gives_back_its_paths_and_their_links_once() {
        let paths: [&[u32]; 3] = [&[0, 1, 4], &[0, 2, 4], &[3, 4]];
        let set = set(&paths);
        assert_eq!(set.iter().collect::<Vec<_>>(), paths);
        assert_eq!((set.len(), set.total_links()), (3, 8));
        assert_eq!(set.joined(), paths.concat());
        assert_eq!(*set.links(), [0, 1, 2, 3, 4]);
        assert_eq!(PathSet::default().iter().collect::<Vec<_>>(), [&[] as &[u32]], "a node is with itself");
        assert_eq!(PathSet::single(vec![7, 8]).iter().collect::<Vec<_>>(), [&[7, 8]]);
    }

    #[test]
    fn every_node_halves_or_thirds_what_it_gets() {
        // The first node has two next hops, of which the second has three.
        let set = set(&[&[0, 1], &[2, 3, 6], &[2, 4, 6], &[2, 5, 6]]);
        assert_eq!(set.branches(0..4, 0), [0..1, 1..4]);
        assert_eq!(set.branches(1..4, 1), [1..2, 2..3, 3..4]);
        assert_eq!(set.shares_by_hop(), [0.5, 0.5 / 3.0, 0.5 / 3.0, 0.5 / 3.0]);
        assert_eq!(PathSet::single(vec![7]).shares_by_hop(), [1.0]);
    }
}
