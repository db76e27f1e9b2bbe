/* Steps and windows: what the rules look at (D2.3, D2.4). */
#ifndef TP_WEBREPORT_MODEL_HOST_STEPS_H
#define TP_WEBREPORT_MODEL_HOST_STEPS_H

#include "webreport/model/host_model.h"

/* Fills steps and windows. Needs tree and links. */
void tp_host_steps_build(struct tp_host *host);

/* Index in host->steps of the step that launched the operation, TP_NO_ID when there is none (or it was left out). */
uint32_t tp_host_step_of(const struct tp_host *host, uint32_t op);

#endif
