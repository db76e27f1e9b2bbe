/* Reads names of generated code from a dump in perf's format "jitdump"
 * (tools/perf/Documentation/jitdump-specification.txt of Linux). `node --perf-prof`, LLVM, .NET and `java` with perf's
 * agent write jit-PID.dump. They map the first page of the dump as code, so the recorder learns the path from this
 * mapping.
 * Only "code load" records with address, size and name are used. The last record for an address is valid. Code that is
 * moved later (JIT_CODE_MOVE) has a name only at its first address. Line numbers (JIT_CODE_DEBUG_INFO) are ignored. All
 * values are checked, because the file comes from the program. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_JIT_DUMP_H
#define TP_COLLECTOR_OUTSIDE_CODE_JIT_DUMP_H

#include "collector/outside/code/jit_map.h"

/* Returns NUMBER from a path ".../jit-NUMBER.dump", or 0 for any other path. NUMBER is the process id in the process's
 * own namespace. */
uint32_t tp_jit_dump_pid(const char *path);

/* Finds the names of `count` addresses, which are in ascending order, in an open dump. Entries without a name in the
 * dump are not changed. Reads at most TP_MAX_OUTSIDE_GENERATED_BYTES and at most *left_bytes, and subtracts the bytes
 * read from *left_bytes. */
void tp_jit_dump_find_names(struct tp_jit_wanted *wanted, size_t count, int dump, uint64_t *left_bytes);

#endif
