/* Encodes Base64: converts three bytes to four letters with table lookups. */
#include "writer/text/base64.h"

#include "writer/base/error.h"

static const char letters[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode_24_bits(char *to, uint32_t bits)
{
    to[0] = letters[bits >> 18 & 63];
    to[1] = letters[bits >> 12 & 63];
    to[2] = letters[bits >> 6 & 63];
    to[3] = letters[bits & 63];
}

void tp_base64_add(struct tp_buf *out, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    size_t length = (size / 3 + (size % 3 != 0)) * 4;
    if (size > SIZE_MAX / 2 || tp_buf_reserve(out, length))
        return;
    if (out->max_bytes && length > out->max_bytes - out->size) {
        out->failed = TP_ELIMIT;
        return;
    }
    char *to = out->data + out->size;
    size_t i = 0;
    for (; i + 3 <= size; i += 3, to += 4)
        encode_24_bits(to, (uint32_t)from[i] << 16 | (uint32_t)from[i + 1] << 8 | from[i + 2]);
    if (i < size) {
        encode_24_bits(to, (uint32_t)from[i] << 16 | (i + 1 < size ? (uint32_t)from[i + 1] << 8 : 0));
        to[3] = '=';
        if (i + 1 == size)
            to[2] = '=';
    }
    out->size += length;
    out->data[out->size] = '\0';
}
