/* Reads how a file begins: whether it contains a trace, and which other tool wrote it. */
#ifndef TP_WEBREPORT_TRACE_FILE_HEAD_H
#define TP_WEBREPORT_TRACE_FILE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true when a regular file, plain or gzip, begins like a trace: a JSON object with "traceEvents" or a list of
 * events, within its first megabyte of text. Returns false when it cannot be read. */
bool tp_file_head_is_trace(const char *path);

/* Returns true when a regular file, plain or gzip, is a trace of `record --outside`: its first members say so, as
 * collector/outside/trace/outside_trace.c writes them. Reads only the first 4 KiB, for runs of many files. */
bool tp_file_head_is_from_outside(const char *path);

/* Returns the rank in the "distributedInfo" among the first members of a trace, plain or gzip; -1 if its first 64 KiB
 * name none. */
int64_t tp_file_head_rank(const char *path);

/* Names another tool's file by its first megabyte of text, by the table of input formats. Returns static text;
 * NULL when the file is not known, is a trace, or cannot be read. */
const char *tp_file_head_describe(const char *path);

#endif
