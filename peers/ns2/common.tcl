# What the three works share: headers, TCP parameters, monitors, the report. ns-2.35.
#
# Packet sizes. The one-way agents carry whole packets, not bytes. With useHeaders_ true ns-2 adds 40 bytes to
# packetSize_ for every packet except number 0, so packetSize_ here is the size on the wire and useHeaders_ is false.

remove-all-packet-headers
add-packet-header IP TCP Flags

Agent/TCP set useHeaders_ false
Agent/TCP set packetSize_ 1500
Agent/TCPSink set packetSize_ 40
# No handshake: with syn_ true packet 0 would be a 40-byte SYN and the window would start at 1.
Agent/TCP set syn_ false
Agent/TCP set delay_growth_ false
Agent/TCP set windowInit_ 2
Agent/TCP set window_ 1000000
Agent/TCP set minrto_ 0.2
Agent/TCP set rtxcur_init_ 3.0
# The estimator keeps differences of ticks in a 16-bit integer: 0.1 ms leaves room up to 3.2 s.
Agent/TCP set tcpTick_ 0.0001

# A duplex link whose two directions are store-and-forward hops with their own DropTail queues.
proc duplex {ns a b rate delay limit} {
    $ns duplex-link $a $b $rate $delay DropTail
    $ns queue-limit $a $b $limit
    $ns queue-limit $b $a $limit
}

# Attaches a queue monitor to every simplex link: physics runs only, for it costs time on every packet.
proc monitor_all {ns} {
    global monitors
    foreach pair [$ns array names link_] {
        lassign [split $pair :] a b
        set monitors($pair) [$ns monitor-queue [$ns set Node_($a)] [$ns set Node_($b)] ""]
    }
}

# Remembers the bottleneck's counters and the flows' acknowledged packets: the measured part starts here.
proc mark {bottleneck tcps} {
    global monitors marked acked
    set m $monitors($bottleneck)
    set integrator [$m get-pkts-integrator]
    $integrator newpoint [now] [$integrator set lasty_]
    set marked [list [now] [$m set parrivals_] [$m set pdrops_] [$m set bdepartures_] [$integrator set sum_]]
    set acked {}
    foreach tcp $tcps { lappend acked [$tcp set ack_] }
}

proc now {} { return [[Simulator instance] now] }

# Prints "name value" lines about the measured part of a physics run. rate is the bottleneck's, in bit/s.
# packet_hops is the sum over links of packets whose transmission began, of the whole run.
proc report {bottleneck rate tcps payload} {
    global monitors marked acked
    lassign $marked t0 arrivals0 drops0 bytes0 sum0
    set m $monitors($bottleneck)
    set integrator [$m get-pkts-integrator]
    $integrator newpoint [now] [$integrator set lasty_]
    set span [expr {[now] - $t0}]
    set arrivals [expr {[$m set parrivals_] - $arrivals0}]
    set drops [expr {[$m set pdrops_] - $drops0}]
    puts "loss [expr {$drops / double($arrivals)}]"
    # Waiting packets only; the one in transmission is no longer in an ns-2 queue.
    puts "queue_waiting [expr {([$integrator set sum_] - $sum0) / $span}]"
    puts "utilisation [expr {([$m set bdepartures_] - $bytes0) * 8.0 / $rate / $span}]"
    if {[llength $tcps] > 0} {
        set total 0.0
        set squares 0.0
        foreach tcp $tcps before $acked {
            set x [expr {([$tcp set ack_] - $before) * $payload * 8 / $span}]
            set total [expr {$total + $x}]
            set squares [expr {$squares + $x * $x}]
        }
        puts "goodput $total"
        puts "jain [expr {$total * $total / ([llength $tcps] * $squares)}]"
    }
    set hops 0
    foreach pair [array names monitors] { incr hops [expr {int([$monitors($pair) set pdepartures_])}] }
    puts "packet_hops $hops"
}
