/* A gzip member piece by piece: ISA-L where it was found at build, zlib otherwise. Deterministic: no time, no name.
 * Memory by malloc, taken at open only. One thread at a time. */
#ifndef TP_WRITER_BASE_DEFLATE_H
#define TP_WRITER_BASE_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>

struct tp_deflate;

enum { TP_GZIP_SYSTEM = 3 }; /* Unix, whatever the system: zlib would write its own into the head of a member */

/* Receives compressed bytes; not 0 ends the call that produced them, which returns it. */
typedef int (*tp_deflate_sink)(void *context, const void *bytes, size_t size);

/* level: 1 (fast) to 9 (small); comment: stands in the head of the member, borrowed, less than 4096 bytes; NULL: none.
 * NULL when there is no memory. */
struct tp_deflate *tp_deflate_open(int level, const char *comment);

/* Compresses `size` bytes; is_last ends the member. 0, or what the sink returned, or TP_ENOMEM. */
int tp_deflate_add(struct tp_deflate *deflate, const void *bytes, size_t size, bool is_last, tp_deflate_sink sink,
                   void *context);

/* Frees; accepts NULL. */
void tp_deflate_close(struct tp_deflate *deflate);

#endif
