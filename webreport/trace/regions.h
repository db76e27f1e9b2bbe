/* Recognizes the names of regions of host time: steps, optimizers, loaders (docs/definitions.md, section 2). This is
 * the only list of such names. */
#ifndef TP_WEBREPORT_TRACE_REGIONS_H
#define TP_WEBREPORT_TRACE_REGIONS_H

#include "writer/base/str.h"

enum tp_region_bit {
    TP_REGION_PROFILER_STEP = 1,    /* name begins with ProfilerStep# */
    TP_REGION_EXECUTE_CONTEXT = 2,  /* name is like execute_..context_.. */
    TP_REGION_STEP_BRACKET = 4,     /* name begins with step[ */
    TP_REGION_OPTIMIZER = 8,        /* name begins with Optimizer */
    TP_REGION_OPTIMIZER_STEP = 16,  /* name begins with Optimizer.step# */
    TP_REGION_ZERO_GRAD = 32,       /* name begins with Optimizer.zero_grad# */
    TP_REGION_DATA_LOADER = 64,     /* name is like enumerate(DataLoader)#...__next__ */
    TP_REGION_DATA_PIPE = 128,      /* name begins with enumerate(DataPipe)# */
    TP_REGION_DATA_PARALLEL = 256,  /* name is DataParallel.forward or DistributedDataParallel.forward */
    TP_REGION_LIGHTNING = 512,      /* name begins with [pl][ */
    TP_REGION_NUMBERED_STEP = 1024, /* name is ProfilerStep# and a number */
    /* unions of the bits above */
    TP_REGION_LOADER = TP_REGION_DATA_LOADER | TP_REGION_DATA_PIPE,
    TP_REGION_STEP_MARKER =
        TP_REGION_PROFILER_STEP | TP_REGION_EXECUTE_CONTEXT | TP_REGION_STEP_BRACKET | TP_REGION_OPTIMIZER_STEP,
    /* names of operator events that are annotations */
    TP_REGION_ANNOTATION = TP_REGION_PROFILER_STEP | TP_REGION_OPTIMIZER | TP_REGION_LOADER | TP_REGION_DATA_PARALLEL |
                           TP_REGION_LIGHTNING,
    /* names that torch's own tables also treat as annotations if the category is Operator */
    TP_REGION_OF_TORCH = TP_REGION_PROFILER_STEP | TP_REGION_OPTIMIZER_STEP | TP_REGION_ZERO_GRAD |
                         TP_REGION_DATA_LOADER | TP_REGION_DATA_PARALLEL
};

/* Name of the steps of torch's profiler without "#" and number, and the label that all of them share. */
#define TP_PROFILER_STEP "ProfilerStep"
#define TP_PROFILER_STEP_LABEL TP_PROFILER_STEP "*"
/* Word for steps that end with Optimizer.step. */
#define TP_OPTIMIZER_STEP_WORD "Optimizer.step"

/* Returns the TP_REGION_* bits of a name; 0 if the name is not a region. */
unsigned tp_regions_by_name(struct tp_str name);

#endif
