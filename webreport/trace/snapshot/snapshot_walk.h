/* Declares the parts of the reader of snapshots. Only the files snapshot_*.c include this header. */
#ifndef TP_WEBREPORT_TRACE_SNAPSHOT_SNAPSHOT_WALK_H
#define TP_WEBREPORT_TRACE_SNAPSHOT_SNAPSHOT_WALK_H

#include "webreport/trace/pickle/pickle.h"
#include "webreport/trace/snapshot/snapshot.h"

/* Keys that the reader looks up, as ids in the texts of the pickle. */
enum tp_snapshot_key {
    TP_KEY_SEGMENTS,
    TP_KEY_DEVICE_TRACES,
    TP_KEY_SETTINGS,
    TP_KEY_ANNOTATIONS,
    TP_KEY_DEVICE,
    TP_KEY_ADDRESS,
    TP_KEY_TOTAL_SIZE,
    TP_KEY_STREAM,
    TP_KEY_SEGMENT_TYPE,
    TP_KEY_SEGMENT_POOL,
    TP_KEY_IS_EXPANDABLE,
    TP_KEY_BLOCKS,
    TP_KEY_FRAMES,
    TP_KEY_SIZE,
    TP_KEY_STATE,
    TP_KEY_REQUESTED_SIZE,
    TP_KEY_HISTORY,
    TP_KEY_REAL_SIZE,
    TP_KEY_ACTION,
    TP_KEY_ADDR,
    TP_KEY_DEVICE_FREE,
    TP_KEY_TIME,
    TP_KEY_METADATA,
    TP_KEY_POOL,
    TP_KEY_CATEGORY,
    TP_KEY_FILENAME,
    TP_KEY_LINE,
    TP_KEY_NAME,
    TP_KEY_FX_NODE,
    TP_KEY_FX_TRACE,
    TP_KEY_STAGE,
    TP_KEY_MAX_SPLIT,
    TP_KEY_EXPANDABLE,
    TP_KEY_ROUNDUP,
    TP_KEY_COUNT
};

/* The walk over the values of a pickle. */
struct tp_snapshot_walk {
    struct tp_snapshot *snapshot;
    struct tp_pickle *pickle;
    uint32_t keys[TP_KEY_COUNT]; /* id of each key; an id that no text has if the file lacks the key */
    uint64_t visited, budget;    /* values visited, and the number of values that the file can contain */
    uint64_t new_frames;         /* frames of lists that were visited for the first time since the last count */
    uint64_t frame_bytes;        /* bytes of the texts of all distinct frames */
    uint64_t stack_bytes;        /* bytes of the texts of all distinct call stacks */
    struct tp_error *err;
};

/* Where the reader is, for messages such as "segments[3].blocks[1]". */
struct tp_snapshot_place {
    const char *list;  /* "segments" or "device_traces" */
    size_t index;      /* index in this list */
    const char *inner; /* ".blocks" or "", for an item of an inner list; NULL for an item of the list itself */
    size_t inner_index;
};

/* Sets *err to "PLACE" followed by the text, and returns TP_EFORMAT. */
int tp_snapshot_refuse(struct tp_snapshot_walk *walk, const struct tp_snapshot_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuses a snapshot with too many devices. Returns TP_ELIMIT. */
int tp_snapshot_refuse_devices(const struct tp_snapshot_walk *walk);

/* Returns the value of a key; NULL if the dict lacks it. The time does not depend on the number of members, except for
 * the first call for a dict. */
const tp_pickle_value *tp_snapshot_find(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                                        enum tp_snapshot_key key);

/* Counts visited values. Returns TP_EFORMAT if the same values were visited more often than the file has bytes. */
int tp_snapshot_visit(struct tp_snapshot_walk *walk, uint64_t count, const struct tp_snapshot_place *place);

/* The functions below read a member of a dict. They return 0, or TP_EFORMAT if the member has another type. A missing
 * member keeps the value that the caller set; `must` refuses a missing member. */
int tp_snapshot_get_size(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict, enum tp_snapshot_key key,
                         const struct tp_snapshot_place *place, bool must, uint64_t *out);
int tp_snapshot_get_int(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict, enum tp_snapshot_key key,
                        const struct tp_snapshot_place *place, int64_t *out);
int tp_snapshot_get_text(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict, enum tp_snapshot_key key,
                         const struct tp_snapshot_place *place, struct tp_str *out);
int tp_snapshot_get_list(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict, enum tp_snapshot_key key,
                         const struct tp_snapshot_place *place, bool must, const struct tp_pickle_list **out);
/* Reads the member "frames". *stack: id of the stack. */
int tp_snapshot_get_stack(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                          const struct tp_snapshot_place *place, uint32_t *stack);

/* Returns a text, or the empty text if the member is missing or has another type. */
struct tp_str tp_snapshot_optional_text(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                                        enum tp_snapshot_key key);
/* Returns the id of a text that the program set; long texts are cut. Returns the id of "" if the member is missing or
 * has another type. */
uint32_t tp_snapshot_optional_name(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                                   enum tp_snapshot_key key);
/* Returns the index of the pool in snapshot->pools; TP_NO_ID if the member is missing or is no pair of integers. */
uint32_t tp_snapshot_optional_pool(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                                   enum tp_snapshot_key key);

/* Fill a snapshot from a pickle. file_bytes: size of the pickle. Returns 0 or TP_EFORMAT with *err. */
int tp_snapshot_walk_pickle(struct tp_snapshot *snapshot, struct tp_pickle *pickle, uint64_t file_bytes,
                            struct tp_error *err);
int tp_snapshot_walk_traces(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *root);
void tp_snapshot_walk_settings(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *root);

#endif
