//! What draws random numbers, so that a user knows whether seeds make a difference.

use serde::Serialize;

use crate::plan::Plan;

/// Something that may draw random numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Draw {
    /// What is drawn: `arrivals`, `loss`.
    pub what: String,
    /// The workload, flow group, link or node that draws it; empty if it is none of them.
    pub of: String,
}

impl Plan {
    /// What may draw random numbers in a run, one entry for each thing drawn and component. A packet may have to come first, as
    /// for a random loss, or a queue that is long enough, as for random early detection.
    pub fn draws(&self) -> Vec<Draw> {
        if let Some(replay) = &self.replay {
            // Of the run that is replayed a list remains; on its link, what follows draws anew.
            return replay.source.draws();
        }
        let draw = |what: &str, of: &str| Draw { what: what.to_owned(), of: of.to_owned() };
        let mut found = Vec::new();
        if self.drawn_topology {
            found.push(draw("topology", ""));
        }
        let listed = self.groups.len() - self.workloads.len();
        for (i, group) in self.groups.iter().enumerate() {
            let workload = i.checked_sub(listed).map(|i| self.workloads[i].traffic.facts());
            found.extend(workload.iter().flat_map(|facts| &facts.draws).map(|what| draw(what, &group.name)));
            if !group.jitter.is_zero() {
                found.push(draw("start jitter", &group.name));
            }
            found.extend(group.transport.draws().iter().map(|what| draw(what, &group.name)));
            for (schedule, what) in [(&group.application, "writes"), (&group.reader, "reads")] {
                if schedule.as_ref().is_some_and(|schedule| schedule.draws()) {
                    found.push(draw(what, &group.name));
                }
            }
        }
        if self.pairs.iter().any(|pair| pair.forward.len() > 1 || pair.reverse.len() > 1) {
            found.push(draw("paths", ""));
        }
        let mut crossed = vec![false; self.links.len()];
        for pair in &self.pairs {
            for link in pair.forward.links().iter().chain(pair.reverse.links().iter()) {
                crossed[*link as usize] = true;
            }
        }
        for (link, _) in self.links.iter().zip(crossed).filter(|(_, crossed)| *crossed) {
            let direction = &link.direction;
            if direction.loss.get() > 0.0 {
                found.push(draw("loss", &link.name));
            }
            let drawing = direction.impairments.iter().filter(|spec| spec.draws());
            found.extend(drawing.map(|spec| draw(spec.name(), &link.name)));
            if direction.queue.draws() {
                found.push(draw(direction.queue.name(), &link.name));
            }
            if let Some(marker) = direction.marker.as_ref().filter(|marker| marker.draws()) {
                found.push(draw(marker.name(), &link.name));
            }
            if let Some(router) = direction.router.as_ref().filter(|router| router.draws()) {
                found.push(draw(router.name(), &link.name));
            }
        }
        for node in &self.described {
            if let Some(agent) = node.agent.as_ref().filter(|agent| agent.params.draws()) {
                found.push(draw(agent.name, &self.nodes[node.node as usize]));
            }
        }
        found
    }
}
