# Rounds of 64 reads through a port of 43 packets (W3), each read on a connection of its own. ns-2.35.
#   ns rounds.tcl SEED LIMITED_TRANSMIT OVERHEAD ROUNDS
# OVERHEAD is the longest processing time of a segment in seconds. Prints the mean time of a read and the timeouts of one.

source [file join [file dirname [info script]] common.tcl]
lassign $argv seed limited overhead rounds
Agent/TCP set singledup_ $limited
Agent/TCP set overhead_ $overhead
# The first timeout is no longer than the others, or it would decide alone.
Agent/TCP set rtxcur_init_ 0.2
ns-random $seed

set senders 64
set segments 180
set ns [new Simulator]
set switch [$ns node]
set client [$ns node]
duplex $ns $switch $client 1Gb 25us 43
for {set i 0} {$i < $senders} {incr i} {
    set server($i) [$ns node]
    $ns duplex-link $server($i) $switch 1Gb 25us DropTail
    $ns queue-limit $server($i) $switch 100000
    $ns queue-limit $switch $server($i) 43
}

proc begin {} {
    global ns senders segments server client begun left
    set left $senders
    for {set i 0} {$i < $senders} {incr i} {
        set tcp [new Agent/TCP/Newreno]
        set sink [new Agent/TCPSink]
        $ns attach-agent $server($i) $tcp
        $ns attach-agent $client $sink
        $ns connect $tcp $sink
        set begun($tcp) [expr {[now] + $i * 1e-6}]
        $tcp proc done {} "ended $tcp"
        $ns at $begun($tcp) "$tcp advanceby $segments"
    }
}

set ended 0
set time 0.0
set timeouts 0
proc ended {tcp} {
    global ns begun left ended time timeouts senders rounds
    incr ended
    set time [expr {$time + [now] - $begun($tcp)}]
    incr timeouts [$tcp set nrexmit_]
    incr left -1
    if {$left > 0} return
    if {$ended < $rounds * $senders} {
        $ns at [now] begin
        return
    }
    puts "time [expr {$time / $ended}]"
    puts "timeouts [expr {double($timeouts) / $ended}]"
    exit 0
}

$ns at 0 begin
$ns run
