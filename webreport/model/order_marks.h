/* Finds the names of calls and operators that order the work of threads and streams. */
#ifndef TP_WEBREPORT_MODEL_ORDER_MARKS_H
#define TP_WEBREPORT_MODEL_ORDER_MARKS_H

#include "writer/base/str.h"

enum tp_order_name {
    TP_ORDER_NONE,
    TP_ORDER_EVENT_RECORD, /* call that records an event of a stream */
    TP_ORDER_STREAM_WAIT,  /* call that makes a stream wait for an event */
    TP_ORDER_FREEING,      /* call that frees memory and may wait for the device */
    TP_ORDER_BACKWARD      /* operator whose name ends with Backward and a number */
};

/* Returns what a name means for the order of work. */
enum tp_order_name tp_order_of_name(struct tp_str name);

#endif
