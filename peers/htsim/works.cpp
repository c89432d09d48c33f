// The works W1, W2 and W4S on csg-htsim, whose library this is linked with.
//
//   works W1|W2|W4S physics|speed [ARRIVALS]
//
// Prints "name value" lines like the scripts for ns-2. Loggers count in a physics run only: they cost time on every packet.
// A segment of htsim is a whole packet: its size here is that on the wire, and goodput is the share of it that is data.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "eventlist.h"
#include "loggertypes.h"
#include "pipe.h"
#include "queue.h"
#include "tcp.h"

namespace {

struct Work {
    double rate, delay;            // of the bottleneck: Mbit/s, ms
    int limit;                     // of its queue, packets
    double access;                 // Mbit/s
    int pairs, flows;
    double stagger;                // ms between two flows
    int wire, payload;             // bytes
    uint32_t threshold;            // initial, packets; 0: none
    double warmup, duration;       // s
};

const Work W1 = {100, 10, 100, 1000, 10, 10, 100, 1500, 1460, 0, 20, 100};
const Work W2 = {10, 5, 42, 100, 10, 0, 0, 1500, 1460, 0, 0, 600};
const Work W4S = {2400, 40, 30000, 10000, 20, 1000, 1, 1000, 960, 30, 2, 10};

// Delay of an access link, ms, each way: W2 has round trips of 32, 36, ..., 68 ms.
double access_delay(const Work& work, int pair) {
    if (&work == &W2) return ((32.0 + 4.0 * pair) / 2 - work.delay) / 2;
    return &work == &W1 ? 2 : 5;
}

// What a queue has seen since `mark`; the packets of the whole run.
class Counter : public QueueLogger {
  public:
    void logQueue(BaseQueue& queue, QueueEvent event, Packet&) override {
        spend();
        switch (event) {
        case PKT_ENQUEUE: arrived++; length++; break;
        case PKT_DROP: arrived++; dropped++; break;
        case PKT_SERVICE: sent++; length--; break;
        default: break;
        }
        (void)queue;
    }
    void mark() {
        spend();
        arrived = dropped = 0;
        area = 0;
    }
    void spend() {
        area += length * timeAsSec(EventList::now() - last);
        last = EventList::now();
    }
    uint64_t arrived = 0, dropped = 0, sent = 0;
    int64_t length = 0;            // the packet in transmission included
    double area = 0;
    simtime_picosec last = 0;
};

std::list<Counter> counters;

struct Link {
    Queue* queue;
    Pipe* pipe;
    Counter* counter;

    Link(const Work& work, double rate, int packets, double delay, bool count, EventList& events) : counter(nullptr) {
        if (count) {
            counters.emplace_back();
            counter = &counters.back();
        }
        queue = new Queue(speedFromMbps(rate), mem_b(packets) * work.wire, events, counter);
        pipe = new Pipe(simtime_picosec(std::llround(delay * 1e9)), events);
    }
    void put(Route& route) const {
        route.push_back(queue);
        route.push_back(pipe);
    }
};

// A sender that is done when its last packet is acknowledged, and hears nothing from then on: a late duplicate would
// make it send a packet beyond its last.
class Source : public TcpSrc {
  public:
    Source(const Work& work, EventList& events) : TcpSrc(nullptr, nullptr, events) {
        set_cwnd(2 * _mss);
        set_ssthresh(work.threshold ? work.threshold * _mss : 0xffffffff);
    }
    void limit(uint64_t packets) {
        _flow_size = (packets - 1) * _mss;
        last = 1 + packets * _mss;
    }
    void receivePacket(Packet& packet) override {
        if (done()) {
            packet.free();
            return;
        }
        TcpSrc::receivePacket(packet);
        if (done()) completed = EventList::now();
    }
    void rtx_timer_hook(simtime_picosec now, simtime_picosec period) override {
        if (!done()) TcpSrc::rtx_timer_hook(now, period);
    }
    bool done() const { return last && _last_acked >= last; }
    uint64_t data() const { return _last_acked > 0 ? _last_acked - 1 : 0; }

    simtime_picosec begun = 0, completed = 0;
    uint64_t last = 0;
};

// Looks at the timers of the senders that are not done, every 10 ms as in htsim's own examples.
class Timers : public EventSource {
  public:
    explicit Timers(EventList& events) : EventSource(events, "timers") { again(); }
    void doNextEvent() override {
        for (auto i = active.begin(); i != active.end();) {
            if ((*i)->done()) {
                i = active.erase(i);
            } else {
                (*i++)->rtx_timer_hook(EventList::now(), period);
            }
        }
        again();
    }
    std::list<Source*> active;

  private:
    void again() { eventlist().sourceIsPendingRel(*this, period); }
    const simtime_picosec period = timeFromMs(10);
};

class Network {
  public:
    Network(const Work& work, bool count, EventList& events)
        : work(work), events(events), timers(events), there(link(work.rate, work.limit, work.delay, count)),
          back(link(work.rate, work.limit, work.delay, count)) {
        const int deep = 1000000;
        for (int pair = 0; pair < work.pairs; pair++) {
            for (int which = 0; which < 4; which++) {
                edges.push_back(link(work.access, deep, access_delay(work, pair), count));
            }
        }
    }

    // A flow that starts at a time in s, of so many packets; 0: it has no end.
    Source* start(int pair, double at, uint64_t packets) {
        Source* source = new Source(work, events);
        TcpSink* sink = new TcpSink();
        if (packets) source->limit(packets);
        Route *forth = new Route(), *home = new Route();
        edges[4 * pair].put(*forth);
        there.put(*forth);
        edges[4 * pair + 1].put(*forth);
        forth->push_back(sink);
        edges[4 * pair + 2].put(*home);
        back.put(*home);
        edges[4 * pair + 3].put(*home);
        home->push_back(source);
        source->begun = timeFromSec(at);
        timers.active.push_back(source);
        source->connect(*forth, *home, *sink, source->begun);
        sources.push_back(source);
        return source;
    }

    const Work& work;
    EventList& events;
    Timers timers;
    Link there, back;
    std::vector<Link> edges;
    std::vector<Source*> sources;

  private:
    Link link(double rate, int packets, double delay, bool count) { return Link(work, rate, packets, delay, count, events); }
};

// Reads the next arrival and schedules it: one waits at a time.
class Arrivals : public EventSource {
  public:
    Arrivals(const char* file, Network& network, EventList& events)
        : EventSource(events, "arrivals"), lines(file), network(network) {
        std::string head;
        if (!std::getline(lines, head)) {
            std::fprintf(stderr, "%s: cannot be read\n", file);
            std::exit(2);
        }
        next();
    }
    void doNextEvent() override {
        network.start(pair, at, packets);
        next();
    }

  private:
    void next() {
        char line[128];
        unsigned long size;
        int to;
        if (!lines.getline(line, sizeof line)) return;
        if (std::sscanf(line, "%lf,sender%d,receiver%d,%lu", &at, &pair, &to, &size) != 4) std::exit(2);
        packets = size / network.work.payload;
        eventlist().sourceIsPending(*this, timeFromSec(at));
    }
    std::ifstream lines;
    Network& network;
    double at = 0;
    int pair = 0;
    uint64_t packets = 0;
};

// Where the measured part starts.
class Mark : public EventSource {
  public:
    Mark(Network& network, EventList& events) : EventSource(events, "mark"), network(network) {
        eventlist().sourceIsPending(*this, timeFromSec(network.work.warmup));
    }
    void doNextEvent() override {
        for (Counter& counter : counters) counter.mark();
        for (const Source* source : network.sources) acked.push_back(source->data());
    }
    std::vector<uint64_t> acked;

  private:
    Network& network;
};

void report(Network& network, const Mark& mark) {
    const Work& work = network.work;
    const double span = work.duration - work.warmup;
    Counter& bottleneck = *network.there.counter;
    bottleneck.spend();
    std::printf("loss %.9g\n", double(bottleneck.dropped) / bottleneck.arrived);
    std::printf("queue_mean %.9g\n", bottleneck.area / span);
    double total = 0, squares = 0, completion = 0;
    uint64_t completed = 0;
    for (size_t i = 0; i < network.sources.size(); i++) {
        const Source& source = *network.sources[i];
        const uint64_t before = i < mark.acked.size() ? mark.acked[i] : 0;
        const double rate = double(source.data() - before) * 8 / span * work.payload / work.wire;
        total += rate;
        squares += rate * rate;
        if (source.completed) {
            completed++;
            completion += timeAsSec(source.completed - source.begun);
        }
    }
    std::printf("goodput %.9g\n", total);
    if (work.flows) std::printf("jain %.9g\n", total * total / (work.flows * squares));
    if (completed) std::printf("fct %.9g\n", completion / completed);
    uint64_t hops = 0;
    for (const Counter& counter : counters) hops += counter.sent;
    std::printf("packet_hops %llu\n", (unsigned long long)hops);
}

}  // namespace

int main(int count, char** words) {
    const std::string name = count > 1 ? words[1] : "", mode = count > 2 ? words[2] : "";
    const Work* work = name == "W1" ? &W1 : name == "W2" ? &W2 : name == "W4S" ? &W4S : nullptr;
    if (!work || (mode != "physics" && mode != "speed") || (work == &W2) != (count == 4)) {
        std::fprintf(stderr, "usage: works W1|W2|W4S physics|speed [ARRIVALS]\n");
        return 2;
    }
    // htsim tells of timeouts and of flows that end.
    std::cout.setstate(std::ios::failbit);
    Packet::set_packet_size(work->wire);
    EventList events;
    EventList::setEndtime(timeFromSec(work->duration));
    Network network(*work, mode == "physics", events);
    Mark mark(network, events);
    std::unique_ptr<Arrivals> arrivals;
    if (work == &W2) arrivals.reset(new Arrivals(words[3], network, events));
    for (int i = 0; i < work->flows; i++) network.start(i % work->pairs, i * work->stagger / 1e3, 0);
    while (EventList::doNextEvent()) {
    }
    if (mode == "physics") report(network, mark);
    return 0;
}
