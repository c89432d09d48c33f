//! Proportional rate reduction (RFC 9937): while the window shrinks, so much is sent as is delivered, in proportion to the
//! cut. Counts in segments.

/// The state of one reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Prr {
    /// The window before.
    before: u32,
    delivered: u32,
    out: u32,
}

impl Prr {
    /// A reduction begins from a window of so many segments.
    pub fn begin(before: u32) -> Prr {
        Prr { before, delivered: 0, out: 0 }
    }

    /// A segment was sent.
    pub fn sent(&mut self) {
        self.out += 1;
    }

    /// The window after an acknowledgement has delivered `delivered` segments, with `in_flight` still out (section 6.2). `safe`
    /// if it acknowledged in order and showed no further loss: then it may grow towards the threshold as in slow start.
    pub fn window(&mut self, threshold: u32, in_flight: u32, delivered: u32, safe: bool) -> u32 {
        self.delivered += delivered;
        let room = if in_flight > threshold {
            let share = u64::from(threshold) * u64::from(self.delivered);
            (share.div_ceil(u64::from(self.before.max(1))) as u32).saturating_sub(self.out)
        } else {
            let owed = self.delivered.saturating_sub(self.out).max(delivered);
            (threshold - in_flight).min(owed + u32::from(safe))
        };
        // The first segment of a recovery leaves whatever the share.
        in_flight + room.max(u32::from(self.out == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_in_ten_leave_while_the_window_falls_to_seven_tenths() {
        // 86 out, one lost, cut to 60: of 86 deliveries 60 let one out.
        let mut prr = Prr::begin(86);
        let (mut in_flight, mut sent) = (85, 0);
        for delivered in 1..=85_u32 {
            in_flight -= 1;
            let above = in_flight > 60;
            let window = prr.window(60, in_flight, 1, false);
            while in_flight < window {
                in_flight += 1;
                sent += 1;
                prr.sent();
            }
            // RFC 6937 section 3: sndcnt = CEIL(prr_delivered * ssthresh / RecoverFS) - prr_out.
            assert!(!above || sent == (delivered * 60).div_ceil(86), "{sent} of {delivered}");
        }
        assert_eq!((sent, in_flight), (60, 60));
    }

    #[test]
    fn safe_acknowledgements_let_the_window_grow_by_one_more() {
        let mut prr = Prr::begin(30);
        assert_eq!(prr.window(21, 5, 3, false), 8);
        (0..3).for_each(|_| prr.sent());
        assert_eq!(prr.window(21, 7, 1, true), 9);
        assert_eq!(prr.window(21, 20, 9, true), 21);
    }
}
