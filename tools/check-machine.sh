#!/bin/sh
# Says in one line each what this machine lacks: check-machine.sh PYTHON
python=${1:-python3}
status=0
lacks() {
    echo "dumbbell: $1" >&2
    status=1
}

if ! command -v "$python" >/dev/null; then
    lacks "$python is missing: install Python 3.11 or later, or name it with make PYTHON=..."
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    lacks "$python is $("$python" -V 2>&1): install Python 3.11 or later, or name it with make PYTHON=..."
elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    lacks "$python cannot make virtual environments: install its venv module (Debian: apt-get install python3-venv)"
fi

if ! command -v cargo >/dev/null; then
    lacks "cargo is missing: install Rust 1.95 or later"
elif ! told=$(cargo --version 2>/dev/null); then
    # rustup without that toolchain, and without a network.
    lacks "cargo does not start here: run \`rustup toolchain install\`, or name a toolchain from 1.95 on with RUSTUP_TOOLCHAIN=stable"
else
    version=$(echo "$told" | sed 's/^cargo \([0-9]*\)\.\([0-9]*\).*/\1 \2/')
    # Two numbers, to be split.
    # shellcheck disable=SC2086
    set -- $version
    if [ "$1" -lt 1 ] || { [ "$1" -eq 1 ] && [ "$2" -lt 95 ]; }; then
        lacks "cargo is $1.$2: install Rust 1.95 or later"
    fi
fi

if ! command -v cc >/dev/null; then
    lacks "cc is missing: Rust links with it (Debian: apt-get install gcc libc6-dev)"
fi
exit $status
