/* Explains to readers why numbers are unknown. See reason_words.h. */
#include "webreport/document/words/reason_words.h"

const char *tp_rate_reason_text(enum tp_rate_reason reason)
{
    static const char *const texts[TP_RATE_REASONS] = {
        [TP_RATE_NO_DEVICE] = "the trace has no device events",
        [TP_RATE_NO_PEAKS] = "the peak rates of this device are unknown (set them with --peaks FILE)",
        [TP_RATE_IMPOSSIBLE] = "the kernels would exceed the peak rate of the device: the peak rate or the shapes are "
                               "wrong, or the kernels were cut",
        [TP_RATE_NO_COSTS] = "the trace has no shapes of matrix products (record_shapes=True)",
        [TP_RATE_FEW_COSTS] = "the trace has the shapes of too few matrix products",
        [TP_RATE_NO_TYPES] =
            "the trace has shapes without data types (no Input type), and the peak rate depends on the type",
        [TP_RATE_NO_TYPE] =
            "the device's peak rate for the data type of these products is unknown (set it with --peaks FILE)",
        [TP_RATE_NO_PRODUCTS] = "the used steps have no matrix products",
    };
    return texts[reason];
}

static const char *reason_text(enum tp_metric_reason reason)
{
    static const char *const texts[TP_REASON_RATES] = {
        [TP_REASON_NO_STEPS] = "the trace has no steps",
        [TP_REASON_NO_EVENTS] = "the trace has no events",
        [TP_REASON_NO_LENGTH] = "the steps have no length",
        [TP_REASON_NO_DEVICE] = "the trace has no device events",
        [TP_REASON_NO_KERNELS] = "the trace has no kernels",
        [TP_REASON_NOT_IN_KERNELS] = "the kernel names of the trace do not show it",
        [TP_REASON_NEEDS_TWO_RUNS] = "this metric needs two runs, or the name of an operator",
        [TP_REASON_NO_SERVING] = "the trace has no engine steps of this phase and size",
        [TP_REASON_NO_PROGRAM] = "the run contains no program recorded from outside, or several; name the file "
                                 "PROGRAM.NS.pt.trace.json.gz of one program",
        [TP_REASON_NO_MEMORY_READING] = "no process lived long enough for its memory to be read",
        [TP_REASON_NEEDS_FUNCTION] = "this metric needs a program recorded from outside and the name of a function",
        [TP_REASON_NO_RUNTIME] = "the trace has no runtime or driver calls",
        [TP_REASON_NO_OPERATORS] = "the trace has no operators",
        [TP_REASON_NO_DIRECTION] = "the trace has copies without a direction",
        [TP_REASON_NO_MEMORY_KIND] = "the trace has such copies, but not whether the host memory is pageable",
        [TP_REASON_NO_SIZES] = "the trace has such copies, but not their sizes",
        [TP_REASON_NO_HOST_MEMORY] = "the trace has no memory records of the CPU (option profile_memory)",
        [TP_REASON_NO_DEVICE_MEMORY] = "the trace has no memory records of a device (option profile_memory)",
        [TP_REASON_FEW_MEMORY_STEPS] = "the trace has too few steps with memory records",
        [TP_REASON_NO_MEMORY_TOTALS] = "the memory records have no totals",
        [TP_REASON_NO_COMMUNICATION] = "the steps contain no communication",
        [TP_REASON_NOTHING_TO_JUDGE] = "the trace has no events that the rules could judge",
        [TP_REASON_NOT_EVALUATED] = "the trace lacks events that the rule needs; the report says which",
        [TP_REASON_DEVICE_NOT_RECORDED] = "the program used a device, but the trace contains no device operation",
        [TP_REASON_UNJUDGED] =
            "most of the recording cannot be judged; the verdict of the report says why and what to record",
        [TP_REASON_NOT_STORED] = "the summary does not contain this metric",
    };
    return reason < TP_REASON_RATES ? texts[reason]
                                    : tp_rate_reason_text((enum tp_rate_reason)(reason - TP_REASON_RATES));
}

#define RECORD_STACKS                                                                                                  \
    ": record them with with_stack (PyTorch: and verbose=True of experimental_config; C: .with_stack = 1), or take "   \
    "--metric cpu, which needs none"

const char *tp_folded_missing_text(const struct tp_folded_metric *metric)
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

void tp_fill_metric_texts(struct tp_metric_value *values)
{
    for (int i = 0; i < TP_METRIC_COUNT; i++)
        if (values[i].reason != TP_REASON_NONE)
            values[i].why = reason_text(values[i].reason);
}
