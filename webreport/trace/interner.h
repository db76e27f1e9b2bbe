/* Interns texts directly from the window: maps raw JSON bytes to the id of the text that they mean.
 *
 * Every distinct spelling is cleaned once. Afterwards it costs one hash and one comparison. Ids number the meanings,
 * which are in a struct tp_strings that outlives the reader. */
#ifndef TP_WEBREPORT_TRACE_INTERNER_H
#define TP_WEBREPORT_TRACE_INTERNER_H

#include "webreport/trace/json/clean.h"
#include "writer/base/str.h"

struct tp_word {
    const char *raw;
    uint32_t len, id;
    unsigned flags; /* bits of enum tp_clean_flag */
};

enum { TP_HISTORY_SLOTS = 1 << 14 };

/* The words that were interned last, and the word that followed them before. Useful because traces repeat the same
 * words in every step. */
struct tp_history {
    uint32_t recent; /* the last four words, combined */
    uint32_t likely[TP_HISTORY_SLOTS];
};

struct tp_interner {
    struct tp_strings *meanings;
    struct tp_history *history; /* shared by all interners of a reader */
    struct tp_vec words;        /* words as struct tp_word, by number */
    struct tp_interner_slot *slots;
    uint32_t slot_count;
    /* true if the texts are JSON values, which are made compact; false if they are contents of strings */
    bool has_json_values;
    size_t max_bytes;     /* maximum length of one text */
    struct tp_buf *clean; /* scratch buffer, owned by the reader */
};

void tp_interner_init(struct tp_interner *interner, struct tp_strings *meanings, struct tp_history *history,
                      struct tp_buf *scratch, bool has_json_values, size_t max_bytes);

/* Returns the id and flags of a text, valid until the next text is added. raw: a string without its quotes, or the
 * whole token of a value. Up to 15 bytes after the text may be read, which the feed's window allows. */
const struct tp_word *tp_interner_add(struct tp_interner *interner, struct tp_str raw);

/* Returns the word of the token at `token` if history predicts this word; the token then counts as added. Returns NULL
 * otherwise; then the caller finds the end of the token and adds it. A hit costs one comparison instead of three passes
 * over a stack of a kilobyte. Only for tokens with a closing character: strings (here with their quotes), arrays and
 * objects. Words with flags are never predicted. */
const struct tp_word *tp_interner_add_predicted(struct tp_interner *interner, const char *token, const char *end);

#endif
