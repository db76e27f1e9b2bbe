/* Inflates a gzip stream, with ISA-L if it is built in, otherwise with zlib. Both give equal results.
 *
 * Concatenated members are one stream. Zero bytes after the last member are padding; any other bytes set
 * has_trailing_data. Damage ends the stream, and the text before the damage is delivered. One thread owns the
 * struct. */
#ifndef TP_WEBREPORT_TRACE_INFLATE_H
#define TP_WEBREPORT_TRACE_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tp_inflate_end {
    TP_INFLATE_RUNNING,
    TP_INFLATE_DONE,
    TP_INFLATE_BAD_DATA,     /* the deflate data or a header is corrupt */
    TP_INFLATE_BAD_CHECKSUM, /* the stream is complete, but the checksum of a member differs */
};

struct tp_inflate {
    void *state; /* state of the decompression library */
    const uint8_t *in;
    size_t in_size;
    bool is_between_members, has_trailing_data;
    enum tp_inflate_end end;
};

/* Initializes *inflate. Returns 0 or TP_ENOMEM. */
int tp_inflate_open(struct tp_inflate *inflate);
void tp_inflate_close(struct tp_inflate *inflate);

/* Sets the next compressed bytes, which must remain valid until they are consumed. Call it only while in_size is 0. */
void tp_inflate_feed(struct tp_inflate *inflate, const void *bytes, size_t size);

/* Writes up to `size` bytes of text to `out` and returns their number. If the number is below `size`, more input is
 * needed or `end` is set. */
size_t tp_inflate_run(struct tp_inflate *inflate, void *out, size_t size);

/* Returns true if the stream stopped inside a member. Call it only at the end of the input. */
bool tp_inflate_is_cut(const struct tp_inflate *inflate);

#endif
