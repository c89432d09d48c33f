/* The contract of congestion controllers in C: the structs of crates/proto/src/controller/mod.rs, which says what each
 * field means. Times and durations are nanoseconds, sizes bytes. A test compiles this file and compares the layouts. */
#ifndef DUMBBELL_CONTROLLER_H
#define DUMBBELL_CONTROLLER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* What happened: dumbbell_signals.event. */
enum dumbbell_event {
    DUMBBELL_START = 0,
    DUMBBELL_ACK = 1,
    DUMBBELL_LOSS = 2,
    DUMBBELL_TIMEOUT = 3,
    DUMBBELL_ECN = 4,
    DUMBBELL_RECOVERED = 5,
    DUMBBELL_IDLE = 6,
    DUMBBELL_WAKE = 7,
    DUMBBELL_LOST = 8,
    DUMBBELL_UNDONE = 9,
    DUMBBELL_RESTART = 10,
};

/* A delivery-rate sample. */
struct dumbbell_rate_sample {
    double rate; /* bytes a second; 0 if there is none */
    uint64_t interval;
    uint64_t delivered;
    uint64_t prior_delivered;
    uint64_t lost;
    uint64_t in_flight;
    uint32_t packets_in_flight;
    bool app_limited;
    uint8_t reserved[3];
};

/* What a controller may know of an event. */
struct dumbbell_signals {
    uint64_t now;
    uint64_t initial_window;
    uint64_t growth_limit;
    uint64_t acked;
    uint64_t flight;
    uint64_t delivered;
    uint64_t rtt;
    uint64_t smoothed_rtt;
    uint64_t min_rtt;
    double feedback; /* bytes a second */
    uint64_t lost;
    uint64_t marked;
    uint64_t round;
    struct dumbbell_rate_sample rate;
    uint32_t mss;
    uint8_t event;
    bool in_recovery;
    bool window_limited;
    bool repeated;
};

/* What a controller decides. */
struct dumbbell_control {
    uint64_t window;
    uint64_t threshold;
    double pacing; /* bytes a second */
    uint64_t wake_at;
    double request; /* bytes a second */
};

#define DUMBBELL_UNLIMITED UINT64_MAX /* no threshold */
#define DUMBBELL_UNPACED HUGE_VAL     /* no pacing */
#define DUMBBELL_NEVER UINT64_MAX     /* no wake-up */

#endif
