//! The memory that a packet takes of a receiver's buffer, as Linux counts it.

// Linux include/linux/skbuff.h and slab: `struct sk_buff`, `struct skb_shared_info`, room for headers, and a page.
pub(super) const HEAD: u64 = 256;
pub(super) const SHARED: u64 = 320;
/// Room for the headers of all layers in packets that leave.
// Linux include/net/tcp.h: MAX_TCP_HEADER.
pub(super) const HEADERS: u64 = 256;
const PAD: u64 = 64;
const PAGE: u64 = 4_096;
/// Bytes of a packet in its first page: the others lie in pages of their own, up to eight together.
const LINEAR: u64 = PAGE - PAD - SHARED;
const MOST_PAGES: u64 = 8;

/// The memory that a packet of so many bytes takes which comes from a TUN device, headers counted.
// Linux drivers/net/tun.c: what tun_alloc_skb and alloc_skb_with_frags allocate.
pub fn memory(packet: u64) -> u64 {
    let linear = packet.min(LINEAR);
    let slab = (PAD + linear).next_multiple_of(64) + SHARED;
    let mut rest = packet - linear;
    let mut total = HEAD + slab.next_power_of_two().min(slab.next_multiple_of(PAGE));
    while rest > 0 {
        let mut pages = MOST_PAGES;
        while pages > 1 && rest.next_multiple_of(PAGE) < pages * PAGE {
            pages /= 2;
        }
        total += pages * PAGE;
        rest = rest.saturating_sub(pages * PAGE);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::memory;

    #[test]
    fn packets_take_whole_slabs_and_pages() {
        // A segment of 1500 bytes: 1568 and 320 in a slab of 2048. 20,040 bytes: 3712 in the first page, 16,328 in four more.
        assert_eq!((memory(1500), memory(20_040)), (2_304, 256 + 4_096 + 16_384));
        assert_eq!(memory(4_040), 256 + 2 * 4_096);
    }
}
