//! Shells within this one: who they are, and which addresses they have.

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use super::interface::Interface;

/// Shells directly within this one at a time, and addresses that one of them may ask for: more than a machine runs.
const MOST: usize = 64;

/// A shell within this one.
struct Guest {
    /// How many were admitted before it.
    id: u64,
    interface: Interface,
    /// The numbers of its addresses: its own, and those of the shells within it.
    numbers: Vec<u32>,
    /// It has ended.
    gone: bool,
}

/// All of them.
pub struct Guests {
    list: Vec<Guest>,
    /// Guests admitted so far.
    admitted: u64,
    /// Guests that wait for an address from the emulator outside, in the order they asked.
    asking: VecDeque<u64>,
    /// The number of the next address, where they come from here.
    next_number: Option<u32>,
}

impl Guests {
    /// None yet. Addresses begin with this number, or come from the emulator outside.
    pub fn new(first_number: Option<u32>) -> Guests {
        Guests { list: Vec::new(), admitted: 0, asking: VecDeque::new(), next_number: first_number }
    }

    /// How many there are, those that have ended included.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Admits one behind a socket.
    pub fn admit(&mut self, socket: OwnedFd) {
        self.list.retain(|guest| !guest.gone);
        if self.list.len() >= MOST {
            return;
        }
        let interface = Interface::socket(socket);
        self.list.push(Guest { id: self.admitted, interface, numbers: Vec::new(), gone: false });
        self.admitted += 1;
    }

    /// Where packets of a guest come from, unless it has ended.
    pub fn interface(&self, guest: usize) -> Option<&Interface> {
        self.list.get(guest).filter(|guest| !guest.gone).map(|guest| &guest.interface)
    }

    /// Where packets to the address of this number go, if it is a guest's.
    pub fn behind(&self, number: Option<u32>) -> Option<&Interface> {
        let number = number?;
        self.list.iter().find(|guest| guest.numbers.contains(&number)).map(|guest| &guest.interface)
    }

    /// What to watch for packets.
    pub fn watched(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.list.iter().filter(|guest| !guest.gone).map(|guest| guest.interface.as_fd())
    }

    /// A guest has ended.
    pub fn end(&mut self, guest: usize) {
        self.list[guest].gone = true;
        self.list[guest].numbers.clear();
    }

    /// Gives a guest an address, or asks the emulator outside, which is at `far`, for one.
    pub fn attach(&mut self, guest: usize, far: &Interface) {
        let Guest { id, numbers, .. } = &self.list[guest];
        let id = *id;
        let waiting = self.asking.iter().filter(|asker| **asker == id).count();
        if numbers.len() + waiting >= MOST {
            return;
        }
        if let Some(number) = self.next_number {
            self.next_number = Some(number + 1);
            self.give(id, number);
        } else if far.ask().is_ok() {
            self.asking.push_back(id);
        }
    }

    /// The emulator outside has given an address to the guest that asked first.
    pub fn attached(&mut self, number: u32) {
        if let Some(guest) = self.asking.pop_front() {
            self.give(guest, number);
        }
    }

    fn give(&mut self, guest: u64, number: u32) {
        // A guest that is gone needs none.
        let here = self.list.iter_mut().find(|g| g.id == guest && !g.gone);
        if let Some(guest) = here.filter(|guest| guest.interface.answer(number).is_ok()) {
            guest.numbers.push(number);
        }
    }
}
