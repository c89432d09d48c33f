//! Laws that every registered host policy obeys, over generated sequences.

use dumbbell_core::testing::lengths;
use dumbbell_core::{BitRate, Duration, Time};
use proptest::prelude::*;

use super::{Arrival, Grant, Grants, HostPolicy, HostPolicySpec, Setting};

const CONTEXT: Setting =
    Setting { rate: BitRate::from_bps(1_000_000_000), base_rtt: Duration::from_micros(100), mtu: 1500 };

/// What a policy granted, in the order of calls.
type Granted = Vec<(Time, u32, Grant)>;

/// Drives a policy as an engine would, by steps of (nanoseconds, flow, bytes that arrive).
fn drive(spec: &HostPolicySpec, steps: &[(u64, u32, u64)]) -> Result<Granted, TestCaseError> {
    let mut policy = spec.build(CONTEXT);
    let (mut grants, mut granted, mut open) = (Grants::default(), Vec::new(), Vec::new());
    let mut now = Time::ZERO;
    let mut note = |now: Time, open: &[u32], policy: &dyn HostPolicy, grants: &mut Grants| {
        for (flow, grant) in grants.drain() {
            prop_assert!(open.contains(&flow), "a grant to a flow that is not open");
            let (bytes, is_credit) = match grant {
                Grant::Window(bytes) => (bytes, false),
                Grant::Credit(bytes) => (bytes, true),
            };
            prop_assert!(bytes <= policy.largest(), "{} is above the largest window", bytes);
            prop_assert_eq!(is_credit, policy.gives_credit());
            granted.push((now, flow, grant));
        }
        Ok(())
    };
    for &(after, flow, bytes) in steps {
        let next = now + Duration::from_nanos(after);
        let mut wakes = 0;
        while policy.wake_at() < next {
            let at = policy.wake_at();
            prop_assert!(at >= now, "woken in the past");
            now = at;
            policy.wake(now, &mut grants);
            note(now, &open, &*policy, &mut grants)?;
            prop_assert!(policy.wake_at() > now, "woken again at once");
            wakes += 1;
            prop_assert!(wakes < 100_000, "no end of wake-ups");
        }
        now = next;
        match open.iter().position(|open| *open == flow) {
            None => {
                open.push(flow);
                policy.opened(now, flow, if bytes == 0 { u64::MAX } else { bytes }, &mut grants);
            }
            Some(_) if bytes > 0 => {
                let transit = (bytes % 3 > 0).then(|| Duration::from_nanos(bytes));
                let left = bytes / 7 * 1000;
                policy.arrived(now, flow, Arrival { bytes, left, transit }, &mut grants);
                if left == 0 && bytes % 2 > 0 {
                    policy.expects(now, flow, bytes * 1000, &mut grants);
                }
            }
            Some(i) => {
                open.remove(i);
                policy.ended(now, flow, &mut grants);
            }
        }
        note(now, &open, &*policy, &mut grants)?;
    }
    let state = format!("{policy:?}");
    prop_assert!(!state.contains("NaN"), "{}", state);
    Ok(granted)
}

proptest! {
    #[test]
    fn open_flows_are_granted_what_fits(
        steps in prop::collection::vec((0..1_000_000_u64, 0..20_u32, prop_oneof![Just(0_u64), 1..100_000_u64]), lengths(1..200))
    ) {
        for spec in HostPolicySpec::all_defaults() {
            prop_assert_eq!(drive(&spec, &steps)?, drive(&spec, &steps)?);
        }
    }
}

#[test]
fn the_product_is_shared_evenly() {
    // 1 Gbit/s times 100 us: 12,500 bytes.
    let granted =
        drive(&HostPolicySpec::FairWindow(Default::default()), &[(0, 3, 0), (1, 5, 0), (1, 7, 0), (1, 5, 0)]);
    let windows: Vec<(u32, Grant)> =
        granted.unwrap().into_iter().map(|(_, flow, grant)| (flow, grant)).collect();
    let expected = [(3, 12_500), (3, 6250), (5, 6250), (3, 4166), (5, 4166), (7, 4166), (3, 6250), (7, 6250)];
    assert_eq!(windows, expected.map(|(flow, window)| (flow, Grant::Window(window))));
}
