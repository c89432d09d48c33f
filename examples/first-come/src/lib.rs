//! First come: the senders to a host send one after another.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Bytes, ConfigError, Time, Validate, config};
use dumbbell_proto::host::{Grants, HostPolicy, HostPolicyParams, Setting};

config! {
    /// The flow that opened first has the whole window. The others may send a segment a round trip, until it ends.
    pub struct Params {
        /// The window of the first flow.
        window: Bytes = "64kB", "RFC 9293 section 3.1: the largest without a scale";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.window.get() == 0 {
            return Err(at.key("window").error("a window of nothing stops all senders", "give 1B or more"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "first-come";
    const TITLE: &'static str = "First come: one flow to a host has the whole window";
    const REFERENCE: &'static str = "choice: the policy without sharing";
}

impl HostPolicyParams for Params {
    fn build(&self, _setting: Setting) -> Box<dyn HostPolicy> {
        Box::new(FirstCome { window: self.window.get(), open: Vec::new() })
    }
}

#[derive(Debug)]
struct FirstCome {
    window: u64,
    /// Open flows, in the order in which they opened.
    open: Vec<u32>,
}

impl FirstCome {
    fn share(&self, grants: &mut Grants) {
        for (i, flow) in self.open.iter().enumerate() {
            // A transport never promises less than a segment.
            grants.grant(*flow, if i == 0 { self.window } else { 1 });
        }
    }
}

impl HostPolicy for FirstCome {
    fn largest(&self) -> u64 {
        self.window
    }

    fn opened(&mut self, _now: Time, flow: u32, _expected: u64, grants: &mut Grants) {
        self.open.push(flow);
        self.share(grants);
    }

    fn ended(&mut self, _now: Time, flow: u32, grants: &mut Grants) {
        self.open.retain(|open| *open != flow);
        self.share(grants);
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::{BitRate, Duration};

    use super::*;

    #[test]
    fn the_next_flow_gets_the_window_when_the_first_ends() {
        let setting =
            Setting { rate: BitRate::from_bps(1_000_000), base_rtt: Duration::from_millis(10), mtu: 1500 };
        let (mut policy, mut grants) = (Params::default().build(setting), Grants::default());
        policy.opened(Time::ZERO, 4, 9000, &mut grants);
        policy.opened(Time::ZERO, 7, 9000, &mut grants);
        assert_eq!((grants.last_of(4), grants.last_of(7)), (Some(64_000), Some(1)));
        policy.ended(Time::ZERO, 4, &mut grants);
        assert_eq!(grants.last_of(7), Some(64_000));
    }
}
