/* The result of the analysis of a memory snapshot: what was live when, why an allocation failed, what grows, and which
 * findings follow (docs/definitions.md, section 32).
 *
 * All texts and rows are in the arena of the result, or belong to the snapshot, which must live as long. Amounts are
 * bytes. Indexes are those of the events of a device; -1 is the state before the first event. */
#ifndef TP_WEBREPORT_MEASURE_SNAPSHOT_SNAPSHOT_RESULT_H
#define TP_WEBREPORT_MEASURE_SNAPSHOT_SNAPSHOT_RESULT_H

#include "webreport/measure/snapshot/layout.h"
#include "webreport/measure/snapshot/live_tables.h"
#include "webreport/model/allocator/replay.h"

/* ---- amounts at one moment ---- */

struct tp_snapshot_moment {
    int64_t index, time_us; /* time_us: TP_NULL_INT if unknown */
    uint64_t allocated_bytes, active_bytes, reserved_bytes, requested_bytes;
};

/* A block that was among the largest at the peak. */
struct tp_snapshot_large_block {
    uint64_t address, bytes, requested_bytes;
    struct tp_str line, category;
    int64_t allocated_index, freed_index; /* freed_index: TP_NULL_INT if it was not freed */
};

enum { TP_SNAPSHOT_LARGEST = 10 };

struct tp_snapshot_peak {
    struct tp_snapshot_moment at;
    uint64_t rounding_bytes, pending_free_bytes;
    struct tp_str line; /* line of the event that reached the peak */
    struct tp_fragmentation fragmentation;
    struct tp_live_by live_by;
    struct tp_snapshot_large_block largest[TP_SNAPSHOT_LARGEST];
    uint32_t largest_count;
};

struct tp_snapshot_end {
    uint64_t reserved_bytes, allocated_bytes, active_bytes, requested_bytes, pending_free_bytes, rounding_bytes;
    struct tp_fragmentation fragmentation;
    struct tp_pinned pinned;
    struct tp_live_by live_by;
};

/* ---- curve ---- */

/* The allocated bytes of one category at the points of the curve. */
struct tp_snapshot_category {
    struct tp_str name;
    uint64_t *bytes; /* one number per point */
    uint64_t point_count;
    uint64_t largest;
};

/* ---- out-of-memory events ---- */

enum tp_oom_kind { TP_OOM_FULL, TP_OOM_FRAGMENTED, TP_OOM_LIMIT };
const char *tp_oom_kind_text(unsigned kind);

struct tp_snapshot_oom {
    int64_t index, time_us;
    uint8_t kind; /* enum tp_oom_kind */
    uint64_t requested_bytes, segment_bytes, short_bytes, device_free_bytes, known_capacity_bytes;
    int64_t stream;
    uint64_t allocated_bytes, active_bytes, reserved_bytes, requested_live_bytes;
    struct tp_str line, stack;
    struct tp_free_by_use free;
    struct tp_fragmentation fragmentation;
    struct tp_pinned pinned;
    struct tp_to_go to_go;
    struct tp_live_by live_by;
    struct tp_layout layout;                  /* layout at the event, for the map of addresses */
    const uint32_t *live_blocks;              /* indexes of the live blocks in the replay */
    const struct tp_allocator_block **blocks; /* the same blocks, with the data of the recorded end where it has them */
    size_t live_count;
};

/* ---- steps and growth ---- */

struct tp_snapshot_boundary {
    int64_t index;
    uint64_t allocated_bytes;
    struct tp_str name;
    int64_t peak_bytes; /* largest allocated bytes since the boundary before; TP_NULL_INT if no event is between */
    uint64_t allocs, segment_allocs;
};

struct tp_snapshot_growing {
    struct tp_str name;
    uint32_t name_id;     /* id of the name in tp_code_frames.names */
    uint64_t *live_bytes; /* one number per boundary */
    uint64_t live_count;
    uint64_t bytes_per_step, blocks;
};

struct tp_snapshot_growth {
    const char *by; /* how the boundaries were found, such as "ProfilerStep"; NULL without boundaries */
    struct tp_snapshot_boundary *boundaries;
    uint64_t boundary_count;
    struct tp_snapshot_growing *growing;
    uint64_t growing_count;
    int64_t bytes_per_step; /* growth of all allocated bytes over the last steps; TP_NULL_INT if unknown */
    bool floor_rises;       /* the allocated bytes rise strictly over the last four boundaries */
};

/* ---- churn ---- */

enum tp_release_kind { TP_RELEASE_EMPTY_CACHE, TP_RELEASE_RETRY, TP_RELEASE_OTHER };
const char *tp_release_kind_text(unsigned kind);

/* Segments that were given back to the device in one go. */
struct tp_snapshot_release {
    int64_t index;
    uint8_t kind; /* enum tp_release_kind */
    uint64_t bytes;
    struct tp_str line;
};

struct tp_snapshot_churn_row {
    struct tp_str name;
    uint64_t calls, bytes, freed;
    double mean_life_events; /* NaN if no block was freed */
};

struct tp_snapshot_churn {
    uint64_t alloc_calls, alloc_bytes, short_lived_calls, short_lived_bytes;
    uint64_t segment_allocs, segment_alloc_bytes, segment_frees;
    uint64_t late_segment_allocs, late_segment_bytes; /* in the second half of the steps, in the default pool */
    uint64_t retries, retry_freed_bytes, empty_caches;
    struct tp_snapshot_release *releases;
    uint64_t release_count;
    struct tp_snapshot_churn_row *rows;
    uint64_t row_count, rows_total;
};

/* ---- window ---- */

enum tp_window_cut { TP_WINDOW_NO_HISTORY, TP_WINDOW_STATE_ONLY, TP_WINDOW_CUT, TP_WINDOW_UNKNOWN, TP_WINDOW_WHOLE };
const char *tp_window_cut_text(unsigned cut);

struct tp_snapshot_window {
    uint8_t cut; /* enum tp_window_cut */
    uint64_t older_blocks, older_bytes, older_freed_blocks, older_live_blocks, older_live_bytes;
    uint64_t lost_alloc_blocks, lost_alloc_bytes;
    const char *unrecorded[3]; /* kinds of events that the file lacks */
    uint32_t unrecorded_count;
};

/* ---- findings ---- */

enum tp_snapshot_severity { TP_SNAPSHOT_HIGH, TP_SNAPSHOT_MEDIUM, TP_SNAPSHOT_LOW, TP_SNAPSHOT_INFO };
const char *tp_snapshot_severity_text(unsigned severity);

/* Ids of findings, in alphabetical order. */
enum tp_snapshot_finding_id {
    TP_SNAPSHOT_ACTIVATIONS,
    TP_SNAPSHOT_CACHE,
    TP_SNAPSHOT_CUT,
    TP_SNAPSHOT_EMPTY_CACHE,
    TP_SNAPSHOT_FRAGMENTATION,
    TP_SNAPSHOT_GRADIENTS_IN_FORWARD,
    TP_SNAPSHOT_GROWTH,
    TP_SNAPSHOT_LOGITS,
    TP_SNAPSHOT_NO_STACKS,
    TP_SNAPSHOT_OOM,
    TP_SNAPSHOT_OPTIMIZER_STATE,
    TP_SNAPSHOT_PENDING_FREE,
    TP_SNAPSHOT_PINNED_SEGMENTS,
    TP_SNAPSHOT_POOL_GROWS,
    TP_SNAPSHOT_PRIVATE_POOLS,
    TP_SNAPSHOT_RETRIES,
    TP_SNAPSHOT_ROUNDING,
    TP_SNAPSHOT_FINDING_IDS
};
const char *tp_snapshot_finding_text(unsigned id);

struct tp_snapshot_finding {
    uint8_t id;       /* enum tp_snapshot_finding_id */
    uint8_t severity; /* enum tp_snapshot_severity */
    uint64_t gain_bytes;
    bool has_bytes, has_count, has_line, has_kind; /* which of the next members the finding has */
    int64_t bytes, count;                          /* amount or number that the finding is about */
    struct tp_str line;                            /* line that the finding is about */
    const char *kind;                              /* kind of the out-of-memory event */
    /* The following texts and amounts are for the words of the finding; document/words sets `text` and `action`. */
    const char *text, *action;
    uint64_t places;         /* activations: number of places; growth: number of blocks */
    uint64_t bytes_per_step; /* growth */
};

/* ---- one device ---- */

struct tp_snapshot_device {
    int64_t device;
    struct tp_replay replay;
    struct tp_live_context context;
    bool has_time; /* every event has a time */
    int64_t first_us, last_us;
    uint64_t backwards; /* events whose time is before that of the event before */
    struct tp_snapshot_window window;
    struct tp_snapshot_peak peak;
    struct tp_snapshot_moment peak_reserved;
    struct tp_snapshot_end end;
    struct tp_snapshot_moment *points; /* points of the curve */
    uint64_t point_count;
    struct tp_snapshot_category *categories; /* largest first; the last one may be "all others" */
    uint64_t category_count;
    struct tp_snapshot_oom *ooms;
    uint64_t oom_count, oom_total; /* oom_total: with those that are not analysed in detail */
    struct tp_snapshot_churn churn;
    struct tp_snapshot_growth growth;
    struct tp_live_table older_live;      /* blocks that are older than the recording and live at its end, by line */
    uint64_t leak_bytes, leak_blocks;     /* blocks of growing lines that are live at the end */
    struct tp_snapshot_finding *findings; /* gravest first */
    uint64_t finding_count;
    const char *headline; /* set by document/words */
    struct tp_layout end_layout;
    /* blocks at the end with the data of the file, sorted by address; and the index of each block in the replay, or
     * TP_NO_ID */
    struct tp_allocator_block *end_blocks;
    uint32_t *end_block_origins;
    size_t end_block_count;
    struct tp_segment_set end_segments;
    const struct tp_allocator_block **peak_blocks; /* live blocks at the peak */
    size_t peak_block_count;
    struct tp_segment_set peak_segments;
};

struct tp_snapshot_result {
    struct tp_str file; /* last part of the path */
    int64_t rank;       /* rank in the file name; TP_NULL_INT if none */
    const struct tp_snapshot *snapshot;
    struct tp_code_stacks stacks;
    struct tp_snapshot_device *devices;
    uint64_t device_count;
};

/* Returns whether a snapshot shows the peak of its run: it has a history, the history is not cut, and the replay is
 * exact. Otherwise the real peak may be larger than the known one. */
static inline bool tp_snapshot_shows_peak(const struct tp_snapshot_device *device)
{
    enum tp_window_cut cut = device->window.cut;
    return device->replay.is_exact && (cut == TP_WINDOW_WHOLE || cut == TP_WINDOW_UNKNOWN);
}

/* Analyses a snapshot. file: last part of its path. Allocates from `arena`, whose guard must be set. */
void tp_snapshot_analyse(struct tp_snapshot_result *result, const struct tp_snapshot *snapshot, struct tp_str file,
                         struct tp_arena *arena);

/* Moments that the user can name with --at. */
enum tp_snapshot_when { TP_SNAPSHOT_AT_PEAK, TP_SNAPSHOT_AT_END, TP_SNAPSHOT_AT_OOM };
#define TP_SNAPSHOT_WHEN "peak|end|oom" /* the values of --at */
const char *tp_snapshot_when_text(enum tp_snapshot_when when);

/* Lists the live blocks. Returns false if the device lacks this moment: it has no out-of-memory event. Of several such
 * events, the last one is used. Allocates from `arena`, whose guard the caller sets. */
bool tp_snapshot_list_live(struct tp_live_blocks *live, const struct tp_snapshot_device *device,
                           enum tp_snapshot_when when, struct tp_arena *arena);

/* Returns why no device of a snapshot has live blocks at a moment. Static text. */
const char *tp_snapshot_no_live_text(const struct tp_snapshot_result *result, enum tp_snapshot_when when);

/* The document in the JSON of `report` (format tracepress.memory_snapshot/1). */
extern const struct tp_fields tp_snapshot_result_fields;

/* ---- several snapshots ---- */

/* A device of one of several snapshots, which are usually the ranks of a job. */
struct tp_snapshot_rank {
    const struct tp_snapshot_result *result;
    const struct tp_snapshot_device *device;
    struct tp_str file;
    int64_t rank, device_number;         /* rank: TP_NULL_INT if unknown */
    uint64_t peak_bytes, reserved_bytes; /* largest allocated and reserved bytes */
    const char *oom_kind;                /* kind of the last out-of-memory event; NULL if none exists */
    struct tp_str line; /* line with most live bytes at the last out-of-memory event or at the peak; "" if unknown */
    uint64_t line_bytes;
};

/* A snapshot that could not be used. */
struct tp_snapshot_failure {
    struct tp_str file; /* last part of the path */
    struct tp_str why;
};

/* Returns the rank in the name of a snapshot: the number after the last "rank", or the last number. Returns TP_NULL_INT
 * if the name has no number. */
int64_t tp_snapshot_rank_of_file(struct tp_str file);

/* Lists the devices of all snapshots, in the order of the snapshots. *count: number of rows. The rows are in `arena`.
 */
struct tp_snapshot_rank *tp_snapshot_ranks_list(const struct tp_snapshot_result *results, size_t result_count,
                                                size_t *count, struct tp_arena *arena);

extern const struct tp_fields tp_snapshot_rank_fields;

#endif
