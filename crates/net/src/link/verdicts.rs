//! What becomes of the decisions of a discipline on a link.

use dumbbell_core::{DropReason, MarkReason, VerdictSink};

use super::watch::Watch;
use super::{Carried, Counters, Incident, Incidents};

/// Counts what the discipline gives up. Packets on their way in carry their arrival in [`Carried::at`].
pub(super) struct Verdicts<'a, P> {
    pub counters: &'a mut Counters,
    pub watch: Option<&'a mut Watch<P>>,
    pub incidents: &'a mut Incidents<P>,
}

/// The sink of a link, beside what else of the link is in use.
macro_rules! verdicts {
    ($link:ident, $incidents:ident) => {
        Verdicts { counters: &mut $link.counters, watch: $link.watch.as_deref_mut(), incidents: $incidents }
    };
}

impl<P: Carried> VerdictSink<P> for Verdicts<'_, P> {
    fn dropped(&mut self, packet: P, reason: DropReason) {
        self.counters.dropped[reason as usize] += 1;
        if let Some(watch) = &mut self.watch {
            watch.dropped(&packet, reason);
        }
        self.incidents.push((packet, Incident::Dropped(reason)));
    }
    fn marked(&mut self, packet: &P, reason: MarkReason) {
        self.counters.marked += 1;
        if let Some(watch) = &mut self.watch {
            watch.marked(packet, reason);
        }
    }
}

pub(super) use verdicts;
