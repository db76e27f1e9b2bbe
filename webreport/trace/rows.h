/* Maps rows in JSON to threads of the sink: by the tokens of pid and tid; metadata records give their names. */
#ifndef TP_WEBREPORT_TRACE_ROWS_H
#define TP_WEBREPORT_TRACE_ROWS_H

#include "webreport/trace/decode.h"

/* Returns the thread number of a pair of raw tokens (empty when absent). Texts of digits and "stream N" are numbers. */
uint32_t tp_rows_thread(struct tp_decoder *decoder, struct tp_str pid, struct tp_str tid);

/* Returns the process of a raw pid token, by the metadata records read so far; NULL: no record names it. */
const struct tp_process *tp_rows_process(struct tp_decoder *decoder, struct tp_str pid);

/* Reads a metadata record (ph M): thread_name, process_name, process_labels, process_sort_index; the last one wins. */
void tp_rows_metadata(struct tp_decoder *decoder, const struct tp_spans *spans);

#endif
