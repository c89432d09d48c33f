# W4S long-fat: 20 host pairs x 50 long flows, 2.4 Gb/s, RTT 100 ms, DropTail of one BDP (30,000 packets), 10 s.
# usage: ns w4s.tcl physics|speed
source [file join [file dirname [info script]] common.tcl]
set mode [lindex $argv 0]
set duration 10.0
Agent/TCP set packetSize_ 1000

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
duplex $ns $left $right 2400Mb 40ms 30000
set tcps {}
for {set pair 0} {$pair < 20} {incr pair} {
    set source($pair) [$ns node]
    set sink($pair) [$ns node]
    duplex $ns $source($pair) $left 10Gb 5ms 1000000
    duplex $ns $right $sink($pair) 10Gb 5ms 1000000
}
for {set i 0} {$i < 1000} {incr i} {
    set pair [expr {$i % 20}]
    set tcp [new Agent/TCP/Newreno]
    set end [new Agent/TCPSink]
    $ns attach-agent $source($pair) $tcp
    $ns attach-agent $sink($pair) $end
    $ns connect $tcp $end
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    # The threshold is set here and not above: `$ns run` resets every agent.
    $ns at [expr {0.001 * $i}] "$tcp set ssthresh_ 30; $ftp start"
    lappend tcps $tcp
}
set bottleneck "[$left id]:[$right id]"
if {$mode eq "physics"} {
    monitor_all $ns
    $ns at 2.0 "mark $bottleneck {$tcps}"
    $ns at $duration "report $bottleneck 2400000000 {$tcps} 960; exit 0"
} else {
    $ns at $duration "exit 0"
}
$ns run
