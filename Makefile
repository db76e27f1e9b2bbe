# tracepress: one Makefile, every output under $(BUILD). Run `make help`.
VERSION := 0.1.0
MODE    ?= release
BUILD   ?= build/$(strip $(MODE))
PREFIX  ?= /usr/local
CC      ?= cc

# ---- flags ---------------------------------------------------------------
WARN  := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wformat=2 -Wundef $(if $(WERROR),-Werror)
STD   := -std=gnu17 -D_GNU_SOURCE -DTP_VERSION='"$(VERSION)"'
FLAGS_release := -O2 -g -DNDEBUG
FLAGS_debug   := -O0 -g
FLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_tsan    := -O1 -g -fsanitize=thread
FLAGS_fuzz    := $(FLAGS_asan) -fsanitize=fuzzer-no-link
MODE_FLAGS    := $(FLAGS_$(strip $(MODE)))
HAVE_ISAL     := $(shell printf '\043include <isa-l/igzip_lib.h>\n' | $(CC) -E - >/dev/null 2>&1 && echo 1)
ALL_CFLAGS     = $(STD) $(WARN) $(MODE_FLAGS) $(if $(HAVE_ISAL),-DTP_HAVE_ISAL=1) -fvisibility=hidden -pthread -MMD -MP -I. $(CFLAGS)
ALL_LDFLAGS    = $(MODE_FLAGS) -pthread $(LDFLAGS)
LIBS          := $(if $(HAVE_ISAL),-lisal) -lz -lm
Q = $(if $(V),,@printf '  %-4s %s\n' $(1) $@;)

# ---- what is built from what (folders are the module list) -----------------
ASSETS := $(sort $(shell find templates -type f ! -name README.md ! -name embed.sh))
obj     = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(1)))
CORE   := $(call obj,writer/*.c writer/base/*.c $(foreach d,trace model views render,webreport/$(d)/*.c))
CLI    := $(call obj,webreport/cli/*.c)
BIN    := $(BUILD)/tracepress
TESTS  := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))

all: $(BIN) ## build the tracepress command
$(BIN): $(CLI) $(BUILD)/core.a
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)
$(BUILD)/core.a: $(CORE) $(BUILD)/gen/assets.o
	$(call Q,AR)rm -f $@; $(AR) rcs $@ $^
$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(BUILD)/gen/assets.S: templates/embed.sh $(ASSETS)
	@mkdir -p $(@D)
	$(call Q,GEN)sh $< $(ASSETS) > $@
$(BUILD)/gen/assets.o: $(BUILD)/gen/assets.S
	$(call Q,AS)$(CC) -c -o $@ $<

# ---- tests -----------------------------------------------------------------
$(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(BUILD)/core.a
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(LIBS)
test-unit: $(TESTS) ## unit tests, a program per module; T=substring selects
	@for t in $(TESTS); do case $$t in *$(T)*) $$t || exit 1;; esac; done

clean: ## remove build/
	rm -rf build
help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-10s %s\n",$$1,$$2}' $(MAKEFILE_LIST)

.PHONY: all test-unit clean help
.DELETE_ON_ERROR:
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
