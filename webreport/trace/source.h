/* Defines an open input, the argument of each reader in the table of input formats. */
#ifndef TP_WEBREPORT_TRACE_SOURCE_H
#define TP_WEBREPORT_TRACE_SOURCE_H

#include "webreport/trace/feed.h"
#include "webreport/trace/sink.h"

struct tp_source {
    struct tp_sink *sink;  /* gets the events; the caller finishes it */
    struct tp_feed *feed;  /* the bytes of the input, inflated if it is gzip */
    const char *at, *end;  /* first window of the feed; end - at is 0 for an empty input */
    const char *path;      /* to open the file again; NULL: bytes in memory, "-": standard input */
    bool is_strict;        /* refuse anything that is not exact */
    bool is_binary;        /* set by the reader of a binary format: its bytes need not be UTF-8 */
    struct tp_error *err;
};

/* Delivers the events of the input to source->sink. A reader reads the feed to its end, or calls tp_source_drain, and
 * calls tp_source_report. Returns 0, or a negative code with source->err filled. Failed allocations may leave through
 * the guard of the arena, so a reader with memory outside of it sets its own guard (tp_arena_run). */
typedef int tp_source_reader(struct tp_source *source);

/* Reads the rest of the feed, for a reader that opened the file itself, so that the hash and the size are those of the
 * whole file. Returns 0, TP_EIO, TP_ENOMEM or TP_ELIMIT. */
int tp_source_drain(struct tp_source *source);

/* Writes the sizes, hash and damage of the file to the trace. at: the position in the feed where reading ended. */
void tp_source_report(struct tp_source *source, const char *at);

#endif
