/* Shared by the files that join graph kernels with captured calls: replays.c, match.c, choose.c and join.c. */
#ifndef TP_WEBREPORT_MODEL_CAPTURE_PARTS_H
#define TP_WEBREPORT_MODEL_CAPTURE_PARTS_H

#include "webreport/model/capture/joined.h"
#include "webreport/model/facts.h"
#include "writer/base/id_map.h"

/* Keys of calls and device operations that are no kernels, and of calls whose kernel is unknown. Equal kernel names
 * have equal keys, from TP_KEY_FIRST_NAME on. */
enum { TP_KEY_COPY, TP_KEY_SET, TP_KEY_FIRST_NAME, TP_KEY_UNKNOWN = UINT32_MAX };

/* Operator, module and line around a captured call. */
struct tp_call_place {
    uint32_t op, module, line; /* TP_NO_ID if unknown */
};

/* A device operation of a replay and a captured call that belong together. */
struct tp_join_pair {
    uint32_t call, operation; /* indexes in the section and in the replay */
    uint8_t how;              /* enum tp_join_how */
};

/* Result of comparing a section with a sequence of keys. */
struct tp_join_match {
    struct tp_join_pair *pairs; /* NULL if refused */
    uint32_t count, by_name;
    uint32_t share_part, share_whole;
    enum tp_join_reason reason;
    uint32_t numbers[3];
};

struct tp_joiner {
    struct tp_model *model;
    struct tp_arena *arena;
    struct tp_joined *joined;
    const struct tp_captures *captures;
    uint32_t *call_keys;          /* for each captured call: its key */
    struct tp_call_place *places; /* for each captured call: what is around it */
    struct tp_vec sequences;      /* keys of the distinct replays; elements: struct tp_key_sequence */
    struct tp_strings names;      /* names of kernels without endings; the id is the key minus TP_KEY_FIRST_NAME */
    uint32_t *key_of_name;        /* for each name id: 1 + key; 0: not searched yet */
    uint32_t *counts;             /* scratch: for each key a count, 0 between uses */
    struct tp_id_map matches;     /* map from pair (section, sequence) to an index in match_items */
    struct tp_vec match_items;    /* elements: struct tp_join_match */
    uint64_t steps;               /* number of steps of all comparisons so far */
};

/* Keys of the operations of replays, in their order. */
struct tp_key_sequence {
    const uint32_t *keys;
    uint32_t count;
    bool is_ordered;
};

/* Returns the capture arguments of an event; NULL if it has none. */
const struct tp_capture_argument *tp_capture_argument_of(const struct tp_trace *trace, uint32_t event);
/* Returns the key of a kernel's name. */
uint32_t tp_join_key_of_name(struct tp_joiner *joiner, uint32_t name);

/* Finds the launches of graphs and their operations (replays.c). Returns false if no launch has operations. */
bool tp_join_find_replays(struct tp_joiner *joiner);
/* Fills keys and places of all captured calls (places.c). */
void tp_join_find_places(struct tp_joiner *joiner);
/* Returns the comparison of a section with a sequence (match.c). It is made once. */
const struct tp_join_match *tp_join_match(struct tp_joiner *joiner, uint32_t section, uint32_t sequence);
/* Chooses the sections of all replays, and makes the rows of joined operations (choose.c). */
void tp_join_choose(struct tp_joiner *joiner);

#endif
