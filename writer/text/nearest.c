/* Computes distances between words: see nearest.h. */
#include "writer/text/nearest.h"

/* LONGEST: maximum length of a word; longer words are not compared. LEAST_PREFIX: minimum length of a word that is the
 * beginning of another one. */
enum { LONGEST = 40, LEAST_PREFIX = 3 };

static size_t smaller_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns the number of letters to insert, delete or change to make both words equal. */
static size_t count_edits(struct tp_str a, struct tp_str b)
{
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= b.len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t above = row[j];
            row[j] = smaller_of(smaller_of(above, row[j - 1]) + 1, diagonal + (a.ptr[i - 1] != b.ptr[j - 1]));
            diagonal = above;
        }
    }
    return row[b.len];
}

struct tp_nearest tp_nearest_start(struct tp_str word)
{
    /* largest accepted number of edits; words with more edits are treated as different */
    size_t most = word.len < 9 ? word.len / 3 + 1 : 4;
    return (struct tp_nearest){.word = word, .found = TP_STR(""), .distance = word.len ? most : 0};
}

void tp_nearest_compare(struct tp_nearest *nearest, struct tp_str candidate)
{
    struct tp_str word = nearest->word;
    if (!word.len || word.len > LONGEST || candidate.len > LONGEST)
        return;
    size_t distance = count_edits(word, candidate), shorter = smaller_of(word.len, candidate.len);
    if (shorter >= LEAST_PREFIX && distance && memcmp(word.ptr, candidate.ptr, shorter) == 0)
        distance = 1;
    if (distance < nearest->distance || (distance == nearest->distance && !nearest->found.len)) {
        nearest->distance = distance;
        nearest->found = candidate;
    }
}
