/* Compresses a gzip member in steps: with ISA-L if the build found it, otherwise with zlib. The output is deterministic
 * because the header contains no time and no file name. Allocates with malloc, only in tp_deflate_open. One thread at a
 * time may use a compressor. */
#ifndef TP_WRITER_BASE_DEFLATE_H
#define TP_WRITER_BASE_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>

struct tp_deflate;

/* operating system in the header of a gzip member: Unix, also on other systems, so that all machines write the same
 * bytes */
enum { TP_GZIP_SYSTEM = 3 };

/* Receives compressed bytes. If the result is not 0, the function that produced the bytes stops and returns the
 * result. */
typedef int (*tp_deflate_sink)(void *context, const void *bytes, size_t size);

/* Opens a compressor. level: 1 (fast) to 9 (small). comment: text for the header of the member, borrowed, less than
 * 4096 bytes, or NULL. Returns NULL when memory is short. */
struct tp_deflate *tp_deflate_open(int level, const char *comment);

/* Compresses `size` bytes; is_last ends the member. Returns 0, the result of the sink if not 0, or TP_ENOMEM. */
int tp_deflate_add(struct tp_deflate *deflate, const void *bytes, size_t size, bool is_last, tp_deflate_sink sink,
                   void *context);

/* Frees the compressor; accepts NULL. */
void tp_deflate_close(struct tp_deflate *deflate);

#endif
