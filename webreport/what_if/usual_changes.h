/* Chooses the changes that the critical path of a trace suggests. */
#ifndef TP_WEBREPORT_WHAT_IF_USUAL_CHANGES_H
#define TP_WEBREPORT_WHAT_IF_USUAL_CHANGES_H

#include "webreport/what_if/answering.h"

/* Adds the changes that the critical path suggests; elements: struct tp_what_if_change. */
void tp_usual_changes(struct tp_answering *a, struct tp_vec *changes);

/* Computes the time that goes with calls of the operators of all changes. */
void tp_answer_find_more(struct tp_answering *a, const struct tp_vec *changes);

/* Returns this time for each node. name: name id of an operator of a change. */
int64_t *tp_answer_more_of(const struct tp_answering *a, uint32_t name);

#endif
