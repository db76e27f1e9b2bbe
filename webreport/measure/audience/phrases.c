/* Implements phrases.h: chooses phrases by the producer of the trace. */
#include "webreport/measure/audience/phrases.h"

#include <string.h>

#include "writer/base/buf.h"
#include "writer/text/format.h"

const char *tp_phrase(enum tp_phrase phrase, enum tp_producer producer)
{
    static const struct {
        const char *torch, *others;
    } phrases[TP_PHRASE_COUNT] = {
        [TP_PHRASE_STEP_MARKER] = {NULL, "tracepress_step"},
        [TP_PHRASE_MARK_STEPS] = {"Call prof.step() once per iteration to mark steps.",
                                  "Call tracepress_step() once per iteration to mark steps."},
        [TP_PHRASE_RECORD_DEVICE] = {"If the run used a GPU, enable ProfilerActivity.CUDA.", NULL},
        [TP_PHRASE_RECORD_MEMORY] = {"memory (record with profile_memory=True)",
                                     "memory (record it with tracepress_memory_note)"},
        [TP_PHRASE_NO_MEMORY] = {"no memory records: record with profile_memory=True",
                                 "no memory records: record memory with tracepress_memory_note"},
        [TP_PHRASE_RECORD_MODULES] = {"modules (record with with_stack=True)",
                                      "modules (mark them with tracepress_module_begin)"},
        [TP_PHRASE_INPUT] = {"Data loading", "Waiting for input"},
        [TP_PHRASE_INPUT_SHARE] = {"Share of the step time in which the data loader's next() runs.",
                                   "Share of the step time in which the program is in a range that waits for input."},
        [TP_PHRASE_INPUT_MEAN] =
            {"Mean time per step in the data loader while no device work, communication or runtime call runs.",
             "Mean time per step in ranges that wait for input."},
        [TP_PHRASE_CALLS] = {"Runtime calls", "Runtime calls and waits"},
        [TP_PHRASE_HOST_WORK] = {"Operators and ranges", "Host work"},
        [TP_PHRASE_HOST_SHARE] = {"Operator time", "Host work"},
        [TP_PHRASE_FRAME] = {"Python frame", "frame"},
        [TP_PHRASE_CALLER] = {"Python frame", "module"},
        [TP_PHRASE_STACKS] = {"Python stacks", "Call stacks"},
        [TP_PHRASE_FRAMES_LEFT_OUT] =
            {"Python frames that only call one other function, and the smallest boxes, are left out.",
             "The smallest boxes are left out."},
        [TP_PHRASE_CATEGORIES] =
            {"kernel, copy, set, communication, runtime, data loading, CPU. The remaining time is called other.",
             "kernel, copy, set, communication, runtime and waits, input, host work. The remaining time is called "
             "other."},
        [TP_PHRASE_LATE_HOST] =
            {"Check the slow host for high CPU load, wrong CPU pinning, swapping, garbage collection, "
             "and Python code that is slower than on the other hosts.",
             "Check the slow host for high CPU load, wrong CPU pinning, swapping, page faults, locks, "
             "and code that is slower than on the other hosts."},
        [TP_PHRASE_SLOW_INPUT] = {"On the slow ranks, check the storage and network of the host, the number of loader "
                                  "workers, and whether one shard is larger than the others.",
                                  "On the slow ranks, check the storage and network of the host, the threads that read "
                                  "ahead, and whether one file is larger than the others."},
        [TP_PHRASE_IN_INPUT] = {"Time in the data loader.", "Time in ranges that wait for input."},
        [TP_PHRASE_IN_INPUT_MEDIAN] = {"Median time per step in the data loader.",
                                       "Median time per step in ranges that wait for input."},
        [TP_PHRASE_LOADING] = {"Loading input data", "Waiting for input"},
    };
    return tp_uses_torch_words(producer) ? phrases[phrase].torch : phrases[phrase].others;
}

/* ---- operators ---- */

struct tp_speech tp_speech_of_model(const struct tp_model *model)
{
    return (struct tp_speech){model->producer, tp_has_only_devices_of_program(model),
                              !model->gpu_count && !tp_uses_torch_words(model->producer), tp_devices_word(model)};
}

struct tp_speech tp_speech_for_two_traces(struct tp_speech first, struct tp_speech second)
{
    bool has_gpu = !first.mentions_no_device && !first.has_only_registered_devices;
    has_gpu |= !second.mentions_no_device && !second.has_only_registered_devices;
    const char *x = first.devices ? first.devices : "GPU", *y = second.devices ? second.devices : "GPU";
    const char *word = first.mentions_no_device ? y : second.mentions_no_device || strcmp(x, y) == 0 ? x : "Device";
    return (struct tp_speech){first.producer,
                              !has_gpu && (first.has_only_registered_devices || second.has_only_registered_devices),
                              first.mentions_no_device && second.mentions_no_device, word};
}

/* words that texts write in braces, and the words for a program that does not use PyTorch */
static const struct spoken_word {
    const char *torch, *others;
} spoken_words[] = {
    {"operator", "call"},
    {"operators", "calls"},
    {"Operator", "Call"},
    {"Operators", "Calls"},
    {"an operator", "a call"},
    {"An operator", "A call"},
    {"Operators called", "Calls made"},
    {"Calls of operators", "Calls"},
    {"calls of the operator", "calls of that name"},
    {"operator calls", "calls"},
    {"operator time", "the time in calls"},
    {"annotation", "range"},
    {"annotations", "ranges"},
    {"an annotation", "a range"},
    {"An annotation", "A range"},
};

/* Returns the word for the devices. Inside of a text, "Device" is in lower case. */
static const char *device_word(struct tp_speech speech, bool is_first)
{
    const char *word = speech.devices ? speech.devices : "GPU";
    return !is_first && strcmp(word, "Device") == 0 ? "device" : word;
}

/* Returns the word for a key in braces, or NULL if the key is unknown. */
static const char *spoken_word(struct tp_speech speech, struct tp_str key, bool is_first)
{
    if (tp_str_equal(key, TP_STR("GPU")))
        return device_word(speech, is_first);
    for (size_t i = 0; i < sizeof spoken_words / sizeof *spoken_words; i++)
        if (tp_str_equal(key, tp_str_of(spoken_words[i].torch)))
            return tp_uses_torch_words(speech.producer) ? spoken_words[i].torch : spoken_words[i].others;
    return NULL;
}

const char *tp_speech_text(struct tp_speech speech, const char *text, struct tp_arena *arena)
{
    const char *brace = text ? strchr(text, '{') : NULL;
    struct tp_buf out;
    if (!brace)
        return text;
    tp_buf_init(&out, 0);
    for (const char *at = text; *at;) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        const char *word =
            end ? spoken_word(speech, (struct tp_str){at + 1, (size_t)(end - at - 1)}, at == text) : NULL;
        if (word)
            tp_buf_puts(&out, word);
        else
            tp_buf_putc(&out, *at);
        at = word ? end + 1 : at + 1;
    }
    return tp_buf_move(&out, arena);
}

const char *tp_words_for_trace(const struct tp_model *model, const char *text, struct tp_arena *arena)
{
    return tp_speech_text(tp_speech_of_model(model), text, arena);
}

const char *tp_operator_count_text(enum tp_producer producer, size_t count, struct tp_arena *arena)
{
    return tp_uses_torch_words(producer) ? tp_text_of_counted_noun(arena, (int64_t)count, "operator", "operators")
                                         : tp_text_of_counted_noun(arena, (int64_t)count, "name", "names");
}

bool tp_mentions_launches(const struct tp_model *model)
{
    struct tp_speech speech = tp_speech_of_model(model);
    return !speech.mentions_no_device && !speech.has_only_registered_devices;
}
