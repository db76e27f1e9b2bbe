/* Formats the details of findings as sentences. See detail_words.h.
 *
 * The templates below use {0} for the first argument, formatted by its type. Forms for integers: {0:,} separates
 * thousands; {0:call|calls} adds a noun in the singular or plural; {0?has|have} prints only the word for one or for
 * several; {0:steps} prints " in 6 steps", or "" for one step. Forms for real numbers: {0:.2} prints two decimals;
 * {0:round} prints none. The parts of a detail are joined by "; ", but a part that begins with a comma is appended
 * directly. */
#include "webreport/document/words/detail_words.h"

#include <string.h>

#include "webreport/document/words/device_words.h"
#include "webreport/measure/audience/wording.h"
#include "writer/base/buf.h"
#include "writer/text/format.h"

static const struct {
    /* torch: sentence for PyTorch programs; others: sentence for all other programs, or NULL if it is the same */
    const char *torch, *others;
} sentences[TP_DETAIL_COUNT] = {
    [TP_DETAIL_OTHER_DEVICE] = {"tracepress does not read the kind of records that contains the device work", NULL},
    [TP_DETAIL_LINE] = {"{0}: {1}", NULL},
    [TP_DETAIL_LINE_OF_STEP] = {"{0}: {1} of the step", NULL},
    [TP_DETAIL_SLOW_LINE] = {"slow or frequent calls are in {0}: {1} of the step", NULL},
    [TP_DETAIL_PAUSES] = {"{0} of this time is pauses in which the thread did not run", NULL},
    [TP_DETAIL_FEW_GAPS] = {"{0:gap|gaps} {0?makes|make} up {1} of it", NULL},
    [TP_DETAIL_REPLAY] = {"{0} launches repeat in every step, so a captured graph could replay them", NULL},
    [TP_DETAIL_BLOCKERS] =
        {"first remove {0:wait, allocation or pageable copy|waits, allocations or pageable copies}{1:steps}", NULL},
    [TP_DETAIL_GRAPH] = {"{0} launches per step; {1} calls prevent a capture", NULL},
    [TP_DETAIL_MALLOCS] = {"{0} allocations and {1} frees in {2} steps", NULL},
    [TP_DETAIL_CAPTURE] = {"for {0} of the recording, launches are captured into a graph and do not run", NULL},
    [TP_DETAIL_LITTLE] = {"{0} device operation{0?|s} in one step of {1}; the device works for {2} of the step", NULL},
    [TP_DETAIL_FIRST_USE] = {"the device is idle for {0} while memory, modules and handles are created; the shares of "
                             "the other findings refer to the other {1}",
                             NULL},
    [TP_DETAIL_HUGE_GAPS] = {"the device is idle for {0} in gaps of at least 100 ms; the shares of the other findings "
                             "refer to the other {1}",
                             NULL},
    [TP_DETAIL_EDGE] =
        {"for {0} of the step time the state of the device is unknown: it worked on operations from before "
         "the recording, or was idle",
         NULL},
    [TP_DETAIL_EDGE_REST] = {"the shares of the other findings refer to the remaining time", NULL},
    [TP_DETAIL_LEAD] = {"the first recorded operation started {0} after its call, because the device worked on "
                        "operations from before the recording",
                        NULL},
    [TP_DETAIL_QUEUE] = {"for {0} of the time, operations that had been called long before wait 1 ms or more for an "
                         "event, or for work that is not among the {1:,} recorded operations",
                         NULL},
    [TP_DETAIL_BUSY] = {"the device computes for {0} of the time; {1} of its kernel time is {2}", NULL},
    [TP_DETAIL_WAITS] = {"for {0} of the time, the host waits for device work that is not recorded: kernels inside a "
                         "conditional or while node of a graph, or lost records",
                         NULL},
    [TP_DETAIL_RESERVED] = {"{0} of the device memory is reserved", NULL},
    [TP_DETAIL_FRAGMENTED] = {"{0} of the reserved bytes are unused at the peak", NULL},
    [TP_DETAIL_GROWTH] = {"memory grows by {0} per step", NULL},
    [TP_DETAIL_OVERLAP] =
        {"communication runs without computation for {0} of the step; computation of the same step could hide {1}",
         NULL},
    [TP_DETAIL_OVERLAP_REST] = {"the rest needs less communication", NULL},
    [TP_DETAIL_OVERLAP_LATE] =
        {"hiding {0} of the step saves nothing, because the host launches later kernels too late", NULL},
    [TP_DETAIL_COLLECTIVES] = {"{0} calls of {1} per step, of {2} on average; even the smallest one costs about {3}",
                               NULL},
    [TP_DETAIL_COLLECTIVES_OF_WRAPPER] = {"{0} calls of {1} per step by the wrapper of the model, of {2} on average; "
                                          "even the smallest one costs about {3}",
                                          NULL},
    [TP_DETAIL_LARGE_COLLECTIVES] = {"{0} calls of {1} per step, of {2} on average; one takes {3}", NULL},
    [TP_DETAIL_LARGE_COLLECTIVES_OF_WRAPPER] =
        {"{0} calls of {1} per step by the wrapper of the model, of {2} on average; one takes {3}", NULL},
    [TP_DETAIL_BARE_GATHERS] = {"{0} of {1} parameter all-gathers do not overlap with computation ({2} of the step)",
                                NULL},
    [TP_DETAIL_ONE_PROCESS] =
        {"one process uses {0} devices; copying the model to the devices and the results back takes {1} of the step",
         NULL},
    [TP_DETAIL_MICRO_BATCHES] = {"a step has {0} micro-batches; for {1} of the step the stage only sends, receives or "
                                 "waits and does not compute",
                                 NULL},
    [TP_DETAIL_STAGES] = {"if the {0} ranks of the {1} are pipeline stages, a schedule without interleaving leaves "
                          "each stage idle for {2}",
                          NULL},
    [TP_DETAIL_MICRO_STEPS] = {"{0} micro-steps make one optimizer step of {1:.2} ms: a micro-step takes {2:.2} ms, "
                               "and the one that updates the parameters {3:.2} ms",
                               NULL},
    [TP_DETAIL_MICRO_STEPS_MIN] = {"at least {0} micro-steps make one optimizer step of {1:.2} ms: a micro-step takes "
                                   "{2:.2} ms, and the one that updates the parameters {3:.2} ms",
                                   NULL},
    [TP_DETAIL_REDUCTIONS] = {"{0} of {1} backward passes reduce gradients although no optimizer step follows", NULL},
    [TP_DETAIL_ONE_RANK] = {"the process group has one rank, but the wrapper handles {0:gradient copy|gradient copies} "
                            "and {1:reduction|reductions} per step",
                            NULL},
    [TP_DETAIL_BROADCASTS] = {"rank 0 sends {0:broadcast|broadcasts} before the forward passes of a step", NULL},
    [TP_DETAIL_ATTENTION] = {"{0:time|times}{1:steps} attention runs as separate kernels for product, softmax and "
                             "product (scores {2}), which takes {3} of the step",
                             NULL},
    [TP_DETAIL_CHAINS] = {"{0:time|times}{1:steps} three or more kernels in a row only move, combine or normalise "
                          "values, which takes {2} of the step",
                          NULL},
    [TP_DETAIL_LAYOUT] = {"{0:kernel|kernels}{1:steps} convert the layout of inputs and outputs of convolutions, which "
                          "takes {2} of the step",
                          NULL},
    [TP_DETAIL_SLOW_PRODUCT] = {"{0} of {1}, {2:call|calls}{3:steps}, runs at {4:round} TFLOP/s; other products of "
                                "this type reach {5:round}, the best of them {6:round}",
                                NULL},
    [TP_DETAIL_FEW_ROWS] =
        {"{0} of the step goes to matrix products with few rows, which read all weights for few tokens", NULL},
    [TP_DETAIL_SHARE] = {"{0} of the step", NULL},
    [TP_DETAIL_HALF_PRODUCTS] = {"{0} of the step is half-precision products that are limited by compute", NULL},
    [TP_DETAIL_SHORT_KERNELS] = {"{0} of {1} kernels are shorter than {2}", NULL},
    [TP_DETAIL_ONE_REQUEST] = {"{0} of {1} steps decode one request", NULL},
    [TP_DETAIL_SINGLE_SAMPLES] = {"{0} of the {1} steps work on one sample at a time: {2} takes {3}", NULL},
    [TP_DETAIL_ALWAYS_SINGLE] = {"each of the {0} steps works on one sample at a time: {1} takes {2}", NULL},
    [TP_DETAIL_WEIGHTS] = {", and matrix products read {0:.1} MB of weights per step", NULL},
    [TP_DETAIL_IN_PROCESS] = {"the data is loaded in the training process (num_workers=0)", NULL},
    [TP_DETAIL_COLLATION] = {"loading takes {0} of the step time; collating batches takes {1}", NULL},
    [TP_DETAIL_SMALL_OPERATORS] = {"{0} of {1} outermost operator calls are shorter than {2} \xc2\xb5s",
                                   "{0} of {1} outermost calls are shorter than {2} \xc2\xb5s"},
    [TP_DETAIL_OPTIMIZER] = {"{0} operator calls per optimizer step, {1} different operators",
                             "{0} calls per optimizer step, of {1} names"},
    [TP_DETAIL_OUTLIER] =
        {"step {0} takes {1:.1} times the median; calls that other steps do not make take {2} of all steps", NULL},
    [TP_DETAIL_SINGLE_CALLS] = {"each step calls the model {0} times with one sample", NULL},
    [TP_DETAIL_FEW_SAMPLES] =
        {"the matrix products have {0} rows; the estimate is of the time per sample with {1} rows", NULL},
    [TP_DETAIL_UNEQUAL] = {"the largest matrix product of the largest step has {0:.1} times as many elements as that "
                           "of the smallest step",
                           NULL},
    [TP_DETAIL_HOOKS] = {"hooks of modules compute values that the training does not use, {0:call|calls} in each step",
                         NULL},
    [TP_DETAIL_ZEROED] = {"the gradients are zeroed in place; for large gradients, allocating new memory in each "
                          "backward pass may cost as much",
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
    if (out->size && *sentence != ',')
        tp_buf_puts(out, "; ");
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
