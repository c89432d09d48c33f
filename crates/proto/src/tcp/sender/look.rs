//! What tests look at.

use dumbbell_core::Time;

use super::{Sender, todo};
use crate::controller::Control;
use crate::tcp::account::Account;
use crate::tcp::params::Params;
use crate::tcp::rack::Rack;
use crate::tcp::rtt::Rtt;
use crate::tcp::scoreboard::Scoreboard;

impl Sender {
    pub(in crate::tcp) fn una(&self) -> u64 {
        self.stream.una
    }
    pub(in crate::tcp) fn nxt(&self) -> u64 {
        self.stream.nxt
    }
    pub(in crate::tcp) fn max(&self) -> u64 {
        self.stream.max
    }
    pub(in crate::tcp) fn end(&self) -> u64 {
        self.stream.end
    }
    pub(in crate::tcp) fn stop(&self) -> u64 {
        self.stream.stop
    }
    pub(in crate::tcp) fn mss(&self) -> u32 {
        self.stream.mss.into()
    }
    pub(in crate::tcp) fn receive_window(&self) -> u64 {
        self.stream.receive_window
    }
    pub(in crate::tcp) fn rto_at(&self) -> Time {
        self.timers.rto_at
    }
    pub(in crate::tcp) fn rtt(&self) -> &Rtt {
        &self.timers.rtt
    }
    pub(in crate::tcp) fn control(&self) -> &Control {
        &self.gate.control
    }
    pub(in crate::tcp) fn control_mut(&mut self) -> &mut Control {
        &mut self.gate.control
    }
    pub(in crate::tcp) fn quiet(&self) -> bool {
        self.repair.duplicates.quiet
    }
    pub(in crate::tcp) fn recovering(&self) -> bool {
        self.repair.duplicates.recovering
    }
    pub(in crate::tcp) fn duplicates(&self) -> u32 {
        self.repair.duplicates.in_a_row
    }
    pub(in crate::tcp) fn inflation(&self) -> i64 {
        self.repair.duplicates.inflation
    }
    pub(in crate::tcp) fn board(&self) -> &Scoreboard {
        self.repair.board()
    }
    pub(in crate::tcp) fn rack(&self) -> Option<&Rack> {
        self.repair.rack.as_deref()
    }
    pub(in crate::tcp) fn rack_mut(&mut self) -> Option<&mut Rack> {
        self.repair.rack.as_deref_mut()
    }
    pub(in crate::tcp) fn retransmissions(&self) -> u64 {
        self.repair.retransmissions
    }
    pub(in crate::tcp) fn timeouts(&self) -> u32 {
        self.timers.timeouts
    }
    pub(in crate::tcp) fn params(&self) -> &Params {
        &self.params
    }
    pub(in crate::tcp) fn account(&mut self) -> Option<&mut Account> {
        self.gate.account.as_deref_mut()
    }
    /// As if the controller needed more than a window.
    pub(in crate::tcp) fn need(&mut self) {
        self.todo |= todo::NEEDS;
    }
}
