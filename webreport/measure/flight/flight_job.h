/* Defines the joined dumps of all ranks of a job: their calls, groups, and the collectives that ranks made together.
 *
 * Texts and stacks of all dumps have common ids. Everything is in one arena, and read-only after
 * tp_flight_job_finish. Section 38 of docs/definitions.md defines the terms. */
#ifndef TP_WEBREPORT_MEASURE_FLIGHT_FLIGHT_JOB_H
#define TP_WEBREPORT_MEASURE_FLIGHT_FLIGHT_JOB_H

#include "webreport/trace/flight/flight_dump.h"
#include "writer/base/id_map.h"

/* A call of a rank. */
struct tp_flight_entry {
    struct tp_flight_call call; /* its ids are those of the job */
    uint32_t rank;              /* index in tp_flight_job.ranks */
    uint32_t group;             /* index in tp_flight_job.groups */
    uint32_t signature;         /* for collectives: index in tp_flight_job.signatures; TP_NO_ID for others */
    uint32_t last_part,
        part_count;   /* parts of a coalesced call: index of the last one (tp_flight_rank.previous_part) */
    bool is_done;     /* the call ended; see knows_state */
    bool knows_state; /* false: the recorder does not set states, so "done" only shows that the call was retired */
    bool has_timed_out;
    bool is_part; /* the call is a part of a coalesced call */
};

/* Kinds of calls, by their name. */
enum tp_flight_op { TP_FLIGHT_COLLECTIVE, TP_FLIGHT_SEND, TP_FLIGHT_RECV, TP_FLIGHT_CLOSING };

struct tp_flight_rank {
    uint32_t number;
    struct tp_flight_entry *calls; /* in the order of the recording */
    uint32_t call_count;
    uint32_t *previous_part; /* for each call that is a part: the part before it of the same call; TP_NO_ID */
    const struct tp_flight_entry *head; /* first call that has not ended; NULL if all have */
    int64_t overwritten;                /* number of older calls that the recorder has overwritten */
    bool leaves_calls_out;              /* tp_flight_dump.leaves_calls_out */
    bool is_json;
    struct tp_flight_group *groups; /* as the dump lists them */
    struct tp_flight_progress *progress;
    uint32_t group_count, progress_count;
};

/* A process group: its name and its ranks. Groups of different ranks may have one name. */
struct tp_flight_group_of_ranks {
    uint32_t name, description; /* ids in tp_flight_job.texts */
    const uint32_t *ranks;      /* numbers of the ranks, ascending */
    uint32_t rank_count;
    bool is_known; /* false: no dump lists the ranks, so these are the ranks that used the group */
};

/* What all ranks of a collective must agree on. */
struct tp_flight_signature {
    uint32_t op, types; /* ids of texts; types: distinct texts, sorted, each with a NUL at its end */
    int64_t elements;   /* number of elements of the side that must agree; TP_NULL_INT: ranks may differ */
    uint64_t parts;     /* for a coalesced call: id of its parts in tp_flight_job.parts, plus 1; 0 for others */
};
_Static_assert(sizeof(struct tp_flight_signature) == 24, "signatures are compared as bytes, so they have no padding");

/* One collective of a group: the calls of all ranks that have the same number in the group. */
struct tp_flight_instance {
    uint32_t group;
    int64_t sequence;
    uint32_t first, count; /* range in tp_flight_job.joined, by rank */
    int64_t start_ns;      /* time of the earliest call */
    uint32_t key;          /* id in tp_flight_job.instance_keys */
};

/* The sends and receives of one rank to another, in one group. */
struct tp_flight_pair {
    uint32_t group, source, target; /* numbers of ranks */
    /* [0]: sends, [1]: receives */
    uint32_t count[2], pending_count[2];
    const struct tp_flight_entry *pending[2]; /* first one that has not ended; NULL if all have */
};

/* How far a rank is in a group. */
struct tp_flight_reached {
    int64_t last;     /* largest number of a collective in its calls; -1 if none */
    int64_t enqueued; /* number of the last collective that it enqueued; -1 if unknown */
};

struct tp_flight_file {
    struct tp_str name; /* file name without folders */
    int64_t rank;       /* TP_NULL_INT if the rank is out of range */
    bool is_read;
    bool is_superseded;   /* the file was read, but another dump of the same rank is used */
    struct tp_str reason; /* why the file was not read, in a few words */
    struct tp_str detail; /* the same as a sentence with the byte; "" if no sentence exists */
    int64_t call_count;
    struct tp_str version;
};

struct tp_flight_job {
    struct tp_arena *arena;
    struct tp_strings texts, stacks;
    struct tp_strings parts;     /* parts of coalesced calls; the text 0 is empty */
    struct tp_strings rank_sets; /* bytes of uint32_t */
    struct tp_strings group_keys, instance_keys, signature_keys, pair_keys; /* bytes of a key; the id is an index */
    struct tp_vec files;                   /* elements: struct tp_flight_file, in the order of the folder */
    struct tp_vec ranks;                   /* by number; elements: struct tp_flight_rank */
    struct tp_vec groups;                  /* elements: struct tp_flight_group_of_ranks */
    struct tp_vec signatures;              /* elements: struct tp_flight_signature */
    struct tp_vec instances;               /* in the order of their first call; elements: struct tp_flight_instance */
    struct tp_vec pairs;                   /* elements: struct tp_flight_pair */
    struct tp_vec reached;                 /* elements: struct tp_flight_reached */
    struct tp_id_map reached_of;           /* (group, index of rank) -> index in `reached` */
    uint32_t *instance_of_key;             /* for each id in instance_keys: index of the instance */
    const struct tp_flight_entry **joined; /* calls of all instances */
    uint32_t *line_of_stack;               /* for each stack: text of its line (tp_flight_line) */
    uint32_t *rank_index;                  /* for each number below TP_MAX_FLIGHT_RANKS: index of the rank; TP_NO_ID */
    bool *is_expected;                     /* for each number: some file or group names the rank */
    int64_t call_count;
};

static inline struct tp_flight_rank *tp_flight_rank_at(const struct tp_flight_job *job, size_t index)
{
    return TP_AT(&job->ranks, struct tp_flight_rank, index);
}
static inline const struct tp_flight_group_of_ranks *tp_flight_group_at(const struct tp_flight_job *job, size_t index)
{
    return TP_AT(&job->groups, struct tp_flight_group_of_ranks, index);
}
static inline const struct tp_flight_signature *tp_flight_signature_at(const struct tp_flight_job *job, size_t index)
{
    return TP_AT(&job->signatures, struct tp_flight_signature, index);
}
static inline const struct tp_flight_instance *tp_flight_instance_at(const struct tp_flight_job *job, size_t index)
{
    return TP_AT(&job->instances, struct tp_flight_instance, index);
}
static inline struct tp_str tp_flight_text(const struct tp_flight_job *job, uint32_t text)
{
    return tp_strings_get(&job->texts, text);
}
/* Returns the number of the rank that made a call. */
static inline uint32_t tp_flight_rank_number(const struct tp_flight_job *job, const struct tp_flight_entry *entry)
{
    return tp_flight_rank_at(job, entry->rank)->number;
}

/* Returns the elements that a send or a receive moves. */
static inline int64_t tp_flight_moved_elements(const struct tp_flight_entry *entry)
{
    return entry->call.has_inputs ? entry->call.input_elements : entry->call.output_elements;
}

/* Initializes an empty job in `arena`, whose guard the caller sets. */
void tp_flight_job_init(struct tp_flight_job *job, struct tp_arena *arena);

/* Adds a file that was read; the dump may be released afterwards. Of a pickle and JSON of one rank, the pickle is used.
 * Two dumps of one rank from recorders of different backends are joined; of other dumps, the first is used. */
void tp_flight_job_add(struct tp_flight_job *job, struct tp_str name, uint32_t rank, const struct tp_flight_dump *dump);

/* Adds a file that was not read. rank: TP_NULL_INT if it is out of range. */
void tp_flight_job_add_failed(struct tp_flight_job *job, struct tp_str name, int64_t rank, struct tp_str reason,
                              struct tp_str detail);

/* Joins the ranks: finds groups, collectives and pairs. Call it once, after all files were added. */
void tp_flight_job_finish(struct tp_flight_job *job);

/* Returns a frame as "train.py:58 (step)". The text is in the arena of the job. */
struct tp_str tp_flight_frame_text(const struct tp_flight_job *job, struct tp_flight_frame frame);

/* Returns whether a frame belongs to torch, or has no source file. */
bool tp_flight_is_of_torch(const struct tp_flight_job *job, struct tp_flight_frame frame);

/* Returns the innermost frame of a stack outside of torch as "train.py:58 (step)"; "" if the stack has none. */
static inline struct tp_str tp_flight_line(const struct tp_flight_job *job, uint32_t stack)
{
    return tp_flight_text(job, job->line_of_stack[stack]);
}

/* Returns the call of a rank in a collective; NULL if it made none. rank_index: index in job->ranks. */
const struct tp_flight_entry *tp_flight_call_of(const struct tp_flight_job *job,
                                                const struct tp_flight_instance *instance, uint32_t rank_index);

/* Returns whether a call has not ended, and is one that its rank waits in. */
bool tp_flight_is_pending(const struct tp_flight_job *job, const struct tp_flight_entry *entry);

/* Returns the kind of a call. */
enum tp_flight_op tp_flight_op_of(const struct tp_flight_job *job, const struct tp_flight_entry *entry);

/* Returns types, which are one text each with a NUL at its end, as a list in the arena of the job. */
struct tp_vec tp_flight_list_types(struct tp_flight_job *job, uint32_t types);

/* Stages of tp_flight_job_finish. */
void tp_flight_job_set_lines(struct tp_flight_job *job);
void tp_flight_job_set_states(struct tp_flight_job *job);
void tp_flight_job_set_groups(struct tp_flight_job *job);
void tp_flight_job_set_signatures(struct tp_flight_job *job);
void tp_flight_job_set_instances(struct tp_flight_job *job);

#endif
