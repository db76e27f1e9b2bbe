/* Defines an open input, the argument of each reader in the table of input formats. */
#ifndef TP_WEBREPORT_TRACE_SOURCE_H
#define TP_WEBREPORT_TRACE_SOURCE_H

#include "webreport/trace/feed.h"
#include "webreport/trace/sink.h"

struct tp_source {
    struct tp_sink *sink; /* receives the events; the caller finishes it */
    struct tp_feed *feed; /* bytes of the input, inflated if the input is gzip */
    const char *at, *end; /* first window of the feed; empty for an empty input */
    const char *path;     /* path, to open the file again; NULL for bytes in memory, "-" for standard input */
    bool is_strict;       /* true: refuse input that is not exact JSON */
    bool is_binary;       /* set by the reader of a binary format, whose bytes need not be UTF-8 */
    struct tp_error *err;
};

/* Delivers the events of the input to source->sink. A reader reads the feed to its end, or calls tp_source_drain, and
 * then calls tp_source_report. Returns 0, or a negative code with source->err filled. Failed allocations may jump to
 * the guard of the arena. So a reader with memory outside the arena sets its own guard (tp_arena_run). */
typedef int tp_source_reader(struct tp_source *source);

/* Reads the rest of the feed. For a reader that opened the file itself, so that hash and size are those of the whole
 * file. Returns 0, TP_EIO, TP_ENOMEM or TP_ELIMIT. */
int tp_source_drain(struct tp_source *source);

/* Writes the sizes, hash and damage of the file to the trace. at: the position in the feed at which reading ended. */
void tp_source_report(struct tp_source *source, const char *at);

#endif
