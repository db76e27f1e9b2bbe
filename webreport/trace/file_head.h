/* Reads how a file begins: whether it contains a trace, and which other tool wrote it. */
#ifndef TP_WEBREPORT_TRACE_FILE_HEAD_H
#define TP_WEBREPORT_TRACE_FILE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a regular file, plain or gzip, begins as a trace: a JSON object with "traceEvents" or a list of events,
 * within its first megabyte of text. Anything that cannot be read is none. */
bool tp_file_head_is_trace(const char *path);

/* Whether a regular file, plain or gzip, is a trace of `record --outside`: one that says so among its first members, as
 * collector/outside/trace/outside_trace.c writes it. It is for runs of many files: the first 4 KiB are read. */
bool tp_file_head_is_from_outside(const char *path);

/* Returns the rank in the "distributedInfo" among the first members of a trace, plain or gzip; -1 if its first 64 KiB name
 * none. */
int64_t tp_file_head_rank(const char *path);

/* Names another tool's file by its first megabyte of text, by the table of input formats. Returns static text;
 * NULL when the file is not known, is a trace, or cannot be read. */
const char *tp_file_head_describe(const char *path);

#endif
