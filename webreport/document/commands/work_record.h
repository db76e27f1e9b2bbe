/* Writes one change in the work of a step as JSON for scripts. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_WORK_RECORD_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_WORK_RECORD_H

#include "webreport/compare/work/work_diff.h"
#include "webreport/document/data.h"

/* Adds the members of a change to `object`: what, name, delta, times, before, after, where, file, line, rule, gate,
 * follows and text. */
void tp_work_change_fill_record(struct tp_object *object, const struct tp_work_change *change, struct tp_arena *arena);

#endif
