#!/bin/sh
# What cargo starts instead of rustc for our own crates when coverage is measured; those of others stay as they are.
exec "$@" -C instrument-coverage
