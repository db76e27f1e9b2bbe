/* Defines the answer to the question who delays a job, from the dumps of the Flight Recorder of its ranks.
 *
 * Everything is in the arena of the job, and read-only after tp_flight_analyse and tp_fill_flight_texts. Lists of ranks
 * are numbers of ranks, ascending. Section 38 of docs/definitions.md defines each value. */
#ifndef TP_WEBREPORT_MEASURE_FLIGHT_FLIGHT_RESULT_H
#define TP_WEBREPORT_MEASURE_FLIGHT_FLIGHT_RESULT_H

#include "webreport/measure/flight/flight_job.h"
#include "writer/base/fields.h"

enum tp_flight_verdict {
    TP_FLIGHT_HANG,
    TP_FLIGHT_MISMATCH, /* nothing waits, but calls that ended do not fit each other */
    TP_FLIGHT_SLOW,     /* nothing waits, and one rank is late for most calls */
    TP_FLIGHT_HEALTHY,
    TP_FLIGHT_UNKNOWN, /* nothing waits, but dumps are missing or empty */
    TP_FLIGHT_NO_DUMPS /* no dump could be read */
};

/* Why a call has not ended, or why a rank delays others. */
enum tp_flight_why {
    TP_FLIGHT_WHY_NOT_JOINED,    /* a rank never entered the call */
    TP_FLIGHT_WHY_NO_DUMP,       /* a rank left no readable dump */
    TP_FLIGHT_WHY_UNSURE,        /* the dump of a rank does not show whether it entered the call */
    TP_FLIGHT_WHY_MISMATCH,      /* the calls of the ranks do not fit */
    TP_FLIGHT_WHY_GPU_BEHIND,    /* the GPU of a rank has not begun the call */
    TP_FLIGHT_WHY_PARTIAL,       /* some ranks ended the call */
    TP_FLIGHT_WHY_STUCK_INSIDE,  /* all ranks are in the call */
    TP_FLIGHT_WHY_QUEUED,        /* the ranks still wait in earlier calls */
    TP_FLIGHT_WHY_TYPE_MISMATCH, /* another operation */
    TP_FLIGHT_WHY_SIZE_MISMATCH, /* another number of elements */
    TP_FLIGHT_WHY_DTYPE_MISMATCH /* another type of elements */
};

/* Returns the name of a verdict or of a reason in JSON, such as "not_joined". Static text. */
const char *tp_flight_verdict_text(unsigned verdict);
const char *tp_flight_why_text(unsigned why);

struct tp_flight_ranks {
    const uint32_t *items;
    uint64_t count;
};

/* A call that at least one rank waits in. */
struct tp_flight_open {
    struct tp_str group, description, op; /* op of a send or a receive: "send 0->1", with numbers of ranks */
    uint64_t rank_count;                  /* ranks of the group */
    bool ranks_are_known;
    int64_t sequence;
    struct tp_flight_ranks waiting;    /* ranks that wait in it, including `failed` */
    struct tp_flight_ranks failed;     /* ranks that gave up waiting */
    struct tp_flight_ranks done;       /* ranks that ended it, or went past it */
    struct tp_flight_ranks not_joined; /* ranks that never entered it */
    struct tp_flight_ranks unsure;     /* ranks of which this is unknown, and ranks without a dump */
    struct tp_flight_ranks behind;     /* ranks whose GPU has not begun it although others have */
    uint8_t why;                       /* enum tp_flight_why */
    bool has_timed_out, is_p2p;
    int64_t since_ns;               /* time of the first call of a waiting rank, by its own clock */
    uint64_t head_count;            /* waiting ranks for which this is the first call that has not ended */
    struct tp_str *lines;           /* lines of the waiting ranks, most frequent first */
    int64_t *line_ranks;            /* for each line: number of ranks */
    uint64_t line_count;            /* at most TP_FLIGHT_LINES */
    uint32_t stack;                 /* of the call of the lowest waiting rank; TP_NO_ID: no rank waits */
    uint32_t group_index, instance; /* in the job; instance is TP_NO_ID for sends and receives */
};
enum { TP_FLIGHT_LINES = 4 };

/* Ranks whose calls fit each other. */
struct tp_flight_side {
    struct tp_flight_ranks ranks;
    struct tp_str op;
    int64_t elements[1];
    uint64_t element_count; /* 0: the number of elements need not agree; otherwise 1 */
    struct tp_str *types;
    uint64_t type_count;
    struct tp_str line; /* line of the first rank */
    uint32_t stack;
};

enum tp_flight_shift { TP_FLIGHT_NO_SHIFT, TP_FLIGHT_LEFT_OUT, TP_FLIGHT_EXTRA };

/* A call in which the ranks do not fit each other. */
struct tp_flight_mismatch {
    struct tp_str group, description;
    int64_t sequence;
    struct tp_str *kinds;
    uint64_t kind_count;
    struct tp_flight_ranks culprits; /* ranks of the smaller sides; none if it is undecided */
    bool is_undecided;               /* no side is larger than every other one */
    struct tp_flight_side *sides;    /* largest side first */
    uint64_t side_count;
    uint8_t shift;     /* enum tp_flight_shift: the culprit seems to have left out one call, or made one too many */
    uint32_t instance; /* in the job; TP_NO_ID for sends and receives */
    bool is_open;      /* a rank waits in the call */
    bool is_p2p;
};

/* The last call of a rank. */
struct tp_flight_last_call {
    struct tp_str op, group, state, line; /* state: "done" if it ended */
    int64_t sequence, time_ns;
};

/* A rank that delays others and waits for nobody, or whose call is wrong. */
struct tp_flight_culprit {
    int64_t rank;
    uint8_t why; /* enum tp_flight_why */
    struct tp_str group, description, op;
    int64_t sequence;      /* -1 if unknown */
    int64_t held_up_count; /* number of ranks that wait for it, directly or through others */
    bool has_last_call;
    struct tp_flight_last_call last_call;
    bool is_overwritten;               /* the recorder of the rank has overwritten calls */
    const struct tp_flight_open *open; /* the call that the rank is missing from; NULL if unknown */
};

/* One rank of a circle of ranks that wait for each other. */
struct tp_flight_link {
    int64_t rank, waits_for;
    struct tp_str op, group, description, line;
    int64_t sequence;
    int64_t waiting_count; /* ranks that wait in its call */
};

/* A rank that comes last in most calls. */
struct tp_flight_late {
    int64_t rank;
    int64_t call_count, of_count; /* calls in which it came last, and all complete calls that it took part in */
    double median_ms;             /* median time after the second last rank */
    bool is_clock_free;           /* durations of calls confirm it, without clocks of different hosts */
};

struct tp_flight_overwritten {
    int64_t rank, count;
};

struct tp_flight_result {
    const struct tp_flight_job *job;
    uint8_t verdict; /* enum tp_flight_verdict */
    int64_t exit_code;
    /* set by tp_fill_flight_texts: the answer in one or two sentences; its first sentence, without the full stop; the
     * other ones; and what to do, or "" */
    struct tp_str headline, first_sentence, other_sentences, advice;
    struct tp_flight_culprit *culprits; /* gravest first; at most TP_FLIGHT_MOST_CULPRITS */
    uint64_t culprit_count, culprit_total;
    struct tp_flight_ranks culprit_ranks; /* all culprits, in their order */
    struct tp_flight_link *circle;
    uint64_t circle_count, circle_total;
    int64_t likely; /* rank of the circle that is likely out of order; TP_NULL_INT if none */
    struct tp_flight_ranks waiting;
    struct tp_flight_mismatch *mismatches; /* in the order of the calls */
    uint64_t mismatch_count, mismatch_total;
    struct tp_flight_open *open;
    uint64_t open_count, open_total; /* open_count: number of calls in JSON */
    struct tp_flight_late *late;
    uint64_t late_count; /* 0 or 1 */
    int64_t expected_count, read_count;
    struct tp_flight_ranks no_dump;
    struct tp_flight_overwritten *overwritten;
    uint64_t overwritten_count;
    int64_t group_count, call_count;
    const struct tp_flight_file **failed_files;
    uint64_t failed_file_count, failed_file_total;
    struct tp_str *versions;
    uint64_t version_count;
    const struct tp_flight_open *shown; /* the open call of the headline without culprits and circles; NULL if none */
};

enum { TP_FLIGHT_MOST_CULPRITS = 64, TP_FLIGHT_MOST_OPEN = 256, TP_FLIGHT_MOST_FILES = 256 };

/* Returns whether a list of ranks, which are ascending, contains a rank. */
bool tp_flight_ranks_contain(const struct tp_flight_ranks *ranks, uint32_t rank);

/* Decides who delays the job. Allocates from the arena of the job, whose guard the caller sets. */
void tp_flight_analyse(struct tp_flight_result *result, struct tp_flight_job *job);

/* Describes the JSON document (tracepress-flight, version 1). The record is a struct tp_flight_result. */
extern const struct tp_fields tp_flight_result_fields;

#endif
