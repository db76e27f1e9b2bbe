/* Compresses and writes blocks of text to a file, in a separate thread with a small ring of blocks.
 *
 * One caller fills a tp_buf and passes it to the thread. The thread compresses and writes this block while the caller
 * fills the next one. If the options forbid the thread or it cannot start, tp_pack_write does the work. The file is one
 * gzip member or plain text, and appears complete or not at all (fs.h). All memory is allocated when the file is
 * opened: the blocks of the ring and the compressor. Writing never raises SIGXFSZ or SIGPIPE in the caller; a file that
 * is too large and a closed pipe are returned as errors. A child of fork must not use its parent's packer. */
#ifndef TP_WRITER_BASE_PACK_H
#define TP_WRITER_BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/buf.h"
#include "writer/base/error.h"

enum { TP_PACK_BLOCK = 256 * 1024 }; /* size at which a block should be passed to tp_pack_write, bytes */

struct tp_pack;

struct tp_pack_options {
    bool is_gzip;
    int level;           /* compression level, 1 (fast) to 9 (small); 0 means 1 */
    bool single_thread;  /* true: the caller's thread does the work in tp_pack_write */
    const char *comment; /* comment in the header of the gzip member, borrowed (deflate.h); NULL: none */
};

/* Opens `path` for writing ("-": standard output). Returns 0, TP_EIO or TP_ENOMEM. */
int tp_pack_open(struct tp_pack **out, const char *path, const struct tp_pack_options *options, struct tp_error *err);

/* Passes the contents of `block` to the writing thread. Afterwards the block is empty and has other memory. Waits if
 * the ring is full. After an error, discards the contents. */
void tp_pack_write(struct tp_pack *pack, struct tp_buf *block);

/* Returns 0, or the code of the first error so far. Any thread may call it. */
int tp_pack_error_code(struct tp_pack *pack);

/* Waits until everything is written, then closes and renames the file. Frees *slot and sets it to NULL. Returns 0 or
 * the first error. */
int tp_pack_close(struct tp_pack **slot, struct tp_error *err);

/* Discards the file and all data. Frees *slot and sets it to NULL. *slot may be NULL. */
void tp_pack_discard(struct tp_pack **slot);

#endif
