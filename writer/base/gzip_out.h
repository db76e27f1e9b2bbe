/* Compresses bytes into a gzip member in memory, for data inside a page. Equal input gives equal bytes, because the
 * header contains no time and no file name. */
#ifndef TP_WRITER_BASE_GZIP_OUT_H
#define TP_WRITER_BASE_GZIP_OUT_H

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Compresses `count` texts, one after the other, into one gzip member in `arena`. */
struct tp_str tp_gzip_texts(struct tp_arena *arena, const struct tp_str *texts, size_t count);

/* Does the same as tp_gzip_texts, but with zlib's strongest compression, ten times slower. For a few hundred kilobytes
 * that are stored for a long time. */
struct tp_str tp_gzip_small(struct tp_arena *arena, const struct tp_str *texts, size_t count);

#endif
