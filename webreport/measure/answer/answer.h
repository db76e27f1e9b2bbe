/* The answer: the parts of the step time by cause, the part that limits the steps, the part of each finding, and the
 * step that the first screen shows in time (docs/definitions.md, section 31).
 *
 * The parts of a trace with a device are the causes of its verdict, of the device with the most busy time. The parts of
 * a trace without a device are intervals of the main thread. The parts are disjoint, and their sum is the time of the
 * analysed steps. All memory is in the given arena or in the model, which must outlive the answer. A finished answer
 * does not change. */
#ifndef TP_WEBREPORT_MEASURE_ANSWER_ANSWER_H
#define TP_WEBREPORT_MEASURE_ANSWER_ANSWER_H

#include "webreport/measure/rules/rules.h"
#include "webreport/measure/verdict/verdict.h"
#include "webreport/measure/work/work_kinds.h"
#include "webreport/measure/work/work_view.h"

enum tp_answer_part_kind {
    TP_ANSWER_WORK,          /* work of the device; without a device: {operators} */
    TP_ANSWER_INPUT,         /* the device waits for input data; without a device: the main thread loads input data */
    TP_ANSWER_CODE,          /* the device waits for host code, mostly in gaps of at least 1 ms */
    TP_ANSWER_LAUNCH,        /* the device waits for the host, mostly in shorter gaps */
    TP_ANSWER_SYNC,          /* the device is idle after the host waited for it; without a device: waits */
    TP_ANSWER_COPY,          /* copies during which no kernel runs */
    TP_ANSWER_COMMUNICATION, /* communication during which no other kernel runs, and waits for its start */
    TP_ANSWER_BETWEEN,       /* without a device: the main thread runs code outside of {operators} */
    TP_ANSWER_NOT_SHOWN,     /* idle time whose cause the trace does not show */
    TP_ANSWER_KINDS
};

/* a segment of a part: a kind of work, or code of the host */
struct tp_answer_segment {
    bool is_work;      /* true: `work` names the segment; false: `name` does */
    enum tp_work work; /* TP_WORK_COUNT: all other kinds of work */
    struct tp_str name;
    int64_t ns;
};

enum { TP_ANSWER_SEGMENTS = 3 };

struct tp_answer_part {
    enum tp_answer_part_kind kind;
    int64_t ns;        /* time in all analysed steps, ns */
    bool is_avoidable; /* true: the time is shorter if the program changes, and the headline may name the part */
    struct tp_intervals times; /* filled by tp_answer_find_parts; empty in the finished answer, to save memory */
    struct tp_answer_segment segments[TP_ANSWER_SEGMENTS];
    unsigned segment_count;
};

/* A slice of a lane of the strip. */
struct tp_strip_slice {
    int64_t a, b;  /* start and end, ns */
    uint8_t part;  /* enum tp_answer_part_kind whose color the slice has; TP_ANSWER_KINDS: a wait without cost */
    uint8_t shade; /* for work: 0, 1 or 2 by the order of the segments of the part */
    uint32_t name; /* name id of the event, TP_NO_ID for none */
};

struct tp_strip_lane {
    bool is_host;
    int64_t id; /* number of the device; unused on the host */
    struct tp_strip_slice *slices;
    uint32_t count;
};

/* One step in time, at the resolution of a screen. */
struct tp_strip {
    uint32_t step; /* index of the step in the model */
    int64_t start_ns, end_ns;
    int64_t first_work_ns; /* start of the first device operation in the step; INT64_MAX: none */
    struct tp_strip_lane lanes[2];
    unsigned lane_count;
};

/* time of a step by part, ns */
struct tp_answer_step {
    uint32_t step; /* index of the step in the model */
    int64_t part_ns[TP_ANSWER_KINDS];
};

/* Words of the headline that name a part, as a range of bytes. */
struct tp_answer_mark {
    size_t start, size;
    enum tp_answer_part_kind part;
};

struct tp_answer {
    bool has_device;
    int64_t whole_ns;                             /* time of the analysed steps, ns; 0: the trace has no parts */
    struct tp_answer_part parts[TP_ANSWER_KINDS]; /* indexed by enum tp_answer_part_kind */
    /* the largest avoidable part; TP_ANSWER_KINDS: no part is avoidable */
    enum tp_answer_part_kind main;
    /* the next largest avoidable part, if `main` is at most 1.5 times as long; otherwise TP_ANSWER_KINDS */
    enum tp_answer_part_kind second;
    struct tp_str
        frame; /* function that covers 90 % of the time in which the device waits for the host; ptr NULL: none */
    struct tp_str line; /* source line that the host runs for two thirds of this time; ptr NULL: none */
    /* for each finding: the part that contains most of its time; TP_ANSWER_KINDS: the finding has no time */
    enum tp_answer_part_kind *part_of_finding;
    struct tp_answer_step *steps; /* analysed steps in order of time */
    uint32_t step_count;
    struct tp_strip *strips; /* strips[0]: the step of median length; then the other steps that the page can show */
    uint32_t strip_count;
    /* The headline, and the sentences below it. Only tp_fill_answer_texts in webreport/document/words fills them. */
    struct tp_str headline, why;
    struct tp_answer_mark marks[2];
    unsigned mark_count;
};

struct tp_answer_basis {
    const struct tp_model *model;
    const struct tp_trace_verdict *verdict;
    const struct tp_recommendations *recommendations;
    const struct tp_work_kinds *kinds;
    const struct tp_work_view *works;
    const struct tp_idle_view *idle;
};

/* Makes an answer without parts. */
void tp_answer_init(struct tp_answer *answer);

/* Splits the analysed steps into parts with their times, which are in `arena` or belong to the verdict or the model.
 * `answer` is initialized; of `basis`, only model, verdict and recommendations are used. */
void tp_answer_find_parts(struct tp_answer *answer, const struct tp_answer_basis *basis, struct tp_arena *arena);

/* Builds the answer of a trace in `arena`. The parts of the result have no times. */
void tp_answer_build(struct tp_answer *answer, const struct tp_answer_basis *basis, struct tp_arena *arena);

/* Returns the word for a part in JSON, such as "input"; NULL for TP_ANSWER_KINDS. Static. */
const char *tp_answer_part_text(enum tp_answer_part_kind part);

extern const struct tp_fields tp_answer_fields;

#endif
