/* Properties of the GPUs, asked of the driver that the program has loaded. */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_DEVICE_H
#define TP_COLLECTOR_SOURCE_CUPTI_DEVICE_H

/* Records every GPU of the process. Returns their number; 0 when there is no driver, or it is not initialised. */
int tp_cupti_record_devices(void);

/* Records what the driver says of itself: facts for the trace's head. version: of CUPTI. */
void tp_cupti_record_versions(unsigned version);

#endif
