/* Converts CUPTI's activity records to records of the spool (writer/spool/spool_format_gpu.h). */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_RECORDS_H
#define TP_COLLECTOR_SOURCE_CUPTI_RECORDS_H

#include "collector/source/cupti_library.h"

/* kinds of activity that are enabled, ending with 0 */
extern const uint32_t tp_cupti_kinds[];

/* Records the contents of a buffer that CUPTI has completed. valid: size of the contents, bytes. Several threads may
 * call it at the same time. */
void tp_cupti_convert_buffer(const struct tp_cupti *cupti, uint8_t *buffer, size_t valid);

/* Records that CUPTI lost `count` records because it had no room. */
void tp_cupti_write_dropped_count(size_t count);

#endif
