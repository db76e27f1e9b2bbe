/* Steps and windows: what the rules look at (D2.3, D2.4). */
#ifndef TP_WEBREPORT_MODEL_HOST_STEPS_H
#define TP_WEBREPORT_MODEL_HOST_STEPS_H

#include "webreport/model/host_model.h"

/* Fills steps, the operations' step, and windows. Needs tree and links. */
void tp_host_steps_build(struct tp_host *host);

#endif
