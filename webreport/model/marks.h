/* Defines marks: bits for properties of an event that follow from its name. Marks are computed once for each
 * distinct name.
 *
 * marks.c has all lists of names for communication, tensor cores, kinds of operators and calls of the runtime. Only
 * the list of regions is in trace/regions.c, because the reader also needs it. Sections of docs/definitions.md: 2
 * (regions), 8 (tensor cores), 9 (waits), 12 (communication), 15 (rules). */
#ifndef TP_WEBREPORT_MODEL_MARKS_H
#define TP_WEBREPORT_MODEL_MARKS_H

#include "webreport/trace/trace.h"

#define TP_MARK(n) (UINT64_C(1) << (n))
/* ---- regions of host time ---- */
#define TP_MARK_REGION TP_MARK(0)          /* name of a region: an operator event with this name is an annotation */
#define TP_MARK_STEP TP_MARK(1)            /* name begins with ProfilerStep# */
#define TP_MARK_PROFILER_STEP TP_MARK(2)   /* name is ProfilerStep# and a number */
#define TP_MARK_EXECUTE_CONTEXT TP_MARK(3) /* name is like execute_..context_.. */
#define TP_MARK_STEP_BRACKET TP_MARK(4)    /* name begins with step[ */
#define TP_MARK_OPTIMIZER TP_MARK(5)       /* name begins with Optimizer */
#define TP_MARK_OPTIMIZER_STEP TP_MARK(6)  /* name begins with Optimizer.step# */
#define TP_MARK_ZERO_GRAD TP_MARK(7)       /* name begins with Optimizer.zero_grad# */
#define TP_MARK_LOADER TP_MARK(8)          /* name of a range that loads data (DataLoader or DataPipe) */
#define TP_MARK_SINGLE_PROCESS TP_MARK(9)  /* name contains _SingleProcess */
#define TP_MARK_BACKWARD_NODE TP_MARK(10)  /* name begins with autograd::engine::evaluate_function: */
#define TP_MARK_MODULE TP_MARK(11)         /* name begins with nn.Module: */
#define TP_MARK_PROFILER_SPAN TP_MARK(12)  /* name begins with PyTorch Profiler */
#define TP_MARK_LOADING TP_MARK(13)        /* name of the overhead of loading or compiling device code lazily */
/* ---- communication ---- */
#define TP_MARK_COLLECTIVE TP_MARK(14) /* host event of a communication backend, such as nccl: or gloo: */
/* host event of torch's dispatcher, not of a backend: c10d::.., record_param_comms */
#define TP_MARK_C10D TP_MARK(15)
#define TP_MARK_COMM_KERNEL TP_MARK(16) /* name of a kernel that communicates */
/* ---- operators ---- */
#define TP_MARK_ELIGIBLE TP_MARK(17) /* name of an operator that can use tensor cores */
/* aten::empty and similar operators; their time is added to the operator that calls them */
#define TP_MARK_ALLOCATION_HELPER TP_MARK(18)
#define TP_MARK_COPY_OP TP_MARK(19)   /* aten::contiguous, clone, cat, copy_, stack, to or _to_copy */
#define TP_MARK_ATEN_COPY TP_MARK(20) /* aten::copy_ */
#define TP_MARK_SHAPE_OP TP_MARK(21)  /* operator whose result has a data-dependent size: aten::nonzero .. */
#define TP_MARK_SCALAR_OP TP_MARK(22) /* operator that reads one number: aten::item .. */
#define TP_MARK_INDEX_OP TP_MARK(23)  /* aten::select, index, __getitem__ or slice */
#define TP_MARK_FILL_OP TP_MARK(24)   /* aten::zero_ or fill_ */
#define TP_MARK_CONV TP_MARK(25)      /* name contains conv */
#define TP_MARK_FUSED TP_MARK(26)     /* name of a fused or foreach optimizer, in any kind of event */
/* ---- calls of the runtime and driver ---- */
#define TP_MARK_SYNC TP_MARK(27)
#define TP_MARK_BLOCKING_COPY TP_MARK(28)
#define TP_MARK_ALLOCATOR_CALL TP_MARK(29) /* call that allocates or frees memory: cudaMalloc, hipFree .. */
#define TP_MARK_MALLOC TP_MARK(30)         /* name contains Malloc */
#define TP_MARK_FREE TP_MARK(31)           /* name contains Free */
#define TP_MARK_HOST TP_MARK(32)           /* name contains Host */
#define TP_MARK_DEVICE_CALL TP_MARK(33)    /* name contains Launch, Memcpy or Memset */
#define TP_MARK_GRAPH_LAUNCH TP_MARK(34)   /* name contains GraphLaunch */
/* ---- kernels and copies ---- */
#define TP_MARK_TC_YES TP_MARK(35)     /* name of a kernel that uses tensor cores */
#define TP_MARK_TC_UNKNOWN TP_MARK(36) /* name of a kernel that may use tensor cores */
#define TP_MARK_PAGEABLE TP_MARK(37)
#define TP_MARK_PINNED TP_MARK(38)
#define TP_MARK_HTOD TP_MARK(39)    /* name of a copy from the host to a device */
#define TP_MARK_TO_HOST TP_MARK(40) /* name of a copy from a device to the host */
#define TP_MARK_DTOD TP_MARK(41)    /* name of a copy from a device to a device */
/* name of a kernel that computes, even if an operator that communicates launches it */
#define TP_MARK_COMPUTE_KERNEL TP_MARK(42)
#define TP_MARK_SINGLE_PROCESS_LOADER TP_MARK(43) /* name contains _SingleProcessDataLoaderIter */
#define TP_MARK_TF32 TP_MARK(44)                  /* name of a kernel that multiplies FP32 numbers as TF32 */
/* operator that splits a tensor into several tensors: aten::split, unbind, chunk .. */
#define TP_MARK_SPLIT_OP TP_MARK(45)

#define TP_MARK_DEVICE_USE TP_MARK(46) /* call that only programs with device work make */

#define TP_MARK_CAPTURE_BEGIN TP_MARK(49) /* call that begins the capture of a graph: cudaStreamBeginCapture .. */
#define TP_MARK_CAPTURE_END TP_MARK(50)   /* call that ends the capture of a graph */
/* operator that takes a part of a tensor: aten::narrow, index_select, take */
#define TP_MARK_PART_OP TP_MARK(48)
/* operator that makes a tensor, or a new view of a tensor: aten::randn, detach .. */
#define TP_MARK_MAKES_TENSOR TP_MARK(47)

/* ---- calls and operators that order the work of threads and streams (docs/definitions.md, section "What if") ---- */
#define TP_MARK_EVENT_RECORD TP_MARK(51) /* call that records an event of a stream: cudaEventRecord .. */
#define TP_MARK_STREAM_WAIT TP_MARK(52)  /* call that makes a stream wait for an event: cudaStreamWaitEvent .. */
#define TP_MARK_FREEING TP_MARK(53)      /* call that frees memory and may wait for the device: cudaFree .. */
#define TP_MARK_AUTOGRAD TP_MARK(54)     /* operator of the backward pass: autograd node, or name ends with Backward0 */
#define TP_MARK_WORKER_LOADER TP_MARK(55) /* name contains MultiProcessing, as loaders with worker processes */

/* all operators that make, fill, copy or read tensors without computing (docs/definitions.md, section 5) */
#define TP_MARK_DATA_OP                                                                                                \
    (TP_MARK_MAKES_TENSOR | TP_MARK_ALLOCATION_HELPER | TP_MARK_COPY_OP | TP_MARK_FILL_OP | TP_MARK_SCALAR_OP)

/* all names of communication on the host, of backends and of the dispatcher (docs/definitions.md, section 12) */
#define TP_MARK_HOST_COMM (TP_MARK_COLLECTIVE | TP_MARK_C10D)

/* Returns the range kind that the marks of a name imply. kind: kind of the event (enum tp_kind). */
static inline enum tp_range_kind tp_marks_range_kind(uint64_t marks, unsigned kind)
{
    switch (kind) {
    case TP_KIND_OPERATOR:
    case TP_KIND_ANNOTATION:
        return marks & TP_MARK_LOADER      ? TP_RANGE_INPUT
               : marks & TP_MARK_HOST_COMM ? TP_RANGE_COMMUNICATION
                                           : TP_RANGE_NONE;
    case TP_KIND_RUNTIME:
        return marks & TP_MARK_SYNC ? TP_RANGE_SYNC : marks & TP_MARK_BLOCKING_COPY ? TP_RANGE_COPY : TP_RANGE_NONE;
    case TP_KIND_KERNEL:
        return marks & TP_MARK_COMM_KERNEL ? TP_RANGE_COMMUNICATION : TP_RANGE_NONE;
    case TP_KIND_MEMCPY:
        return TP_RANGE_COPY;
    default:
        return TP_RANGE_NONE;
    }
}

/* Prefix of the names of backward nodes. */
#define TP_BACKWARD_NODE "autograd::engine::evaluate_function:"

/* Returns an array in `arena` with the mark bits of every name of the trace, indexed by name id. */
uint64_t *tp_marks_build(const struct tp_trace *trace, struct tp_arena *arena);

/* Returns the backend that the name of a host event shows: "nccl", "gloo" .., or "c10d" for the dispatcher. Returns
 * NULL for other names. Static text. */
const char *tp_name_comm_backend(struct tp_str name);

/* Returns the library in a name that contains "nccl" or "rccl", in any case; NULL for other names. Static text. */
const char *tp_name_comm_library(struct tp_str name);

#endif
