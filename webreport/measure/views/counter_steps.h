/* Computes the energy and the clock of each device in each analysed step from the counters of the devices
 * (docs/definitions.md, section 7). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_COUNTER_STEPS_H
#define TP_WEBREPORT_MEASURE_VIEWS_COUNTER_STEPS_H

#include "webreport/measure/views/counter_view.h"

/* Fills view->steps and the energy of a step. The samples and the table `counters` of the view must be filled. All
 * memory is in `arena`, whose guard the caller has set. */
void tp_counter_steps_build(struct tp_counter_view *view, const struct tp_model *model, struct tp_arena *arena);

#endif
