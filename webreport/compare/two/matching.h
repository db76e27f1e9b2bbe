/* Which rows of both sides are the same thing: equal identities first, then rows of operators that replace each other,
 * rows whose shape or line changed, kernels of one operator under another name, and kernels that were fused or split. */
#ifndef TP_WEBREPORT_COMPARE_TWO_MATCHING_H
#define TP_WEBREPORT_COMPARE_TWO_MATCHING_H

#include "webreport/compare/two/replaced.h"

enum tp_match_kind {
    TP_MATCH_SAME,
    TP_MATCH_NEW,      /* BASE does not have it */
    TP_MATCH_REMOVED,  /* NEW does not have it */
    TP_MATCH_RESHAPED, /* another shape or type of the same name and owner */
    TP_MATCH_MOVED,    /* a synchronisation at another line of the same file */
    TP_MATCH_RENAMED,  /* a kernel under another name, launched by the same operator */
    TP_MATCH_FUSED,    /* several kernels of an operator became one */
    TP_MATCH_SPLIT,    /* one became several */
    TP_MATCH_REPLACED, /* several became several others */
    TP_MATCH_COUNT
};

/* A row of the comparison. Several identities of one side are added up. */
struct tp_match {
    enum tp_match_kind kind;
    uint32_t *members[TP_SIDES]; /* identities, heaviest first */
    uint32_t member_count[TP_SIDES];
    uint32_t group;  /* in the work: operators that replace each other; 0: none */
    uint32_t kernel; /* of all such matches of one launching operator, from 1: their sum is judged; 0: no kernel that
                        replaces another */
};

struct tp_matches {
    struct tp_match *items; /* by kind of row, then by the greater time of both sides (descending), then identity */
    uint32_t count, kernel_count; /* kernel_count: greatest `kernel` */
};

/* Matches the rows of both sides in sides->arena (guard set by the caller). */
void tp_matches_build(struct tp_matches *matches, const struct tp_sides *sides, const struct tp_replaced *replaced);

/* The identity that names the row: of NEW, or of BASE when it is removed. */
static inline uint32_t tp_match_identity(const struct tp_match *match)
{
    return match->member_count[TP_NEW] ? match->members[TP_NEW][0] : match->members[TP_BASE][0];
}

/* Likeness of two names, 0 .. 1: Dice's coefficient of their pairs of letters, without regard to case. */
double tp_name_likeness(struct tp_str a, struct tp_str b);

/* "same", "new" .. */
const char *tp_match_name(enum tp_match_kind kind);

#endif
