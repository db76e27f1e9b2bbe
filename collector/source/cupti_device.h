/* Records the properties of the GPUs, as reported by the CUDA driver that the program has loaded. */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_DEVICE_H
#define TP_COLLECTOR_SOURCE_CUPTI_DEVICE_H

/* Records the properties of every GPU of the process. Returns the number of GPUs; 0 if there is no driver, or the
 * driver is not initialized. */
int tp_cupti_write_devices(void);

/* Records the versions of the driver and of CUPTI as metadata of the trace. version: CUPTI's version. */
void tp_cupti_write_versions(unsigned version);

#endif
