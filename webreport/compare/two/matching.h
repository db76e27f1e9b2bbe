/* Finds the rows of both sides that correspond: rows with equal identities first, then rows of operators that replace
 * each other, rows with another shape or line, renamed kernels of one operator, and kernels that were fused or
 * split. */
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

/* A row of the comparison. Several identities of one side are summed. */
struct tp_match {
    enum tp_match_kind kind;
    uint32_t *members[TP_SIDES]; /* identities, heaviest first */
    uint32_t member_count[TP_SIDES];
    uint32_t group;  /* number of the group of operators that replace each other (tp_replaced), or 0 */
    uint32_t kernel; /* number from 1 of the replaced kernels that are judged as a sum, or 0 for other rows */
};

struct tp_matches {
    struct tp_match *items; /* by kind of row, then by the greater time of both sides (descending), then identity */
    uint32_t count, kernel_count; /* kernel_count: greatest `kernel` */
};

/* Matches the rows of both sides. Allocates from sides->arena (guard set by the caller). */
void tp_matches_build(struct tp_matches *matches, const struct tp_sides *sides, const struct tp_replaced *replaced);

/* Returns the identity that names the row: that of NEW, or that of BASE for a removed row. */
static inline uint32_t tp_match_identity(const struct tp_match *match)
{
    return match->member_count[TP_NEW] ? match->members[TP_NEW][0] : match->members[TP_BASE][0];
}

/* Returns the similarity of two names, 0 to 1: Dice's coefficient of their pairs of letters, ignoring case. */
double tp_name_likeness(struct tp_str a, struct tp_str b);

/* Returns "same", "new" .. Static. */
const char *tp_match_name(enum tp_match_kind kind);

#endif
