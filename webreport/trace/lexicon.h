/* Interning straight from the window: raw JSON bytes -> id of the text they mean.
 *
 * Every distinct spelling is cleaned once; later sightings cost one hash and one compare. Ids number the meanings,
 * which live in a struct tp_strings that outlasts the reader. */
#ifndef TP_WEBREPORT_TRACE_LEXICON_H
#define TP_WEBREPORT_TRACE_LEXICON_H

#include "webreport/trace/clean.h"
#include "writer/base/str.h"

struct tp_word {
    uint64_t hash;
    const char *raw; /* NULL: free slot */
    uint32_t len, id;
    unsigned flags; /* enum tp_clean_flag */
};

struct tp_lexicon {
    struct tp_strings *meanings;
    struct tp_word *words;
    uint32_t slot_count, word_count;
    bool holds_values;    /* texts are JSON values, made compact; otherwise contents of strings */
    size_t max_bytes;     /* of one text */
    struct tp_buf *clean; /* scratch, the reader's */
};

void tp_lexicon_init(struct tp_lexicon *lexicon, struct tp_strings *meanings, struct tp_buf *scratch, bool holds_values,
                     size_t max_bytes);

/* Id and flags of the text. raw: without quotes for strings, the whole token for values; up to 15 bytes behind it may
 * be read (the feed's window allows that). */
const struct tp_word *tp_lexicon_add(struct tp_lexicon *lexicon, struct tp_str raw);

#endif
