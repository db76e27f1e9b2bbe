/* A run of one process in a few kilobytes: the input of `diff`, `check`, `summarize`, `merge` and the job page.
 *
 * A summary is built from an analyzed trace (summary_build.h) or read from a `.tps` file (summary_file.h). All memory
 * of the summary is in the arena given to that call, so that thousands of summaries may outlive their traces. Times are
 * int64 nanoseconds, relative to the trace's start unless stated otherwise. Absent integers are TP_NULL_INT, absent
 * reals NaN, absent texts "".
 *
 * Texts are copies. Each list has a fixed order, stated at its member; equal traces give equal summaries. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/metrics/metrics.h"
#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/summary/signature.h"
#include "webreport/measure/summary/sketch.h"
#include "webreport/measure/summary/step_slots.h"
#include "webreport/trace/evidence.h"
#include "writer/base/arena.h"
#include "writer/base/str.h"

/* start of the value of the fact step.marker if steps are inferred from operators alone; the operator's name follows */
#define TP_UNSURE_STEPS "operators from "

/* The identity of a process in a job. Summaries with equal keys describe the same process, so a merge keeps only one of
 * them. */
struct tp_summary_key {
    struct tp_str job; /* name given by --job; "": not given */
    int64_t rank; /* rank in distributedInfo of the trace, otherwise from the option --rank; TP_NULL_INT: unknown */
    int64_t world_size; /* number of ranks in the job; TP_NULL_INT: unknown. Not part of the key */
    /* name of the worker in the file name; part of the key only if the rank is unknown, or if the job has one rank */
    struct tp_str worker;
    int64_t span; /* number of the recording in the file name; TP_NULL_INT: no number in the file name */
};

/* The measured quantity of a row, and the texts that identify the row. */
enum tp_summary_kind {
    TP_SUMMARY_OPERATOR_HOST,   /* self host time of an operator; texts: name, shape, dtype */
    TP_SUMMARY_OPERATOR_DEVICE, /* device time of the work that an operator itself launched; texts: name, shape, dtype
                                 */
    TP_SUMMARY_KERNEL, /* duration of a kernel; texts: name, owner (innermost launching operator), shape of the owner */
    TP_SUMMARY_COPY,   /* duration of a copy or set; texts: name, owner (innermost launching operator), size in bytes */
    TP_SUMMARY_MODULE_HOST,   /* total host time of a module call; text: name, the path from the top module, such as
                                 "Net/Linear" */
    TP_SUMMARY_MODULE_DEVICE, /* total device time of a module call; text: name, the path of modules */
    /* cost of a synchronization; texts: name of the API call, owner (operator), shape "file(line): function" */
    TP_SUMMARY_SYNC,
    TP_SUMMARY_RUNTIME, /* host time of runtime and driver calls; text: name */
    /* number of samples of a function in a program recorded from outside; texts: name, owner (file) */
    TP_SUMMARY_FUNCTION,
    TP_SUMMARY_PART, /* part of the program's wall time; text: name */
    TP_SUMMARY_KIND_COUNT
};

/* Returns the word of a kind in JSON, such as "operator_host". Static text. */
const char *tp_summary_kind_text(enum tp_summary_kind kind);

#define TP_SUMMARY_REST "(rest)" /* name of the row that contains the sums of all smaller rows of its kind */

struct tp_summary_row {
    enum tp_summary_kind kind;
    struct tp_str name, owner, shape, dtype; /* texts that identify the row, together with `kind` */
    /* source line of the calls with the most time, of kernels and copies; len 0: unknown. No part of the identity,
     * because lines move */
    struct tp_str line;
    struct tp_sketch time; /* durations of single calls */
    int64_t bytes;         /* total bytes moved; TP_NULL_INT: the calls move no bytes */
    /* time of the calls in each step, ns; step_count items; excludes calls outside steps; NULL: not stored */
    int64_t *by_step_ns;
    int64_t *by_step_count; /* number of calls per step; NULL if by_step_ns is NULL */
};

/* Parts of a step's time. The sum of the parts before TP_PART_IDLE_HOST is `total_ns`; the later parts are idle times
 * of devices and other sums. The values are fixed, because files contain them; older files lack the later parts. */
enum tp_summary_part {
    TP_PART_KERNEL,
    TP_PART_MEMCPY,
    TP_PART_MEMSET,
    TP_PART_COMMUNICATION,
    TP_PART_RUNTIME,
    TP_PART_DATALOADER,
    TP_PART_CPU_EXEC,
    TP_PART_OTHER,
    TP_PART_IDLE_HOST, /* TP_PART_IDLE_x: idle time with this reason, summed over all devices */
    TP_PART_IDLE_QUEUE,
    TP_PART_IDLE_UNKNOWN,
    TP_PART_EXPOSED_COMMUNICATION, /* communication without compute at the same time (table communication_overlap) */
    TP_PART_IDLE_LAUNCH,
    TP_PART_IDLE_OUTSIDE,
    TP_PART_DEVICE_SUM, /* total duration of kernels, copies and sets that the step started */
    TP_PART_HOST_SUM,   /* total self time of the step's operators on the host; absent without operators */
    TP_PART_COUNT
};

struct tp_summary_step {
    struct tp_str name;
    int64_t start_ns, total_ns;
    int64_t part_ns[TP_PART_COUNT]; /* time of each part, ns; TP_NULL_INT: unknown */
    bool is_left_out;               /* true: the step is not used, and is excluded from statistics */
};

/* A collective as this rank recorded it. On other ranks, the same collective has equal group, name and sequence. */
struct tp_summary_collective {
    struct tp_str name, group, dtype;
    int64_t sequence; /* "Seq" in the trace, else the number of the call within (group, name) */
    int64_t bytes, group_size;
    /* start and duration of the kernel; if there is no kernel, start and duration of the host call */
    int64_t arrival_ns, duration_ns;
    uint32_t step; /* index of the step in `steps`; TP_NO_ID: outside the steps */
};

struct tp_summary_finding {
    struct tp_str rule, title;    /* rule: id such as "A1"; title: headline of the finding */
    uint8_t severity, confidence; /* enum tp_severity, enum tp_confidence */
    double ceiling_us_per_step;
    int64_t occurrences;
    struct tp_str file_line; /* file and line of the first evidence with a known line; "": no line is known */
    struct tp_str detail;
};

/* Kinds of owners of the memory that is allocated at the peak. */
enum tp_summary_owner_kind { TP_OWNER_OPERATOR, TP_OWNER_MODULE, TP_OWNER_LINE };
struct tp_summary_owner {
    enum tp_summary_owner_kind kind;
    struct tp_str name;
    int64_t bytes, blocks;
};

struct tp_summary_memory {
    struct tp_str device; /* name of the device, such as "CPU" or "GPU0" */
    int64_t peak_allocated_bytes, peak_reserved_bytes;
    double creep_bytes_per_step;
    /* owners sorted by kind, then size, largest first; at most TP_MAX_SUMMARY_OWNERS per kind */
    struct tp_summary_owner *owners;
    uint32_t owner_count;
};

/* A property that two runs must share so that they can be compared: its name and value. The facts have the order of the
 * table in summary_facts.c. Examples are GPU model and count, world size, step marker, and framework version. */
struct tp_summary_fact {
    struct tp_str name, value;
};

/* Times of a range in a usual step (measure/views/range_times.h). name: as recorded; modules begin with "nn.Module: ".
 */
struct tp_summary_range {
    struct tp_str name;
    bool is_module;
    int64_t device_ns, host_ns; /* time per analysed step, ns; TP_NULL_INT: unknown */
};

/* A kernel that a compiler generated: its name, such as "triton_poi_fused_add_6" or "graph_0_cpp_fused_mul_2", is a
 * family and a number (docs/definitions.md, section 36). The other members are unknown if calls of the kernel differ in
 * them. */
struct tp_summary_generated {
    struct tp_str name;
    struct tp_str line; /* source line that the artifacts of torch.compile name; "" if unknown */
    uint64_t hash;      /* number made from the hash of the generated code; 0 if unknown */
};

/* A raised trace-quality flag, or a notice of the reader with a count above 0. */
struct tp_summary_flag {
    struct tp_str name;
    int64_t count;
};

/* The decision that `check` stored with a run. Unknown texts are "". */
struct tp_run_decision {
    bool is_known;    /* false: no `check` stored the run, or an older version did */
    bool is_failed;   /* true: the run broke a limit */
    bool is_accepted; /* true: the run is accepted as the first run of a new level, even if it broke a limit */
    /* true: the note of the decision cannot be read; then is_failed is true and is_accepted false */
    bool is_unreadable;
    /* by: person who accepted the run; at: time of the acceptance; reason: reason for the acceptance */
    struct tp_str by, at, reason;
    int64_t committed_s; /* time of the commit that the run measured, seconds since the epoch; 0: unknown */
};

struct tp_summary {
    struct tp_summary_key key;
    struct tp_str file, sha256, program; /* program: kind of program in the recommendations, such as "gpu" or "cpu" */
    enum tp_producer producer; /* producer of the trace; TP_PRODUCER_TORCH for older files, which do not name it */
    /* verdict: verdict of the report, such as "launch-bound"; headline: headline of the report; "" in older files */
    struct tp_str verdict, headline;
    /* event_count: number of events; start_ns: start of the trace, ns since the epoch if known */
    int64_t event_count, start_ns;
    /* hash of the sequence of kernel names in the longest step that has kernels; 0: no kernels */
    uint64_t kernel_fingerprint;
    struct tp_input_evidence evidence; /* evidence of the trace; unknown in older files */
    struct tp_run_decision decision;   /* decision of the check that stored the run */
    struct tp_metric_value metrics[TP_METRIC_COUNT];
    struct tp_summary_fact *facts;
    uint32_t fact_count;
    struct tp_summary_step *steps; /* steps sorted by time */
    uint32_t step_count;
    struct tp_summary_row *rows; /* rows sorted by kind, then time descending, then name, owner, shape, dtype */
    uint32_t row_count;
    struct tp_summary_collective *collectives; /* collectives sorted by arrival */
    uint32_t collective_count;
    struct tp_summary_finding *findings; /* findings in the order of the report, most severe first */
    uint32_t finding_count;
    struct tp_summary_memory *memory; /* peak memory of each device, sorted by device type, then device id */
    uint32_t memory_count;
    /* annotations, then modules, each sorted by device time and host time; absent in older files */
    struct tp_summary_range *ranges;
    uint32_t range_count;
    struct tp_summary_generated *generated; /* in the order of the first calls; absent in older files */
    uint32_t generated_count;
    /* gains of the changes that a budget names, in the order of the budget; files do not have them */
    struct tp_change_gain *gains;
    uint32_t gain_count;
    struct tp_summary_flag *flags;
    uint32_t flag_count;
    struct tp_signature signature;
    struct tp_step_slots slots; /* input of replays; has no slots if there is no collective, or in an older file */
    /* input of the distributed view (ranks/distributed.h); NULL: no collective */
    const struct tp_rank_summary *comparison;
};

/* Returns the number of steps that statistics use. */
static inline uint32_t tp_summary_used_steps(const struct tp_summary *summary)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < summary->step_count; i++)
        count += !summary->steps[i].is_left_out;
    return count;
}

/* Returns the value of a fact; "" if the summary has no such fact. */
struct tp_str tp_summary_fact_value(const struct tp_summary *summary, struct tp_str name);

#endif
