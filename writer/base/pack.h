/* Blocks of text to a file, compressed and written by a thread of its own through a small ring.
 *
 * One caller fills a tp_buf and hands it over; the thread deflates and writes while the next one is filled. Without the
 * thread (not allowed, or it could not start) the same happens in the call. The file is one gzip member or plain text
 * and appears whole or not at all (fs.h). Memory: the ring's blocks and the deflate state, all taken at open.
 * Writing never raises SIGXFSZ or SIGPIPE in the caller: too large a file and a closed pipe are returned errors.
 * A child of fork must not use a packer of its parent. */
#ifndef TP_WRITER_BASE_PACK_H
#define TP_WRITER_BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/buf.h"
#include "writer/base/error.h"

enum { TP_PACK_BLOCK = 256 * 1024 }; /* bytes after which a block should be handed over */

struct tp_pack;

struct tp_pack_options {
    bool is_gzip;
    int level;           /* 1 (fast) to 9 (small); 0: 1 */
    bool single_thread;  /* never start the thread */
    const char *comment; /* in the head of the gzip member, borrowed (deflate.h); NULL: none */
};

/* Opens `path` for writing ("-": standard output). 0, TP_EIO or TP_ENOMEM. */
int tp_pack_open(struct tp_pack **out, const char *path, const struct tp_pack_options *options, struct tp_error *err);

/* Hands over the content of `block`, which is empty afterwards (with other memory). Waits while the ring is full. After
 * an error the content is thrown away. */
void tp_pack_write(struct tp_pack *pack, struct tp_buf *block);

/* 0, or the code of the first error so far. Any thread. */
int tp_pack_failed(struct tp_pack *pack);

/* Waits for everything, closes and renames; frees *slot, which becomes NULL. 0 or the first error. */
int tp_pack_close(struct tp_pack **slot, struct tp_error *err);

/* Throws everything away; frees *slot, which becomes NULL. Accepts NULL inside. */
void tp_pack_discard(struct tp_pack **slot);

#endif
