/* Punycode (RFC 3492): letters beyond ASCII in identifiers of ASCII. */
#ifndef TP_WRITER_TEXT_PUNYCODE_H
#define TP_WRITER_TEXT_PUNYCODE_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/str.h"

/* Puts the characters of an identifier (Unicode code points) into text[room]: ascii's own and those that `code` puts
 * between them. Their count; 0: damaged, or there is no room. */
size_t tp_punycode(uint32_t *text, size_t room, struct tp_str ascii, struct tp_str code);

#endif
