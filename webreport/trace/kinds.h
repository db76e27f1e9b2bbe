/* Finds the meaning of each distinct category and name once. */
#ifndef TP_WEBREPORT_TRACE_KINDS_H
#define TP_WEBREPORT_TRACE_KINDS_H

#include "webreport/trace/trace.h"

struct tp_cat_meaning {
    uint8_t kind;   /* kind of events of this category (enum tp_kind); TP_KIND_NONE if the category is unknown */
    bool is_driver; /* true for a driver category, which ends with _driver */
    bool
        is_call_of_other_device; /* true for a category of calls on devices other than CUDA: mtia_runtime, xpu_driver */
    bool is_link;                /* true for a category of forward-backward links: fwdbwd, forward_backward */
    bool is_device_link;         /* true for a category of links to device operations: ac2g and its older names */
    bool has_counters;           /* true for cuda_profiler_range: values of hardware counters for a range of kernels */
    bool is_other_device;        /* true for categories of device events that are not read: mtia_ccp_events, hpu_op */
    bool is_misspelled; /* true if the category is unknown but differs from a known one by one or two letters */
    bool is_state;      /* true for the category thread_state */
    bool is_process;    /* true for the category process */
    /* true for the category Operator. Old traces use it for operators and for annotations. */
    bool may_be_region_category;
};

enum tp_name_meaning {
    TP_NAME_MEMORY = 1,        /* name "[memory]" */
    TP_NAME_OUT_OF_MEMORY = 2, /* name "[OutOfMemory]" */
    TP_NAME_REGION = 4,        /* name of a region: an operator event with this name is an annotation */
    /* name of a region that torch's own tables also treat as an annotation if the category is Operator */
    TP_NAME_TORCH_REGION = 8,
    TP_NAME_VALUES = 16,     /* name of a convolution, attention or selection, whose argument values are stored */
    TP_NAME_WINDOW_END = 32, /* name "Record Window End" */
    TP_NAME_TRITON = 64      /* name of a generated kernel, "triton_..", whose hash is stored */
};

struct tp_cat_meaning tp_cat_meaning_by_name(struct tp_str cat);
/* Returns the kind of an event without a category from the name and labels of its process: a device operation of an
 * NPU, or a runtime call. Returns TP_KIND_NONE for other processes. name: the event's name. type: its "Task Type", a
 * JSON token. */
uint8_t tp_kind_by_process(struct tp_str process, struct tp_str labels, struct tp_str name, struct tp_str type);
/* Returns true if a "Task Type" means that the device operation communicates. */
bool tp_kind_is_communication_task(struct tp_str type);
/* Returns the range kind that a word names ("input", "compute" ..); TP_RANGE_NONE for other texts. */
enum tp_range_kind tp_range_kind_by_text(struct tp_str text);
/* Returns the usual category of a kind; NULL for TP_KIND_NONE, TP_KIND_SPAN and TP_KIND_OTHER. Static text. */
const char *tp_kind_category_name(unsigned kind);
/* Returns the category that torch gives to a CUDA call with this name: driver calls begin with "cu" and a capital
 * letter. Static text. */
const char *tp_kind_call_category_name(struct tp_str name);
unsigned tp_name_meaning_by_name(struct tp_str name);

#endif
