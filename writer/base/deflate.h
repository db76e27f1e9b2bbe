/* Compresses a gzip member step by step: with ISA-L if the build found it, otherwise with zlib. Equal input gives equal
 * bytes, because the header contains no time and no file name. Allocates with malloc, only in tp_deflate_open. Only one
 * thread at a time may use a compressor. */
#ifndef TP_WRITER_BASE_DEFLATE_H
#define TP_WRITER_BASE_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>

struct tp_deflate;

/* operating system in the gzip header: Unix on all systems, so that all machines write the same bytes */
enum { TP_GZIP_SYSTEM = 3 };

/* Receives compressed bytes. A result other than 0 stops the compression and becomes the result of tp_deflate_add. */
typedef int (*tp_deflate_sink)(void *context, const void *bytes, size_t size);

/* Opens a compressor. level: 1 (fast) to 9 (small). comment: text for the gzip header, borrowed, less than 4096 bytes,
 * or NULL. Returns NULL if memory is short. */
struct tp_deflate *tp_deflate_open(int level, const char *comment);

/* Compresses `size` bytes and passes output to the sink; is_last ends the member. Returns 0, the result of the sink if
 * not 0, or TP_ENOMEM. */
int tp_deflate_add(struct tp_deflate *deflate, const void *bytes, size_t size, bool is_last, tp_deflate_sink sink,
                   void *context);

/* Frees the compressor; accepts NULL. */
void tp_deflate_close(struct tp_deflate *deflate);

#endif
