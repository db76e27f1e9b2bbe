/* Finds the corresponding rows of both sides. Rows with equal identities are matched first, then rows of operators
 * that replace each other, then rows with another shape or line. Renamed kernels of one operator follow, and then
 * kernels that were fused or split. */
#ifndef TP_WEBREPORT_COMPARE_TWO_MATCHING_H
#define TP_WEBREPORT_COMPARE_TWO_MATCHING_H

#include "webreport/compare/two/replaced.h"

enum tp_match_kind {
    TP_MATCH_SAME,
    TP_MATCH_NEW,      /* only NEW has the row */
    TP_MATCH_REMOVED,  /* only BASE has the row */
    TP_MATCH_RESHAPED, /* same name and owner, but another shape or type */
    TP_MATCH_MOVED,    /* a synchronisation at another line of the same file */
    TP_MATCH_RENAMED,  /* a kernel under another name, launched by the same operator */
    TP_MATCH_FUSED,    /* several kernels of an operator became one kernel */
    TP_MATCH_SPLIT,    /* one kernel of an operator became several kernels */
    TP_MATCH_REPLACED, /* several kernels became several other kernels */
    TP_MATCH_COUNT
};

/* A row of the comparison, with its rows on each side. If a side has several identities, their times and calls are
 * added. */
struct tp_match {
    enum tp_match_kind kind;
    uint32_t *members[TP_SIDES]; /* identities of the side's rows, costliest first */
    uint32_t member_count[TP_SIDES];
    /* number, from 1, of the group of operators that replace each other (struct tp_replaced); 0 without a group */
    uint32_t group;
    bool has_no_shape; /* true: the sum of all shapes and types, because one side does not show them */
    uint32_t kernel;   /* number, from 1, of the sum of replaced kernels that contains the row; 0 for other rows */
};

struct tp_matches {
    /* matches sorted by kind of row, then by the larger time of both sides (largest first), then by identity */
    struct tp_match *items;
    uint32_t count, kernel_count; /* kernel_count: number of sums of replaced kernels */
};

/* Matches the rows of both sides. Allocates from sides->arena, whose guard the caller sets. */
void tp_matches_build(struct tp_matches *matches, const struct tp_sides *sides, const struct tp_replaced *replaced);

/* Returns the identity that names the row: the one in NEW, or in BASE for a removed row. */
static inline uint32_t tp_match_identity(const struct tp_match *match)
{
    return match->member_count[TP_NEW] ? match->members[TP_NEW][0] : match->members[TP_BASE][0];
}

/* Returns the similarity (0 to 1) of two names: Dice's coefficient of their pairs of letters, ignoring case. */
double tp_name_similarity(struct tp_str a, struct tp_str b);

/* Returns the kind of a match as text, such as "same" or "new". The text is static. */
const char *tp_match_name(enum tp_match_kind kind);

#endif
