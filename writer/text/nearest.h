/* Finds the known word that is nearest to a mistyped word, for "did you mean". */
#ifndef TP_WRITER_TEXT_NEAREST_H
#define TP_WRITER_TEXT_NEAREST_H

#include <stddef.h>

#include "writer/base/str.h"

struct tp_nearest {
    struct tp_str word;  /* as it was typed */
    struct tp_str found; /* nearest candidate so far; empty: none is near */
    size_t distance;     /* letters that differ between both; while nothing is found, the largest distance accepted */
};

/* Starts a search for `word`, which must live as long as the search. */
struct tp_nearest tp_nearest_start(struct tp_str word);

/* Compares the word with one candidate. The first of several equally near candidates is kept. If one of both begins
 * with the other, which has at least three letters, they count as one letter apart. The candidate must live as long as
 * the search. */
void tp_nearest_offer(struct tp_nearest *nearest, struct tp_str candidate);

#endif
