/* Reads the begin of a file to find out whether it contains a trace, and which other tool wrote it. */
#ifndef TP_WEBREPORT_TRACE_FILE_HEAD_H
#define TP_WEBREPORT_TRACE_FILE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true if a regular file, plain or gzip, begins like a trace. A trace is a JSON object with "traceEvents" or a
 * list of events; the first megabyte of text is checked. Returns false if the file cannot be read. */
bool tp_file_head_is_trace(const char *path);

/* Returns true if a regular file, plain or gzip, is a trace of `record --outside`. Its first members show it, as
 * collector/outside/trace/outside_trace.c writes them. Reads only the first 4 KiB, for runs of many files. */
bool tp_file_head_is_from_outside(const char *path);

/* Returns the rank in the "distributedInfo" among the first members of a trace, plain or gzip. Returns -1 if its first
 * 64 KiB contain no rank. */
int64_t tp_file_head_rank(const char *path);

/* Describes a file of another tool by its first megabyte of text, with the table of input formats. Returns static text.
 * Returns NULL if the file is unknown, is a trace, or cannot be read. */
const char *tp_file_head_describe(const char *path);

#endif
