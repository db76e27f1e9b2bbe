/* What the rules ask of an event's name, answered once per distinct name as bits.
 *
 * The patterns are those of the advice definitions (regular expressions of their executable twin), written by hand. */
#ifndef TP_WEBREPORT_MODEL_HOST_NAMES_H
#define TP_WEBREPORT_MODEL_HOST_NAMES_H

#include "webreport/trace/trace.h"

#define TP_NAME_BIT(n) (UINT64_C(1) << (n))
#define TP_NAME_STEP_PREFIX TP_NAME_BIT(0)     /* ProfilerStep#.. */
#define TP_NAME_STEP TP_NAME_BIT(1)            /* ProfilerStep#12 */
#define TP_NAME_EXECUTE_CONTEXT TP_NAME_BIT(2) /* execute_..context_.. */
#define TP_NAME_STEP_BRACKET TP_NAME_BIT(3)    /* step[.. */
#define TP_NAME_OPTIMIZER_STEP TP_NAME_BIT(4)  /* Optimizer.step#.. */
#define TP_NAME_ZERO_GRAD TP_NAME_BIT(5)       /* Optimizer.zero_grad#.. */
#define TP_NAME_OPTIMIZER TP_NAME_BIT(6)       /* Optimizer... */
#define TP_NAME_LOADER TP_NAME_BIT(7)
#define TP_NAME_SINGLE_PROCESS TP_NAME_BIT(8)        /* contains _SingleProcess */
#define TP_NAME_SINGLE_PROCESS_LOADER TP_NAME_BIT(9) /* contains _SingleProcessDataLoaderIter */
#define TP_NAME_LAUNCHES TP_NAME_BIT(10)             /* contains Launch, Memcpy or Memset */
#define TP_NAME_GRAPH_LAUNCH TP_NAME_BIT(11)         /* contains GraphLaunch */
#define TP_NAME_COMMUNICATION TP_NAME_BIT(12)        /* contains nccl or rccl, any case */
#define TP_NAME_SYNC TP_NAME_BIT(13)
#define TP_NAME_BLOCKING_COPY TP_NAME_BIT(14)
#define TP_NAME_MODULE TP_NAME_BIT(15) /* nn.Module: .. */
#define TP_NAME_GEMM_OP TP_NAME_BIT(16)
#define TP_NAME_TENSOR_CORE TP_NAME_BIT(17)
#define TP_NAME_ALLOCATOR TP_NAME_BIT(18) /* cudaMalloc, hipFree, .. */
#define TP_NAME_HOST TP_NAME_BIT(19)      /* contains Host */
#define TP_NAME_MALLOC TP_NAME_BIT(20)
#define TP_NAME_FREE TP_NAME_BIT(21)
#define TP_NAME_COPY_OPS TP_NAME_BIT(22) /* aten::contiguous, clone, cat, copy_, stack, to, _to_copy */
#define TP_NAME_SHAPE_OP TP_NAME_BIT(23)
#define TP_NAME_SCALAR_OP TP_NAME_BIT(24)
#define TP_NAME_INDEX_OP TP_NAME_BIT(25)
#define TP_NAME_FILL_OP TP_NAME_BIT(26)
#define TP_NAME_FUSED TP_NAME_BIT(27)
#define TP_NAME_LOADING TP_NAME_BIT(28) /* lazy loading and compiling of device code */
#define TP_NAME_PAGEABLE TP_NAME_BIT(29)
#define TP_NAME_PINNED TP_NAME_BIT(30)
#define TP_NAME_HTOD TP_NAME_BIT(31)
#define TP_NAME_DTOD TP_NAME_BIT(32)
#define TP_NAME_TO_HOST TP_NAME_BIT(33)     /* contains DtoH or "Device -> Host" */
#define TP_NAME_FROM_HOST TP_NAME_BIT(34)   /* contains "Host -> Device" */
#define TP_NAME_GEMM_KERNEL TP_NAME_BIT(35) /* contains gemm, any case */
#define TP_NAME_CONV TP_NAME_BIT(36)
#define TP_NAME_COLLECTIVE TP_NAME_BIT(37)    /* gloo: nccl: mpi: ucc: */
#define TP_NAME_C10D TP_NAME_BIT(38)          /* c10d::.., record_param_comms */
#define TP_NAME_ATEN_COPY TP_NAME_BIT(39)     /* aten::copy_ */
#define TP_NAME_PROFILER_SPAN TP_NAME_BIT(40) /* PyTorch Profiler.. */

/* Names that single regions of a program bear: few events, listed in tp_host.marked. */
#define TP_NAME_REGION                                                                                                 \
    (TP_NAME_STEP | TP_NAME_EXECUTE_CONTEXT | TP_NAME_STEP_BRACKET | TP_NAME_OPTIMIZER_STEP | TP_NAME_ZERO_GRAD |      \
     TP_NAME_LOADER)

/* Bits of every name, by name id. */
uint64_t *tp_host_names_mark(const struct tp_trace *trace, struct tp_arena *arena);

#endif
