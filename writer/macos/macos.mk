# Settings of a build for macOS, which has only the commands that read traces. The Makefile includes this file if OS is Darwin.
NOT_HERE := cmd_bench bench_child bench_revisions cmd_record cmd_recover nsys_convert record_end record_options run_outputs
CORE     := $(filter-out $(BUILD)/collector/% $(BUILD)/writer/spool/% %/writer/base/mapped.o,$(CORE)) $(call obj,writer/macos/*.c)
CLI      := $(filter-out $(NOT_HERE:%=$(BUILD)/webreport/cli/%.o),$(call obj,webreport/cli/*.c))
RECORDING :=
LIBS     := -lprotobuf-c -lsqlite3 -lz
ALL_CFLAGS += -Iwriter/macos # its headers add what the system's lack
