/* Explains to readers why numbers are unknown. See reason_words.h. */
#include "webreport/document/words/reason_words.h"

const char *tp_rate_reason_text(enum tp_rate_reason reason)
{
    static const char *const texts[TP_RATE_REASONS] = {
        [TP_RATE_NO_DEVICE] = "the trace has no device events",
        [TP_RATE_NO_PEAKS] = "the peak rates of this device are unknown (set them with --peaks FILE)",
        [TP_RATE_IMPOSSIBLE] = "the kernels would exceed the peak rate of the device. The peak rate or the shapes are "
                               "wrong, or the recording cut the kernels off",
        [TP_RATE_NO_COSTS] = "the trace has no shapes of matrix products (record with record_shapes=True)",
        [TP_RATE_FEW_COSTS] = "the trace has the shapes of too few matrix products",
        [TP_RATE_NO_TYPES] =
            "the trace has shapes without data types (no Input type), and the peak rate depends on the type",
        [TP_RATE_NO_TYPE] =
            "the device's peak rate for the data type of these products is unknown (set it with --peaks FILE)",
        [TP_RATE_NO_PRODUCTS] = "the analysed steps have no matrix products",
    };
    return texts[reason];
}

#define RECORD_SYNC_EVENTS                                                                                             \
    "With torch.profiler, record with enable_cuda_sync_events (experimental_config) and with launches"

const char *tp_withheld_advice(enum tp_withheld reason)
{
    static const char *const texts[TP_WITHHELD_REASONS] = {
        [TP_WITHHELD_NOT_REPRODUCED] = "This is a fault of tracepress; report it",
        [TP_WITHHELD_NO_WINDOW] = "Record at least one whole step",
        [TP_WITHHELD_LAUNCHES] = "Record the CPU together with the GPU, so that the trace has the launches",
        [TP_WITHHELD_UNEXPLAINED] = RECORD_SYNC_EVENTS,
        [TP_WITHHELD_BARE] = RECORD_SYNC_EVENTS,
        [TP_WITHHELD_INFERRED] = RECORD_SYNC_EVENTS,
        [TP_WITHHELD_SIZE] = "Use the command whatif, which has no limit",
        [TP_WITHHELD_STREAMS] = "Record fewer steps, or a single device",
        [TP_WITHHELD_RANKS] = "Record the same steps on all ranks of the job, with their devices",
    };
    return texts[reason];
}

static const char *reason_text(enum tp_metric_reason reason)
{
    static const char *const texts[TP_REASON_RATES] = {
        [TP_REASON_NO_STEPS] = "the trace has no steps",
        [TP_REASON_NO_EVENTS] = "the trace has no events",
        [TP_REASON_NO_LENGTH] = "the steps have zero length",
        [TP_REASON_NO_DEVICE] = "the trace has no device events",
        [TP_REASON_NO_KERNELS] = "the trace has no kernels",
        [TP_REASON_NOT_IN_KERNELS] = "the kernels of the trace lack the data for this metric",
        [TP_REASON_NEEDS_TWO_RUNS] = "this metric needs two runs, or the name of an operator",
        [TP_REASON_NO_SERVING] = "the trace has no engine steps of this phase and size",
        [TP_REASON_NO_PROGRAM] =
            "the run contains no program recorded from outside, or several programs. Name the file "
            "PROGRAM.NS.pt.trace.json.gz of one program",
        [TP_REASON_NO_MEMORY_READING] = "no process lived long enough for its memory to be read",
        [TP_REASON_NEEDS_FUNCTION] = "this metric needs a program recorded from outside and the name of a function",
        [TP_REASON_NEEDS_RANGE] = "this metric needs the name of a range",
        [TP_REASON_NEEDS_SNAPSHOT] = "only memory snapshots have this metric",
        [TP_REASON_NEEDS_CHANGE] = "this metric needs a change, such as whatif[host=1/2].gain_low_us",
        [TP_REASON_NOT_REPLAYED] = "the critical path of the trace is unknown",
        [TP_REASON_NO_RUNTIME] = "the trace has no runtime or driver calls",
        [TP_REASON_NO_OPERATORS] = "the trace has no operators",
        [TP_REASON_NO_DIRECTION] = "the trace has copies without a direction",
        [TP_REASON_NO_MEMORY_KIND] = "the trace does not record whether the host memory of these copies is pageable",
        [TP_REASON_NO_SIZES] = "the trace does not record the sizes of these copies",
        [TP_REASON_NO_HOST_MEMORY] = "the trace has no memory records of the CPU (record with profile_memory)",
        [TP_REASON_NO_DEVICE_MEMORY] = "the trace has no memory records of a device (record with profile_memory)",
        [TP_REASON_FEW_MEMORY_STEPS] = "the trace has too few steps with memory records",
        [TP_REASON_NO_MEMORY_TOTALS] = "the memory records have no totals",
        [TP_REASON_NO_POWER] = "the trace has no samples of Power (W) for most of the step time",
        [TP_REASON_NO_COMMUNICATION] = "the steps contain no communication",
        [TP_REASON_NOTHING_TO_JUDGE] = "the trace has no events to which the rules apply",
        [TP_REASON_NOT_EVALUATED] = "the trace lacks events that the rule needs. The report lists these events",
        [TP_REASON_DEVICE_NOT_RECORDED] = "the program used a device, but the trace contains no device operation",
        [TP_REASON_UNJUDGED] =
            "most of the recording cannot be analysed. The verdict of the report says why, and what to record",
        [TP_REASON_NOT_STORED] = "the summary does not contain this metric",
        [TP_REASON_WITHHELD + TP_WITHHELD_NOT_REPRODUCED] = "the replay does not reproduce the trace",
        [TP_REASON_WITHHELD + TP_WITHHELD_NO_WINDOW] = "the trace has no steps to replay",
        [TP_REASON_WITHHELD + TP_WITHHELD_LAUNCHES] =
            "most device operations have no usable launch, so the critical path is unknown (record the CPU together "
            "with the GPU)",
        [TP_REASON_WITHHELD + TP_WITHHELD_UNEXPLAINED] =
            "too much of the critical path is unexplained (record with enable_cuda_sync_events and with launches)",
        [TP_REASON_WITHHELD + TP_WITHHELD_BARE] =
            "the replay misses the length of a step by more than 10 % (record with enable_cuda_sync_events and with "
            "launches)",
        [TP_REASON_WITHHELD + TP_WITHHELD_INFERRED] =
            "most of the critical path depends on inferred edges (record with enable_cuda_sync_events and with "
            "launches)",
        [TP_REASON_WITHHELD + TP_WITHHELD_SIZE] = "the trace is too large for the replay of a report",
        [TP_REASON_WITHHELD + TP_WITHHELD_STREAMS] = "the trace has too many streams to replay",
        [TP_REASON_WITHHELD + TP_WITHHELD_RANKS] = "the ranks have different collectives",
    };
    if (reason >= TP_REASON_INPUT)
        return tp_unknown_sentence(1u << (reason - TP_REASON_INPUT));
    return reason < TP_REASON_RATES ? texts[reason]
                                    : tp_rate_reason_text((enum tp_rate_reason)(reason - TP_REASON_RATES));
}

#define RECORD_STACKS                                                                                                  \
    ". Record stacks with with_stack (PyTorch: and verbose=True of experimental_config; C: .with_stack = 1), or use "  \
    "--metric cpu, which needs no stacks"

const char *tp_folded_missing_text(const struct tp_folded_metric *metric)
{
    static const char *const texts[] = {
        [TP_FOLDED_CALL_STACKS] = "no call of 1 us or more has a recorded stack" RECORD_STACKS,
        [TP_FOLDED_DEVICE_STACKS] = "no call has a recorded stack and 1 us of device work" RECORD_STACKS,
        [TP_FOLDED_CALL_TIMES] = "no call of 1 us or more",
        [TP_FOLDED_LAUNCHES] = "no call launches 1 us of device work",
        [TP_FOLDED_ALLOCATIONS] = "no call has recorded allocations (record with profile_memory)",
        [TP_FOLDED_CALLS] = "no calls",
        [TP_FOLDED_SAMPLES] = "no samples of running threads. Record samples with 'tracepress record', "
                              "or with .sample_rate of tracepress.h",
    };
    return texts[tp_folded_source(metric)];
}

void tp_fill_metric_texts(struct tp_metric_value *values)
{
    for (int i = 0; i < TP_METRIC_COUNT; i++)
        if (values[i].reason != TP_REASON_NONE)
            values[i].why = reason_text(values[i].reason);
}
