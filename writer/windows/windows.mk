# Settings of a build for Windows, which has only the commands that read traces. The Makefile includes this file if the
# compiler's target is Windows.
NOT_HERE  := cmd_bench bench_child bench_revisions cmd_record cmd_recover nsys_convert record_end record_options run_outputs
CORE      := $(filter-out $(BUILD)/collector/% $(BUILD)/writer/spool/% %/writer/base/mapped.o %/writer/base/path.o,$(CORE)) $(call obj,writer/windows/*.c)
CLI       := $(filter-out $(NOT_HERE:%=$(BUILD)/webreport/cli/%.o),$(call obj,webreport/cli/*.c)) $(BUILD)/writer/windows/start.o
CORE      := $(filter-out %/start.o,$(CORE))
RECORDING :=
BIN       := $(BUILD)/tracepress.exe
LIBS      := -lprotobuf-c -lsqlite3 -l:libz.a -ltre -lsupc++
# The headers of this folder add the functions that the system's headers lack. printf formats are checked on Linux only: here the
# compiler would check them by the rules of an old C run time, which is not used.
ALL_CFLAGS  += -Iwriter/windows -D_FILE_OFFSET_BITS=64 -D__USE_MINGW_ANSI_STDIO=1 -D_WIN32_WINNT=0x0602 -DWIN32_LEAN_AND_MEAN -Wno-format
ALL_LDFLAGS += -municode -static -Wl,--no-insert-timestamp
