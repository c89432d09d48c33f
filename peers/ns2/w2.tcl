# W2 dumbbell-web: Poisson arrivals of Pareto sizes on a 10 Mb/s dumbbell, base RTT 32, 36, ..., 68 ms, 600 s.
# usage: ns w2.tcl physics|speed ARRIVALS
# ARRIVALS is the comma-separated list that bench/arrivals.py writes: start,source,destination,size
source [file join [file dirname [info script]] common.tcl]
set mode [lindex $argv 0]
set arrivals [open [lindex $argv 1]]
set duration 600.0

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
duplex $ns $left $right 10Mb 5ms 42
for {set i 0} {$i < 10} {incr i} {
    set source($i) [$ns node]
    set sink($i) [$ns node]
    # Base RTT 32 + 4 i ms: 5 ms of each way on the bottleneck, the rest split between the two access links.
    set delay [expr {((32.0 + 4.0 * $i) / 2.0 - 5.0) / 2.0}]
    duplex $ns $source($i) $left 100Mb ${delay}ms 1000000
    duplex $ns $right $sink($i) 100Mb ${delay}ms 1000000
}

# Reads the next arrival and schedules it, so that one arrival at a time waits in the event queue.
proc next_arrival {} {
    global ns arrivals
    if {[gets $arrivals line] < 0} return
    lassign [split $line ,] start source destination size
    $ns at $start "start_flow [string range $source 6 end] [expr {$size / 1460}]; next_arrival"
}

# Creating and deleting agents costs ns-2 some milliseconds of Tcl a flow, so finished pairs of agents are used again.
proc start_flow {i packets} {
    global ns source sink idle tcps
    if {[info exists idle($i)] && [llength $idle($i)] > 0} {
        set tcp [lindex $idle($i) end]
        set idle($i) [lrange $idle($i) 0 end-1]
    } else {
        set tcp [new Agent/TCP/Newreno]
        set end [new Agent/TCPSink]
        $ns attach-agent $source($i) $tcp
        $ns attach-agent $sink($i) $end
        $ns connect $tcp $end
        $tcp set sink_ $end
        $tcp set pair_ $i
        lappend tcps $tcp
    }
    $tcp set started_ [$ns now]
    $tcp set packets_ $packets
    $tcp advanceby $packets
}

# ns-2 calls this when the sender has the last acknowledgement. Both ends forget the connection at once: they drop
# what is still under way for it, and the retransmission timer, which ns-2 leaves armed, is cancelled. Without this,
# late duplicate acknowledgements make the finished sender retransmit a packet beyond its last one.
Agent/TCP instproc done {} {
    global ns idle completed completion packets_done
    $self instvar started_ packets_ pair_ sink_
    incr completed
    set completion [expr {$completion + [$ns now] - $started_}]
    incr packets_done $packets_
    # A timeout of the first packet had set this to 1, for good.
    $self set windowInit_ 2
    $self reset
    $sink_ reset
    lappend idle($pair_) $self
}

set tcps {}
set completed 0
set completion 0.0
set packets_done 0
gets $arrivals
next_arrival
set bottleneck "[$left id]:[$right id]"
if {$mode eq "physics"} {
    monitor_all $ns
    $ns at 0.0 "mark $bottleneck {}"
    $ns at $duration {
        report $bottleneck 10000000 {} 0
        puts "completed $completed"
        puts "fct [expr {$completion / $completed}]"
        # Idle agents have been reset, so only flows still under way add to what was completed.
        foreach tcp $tcps { incr packets_done [expr {int([$tcp set ack_]) + 1}] }
        puts "goodput [expr {$packets_done * 1460 * 8 / $duration}]"
        exit 0
    }
} else {
    $ns at $duration "exit 0"
}
$ns run
