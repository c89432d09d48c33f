# Everything a developer or a user runs. `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory
# Tests start Python a thousand times: a container that forbids compiled modules would have each start compile them.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := .setup
# What was done to .venv is written there, and goes with it.
DONE := $(VENV)/done
FUZZ_SECONDS ?= 20
SEED ?= 1
SAMPLE ?= 150
PARTS ?= net proto engine
KERNELS ?= 6.12 6.1

# A .venv of the user's own is neither emptied nor removed. Ours holds the path it was made at: the scripts in it name
# that path, so a checkout that has moved gets another one.
OURS := made-by-make
HERE := $(abspath $(VENV))
FOREIGN := echo "dumbbell: $(VENV) was not made by make: move it away, or name another one with make VENV=..." >&2; exit 1

# Those that the index of Rust may have: what others build simulators, controllers and queues of.
CRATES := cc core header law net proto sim study theory trace

RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock

# The tests of Python that `make check` runs: none of these files takes more than two CPU seconds, but that of scenarios.
FAST := algorithms api declared examples graphs imports links printing reference results scenario tcp_page theory

# Builds the extension, and the library for packetdrill, with a profile of Cargo.toml.
define build
	@cargo build --package dumbbell-packetdrill --profile $(1) --locked --quiet
	@cp target/$(1)/libdumbbell_packetdrill.so python/dumbbell/
	@$(BIN)/maturin develop --profile $(1) --locked --quiet >/dev/null
endef

# Writes a requirements file anew, but for its first line.
define lock
	$(STAMPS)/lock/bin/pip-compile --quiet --upgrade --generate-hashes $(2) \
	  --strip-extras --no-header --no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
	  --output-file $(STAMPS)/requirements.txt pyproject.toml
	(head -n 1 $(1); cat $(STAMPS)/requirements.txt) > $(STAMPS)/locked
	mv $(STAMPS)/locked $(1)
endef

.PHONY: help setup release wheel dist crates bare moved playground demo check check-rust check-python test test-rust test-live test-virtual \
  test-studies test-python test-validation coverage test-cluster lint lint-rust lint-browser lint-python lint-fuzz lint-pages \
  mutants bench bench-record bench-study speed peers peers-controllers peers-kernel kernel drawn fuzz full audit systems docs site lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(DONE)/extension ## Create .venv, install the locked packages, build the extension quickly

release: $(DONE)/release ## Do the same, and build the extension as users get it: slower to build, faster to run

wheel: $(DONE)/packages $(DONE)/zig $(STAMPS)/llvm-22 ## Build a wheel into dist, optimised by what runs do, for every Linux since 2014 (a quarter of an hour)
	@$(BIN)/python -m tools.wheel $(if $(shell cat $(DONE)/zig 2>/dev/null),--glibc $(OLDEST_GLIBC))

dist: $(DONE)/packages $(DONE)/zig $(STAMPS)/llvm-22 ## Build what a release consists of into dist: sources, wheels for Linux on x86-64 and ARM64 (half an hour)
	@$(BIN)/python -m tools.wheel --all --glibc $(OLDEST_GLIBC)

crates: $(STAMPS)/machine ## Pack the crates for the index of Rust and build what was packed, without an upload (12 CPU minutes)
	@cargo publish --dry-run --locked $(CRATES:%=--package dumbbell-%)

bare: ## Install the wheel of dist into an empty environment, and time the way to a first figure
	@$(PYTHON) tools/bare.py dist

playground: setup ## Build the playground, a page with the simulator inside, for `dumbbell playground` (2 minutes)
	@$(BIN)/python -m tools.playground

demo: setup ## Run two experiments and draw their figures into out/demo (less than a minute)
	@$(BIN)/python -m dumbbell.demo -o out/demo

test: setup $(STAMPS)/ns2 $(STAMPS)/chromium $(STAMPS)/iperf3 $(STAMPS)/ping $(STAMPS)/faketime $(STAMPS)/tshark $(DONE)/site ## Run every test: Rust, Python, live emulation, and validation against ns-2, where they can be had
	@# Live tests wait more than they compute. The longest parts start first: one that starts last leaves a core idle.
	@$(MAKE) --jobs 4 test-rust test-live test-virtual test-studies test-python test-validation

# No test hangs on how busy the machine is: live ones ask for no times, and those that do run in virtual time.
# What a line begins with tells whose it is.
# A commit gets one answer: properties draw from one seed, a quarter of what they draw elsewhere.
test-rust:
	nice env -u MAKEFLAGS PROPTEST_RNG_SEED=1 PROPTEST_CASES=64 cargo test --workspace --locked --quiet 2>&1 | sed -u 's/^/rust:    /'

# Of these, live ones wait more than they compute.
test-live:
	nice $(BIN)/python -m pytest tests/live 2>&1 | sed -u 's/^/live:    /'

test-virtual:
	nice $(BIN)/python -m pytest tests/virtual 2>&1 | sed -u 's/^/virtual: /'

# Folders of tests of studies, reports and papers; the files beside them are the other part.
test-studies:
	nice $(BIN)/python -m pytest --ignore-glob 'tests/test_*.py' --ignore tests/live --ignore tests/virtual --ignore tests/validation 2>&1 | sed -u 's/^/studies: /'

test-python:
	nice $(BIN)/python -m pytest tests/test_*.py 2>&1 | sed -u 's/^/python:  /'

# Runs an engine that the tests of Rust have built.
test-validation: test-rust
	nice $(BIN)/python -m pytest tests/validation 2>&1 | sed -u 's/^/peers:   /'

coverage: setup $(DONE)/coverage $(STAMPS)/llvm-22 ## Run every test and tell which lines they reach, by crate and by Python package (an hour)
	@$(BIN)/python -m tools.reached

mutants: $(DONE)/packages $(STAMPS)/mutants/bin/cargo-mutants ## Plant small faults in net, proto and the engine, and count those that tests notice (SEED=2 SAMPLE=250 PARTS="net proto")
	@PATH="$(abspath $(STAMPS)/mutants/bin):$$PATH" $(BIN)/python -m tools.mutants --seed $(SEED) --sample $(SAMPLE) --parts $(PARTS)

test-cluster: setup $(DONE)/cluster ## Run studies on a Ray cluster on this machine, and kill one of its workers
	$(BIN)/python -m pytest -m cluster

check: $(DONE)/packages ## After an edit, in seconds: formatting, lints, types, and the tests that are fast
	@$(MAKE) --jobs 2 --output-sync=target check-rust check-python

# Two halves at a time: tests and lints of Rust take one profile of cargo, the extension another.
# The extension has no tests of its own in Rust. Properties are tried on an eighth of the cases of `make test`.
check-rust: lint-rust
	PROPTEST_CASES=32 cargo test --workspace --exclude dumbbell-py --lib --locked --quiet

check-python: lint-python setup
	$(BIN)/python -m pytest --quiet $(FAST:%=tests/test_%.py)

lint: lint-rust lint-browser lint-python lint-fuzz lint-pages ## Check formatting, lints, types, imports and the pages of rustdoc

lint-rust:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --quiet -- --deny warnings

# Only where rustup has, or can get, the standard library of WebAssembly.
lint-browser: $(DONE)/packages
	@$(BIN)/python -m tools.systems --browser

lint-python: $(DONE)/packages
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy --strict -p bench -p peers -p tools -p fuzz
	$(BIN)/python -m tools.imports

lint-fuzz:
	cargo fmt --manifest-path fuzz/Cargo.toml --check
	cargo clippy --manifest-path fuzz/Cargo.toml --locked --quiet -- --deny warnings

# Private items have pages too, so that links to them lead somewhere.
lint-pages:
	RUSTDOCFLAGS="--deny warnings --allow rustdoc::private-intra-doc-links" \
	  cargo doc --workspace --no-deps --document-private-items --locked --quiet

bench: $(DONE)/release $(STAMPS)/valgrind ## Measure speed, start-up, instructions and memory against the recorded figures
	@$(BIN)/python -m bench.run

bench-record: $(DONE)/release $(STAMPS)/valgrind ## Do the same, and write the figures to bench/record.txt
	@$(BIN)/python -m bench.run --record

bench-study: $(DONE)/release ## Measure the overhead of studies, and the gain from a second worker
	@$(BIN)/python -m bench.study

speed: $(DONE)/release $(STAMPS)/ns2 $(STAMPS)/valgrind ## Measure for the page docs/speed.md, HTSIM=folder for the rows of htsim (10 minutes)
	@$(BIN)/python -m peers.speed --measure $(if $(HTSIM),--htsim $(HTSIM))

peers: $(STAMPS)/machine $(STAMPS)/ns2 ## Run the same scenarios on ns-2 and here, and compare results and speed
	@$(PYTHON) -m peers.compare

peers-controllers: setup $(STAMPS)/ns2 ## Run one flow of each controller that ns-2 has, there and here (4 minutes)
	@$(BIN)/python -m peers.controllers

peers-kernel: setup ## Run the queues of Linux, in virtual time, and ours on the same arrivals (after `make kernel`; 5 minutes)
	@$(BIN)/python -m peers.kernel

kernel: $(KERNELS:%=$(STAMPS)/kernel/linux-%) ## Build Linux in user mode, for commands in virtual time: KERNELS=6.12 (8 CPU minutes each)

$(STAMPS)/kernel/linux-%: tools/kernel.sh
	@tools/kernel.sh $* $@

# Some ten CPU seconds each, with both kernels.
DRAWN ?= 50
drawn: setup kernel ## Draw cells (DRAWN=50), run them with both kernels in virtual time and here, and write docs/kernel-drawn.md
	@for version in $(KERNELS); do \
	  $(BIN)/dumbbell compare-real --draw $(DRAWN) --seed 26112633 --virtual --kernel $$version -o out/kernel-drawn; done
	@cp out/kernel-drawn/page.md docs/kernel-drawn.md

fuzz: setup ## Feed hostile input to every parser, FUZZ_SECONDS each
	@$(BIN)/python -m fuzz.run --seconds $(FUZZ_SECONDS)

full: setup $(STAMPS)/ns2 ## Run the slower studies: long validation runs, sequences of faults, fresh cases of properties, a minute of fuzzing
	$(BIN)/python -m pytest -m full
	env -u MAKEFLAGS PROPTEST_CASES=2560 cargo test --workspace --locked --quiet
	$(BIN)/python -m tools.systems
	$(BIN)/python -m fuzz.run --seconds 9

audit: setup ## Check licences and sources of all locked packages; with ADVISORIES=1 known vulnerabilities too
	@$(BIN)/python -m tools.audit $(if $(ADVISORIES),--advisories)

systems: $(DONE)/packages ## Check that crates compile for ARM, macOS and Windows, and that the package uses nothing they lack
	@$(BIN)/python -m tools.systems

docs: setup ## Write docs/reference, docs/algorithms, docs/api, Python builders, notices, notebooks and the board
	$(BIN)/python -m tools.reference
	$(BIN)/python -m tools.language
	$(BIN)/python -m tools.algorithms --figures
	$(BIN)/python tools/builders.py
	$(BIN)/python -m tools.papers
	$(BIN)/python -m tools.notices
	$(BIN)/python -m tools.api
	$(BIN)/python -m tools.notebook
	$(BIN)/python -m tools.arena

site: setup $(DONE)/site ## Build the site of all pages into build/site, run its gallery, follow its links (a minute)
	@$(BIN)/python -m tools.site

lock: $(STAMPS)/machine ## Write the requirements files anew from pyproject.toml
	$(PYTHON) -m venv $(STAMPS)/lock
	$(STAMPS)/lock/bin/python -m pip install --quiet pip-tools
	$(call lock,requirements.txt,--extra study --extra plot --extra test --extra lint --all-build-deps)
	$(call lock,requirements-cluster.txt,--extra cluster --constraint requirements.txt)
	$(call lock,requirements-coverage.txt,--extra coverage --constraint requirements.txt)
	$(call lock,requirements-wheel.txt,--extra wheel --constraint requirements.txt)
	$(call lock,requirements-site.txt,--extra site --constraint requirements.txt)

clean: ## Remove everything that was built, .venv included; results in out/ stay
	@test ! -e $(VENV) || test -e $(VENV)/$(OURS) || { $(FOREIGN); }
	rm -rf $(VENV) $(STAMPS) build dist target fuzz/target fuzz/artifacts
	find python tests -name __pycache__ -prune -exec rm -rf {} +
	rm -f python/dumbbell/*.so

# Stamps: one file for each step that is done.

$(STAMPS)/machine: tools/check-machine.sh
	@tools/check-machine.sh $(PYTHON)
	@mkdir -p $(@D) && touch $@

ifneq ($(file <$(VENV)/$(OURS)),$(HERE))
$(DONE)/packages: moved
endif

$(DONE)/packages: requirements.txt | $(STAMPS)/machine
	@test ! -e $(VENV) || test -e $(VENV)/$(OURS) || { $(FOREIGN); }
	@echo "creating $(VENV) and installing the locked packages"
	@$(PYTHON) -m venv --clear $(VENV)
	@mkdir $(DONE)
	@echo $(HERE) > $(VENV)/$(OURS)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

$(DONE)/cluster: requirements-cluster.txt $(DONE)/packages
	@echo "installing Ray"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-cluster.txt \
	  && touch $@ || echo "Ray cannot be installed here: its tests are skipped"

# What a wheel asks of the C library: that of RHEL 7 and Debian 8, the oldest that Rust supports.
OLDEST_GLIBC := 2.17

# Empty where there is no zig, or no need for one.
$(DONE)/zig: requirements-wheel.txt $(DONE)/packages
	@case "$$(rustc -vV | sed -n 's/^host: //p')" in \
	*-linux-gnu) $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $< && echo zig > $@ \
	  || { echo "zig cannot be installed here: the wheel will need a C library as new as this one's"; } ;; \
	*) : > $@ ;; \
	esac

$(DONE)/coverage: requirements-coverage.txt $(DONE)/packages
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-coverage.txt
	@touch $@

$(DONE)/site: requirements-site.txt $(DONE)/packages
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-site.txt \
	  && touch $@ || echo "MkDocs cannot be installed here: there is no site, and no test of workflows"

# The two replace each other. A release will do wherever an extension is wanted, but not the other way round.
$(DONE)/extension: $(DONE)/packages $(RUST) pyproject.toml README.md
	@echo "building the extension (a few minutes the first time)"
	@rm -f $(DONE)/release
	$(call build,develop)
	@touch $@

$(DONE)/release: $(DONE)/packages $(RUST) pyproject.toml README.md
	@echo "building the extension for release (a few minutes, after every change)"
	$(call build,release)
	@touch $(DONE)/extension $@

# A tool of developers: no other target needs it, and nothing of it is linked.
$(STAMPS)/mutants/bin/cargo-mutants: | $(STAMPS)/machine
	@echo "installing cargo-mutants"
	@cargo install cargo-mutants --version 27.1.0 --locked --quiet --root $(STAMPS)/mutants

# Debian packages that some targets use; without them those targets say what they skip.
$(STAMPS)/ns2 $(STAMPS)/valgrind $(STAMPS)/chromium $(STAMPS)/iperf3 $(STAMPS)/ping $(STAMPS)/faketime $(STAMPS)/tshark $(STAMPS)/llvm-22: | $(STAMPS)/machine
	@tools/debian-package.sh $(@F) && touch $@ || true
