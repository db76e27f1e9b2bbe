/* Interns texts directly from the window. Maps the raw bytes of a JSON text to the id of the decoded text.
 *
 * Every distinct spelling is decoded only once; finding it again costs one hash and one comparison. Ids are those of
 * the decoded texts, which are in a struct tp_strings that outlives the reader. */
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

/* The most recently interned words, and for each sequence of four words the word that followed this sequence last time.
 * Traces repeat the same words in every step, so the next word can be predicted. */
struct tp_history {
    uint32_t recent_words_hash; /* hash of the last four words */
    uint32_t likely[TP_HISTORY_SLOTS];
};

struct tp_interner {
    struct tp_strings *meanings;
    struct tp_history *history; /* history that all interners of one reader share */
    struct tp_vec words;        /* all words in the order of their first use; elements: struct tp_word */
    struct tp_interner_slot *slots;
    uint32_t slot_count;
    /* true if the texts are JSON values, which are stored as compact JSON; false if they are contents of strings */
    bool has_json_values;
    size_t max_bytes;     /* maximum length of one text, bytes */
    struct tp_buf *clean; /* scratch buffer that the reader owns */
};

void tp_interner_init(struct tp_interner *interner, struct tp_strings *meanings, struct tp_history *history,
                      struct tp_buf *scratch, bool has_json_values, size_t max_bytes);

/* Returns the word of a text: its id and flags. Valid until the next call. raw: a string without its quotes, or the
 * whole token of a value. Up to 15 bytes after the text may be read; the feed's window allows this. */
const struct tp_word *tp_interner_add(struct tp_interner *interner, struct tp_str raw);

/* Returns the word of the token at `token` if the history predicts this word; the token then counts as added. Otherwise
 * returns NULL, and the caller must find the end of the token and add it. A correct prediction costs one comparison.
 *
 * Use it only for tokens with a closing character: strings (here with their quotes), arrays and objects. Words with
 * flags are never predicted. */
const struct tp_word *tp_interner_add_predicted(struct tp_interner *interner, const char *token, const char *end);

#endif
