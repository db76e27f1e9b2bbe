/* Compresses bytes into a gzip member in memory, for data inside a page. Deterministic: no time, no name in its
 * header. */
#ifndef TP_WRITER_BASE_GZIP_OUT_H
#define TP_WRITER_BASE_GZIP_OUT_H

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Compresses `count` texts, one after the other, into one gzip member in `arena`. */
struct tp_str tp_gzip_texts(struct tp_arena *arena, const struct tp_str *texts, size_t count);

/* Does the same with zlib's smallest output, at a tenth of the speed: for a few hundred kilobytes that are stored for
 * long. */
struct tp_str tp_gzip_small(struct tp_arena *arena, const struct tp_str *texts, size_t count);

#endif
