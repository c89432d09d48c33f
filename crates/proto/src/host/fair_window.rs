//! Fair windows: the senders to a host share the bandwidth-delay product of its link.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Bytes, ConfigError, Time, Validate, config};

use super::contract::{Grants, HostPolicy, HostPolicyParams, Setting};

config! {
    /// Each of n open connections is granted floor(BDP / n) bytes, and a segment at least. With more connections than the
    /// product has segments, what a segment of each comes to has to fit the queue; `ia-tcp` delays acknowledgements too.
    pub struct Params {
        /// The bandwidth-delay product.
        bdp: Option<Bytes> = (), "absent: the slowest link into the host times the mean base round-trip time of its senders";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.bdp == Some(Bytes::new(0)) {
            return Err(at.key("bdp").error("a window of nothing stops all senders", "give 1B or more"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "fair-window";
    const TITLE: &'static str =
        "Fair windows: connections to a host share its bandwidth-delay product evenly";
    const REFERENCE: &'static str =
        "Hwang, Yoo & Choi, IA-TCP, ICC 2012, without its delay of acknowledgements";
}

impl HostPolicyParams for Params {
    fn build(&self, setting: Setting) -> Box<dyn HostPolicy> {
        let bdp = self.bdp.map_or(setting.rate.bytes_in(setting.base_rtt), Bytes::get);
        Box::new(FairWindow { bdp, open: Vec::new() })
    }
}

#[derive(Debug)]
struct FairWindow {
    bdp: u64,
    /// Open connections, in the order in which they opened.
    open: Vec<u32>,
}

impl FairWindow {
    fn share(&self, grants: &mut Grants) {
        let window = self.bdp / self.open.len().max(1) as u64;
        self.open.iter().for_each(|flow| grants.grant(*flow, window));
    }
}

impl HostPolicy for FairWindow {
    fn largest(&self) -> u64 {
        self.bdp
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
