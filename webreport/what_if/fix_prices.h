/* Prices fixes with replays. */
#ifndef TP_WEBREPORT_WHAT_IF_FIX_PRICES_H
#define TP_WEBREPORT_WHAT_IF_FIX_PRICES_H

#include "webreport/what_if/answering.h"

struct tp_choice_lanes; /* fix_prices.c */

/* State while fixes are priced. */
struct tp_fix_pricing {
    struct tp_answering *answering;
    const struct tp_fix_question *question;
    struct tp_fixes fixes;
    /* factors of labels for changes that free the input (bit 0) or communication (bit 1); NULL: not needed yet */
    struct tp_fraction *of_label[4];
    /* for each node: factor without communication next to it; NULL: not needed yet */
    struct tp_fraction *uncontended;
    struct tp_choice_lanes *alone; /* for each fix: its lanes */
};

/* Adds the lanes for each fix alone. They need no path. question->count must be at least 1. */
void tp_fix_prices_begin(struct tp_fix_pricing *pricing, struct tp_answering *answering,
                         const struct tp_fix_question *question, struct tp_vec *lanes);

/* Fills the prices. lanes: the array of lanes of tp_fix_prices_begin, after their replay. */
void tp_fix_prices_finish(struct tp_fix_pricing *pricing, const struct tp_replay_lane *lanes);

#endif
