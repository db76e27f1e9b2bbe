/* Writes PNG files: see png.h. Format: PNG specification, third edition (W3C). */
#include "writer/png.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "writer/base/error.h"

static void put_big_endian(unsigned char *out, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void add_chunk(struct tp_buf *out, const char *type, const void *bytes, size_t size)
{
    unsigned char number[4];
    uLong crc = crc32(crc32(0, NULL, 0), (const Bytef *)type, 4);
    put_big_endian(number, (uint32_t)size);
    tp_buf_add(out, number, sizeof number);
    tp_buf_add(out, type, 4);
    tp_buf_add(out, size ? bytes : "", size);
    put_big_endian(number, (uint32_t)(size ? crc32(crc, bytes, (uInt)size) : crc));
    tp_buf_add(out, number, sizeof number);
}

/* Returns the pixels with a filter byte (0: no filter) before each row; the caller frees them. Returns NULL if memory
 * is short. */
static unsigned char *make_rows_with_filter_bytes(const uint8_t *rgb, unsigned width, unsigned height)
{
    size_t row = (size_t)width * 3;
    unsigned char *rows = malloc((row + 1) * height);
    for (unsigned y = 0; rows && y < height; y++) {
        rows[y * (row + 1)] = 0;
        memcpy(rows + y * (row + 1) + 1, rgb + y * row, row);
    }
    return rows;
}

static void add_png_file(struct tp_buf *out, unsigned width, unsigned height, const void *packed, size_t packed_size)
{
    enum { BITS = 8, COLOUR_RGB = 2 };
    unsigned char header[13] = {0};
    put_big_endian(header, width);
    put_big_endian(header + 4, height);
    header[8] = BITS;
    header[9] = COLOUR_RGB;
    tp_buf_add(out, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(out, "IHDR", header, sizeof header);
    add_chunk(out, "IDAT", packed, packed_size);
    add_chunk(out, "IEND", NULL, 0);
}

void tp_png_add(struct tp_buf *out, const uint8_t *rgb, unsigned width, unsigned height)
{
    if (!width || !height || width > TP_PNG_MAX || height > TP_PNG_MAX) {
        out->failed = out->failed ? out->failed : TP_ELIMIT;
        return;
    }
    size_t size = ((size_t)width * 3 + 1) * height;
    uLongf packed_size = compressBound(size);
    unsigned char *rows = make_rows_with_filter_bytes(rgb, width, height), *packed = malloc(packed_size);
    if (!rows || !packed || compress2(packed, &packed_size, rows, size, Z_BEST_COMPRESSION) != Z_OK)
        out->failed = out->failed ? out->failed : TP_ENOMEM;
    else
        add_png_file(out, width, height, packed, packed_size);
    free(rows);
    free(packed);
}
