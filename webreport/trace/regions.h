/* Recognizes names of regions of host time: steps, optimizers, loaders. The only list; docs/definitions.md, section
 * 2. */
#ifndef TP_WEBREPORT_TRACE_REGIONS_H
#define TP_WEBREPORT_TRACE_REGIONS_H

#include "writer/base/str.h"

enum tp_region_bit {
    TP_REGION_PROFILER_STEP = 1,    /* ProfilerStep#.. */
    TP_REGION_EXECUTE_CONTEXT = 2,  /* execute_..context_.. */
    TP_REGION_STEP_BRACKET = 4,     /* step[.. */
    TP_REGION_OPTIMIZER = 8,        /* Optimizer... */
    TP_REGION_OPTIMIZER_STEP = 16,  /* Optimizer.step#.. */
    TP_REGION_ZERO_GRAD = 32,       /* Optimizer.zero_grad#.. */
    TP_REGION_DATA_LOADER = 64,     /* enumerate(DataLoader)#...__next__ */
    TP_REGION_DATA_PIPE = 128,      /* enumerate(DataPipe)#.. */
    TP_REGION_DATA_PARALLEL = 256,  /* DataParallel.forward, DistributedDataParallel.forward */
    TP_REGION_LIGHTNING = 512,      /* [pl][.. */
    TP_REGION_NUMBERED_STEP = 1024, /* ProfilerStep#12 */
    /* combinations */
    TP_REGION_LOADER = TP_REGION_DATA_LOADER | TP_REGION_DATA_PIPE,
    TP_REGION_STEP_MARKER =
        TP_REGION_PROFILER_STEP | TP_REGION_EXECUTE_CONTEXT | TP_REGION_STEP_BRACKET | TP_REGION_OPTIMIZER_STEP,
    /* an operator event with such a name is an annotation */
    TP_REGION_ANNOTATION = TP_REGION_PROFILER_STEP | TP_REGION_OPTIMIZER | TP_REGION_LOADER | TP_REGION_DATA_PARALLEL |
                           TP_REGION_LIGHTNING,
    /* also an annotation in torch's own tables, if the category may be both */
    TP_REGION_OF_TORCH = TP_REGION_PROFILER_STEP | TP_REGION_OPTIMIZER_STEP | TP_REGION_ZERO_GRAD |
                         TP_REGION_DATA_LOADER | TP_REGION_DATA_PARALLEL
};

/* The common label of all steps of torch's profiler. */
#define TP_PROFILER_STEP_LABEL "ProfilerStep*"

/* Returns the bits of a name; 0 for most names. */
unsigned tp_regions_of_name(struct tp_str name);

#endif
