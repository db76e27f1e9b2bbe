# tracepress: one Makefile, every output under $(BUILD). Run `make help`.
VERSION := 0.1.0
MODE    ?= release
BUILD   ?= build/$(strip $(MODE))
PREFIX  ?= /usr/local
CC      ?= cc
HOSTCC  ?= $(if $(shell command -v cc),cc,$(CC))
OBJCOPY ?= objcopy
MPICC   ?= mpicc

comma := ,
# ---- flags ---------------------------------------------------------------
WARN  := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wformat=2 -Wundef -Werror=implicit \
         $(if $(WERROR),-Werror)
# A product and a sum are rounded one by one: a processor that has one instruction for both gives the same numbers.
STD   := -std=gnu17 -D_GNU_SOURCE -ffp-contract=off -DTP_VERSION='"$(VERSION)"'
FLAGS_release := -O2 -g -DNDEBUG -ffunction-sections -fdata-sections
FLAGS_debug   := -O0 -g
FLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_tsan    := -O1 -g -fsanitize=thread
FLAGS_coverage := -O0 --coverage -DNDEBUG
FLAGS_fuzz    := $(FLAGS_asan) -fsanitize=fuzzer-no-link
MODE_FLAGS    := $(FLAGS_$(strip $(MODE)))
# What stands before the C library's functions is called by the sanitizer before that itself has begun.
UNCHECKED_tsan := $(addprefix build/tsan/,collector/source/host_signals.o collector/hook.o collector/hook_plain.o writer/base/mapped.o)
HAVE_ISAL     := $(shell printf '\043include <isa-l/igzip_lib.h>\n' | $(CC) $(CPPFLAGS) $(CFLAGS) -E - >/dev/null 2>&1 && echo 1)
ALL_CFLAGS     = $(STD) $(WARN) $(MODE_FLAGS) $(if $(HAVE_ISAL),-DTP_HAVE_ISAL=1) -fvisibility=hidden -fPIC -pthread \
                 -MMD -MP -I. -I$(BUILD)/gen $(NAMED) $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS    = $(MODE_FLAGS) $(UNUSED_$(strip $(MODE))) -pthread $(LDFLAGS)
# The programs and libraries that people download leave out the functions that they do not call. They keep zlib's copyright, which has
# its version.
UNUSED_release := $(if $(findstring linux,$(shell $(CC) -dumpmachine 2>/dev/null)),-Wl$(comma)--gc-sections \
                  $(if $(STATIC_LIBS),-Wl$(comma)-u$(comma)deflate_copyright))
# The objects of a folder, next to each other, are alike: in this order, the packed program is a hundredth smaller.
WHOLE = $(if $(UNUSED_$(strip $(MODE))),-Wl$(comma)--whole-archive $(1) -Wl$(comma)--no-whole-archive,$(1))
# STATIC_LIBS=1: nothing beyond the C library is needed to run, as in the wheel. libdl and librt are empty from glibc 2.34 on.
SYSTEM        := -lm -ldl -lrt
need           = $(if $(STATIC_LIBS),-l:lib$(1).a,-l$(1))
LIBS          := $(if $(HAVE_ISAL),$(call need,isal)) $(foreach l,protobuf-c sqlite3 z,$(call need,$(l))) $(SYSTEM)
Q = $(if $(V),,@printf '  %-4s %s\n' $(1) $@;)

# ---- what is built from what (folders are the module list) -----------------
ASSETS := $(sort $(shell find templates -type f ! -name README.md ! -name '*.sh' ! -path 'templates/compact/*'))
SHORT  := $(addprefix $(BUILD)/gen/,$(wildcard templates/*.css templates/*.js))
PROTO  := $(patsubst %.proto,$(BUILD)/gen/%.pb-c,$(wildcard writer/proto/*.proto))
obj     = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(1)))
CORE   := $(call obj,writer/*.c writer/base/*.c writer/text/*.c writer/spool/*.c collector/launch/*.c \
          $(foreach d,collector/outside $(addprefix webreport/,trace model what_if measure compare document print export session ask),\
          $(d)/*.c $(d)/*/*.c $(d)/*/*/*.c))
# the libraries that programs link read only spools, so that they have no readers of other formats and do not need SQLite
SPOOL_ONLY := $(BUILD)/plain/webreport/trace/inputs/spool_only.o
CORE   := $(filter-out %/spool_only.o,$(CORE))
CLI    := $(filter-out %/record_unsupported.o,$(call obj,webreport/cli/*.c))
RECORD := $(filter-out $(patsubst %,$(BUILD)/collector/%.o,inject sources_table linked hook%),$(call obj,collector/*.c))
CUDA   := $(call obj,collector/source/cupti*.c)
SOURCE := $(call obj,collector/source/*.c) $(BUILD)/collector/sources_table.o
# these stand before functions of libc and others, by the same names: in the preload library alone
HOOKS  := $(call obj,collector/source/host_*.c)
# but these: what may end the program if we do not look at it
HURTS  := $(patsubst %,$(BUILD)/collector/%.o,source/host_confine source/host_rights source/host_alone \
          source/host_signals hook hook_plain)
WRAPS  := $(patsubst %,-Wl$(comma)--wrap=pthread_mutex_%,lock trylock timedlock unlock)
INJECT := $(filter-out $(patsubst %,$(BUILD)/collector/%.o,handler analysis_bridge),$(RECORD)) $(SOURCE) \
          $(BUILD)/collector/inject.o $(call obj,collector/hook*.c)
LIB    := $(BUILD)/libtracepress.so
STATIC := $(BUILD)/libtracepress.a
PRE    := $(BUILD)/libtracepress-preload.so
PARTS  := $(BUILD)/webreport/cli/record_options.o
BIN    := $(BUILD)/tracepress
TESTS  := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))
# Tests that replace functions of the C library, or look for their own main: each is a program by itself. All others are links
# to one program.
ALONE  := $(addprefix $(BUILD)/unit/test_,fs input spool hooks stacks)
TOGETHER := $(filter-out $(ALONE),$(TESTS))
# checks that use the product's code are links to one program, too
CHECKS := $(patsubst tests/check/%.c,$(BUILD)/%,$(shell grep -lE '^.include "(writer|webreport)/' tests/check/*.c))
# json_fields prints the definitions of the fields of JSON, which the product leaves out (TP_DEFINITION in writer/base/fields.h)
DEFINED := $(patsubst %.c,$(BUILD)/defined/%.o,$(shell grep -rlw --include='*.c' TP_DEFINITION webreport))
FUZZ   := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FAKE   := $(addprefix $(BUILD)/fake_cuda/,libcuda.so.1 libcudart.so.13 libcupti.so.13)
TOOLS  := $(patsubst tests/check/%.c,$(BUILD)/%,$(wildcard tests/check/*.c)) $(BUILD)/gen_trace $(BUILD)/train $(BUILD)/cuda_program $(BUILD)/gpu_program \
          $(patsubst tests/fake/%.c,$(BUILD)/%.so,$(wildcard tests/fake/*.c))
SUB    := $(MAKE) --no-print-directory -j$(shell nproc 2>/dev/null || echo 2)
RECORDING := $(LIB) $(PRE)
ifneq ($(filter %mingw32 %windows-gnu,$(shell $(CC) -dumpmachine 2>/dev/null)),)
include writer/windows/windows.mk
endif
# what it is built for: only Linux has the recording libraries
OS := $(shell uname -s)
ifeq ($(OS),Darwin)
include writer/macos/macos.mk
endif

all: $(BIN) $(RECORDING) ## build the tracepress command and the recording libraries
$(BIN): $(CLI) $(BUILD)/core.a
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $(CLI) $(call WHOLE,$(BUILD)/core.a) $(LIBS)
$(LIB): $(RECORD) $(CUDA) $(HURTS) $(BUILD)/collector/linked.o $(SPOOL_ONLY) $(BUILD)/core.a collector/tracepress.map
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,libtracepress.so.0 -Wl,-z,nodelete -Wl,--version-script=collector/tracepress.map \
	  -Wl,--exclude-libs,ALL -o $@.0 $(filter %.o %.a,$^) $(if $(HAVE_ISAL),$(call need,isal)) -l:libprotobuf-c.a -l:libz.a $(SYSTEM) \
	  $(if $(findstring sanitize,$(MODE_FLAGS)),,-Wl,-z,defs) && ln -sf $(@F).0 $@
# The same as one object whose other names are its own, for programs that are linked statically. ISA-L has no static library in Debian.
PLAIN := $(patsubst %,$(BUILD)/%.o,webreport/trace/inflate writer/base/deflate writer/base/gzip_out)
$(BUILD)/plain/%.o: %.c Makefile | $(PROTO:=.h)
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(filter-out -DTP_HAVE_ISAL=1,$(ALL_CFLAGS)) -c -o $@ $<
$(BUILD)/plain.a: $(filter-out $(PLAIN),$(CORE)) $(PLAIN:$(BUILD)/%=$(BUILD)/plain/%) $(BUILD)/gen/assets.o $(PROTO:=.o)
	$(call Q,AR)rm -f $@; $(AR) qcs $@ $^
$(BUILD)/tracepress-zlib: $(CLI) $(BUILD)/plain.a
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(filter-out %isal -l:libisal.a,$(LIBS))
$(STATIC): $(RECORD) $(CUDA) $(HURTS) $(BUILD)/collector/linked.o $(SPOOL_ONLY) $(BUILD)/plain.a collector/tracepress.map
	$(call Q,LINK)awk '/^    tracepress_/ {sub(";", ""); print $$1}' collector/tracepress.map >$(BUILD)/gen/names && \
	  sed -n 's/^# before //p' collector/tracepress.map | tr ' ' '\n' >$(BUILD)/gen/before && cat $(BUILD)/gen/before >>$(BUILD)/gen/names && \
	  $(CC) -r -nostdlib $(filter -L%,$(LDFLAGS)) -o $(BUILD)/gen/static.o $(filter %.o %.a,$^) -l:libprotobuf-c.a -l:libz.a && \
	  $(OBJCOPY) --keep-global-symbols=$(BUILD)/gen/names --weaken-symbols=$(BUILD)/gen/before $(BUILD)/gen/static.o && rm -f $@ && $(AR) qcs $@ $(BUILD)/gen/static.o
# Only what records: in a program that did not ask for it, it must need the C library alone.
$(PRE): $(INJECT) $(BUILD)/core.a collector/preload.map
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,--version-script=collector/preload.map \
	  -Wl,-z,defs -Wl,-z,nodelete $(WRAPS) -Wl,--exclude-libs,ALL -o $@ $(INJECT) $(BUILD)/core.a -Wl,--as-needed -l:libprotobuf-c.a $(SYSTEM)
$(BUILD)/core.a: $(CORE) $(BUILD)/gen/assets.o $(PROTO:=.o)
	$(call Q,AR)rm -f $@; $(AR) qcs $@ $^
$(BUILD)/%.o: %.c Makefile | $(PROTO:=.h)
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(UNCHECKED_tsan): CFLAGS += -fno-sanitize=all
# Compiled for size: what runs once per page, command, recording or operator, or for few events. That is two thirds of the code, and
# costs a report of 400,000 events a fiftieth of its time. What handles each byte, event or node of a replay graph keeps -O2: reading,
# recording, torch's tables, what-ifs.
PER_NODE := change_more critical_path device_edges fixes_build graph_add host_nodes host_parts lane_walk latencies measured_lane path_details \
            replay_graph_build replay_run replay_steps streams waiting_calls
ONCE_release := $(CLI) $(filter-out $(addprefix $(BUILD)/webreport/,model/policy_torch.o model/stack_walk.o $(PER_NODE:%=what_if/%.o)),$(filter $(addprefix $(BUILD)/,collector/launch/% \
                $(addprefix collector/outside/,trace/% tree/% code/%) \
                $(addprefix webreport/,ask/% document/% compare/% session/% print/% model/% what_if/% trace/inputs/sqlite/% trace/arrays/% trace/compile_log/% trace/flight/% \
                $(addprefix export/,chrome/% memory_flow/% repro/% rows/% stacks/% tfevents/% xplane/%) \
                $(addprefix measure/,answer/% audience/% charts/% flight/% idle/% memory/% metrics/% program/% ranks/% result/% rules/% serving/% \
                snapshot/% streams/% summary/% tree/% verdict/% views/% work/%)) \
                $(addprefix writer/,spool/% text/demangle% text/kernel% text/cxx% text/rust% pprof% png% tfevents% xplane%)),$(CORE)))
$(ONCE_$(strip $(MODE))): CFLAGS += -Os
# Nothing unwinds the analysis, so it has no tables for that. The recording keeps them, because programs load it, and record_end.c
# keeps them, because it cancels a thread. While a program analyses its recording, the thread cannot be cancelled.
NOT_UNWOUND_release := $(if $(UNUSED_release),$(filter $(addprefix $(BUILD)/,collector/launch/% collector/outside/% webreport/% writer/text/%),\
                $(CORE) $(filter-out %/record_end.o,$(CLI))))
$(NOT_UNWOUND_$(strip $(MODE))): CFLAGS += -fno-asynchronous-unwind-tables -fno-unwind-tables
$(BUILD)/collector/source/torch.o: collector/source/torch.py
$(BUILD)/gen/%.pb-c.c $(BUILD)/gen/%.pb-c.h &: %.proto
	@mkdir -p $(@D)
# protoc-c before 1.4 tags a struct _Tp__X, where headers of ours say struct Tp__X
	$(call Q,GEN)protoc-c --c_out=$(BUILD)/gen $< && sed -i 's/^\(typedef \)\{0,1\}struct\( *\)_Tp__/\1struct\2Tp__/' $(addprefix $(BUILD)/gen/$*.pb-c.,c h)
$(PROTO:=.o): %.o: %.c | $(PROTO:=.h)
	$(call Q,CC)$(CC) $(ALL_CFLAGS) -w -c -o $@ $<
$(BUILD)/gen/assets.S: templates/embed.sh $(ASSETS) $(SHORT) $(shell find templates -type d)
	@mkdir -p $(@D)
	$(call Q,GEN)sh $< $(BUILD)/gen $(ASSETS) > $@
# the style and the scripts of the page in their short form; the program that makes it runs where the build runs
$(SHORT): $(BUILD)/gen/%: % $(BUILD)/gen/compact
	@mkdir -p $(@D)
	$(call Q,GEN)$(BUILD)/gen/compact $< > $@
$(BUILD)/gen/compact: $(wildcard templates/compact/*) $(patsubst %,writer/base/%.c,arena sort str error)
	@mkdir -p $(@D)
	$(call Q,CC)$(HOSTCC) $(STD) -O1 -I. -o $@ $(filter %.c,$^)
$(BUILD)/gen/assets.o: $(BUILD)/gen/assets.S
	$(call Q,AS)$(CC) -c -o $@ $<

# a manual page per help text: tracepress.1, tracepress-report.1 ..
HELP := $(basename $(notdir $(wildcard templates/help/*.txt)))
MAN  := $(patsubst %,$(BUILD)/man/%.1,$(filter tracepress%,$(HELP)) $(patsubst %,tracepress-%,$(filter-out tracepress%,$(HELP))))
man: $(MAN) ## manual pages, made from the help texts
$(MAN): $(BUILD)/man/%.1: templates/man.sh Makefile $(wildcard templates/help/*.txt)
	@mkdir -p $(@D)
	$(call Q,MAN)sh $< $(VERSION) $(firstword $(wildcard templates/help/$*.txt templates/help/$(*:tracepress-%=%).txt)) > $@

demo: ## install what is missing, build, record a small training run in C, make its report
	@sh tests/packages.sh build
	@$(SUB) all $(BUILD)/train
	@sh tests/demo.sh $(BUILD)

# ---- tests: T=substring selects, UPDATE=1 rewrites golden files ------------
test: ## install what is missing, run every suite, print `N passed, N failed`
	@sh tests/packages.sh build test
	@$(SUB) programs
	@$(if $(filter release,$(MODE)),$(SUB) MODE=asan programs)
	@sh tests/run.sh $(BUILD) $(if $(filter release,$(MODE)),build/asan)
test-full: ## the same with all random draws, and with every suite that runs under ASan (nightly, twice as long)
	@DRAWS=full $(MAKE) --no-print-directory test
test-quick: programs ## what a contributor runs: unit tests, goldens, numbers, check, summary, table; less than a minute
	@sh tests/run.sh $(foreach s,unit golden numbers check summary table,--suite $(s)) $(BUILD)
test-unit: $(TESTS) ## unit tests, a program per module
	@sh tests/run.sh --suite unit $(BUILD)
expected: ## write tests/data/expected again from the executable definitions (needs python3)
	@sh tests/oracle/make_expected.sh
truth: all ## how often each rule was right, on programs and traces whose cause is known (beside the project)
	@if [ -f ../shared/data/truth/score.py ]; then python3 tests/oracle/truth.py $(BUILD)/tracepress ../shared/data/truth ../shared/data/traces; \
	else echo "skipped: no programs and traces with a known cause in ../shared/data/truth"; fi
programs-table: all ## programs that nobody here wrote under record --outside: hottest function beside perf's, verdict
	@python3 tests/programs/table.py $(BUILD)/tracepress --markdown build/programs.md
acceptance: all $(BUILD)/make_job ## measure report pages in Chromium and compare them with their targets (A="--all page.html": options, inputs)
	@sh tests/acceptance.sh $(BUILD) $(A)
test-gpu: all $(BUILD)/gpu_program ## a real CUDA program on a real GPU; reports a skip if no GPU exists
	@sh tests/run.sh --suite gpu $(BUILD)
windows: ## build/windows/tracepress.exe: the commands that read traces (needs g++-mingw-w64-x86-64, libz-mingw-w64-dev, tcl)
	@WINDOWS_CC="$(WINDOWS_CC)" sh writer/windows/libraries.sh build/windows-libraries
	@$(SUB) BUILD=build/windows CC="$(WINDOWS_CC)" CPPFLAGS=-Ibuild/windows-libraries/include LDFLAGS=-Lbuild/windows-libraries/lib all
WINDOWS_CC ?= x86_64-w64-mingw32-gcc
arm64: ## build/arm64: everything, for Linux on arm64 (needs gcc-aarch64-linux-gnu)
	@sh writer/arm64/libraries.sh build/arm64-libraries
	@$(SUB) BUILD=build/arm64 CC="$(ARM64_CC) --sysroot=$(CURDIR)/build/arm64-libraries/root" OBJCOPY=aarch64-linux-gnu-objcopy AR=aarch64-linux-gnu-ar MPICC= $(or $(ARM64_GOALS),programs)
ARM64_CC ?= aarch64-linux-gnu-gcc
cross: ## build/macos-*/tracepress: the commands that read traces, for arm64 and x86_64 (needs zig, or ZIG="python3 -m ziglang")
	@ZIG="$(ZIG)" sh writer/macos/cross.sh
mpi: $(BUILD)/tracepress-mpi ## summarize over the processes of an MPI job (needs mpicc)
$(BUILD)/tracepress-mpi: webreport/mpi/mpi_main.c $(BUILD)/core.a
	$(call Q,MPI)$(MPICC) $(ALL_CFLAGS) -c -o $@.o $< && $(MPICC) $(ALL_LDFLAGS) -o $@ $@.o $(BUILD)/core.a $(LIBS)
programs: $(if $(filter release,$(MODE)),$(if $(MPICC),$(if $(shell command -v $(MPICC)),$(BUILD)/tracepress-mpi)))
programs: all $(if $(filter release,$(MODE)),$(STATIC) $(BUILD)/tracepress-zlib) $(TESTS) $(TOOLS) $(FUZZ:%=$(BUILD)/replay_%)
$(BUILD)/unit/test_event: | $(BUILD)/libcuda.so
$(BUILD)/unit/all $(BUILD)/checks: $(BUILD)/tests/job/plan.o $(BUILD)/tests/job/plan_slots.o
$(BUILD)/unit/all: $(call obj,templates/compact/*_text.c templates/compact/short_names.c)
$(BUILD)/sources.a: $(filter-out $(HOOKS) $(BUILD)/collector/sources_table.o,$(SOURCE))
	$(call Q,AR)rm -f $@; $(AR) qcs $@ $^
# what stands before malloc and its like, under names of its own
RENAMED := $(patsubst %,$(BUILD)/renamed/host_%.o,memory arenas locks io)
$(BUILD)/renamed/%.o: $(BUILD)/collector/source/%.o tests/fake/hooks.syms
	@mkdir -p $(@D)
	$(call Q,SYMS)$(OBJCOPY) --redefine-syms=tests/fake/hooks.syms $< $@
$(BUILD)/unit/test_hooks: override LDFLAGS += $(WRAPS)
$(BUILD)/unit/test_hooks: $(RENAMED) $(call obj,collector/hook*.c)
$(ALONE): $(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(PARTS) $(RECORD) $(BUILD)/sources.a $(BUILD)/core.a
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(LIBS)
# Many programs in one file, so that a changed source links one file: a link has the name of its program.
MANY = -Dmain=$(*F)_main -Wno-missing-prototypes
$(TOGETHER:$(BUILD)/unit/%=$(BUILD)/tests/unit/%.o) $(CHECKS:$(BUILD)/%=$(BUILD)/tests/check/%.o): NAMED = $(MANY)
$(BUILD)/gen/unit_programs.h: $(TOGETHER:$(BUILD)/%=tests/%.c) tests/unit
$(BUILD)/gen/check_programs.h: $(CHECKS:$(BUILD)/%=tests/check/%.c) tests/check
$(BUILD)/gen/unit_programs.h $(BUILD)/gen/check_programs.h: tests/one_of_many.sh
	@mkdir -p $(@D)
	$(call Q,GEN)sh $< $(filter %.c,$^) >$@
$(BUILD)/gen/%_many.o: tests/one_of_many.c $(BUILD)/gen/%_programs.h
	$(call Q,CC)$(CC) $(ALL_CFLAGS) -DPROGRAMS='"$*_programs.h"' -c -o $@ $<
$(BUILD)/unit/all: $(BUILD)/gen/unit_many.o $(TOGETHER:$(BUILD)/unit/%=$(BUILD)/tests/unit/%.o) $(PARTS) $(RECORD) $(BUILD)/sources.a $(BUILD)/core.a
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(BUILD)/core.a -lcmocka $(LIBS)
$(BUILD)/defined/%.o: %.c Makefile | $(PROTO:=.h)
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(ALL_CFLAGS) -DTP_KEEP_DEFINITIONS -c -o $@ $<
$(BUILD)/checks: $(BUILD)/gen/check_many.o $(CHECKS:$(BUILD)/%=$(BUILD)/tests/check/%.o) $(DEFINED) $(BUILD)/core.a
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(BUILD)/core.a $(LIBS)
$(TOGETHER): $(BUILD)/unit/%: $(BUILD)/unit/all
	@ln -sf all $@
$(CHECKS): $(BUILD)/%: $(BUILD)/checks
	@ln -sf checks $@
$(BUILD)/gen_trace: $(call obj,tests/bench/gen_*.c)
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ -lz
$(BUILD)/write_trace $(BUILD)/table_speed: $(BUILD)/%: $(BUILD)/tests/bench/%.o $(BUILD)/core.a
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)
$(BUILD)/record: $(BUILD)/tests/bench/record.o | $(LIB)
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $< $(BUILD)/collector/clock.o -L$(BUILD) -ltracepress -Wl,-rpath,'$$ORIGIN'
$(BUILD)/cupti_bench: $(BUILD)/tests/bench/cupti_speed.o $(RECORD) $(CUDA) $(BUILD)/core.a
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)
$(BUILD)/native_bench: tests/bench/native.c Makefile
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) $(STD) $(WARN) -O2 -g -pthread -finstrument-functions -o $@ $<
$(BUILD)/train: $(BUILD)/tests/demo/train.o | $(LIB)
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $< -L$(BUILD) -ltracepress -Wl,-rpath,'$$ORIGIN' -lm
$(BUILD)/phases: $(BUILD)/tests/check/phases.o | $(LIB)
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $< -L$(BUILD) -ltracepress -Wl,-rpath,'$$ORIGIN'
$(BUILD)/load_library: $(BUILD)/tests/check/load_library.o
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $< -ldl
$(BUILD)/nvtx_program $(BUILD)/itt_program: $(BUILD)/%: $(BUILD)/tests/check/%.o
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $< -ldl
# programs that record themselves
$(BUILD)/random_program $(BUILD)/record_program $(BUILD)/tensor_program: $(BUILD)/%: $(BUILD)/tests/check/%.o $(RECORD) $(BUILD)/core.a
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)
$(BUILD)/%: $(BUILD)/tests/check/%.o
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ -lz -lm
$(BUILD)/%.so: tests/fake/%.c Makefile
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) $(STD) $(WARN) -I. -O1 -g -shared -fPIC -Wl,-soname,$(@F).1 -o $@ $< -ldl
$(BUILD)/fake_cuda/libcuda.so.1: $(BUILD)/tests/fake/cuda/driver.o
$(BUILD)/fake_cuda/libcupti.so.13: $(BUILD)/tests/fake/cuda/profiler.o
$(BUILD)/fake_cuda/libcudart.so.13: $(BUILD)/tests/fake/cuda/runtime.o $(BUILD)/fake_cuda/libcuda.so.1
$(FAKE):
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(@F) -o $@ $^
$(BUILD)/cuda_program: $(BUILD)/tests/fake/cuda_program/kernels.o $(FAKE) | $(LIB)
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $< $(BUILD)/fake_cuda/libcudart.so.13 -L$(BUILD) -ltracepress \
	  -Wl,-rpath,'$$ORIGIN:$$ORIGIN/fake_cuda' -Wl,--disable-new-dtags -Wl,-rpath-link,$(BUILD)/fake_cuda
$(BUILD)/gpu_program: $(BUILD)/tests/gpu/driver_program.o
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $< -ldl
ifneq ($(strip $(MODE)),fuzz)
$(FUZZ:%=$(BUILD)/tests/fuzz/fuzz_%.o): NAMED = -DLLVMFuzzerTestOneInput=$(*F)
endif
$(BUILD)/gen/replay_targets.h: $(FUZZ:%=tests/fuzz/fuzz_%.c) tests/fuzz
	@mkdir -p $(@D)
	$(call Q,GEN)printf 'TARGET(%s)\n' $(FUZZ) >$@
$(BUILD)/tests/fuzz/replay.o: $(BUILD)/gen/replay_targets.h
$(BUILD)/replays: $(BUILD)/tests/fuzz/replay.o $(FUZZ:%=$(BUILD)/tests/fuzz/fuzz_%.o) $(PARTS) $(BUILD)/core.a
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)
$(FUZZ:%=$(BUILD)/replay_%): $(BUILD)/replays
	@ln -sf replays $@

$(BUILD)/kernel_path: $(BUILD)/tests/lint/kernel_path.o $(BUILD)/core.a
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

CLANG = $(firstword $(shell for c in clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do command -v $$c; done) clang)
fuzz: ## libFuzzer for TIME=60 seconds on each target, or on F=name (needs clang)
	@for f in $(or $(F),$(FUZZ)); do $(SUB) MODE=fuzz CC=$(CLANG) build/fuzz/fuzz_$$f && mkdir -p build/fuzz/new_$$f && \
	  build/fuzz/fuzz_$$f -max_total_time=$(or $(TIME),60) -max_len=65536 -timeout=10 -rss_limit_mb=1024 \
	    -artifact_prefix=build/fuzz/ build/fuzz/new_$$f tests/fuzz/corpus/$$f || exit 1; done
fuzz-coverage: ## lines of each parser that the corpora reach; fails below FLOOR=60 per cent
	@$(SUB) MODE=coverage $(FUZZ:%=build/coverage/replay_%)
	@sh tests/fuzz/coverage.sh build/coverage $(or $(FLOOR),60)
$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(PARTS) $(BUILD)/core.a
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)
bench: ## wall time against zcat, memory per event, growth, page size (N=events)
	@$(SUB) all $(BUILD)/gen_trace $(BUILD)/record $(BUILD)/cupti_bench $(BUILD)/native_bench $(BUILD)/measure $(BUILD)/write_trace $(BUILD)/nvtx_program $(BUILD)/itt_program $(BUILD)/table_speed $(BUILD)/split $(BUILD)/make_job $(BUILD)/train
	@sh tests/bench/run.sh $(BUILD) $(or $(N),75000)

# ---- habits ----------------------------------------------------------------
SRC := $(sort $(shell find collector writer webreport tests -name '*.[ch]'))
# what only another system compiles
ELSEWHERE := writer/macos/% writer/windows/%
lint: $(PROTO:=.h) $(LIB) ## layers, arrows, concepts, sizes, circles, ABI, help texts, the path of a kernel; clang-format and clang-tidy where installed
	@CC="$(CC)" sh tests/lint/lint.sh $(BUILD)
	@$(SUB) MODE=coverage build/coverage/kernel_path && sh tests/lint/path.sh build/coverage
	$(if $(shell command -v clang-format),@clang-format --dry-run -Werror $(SRC),@echo "clang-format not found: skipped")
	$(if $(shell command -v clang-tidy),@clang-tidy --quiet $(filter-out $(ELSEWHERE) tests/fake/% tests/abi/% tests/native/mpi_program.c tests/native/seccomp_program.c webreport/mpi/%,$(filter %.c,$(SRC))) -- $(STD) -I. -I$(BUILD)/gen -DTP_HAVE_ISAL=1,\
	  @echo "clang-tidy not found: skipped")
house: all ## how easy the tree is to live in: each measure next to its goal
	@sh tests/lint/house.sh $(BUILD)
format: ## rewrite sources with .clang-format
	clang-format -i $(SRC)
# what every source is compiled with, for clangd and other editors
COMPILED = {"directory": "$(CURDIR)", "file": "$(1)", "command": "$(subst ",\",$(lastword $(CC)) $(ALL_CFLAGS)) -c -o $(BUILD)/$(1:.c=.o) $(1)"}
compile_commands: $(PROTO:=.h) ## compile_commands.json, for clangd and other editors
	$(file >compile_commands.json,[$(subst } {,}$(comma) {,$(foreach f,$(filter-out $(ELSEWHERE),$(filter %.c,$(SRC))),$(call COMPILED,$(f))))])
	@echo "compile_commands.json: $(words $(filter-out $(ELSEWHERE),$(filter %.c,$(SRC)))) files"
MPI = $(wildcard $(BUILD)/tracepress-mpi)
CMAKE = $(DESTDIR)$(PREFIX)/lib/cmake/tracepress
HEADERS = collector/tracepress.h $(addprefix collector/tracepress_,calls.h disabled.h scope.h task.h) # programs include the first
SHELLS = bash:bash-completion/completions/tracepress zsh:zsh/site-functions/_tracepress fish:fish/vendor_completions.d/tracepress.fish
install-strip: STRIPPED = --strip-program=$(STRIP) -s
install-strip: install ## the same without what debuggers need
	$(STRIP) -g $(DESTDIR)$(PREFIX)/lib/libtracepress.a
STRIP ?= strip
install: all man $(STATIC) ## copy into $(DESTDIR)$(PREFIX)
	install $(STRIPPED) -D -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/tracepress
	install $(STRIPPED) -D -m 644 $(LIB).0 $(DESTDIR)$(PREFIX)/lib/libtracepress.so.0
	ln -sf libtracepress.so.0 $(DESTDIR)$(PREFIX)/lib/libtracepress.so
	install $(STRIPPED) -D -m 644 $(PRE) $(DESTDIR)$(PREFIX)/lib/tracepress/libtracepress-preload.so
	install -d $(DESTDIR)$(PREFIX)/include
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include
	install -m 644 $(STATIC) $(DESTDIR)$(PREFIX)/lib/libtracepress.a
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig $(CMAKE)
	sed 's|@VERSION@|$(VERSION)|' collector/tracepress.pc.in >$(DESTDIR)$(PREFIX)/lib/pkgconfig/tracepress.pc
	install -m 644 collector/tracepressConfig.cmake $(CMAKE)/tracepressConfig.cmake
	sed 's|@VERSION@|$(VERSION)|' collector/tracepressConfigVersion.cmake.in >$(CMAKE)/tracepressConfigVersion.cmake
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/doc/tracepress/docs
	install -m 644 $(if $(MPI),$(MAN),$(filter-out %/tracepress-mpi.1,$(MAN))) $(DESTDIR)$(PREFIX)/share/man/man1
	for s in bash zsh fish; do sh templates/completions.sh $$s $(sort $(wildcard templates/help/*.txt)) >$(BUILD)/gen/tracepress.$$s || exit 1; done
	$(foreach s,$(SHELLS),install -D -m 644 $(BUILD)/gen/tracepress.$(firstword $(subst :, ,$(s))) $(DESTDIR)$(PREFIX)/share/$(lastword $(subst :, ,$(s))) &&) :
	$(if $(MPI),install $(STRIPPED) -m 755 $(MPI) $(DESTDIR)$(PREFIX)/bin/tracepress-mpi)
	install -m 644 $(wildcard docs/*.md) $(DESTDIR)$(PREFIX)/share/doc/tracepress/docs
	install -m 644 README.md LICENSE THIRD-PARTY $(DESTDIR)$(PREFIX)/share/doc/tracepress
	install -D -m 644 docs/SKILL.md $(DESTDIR)$(PREFIX)/share/tracepress/SKILL.md
	@echo "tracepress is in $(PREFIX). Where the system does not look there, set:"
	@echo "  export PATH=\"$(PREFIX)/bin:\$$PATH\" LD_LIBRARY_PATH=\"$(PREFIX)/lib\" PKG_CONFIG_PATH=\"$(PREFIX)/lib/pkgconfig\" CMAKE_PREFIX_PATH=\"$(PREFIX)\" MANPATH=\"$(PREFIX)/share/man:\""
uninstall: ## remove what install copied
	rm -rf $(addprefix $(DESTDIR)$(PREFIX)/,bin/tracepress bin/tracepress-mpi) $(addprefix $(DESTDIR)$(PREFIX)/,share/doc/tracepress share/tracepress lib/tracepress lib/cmake/tracepress) \
	  $(addprefix $(DESTDIR)$(PREFIX)/,lib/libtracepress.so.0 lib/libtracepress.so lib/libtracepress.a lib/pkgconfig/tracepress.pc) \
	  $(addprefix $(DESTDIR)$(PREFIX)/include/,$(notdir $(HEADERS))) \
	  $(addprefix $(DESTDIR)$(PREFIX)/share/man/man1/,$(notdir $(MAN))) \
	  $(foreach s,$(SHELLS),$(DESTDIR)$(PREFIX)/share/$(lastword $(subst :, ,$(s))))
deb: all ## a Debian package of this machine's architecture, in $(BUILD)/dist
	@sh .ci/deb.sh $(BUILD) $(VERSION)
dist: ## the archive of sources and its checksum, in $(BUILD)/dist (needs hatchling, in PYTHON=python3)
	$(or $(PYTHON),python3) -m hatchling build -t sdist -d $(BUILD)/dist
	cd $(BUILD)/dist && sha256sum *$(VERSION)* >SHA256SUMS
clean: ## remove build/
	rm -rf build
help: ## this list
	@awk -F':.*## ' '/^[a-z_-]+:.*## /{printf "  make %-16s %s\n",$$1,$$2}' $(MAKEFILE_LIST)
	@echo "  MODE=release|debug|asan|tsan picks flags and build/<mode>; V=1 shows commands"

.PHONY: all acceptance expected man mpi windows arm64 cross demo test test-full test-quick test-unit test-gpu programs programs-table fuzz fuzz-coverage bench lint house format compile_commands install install-strip uninstall deb dist clean help
.DELETE_ON_ERROR:
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
