# Everything a newcomer needs: make, make demo, make test.  Meson does the work underneath (build/).
SHELL := /bin/bash
BUILD ?= build
REPS ?= 0
CELLS ?= *
FIGURES ?= bivariate six-variables fmri linear-ica

.PHONY: all everything setup demo test unit test-slow test-x86 test-arm load sanitize thread-sanitizer static coverage mutants page accuracy sachs real \
    calibration power figures reproduce-quick bench fuzz format install clean

# The library and the programs; nonsens-mpi if MPI is there.
all: setup
	@ninja -C $(BUILD) nonsens nonsens-reproduce $$(ninja -C $(BUILD) -t targets all | sed -n 's/^\(nonsens-mpi\):.*/\1/p')

# Also tests, experiments, manual pages and completion.
everything: setup
	@ninja -C $(BUILD)

# Installs what is missing (Debian's packages; root or sudo) and configures the build folder.
setup: | $(BUILD)/build.ninja

$(BUILD)/build.ninja:
	@tools/install_packages
	@meson setup $(BUILD)

demo: all
	@mkdir -p $(BUILD)/demo
	$(BUILD)/nonsens simulate --depth 3 --seed 3 -o $(BUILD)/demo/pair.csv --truth $(BUILD)/demo/truth.json
	$(BUILD)/nonsens direction $(BUILD)/demo/pair.csv --segment segment
	@echo; echo "The same pair by the paper's likelihood ratio, taking for granted that one causes the other:"; echo
	$(BUILD)/nonsens direction $(BUILD)/demo/pair.csv --segment segment --method nonsens-lr | sed -n 1,4p
	@echo; echo "The truth:"; grep -A 6 '"edges": \[' $(BUILD)/demo/truth.json | tr -d ' \n' | sed 's/\]\].*/]]/'; echo

# All tests: unit, command line, Python, style, browser (skipped without chromium, node and npm), statistical tier.
test: everything
	@python/tests/run --check
	@meson test -C $(BUILD) --print-errorlogs

unit: everything
	@meson test -C $(BUILD) --suite unit --print-errorlogs

# What takes too long for every change: under an hour on two cores (docs/trust.md).
test-slow: everything
	@meson test -C $(BUILD) --setup slow --suite slow --print-errorlogs

# Large data and many calls: time, memory, --max-memory (docs/trust.md).
load: everything
	@tests/load/run $(BUILD)/nonsens $(BUILD)/tests/calls

# The unit tests again under address and undefined-behaviour sanitizers, but for those that take long to repeat the same.
# -O1 builds faster; warnings that only appear at that level do not stop it.
sanitize: setup
	@[ -f $(BUILD)-sanitize/build.ninja ] || meson setup $(BUILD)-sanitize -Doptimization=1 -Ddebug=true -Dwerror=false \
	    -Db_sanitize=address,undefined -Db_lundef=false
	@ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 OMP_NUM_THREADS=2 NONSENS_SKIP='*_at_length' \
	    meson test -C $(BUILD)-sanitize --suite unit --print-errorlogs --timeout-multiplier 5

# Every method on several threads under clang's thread sanitizer (installs clang and LLVM's OpenMP where missing).
thread-sanitizer: setup
	@tools/thread_sanitizer

# Unit tests and the golden, invariance and cli cases on processors that this machine does not have: cross-built and under
# qemu for the other architecture, with older instruction sets for its own (tools/test_machine, docs/trust.md).
test-x86: everything
	@tools/test_machine x86_64 $(BUILD)

test-arm: everything
	@tools/test_machine aarch64 $(BUILD)

# clang-tidy and cppcheck over src/ and cli/ (installs them where missing).
static: setup
	@tools/check_static $(BUILD)

# Which share of the lines of src/ the unit tests run, in build-coverage; fails below 90 %.
coverage: setup
	@tools/coverage

# Do the unit tests see deliberate bugs (tests/mutants.txt)?  Builds a copy of the tree in build-mutants.
mutants: setup
	@tools/mutants

# The report page from its sources in web/ (needs node and npm; the page is kept in src/write/page.html, so that
# building the program needs neither).
page:
	@cd web && npm ci --no-audit --no-fund && npm run build

# Prints one line per method and cell and writes docs/results/accuracy.csv (pairs) and graphs.csv (many variables);
# finished data sets are kept and not run again.  Graphs alone: make accuracy CELLS='graph-*'.  A part, with REPS
# data sets per cell: make accuracy CELLS='e10-depth?' REPS=20 (results/accuracy-part.csv, results/graphs-part.csv).
accuracy: everything
	@mkdir -p results docs/results
	@$(BUILD)/experiments/accuracy --reps $(REPS) --cells '$(CELLS)' --journal results/accuracy.jsonl \
	    --out $(if $(filter *0,$(CELLS)$(REPS)),docs/results/accuracy.csv,results/accuracy-part.csv) \
	    --graphs $(if $(filter *0 graph-*0,$(CELLS)$(REPS)),docs/results/graphs.csv,results/graphs-part.csv)

# Every method that finds graphs on the protein data of Sachs et al., if the folder DATA/sachs is there.
DATA ?= $(or $(NONSENS_DATA),../shared/data)
sachs: everything
	@mkdir -p results
	@experiments/sachs.py $(BUILD)/nonsens $(DATA)/sachs --out results/sachs.csv

# Real pairs whose cause is known, if the folders DATA/real_pairs and DATA/chamber are there (docs/real-data.md).
real: everything
	@experiments/real.py $(BUILD)/nonsens $(DATA)

# Are p-values right where nothing depends on anything?  Writes docs/results/calibration.csv, or with CELLS=PATTERN a part.
calibration: everything
	@mkdir -p docs/results results
	@$(BUILD)/experiments/calibration --cells '$(CELLS)' \
	    --out $(if $(filter *,$(CELLS)),docs/results/calibration.csv,results/calibration-part.csv)

# Do the fast tests of independence see as much as their exact forms?  Writes docs/results/power.csv, or a part.
power: everything
	@mkdir -p docs/results results
	@$(BUILD)/experiments/power --cells '$(CELLS)' \
	    --out $(if $(filter *,$(CELLS)),docs/results/power.csv,results/power-part.csv)

# Figures of the paper: tables, pictures and journals in docs/results.  What the journals have is not run again; more
# repetitions: REPS=100, a part: CELLS='*-e10-n512-*' FIGURES=bivariate (to results/, as tables show what is asked for).
FIGURE_FOLDER = $(if $(filter *,$(CELLS)),docs/results,results)
figures: everything
	@mkdir -p results
	@$(BUILD)/nonsens reproduce $(FIGURES) --resume --reps $(REPS) --cells '$(CELLS)' --data $(DATA) --out $(FIGURE_FOLDER)
	@for figure in $(FIGURES); do \
	    [ ! -e $(FIGURE_FOLDER)/$$figure.csv ] || experiments/draw.py $(FIGURE_FOLDER) $$figure || exit 1; done

# Every figure from nothing with few repetitions of some of its cells, in results/quick: under ten minutes on two cores.
QUICK = --out results/quick -q
reproduce-quick: everything
	@rm -rf results/quick && mkdir -p results
	@$(BUILD)/nonsens reproduce bivariate $(QUICK) --reps 2 \
	    --cells '*-depth[135]-e10-n128-*,*-depth[135]-e10-n512-*,*-depth[135]-e30-n512-[!n]*'
	@$(BUILD)/nonsens reproduce six-variables $(QUICK) --reps 2 --cells 'layered-depth[15]-[!rc]*'
	@$(BUILD)/nonsens reproduce fmri $(QUICK) --reps 3 --data $(DATA)
	@$(BUILD)/nonsens reproduce linear-ica $(QUICK) --reps 5
	@experiments/draw.py results/quick

bench: everything
	@tools/bench $(BUILD) $(PARTS)

# Fuzzes every reader: ten targets of 720 s are two hours in all, two at a time (clang; tests/fuzz, tools/fuzz).
FUZZ_SECONDS ?= 720
fuzz: setup
	@tools/fuzz $(FUZZ_SECONDS)

format:
	@clang-format -i $$(git ls-files '*.c' '*.h' | grep -v tests/fixtures/)

# To another folder: make install PREFIX=~/.local.
install: setup
	@$(if $(PREFIX),meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX)))
	@ninja -C $(BUILD)
	@meson install -C $(BUILD)

clean:
	@rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-x86_64 $(BUILD)-aarch64 build-fuzz build-tsan build-clang build-coverage build-mutants
