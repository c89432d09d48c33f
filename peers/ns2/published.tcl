# The first flows of the published figure of RCP against TCP, under Reno or XCP of ns-2.35 with their own defaults.
#   ns published.tcl KIND UNTIL LIST
# KIND is reno or xcp. Flows that arrive before UNTIL seconds are drawn from the generators of ns-2 with the published
# seeds, 4 for arrivals and 7 for sizes, and written to LIST. Prints their number and their mean completion time.

lassign $argv kind until list
remove-all-packet-headers
add-packet-header IP TCP Flags XCP
Agent/TCP set packetSize_ 960
Agent/TCP set window_ 120000
Queue set limit_ 30000

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right 2.4Gb 50ms [expr {$kind eq "xcp" ? "XCP" : "DropTail"}]
if {$kind eq "xcp"} {
    foreach {from to} [list $left $right $right $left] {
        [[$ns link $from $to] queue] set-link-capacity 2.4e9
    }
}

foreach {name seed} {gaps 4 sizes 7} {
    set random($name) [new RNG]
    $random($name) seed $seed
}
set gap [new RandomVariable/Exponential]
$gap use-rng $random(gaps)
$gap set avg_ [expr {1 / 10800.0}]
set size [new RandomVariable/Pareto]
$size use-rng $random(sizes)
$size set avg_ 25
$size set shape_ 1.2

# Agents of flows that have ended serve others: making them takes longer than running them.
set idle {}
proc pair {} {
    global ns left right kind idle sink
    if {[llength $idle]} {
        set tcp [lindex $idle end]
        set idle [lrange $idle 0 end-1]
        return $tcp
    }
    set tcp [new Agent/TCP/Reno[expr {$kind eq "xcp" ? "/XCP" : ""}]]
    set sink($tcp) [new Agent/TCPSink[expr {$kind eq "xcp" ? "/XCPSink" : ""}]]
    $ns attach-agent $left $tcp
    $ns attach-agent $right $sink($tcp)
    $ns connect $tcp $sink($tcp)
    $tcp proc done {} "ended $tcp"
    return $tcp
}

proc begin {packets} {
    global ns begun
    set tcp [pair]
    set begun($tcp) [$ns now]
    $tcp send [expr {$packets * 960}]
    draw
}

set started 0
set completed 0
set total 0.0
set more 1
proc ended {tcp} {
    global ns begun sink idle started completed total more
    incr completed
    set total [expr {$total + [$ns now] - $begun($tcp)}]
    $tcp reset
    $sink($tcp) reset
    lappend idle $tcp
    if {!$more && $completed == $started} {
        puts "flows $completed"
        puts "time [expr {$total / $completed}]"
        exit 0
    }
}

set start 0.0
set out [open $list w]
puts $out "start,source,destination,size"
proc draw {} {
    global ns gap size start started until more out
    set start [expr {$start + [$gap value]}]
    set packets [expr {int(ceil([$size value]))}]
    if {$start >= $until} {
        set more 0
        close $out
        return
    }
    incr started
    puts $out "[format %.9f $start],node0,node1,[expr {$packets * 960}]"
    $ns at $start "begin $packets"
}

draw
$ns run
