/* Formats the details of findings as sentences. See detail_words.h.
 *
 * The templates below use {0} for the first argument, formatted by its type. Forms for integers: {0:,} separates
 * thousands; {0:call|calls} adds a noun in the singular or plural; {0?has|have} prints only the word for one or for
 * several; {0:steps} prints " in 6 steps", or "" for one step. Forms for real numbers: {0:.2} prints two decimals;
 * {0:round} prints none. Each template is one or more full sentences; a space separates the parts of a detail. */
#include "webreport/document/words/detail_words.h"

#include <string.h>

#include "webreport/document/words/device_words.h"
#include "webreport/measure/audience/wording.h"
#include "writer/base/buf.h"
#include "writer/text/format.h"

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
    [TP_DETAIL_GRAPH] = {"Each step has at least {0:,} launches. {1:call|calls} {1?prevents|prevent} a capture.", NULL},
    [TP_DETAIL_MALLOCS] = {"The allocator gets memory from the driver {0:time|times} and returns memory {1:time|times} "
                           "in {2:step|steps}.",
                           NULL},
    [TP_DETAIL_CAPTURE] =
        {"For {0} of the step time, the program captures launches into a graph. Captured launches do not run.", NULL},
    [TP_DETAIL_LITTLE] = {"The analysed step has {0:device operation|device operations} and takes {1}. The device is "
                          "busy for {2} of the step time.",
                          NULL},
    [TP_DETAIL_FIRST_USE] = {"The device is idle for {0} while the program allocates memory, loads modules or creates "
                             "handles. The percentages in the other findings refer to the remaining {1}.",
                             NULL},
    [TP_DETAIL_HUGE_GAPS] = {"The device is idle for {0} in gaps of more than 100 ms. The percentages in the other "
                             "findings refer to the remaining {1}.",
                             NULL},
    [TP_DETAIL_EDGE] =
        {"For {0} of the step time, it is unknown whether the device is idle or runs unrecorded operations.", NULL},
    [TP_DETAIL_EDGE_REST] = {"The percentages in the other findings refer to the remaining time.", NULL},
    [TP_DETAIL_LEAD] = {"The first recorded operation starts {0} after its launch, because the device still runs "
                        "operations from before the recording.",
                        NULL},
    [TP_DETAIL_QUEUE] = {"For {0} of the step time, the device is idle for more than 1 ms at a time, although the next "
                         "operation is already launched. This operation waits for an event, or for work that is not "
                         "among the {1:,} recorded operations.",
                         NULL},
    [TP_DETAIL_BUSY] =
        {"The device computes for {0} of the step time. The largest kind of work ({2}) takes {1} of the kernel time.",
         NULL},
    [TP_DETAIL_WAITS] = {"For {0} of the step time, the host waits for device work that was not recorded. Possible "
                         "reasons are lost records, or kernels inside a conditional or while node of a graph.",
                         NULL},
    [TP_DETAIL_RESERVED] = {"The allocator reserves up to {0} of the device memory.", NULL},
    [TP_DETAIL_FRAGMENTED] = {"At the peak of allocated memory, {0} of the reserved bytes are unused.", NULL},
    [TP_DETAIL_GROWTH] = {"Allocated memory grows by at least {0} in each step after the first.", NULL},
    [TP_DETAIL_OVERLAP] = {"Communication runs without computation for {0} of the step time. Computation of the same "
                           "step could hide communication for {1} of the step time.",
                           NULL},
    [TP_DETAIL_OVERLAP_REST] = {"To save the remaining communication time, communicate less.", NULL},
    [TP_DETAIL_OVERLAP_LATE] = {"Hiding communication for {0} of the step time saves nothing, because the host "
                                "launches later kernels too late.",
                                NULL},
    [TP_DETAIL_COLLECTIVES] = {"The program makes {0:,} {1} calls per step, of {2} on average. Even calls of up to 32 "
                               "KiB take {3} in the median.",
                               NULL},
    [TP_DETAIL_COLLECTIVES_OF_WRAPPER] =
        {"The data-parallel wrapper makes {0:,} {1} calls per step, of {2} on average. "
         "Even calls of up to 32 KiB take {3} in the median.",
         NULL},
    [TP_DETAIL_LARGE_COLLECTIVES] =
        {"The program makes {0:,} {1} calls per step, of {2} on average. The median call takes {3}.", NULL},
    [TP_DETAIL_LARGE_COLLECTIVES_OF_WRAPPER] =
        {"The data-parallel wrapper makes {0:,} {1} calls per step, of {2} on average. The median call takes {3}.",
         NULL},
    [TP_DETAIL_BARE_GATHERS] =
        {"{0:,} of {1:,} parameter all-gathers run without computation for at least half of their "
         "time. Parameter all-gathers run without computation for {2} of the step time.",
         NULL},
    [TP_DETAIL_ONE_PROCESS] =
        {"One process uses {0:,} devices. Copying the model and data between the devices takes {1} of the step time.",
         NULL},
    [TP_DETAIL_MICRO_BATCHES] =
        {"Each step has {0:,} micro-batches. For {1} of the step time, the stage sends, receives "
         "or waits, and computes nothing.",
         NULL},
    [TP_DETAIL_STAGES] = {"If the {0:,} ranks of the {1} are pipeline stages, a schedule without interleaving leaves "
                          "each stage idle for {2} of the step time.",
                          NULL},
    [TP_DETAIL_MICRO_STEPS] = {"An optimizer step has {0:,} micro-steps and takes {1:.2} ms. A micro-step takes {2:.2} "
                               "ms, or {3:.2} ms if it updates the parameters.",
                               NULL},
    [TP_DETAIL_MICRO_STEPS_MIN] = {"An optimizer step has at least {0:,} micro-steps and takes at least {1:.2} ms. A "
                                   "micro-step takes {2:.2} ms, or {3:.2} ms if it updates the parameters.",
                                   NULL},
    [TP_DETAIL_REDUCTIONS] =
        {"{0:,} of {1:,} backward passes {0?reduces|reduce} gradients, although another backward pass "
         "follows before the optimizer step.",
         NULL},
    [TP_DETAIL_ONE_RANK] = {"The process group has one rank, but DistributedDataParallel makes {0:gradient "
                            "copy|gradient copies} and {1:reduction|reductions} per step.",
                            NULL},
    [TP_DETAIL_BROADCASTS] = {"Rank 0 sends {0:broadcast|broadcasts} per step before the forward passes.", NULL},
    [TP_DETAIL_ATTENTION] = {"Attention runs {0:time|times}{1:steps} as separate kernels for product, softmax and "
                             "product (scores {2}). These kernels take {3} of the step time.",
                             NULL},
    [TP_DETAIL_CHAINS] =
        {"{0:chain|chains} of three or more kernels{1:steps} only {0?moves, combines or normalises|move, combine or "
         "normalise} values. {0?This chain takes|These chains take} {2} of the step time.",
         NULL},
    [TP_DETAIL_LAYOUT] = {"{0:kernel|kernels}{1:steps} {0?converts|convert} the layout of convolution inputs and "
                          "outputs. {0?This kernel takes|These kernels take} {2} of the step time.",
                          NULL},
    [TP_DETAIL_SLOW_PRODUCT] = {"{0} of {1} runs at {4:round} TFLOP/s ({2:call|calls}{3:steps}). Other products of "
                                "this data type reach {5:round} TFLOP/s in the median and {6:round} TFLOP/s at best.",
                                NULL},
    [TP_DETAIL_FEW_ROWS] = {"Matrix products with few rows take {0} of the step time. Such products read all weights "
                            "to compute few tokens.",
                            NULL},
    [TP_DETAIL_SHARE] = {"Matrix products and convolutions in FP32 take {0} of the step time.", NULL},
    [TP_DETAIL_HALF_PRODUCTS] = {"Compute-bound matrix products in half precision take {0} of the step time.", NULL},
    [TP_DETAIL_SHORT_KERNELS] = {"{0:,} of {1:,} kernels {0?is|are} shorter than {2}.", NULL},
    [TP_DETAIL_ONE_REQUEST] = {"{0:,} of {1:,} steps decode one request.", NULL},
    [TP_DETAIL_SINGLE_SAMPLES] =
        {"{0:,} of {1:,} steps work on one sample at a time. For example, the input of {2} has the shape {3}.", NULL},
    [TP_DETAIL_ALWAYS_SINGLE] =
        {"Each of the {0:,} steps works on one sample at a time. For example, the input of {1} has the shape {2}.",
         NULL},
    [TP_DETAIL_WEIGHTS] = {"Matrix products read {0:.1} MB of weights per step.", NULL},
    [TP_DETAIL_IN_PROCESS] = {"The training process loads the data itself (num_workers=0).", NULL},
    [TP_DETAIL_COLLATION] =
        {"Data loading takes {0} of the step time, including {1} of the step time for collating batches.", NULL},
    [TP_DETAIL_SMALL_OPERATORS] = {"{0:,} of {1:,} outermost operator calls are shorter than {2} \xc2\xb5s.",
                                   "{0:,} of {1:,} outermost calls are shorter than {2} \xc2\xb5s."},
    [TP_DETAIL_OPTIMIZER] =
        {"An optimizer step makes {0:operator call|operator calls} with {1:different operator|different operators}.",
         "An optimizer step makes {0:call|calls} of {1:different function|different functions}."},
    [TP_DETAIL_OUTLIER] = {"Step {0} takes {1:.1} times the median step time. Calls that other steps do not make take "
                           "{2} of the total step time.",
                           NULL},
    [TP_DETAIL_SINGLE_CALLS] = {"Each step calls the model {0:time|times} with one sample.", NULL},
    [TP_DETAIL_FEW_SAMPLES] =
        {"The matrix products have at most {0:row|rows}. The estimate assumes {1:,} rows and is the saving per sample.",
         NULL},
    [TP_DETAIL_UNEQUAL] = {"The largest input of a matrix product has {0:.1} times as many elements in the largest "
                           "step as in the smallest step.",
                           NULL},
    [TP_DETAIL_HOOKS] = {"Module hooks make {0:call|calls} per step to compute values that the training does not use.",
                         NULL},
    [TP_DETAIL_ZEROED] = {"The gradients are zeroed in place. For large gradients, new memory in each backward pass "
                          "may cost as much as zeroing.",
                          NULL},
};

/* Appends the first word of "one|many" if `count` is 1, else the second word. end: end of `words`. */
static void add_singular_or_plural(struct tp_buf *out, int64_t count, const char *words, const char *end)
{
    const char *bar = memchr(words, '|', (size_t)(end - words));
    if (count == 1)
        tp_buf_add(out, words, (size_t)(bar - words));
    else
        tp_buf_add(out, bar + 1, (size_t)(end - bar) - 1);
}

static void add_plain_argument(struct tp_buf *out, const struct tp_detail_argument *argument, struct tp_arena *arena)
{
    switch (argument->type) {
    case TP_ARGUMENT_TEXT:
        tp_buf_add(out, argument->text.ptr, argument->text.len);
        break;
    case TP_ARGUMENT_NUMBER:
        tp_buf_printf(out, "%lld", (long long)argument->number);
        break;
    case TP_ARGUMENT_NS:
        tp_buf_puts(out, tp_text_of_time(arena, argument->number));
        break;
    case TP_ARGUMENT_BYTES:
        tp_buf_puts(out, tp_text_of_bytes(arena, argument->number));
        break;
    case TP_ARGUMENT_PERCENT:
        tp_buf_puts(out, tp_text_of_percent(arena, argument->real));
        break;
    default:
        tp_buf_printf(out, "%g", argument->real);
    }
}

/* Appends an argument as text. form: start of the format, such as ":.2", "?has|have" or ""; end: its end. */
static void append_argument(struct tp_buf *out, const struct tp_detail_argument *argument, const char *form,
                            const char *end, struct tp_arena *arena)
{
    size_t length = (size_t)(end - form);
    if (!length) {
        add_plain_argument(out, argument, arena);
    } else if (*form == '?') {
        add_singular_or_plural(out, argument->number, form + 1, end);
    } else if (length == 2 && form[1] == ',') {
        tp_buf_puts(out, tp_text_of_count(arena, argument->number));
    } else if (length == 3 && form[1] == '.') {
        tp_buf_printf(out, "%.*f", form[2] - '0', argument->real);
    } else if (strncmp(form, ":round", length) == 0) {
        tp_buf_puts(out, tp_text_of_fixed(arena, argument->real, 0));
    } else if (strncmp(form, ":steps", length) == 0) {
        if (argument->number > 1)
            tp_buf_printf(out, " in %s steps", tp_text_of_count(arena, argument->number));
    } else {
        tp_buf_printf(out, "%s ", tp_text_of_count(arena, argument->number));
        add_singular_or_plural(out, argument->number, form + 1, end);
    }
}

static void append_detail_part(struct tp_buf *out, const struct tp_detail *part, const char *sentence,
                               struct tp_arena *arena)
{
    if (out->size)
        tp_buf_putc(out, ' ');
    while (*sentence) {
        size_t plain = strcspn(sentence, "{");
        tp_buf_add(out, sentence, plain);
        sentence += plain;
        if (!*sentence)
            break;
        const char *end = strchr(sentence, '}');
        append_argument(out, &part->arguments[sentence[1] - '0'], sentence + 2, end, arena);
        sentence = end + 1;
    }
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
