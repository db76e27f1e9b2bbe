/* Defines what a reader reports about its input: the producer, the kinds of data that the input cannot show, the rows
 * that were dropped, the samples of device counters, and the calls of the operating system.
 *
 * A kind of data that the input cannot show is unknown, and unknown is not zero: numbers that need it are unknown,
 * rules that need it are not evaluated, and gates on it are inconclusive (docs/definitions.md, section 2). */
#ifndef TP_WEBREPORT_TRACE_INPUT_FACTS_H
#define TP_WEBREPORT_TRACE_INPUT_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/fields.h"
#include "writer/base/str.h"

/* Kinds of data that some inputs cannot show, as bits. */
enum tp_unknown {
    TP_UNKNOWN_KERNELS = 1 << 0,
    TP_UNKNOWN_GRAPH_KERNELS = 1 << 1, /* a CUDA graph is recorded as one piece, so its kernels are unknown */
    TP_UNKNOWN_COPIES = 1 << 2,
    TP_UNKNOWN_COPY_DIRECTION = 1 << 3,
    TP_UNKNOWN_COPY_MEMORY_KIND = 1 << 4, /* kinds of memory of copies: pageable, pinned, device */
    TP_UNKNOWN_COPY_BYTES = 1 << 5,
    TP_UNKNOWN_SETS = 1 << 6, /* memory sets */
    TP_UNKNOWN_RUNTIME_CALLS = 1 << 7,
    TP_UNKNOWN_OPERATORS = 1 << 8,
    TP_UNKNOWN_SHAPES = 1 << 9,
    TP_UNKNOWN_DTYPES = 1 << 10,
    TP_UNKNOWN_STACKS = 1 << 11,    /* Python stacks */
    TP_UNKNOWN_ALLOCATOR = 1 << 12, /* records of the memory allocator */
    TP_UNKNOWN_OCCUPANCY = 1 << 13,
    TP_UNKNOWN_GRID = 1 << 14, /* grid, block, registers and shared memory of kernels */
    TP_UNKNOWN_DEVICE_PROPERTIES = 1 << 15,
    TP_UNKNOWN_RANKS = 1 << 16,
    TP_UNKNOWN_STEPS = 1 << 17,
    TP_UNKNOWN_FORWARD_LINKS = 1 << 18, /* links from operators to the operators of their backward pass */
};
enum { TP_UNKNOWN_KINDS = 19, TP_UNKNOWN_ALL = (1 << 19) - 1 };

/* A number of rows or events that a reader dropped for one reason. */
struct tp_dropped_rows {
    struct tp_str what; /* text for people, such as "device rows" */
    uint64_t count;
    unsigned needs; /* numbers that the rows affect: bits of enum tp_need; 0: none */
};

/* One sample of a counter of a device, such as its power. Samples are in file order. */
struct tp_device_counter {
    int64_t ts_ns;
    double value;
    int64_t device;
    uint32_t name; /* name with unit, such as "Power (W)", id in texts */
};

/* Statistics of a counter whose samples the input does not contain. */
struct tp_device_counter_stats {
    int64_t device, sample_count;
    double min, mean, max;
    uint32_t name; /* id in texts */
};

/* A call of the operating system, such as poll. Calls are in file order. */
struct tp_os_call {
    int64_t ts_ns, dur_ns;
    uint32_t name, thread; /* name: name of the function, id in texts */
};

struct tp_input_facts {
    struct tp_str producer; /* text for people, such as "Nsight Systems 2026.2.1, sqlite schema 3.25.0"; ptr NULL
                               for traces of torch.profiler and of tracepress */
    /* true if torch.profiler wrote the file although `producer` is set, so that the rules about the contents of its
     * files apply */
    bool is_of_torch_profiler;
    uint32_t unknown;     /* bits of enum tp_unknown */
    struct tp_str *notes; /* sentences for people, without a final full stop */
    struct tp_dropped_rows *dropped;
    uint32_t note_count, dropped_count;
    struct tp_device_counter *counters;
    uint32_t counter_count;
    struct tp_device_counter_stats *counter_stats;
    uint32_t counter_stat_count;
    struct tp_os_call *os_calls;
    uint32_t os_call_count;
    bool has_untimed_samples; /* true if the time between two CPU samples is unknown, so that they are only counted */
};

/* Returns the time that a CPU sample represents, ns; 1 if the samples have no times. cpu_ns: tp_sample.cpu_ns. */
static inline int64_t tp_input_sample_weight(const struct tp_input_facts *facts, int64_t cpu_ns)
{
    return facts->has_untimed_samples ? 1 : cpu_ns;
}

/* Returns whether a tool other than PyTorch's profilers and tracepress recorded the input, so that advice about the
 * options of these does not apply. */
static inline bool tp_input_is_of_another_tool(const struct tp_input_facts *facts)
{
    return facts->producer.ptr && !facts->is_of_torch_profiler && !tp_str_starts(facts->producer, "PyTorch");
}

/* Returns the name of an unknown kind of data for use in a sentence: "shapes of operators". Static text. */
const char *tp_unknown_text(enum tp_unknown unknown);

/* Returns a sentence without a full stop about the first of several kinds of data: "the input cannot show shapes of
 * operators"; "" for no kinds. unknown: bits of enum tp_unknown. Static text. */
const char *tp_unknown_sentence(uint32_t unknown);

/* Returns the machine-readable name of an unknown kind of data: "shapes". Static text. */
const char *tp_unknown_name(enum tp_unknown unknown);

/* Returns the kinds of data, as bits of enum tp_unknown, that a word of a file names; 0 for other words. Accepts the
 * results of both functions above, and other usual names such as "input shapes". */
uint32_t tp_unknown_by_word(struct tp_str word);

/* Members of the facts in the JSON of `report`. */
extern const struct tp_fields tp_input_facts_fields;

#endif
