/* Finds the known word that is nearest to a mistyped word, for "did you mean". */
#ifndef TP_WRITER_TEXT_NEAREST_H
#define TP_WRITER_TEXT_NEAREST_H

#include <stddef.h>

#include "writer/base/str.h"

struct tp_nearest {
    struct tp_str word;  /* the word as it was typed */
    struct tp_str found; /* the nearest candidate so far; empty: no candidate is near */
    size_t distance;     /* number of edits between the two words; while no candidate is found, the largest accepted
                          * number */
};

/* Starts a search for `word`. The text of `word` must be valid during the search. */
struct tp_nearest tp_nearest_start(struct tp_str word);

/* Compares the word with one candidate. If several candidates are equally near, the first one is kept. If one of the
 * two words begins with the other one, and the shorter word has at least three letters, their distance is 1. The text
 * of the candidate must be valid during the search. */
void tp_nearest_compare(struct tp_nearest *nearest, struct tp_str candidate);

#endif
