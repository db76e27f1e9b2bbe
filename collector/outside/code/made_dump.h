/* A dump of code that a program made while it ran, in perf's format "jitdump" (tools/perf/Documentation/jitdump-specification.txt
 * of Linux): `node --perf-prof`, LLVM, .NET, `java` with perf's agent write jit-PID.dump and map its first page as code, which tells
 * whoever records that it is there. Of its records those of loaded code are read: address, size, name; the last one that has an
 * address counts. The file is the program's, so nothing of it is believed.
 *
 * Code that was moved (JIT_CODE_MOVE) has its name where it was loaded only; lines of code (JIT_CODE_DEBUG_INFO) are left out. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_MADE_DUMP_H
#define TP_COLLECTOR_OUTSIDE_CODE_MADE_DUMP_H

#include "collector/outside/code/made_map.h"

/* The NUMBER of a path ".../jit-NUMBER.dump": of the process, in its own namespace. 0: it is the path of something else. */
uint32_t tp_made_dump_pid(const char *path);

/* Finds the names of addresses, which are in ascending order, by a dump that is open and stands anywhere; those that it does not
 * name stay as they are. Reads at most TP_MAX_OUTSIDE_MADE_BYTES and *left_bytes, which shrinks by what was read: code is
 * stepped over. */
void tp_made_dump_find(struct tp_made_wanted *wanted, size_t count, int dump, uint64_t *left_bytes);

#endif
