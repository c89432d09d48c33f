# A queue of ns-2 under datagrams of 1000 bytes that arrive by a list: 10 Mb/s, two classes, 200 s.
# usage: ns queue.tcl ARRIVALS KIND [VARIABLE=VALUE ...]
# ARRIVALS: a line for each packet, "seconds class", sorted. KIND: RED, PI, REM, SFQ, RIO (queue/rio.cc), RIO-C, RIO-D or WRED
# (diffserv). The thresholds of the classes are 40, 70, 1/50 and 10, 30, 1/5; RED has 10, 30, 1/5. Variables are those of the queue.

remove-all-packet-headers
add-packet-header IP RTP Flags

set arrivals [open [lindex $argv 0]]
set kind [lindex $argv 1]
set duration 200.0
set size 1000

Queue/RED set thresh_ 10
Queue/RED set maxthresh_ 30
Queue/RED set linterm_ 5
Queue/RED set q_weight_ 0.002
Queue/RED set mean_pktsize_ $size
Queue/RED set setbit_ false
Queue/RED set gentle_ false
Queue/RED set adaptive_ 0
Queue/RED/RIO set in_thresh_ 40
Queue/RED/RIO set in_maxthresh_ 70
Queue/RED/RIO set in_linterm_ 50
Queue/RED/RIO set out_thresh_ 10
Queue/RED/RIO set out_maxthresh_ 30
Queue/RED/RIO set out_linterm_ 5
Queue/RED/RIO set in_gentle_ false
Queue/RED/RIO set out_gentle_ false
# Packets are in by their flow, 1 or 0.
Queue/RED/RIO set priority_method_ 1
foreach setting [lrange $argv 2 end] {
    lassign [split $setting =] variable value
    Queue/[expr {$kind in {PI REM SFQ} ? $kind : "RED"}] set $variable $value
}
Agent/UDP set packetSize_ $size

set ns [new Simulator]
set source [$ns node]
set sink [$ns node]
switch $kind {
    RED - PI - REM - SFQ { set discipline $kind }
    RIO { set discipline RED/RIO }
    default { set discipline dsRED/core }
}
$ns simplex-link $source $sink 10Mb 1ms $discipline
$ns simplex-link $sink $source 10Mb 1ms DropTail
$ns queue-limit $source $sink [expr {$kind eq "SFQ" ? 40 : 200}]
set queue [[$ns link $source $sink] queue]
if {$discipline eq "dsRED/core"} {
    $queue meanPktSize $size
    $queue set numQueues_ 1
    $queue setNumPrec 2
    $queue setMREDMode $kind
    $queue addPHBEntry 10 0 0
    $queue addPHBEntry 11 0 1
    $queue configQ 0 0 40 70 0.02 0.002
    $queue configQ 0 1 10 30 0.2 0.002
}
set monitor [$ns monitor-queue $source $sink ""]

for {set class 0} {$class < 2} {incr class} {
    set udp($class) [new Agent/UDP]
    set end($class) [new Agent/LossMonitor]
    $udp($class) set prio_ [expr {10 + $class}]
    $udp($class) set fid_ [expr {1 - $class}]
    $ns attach-agent $source $udp($class)
    $ns attach-agent $sink $end($class)
    $ns connect $udp($class) $end($class)
    # SFQ hashes addresses: the two come from different ones.
    $udp($class) set agent_addr_ [expr {100 + $class}]
    set sent($class) 0
}

# Reads the next arrival and schedules it, so that one arrival at a time waits in the event queue.
proc next_arrival {} {
    global ns arrivals
    if {[gets $arrivals line] < 0} return
    lassign $line at class
    $ns at $at "arrive $class; next_arrival"
}

proc arrive {class} {
    global udp sent size
    incr sent($class)
    $udp($class) send $size
}

proc finish {} {
    global monitor sent end duration
    set integrator [$monitor get-pkts-integrator]
    $integrator newpoint $duration [$integrator set lasty_]
    puts "queue_waiting [expr {[$integrator set sum_] / $duration}]"
    puts "utilisation [expr {[$monitor set bdepartures_] * 8.0 / 10e6 / $duration}]"
    foreach class {0 1} { puts "lost$class [expr {1 - [$end($class) set npkts_] / double($sent($class))}]" }
    set received [expr {[$end(0) set npkts_] + [$end(1) set npkts_]}]
    puts "lost [expr {1 - $received / double($sent(0) + $sent(1))}]"
    exit 0
}

next_arrival
$ns at $duration finish
$ns run
