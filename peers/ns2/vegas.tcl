# Vegas: long flows through one link of 10 Mb/s, DropTail of LIMIT packets, round-trip time 42 ms, 60 s.
# usage: ns vegas.tcl FLOWS LIMIT
source [file join [file dirname [info script]] common.tcl]
lassign $argv flows limit
set duration 60.0

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
duplex $ns $left $right 10Mb 20ms $limit
set tcps {}
for {set i 0} {$i < $flows} {incr i} {
    set source [$ns node]
    set sink [$ns node]
    duplex $ns $source $left 100Mb 0.5ms 1000000
    duplex $ns $right $sink 100Mb 0.5ms 1000000
    set tcp [new Agent/TCP/Vegas]
    # Windows of packets are kept in arrays of this length.
    $tcp set window_ 1000
    set end [new Agent/TCPSink]
    $ns attach-agent $source $tcp
    $ns attach-agent $sink $end
    $ns connect $tcp $end
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $i "$ftp start"
    lappend tcps $tcp
}
set bottleneck "[$left id]:[$right id]"
monitor_all $ns
$ns at 20.0 "mark $bottleneck {$tcps}"
$ns at $duration "report $bottleneck 10000000 {$tcps} 1460; exit 0"
$ns run
