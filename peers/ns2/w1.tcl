# W1 dumbbell-bulk: 10 long flows, 100 Mb/s, DropTail 100 packets, 100 s.
# usage: ns w1.tcl physics|speed
source [file join [file dirname [info script]] common.tcl]
set mode [lindex $argv 0]
set duration 100.0

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
duplex $ns $left $right 100Mb 10ms 100
set tcps {}
for {set i 0} {$i < 10} {incr i} {
    set source [$ns node]
    set sink [$ns node]
    duplex $ns $source $left 1Gb 2ms 1000000
    duplex $ns $right $sink 1Gb 2ms 1000000
    set tcp [new Agent/TCP/Newreno]
    set end [new Agent/TCPSink]
    $ns attach-agent $source $tcp
    $ns attach-agent $sink $end
    $ns connect $tcp $end
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [expr {0.1 * $i}] "$ftp start"
    lappend tcps $tcp
}
set bottleneck "[$left id]:[$right id]"
if {$mode eq "physics"} {
    monitor_all $ns
    $ns at 20.0 "mark $bottleneck {$tcps}"
    $ns at $duration "report $bottleneck 100000000 {$tcps} 1460; exit 0"
} else {
    $ns at $duration "exit 0"
}
$ns run
