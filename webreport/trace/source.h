/* Defines an open input, which each reader in the table of input formats receives. */
#ifndef TP_WEBREPORT_TRACE_SOURCE_H
#define TP_WEBREPORT_TRACE_SOURCE_H

#include "webreport/trace/feed.h"
#include "webreport/trace/sink.h"

struct tp_source {
    struct tp_sink *sink; /* sink that receives the events; the caller finishes it */
    struct tp_feed *feed; /* bytes of the input, inflated if it is gzip */
    const char *at, *end; /* first window of the feed; empty for an empty input */
    const char *path;     /* path for opening the file again; "-" for standard input, NULL for bytes in memory */
    bool is_strict;       /* true if input that is not exact JSON must be refused */
    bool is_binary;       /* true for a binary format, whose bytes need not be UTF-8; set by its reader */
    const struct tp_trace_options *options; /* options of the caller; NULL for default options */
    struct tp_error *err;
};

/* Delivers the events of an input to source->sink. A reader reads the feed to its end or calls tp_source_drain, and
 * then calls tp_source_store_feed_report. Returns 0, or a negative code with source->err filled.
 *
 * Failed allocations may jump to the guard of the arena. So a reader with memory outside the arena must set a guard and
 * free this memory itself (tp_arena_run). */
typedef int tp_source_reader(struct tp_source *source);

/* Reads the rest of the feed, so that hash and size are those of the whole file. Used by readers that open the file
 * themselves. Returns 0, TP_EIO, TP_ENOMEM or TP_ELIMIT. */
int tp_source_drain(struct tp_source *source);

/* Writes the sizes, hash and damage of the file to the trace. at: position in the feed where the reader stopped. */
void tp_source_store_feed_report(struct tp_source *source, const char *at);

#endif
