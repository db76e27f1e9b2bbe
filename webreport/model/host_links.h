/* Device operations, the calls that launched them, devices, streams and main threads (D1.4, D2.2). */
#ifndef TP_WEBREPORT_MODEL_HOST_LINKS_H
#define TP_WEBREPORT_MODEL_HOST_LINKS_H

#include "webreport/model/host_model.h"

/* Fills ops, lanes, devices (but for busy and gaps), main_device, main_thread and program. Needs the tree. */
void tp_host_links_build(struct tp_host *host, const struct tp_order *order);

/* First operation of the device that starts at `at` or later: position in device->ops, op_count when there is none. */
uint32_t tp_device_first_from(const struct tp_host *host, const struct tp_host_device *device, int64_t at);

#endif
