#!/bin/sh
# Builds Linux in user mode with time travel from Debian's source: kernel.sh VERSION FILE, such as
# kernel.sh 6.12 .setup/kernel/linux-6.12. Some eight CPU minutes and 2 GB of disk, once.
set -eu
version=$1
file=$2
hz=250 # As Debian, Ubuntu and others have it: timers of retransmission and delayed acknowledgements end on a tick.

fail() {
    echo "dumbbell: no kernel $version in virtual time: $1" >&2
    exit 1
}

[ "$(uname -sm)" = "Linux x86_64" ] || fail "Linux runs in user mode on Linux and x86-64 only"
for program in apt-get dpkg-deb; do
    command -v $program >/dev/null || fail "$program is missing, which gets the source; it belongs to Debian and Ubuntu"
done
for package in flex bison bc xz make gcc; do
    "$(dirname "$0")/debian-package.sh" $package || fail "$package is missing"
done

mkdir -p "$(dirname "$file")"
folder=$(cd "$(dirname "$file")" && pwd)
work=$folder/build-$version
rm -rf "$work"
mkdir "$work"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
log=$work/log

# Only `apt-get update` needs root, where the list of packages is missing or old.
package=linux-source-$version
echo "getting $package"
fetch() { (cd "$work" && apt-get download "$package") >"$log" 2>&1; }
fetch || { apt-get update >/dev/null 2>&1 && fetch; } || fail "apt-get cannot download $package: $(tail -n 1 "$log")"
dpkg-deb --fsys-tarfile "$work"/*.deb | tar -x -C "$work" || fail "$package cannot be unpacked"
mkdir "$work/linux"
tar -xJf "$work"/usr/src/*.tar.xz -C "$work/linux" --strip-components 1 || fail "the archive in $package cannot be unpacked"
cd "$work/linux"

# An edit that finds nothing to edit is an error.
edit() {
    sed -i "$2" "$1"
    grep -q "$3" "$1" || fail "$1 is not as expected; this script knows $package of 2026"
}

# Ticks a second: a constant of Linux in user mode.
edit arch/um/Kconfig "/^config HZ\$/,/default/ s/default 100/default $hz/" "default $hz"

# Random numbers come from a seed in the environment of the kernel's process (SplitMix64, Steele et al. 2014), so that two
# boots draw the same.
cat >dumbbell.h <<'END'
#include <stdlib.h>
#include <string.h>

static ssize_t dumbbell_random(void *to, size_t length)
{
	static unsigned long long state;
	static int seeded;
	size_t done, some;

	if (!seeded) {
		const char *seed = getenv("DUMBBELL_KERNEL_SEED");

		state = seed ? strtoull(seed, NULL, 10) : 0;
		seeded = 1;
	}
	for (done = 0; done < length; done += some) {
		unsigned long long z = state += 0x9e3779b97f4a7c15ULL;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
		z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
		z ^= z >> 31;
		some = length - done < sizeof(z) ? length - done : sizeof(z);
		memcpy((char *)to + done, &z, some);
	}
	return length;
}
END
mv dumbbell.h arch/um/os-Linux/dumbbell_random.h
edit arch/um/os-Linux/util.c 's|return getrandom(.*|return dumbbell_random(buf, len);|' dumbbell_random
edit arch/um/os-Linux/util.c '/^ssize_t os_getrandom/i #include "dumbbell_random.h"' dumbbell_random.h

# A clock in whole nanoseconds, so that timers fire when they are due. A look at the clock costs time, so that loops which
# wait for it end soon: a nanosecond, twice as much after each 512 looks without a rest, and 4096 ns at most.
edit arch/um/include/linux/time-internal.h 's/\(TIMER_MULTIPLIER\) 256/\1 1/; s/\(TIMER_MIN_DELTA\) *500/\1 1/' 'MULTIPLIER 1$'
cat >arch/um/kernel/dumbbell_look.h <<'END'
static unsigned long long dumbbell_look(unsigned long long now)
{
	static unsigned long long next;
	static unsigned int looks;
	unsigned long long cost;

	looks = now == next ? looks + 1 : 0;
	cost = 1ULL << (looks < 12 * 512 ? looks / 512 : 12);
	next = now + cost;
	return cost;
}
END
edit arch/um/kernel/time.c 's/_rel(TIMER_MULTIPLIER)/_rel(dumbbell_look(time_travel_time))/' dumbbell_look
edit arch/um/kernel/time.c '/^static u64 timer_read/i #include "dumbbell_look.h"' dumbbell_look.h

# What is asked for; queues, classifiers and controllers are all that this version has.
named() { sed -n "s/^config \($1[A-Z0-9_]*\)\$/\1/p" "$2"; }
wanted="UML_TIME_TRAVEL_SUPPORT HOSTFS HIGH_RES_TIMERS NO_HZ_IDLE NAMESPACES NET_NS USER_NS PID_NS IPC_NS UTS_NS SECCOMP
  TMPFS OVERLAY_FS MCONSOLE DEVTMPFS UNIX98_PTYS TASKSTATS TASK_DELAY_ACCT SCHED_INFO
  NET UNIX PACKET INET IPV6 NETDEVICES TUN VETH DUMMY IFB INET_DIAG INET_TCP_DIAG INET_UDP_DIAG SYN_COOKIES
  CC_OPTIMIZE_FOR_PERFORMANCE $(named TCP_CONG_ net/ipv4/Kconfig) $(named NET_SCH_ net/sched/Kconfig)"
wished="NET_CORE IP_ADVANCED_ROUTER IP_MULTIPLE_TABLES NET_SCHED NET_CLS_ACT TCP_CONG_ADVANCED MPTCP
  $(named NET_CLS_ net/sched/Kconfig) $(named NET_ACT_ net/sched/Kconfig)"
unwanted="CC_OPTIMIZE_FOR_SIZE LEGACY_PTYS INPUT HID_SUPPORT HID SERIO SMP MODULES RAID6_PQ_BENCHMARK UML_RANDOM HW_RANDOM UML_NET SOUND CGROUPS DEBUG_KERNEL BLK_DEV_UBD BLK_DEV_LOOP
  EXT4_FS REISERFS_FS ISO9660_FS QUOTA AUTOFS_FS BTRFS_FS IOSCHED_BFQ MQ_IOSCHED_DEADLINE
  MQ_IOSCHED_KYBER WIRELESS WLAN ETHERNET PPP SLIP BSD_PROCESS_ACCT"
echo "building Linux $version in user mode"
build() { nice make ARCH=um "$@" >"$log" 2>&1 || fail "$(grep -m 1 -i error "$log" || tail -n 1 "$log")"; }
build defconfig
set_all() { way=$1 && shift && for each; do scripts/config "--$way" "$each"; done; }
# shellcheck disable=SC2086 # words
{
    set_all enable $wished $wanted
    set_all disable $unwanted
    set_all enable DEBUG_INFO_NONE
    scripts/config --set-str LOCALVERSION "" --disable LOCALVERSION_AUTO
}
build olddefconfig
for each in $wanted; do
    # Some have no prompt, or need hardware.
    grep -q "^CONFIG_$each=y" .config || missing="${missing-} $each"
done
[ -z "${missing-}" ] || echo "dumbbell: this kernel lacks:$missing" >&2
grep -q ^CONFIG_UML_TIME_TRAVEL_SUPPORT=y .config || fail "time travel cannot be chosen"
build -j "${JOBS:-$(nproc)}" linux
strip linux
mv linux "$folder/$(basename "$file")"
