/* Busy time and classified gaps of each device (D3), and the waits of the host with their cost (D6). */
#ifndef TP_WEBREPORT_MODEL_HOST_GAPS_H
#define TP_WEBREPORT_MODEL_HOST_GAPS_H

#include "webreport/model/host_model.h"

/* Fills busy and gaps of every device. Needs links and windows. */
void tp_host_gaps_build(struct tp_host *host);

/* First gap of the device that ends after `at`: position in device->gaps, gap_count when there is none. */
uint32_t tp_device_gap_after(const struct tp_host_device *device, int64_t at);

/* Fills waits. Needs links. */
void tp_host_waits_build(struct tp_host *host);

#endif
