# The front door: set-up, build, tests, demo. CMake does the work (CMakePresets.json); see `make help`.

DEMO  ?= examples/excavator/excavator.yaml
OUT   ?= out/$@
CASE  ?=
JOBS  ?= $(shell nproc)
# Seconds of fuzzing of each reader in `make fuzz`.
FUZZ_SECONDS ?= 60
# Mutations of each reader in `make fuzz-campaign`.
INPUTS ?= 100000
# Kills of a run in `make test-slow`; `make test` makes a few.
KILLS ?= 60

.DEFAULT_GOAL := help
.PHONY: help build demo tamping pictures test test-slow bench bench-solvers bench-small-problems validate format lint debug asan tsan fuzz fuzz-campaign clean setup-build setup-test setup-lint

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup-build:
	@tools/setup.sh build
setup-test:
	@tools/setup.sh build test
setup-lint:
	@tools/setup.sh build test lint

# Tests and benchmarks are left out of the build tree only on a machine that lacks their libraries.
WITHOUT_TESTS = $(shell tools/setup.sh --has test || echo -DGRUS_TESTS=OFF -DGRUS_BENCHMARKS=OFF)

build: setup-build ## release build; the program is build/grus
	@cmake --preset release $(WITHOUT_TESTS) >/dev/null
	@cmake --build --preset release --target grus -j $(JOBS)

demo: build ## set-up, build, run the flagship demo, say where its report is (DEMO=scene.yaml OUT=folder)
	build/grus run $(DEMO) --out $(OUT)
	@echo "Report: $(CURDIR)/$(OUT)/report.html"

tamping: build ## the four runs of examples/tamping, their figures and findings; goes on where it stopped (OUT=folder)
	build/grus run examples/tamping/tamping.yaml --out $(OUT) --resume
	examples/tamping/figures.py $(OUT) $(OUT)
	examples/tamping/findings.py $(OUT)

pictures: build ## the pictures of README and examples, redrawn by grus render (CASE=example for one; runs under out/pictures)
	@command -v chromium >/dev/null || tools/setup.sh test
	tools/pictures.sh build/grus out/pictures $(CASE)

test: setup-test ## set-up, build, every test of every tier, ctest's summary
	@tools/test.sh $(JOBS)

test-slow: fuzz ## what takes longer: fuzzing, and a run that is killed and resumed KILLS (60) times
	@cmake --preset release -DGRUS_TESTS=ON >/dev/null
	@cmake --build --preset release --target grus robustness -j $(JOBS)
	@GRUS_KILLS=$(KILLS) ctest --test-dir build -R KillsEndInTheSameState --output-on-failure --no-tests=error

bench: setup-test ## benchmarks; tables and JSON under build/bench/
	@cmake --preset release -DGRUS_TESTS=ON -DGRUS_BENCHMARKS=ON >/dev/null
	@cmake --build --preset release --target grus benchmarks -j $(JOBS)
	@tools/bench.sh build

bench-solvers: setup-test ## every solver, ours and Siconos', on every contact problem; profiles under build/bench/solvers/
	@cmake --preset release -DGRUS_TESTS=ON -DGRUS_BENCHMARKS=ON >/dev/null
	@cmake --build --preset release --target grus solver_bench problem_collection -j $(JOBS)
	@benchmarks/solvers/bench.sh build

bench-small-problems: setup-test ## how many of 100 000 random small contact problems each solver solves (COUNT=number)
	@cmake --preset release -DGRUS_TESTS=ON -DGRUS_BENCHMARKS=ON >/dev/null
	@cmake --build --preset release --target small_problems -j $(JOBS)
	@build/small_problems $(COUNT)

validate: build ## every example at full size with its checks; writes docs/validation.md (CASE=name, name/scene or name/scene/run for one, MISSING=1 for what is not there)
	@tools/validate.py build/grus $(CASE) $(if $(MISSING),--missing)

format: setup-lint ## clang-format, in place
	@git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' | xargs clang-format -i

lint: setup-lint ## clang-format and clang-tidy, as errors
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run -Werror
	@cmake --preset release -B build-lint -DCMAKE_UNITY_BUILD=OFF -DGRUS_TESTS=ON -DGRUS_BENCHMARKS=ON >/dev/null
	@run-clang-tidy -quiet -p build-lint -j $(JOBS) "$(CURDIR)/(src|cli)/.*\.cpp" 2>/dev/null

debug: setup-test ## -O0 build with heavy checks (build-debug/) and its whole test suite
	@tools/tier.sh debug $(JOBS)

asan: setup-test ## address + undefined sanitizers (build-asan/), whole test suite
	@tools/tier.sh asan $(JOBS)

tsan: setup-test ## thread sanitizer (build-tsan/), whole test suite
	@tools/tier.sh tsan $(JOBS)

fuzz: setup-test ## fuzz every reader of files and requests, FUZZ_SECONDS (60) each
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz --target fuzzers -j $(JOBS)
	@tools/fuzz.sh build-fuzz $(FUZZ_SECONDS)

fuzz-campaign: setup-test ## INPUTS (100000) mutations of every reader, and the lines of each that a tenth of them reach; prints the table of docs/security.md
	@cmake --preset release -DGRUS_TESTS=ON >/dev/null
	@cmake --build --preset release --target robustness -j $(JOBS)
	@cmake --preset coverage -DGRUS_TESTS=ON >/dev/null
	@cmake --build --preset coverage --target robustness -j $(JOBS)
	@tools/fuzz_campaign.py build build-coverage $(INPUTS)

clean: ## remove every build folder and the outputs of the demo
	rm -rf build build-debug build-asan build-tsan build-fuzz build-coverage build-lint out
