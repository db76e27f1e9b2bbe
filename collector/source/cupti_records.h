/* CUPTI's activity records become records of the spool (writer/spool/spool_format_gpu.h). */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_RECORDS_H
#define TP_COLLECTOR_SOURCE_CUPTI_RECORDS_H

#include "collector/source/cupti_library.h"

/* Kinds to be enabled, 0 ends the list. */
extern const uint32_t tp_cupti_kinds[];

/* Records what is in `valid` bytes of a buffer that CUPTI has completed. Any thread, several at a time. */
void tp_cupti_record_buffer(const struct tp_cupti *cupti, uint8_t *buffer, size_t valid);

/* Records that CUPTI had no room for `count` records. */
void tp_cupti_record_dropped(size_t count);

#endif
