/* Formats the details of findings as sentences. See detail_words.h.
 *
 * argument_words.h describes the templates. Each template is one or more full sentences; a space separates the parts of
 * a detail. */
#include "webreport/document/words/detail_words.h"

#include "webreport/document/words/argument_words.h"
#include "webreport/document/words/device_words.h"
#include "webreport/measure/audience/wording.h"
#include "writer/base/buf.h"

static const struct {
    /* torch: sentences for PyTorch programs; others: sentences for all other programs, or NULL if they are the same */
    const char *torch, *others;
} sentences[TP_DETAIL_COUNT] = {
    [TP_DETAIL_OTHER_DEVICE] = {"tracepress does not read the records of this device.", NULL},
    [TP_DETAIL_LINE] = {"Outside operators, {0} takes {1} of the step time.",
                        "Outside recorded calls, {0} takes {1} of the step time."},
    [TP_DETAIL_NO_EVENT] = {"For {0} of the step time, no host event was recorded.", NULL},
    [TP_DETAIL_LINE_OF_STEP] = {"{0} leaves the device idle for {1} of the step time.", NULL},
    [TP_DETAIL_SLOW_LINE] = {"Slow or frequent calls in {0} leave the device idle for {1} of the step time.", NULL},
    [TP_DETAIL_PAUSES] = {"The thread does not run for {0} of the time of this finding.", NULL},
    [TP_DETAIL_FEW_GAPS] = {"{0:gap|gaps} between device operations {0?makes|make} up {1} of the time of this finding.",
                            NULL},
    [TP_DETAIL_REPLAY] = {"A captured graph could replay the {0:,} launches that repeat in every step.", NULL},
    [TP_DETAIL_BLOCKERS] = {"Before the capture, remove {0:wait, allocation or pageable copy|waits, allocations or "
                            "pageable copies}{1:steps}.",
                            NULL},
    [TP_DETAIL_GRAPH] = {"Each step has at least {0:,} launches, and {1:call|calls} {1?prevents|prevent} a capture.",
                         NULL},
    [TP_DETAIL_MALLOCS] = {"The allocator gets memory from the driver {0:time|times} and returns memory {1:time|times} "
                           "in {2:step|steps}.",
                           NULL},
    [TP_DETAIL_CAPTURE] = {"For {0} of the step time, launches are captured into a graph and do not run.", NULL},
    [TP_DETAIL_LITTLE] = {"The analysed step takes {1}, has {0:device operation|device operations}, and keeps the "
                          "device busy for {2} of the step time.",
                          NULL},
    [TP_DETAIL_FIRST_USE] = {"The device is idle for {0} during the set-up of its first use, and other findings refer "
                             "to the remaining {1}.",
                             NULL},
    [TP_DETAIL_HUGE_GAPS] =
        {"The device is idle for {0} in gaps of more than 100 ms, and other findings refer to the remaining {1}.",
         NULL},
    [TP_DETAIL_EDGE] =
        {"For {0} of the step time, it is unknown whether the device is idle or runs unrecorded operations.", NULL},
    [TP_DETAIL_EDGE_REST] = {"The percentages in the other findings refer to the remaining time.", NULL},
    [TP_DETAIL_LEAD] = {"The first recorded operation starts {0} after its launch, because the device still runs "
                        "operations from before the recording.",
                        NULL},
    [TP_DETAIL_QUEUE] = {"For {0} of the step time, a launched operation waits for an event, or for work missing among "
                         "{1:,} recorded operations.",
                         NULL},
    [TP_DETAIL_BUSY] =
        {"The device computes for {0} of the step time (largest kind of work: {2}, {1} of the kernel time).", NULL},
    [TP_DETAIL_WAITS] = {"For {0} of the step time, the host waits for unrecorded device work: lost records, or "
                         "conditional nodes of a graph.",
                         NULL},
    [TP_DETAIL_RESERVED] = {"The allocator reserves up to {0} of the device memory.", NULL},
    [TP_DETAIL_FRAGMENTED] = {"At the peak of allocated memory, {0} of the reserved bytes are unused.", NULL},
    [TP_DETAIL_CLOCK_POWER] =
        {"For {0} of the step time, the clock is {1:,} instead of {2:,} MHz, while the power is at "
         "its limit of {3:,} W.",
         NULL},
    [TP_DETAIL_CLOCK_HEAT] =
        {"For {0} of the step time, the clock is {1:,} instead of {2:,} MHz, at a temperature of up "
         "to {3:,} °C.",
         NULL},
    [TP_DETAIL_GROWTH] = {"Allocated memory grows by at least {0} in each step after the first.", NULL},
    [TP_DETAIL_OVERLAP] = {"For {0} of the step time, communication runs without computation, and computation could "
                           "hide {1} of the step time.",
                           NULL},
    [TP_DETAIL_OVERLAP_REST] = {"To save the remaining communication time, communicate less.", NULL},
    [TP_DETAIL_OVERLAP_LATE] = {"Hiding communication for {0} of the step time saves nothing, because the host "
                                "launches later kernels too late.",
                                NULL},
    [TP_DETAIL_COLLECTIVES] =
        {"The program makes {0:,} {1} calls per step of {2} on average, and calls up to 32 KiB take {3} (median).",
         NULL},
    [TP_DETAIL_COLLECTIVES_OF_WRAPPER] = {"The data-parallel wrapper makes {0:,} {1} calls per step of {2} on average, "
                                          "and calls up to 32 KiB take {3} (median).",
                                          NULL},
    [TP_DETAIL_LARGE_COLLECTIVES] =
        {"The program makes {0:,} {1} calls per step of {2} on average, and the median call takes {3}.", NULL},
    [TP_DETAIL_LARGE_COLLECTIVES_OF_WRAPPER] =
        {"The data-parallel wrapper makes {0:,} {1} calls per step of {2} on average, and the median call takes {3}.",
         NULL},
    [TP_DETAIL_BARE_GATHERS] = {"{0:,} of {1:,} parameter all-gathers run mostly without computation, and all of them "
                                "do so for {2} of the step time.",
                                NULL},
    [TP_DETAIL_ONE_PROCESS] =
        {"One process uses {0:,} devices, and copying model and data between the devices takes {1} of the step time.",
         NULL},
    [TP_DETAIL_MICRO_BATCHES] = {"Each step has {0:,} micro-batches, and for {1} of the step time the stage sends, "
                                 "receives or waits without computing.",
                                 NULL},
    [TP_DETAIL_STAGES] = {"If the {0:,} ranks of the {1} are stages, a schedule without interleaving leaves each stage "
                          "idle for {2} of the step time.",
                          NULL},
    [TP_DETAIL_MICRO_STEPS] = {"An optimizer step of {0:,} micro-steps takes {1:.2} ms, a micro-step {2:.2} ms, and "
                               "one with the update {3:.2} ms.",
                               NULL},
    [TP_DETAIL_MICRO_STEPS_MIN] = {"An optimizer step of at least {0:,} micro-steps takes at least {1:.2} ms, a "
                                   "micro-step {2:.2} ms, and one with the update {3:.2} ms.",
                                   NULL},
    [TP_DETAIL_REDUCTIONS] =
        {"{0:,} of {1:,} backward passes {0?reduces|reduce} gradients, although another backward pass "
         "follows before the optimizer step.",
         NULL},
    [TP_DETAIL_ONE_RANK] = {"The process group has one rank, but DistributedDataParallel makes {0:gradient "
                            "copy|gradient copies} and {1:reduction|reductions} per step.",
                            NULL},
    [TP_DETAIL_BROADCASTS] = {"Rank 0 sends {0:broadcast|broadcasts} per step before the forward passes.", NULL},
    [TP_DETAIL_ATTENTION] = {"Attention runs {0:time|times}{1:steps} as separate product, softmax and product kernels "
                             "(scores {2}), which take {3} of the step time.",
                             NULL},
    [TP_DETAIL_CHAINS] = {"{0:chain|chains} of three or more kernels{1:steps} only {0?moves, combines or normalises "
                          "values and takes|move, combine or normalise values and take} {2} of the step time.",
                          NULL},
    [TP_DETAIL_LAYOUT] = {"{0:kernel|kernels}{1:steps} {0?converts|convert} the layout of convolution inputs and "
                          "outputs and {0?takes|take} {2} of the step time.",
                          NULL},
    [TP_DETAIL_SLOW_PRODUCT] = {"{0} of {1} runs at {4:round} TFLOP/s ({2:call|calls}{3:steps}), and others of its "
                                "type at {5:round} (median) to {6:round} (best).",
                                NULL},
    [TP_DETAIL_FEW_ROWS] =
        {"Matrix products with few rows, which read all weights to compute few tokens, take {0} of the step time.",
         NULL},
    [TP_DETAIL_CAPTURED_TYPES] = {"The types and shapes of {0:kernel|kernels} of graphs come from the capture trace.",
                                  NULL},
    [TP_DETAIL_SHARE] = {"Matrix products and convolutions in FP32 take {0} of the step time.", NULL},
    [TP_DETAIL_HALF_PRODUCTS] = {"Compute-bound matrix products in half precision take {0} of the step time.", NULL},
    [TP_DETAIL_SHORT_KERNELS] = {"{0:,} of {1:,} kernels {0?is|are} shorter than {2}.", NULL},
    [TP_DETAIL_ONE_REQUEST] = {"{0:,} of {1:,} steps decode one request.", NULL},
    [TP_DETAIL_SINGLE_SAMPLES] =
        {"{0:,} of {1:,} steps work on one sample at a time, such as {2} with an input of {3}.", NULL},
    [TP_DETAIL_ALWAYS_SINGLE] =
        {"Each of the {0:,} steps works on one sample at a time, such as {1} with an input of {2}.", NULL},
    [TP_DETAIL_WEIGHTS] = {"Matrix products read {0:.1} MB of weights per step.", NULL},
    [TP_DETAIL_IN_PROCESS] = {"The training process loads the data itself (num_workers=0).", NULL},
    [TP_DETAIL_COLLATION] =
        {"Data loading takes {0} of the step time, including {1} of the step time for collating batches.", NULL},
    [TP_DETAIL_TRANSFORMS] = {"Data loading takes {0} of the step time, including {1} of the step time for code that "
                              "transforms samples.",
                              NULL},
    [TP_DETAIL_SMALL_OPERATORS] = {"{0:,} of {1:,} outermost operator calls are shorter than {2} \xc2\xb5s.",
                                   "{0:,} of {1:,} outermost calls are shorter than {2} \xc2\xb5s."},
    [TP_DETAIL_OPTIMIZER] =
        {"An optimizer step makes {0:operator call|operator calls} with {1:different operator|different operators}.",
         "An optimizer step makes {0:call|calls} of {1:different function|different functions}."},
    [TP_DETAIL_OUTLIER] = {"Step {0} takes {1:.1} times the median, and calls that other steps do not make take {2} of "
                           "the total step time.",
                           NULL},
    [TP_DETAIL_SINGLE_CALLS] = {"Each step calls the model {0:time|times} with one sample.", NULL},
    [TP_DETAIL_FEW_SAMPLES] =
        {"The matrix products have at most {0:row|rows}, and the estimate is the saving per sample with {1:,} rows.",
         NULL},
    [TP_DETAIL_UNEQUAL] = {"The largest input of a matrix product has {0:.1} times as many elements in the largest "
                           "step as in the smallest step.",
                           NULL},
    [TP_DETAIL_HOOKS] = {"Module hooks make {0:call|calls} per step to compute values that the training does not use.",
                         NULL},
    [TP_DETAIL_ZEROED] = {"The gradients are zeroed in place, and for large gradients new memory in each backward pass "
                          "may cost as much.",
                          NULL},
};

static void append_detail_part(struct tp_buf *out, const struct tp_detail *part, const char *sentence,
                               struct tp_arena *arena)
{
    if (out->size)
        tp_buf_putc(out, ' ');
    tp_fill_template(out, sentence, part->arguments, arena);
}

struct tp_str tp_detail_text(const struct tp_detail *details, const struct tp_model *model, struct tp_arena *arena)
{
    bool is_torch = tp_uses_torch_words(model->producer);
    struct tp_buf out;
    if (!details)
        return TP_STR("");
    if (details->id == TP_DETAIL_DEVICE_MISSING)
        return tp_str_of(tp_device_missing_advice(model, arena));
    tp_buf_init(&out, 0);
    for (const struct tp_detail *part = details; part; part = part->next) {
        const char *others = sentences[part->id].others;
        append_detail_part(&out, part, is_torch || !others ? sentences[part->id].torch : others, arena);
    }
    size_t size = out.size;
    return (struct tp_str){tp_buf_move(&out, arena), size};
}
