/* Finds the meaning of a category or a name, once for each distinct text. */
#ifndef TP_WEBREPORT_TRACE_KINDS_H
#define TP_WEBREPORT_TRACE_KINDS_H

#include "webreport/trace/trace.h"

struct tp_cat_meaning {
    uint8_t kind;         /* enum tp_kind; TP_KIND_NONE if the category is unknown */
    bool is_driver;       /* true if the category ends with _driver */
    bool is_other_call;   /* true for a call of a device other than CUDA: mtia_runtime, xpu_driver */
    bool is_link;         /* true for a forward-backward link: fwdbwd, forward_backward */
    bool is_device_link;  /* true for a link to a device operation: ac2g and its older names */
    bool has_counters;    /* true for cuda_profiler_range: hardware counters of a range of kernels */
    bool is_other_device; /* true for device events that are not read: mtia_ccp_events, hpu_op */
    bool is_misspelled;   /* true if the category is unknown but differs from a known one by one or two letters */
    bool is_state;        /* true for thread_state */
    bool is_process;      /* true for process */
    /* true if events may be operators or annotations, which old traces did not distinguish */
    bool may_be_region;
};

enum tp_name_meaning {
    TP_NAME_MEMORY = 1,        /* name "[memory]" */
    TP_NAME_OUT_OF_MEMORY = 2, /* name "[OutOfMemory]" */
    TP_NAME_REGION = 4,        /* an operator of this name is an annotation */
    /* an operator of this name is an annotation also in torch's tables, if the category may be both */
    TP_NAME_TORCH_REGION = 8,
    TP_NAME_VALUES = 16,    /* convolution, attention or selection, whose argument values are kept */
    TP_NAME_WINDOW_END = 32 /* name "Record Window End" */
};

struct tp_cat_meaning tp_cat_meaning_of(struct tp_str cat);
/* Returns the kind of an event without a category from the name and labels of its process: a device operation of an
 * NPU, or a call of its runtime. Returns TP_KIND_NONE for other processes. type: "Task Type", a JSON token. */
uint8_t tp_kind_of_process(struct tp_str process, struct tp_str labels, struct tp_str name, struct tp_str type);
/* Returns true if this "Task Type" means that a device operation communicates. */
bool tp_kind_is_communication_task(struct tp_str type);
/* Returns the range kind with this name ("input", "compute" ..); TP_RANGE_NONE for other texts. */
enum tp_range_kind tp_range_kind_of_text(struct tp_str text);
/* Returns the usual category of a kind; NULL for TP_KIND_NONE, TP_KIND_SPAN and TP_KIND_OTHER. Static text. */
const char *tp_kind_cat(unsigned kind);
unsigned tp_name_meaning_of(struct tp_str name);

#endif
