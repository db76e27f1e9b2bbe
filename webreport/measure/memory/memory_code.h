/* Finds the code around an allocation of a trace: outermost operator, innermost module, innermost line of the user's
 * code (docs/definitions.md, section 10). */
#ifndef TP_WEBREPORT_MEASURE_MEMORY_MEMORY_CODE_H
#define TP_WEBREPORT_MEASURE_MEMORY_MEMORY_CODE_H

#include "webreport/model/facts.h"

enum tp_memory_code_part { TP_MEMORY_OPERATOR, TP_MEMORY_MODULE, TP_MEMORY_LINE };

/* Ids of the label of the operator, of the name of the module, and of the line; TP_NO_ID for a missing event. */
struct tp_memory_code {
    uint32_t op, module, line;
};

/* Examines the host events around a memory record, on its thread. */
struct tp_memory_code tp_memory_find_code(const struct tp_model *model, const struct tp_memory *record);

/* Returns the id of one part, and sets *text to its name. Returns TP_NO_ID, with an empty name, if the part is
 * missing. */
uint32_t tp_memory_code_text(const struct tp_model *model, const struct tp_memory_code *code,
                             enum tp_memory_code_part part, struct tp_str *text);

#endif
