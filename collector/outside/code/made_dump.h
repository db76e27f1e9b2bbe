/* Reads names of generated code from a dump in perf's format "jitdump"
 * (tools/perf/Documentation/jitdump-specification.txt of Linux). `node --perf-prof`, LLVM, .NET and `java` with perf's
 * agent write jit-PID.dump and map its first page as code, which shows the recorder that the file exists. Only records
 * of loaded code are used: address, size, name; the last record for an address counts. The file comes from the program,
 * so all its values are checked.
 *
 * Moved code (JIT_CODE_MOVE) has its name only at its first address. Line numbers (JIT_CODE_DEBUG_INFO) are ignored. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_MADE_DUMP_H
#define TP_COLLECTOR_OUTSIDE_CODE_MADE_DUMP_H

#include "collector/outside/code/made_map.h"

/* Returns NUMBER from a path ".../jit-NUMBER.dump": the process id in its own namespace. Returns 0 for any other
 * path. */
uint32_t tp_made_dump_pid(const char *path);

/* Finds the names of addresses, given in ascending order, in an open dump at any file position. Addresses without a
 * name there are not changed. Reads at most TP_MAX_OUTSIDE_MADE_BYTES and *left_bytes, and subtracts what it read. The
 * code itself is skipped. */
void tp_made_dump_find(struct tp_made_wanted *wanted, size_t count, int dump, uint64_t *left_bytes);

#endif
