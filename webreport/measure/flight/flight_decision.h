/* Declares the stages of the decision. flight_analyse.c calls them in their order. */
#ifndef TP_WEBREPORT_MEASURE_FLIGHT_FLIGHT_DECISION_H
#define TP_WEBREPORT_MEASURE_FLIGHT_FLIGHT_DECISION_H

#include "webreport/measure/flight/flight_result.h"

/* Why a rank delays others, as found first. */
struct tp_flight_reason {
    bool is_set;
    uint8_t why;
    uint32_t group;
    int64_t sequence;
};

/* A rank waits in a call for the ranks of a set, except itself. */
struct tp_flight_wait {
    uint32_t rank;     /* number of the rank */
    uint32_t set;      /* index in tp_flight_decision.sets; TP_NO_ID: nobody */
    int64_t record_id; /* of the call, which orders the calls of a rank */
};

struct tp_flight_decision {
    struct tp_flight_job *job;
    struct tp_flight_result *result;
    struct tp_vec open;       /* elements: struct tp_flight_open */
    struct tp_vec mismatches; /* the first ones; elements: struct tp_flight_mismatch */
    uint64_t mismatch_total;
    struct tp_vec sets;  /* ranks that others wait for; elements: struct tp_flight_ranks */
    struct tp_vec waits; /* elements: struct tp_flight_wait */
    /* arrays with an element for each number below TP_MAX_FLIGHT_RANKS */
    struct tp_flight_reason *reasons;
    bool *is_wrong;              /* the rank is wrong in a mismatch that a rank waits in */
    uint32_t *slot_of_signature; /* scratch for the stage of mismatches: index of a side; TP_NO_ID */
};

/* Returns a vector of uint32_t as a list of ranks, which has the same memory. */
struct tp_flight_ranks tp_flight_ranks_of(const struct tp_vec *ranks);

/* Adds a set of ranks that others wait for. Returns its index. */
uint32_t tp_flight_add_set(struct tp_flight_decision *d, struct tp_flight_ranks ranks);
/* Adds that a rank waits in a call for the ranks of a set. */
void tp_flight_add_wait(struct tp_flight_decision *d, const struct tp_flight_entry *entry, uint32_t set);
/* Sets the reason of a rank unless it has one. */
void tp_flight_set_reason(struct tp_flight_decision *d, uint32_t rank, enum tp_flight_why why, uint32_t group,
                          int64_t sequence);

/* The stages. Mismatches of an instance: returns the ranks whose calls do not fit; none if all fit, and all but the
 * first side if it is undecided. */
struct tp_flight_ranks tp_flight_compare_calls(struct tp_flight_decision *d, uint32_t instance);
void tp_flight_find_open_call(struct tp_flight_decision *d, uint32_t instance, const struct tp_flight_ranks *unfit);
void tp_flight_find_open_pairs(struct tp_flight_decision *d);
void tp_flight_find_culprits(struct tp_flight_decision *d);
void tp_flight_find_late(struct tp_flight_decision *d);

#endif
