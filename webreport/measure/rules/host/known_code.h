/* Recognizes code by the frames of its functions, for the rules H9 to H13 and C19. */
#ifndef TP_WEBREPORT_MEASURE_RULES_HOST_KNOWN_CODE_H
#define TP_WEBREPORT_MEASURE_RULES_HOST_KNOWN_CODE_H

#include <stdint.h>

#include "webreport/measure/rules/rules_list.h"
#include "writer/base/arena.h"
#include "writer/base/str.h"

#define TP_PRINT_FRAME "<built-in function print>"

/* After a TP_CODE_BEGIN frame, the code continues until the TP_CODE_END frame inside that frame. */
enum tp_code_part { TP_CODE_WHOLE, TP_CODE_BEGIN, TP_CODE_END };

/* A frame that identifies code: end of a path, and name of a function. Without a path: start of a text such as
 * "<built-in function fsync>". */
struct tp_known_code {
    enum tp_rule_id rule;
    const char *path, *function; /* function: NULL for any function of the file */
    enum tp_code_part part;
};

/* Returns a number for each id of a name, in the arena: the number of the known code with this name; 0 if the name is
 * no known code. */
uint8_t *tp_find_known_frames(const struct tp_strings *names, struct tp_arena *arena);

/* Returns the known code with this number, which must not be 0. */
const struct tp_known_code *tp_known_code(uint8_t number);

#endif
