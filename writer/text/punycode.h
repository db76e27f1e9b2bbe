/* Decodes Punycode (RFC 3492), which encodes characters beyond ASCII in ASCII identifiers. */
#ifndef TP_WRITER_TEXT_PUNYCODE_H
#define TP_WRITER_TEXT_PUNYCODE_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/str.h"

/* Writes the characters of an identifier (Unicode code points) into text[room]: the characters of `ascii`, and the
 * characters that `code` inserts between them. Returns their count, or 0 if the code is damaged or there is no room. */
size_t tp_punycode(uint32_t *text, size_t room, struct tp_str ascii, struct tp_str code);

#endif
