/* Formats numbers with their sign, such as "+20.6 ms", "+1.2 MB" or "+3.3". Texts are in the given arena. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_SIGNED_TEXT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_SIGNED_TEXT_H

#include <stdint.h>

#include "writer/base/arena.h"

const char *tp_signed_time_text(struct tp_arena *arena, int64_t ns);
const char *tp_signed_bytes_text(struct tp_arena *arena, int64_t bytes);
const char *tp_signed_percent_text(struct tp_arena *arena, double percent);

#endif
