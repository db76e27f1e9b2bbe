/* Moves a window over the text of a trace. The input is a file, a pipe or memory, plain or gzip. A large input is
 * inflated on a second thread.
 *
 * At least TP_FEED_PAD readable zero bytes follow the window [at, end). tp_feed_next_window moves the unread text in
 * front of the next block, so that an event never crosses a border. Consumed text is dropped. Only one thread may read.
 */
#ifndef TP_WEBREPORT_TRACE_FEED_H
#define TP_WEBREPORT_TRACE_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/buf.h"
#include "writer/base/error.h"

enum { TP_FEED_PAD = 64 };

/* Makes TP_FEED_PAD zero bytes after another text readable, so that it can be scanned like a window. Its size does not
 * change. On failure sets text->failed. */
void tp_feed_pad(struct tp_buf *text);

struct tp_feed;

struct tp_feed_options {
    uint64_t max_input_bytes; /* maximum size of the inflated text, bytes */
    bool single_thread;
    bool skips_hash;
    int copy_fd; /* descriptor that receives a copy of the stored bytes of the input; 0: no copy */
};

/* Properties of the input, complete after the last tp_feed_next_window. */
struct tp_feed_report {
    uint64_t file_bytes, text_bytes;
    bool is_gzip, is_cut, is_corrupt, has_bad_checksum, has_trailing_data;
    bool has_bad_utf8;              /* true if the text has ill-formed UTF-8, even in skipped parts */
    uint64_t bad_utf8_block_offset; /* offset in the text of the first block with ill-formed UTF-8, bytes */
    bool has_control;               /* true if the text has a control character that JSON forbids */
    uint64_t control_block_offset;
    /* SHA-256 of the stored bytes, hexadecimal, set at the end of the input; "" if skips_hash is set */
    char sha256[65];
};

/* Opens a feed of the file `path` ("-": standard input). Returns 0, TP_EIO or TP_ENOMEM. */
int tp_feed_open(struct tp_feed **out, const char *path, const struct tp_feed_options *options, struct tp_error *err);
/* Opens a feed of bytes in memory, which must remain valid while the feed is open. Returns the codes of
 * tp_feed_open. */
int tp_feed_open_bytes(struct tp_feed **out, const void *bytes, size_t size, const struct tp_feed_options *options,
                       struct tp_error *err);
/* Stops the thread and closes the file. Accepts NULL. */
void tp_feed_close(struct tp_feed *feed);

/* Moves the window. [*at, *end) becomes the unread rest followed by the next block. Both pointers must be NULL
 * before the first call. Returns 1 if there is more text, or 0 at the end of the input, with the window unchanged.
 * Returns TP_EIO, TP_ENOMEM or TP_ELIMIT on an error. */
int tp_feed_next_window(struct tp_feed *feed, const char **at, const char **end, struct tp_error *err);

/* Returns the offset in the whole text, bytes, of a position in the current window. */
uint64_t tp_feed_offset(const struct tp_feed *feed, const char *at);

struct tp_feed_report tp_feed_result(const struct tp_feed *feed);

#endif
