/* Feeds the text of a trace through a moving window: file, pipe or memory, plain or gzip, inflated on a second thread
 * when the file is large.
 * The window [at, end) is followed by TP_FEED_PAD readable zero bytes. tp_feed_more keeps the unread text in front of
 * the next block, so an event never crosses a border; consumed text is dropped. One reader thread. */
#ifndef TP_WEBREPORT_TRACE_FEED_H
#define TP_WEBREPORT_TRACE_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"

enum { TP_FEED_PAD = 64 };

struct tp_feed;

struct tp_feed_options {
    uint64_t max_input_bytes; /* limit of the inflated text */
    bool single_thread;
    bool skips_hash;
    int copy_fd; /* descriptor that gets a copy of the bytes read from a descriptor; 0: none */
};

/* Properties of the input; valid after the last tp_feed_more. */
struct tp_feed_report {
    uint64_t file_bytes, text_bytes;
    bool is_gzip, is_cut, is_corrupt, has_bad_checksum, has_trailing_data;
    bool has_bad_utf8;       /* anywhere in the text, even in parts that are skipped */
    uint64_t bad_utf8_block; /* offset of the first block with it */
    bool has_control;        /* a control character that JSON forbids, anywhere in the text */
    uint64_t control_block;
    char sha256[65];         /* hash of the stored bytes, hexadecimal; set at the end of the input; or "" */
};

/* Opens `path` ("-": stdin). Returns 0, TP_EIO, TP_ENOMEM. */
int tp_feed_open(struct tp_feed **out, const char *path, const struct tp_feed_options *options, struct tp_error *err);
/* Opens a feed of bytes in memory, which must outlive it. Returns as above. */
int tp_feed_open_bytes(struct tp_feed **out, const void *bytes, size_t size, const struct tp_feed_options *options,
                       struct tp_error *err);
/* Stops the thread, closes the file. Accepts NULL. */
void tp_feed_close(struct tp_feed *feed);

/* Moves the window: [*at, *end) becomes the unread rest followed by the next block. Before the first call both are
 * NULL. Returns 1 when there is more text, 0 at the end of input (window unchanged), TP_EIO, TP_ENOMEM or TP_ELIMIT. */
int tp_feed_more(struct tp_feed *feed, const char **at, const char **end, struct tp_error *err);

/* Returns the offset in the text of a position inside the current window. */
uint64_t tp_feed_offset(const struct tp_feed *feed, const char *at);

struct tp_feed_report tp_feed_result(const struct tp_feed *feed);

#endif
