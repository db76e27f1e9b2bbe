/* What a category or a name means, asked once per distinct text: the two vocabularies of trace.h. */
#ifndef TP_WEBREPORT_TRACE_KINDS_H
#define TP_WEBREPORT_TRACE_KINDS_H

#include "webreport/trace/trace.h"

struct tp_cat_meaning {
    uint8_t kind, role;   /* enum tp_kind; TP_KIND_NONE: unknown there */
    bool is_driver;       /* ends with _driver */
    bool is_link;         /* fwdbwd, forward_backward */
    bool is_device_link;  /* ac2g and its older names */
    bool is_other_device; /* mtia_ccp_events, hpu_op */
    bool may_be_region;   /* role operator becomes annotation for some names (old traces have one category for both) */
};

enum tp_name_meaning {
    TP_NAME_MEMORY = 1,        /* [memory] */
    TP_NAME_OUT_OF_MEMORY = 2, /* [OutOfMemory] */
    TP_NAME_REGION = 4,        /* kind: an operator of this name is an annotation */
    TP_NAME_REGION_ROLE = 8,   /* role: an Operator of this name is an annotation */
    TP_NAME_CONVOLUTION = 16   /* aten::*conv*: its strides and paddings are kept */
};

struct tp_cat_meaning tp_kinds_of_cat(struct tp_str cat);
unsigned tp_kinds_of_name(struct tp_str name);

#endif
