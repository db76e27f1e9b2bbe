/* Reads the first bytes of a file to recognize a trace, its rank, or the other tool that wrote the file. */
#ifndef TP_WEBREPORT_TRACE_FILE_HEAD_H
#define TP_WEBREPORT_TRACE_FILE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true if a regular file, plain or gzip, begins like a trace: a JSON object with "traceEvents" or a list of
 * events. Checks the first megabyte of text. Returns false if the file cannot be read. */
bool tp_file_head_is_trace(const char *path);

/* Returns true if a regular file, plain or gzip, is a trace of `record --outside`. Recognizes the first members that
 * collector/outside/trace/outside_trace.c writes. Reads only the first 4 KiB, because a run may have many files. */
bool tp_file_head_is_from_outside(const char *path);

/* Returns the rank in the member "distributedInfo" of a trace, plain or gzip. Returns -1 if the first 64 KiB of text
 * contain no rank. */
int64_t tp_file_head_rank(const char *path);

/* The time of a recording, ns since the epoch, found without reading the whole file. */
struct tp_file_times {
    int64_t start_ns, end_ns; /* the end may be too early, because only a part of the events is examined */
    uint32_t checksum;        /* of the first bytes; equal for copies of a file */
};

/* Finds the time of a trace in JSON in its first and, unless it is gzip, last 64 KiB of text. Returns false if these
 * parts contain no events or the file has no absolute time. */
bool tp_file_head_times(struct tp_file_times *times, const char *path);

/* Returns true if a regular file is a memory snapshot, according to the table of input formats. */
bool tp_file_head_is_snapshot(const char *path);

/* Returns true if a regular file is a dump of the Flight Recorder, according to the same table. */
bool tp_file_head_is_flight(const char *path);

/* Returns true if a regular file is a memory timeline (export_memory_timeline), according to the same table. */
bool tp_file_head_is_timeline(const char *path);

/* Returns the format of a regular file, plain or gzip, by its first 64 KiB of text; NULL if it cannot be read. */
struct tp_input_format;
const struct tp_input_format *tp_file_head_format(const char *path);

/* Returns a description of a file that another tool wrote, according to the table of input formats. Checks the first
 * megabyte of text. Static text; NULL if the file is unknown, is a trace, or cannot be read. */
const char *tp_file_head_describe(const char *path);

#endif
