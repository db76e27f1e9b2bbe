/* Reads the subset of Python's pickle format that PyTorch uses for memory snapshots and for dumps of the Flight
 * Recorder: lists, dicts with text keys, tuple values, texts, 64-bit integers, doubles, bools and None. Never looks up,
 * calls or imports anything: an opcode outside the subset ends the reading with an error that names the opcode and its
 * byte.
 *
 * Values live in an arena and are read-only after tp_pickle_read. Equal parts of short lists are stored once, because
 * snapshots repeat the list of frames of a call stack for every event. Sources: pickletools of CPython 3.14;
 * torch/csrc/jit/serialization/pickler.cpp of PyTorch 2.13 for protocol 2. */
#ifndef TP_WEBREPORT_TRACE_PICKLE_PICKLE_H
#define TP_WEBREPORT_TRACE_PICKLE_PICKLE_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/trace/feed.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

/* A value: a tag in the lowest three bits, and a number, a text id or the address of a node in the others. */
typedef uint64_t tp_pickle_value;

enum { TP_PICKLE_TAG_BITS = 3 };

enum tp_pickle_tag {
    TP_PICKLE_INT,   /* integer of at most 61 bits */
    TP_PICKLE_BIG,   /* address of a struct tp_pickle_big */
    TP_PICKLE_REAL,  /* address of a double */
    TP_PICKLE_TEXT,  /* id in *tp_pickle.texts */
    TP_PICKLE_LIST,  /* address of a struct tp_pickle_list */
    TP_PICKLE_DICT,  /* address of a struct tp_pickle_dict */
    TP_PICKLE_TUPLE, /* address of a struct tp_pickle_part */
    TP_PICKLE_CONST  /* enum tp_pickle_const */
};

enum tp_pickle_const { TP_PICKLE_NONE, TP_PICKLE_FALSE, TP_PICKLE_TRUE };

/* An integer that needs more than 61 bits. */
struct tp_pickle_big {
    uint64_t bits;
    bool is_unsigned; /* true: a number above INT64_MAX; false: `bits` is the two's complement of an int64_t */
};

/* The items of a tuple, or consecutive items of a list. */
struct tp_pickle_part {
    uint32_t count;
    uint32_t mark; /* for users of the values: a number that belongs to this part; initially 0 */
    tp_pickle_value items[];
};

struct tp_pickle_link {
    const struct tp_pickle_link *next;
    struct tp_pickle_part *part;
};

struct tp_pickle_list {
    struct tp_pickle_part *first;         /* first part; NULL for an empty list */
    struct tp_pickle_link *others, *last; /* further parts in their order */
    uint64_t count;                       /* number of items in all parts */
    uint32_t mark;                        /* for users of the values; initially 0 */
};

/* Keys of a dict in the order of the file. Dicts with the same keys share their shape. */
struct tp_pickle_shape {
    uint32_t id, count; /* id: number of the shape, from 0 */
    uint32_t keys[];    /* ids of texts */
};

/* Members of a dict that the file adds with one opcode. */
struct tp_pickle_row {
    const struct tp_pickle_shape *shape;
    const struct tp_pickle_row *previous; /* members that were added earlier, and that these members replace */
    tp_pickle_value values[];
};

struct tp_pickle_dict {
    const struct tp_pickle_row *row; /* NULL for an empty dict */
    uint32_t mark;                   /* for users of the values; initially 0 */
    bool is_short;                   /* for users of the values: the row has only the members that they look up */
};

/* Reasons why a file is refused. Names for tests and for the documentation. */
enum tp_pickle_refusal {
    TP_PICKLE_OK,
    TP_PICKLE_EMPTY,
    TP_PICKLE_NO_PICKLE,
    TP_PICKLE_PROTOCOL,
    TP_PICKLE_CODE,
    TP_PICKLE_OPCODE,
    TP_PICKLE_TRUNCATED,
    TP_PICKLE_NUMBER,
    TP_PICKLE_LONG_TEXT,
    TP_PICKLE_MALFORMED,
    TP_PICKLE_TRAILING
};

struct tp_pickle {
    struct tp_arena *arena;   /* memory of all values; the caller sets it before reading */
    struct tp_strings *texts; /* distinct texts, with U+FFFD for ill-formed UTF-8; the caller sets and initializes it */
    struct tp_vec shapes;     /* elements: struct tp_pickle_shape * */
    tp_pickle_value root;
    unsigned protocol;
    enum tp_pickle_refusal refusal; /* TP_PICKLE_OK unless tp_pickle_read refused the file */
};

/* An open input. */
struct tp_pickle_input {
    struct tp_feed *feed;
    const char *at, *end; /* window of the feed that is not read yet; NULL before the first window */
    bool may_have_rest;   /* true: any bytes may follow the pickle; false: only NUL bytes */
    /* longest text, bytes; a longer one refuses the file at its length, whether the file has its bytes or not. 0:
     * TP_MAX_PICKLE_TEXT_BYTES, and a file that ends inside of a longer text is refused as cut */
    uint64_t max_text_size;
    const char *files; /* what the files are, for messages, such as "dumps"; NULL: "memory snapshots" */
    /* bytes of memory for each byte that was read, in addition to TP_PICKLE_GRACE_BYTES; 0: no limit */
    uint64_t bytes_per_byte;
};

/* Reads one pickle, up to the end of the input. The guards of both arenas must be set. Returns 0; TP_EFORMAT or
 * TP_ETRUNCATED with *err for a refused file; or the codes of tp_feed_next_window. */
int tp_pickle_read(struct tp_pickle *pickle, const struct tp_pickle_input *input, struct tp_error *err);

/* ---- access to values ---- */

static inline enum tp_pickle_tag tp_pickle_tag(tp_pickle_value value)
{
    return (enum tp_pickle_tag)(value & 7);
}
static inline void *tp_pickle_node(tp_pickle_value value)
{
    return (void *)(uintptr_t)(value & ~7ull); /* NOLINT: the tag is in bits that alignment leaves free */
}
static inline int64_t tp_pickle_small_int(tp_pickle_value value)
{
    return (int64_t)value >> 3;
}
static inline uint32_t tp_pickle_text_id(tp_pickle_value value)
{
    return (uint32_t)(value >> 3);
}
static inline tp_pickle_value tp_pickle_const(enum tp_pickle_const which)
{
    return (tp_pickle_value)which << TP_PICKLE_TAG_BITS | TP_PICKLE_CONST;
}

/* Returns the value of a key; NULL if the dict lacks it. key: id in texts. */
const tp_pickle_value *tp_pickle_get(const struct tp_pickle_dict *dict, uint32_t key);

/* Reads an integer or a bool. Returns false for other types. *is_unsigned: true if *bits is above INT64_MAX. */
bool tp_pickle_int(tp_pickle_value value, uint64_t *bits, bool *is_unsigned);

/* Returns the name that Python gives to the type of a value, such as "str" or "NoneType". Static text. */
const char *tp_pickle_type_name(tp_pickle_value value);

/* Walks over the items of a list. */
struct tp_pickle_walk {
    struct tp_pickle_part *part;
    const struct tp_pickle_link *next;
    uint32_t index;
};
void tp_pickle_walk_begin(struct tp_pickle_walk *walk, const struct tp_pickle_list *list);
/* Sets *value to the next item. Returns false after the last item. */
bool tp_pickle_walk_next(struct tp_pickle_walk *walk, tp_pickle_value *value);

/* Appends a number, text, bool or None as JSON, or a list, tuple or dict of such values. Containers inside of these
 * become null. */
struct tp_json;
void tp_pickle_write_json(const struct tp_pickle *pickle, tp_pickle_value value, struct tp_json *json);

#endif
