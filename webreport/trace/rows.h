/* Maps rows in JSON to threads of the sink by the tokens of pid and tid. Metadata records give the names of rows. */
#ifndef TP_WEBREPORT_TRACE_ROWS_H
#define TP_WEBREPORT_TRACE_ROWS_H

#include "webreport/trace/decode.h"

/* Returns the thread number of a pair of raw tokens, which are empty if absent. Texts of digits and "stream N" count as
 * numbers. */
uint32_t tp_rows_thread(struct tp_decoder *decoder, struct tp_str pid, struct tp_str tid);

/* Returns the process of a raw pid token, according to the metadata records read so far. Returns NULL if no record
 * names the process. */
const struct tp_process *tp_rows_process(struct tp_decoder *decoder, struct tp_str pid);

/* Reads a metadata record (ph M): thread_name, process_name, process_labels or process_sort_index. The last record of a
 * row counts. */
void tp_rows_metadata(struct tp_decoder *decoder, const struct tp_spans *spans);

#endif
