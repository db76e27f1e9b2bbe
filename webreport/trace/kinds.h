/* Finds the meaning of a category or a name, once per distinct text. */
#ifndef TP_WEBREPORT_TRACE_KINDS_H
#define TP_WEBREPORT_TRACE_KINDS_H

#include "webreport/trace/trace.h"

struct tp_cat_meaning {
    uint8_t kind;         /* enum tp_kind; TP_KIND_NONE: unknown */
    bool is_driver;       /* ends with _driver */
    bool is_other_call;   /* a call of another device than CUDA: mtia_runtime, xpu_driver */
    bool is_link;         /* fwdbwd, forward_backward */
    bool is_device_link;  /* ac2g and its older names */
    bool has_counters;    /* cuda_profiler_range: hardware counters of a range of kernels */
    bool is_other_device; /* mtia_ccp_events, hpu_op */
    bool is_misspelt;     /* unknown, but one or two letters from a known one */
    bool is_state;        /* thread_state */
    bool is_process;      /* process */
    bool may_be_region;   /* old traces have one category for operators and annotations */
};

enum tp_name_meaning {
    TP_NAME_MEMORY = 1,        /* "[memory]" */
    TP_NAME_OUT_OF_MEMORY = 2, /* "[OutOfMemory]" */
    TP_NAME_REGION = 4,        /* an operator of this name is an annotation */
    TP_NAME_TORCH_REGION = 8,  /* also in torch's tables, if the category may be both */
    TP_NAME_VALUES = 16,       /* convolutions, attention: the values of their arguments are kept */
    TP_NAME_WINDOW_END = 32    /* "Record Window End" */
};

struct tp_cat_meaning tp_kinds_of_cat(struct tp_str cat);
/* Returns the kind of an event without a category by the name and labels of its process: a device operation of an NPU,
 * or a call of its runtime; TP_KIND_NONE: the process is neither a device nor a runtime. type: "Task Type", a JSON
 * token. */
uint8_t tp_kind_of_process(struct tp_str process, struct tp_str labels, struct tp_str name, struct tp_str type);
/* Returns true when this "Task Type" means that an operation of a device communicates. */
bool tp_kinds_is_communication_task(struct tp_str type);
/* Returns the kind of a range for "input", "compute" ..; TP_RANGE_NONE for every other text. */
enum tp_range_kind tp_range_kind_of_text(struct tp_str text);
/* Returns the usual category of a kind; NULL for TP_KIND_NONE, spans and others. Static. */
const char *tp_kind_cat(unsigned kind);
unsigned tp_kinds_of_name(struct tp_str name);

#endif
