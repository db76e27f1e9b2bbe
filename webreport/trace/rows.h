/* Maps the pid and tid tokens of JSON events to threads of the sink. Also reads metadata records, which name threads
 * and processes. */
#ifndef TP_WEBREPORT_TRACE_ROWS_H
#define TP_WEBREPORT_TRACE_ROWS_H

#include "webreport/trace/decode.h"

/* Returns the thread number for a raw pid and tid token. A token is empty if absent. Texts of digits and "stream N" are
 * treated as numbers. */
uint32_t tp_rows_thread_number(struct tp_decoder *decoder, struct tp_str pid, struct tp_str tid);

/* Returns the process of a raw pid token. Returns NULL if no earlier metadata record names the process. */
const struct tp_process *tp_rows_find_process(struct tp_decoder *decoder, struct tp_str pid);

/* Reads a metadata record (phase M): thread_name, process_name, process_labels or process_sort_index. A later record
 * replaces an earlier one. */
void tp_rows_read_metadata(struct tp_decoder *decoder, const struct tp_spans *spans);

#endif
