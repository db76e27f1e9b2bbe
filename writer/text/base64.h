/* Encodes Base64 with padding (RFC 4648, section 4). */
#ifndef TP_WRITER_TEXT_BASE64_H
#define TP_WRITER_TEXT_BASE64_H

#include "writer/base/buf.h"

/* Appends `size` bytes as base64 text. */
void tp_base64_add(struct tp_buf *out, const void *bytes, size_t size);

#endif
