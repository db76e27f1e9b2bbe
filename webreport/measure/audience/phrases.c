/* Implements phrases.h: chooses phrases by the producer of the trace. */
#include "webreport/measure/audience/phrases.h"

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
