# One flow of a controller of Linux through one link, DropTail of LIMIT packets, packets of the drop list lost before it.
# usage: ns controllers.tcl CONTROLLER RATE DELAY LIMIT DURATION DROPS TRACE [PARAMETER VALUE]...
# CONTROLLER: of Agent/TCP/Linux, or the name of another agent. DELAY: of the bottleneck, one way. DROPS: numbers of packets, from 0,
# as they arrive at the link. TRACE: a file for "time window" each 10 ms. The parameters are those of the controller.
source [file join [file dirname [info script]] common.tcl]
set argv [lassign $argv controller rate delay limit duration drops trace]

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
set source [$ns node]
set sink [$ns node]
duplex $ns $left $right $rate $delay $limit
duplex $ns $source $left 1Gb 0.5ms 1000000
duplex $ns $right $sink 1Gb 0.5ms 1000000
if {[llength $drops] > 0} {
    set losses [new ErrorModel/List]
    $losses droplist $drops
    $ns lossmodel $losses $left $right
}
set linux [expr {![string match Agent/* $controller]}]
if {$linux} {
    set tcp [new Agent/TCP/Linux]
    $tcp set timestamps_ true
} else {
    set tcp [new $controller]
}
# Windows of packets are kept in arrays of this length.
$tcp set window_ 100000
if {$linux || $controller eq "Agent/TCP/Fack"} {
    set end [new Agent/TCPSink/Sack1]
} else {
    set end [new Agent/TCPSink]
}
if {$linux} { $end set ts_echo_rfc1323_ true }
$ns attach-agent $source $tcp
$ns attach-agent $sink $end
$ns connect $tcp $end
if {$linux} {
    $ns at 0 "$tcp select_ca $controller"
    foreach {name value} $argv { $ns at 0 "$tcp set_ca_param $controller $name $value" }
}
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0 "$ftp start"
set bottleneck "[$left id]:[$right id]"
monitor_all $ns
set out [open $trace w]
proc look {} {
    global ns tcp out
    puts $out "[now] [$tcp set cwnd_]"
    $ns at [expr {[now] + 0.01}] look
}
$ns at 0 look
$ns at 0 "mark $bottleneck $tcp"
set bits [expr {[string map {Mb 000000} $rate]}]
$ns at $duration "report $bottleneck $bits $tcp 1460; close $out; exit 0"
$ns run
