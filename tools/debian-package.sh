#!/bin/sh
# Installs a Debian package if its program is missing and that is possible: debian-package.sh PACKAGE
# Otherwise says what is skipped, and fails.
package=$1
case $package in
    ns2) program=ns what="comparisons with ns-2 are skipped" ;;
    chromium) program=chromium what="browser tests of reports are skipped" ;;
    faketime) program=faketime what="the live test that steps the date is skipped" ;;
    ping) program=ping package=iputils-ping what="live tests that ping are skipped" ;;
    llvm-22) program=llvm-cov-22 what="coverage of Rust is not measured, and wheels are not optimised by what runs do" ;;
    tshark) program=tshark what="captures are not read by tshark" ;;
    flex | bison | bc) program=$package what="no kernel in virtual time is built" ;;
    xz) program=xz package=xz-utils what="no kernel in virtual time is built" ;;
    *) program=$package what="what needs $package is skipped" ;;
esac

command -v "$program" >/dev/null && exit 0
if ! command -v apt-get >/dev/null; then
    echo "dumbbell: $program is missing and there is no apt-get to install it: $what" >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "dumbbell: $program is missing and only root can install it (apt-get install $package): $what" >&2
    exit 1
fi
echo "installing $package"
# Another apt-get may be at work, or two targets of one make.
lock=DPkg::Lock::Timeout=120
if ! { apt-get -o $lock update &&
    DEBIAN_FRONTEND=noninteractive apt-get -o $lock install --yes --no-install-recommends "$package"; } \
    >/dev/null 2>&1; then
    echo "dumbbell: apt-get could not install $package: $what" >&2
    exit 1
fi
