/* What a file is, by how it begins: whether it holds a trace, and what other tools' files are called. */
#ifndef TP_WEBREPORT_TRACE_FILE_HEAD_H
#define TP_WEBREPORT_TRACE_FILE_HEAD_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a regular file, plain or gzip, begins as a trace: a JSON object with "traceEvents" or a list of events,
 * within its first megabyte of text. Anything that cannot be read is none. */
bool tp_file_head_is_trace(const char *path);

/* Whether a regular file, plain or gzip, is a trace of `record --outside`: one that says so among its first members, as
 * collector/outside/outside_trace.c writes it. It is for runs of many files: the first 4 KiB are read. */
bool tp_file_head_is_from_outside(const char *path);

/* What another tool's file is and how to go on, one line without the file's name; static. NULL: `bytes` do not begin
 * like one of those known, and the name (NULL: unknown) is not one of theirs. */
const char *tp_file_head_foreign(const void *bytes, size_t size, const char *name);

/* The same of a file; NULL also when it cannot be read. */
const char *tp_file_head_describe(const char *path);

/* Whether the name is one that other tools give their profiles. */
bool tp_file_head_is_foreign_name(const char *name);

#endif
