//! Controllers whose type nobody knows: those of other crates, of libraries and of tests.

use std::fmt::Debug;

use super::contract::{
    Build, Class, Control, Controller, Estimate, Needs, Random, Repair, Sent, Signals, Stand,
};

/// What a controller says of itself, and the controller.
pub trait Open {
    /// What moves the window.
    fn class(&self) -> Class;
    /// What it needs of the transport.
    fn needs(&self) -> Needs;
    /// How losses are repaired where SACK is not used.
    fn repair(&self) -> Repair;
    /// See [`Build::build`].
    fn open(&self) -> Box<dyn Governs>;
}

impl<P: Build> Open for P {
    fn class(&self) -> Class {
        P::Controller::CLASS
    }
    fn needs(&self) -> Needs {
        P::Controller::NEEDS
    }
    fn repair(&self) -> Repair {
        P::Controller::REPAIR
    }
    fn open(&self) -> Box<dyn Governs> {
        Box::new(self.build())
    }
}

/// A [`Controller`] in a box.
#[allow(missing_docs, reason = "as those of `Controller`")]
pub trait Governs: Debug + Send {
    /// Another one like it.
    fn copy(&self) -> Box<dyn Governs>;
    fn start(&mut self, random: Random);
    fn on(&mut self, signals: &Signals, control: &mut Control);
    fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
        let _ = (sent, control);
    }
    fn stand(&self) -> Option<Stand> {
        None
    }
    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        let _ = tell;
    }
}

impl<C: Controller + Clone + Debug + Send + 'static> Governs for C {
    fn copy(&self) -> Box<dyn Governs> {
        Box::new(self.clone())
    }
    fn start(&mut self, random: Random) {
        Controller::start(self, random);
    }
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        Controller::on(self, signals, control);
    }
    fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
        Controller::on_sent(self, sent, control);
    }
    fn stand(&self) -> Option<Stand> {
        Controller::stand(self)
    }
    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        Controller::estimates(self, tell);
    }
}

impl Clone for Box<dyn Governs> {
    fn clone(&self) -> Box<dyn Governs> {
        (**self).copy()
    }
}
