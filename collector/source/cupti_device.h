/* Records the properties of the GPUs, as reported by the CUDA driver that the program has loaded. */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_DEVICE_H
#define TP_COLLECTOR_SOURCE_CUPTI_DEVICE_H

/* Records every GPU of the process. Returns their number; 0 if there is no driver or it is not initialized. */
int tp_cupti_record_devices(void);

/* Records the driver's version and that of CUPTI (`version`) as facts for the head of the trace. */
void tp_cupti_record_versions(unsigned version);

#endif
