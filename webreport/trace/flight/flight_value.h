/* Gives one form to the values of a pickle and of JSON, so that one function fills a dump from both. Only the files
 * flight_*.c of this folder include this header. */
#ifndef TP_WEBREPORT_TRACE_FLIGHT_FLIGHT_VALUE_H
#define TP_WEBREPORT_TRACE_FLIGHT_FLIGHT_VALUE_H

#include "webreport/trace/flight/flight_dump.h"
#include "webreport/trace/pickle/pickle.h"

/* Keys of the members that a dump uses. */
enum tp_flight_key {
    TP_FLIGHT_KEY_VERSION,
    TP_FLIGHT_KEY_ENTRIES,
    TP_FLIGHT_KEY_PG_CONFIG,
    TP_FLIGHT_KEY_PG_STATUS,
    TP_FLIGHT_KEY_NAME,
    TP_FLIGHT_KEY_DESC,
    TP_FLIGHT_KEY_RANKS,
    TP_FLIGHT_KEY_LAST_ENQUEUED,
    TP_FLIGHT_KEY_FRAMES,
    TP_FLIGHT_KEY_FILENAME,
    TP_FLIGHT_KEY_LINE,
    TP_FLIGHT_KEY_RECORD_ID,
    TP_FLIGHT_KEY_PG_ID,
    TP_FLIGHT_KEY_PROCESS_GROUP,
    TP_FLIGHT_KEY_COLLECTIVE_SEQ,
    TP_FLIGHT_KEY_P2P_SEQ,
    TP_FLIGHT_KEY_SEQ,
    TP_FLIGHT_KEY_PROFILING_NAME,
    TP_FLIGHT_KEY_TIME_CREATED,
    TP_FLIGHT_KEY_DURATION,
    TP_FLIGHT_KEY_INPUT_SIZES,
    TP_FLIGHT_KEY_OUTPUT_SIZES,
    TP_FLIGHT_KEY_INPUT_TYPES,
    TP_FLIGHT_KEY_OUTPUT_TYPES,
    TP_FLIGHT_KEY_STATE,
    TP_FLIGHT_KEY_RETIRED,
    TP_FLIGHT_KEY_IS_P2P,
    TP_FLIGHT_KEY_COUNT
};

enum tp_flight_kind {
    TP_FLIGHT_NOTHING, /* a missing member, None or null */
    TP_FLIGHT_BOOL,
    TP_FLIGHT_INT,
    TP_FLIGHT_REAL, /* also integers beyond int64 */
    TP_FLIGHT_TEXT,
    TP_FLIGHT_LIST, /* also a tuple */
    TP_FLIGHT_DICT
};

struct tp_flight_value {
    enum tp_flight_kind kind;
    bool is_tuple;          /* a LIST that is a tuple */
    int64_t integer;        /* INT, BOOL */
    double real;            /* REAL */
    struct tp_str text;     /* TEXT: the text; LIST and DICT of JSON: compact JSON */
    tp_pickle_value pickle; /* LIST and DICT of a pickle */
};

/* The file that the values come from. */
struct tp_flight_source {
    const struct tp_pickle *pickle; /* NULL: JSON */
    struct tp_strings keys;         /* the texts of enum tp_flight_key; the id of a text is its key */
    uint8_t *key_of_text;           /* for each text of the pickle: 1 + its key, or 0 */
    struct tp_arena *scratch;       /* memory for texts */
    uint64_t visited, budget;       /* items and members that were read, and their largest number */
};

/* Initializes *source; the guard of `scratch` must be set. pickle: pickle that was read, or NULL for JSON. budget:
 * largest number of items and members that may be read. */
void tp_flight_source_init(struct tp_flight_source *source, const struct tp_pickle *pickle, struct tp_arena *scratch,
                           uint64_t budget);

struct tp_flight_value tp_flight_value_of_pickle(const struct tp_flight_source *source, tp_pickle_value value);
/* json: compact JSON (writer of tp_clean_value), which must remain valid as long as the value. */
struct tp_flight_value tp_flight_value_of_json(const struct tp_flight_source *source, struct tp_str json);

/* The members of a dict that have a known key. */
struct tp_flight_members {
    struct tp_flight_value at[TP_FLIGHT_KEY_COUNT];
    uint32_t has; /* bit for each key whose value is set */
};
_Static_assert(TP_FLIGHT_KEY_COUNT <= 32, "each key has a bit in tp_flight_members.has");

/* Fills `members` from a dict; the last of equal keys counts. Other values than dicts have no members. */
void tp_flight_members_fill(struct tp_flight_members *members, struct tp_flight_source *source,
                            const struct tp_flight_value *dict);

/* Returns the value of a key; a value of the kind NOTHING if it is missing. */
static inline struct tp_flight_value tp_flight_member(const struct tp_flight_members *members, enum tp_flight_key key)
{
    return members->has >> key & 1 ? members->at[key] : (struct tp_flight_value){.kind = TP_FLIGHT_NOTHING};
}

/* Walks over the items of a list, or over the members of a dict, oldest first. */
struct tp_flight_walk {
    struct tp_flight_source *source;
    struct tp_flight_value container;
    struct tp_pickle_walk items;       /* a list of a pickle */
    const struct tp_pickle_row **rows; /* a dict of a pickle: its rows, oldest first */
    uint32_t row_count, row, column;
    size_t at; /* JSON: offset in the text */
};

void tp_flight_walk_begin(struct tp_flight_walk *walk, struct tp_flight_source *source,
                          const struct tp_flight_value *container);
/* Sets *item, and *key for members of a dict (may be NULL). Returns false after the last item, for values that are no
 * containers, and when the budget is used up (tp_flight_is_over_budget). */
bool tp_flight_walk_next(struct tp_flight_walk *walk, struct tp_str *key, struct tp_flight_value *item);

static inline bool tp_flight_is_over_budget(const struct tp_flight_source *source)
{
    return source->visited > source->budget;
}

/* Adds the call of an entry to a dump, whose arena has its guard set. Ignores entries that are no dicts. */
void tp_flight_add_entry(struct tp_flight_dump *dump, struct tp_flight_source *source,
                         const struct tp_flight_value *entry);
/* Fill a dump from the members pg_config and pg_status. */
void tp_flight_set_groups(struct tp_flight_dump *dump, struct tp_flight_source *source,
                          const struct tp_flight_value *config);
void tp_flight_set_progress(struct tp_flight_dump *dump, struct tp_flight_source *source,
                            const struct tp_flight_value *status);
/* Checks and sets the version. Returns 0 or TP_EFORMAT with dump->refusal. */
int tp_flight_set_version(struct tp_flight_dump *dump, const struct tp_flight_value *version, struct tp_error *err);

/* Sets dump->refusal and *err, and returns the code. */
int tp_flight_refuse(struct tp_flight_dump *dump, enum tp_flight_refusal why, int code, struct tp_error *err,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Fills a dump from JSON. The window of `input` begins at the first bytes of the file. Both arenas have their guards
 * set. Returns 0 or a negative tp_status. */
int tp_flight_read_json(struct tp_flight_dump *dump, struct tp_arena *scratch, struct tp_pickle_input *input,
                        struct tp_error *err);

#endif
