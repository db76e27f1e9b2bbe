/* Implements order_marks.h. */
#include "webreport/model/order_marks.h"

enum tp_order_name tp_order_of_name(struct tp_str name)
{
    static const char *const records[] = {"cudaEventRecord",
                                          "cudaEventRecordWithFlags",
                                          "hipEventRecord",
                                          "hipEventRecordWithFlags",
                                          "cuEventRecord",
                                          "cuEventRecordWithFlags",
                                          NULL};
    static const char *const waits[] = {"cudaStreamWaitEvent", "hipStreamWaitEvent", "cuStreamWaitEvent", NULL};
    static const char *const frees[] = {
        "cudaFree", "cudaFreeHost", "cudaHostFree", "hipFree", "hipFreeHost", "hipHostFree", NULL};
    struct tp_str node = name, call = name;
    if (tp_str_is_one_of(name, frees))
        return TP_ORDER_FREEING;
    call.len -= tp_str_ends(name, "_ptsz") ? sizeof "_ptsz" - 1 : 0; /* calls for a stream of each thread */
    if (tp_str_is_one_of(call, records))
        return TP_ORDER_EVENT_RECORD;
    if (tp_str_is_one_of(call, waits))
        return TP_ORDER_STREAM_WAIT;
    while (node.len && node.ptr[node.len - 1] >= '0' && node.ptr[node.len - 1] <= '9')
        node.len--;
    return tp_str_ends(node, "Backward") ? TP_ORDER_BACKWARD : TP_ORDER_NONE;
}
