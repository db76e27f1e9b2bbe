/* Words why numbers are unknown: see reason_words.h. */
#include "webreport/document/words/reason_words.h"

const char *tp_rate_reason_text(enum tp_rate_reason reason)
{
    static const char *const texts[TP_RATE_REASONS] = {
        [TP_RATE_NO_DEVICE] = "no device events in the trace",
        [TP_RATE_NO_PEAKS] = "no peaks are known of this device (--peaks FILE gives them)",
        [TP_RATE_IMPOSSIBLE] = "the kernels would be faster than the device can be: the peak or the shapes are wrong, "
                               "or the kernels are cut short",
        [TP_RATE_NO_COSTS] = "the trace has no shapes of matrix products (record_shapes=True)",
        [TP_RATE_FEW_COSTS] = "the trace has the shapes of too few matrix products",
        [TP_RATE_NO_TYPES] =
            "the trace has shapes without types (no Input type): the peak that counts depends on the type",
        [TP_RATE_NO_TYPE] = "no peak is known of the type of these products (--peaks FILE gives it)",
        [TP_RATE_NO_PRODUCTS] = "no matrix products in the used steps",
    };
    return texts[reason];
}

static const char *reason_text(enum tp_metric_reason reason)
{
    static const char *const texts[TP_REASON_RATES] = {
        [TP_REASON_NO_STEPS] = "the trace has no steps",
        [TP_REASON_NO_EVENTS] = "the trace has no events",
        [TP_REASON_NO_LENGTH] = "the steps have no length",
        [TP_REASON_NO_DEVICE] = "no device events in the trace",
        [TP_REASON_NO_KERNELS] = "no kernels in the trace",
        [TP_REASON_NOT_IN_KERNELS] = "the kernels of the trace do not tell it",
        [TP_REASON_OF_TWO_RUNS] = "only the work of two runs, or of a named operator, tells it",
        [TP_REASON_NO_SERVING] = "no steps of a serving engine of that phase and size in the trace",
        [TP_REASON_NO_PROGRAM] =
            "no program was recorded from outside in the run, or several were: name one's PROGRAM.NS.pt.trace.json.gz",
        [TP_REASON_NO_LOOK] = "no process lived long enough for a look at its memory",
        [TP_REASON_OF_FUNCTION] = "only the rows of a program and a named function tell it",
        [TP_REASON_NO_RUNTIME] = "no runtime or driver calls in the trace",
        [TP_REASON_NO_OPERATORS] = "no operators in the trace",
        [TP_REASON_NO_DIRECTION] = "the trace has copies whose direction it does not say",
        [TP_REASON_NO_MEMORY_KIND] = "the trace has such copies without the kind of the host's memory",
        [TP_REASON_NO_SIZES] = "the trace has such copies without their sizes",
        [TP_REASON_NO_HOST_MEMORY] = "no memory records of the CPU (profile_memory)",
        [TP_REASON_NO_DEVICE_MEMORY] = "no memory records of a device (profile_memory)",
        [TP_REASON_FEW_MEMORY_STEPS] = "too few steps with memory records",
        [TP_REASON_NO_MEMORY_TOTALS] = "the memory records have no totals",
        [TP_REASON_NO_COMMUNICATION] = "no communication in the steps",
        [TP_REASON_NOTHING_TO_JUDGE] = "the trace has nothing that rules could judge",
        [TP_REASON_NOT_EVALUATED] = "the trace lacks what the rule needs; the report says what",
        [TP_REASON_DEVICE_NOT_RECORDED] = "the program called a device, and no operation of it is there",
        [TP_REASON_UNJUDGED] = "most of the recording cannot be judged: the verdict says why and what to record",
        [TP_REASON_NOT_STORED] = "the summary does not have it",
    };
    return reason < TP_REASON_RATES ? texts[reason]
                                    : tp_rate_reason_text((enum tp_rate_reason)(reason - TP_REASON_RATES));
}

#define RECORD_STACKS                                                                                                  \
    ": record them with with_stack (PyTorch: and verbose=True of experimental_config; C: .with_stack = 1), or take "   \
    "--metric cpu, which needs none"

const char *tp_folded_missing(const struct tp_folded_metric *metric)
{
    static const char *const texts[] = {
        [TP_FOLDED_CALL_STACKS] = "no call of 1 us or more with a recorded stack in it" RECORD_STACKS,
        [TP_FOLDED_DEVICE_STACKS] = "no call with a recorded stack and 1 us of device work in it" RECORD_STACKS,
        [TP_FOLDED_CALL_TIMES] = "no call of 1 us or more in it",
        [TP_FOLDED_LAUNCHES] = "no call in it launched 1 us of device work",
        [TP_FOLDED_ALLOCATIONS] = "no call in it allocated memory that was recorded (profile_memory)",
        [TP_FOLDED_CALLS] = "no calls in it",
        [TP_FOLDED_SAMPLES] = "no samples of running threads in it: 'tracepress record' takes them, and so does "
                              ".sample_rate of tracepress.h",
    };
    return texts[tp_folded_source(metric)];
}

void tp_word_metrics(struct tp_metric_value *values)
{
    for (int i = 0; i < TP_METRIC_COUNT; i++)
        if (values[i].reason != TP_REASON_NONE)
            values[i].why = reason_text(values[i].reason);
}
