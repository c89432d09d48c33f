//! What lets segments out: the controller, its window, what it hears.

use dumbbell_core::Time;

use super::{Gate, Standing};
use crate::controller::{Class, Control, Event, LARGEST_WINDOW, Needs, Signals};
use crate::tcp::account::News;
use crate::tcp::rack::Rack;
use crate::tcp::rtt::Rtt;

impl Gate {
    /// Lets the controller answer an event. `delivered` counts from the start.
    #[inline]
    pub(super) fn inform(
        &mut self,
        now: Time,
        event: Event,
        ((delivered, held), flight): ((u64, u64), u64),
        news: News,
        rtt: &Rtt,
        standing: Standing,
    ) {
        let acked = delivered - self.delivered;
        self.delivered = delivered;
        let growth_limit = if standing.counts { u64::from(self.mss) } else { self.growth_limit };
        let signals = Signals {
            now,
            initial_window: self.initial_window,
            growth_limit,
            acked,
            flight,
            delivered,
            held,
            departs_at: self.departs_at,
            rtt: news.rtt,
            smoothed_rtt: rtt.smoothed(),
            min_rtt: rtt.min(),
            feedback: self.feedback,
            lost: news.lost,
            marked: news.marked,
            round: news.round,
            rate: news.rate,
            mss: self.mss,
            event,
            in_recovery: standing.in_recovery,
            window_limited: self.window_limited || !self.validates,
            repeated: news.repeated || standing.repeated && event != Event::Lost,
        };
        self.controller.on(&signals, &mut self.control);
        self.hold_window();
    }

    /// True if its account, if it wants one, knows of no segment out of order.
    #[inline]
    pub(super) fn is_settled(&self) -> bool {
        self.account.as_ref().is_none_or(|account| account.is_settled())
    }

    /// When the controller wants to be woken; never if it does not.
    #[inline]
    pub(super) fn wake_at(&self) -> Time {
        let wakes = self.needs.any(Needs::WAKE) && self.control.wake_at < Control::NEVER;
        if wakes { self.control.wake_at } else { Time::NEVER }
    }

    /// The acknowledgement in hand does or does not echo a mark. True if the window is to be cut for that: not if the controller
    /// counts the bytes itself and wants no more. `counted` if acknowledgements tell how many there were.
    pub(super) fn note_marks(&mut self, echo: bool, counted: bool) -> bool {
        if !self.needs.any(Needs::ECHOES) {
            return echo;
        }
        if let Some(account) = self.account.as_mut().filter(|_| !counted) {
            account.marked = if echo { u64::MAX } else { 0 };
        }
        echo && self.needs.any(Needs::CUTS)
    }

    /// The congestion window, as far as the connection may use it.
    #[inline]
    pub(super) fn window_in_use(&self) -> u64 {
        self.control.window.min(self.largest_window)
    }

    /// Holds the window at a segment or more, and finite.
    #[inline]
    pub(super) fn hold_window(&mut self) {
        self.control.window = self.control.window.clamp(u64::from(self.mss), LARGEST_WINDOW);
    }

    /// The threshold, or three quarters of the window if that is larger and no cut is under way.
    pub(super) fn current_threshold(&self) -> u64 {
        let (mss, window) = (u64::from(self.mss), u64::from(self.window_segments()));
        self.control.threshold.max((window / 2 + window / 4) * mss)
    }

    /// Windows count whole segments where losses are found by time, and so does the threshold: a part of a segment above the window would
    /// be one more round trip of slow start after a repair. Scalable controllers count parts of segments.
    // Linux include/net/tcp.h: snd_ssthresh.
    pub(super) fn round_threshold(&mut self) {
        if self.control.threshold < Control::UNLIMITED && !self.needs.any(Needs::SCALABLE) {
            self.control.threshold = u64::from(self.threshold_segments()) * u64::from(self.mss);
        }
    }

    /// True if the transport sets the window while losses are repaired; models and routers know better.
    pub(super) fn moves_window(&self) -> bool {
        self.class == Class::Window
    }

    pub(super) fn set_window(&mut self, segments: u32) {
        self.control.window = u64::from(segments.max(1)) * u64::from(self.mss);
    }

    /// The threshold in whole segments.
    pub(super) fn threshold_segments(&self) -> u32 {
        u32::try_from(self.control.threshold / u64::from(self.mss)).unwrap_or(u32::MAX).max(1)
    }

    /// The window in whole segments.
    pub(super) fn window_segments(&self) -> u32 {
        (self.window_in_use() / u64::from(self.mss)).max(1) as u32
    }

    /// Counts bytes found lost in a range, if the controller wants to know.
    pub(super) fn note_lost(&mut self, range: (u64, u64), bytes: u64) {
        if let Some(account) = &mut self.account {
            account.found_lost(range, bytes);
        }
    }

    /// True if the window, not the application, limits: it is full at times, or less than twice what is out in slow start.
    pub(super) fn is_window_limited(&self, rack: &Rack) -> bool {
        // The threshold of a model says nothing.
        let in_slow_start = self.control.window < self.control.threshold && self.moves_window();
        rack.usage.limited || in_slow_start && self.window_segments() < 2 * rack.usage.most
    }
}
