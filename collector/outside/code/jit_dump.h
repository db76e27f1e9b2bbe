/* Reads names of generated code from a dump in perf's format "jitdump"
 * (tools/perf/Documentation/jitdump-specification.txt of Linux). `node --perf-prof`, LLVM, .NET and `java` with perf's
 * agent write jit-PID.dump. They map the first page of the dump as code, and this mapping shows the recorder that the
 * file exists. Only records of loaded code are used. They contain address, size and name, and the last record for an
 * address is valid. The file comes from the program, so all its values are checked.
 *
 * Code that is moved later (JIT_CODE_MOVE) has a name only at its first address. Line numbers (JIT_CODE_DEBUG_INFO) are
 * ignored. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_JIT_DUMP_H
#define TP_COLLECTOR_OUTSIDE_CODE_JIT_DUMP_H

#include "collector/outside/code/jit_map.h"

/* Returns NUMBER from a path ".../jit-NUMBER.dump". NUMBER is the process id in the process's own namespace. Returns 0
 * for any other path. */
uint32_t tp_jit_dump_pid(const char *path);

/* Finds the names of addresses, given in ascending order, in an open dump. The file position does not matter. An
 * address without a name in the dump is not changed. Reads at most TP_MAX_OUTSIDE_GENERATED_BYTES and *left_bytes, and
 * subtracts the bytes that it read from *left_bytes. The code itself is skipped. */
void tp_jit_dump_find(struct tp_jit_wanted *wanted, size_t count, int dump, uint64_t *left_bytes);

#endif
