/* Estimated causes of waits: see wait_estimates.h.
 *
 * A wait without a stack is given, in the order of time, to the cause that has the least of what it should have: its
 * part of the known waits' time, of all that was given so far and this wait. */
#include "collector/outside/wait_estimates.h"

#include "collector/outside/proc_waits.h"

enum { MOST_CAUSES = 32 };

struct share {
    int64_t known_ns, given_ns;
};

struct estimating {
    const struct tp_outside_tree *tree;
    const struct tp_str *by_node;
    struct tp_str names[MOST_CAUSES];
    size_t name_count;
    struct share *shares; /* MOST_CAUSES for each thread */
    struct tp_str *estimates;
};

/* The number of a cause; MOST_CAUSES: there is no room. */
static size_t number_of(struct estimating *e, struct tp_str cause)
{
    size_t i = 0;
    while (i < e->name_count && !tp_str_equal(e->names[i], cause))
        i++;
    if (i == e->name_count && i < MOST_CAUSES)
        e->names[e->name_count++] = cause;
    return i;
}

static void take_known(struct estimating *e, const struct tp_outside_change *wait, int64_t wait_ns)
{
    struct tp_str cause = wait->call ? tp_proc_wait_words(wait->call) : e->by_node[wait->stack];
    size_t number = cause.len ? number_of(e, cause) : MOST_CAUSES;
    if (number < MOST_CAUSES)
        e->shares[(size_t)wait->thread * MOST_CAUSES + number].known_ns += wait_ns;
}

static void give_unknown(struct estimating *e, const struct tp_outside_change *wait, int64_t wait_ns)
{
    struct share *shares = &e->shares[(size_t)wait->thread * MOST_CAUSES];
    double known_ns = 0, given_ns = (double)wait_ns, most_ns = 0;
    size_t found = MOST_CAUSES;
    if (wait->stack || wait->call)
        return;
    for (size_t i = 0; i < e->name_count; i++) {
        known_ns += (double)shares[i].known_ns;
        given_ns += (double)shares[i].given_ns;
    }
    for (size_t i = 0; i < e->name_count; i++) {
        double wanted_ns = known_ns > 0 ? (double)shares[i].known_ns * given_ns / known_ns : 0;
        double lack_ns = wanted_ns - (double)shares[i].given_ns;
        if (shares[i].known_ns > 0 && (found == MOST_CAUSES || lack_ns > most_ns)) {
            found = i;
            most_ns = lack_ns;
        }
    }
    if (found == MOST_CAUSES)
        return;
    shares[found].given_ns += wait_ns;
    e->estimates[wait - (const struct tp_outside_change *)e->tree->changes.data] = e->names[found];
}

/* Calls take for each wait, in the order of their ends. */
static void each_wait(struct estimating *e, uint32_t *last,
                      void (*take)(struct estimating *e, const struct tp_outside_change *wait, int64_t wait_ns))
{
    const struct tp_outside_change *changes = e->tree->changes.data;
    for (size_t i = 0; i < e->tree->threads.count; i++)
        last[i] = TP_NO_ID;
    for (uint32_t i = 0; i < e->tree->changes.count; i++) {
        uint32_t before = last[changes[i].thread];
        if (before != TP_NO_ID && changes[before].state == TP_OUTSIDE_BLOCKED)
            take(e, &changes[before], changes[i].time_ns - changes[before].time_ns);
        last[changes[i].thread] = i;
    }
    for (uint32_t i = 0; i < e->tree->threads.count; i++)
        if (last[i] != TP_NO_ID && changes[last[i]].state == TP_OUTSIDE_BLOCKED)
            take(e, &changes[last[i]], tp_outside_thread_at(e->tree, i)->end_ns - changes[last[i]].time_ns);
}

const struct tp_str *tp_wait_estimates(const struct tp_outside_tree *tree, const struct tp_str *causes,
                                       struct tp_arena *arena)
{
    struct estimating e = {.tree = tree, .by_node = causes};
    uint32_t *last = tp_arena_array(arena, tree->threads.count + 1, sizeof *last);
    e.shares = tp_arena_array(arena, (tree->threads.count + 1) * MOST_CAUSES, sizeof *e.shares);
    e.estimates = tp_arena_array(arena, tree->changes.count + 1, sizeof *e.estimates);
    each_wait(&e, last, take_known);
    each_wait(&e, last, give_unknown);
    return e.estimates;
}
