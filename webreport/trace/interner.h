/* Interning straight from the window: raw JSON bytes -> id of the text they mean.
 *
 * Every distinct spelling is cleaned once; later sightings cost one hash and one compare. Ids number the meanings,
 * which live in a struct tp_strings that outlasts the reader. */
#ifndef TP_WEBREPORT_TRACE_INTERNER_H
#define TP_WEBREPORT_TRACE_INTERNER_H

#include "webreport/trace/clean.h"
#include "writer/base/str.h"

struct tp_word {
    const char *raw;
    uint32_t len, id;
    unsigned flags; /* enum tp_clean_flag */
};

enum { TP_HISTORY_SLOTS = 1 << 14 };

/* What was interned last, and what followed it the last time: traces repeat themselves step after step. */
struct tp_history {
    uint32_t recent; /* the last four words */
    uint32_t likely[TP_HISTORY_SLOTS];
};

struct tp_interner {
    struct tp_strings *meanings;
    struct tp_history *history; /* shared by the interners of a reader */
    struct tp_vec words;        /* struct tp_word, by number */
    struct tp_interner_slot *slots;
    uint32_t slot_count;
    bool holds_values;    /* texts are JSON values, made compact; otherwise contents of strings */
    size_t max_bytes;     /* of one text */
    struct tp_buf *clean; /* scratch, the reader's */
};

void tp_interner_init(struct tp_interner *interner, struct tp_strings *meanings, struct tp_history *history,
                      struct tp_buf *scratch, bool holds_values, size_t max_bytes);

/* Id and flags of the text; valid until the next one is added. raw: without quotes for strings, the whole token for
 * values; up to 15 bytes behind it may be read (the feed's window allows that). */
const struct tp_word *tp_interner_add(struct tp_interner *interner, struct tp_str raw);

/* The word of the token at `token` if it is the one that history makes likely; counts as added. NULL: look for the
 * token's end and add it. Costs one compare instead of three passes over a stack of a kilobyte. Only for tokens that
 * end themselves: strings (with their quotes here), arrays and objects. Words with flags are never expected. */
const struct tp_word *tp_interner_expect(struct tp_interner *interner, const char *token, const char *end);

#endif
