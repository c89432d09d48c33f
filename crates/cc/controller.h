/* Congestion controllers for dumbbell, in C. Generated from crates/cc of dumbbell; do not edit.
 *
 * A library exports one `const struct dumbbell_law dumbbell_law`. Sizes are bytes, times nanoseconds, rates units of
 * 2^-DUMBBELL_RATE_SHIFT bytes a second. No number is above 2^63 - 1. */
#ifndef DUMBBELL_CONTROLLER_H
#define DUMBBELL_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DUMBBELL_ABI 2u /* number of this contract */
#define DUMBBELL_MAX_STATE 65536u /* bytes of state of a connection, at most */
#define DUMBBELL_RATE_SHIFT 20 /* a byte a second is 1 << DUMBBELL_RATE_SHIFT */
#define DUMBBELL_UNLIMITED UINT64_C(9223372036854775807) /* no threshold */
#define DUMBBELL_UNPACED UINT64_C(9223372036854775807) /* no pacing */
#define DUMBBELL_MOST_TOLD 32u /* states, and estimates, of a law */
#define DUMBBELL_UNBOUNDED INT64_C(9223372036854775807) /* an estimate without a bound */
#define DUMBBELL_NEVER UINT64_C(9223372036854775807) /* no wake-up */

/* What happened. */
enum dumbbell_event {
    /* The connection was established; the control holds the initial window and threshold. */
    DUMBBELL_START = 0,
    /* Data was acknowledged. */
    DUMBBELL_ACK = 1,
    /* Loss was detected: at most once per window (RFC 5681 section 3.2). */
    DUMBBELL_LOSS = 2,
    /* The retransmission timer expired (RFC 5681 equation 4). */
    DUMBBELL_TIMEOUT = 3,
    /* An ECN echo: at most once per window (RFC 3168 section 6.1.2). Controllers that need every echo
     * (DUMBBELL_NEEDS_ECHOES) read signals.marked instead. */
    DUMBBELL_ECN = 4,
    /* A repair of losses ended: everything outstanding when it began is acknowledged. signals.acked has what this
     * event acknowledges. A controller that must hear of every end asks by DUMBBELL_NEEDS_REPAIRS; without it a
     * transport may send DUMBBELL_ACK alone. */
    DUMBBELL_RECOVERED = 5,
    /* Sending begins again after a time with nothing outstanding that the transport finds long (RFC 5681 section
     * 4.1: longer than the timeout). The transport has the last word on the window of a DUMBBELL_CLASS_WINDOW. */
    DUMBBELL_IDLE = 6,
    /* The time that control.wake_at named has come. */
    DUMBBELL_WAKE = 7,
    /* A segment was found lost, after DUMBBELL_LOSS or DUMBBELL_TIMEOUT if that is news: signals.lost has its
     * bytes, and signals.rate what was noted when it was sent. Only with DUMBBELL_NEEDS_LOSSES. */
    DUMBBELL_LOST = 8,
    /* Nothing was lost after all: the transport takes its latest repair back (RFC 3522, RFC 3708, RFC 5682). Only
     * with DUMBBELL_NEEDS_REPAIRS, from transports that notice. */
    DUMBBELL_UNDONE = 9,
    /* Sending begins again, before the first segment, with nothing in the network: nothing is outstanding, or all
     * of it was found lost. signals.flight has what is outstanding, and app_limited of signals.rate tells whether
     * the application had too little to send. Only with DUMBBELL_NEEDS_RESTARTS. */
    DUMBBELL_RESTART = 10,
};

/* What moves the window of a controller. Each class has laws of its own. */
enum dumbbell_class {
    /* Acknowledgements open it, losses, marks or delays close it. */
    DUMBBELL_CLASS_WINDOW = 0,
    /* It follows from a model of the path: a rate, a round-trip time. */
    DUMBBELL_CLASS_MODEL = 1,
    /* Routers open and close it. */
    DUMBBELL_CLASS_ROUTER = 2,
    /* It follows a rate that delays, marks or telemetry move in steps, as in data centres; below one segment the
     * rate alone counts. */
    DUMBBELL_CLASS_RATE = 3,
};

/* How a transport without SACK repairs losses. */
enum dumbbell_repair {
    /* Sends one segment again per partial acknowledgement, until the whole window is repaired (RFC 6582). */
    DUMBBELL_PARTIAL_ACKS = 0,
    /* Sends one segment again and ends at the first new acknowledgement (RFC 2581 section 3.2). */
    DUMBBELL_FAST_RECOVERY = 1,
    /* Starts again from the first byte that is not acknowledged, with the window the controller gives. */
    DUMBBELL_GO_BACK = 2,
};

/* The header in which a law in a library asks routers. At least one link of the path needs a router that reads it. */
enum dumbbell_exchange {
    /* It asks nothing. */
    DUMBBELL_EXCHANGE_NONE = 0,
    /* That of XCP (Katabi, Handley & Rohrs, SIGCOMM 2002). */
    DUMBBELL_EXCHANGE_XCP = 1,
    /* That of HPCC (Li et al., SIGCOMM 2019). */
    DUMBBELL_EXCHANGE_HPCC = 2,
};

/* What a controller needs of the transport besides sums. */
enum dumbbell_needs {
    /* A record of every segment in flight: signals.rate, round and lost, a round-trip time with every
     * acknowledgement, and an DUMBBELL_ACK for everything acknowledged selectively or by a duplicate. */
    DUMBBELL_NEEDS_RATES = 1,
    /* The ECN echo of every acknowledgement: the receiver echoes the marks themselves (RFC 8257 section 3.2), and
     * signals.marked counts them. */
    DUMBBELL_NEEDS_ECHOES = 2,
    /* Without SACK, losses are also shown by the first duplicate, and by the first two acknowledgements after a
     * retransmission, of a segment older than a timeout of exact round-trip times. Only with DUMBBELL_NEEDS_RATES. */
    DUMBBELL_NEEDS_FINE_TIMEOUTS = 4,
    /* control.pacing and control.quantum are obeyed. */
    DUMBBELL_NEEDS_PACING = 8,
    /* control.wake_at is obeyed. */
    DUMBBELL_NEEDS_WAKE = 16,
    /* DUMBBELL_LOST for every segment found lost. Only with DUMBBELL_NEEDS_RATES. */
    DUMBBELL_NEEDS_LOSSES = 32,
    /* How every repair of losses ends: by DUMBBELL_RECOVERED or by DUMBBELL_UNDONE. */
    DUMBBELL_NEEDS_REPAIRS = 64,
    /* DUMBBELL_RESTART. */
    DUMBBELL_NEEDS_RESTARTS = 128,
    /* Random numbers: start receives a stream of its own. */
    DUMBBELL_NEEDS_RANDOM = 256,
    /* All data segments carry ECT(1), those sent again too: what shares a queue with them may tell that they answer
     * to many marks (RFC 9331 section 4.1). Feedback is accurate ECN unless the scenario says otherwise. */
    DUMBBELL_NEEDS_SCALABLE = 512,
    /* Data segments carry control.request to routers in a header, and signals.feedback brings the answer. */
    DUMBBELL_NEEDS_ROUTERS = 1024,
    /* A call for every segment that leaves: on_sent. */
    DUMBBELL_NEEDS_SENT = 2048,
    /* With DUMBBELL_NEEDS_ECHOES: a mark also cuts the window, as without it, and DUMBBELL_ECN asks by how much.
     * DUMBBELL_LOSS asks again if something is found lost meanwhile. */
    DUMBBELL_NEEDS_CUTS = 4096,
};

/* A delivery-rate sample (draft-cheng-iccrg-delivery-rate-estimation-02 section 3): how fast the network delivered
 * between the departure of a packet and its acknowledgement. */
struct dumbbell_rate_sample {
    /* Delivery rate; 0 if the event gives no valid one. */
    uint64_t rate;
    /* Time over which it was measured: the longer of the times in which the data was sent and acknowledged. */
    uint64_t interval;
    /* Bytes delivered in this time. */
    uint64_t delivered;
    /* Bytes that had been delivered when the packet left. */
    uint64_t prior_delivered;
    /* Bytes found lost since the packet left. */
    uint64_t lost;
    /* Bytes in flight when the packet left, with it. */
    uint64_t in_flight;
    /* Packets in flight when the packet left, with it. */
    uint32_t packets_in_flight;
    /* True if the application had too little to send at that time: the network may be faster than the rate. */
    bool app_limited;
    /* Zero. */
    uint8_t reserved[3];
};

/* What a controller may know of an event. */
struct dumbbell_signals {
    /* Now. */
    uint64_t now;
    /* The window to start with, and to start again with after an idle time. */
    uint64_t initial_window;
    /* Most that one acknowledgement may add in slow start: L segments (RFC 3465 section 2.2). */
    uint64_t growth_limit;
    /* Bytes newly acknowledged, cumulatively or selectively. */
    uint64_t acked;
    /* Bytes outstanding: before this event if it is a loss, timeout or ECN echo, otherwise after it. Segments of
     * limited transmit do not count (RFC 3042). */
    uint64_t flight;
    /* Bytes acknowledged since the start, cumulatively or selectively. */
    uint64_t delivered;
    /* Those of them beyond a hole: acknowledged selectively, and not yet in order. */
    uint64_t held;
    /* When the next packet may leave at the pacing rate; now or earlier if it may now, or if the transport does not
     * pace. */
    uint64_t departs_at;
    /* The round-trip time this event measured; zero if none. With DUMBBELL_NEEDS_RATES, that of the segment sent
     * last. */
    uint64_t rtt;
    /* Smoothed round-trip time; zero before the first measurement. */
    uint64_t smoothed_rtt;
    /* Smallest round-trip time measured; zero before the first. */
    uint64_t min_rtt;
    /* What routers answered, in units of 2^-20 of what their header says: with XCP the change of rate granted, in
     * bytes a second; with HPCC the use of the busiest link, where 1 is all of it. 0 without an answer. Only with
     * DUMBBELL_NEEDS_ROUTERS. */
    int64_t feedback;
    /* Bytes found lost since the last event, those lost again included; 0 unless DUMBBELL_NEEDS_RATES,
     * DUMBBELL_NEEDS_ECHOES or DUMBBELL_NEEDS_WAKE. With DUMBBELL_NEEDS_LOSSES only DUMBBELL_LOST tells of them. */
    uint64_t lost;
    /* Those of the acknowledged bytes that arrived marked; 0 unless DUMBBELL_NEEDS_ECHOES. */
    uint64_t marked;
    /* Round trips counted by packets: one more when something sent after the last count is acknowledged; 0 unless
     * DUMBBELL_NEEDS_RATES. */
    uint64_t round;
    /* The delivery rate; no sample unless DUMBBELL_NEEDS_RATES. */
    struct dumbbell_rate_sample rate;
    /* Largest segment payload. */
    uint32_t mss;
    /* What happened. */
    uint8_t event;
    /* True while losses are repaired, and on acknowledgements that echo congestion: no time to grow. A transport
     * may spare a DUMBBELL_CLASS_MODEL the latter. */
    bool in_recovery;
    /* True if the congestion window, not the application or the receiver, limited the sender (RFC 7661). */
    bool window_limited;
    /* With DUMBBELL_TIMEOUT: the timer had already expired for the same segment (RFC 5681 section 3.1). With
     * DUMBBELL_LOSS: the segment had been sent again already; only with DUMBBELL_NEEDS_RATES. With DUMBBELL_LOST:
     * the segment before it in the stream was the one found lost before it, so that they are one range. */
    bool repeated;
};

/* A segment that leaves: only with DUMBBELL_NEEDS_SENT. */
struct dumbbell_sent {
    /* Now. */
    uint64_t now;
    /* Bytes outstanding, with it. */
    uint64_t flight;
    /* Its bytes. */
    uint32_t bytes;
    /* True if it was sent before. */
    bool again;
    /* Zero. */
    uint8_t reserved[3];
};

/* What a controller decides. It keeps its values from event to event. */
struct dumbbell_control {
    /* Congestion window in bytes. The transport holds it at one segment or more, and below 2^40. To send less than
     * one segment per round trip, lower pacing. */
    uint64_t window;
    /* Slow-start threshold in bytes; DUMBBELL_UNLIMITED if there is none. */
    uint64_t threshold;
    /* Pacing rate of the stream, headers not counted; DUMBBELL_UNPACED sends as acknowledgements arrive. Only with
     * DUMBBELL_NEEDS_PACING; without it the transport may pace, and shows its rate here. */
    uint64_t pacing;
    /* When the transport calls again, once, with DUMBBELL_WAKE; DUMBBELL_NEVER if not. Only with
     * DUMBBELL_NEEDS_WAKE. */
    uint64_t wake_at;
    /* What data segments ask routers for: with XCP a change of rate in bytes a second, with HPCC the round-trip
     * time of the empty network in nanoseconds. Only with DUMBBELL_NEEDS_ROUTERS. */
    int64_t request;
    /* Bytes that leave together, before the pause that they take at the pacing rate. 0 leaves it to the transport:
     * one segment, or as many as the host hands over at once. Only with DUMBBELL_NEEDS_PACING. */
    uint64_t quantum;
};

/* A stream of random numbers: xoshiro256++. */
struct dumbbell_random {
    uint64_t state[4];
};

/* The next 64 bits of a stream. */
static inline uint64_t dumbbell_draw(struct dumbbell_random *random)
{
    uint64_t *s = random->state, sum = s[0] + s[3], shifted = s[1] << 17;
    uint64_t drawn = (sum << 23 | sum >> 41) + s[0];
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = s[3] << 45 | s[3] >> 19;
    return drawn;
}

/* A controller. */
struct dumbbell_law {
    /* DUMBBELL_ABI. */
    uint32_t abi;
    /* Bytes of state of a connection, at most DUMBBELL_MAX_STATE; it begins at a multiple of 8, as zeros. */
    uint32_t state_bytes;
    /* What it needs: DUMBBELL_NEEDS_... with | between; 0 for nothing but sums. */
    uint32_t needs;
    /* enum dumbbell_class. */
    uint8_t class_;
    /* enum dumbbell_repair. */
    uint8_t repair;
    /* enum dumbbell_exchange; not DUMBBELL_EXCHANGE_NONE with DUMBBELL_NEEDS_ROUTERS. */
    uint8_t exchange;
    /* Zero. */
    uint8_t reserved;
    /* What tables call it: lower-case letters, digits and -, 32 at most. */
    const char *name;
    /* Fills in the state of a new connection; may be null. random is null unless DUMBBELL_NEEDS_RANDOM. */
    void (*start)(void *state, const struct dumbbell_random *random);
    /* Answers an event by changing the control. */
    void (*on)(void *state, const struct dumbbell_signals *signals, struct dumbbell_control *control);
    /* Answers a segment that leaves by changing the control; null unless DUMBBELL_NEEDS_SENT. */
    void (*on_sent)(void *state, const struct dumbbell_sent *sent, struct dumbbell_control *control);
};

/* An estimate that a law goes by: up to 32 letters, digits and signs, a unit likewise or empty, and what stands for one
 * of the unit: the value is what tell writes, divided by scale. */
struct dumbbell_quantity {
    const char *name;
    const char *unit;
    uint64_t scale;
};

/* How a connection stands: the place of its state in the list; round trips so far, 0 if nobody counts them. */
struct dumbbell_standing {
    uint32_t state;
    uint32_t reserved;
    uint64_t round;
};

/* The states and estimates of a law, for tables and traces. A library may export one as
 * `const struct dumbbell_account dumbbell_account`. */
struct dumbbell_account {
    /* DUMBBELL_ABI. */
    uint32_t abi;
    /* How many states, at least one, and estimates: DUMBBELL_MOST_TOLD of each at most. */
    uint32_t states;
    uint32_t estimates;
    /* Zero. */
    uint32_t reserved;
    /* The names of the states. */
    const char *const *state;
    /* The estimates; may be null if there are none. */
    const struct dumbbell_quantity *estimate;
    /* Writes how a connection stands, and the value of each estimate: DUMBBELL_UNBOUNDED without a bound. */
    void (*tell)(const void *state, struct dumbbell_standing *standing, int64_t *values);
};

#endif
