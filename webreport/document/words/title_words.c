/* Implements title_words.h. argument_words.h describes the templates of the titles. */
#include "webreport/document/words/title_words.h"

#include <string.h>

#include "webreport/document/words/argument_words.h"
#include "writer/text/marked_text.h"

/* Titles for each audience; NULL: the title in the rule's row. Titles for inference and serving that are NULL equal the
 * title for training, unless the rule's row has an own title for this audience. */
static const struct {
    const char *training, *native, *inference, *serving;
} titles[TP_TITLE_COUNT] = {
    [TP_TITLE_REPEATED_LAUNCHES] = {.training = "Capture the {0:,} launches that repeat in every step as a CUDA graph",
                                    .native = "Capture the {0:,} launches that repeat in every step as a graph"},
    [TP_TITLE_WAIT] = {.training = "Remove the wait in `{0:line}`: the GPU is empty for {1} after it",
                       .native = "Remove the wait in `{0:line}`: the device is empty for {1} after it"},
    [TP_TITLE_VALUE_READ] = {.training = "Read the value in `{0:line}` every 50 steps, not in each",
                             .native = "Read the value in `{0:line}` every 50 steps, not in each",
                             .inference = "Keep the value in `{0:line}` on the GPU, or read it one step later"},
    [TP_TITLE_DATA_SIZE] = {.training = "Avoid `{0}()` in `{1:line}`: the CPU waits for its size"},
    [TP_TITLE_ALLOCATION] = {.training = "Stop calling `{0}` in the step: keep and reuse the buffers",
                             .native = "Stop calling `{0}` in the step: keep and reuse the buffers"},
    [TP_TITLE_HOST_CODE] = {.training = "Run `{0:function}` in a worker process, or on the GPU",
                            .native = "Shorten `{0:function}`, or run it on another thread",
                            .serving = "Move `{0:function}` to another thread: the GPU waits for it"},
    [TP_TITLE_SMALL_COPIES] = {.training = "Join {0:,} small copies a step into one",
                               .native = "Join {0:,} small copies a step into one"},
    [TP_TITLE_SLOW_PRODUCT] = {.training = "Tune one product: {0} reaches {1:round} TFLOP/s, its neighbours {2:round}",
                               .native = "Tune one product: {0} reaches {1:round} TFLOP/s, its neighbours {2:round}"},
    [TP_TITLE_LAYOUT] = {.training = "Keep tensors in `channels_last`: {0} a step only change the layout"},
    [TP_TITLE_GROWTH] = {.training = "Free the memory that each step keeps: at least {0} a step",
                         .native = "Free the memory that each step keeps: at least {0} a step"},
    [TP_TITLE_OVERLAP] = {.training = "Overlap communication with backward: at most {1:bare} of {0} can be hidden",
                          .native = "Overlap communication with computation: at most {1:bare} of {0} can be hidden",
                          .inference = "Overlap communication with computation: at most {1:bare} of {0} can be hidden"},
    [TP_TITLE_COMMUNICATE_LESS] =
        {.training = "Communicate less: use larger batches, gradient accumulation, or smaller gradients",
         .native = "Communicate less: no computation can hide the communication",
         .inference = "Communicate less: use fewer devices for each copy of the model"},
    [TP_TITLE_COLLECTIVES] = {.training = "Merge {0:,} small {1} calls a step into a few large ones",
                              .native = "Merge {0:,} small {1} calls a step into a few large ones"},
    [TP_TITLE_COLLECTIVES_OF_WRAPPER] = {.training = "Merge {0:,} small {1} calls a step: use larger buckets or blocks",
                                         .native = "Merge {0:,} small {1} calls a step into a few large ones"},
    [TP_TITLE_OPTIMIZER] = {.training = "Update all parameters together: `{0}(foreach=True)`"},
    [TP_TITLE_LOOP] = {.training = "Replace the loop in `{0:line}` by one operation on the tensor",
                       .native = "Replace the loop in `{0:line}` by one operation on the array"},
    [TP_TITLE_UPDATES] = {.training = "Update all tensors of `{0:line}` together, such as by a fused optimizer"},
    [TP_TITLE_COMPILATION] = {.training = "Trace or compile before the loop: it took {0}"},
    [TP_TITLE_PYTHON_CODE] = {.training = "Move `{0:function}` out of the step, or make it cheaper",
                              .native = "Move `{0:function}` out of the step, or make it cheaper",
                              .serving = "Move `{0:function}` out of the step, or make it cheaper"},
    [TP_TITLE_LOADING_IN_PROCESS] = {.training = "Load data in the background: `num_workers=4`"},
    [TP_TITLE_SLOW_WORKERS] = {.training = "Make decoding cheaper, or use more loader workers if CPUs are idle"},
    [TP_TITLE_RECORDED_CAPTURE] = {.training = "Record the replay of the graphs, not only their capture",
                                   .native = "Record the replay of the graphs, not only their capture",
                                   .serving = "Record the replay of the graphs, not only their capture"},
    [TP_TITLE_STRAGGLER] = {.training = "Check {0}: the other ranks wait {1} a step for it",
                            .native = "Check {0}: the other ranks wait {1} a step for it"},
};

const char *tp_title_template(const struct tp_rule *rule, enum tp_title_id id, enum tp_rule_audience audience)
{
    switch (audience) {
    case TP_FOR_NATIVE:
        return titles[id].native;
    case TP_FOR_MPI:
        return rule->mpi.title ? NULL : titles[id].native;
    case TP_FOR_INFERENCE:
        return titles[id].inference || rule->inference.title ? titles[id].inference : titles[id].training;
    case TP_FOR_SERVING:
        return titles[id].serving || rule->serving.title ? titles[id].serving : titles[id].training;
    default:
        return titles[id].training;
    }
}

static bool are_arguments_known(const struct tp_title *title)
{
    for (unsigned i = 0; i < TP_TITLE_ARGUMENTS; i++)
        if (title->arguments[i].type == TP_ARGUMENT_TEXT && !title->arguments[i].text.len)
            return false;
    return true;
}

/* Returns a title with marks for code: the template with its arguments, or `usual` if there is no template or an
 * argument is unknown. */
static const char *marked_title(const struct tp_title *facts, const char *words, const char *usual,
                                struct tp_arena *arena)
{
    struct tp_detail_argument arguments[TP_TITLE_ARGUMENTS];
    struct tp_buf out;
    if (!words || !are_arguments_known(facts))
        return tp_marked_text(arena, usual);
    for (unsigned i = 0; i < TP_TITLE_ARGUMENTS; i++) {
        arguments[i] = facts->arguments[i];
        arguments[i].text = tp_marked_argument(arena, arguments[i].text);
    }
    tp_buf_init(&out, 0);
    tp_fill_template(&out, tp_marked_text(arena, words), arguments, arena);
    return tp_buf_move(&out, arena);
}

/* Returns an own text in which another word for devices replaces "GPU", and "graph" replaces "CUDA graph". */
static const char *text_with_device_word(const char *own, const char *devices, struct tp_arena *arena)
{
    static const struct {
        const char *from, *to; /* to: NULL for the word for devices */
    } words[] = {{"CUDA graph", "graph"}, {"GPU", NULL}};
    struct tp_buf out;
    if (!own || !devices || strcmp(devices, "GPU") == 0)
        return own;
    const char *word = strcmp(devices, "Device") == 0 ? "device" : devices;
    tp_buf_init(&out, 0);
    while (*own) {
        size_t n = 0, count = sizeof words / sizeof *words;
        while (n < count && strncmp(own, words[n].from, strlen(words[n].from)) != 0)
            n++;
        if (n < count)
            tp_buf_puts(&out, words[n].to ? words[n].to : word);
        else
            tp_buf_putc(&out, *own);
        own += n < count ? strlen(words[n].from) : 1;
    }
    return tp_buf_move(&out, arena);
}

void tp_fill_finding_title(struct tp_finding *finding, const struct tp_titled_program *program, struct tp_arena *arena)
{
    const struct tp_title *facts = &finding->title_facts;
    const struct tp_rule *rule = finding->rule;
    const char *usual = tp_title_template(rule, facts->id, tp_rule_audience_of(program->producer, TP_USE_TRAINING));
    const char *shown = tp_title_template(rule, facts->id, tp_rule_audience_of(program->producer, program->use));
    if (finding->is_partly_followed)
        shown = NULL;
    finding->title = tp_marked_plain(arena, marked_title(facts, usual, finding->title, arena));
    finding->marked_title = marked_title(facts, text_with_device_word(shown, program->devices, arena),
                                         text_with_device_word(finding->shown_title, program->devices, arena), arena);
    finding->shown_title = tp_marked_plain(arena, finding->marked_title);
}
