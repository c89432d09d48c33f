//! epoll(7): descriptors that are watched, and which of them have news.

use libc::{EEXIST, EINVAL, ENOENT, EPOLLERR, EPOLLET, EPOLLEXCLUSIVE, EPOLLHUP, EPOLLONESHOT, EPOLLWAKEUP};

/// Bits of the mask that are no events.
const HOW: u32 = (EPOLLET | EPOLLEXCLUSIVE | EPOLLONESHOT | EPOLLWAKEUP) as u32;
/// Events that nobody has to ask for.
const ALWAYS: u32 = (EPOLLERR | EPOLLHUP) as u32;

/// A descriptor that is watched.
#[derive(Clone, Copy, Debug)]
struct Watch {
    fd: i32,
    mask: u32,
    data: u64,
    /// It may have events.
    ready: bool,
}

/// The descriptors of one epoll, those with news in the order in which it came.
// Linux fs/eventpoll.c: what ep_poll_callback and ep_send_events do.
#[derive(Debug, Default)]
pub struct Epoll {
    watches: Vec<Watch>,
}

impl Epoll {
    /// Adds, changes or removes a descriptor, which has `events` now.
    ///
    /// # Errors
    /// EEXIST, ENOENT, EINVAL as epoll_ctl(2).
    pub fn control(&mut self, op: i32, fd: i32, mask: u32, data: u64, events: u32) -> Result<(), i32> {
        let at = self.watches.iter().position(|watch| watch.fd == fd);
        let ready = events & (mask | ALWAYS) != 0;
        match (op, at) {
            (libc::EPOLL_CTL_ADD, None) => self.watches.push(Watch { fd, mask, data, ready }),
            (libc::EPOLL_CTL_ADD, Some(_)) => return Err(EEXIST),
            (libc::EPOLL_CTL_MOD, Some(at)) => {
                let ready = ready || self.watches[at].ready;
                self.watches[at] = Watch { fd, mask, data, ready };
            }
            (libc::EPOLL_CTL_DEL, Some(at)) => drop(self.watches.remove(at)),
            (libc::EPOLL_CTL_MOD | libc::EPOLL_CTL_DEL, None) => return Err(ENOENT),
            _ => return Err(EINVAL),
        }
        Ok(())
    }

    /// Something happened to a descriptor that may be worth these events.
    pub fn stir(&mut self, fd: i32, events: u32) {
        for watch in self.watches.iter_mut().filter(|watch| watch.fd == fd) {
            let disabled = watch.mask & !HOW == 0;
            watch.ready |= !disabled && events & (watch.mask | ALWAYS) != 0;
        }
    }

    /// Forgets a descriptor that is closed.
    pub fn forget(&mut self, fd: i32) {
        self.watches.retain(|watch| watch.fd != fd);
    }

    /// Returns up to `most` events; `now` gives the state of each descriptor.
    pub fn take(&mut self, most: usize, mut now: impl FnMut(i32) -> u32) -> Vec<(u32, u64)> {
        let mut found = Vec::new();
        for watch in &mut self.watches {
            if found.len() == most {
                break;
            }
            if !std::mem::take(&mut watch.ready) {
                continue;
            }
            let events = now(watch.fd) & (watch.mask & !HOW | ALWAYS);
            if events == 0 {
                continue;
            }
            found.push((events, watch.data));
            if watch.mask & EPOLLONESHOT as u32 != 0 {
                watch.mask &= HOW;
            }
            // A level stays until it is gone.
            watch.ready = watch.mask & (EPOLLET | EPOLLONESHOT) as u32 == 0;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IN: u32 = libc::EPOLLIN as u32;
    const OUT: u32 = libc::EPOLLOUT as u32;
    const EDGE: u32 = EPOLLET as u32;
    const ONCE: u32 = EPOLLONESHOT as u32;

    #[test]
    fn an_edge_is_told_once_and_a_level_until_it_is_gone() {
        let mut epoll = Epoll::default();
        epoll.control(libc::EPOLL_CTL_ADD, 4, IN | EDGE, 44, 0).unwrap();
        epoll.control(libc::EPOLL_CTL_ADD, 5, IN, 55, IN).unwrap();
        assert_eq!(epoll.control(libc::EPOLL_CTL_ADD, 5, IN, 55, IN), Err(EEXIST));
        assert_eq!(epoll.take(9, |_| IN | OUT), [(IN, 55)]);
        epoll.stir(4, IN);
        assert_eq!(epoll.take(9, |_| IN), [(IN, 44), (IN, 55)]);
        assert_eq!(epoll.take(9, |_| IN), [(IN, 55)]);
        assert_eq!(epoll.take(9, |_| 0), []);
        epoll.stir(4, OUT);
        assert_eq!(epoll.take(9, |_| IN), [], "nobody asked for that");
    }

    #[test]
    fn no_more_events_come_than_there_is_room_for() {
        let mut epoll = Epoll::default();
        for fd in [4, 5] {
            epoll.control(libc::EPOLL_CTL_ADD, fd, IN | ONCE, fd as u64, IN).unwrap();
        }
        assert_eq!(epoll.take(1, |_| IN), [(IN, 4)]);
        assert_eq!(epoll.take(1, |_| IN), [(IN, 5)]);
    }

    #[test]
    fn a_descriptor_that_is_told_once_waits_to_be_armed_again() {
        let mut epoll = Epoll::default();
        epoll.control(libc::EPOLL_CTL_ADD, 4, IN | ONCE, 44, IN).unwrap();
        assert_eq!(epoll.take(9, |_| IN), [(IN, 44)]);
        epoll.stir(4, ALWAYS);
        assert_eq!(epoll.take(9, |_| IN | ALWAYS), []);
        epoll.control(libc::EPOLL_CTL_MOD, 4, IN | ONCE, 45, IN | ALWAYS).unwrap();
        assert_eq!(epoll.take(9, |_| IN | ALWAYS), [(IN | ALWAYS, 45)]);
        epoll.forget(4);
        assert_eq!(epoll.control(libc::EPOLL_CTL_DEL, 4, 0, 0, 0), Err(ENOENT));
    }
}
