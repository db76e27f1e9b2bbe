/* Interns texts directly from the window: maps raw JSON bytes to the id of the text they mean.
 *
 * Every distinct spelling is cleaned once; after that it costs one hash and one compare. Ids number the meanings, which
 * are in a struct tp_strings that outlives the reader. */
#ifndef TP_WEBREPORT_TRACE_INTERNER_H
#define TP_WEBREPORT_TRACE_INTERNER_H

#include "webreport/trace/json/clean.h"
#include "writer/base/str.h"

struct tp_word {
    const char *raw;
    uint32_t len, id;
    unsigned flags; /* enum tp_clean_flag */
};

enum { TP_HISTORY_SLOTS = 1 << 14 };

/* The words interned last, and the word that followed them before: traces repeat themselves in every step. */
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
    size_t max_bytes;     /* limit of one text */
    struct tp_buf *clean; /* scratch, owned by the reader */
};

void tp_interner_init(struct tp_interner *interner, struct tp_strings *meanings, struct tp_history *history,
                      struct tp_buf *scratch, bool holds_values, size_t max_bytes);

/* Returns the id and flags of the text; valid until the next text is added. raw: without quotes for strings, the whole
 * token for values; up to 15 bytes after it may be read (the feed's window allows that). */
const struct tp_word *tp_interner_add(struct tp_interner *interner, struct tp_str raw);

/* Returns the word of the token at `token` if it is the one that history predicts; it counts as added. NULL: the caller
 * finds the token's end and adds it. Costs one compare instead of three passes over a stack of a kilobyte. Only for
 * tokens with a closing character: strings (here with their quotes), arrays and objects. Words with flags are never
 * expected. */
const struct tp_word *tp_interner_expect(struct tp_interner *interner, const char *token, const char *end);

#endif
