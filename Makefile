# A thin front for CMake and scripts/; `make help` lists the targets.
#
#   CMAKE_ARGS    further options for CMake, e.g. CMAKE_ARGS=-DVOLT_NATIVE=ON
#   PREFIX        where `make install` puts things (DESTDIR is honoured)
#   FUZZ_SECONDS  how long `make fuzz` runs each target
#   SOAK_ROWS     rows of `make soak` through a stream (SOAK_LEARNED: through a learner)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
export JOBS CMAKE_ARGS FUZZ_SECONDS MUTANTS

# CMake starts a make or ninja of its own: it must not look for the job server of this one.
unexport MAKEFLAGS MFLAGS MAKELEVEL

.DEFAULT_GOAL := build
.PHONY: help deps deps-mpi build demo demo-lorenz test test-arm test-octave test-r r-package bench bench-gpu lint fuzz soak faults tsan coverage mutate wheel deb site web test-web install clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 13

deps: ## install what is missing to build, test and run the demo
	scripts/deps.sh build test

deps-mpi: ## Open MPI and ScaLAPACK, for volterra-mpi (CMAKE_ARGS=-DVOLT_MPI=ON make)
	scripts/deps.sh build mpi

# Nothing is installed that was not asked for.
build: ## the library and the program build/volterra, volterra-mpi and the GPU plugin where CMAKE_ARGS asks for them
	@scripts/deps.sh --list build >&2 || \
		{ echo "make build: this is missing; 'make deps' installs it, with what the tests and the demo need ('scripts/deps.sh build': it alone)" >&2; exit 1; }
	cmake --preset default $(CMAKE_ARGS)
	cmake --build build --parallel $(JOBS) --target programs

demo: ## the experiment of the paper with ten kernels, within three minutes; the report goes to build/demo
	@scripts/deps.sh build
	@$(MAKE) --no-print-directory build
	@scripts/demo.sh

demo-lorenz: ## forecast the Lorenz system and draw the picture, into build/demo
	@scripts/deps.sh build
	@$(MAKE) --no-print-directory build
	scripts/demo_lorenz.sh

test: ## library, program and Python, plain and with sanitizers; ends with a count (others: test-r, test-octave, test-arm, test-web)
	@tests/run_tests.sh

test-arm: ## exported models on a Cortex-M4 in QEMU, in both precisions
	@scripts/deps.sh build arm
	@$(MAKE) --no-print-directory build
	cmake --build build --parallel $(JOBS) --target test_export
	tests/arm/run.sh

test-octave: ## the MATLAB and Octave functions against the program
	@scripts/deps.sh build octave
	scripts/octave.sh test

test-r: ## the R package against the program; R CMD check: scripts/r_package.sh check
	@scripts/deps.sh build r
	scripts/r_package.sh test

r-package: ## build/r/volterra_VERSION.tar.gz for R CMD INSTALL
	@scripts/deps.sh build r
	scripts/r_package.sh build

bench: ## the benchmarks, beside their peers where Python can have them
	scripts/bench.sh

bench-gpu: ## on a GPU, beside PyTorch and CuPy where Python has them
	scripts/deps.sh build
	cmake --preset default -DVOLT_CUDA=ON $(CMAKE_ARGS)
	cmake --build --preset default --parallel --target bench_gpu bench_gpu_large volterra_cuda volterra_cli
	bench/gpu/run.sh

lint: ## formatting, wording, clang-tidy, cppcheck, layout, the interface against the last tag
	scripts/lint.sh

fuzz: ## each libFuzzer target for FUZZ_SECONDS
	scripts/fuzz.sh

faults: ## every allocation, system call and call of LAPACK that may fail, failed once, command by command (an hour of one core)
	scripts/faults.sh

soak: ## SOAK_ROWS through a stream and SOAK_LEARNED through a learner, with memory and drift
	scripts/soak.sh

tsan: ## all C tests, and the program, under ThreadSanitizer
	scripts/tsan.sh

coverage: ## which lines and branches of src/ the tests run; build-coverage/html
	scripts/coverage.sh

mutate: ## change the code in hundreds of places, one at a time: do the tests notice? (MUTANTS=12,57: these again)
	scripts/mutate.sh

wheel: ## source distribution and wheel for this machine, tried on a fresh system (as root); build/wheel/dist
	scripts/wheel.sh

deb: ## Debian packages, tried on a fresh system (as root); build/deb
	scripts/deb.sh

site: ## the documents and references as a site, offline; build/site
	scripts/site.sh

web: ## the page in the browser, build-web/volterra.html (Emscripten; libraries from Debian's source packages)
	scripts/web.sh

test-web: web ## the page in headless Chromium, compared with the program
	@scripts/deps.sh build
	@$(MAKE) --no-print-directory build
	python3 tests/web/test_page.py build-web/volterra.html build/volterra

install: build ## into PREFIX (default /usr/local)
	cmake --install build --prefix $(PREFIX)

clean: ## remove the build folders that these targets make
	rm -rf build build-static build-sanitize build-fuzz build-tsan build-coverage build-mutate build-web
