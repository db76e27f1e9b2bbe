/* Rows of the table of rules (rules_table.c): rules about communication but for E1 and E3, about accumulated
 * gradients, and about single samples. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_TABLE_COMMUNICATION_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_TABLE_COMMUNICATION_H

#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_links.h"

#define TP_DOC_DDP "https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html"
#define TP_RULES_OF_COMMUNICATION                                                                                      \
    [TP_RULE_E4] = {"E4",                                                                                              \
                    TP_RULE_ANY,                                                                                       \
                    "Many small collectives, each with its fixed cost",                                                \
                    TP_CONFIDENCE_MEDIUM,                                                                              \
                    {{"max_bytes", 1048576, true}, {"min_per_step", 20, true}, {"min_pct", 1.0, false}},               \
                    "Send several tensors with one call: flatten them into one, or coalesce. "                         \
                    "DistributedDataParallel: a larger bucket_cap_mb, and gradient_as_bucket_view=True; "              \
                    "FullyShardedDataParallel: wrap larger blocks.",                                                   \
                    TP_DOC_DDP,                                                                                        \
                    "comm.small"},                                                                                     \
    [TP_RULE_E5] =                                                                                                     \
        {"E5",                                                                                                         \
         TP_RULE_RANKS,                                                                                                \
         "Collectives use less than half of the link",                                                                 \
         TP_CONFIDENCE_LOW,                                                                                            \
         {{"max_link_pct", 50.0, false}, {"min_floor_us", 100, true}, {"min_pct", 3.0, false}},                        \
         "See which way they go (NCCL_DEBUG=INFO, nvidia-smi topo -m): peer-to-peer access that is switched "          \
         "off, a path through the host, kernels that compute on all processors meanwhile.",                            \
         "https://docs.pytorch.org/docs/stable/notes/ddp.html",                                                        \
         "comm.exposed"},                                                                                              \
    [TP_RULE_E6] = {"E6",                                                                                              \
                    TP_RULE_GPU,                                                                                       \
                    "Parameters are gathered when their layer already waits",                                          \
                    TP_CONFIDENCE_MEDIUM,                                                                              \
                    {{"min_per_step", 4, true}, {"min_pct", 5.0, false}},                                              \
                    "Prefetch the next layer: FullyShardedDataParallel(forward_prefetch=True, "                        \
                    "backward_prefetch=BackwardPrefetch.BACKWARD_PRE, limit_all_gathers=False where memory allows); "  \
                    "fully_shard: set_modules_to_forward_prefetch, set_modules_to_backward_prefetch.",                 \
                    "https://docs.pytorch.org/docs/stable/fsdp.html",                                                  \
                    "comm.exposed"},                                                                                   \
    [TP_RULE_E7] = {                                                                                                   \
        "E7",                                                                                                          \
        TP_RULE_GPU,                                                                                                   \
        "DataParallel copies model and data between devices in every step",                                            \
        TP_CONFIDENCE_HIGH,                                                                                            \
        {{"min_pct", 1.0, false}},                                                                                     \
        "Use DistributedDataParallel, one process for each device, also on one machine: nothing is copied "            \
        "but gradients, and these while the backward pass runs.",                                                      \
        TP_DOC_DDP,                                                                                                    \
        "comm.exposed"},                                                                                               \
    [TP_RULE_R5] = {"R5",                                                                                              \
                    TP_RULE_ANY,                                                                                       \
                    "Gradients are accumulated: the recorded steps are micro-steps",                                   \
                    TP_CONFIDENCE_HIGH,                                                                                \
                    {{"min_micro_steps", 2, true}},                                                                    \
                    "Compare and average whole optimizer steps. Micro-steps differ by design.",                        \
                    "https://docs.pytorch.org/docs/stable/profiler.html",                                              \
                    "step.accumulation"},                                                                              \
    [TP_RULE_R6] = {"R6",                                                                                              \
                    TP_RULE_ANY,                                                                                       \
                    "The model is called with one sample at a time",                                                   \
                    TP_CONFIDENCE_LOW,                                                                                 \
                    {{"min_pct", 5.0, false}, {"max_rows", 32, true}, {"short_us", 200, true},                         \
                     {"short_kernel_us", 20, true}},                                                                   \
                    "If several requests wait at a time, run them in one batch: it reads the weights and calls each "  \
                    "operator once for all of them. This raises the throughput; a single request is not answered "     \
                    "sooner.",                                                                                         \
                    DOC_TUNE,                                                                                          \
                    "batch.too_small"},                                                                                \
    [TP_RULE_E8] = {"E8",                                                                                              \
                    TP_RULE_ANY,                                                                                       \
                    "Gradients are reduced in every micro-step of an accumulation",                                    \
                    TP_CONFIDENCE_HIGH,                                                                                \
                    {{"min_pct", 1.0, false}},                                                                         \
                    "Run all backward passes but the last one before an optimizer step inside of model.no_sync() "     \
                    "(fully_shard: set_requires_gradient_sync(False)). The last one sends the sum.",                   \
                    TP_DOC_DDP "#torch.nn.parallel.DistributedDataParallel.no_sync",                                   \
                    "comm.accumulation"},                                                                              \
    [TP_RULE_E9] = {"E9",                                                                                              \
                    TP_RULE_ANY,                                                                                       \
                    "DistributedDataParallel wraps the model of a single rank",                                        \
                    TP_CONFIDENCE_HIGH,                                                                                \
                    {{"min_pct", 0.5, false}},                                                                         \
                    "Leave the wrapper out where the world size is 1: it copies each gradient into a bucket and back, "\
                    "and has nobody to send it to.",                                                                   \
                    TP_DOC_DDP,                                                                                        \
                    "comm.single_rank"},                                                                               \
    [TP_RULE_E10] = {"E10",                                                                                            \
                     TP_RULE_ANY,                                                                                      \
                     "Buffers are broadcast before each forward pass",                                                 \
                     TP_CONFIDENCE_MEDIUM,                                                                             \
                     {{"min_per_step", 1, true}, {"min_pct", 1.0, false}},                                             \
                     "Pass broadcast_buffers=False to DistributedDataParallel (PyTorch 2.13 and later: "               \
                     "forward_sync_buffers=False) where ranks may keep running statistics of their own, or where "     \
                     "buffers do not change. Where batches are small, SyncBatchNorm shares the statistics instead.",   \
                     TP_DOC_DDP,                                                                                       \
                     "comm.buffers"},                                                                                  \
    [TP_RULE_E11] = {"E11",                                                                                            \
                     TP_RULE_ANY,                                                                                      \
                     "A stage of a pipeline waits for other stages",                                                   \
                     TP_CONFIDENCE_MEDIUM,                                                                             \
                     {{"min_micro_batches", 2, true}, {"min_pct", 3.0, false}},                                        \
                     "Split the batch into more micro-batches, use an interleaved schedule "                           \
                     "(torch.distributed.pipelining: ScheduleInterleaved1F1B), and give all stages equal work.",       \
                     "https://docs.pytorch.org/docs/stable/distributed.pipelining.html",                               \
                     "comm.pipeline"},

#endif
