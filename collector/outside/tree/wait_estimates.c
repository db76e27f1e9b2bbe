/* Estimates causes of waits that were not recorded: see wait_estimates.h.
 *
 * Short waits without a stack are handled in the order of time. Each wait gets the cause that so far lacks most of its
 * share. The share of a cause is its part of the thread's known waiting time in the same second. Seconds are separate,
 * because the waits of an import have other causes than the waits of the training after it. */
#include "collector/outside/tree/wait_estimates.h"

#include <stdlib.h>
#include <string.h>

#include "collector/outside/waits/proc_waits.h"

enum { MOST_CAUSES = 32, WINDOW_NS = 1000000000, CHILD_NS = 5000000 };

struct share {
    int64_t known_ns, given_ns;
};

struct guessing {
    const struct tp_outside_tree *tree;
    const struct tp_str *by_node;
    struct tp_str names[MOST_CAUSES];
    size_t name_count;
    struct share *shares;   /* MOST_CAUSES entries per thread: share of each cause in the second whose number is in
                             * `seconds` */
    int64_t *seconds;       /* for each thread: number of the second to which its shares belong; -1: no shares yet */
    const uint32_t *before; /* for each change: index of the previous change of the same thread, or TP_NO_ID */
    struct tp_wait_guess *guesses;
};

/* A wait. It starts at `change` and ends at the next change of the same thread. */
struct wait {
    const struct tp_outside_change *change;
    int64_t end_ns;
};

static const struct tp_outside_change *state_change_at(const struct guessing *g, uint32_t number)
{
    return TP_AT(&g->tree->changes, struct tp_outside_change, number);
}

static bool is_wait_without_cause(const struct guessing *g, const struct wait *wait)
{
    return wait->change->state == TP_STATE_BLOCKED && !wait->change->stack &&
           !tp_proc_wait_text(wait->change->call).len && !g->guesses[wait->change - state_change_at(g, 0)].cause.len;
}

/* ---- exits of children ---- */

struct child_end {
    uint32_t parent;
    int64_t end_ns;
};

static int compare_by_parent_and_time(const void *x, const void *y)
{
    const struct child_end *a = x, *b = y;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

/* Returns whether a child of `parent` exited during the wait, just before the end of the wait. ends: exits, sorted by
 * parent and time. */
static bool has_child_end(const struct child_end *ends, size_t count, uint32_t parent, const struct wait *wait)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_later =
            ends[middle].parent > parent || (ends[middle].parent == parent && ends[middle].end_ns > wait->end_ns);
        if (is_later)
            high = middle;
        else
            low = middle + 1;
    }
    return low > 0 && ends[low - 1].parent == parent && ends[low - 1].end_ns >= wait->change->time_ns &&
           wait->end_ns - ends[low - 1].end_ns <= CHILD_NS;
}

static void find_waits_for_children(struct guessing *g, struct tp_arena *arena)
{
    const struct tp_outside_tree *tree = g->tree;
    struct child_end *ends = tp_arena_array(arena, tree->processes.count + 1, sizeof *ends);
    size_t count = 0;
    for (uint32_t i = 0; i < tree->processes.count; i++) {
        const struct tp_outside_process *process = tp_outside_process_at(tree, i);
        if (process->parent != TP_NO_ID && process->is_over)
            ends[count++] = (struct child_end){process->parent, process->end_ns};
    }
    if (count > 1)
        qsort(ends, count, sizeof *ends, compare_by_parent_and_time);
    for (uint32_t i = 0; count && i < tree->changes.count; i++) {
        if (g->before[i] == TP_NO_ID)
            continue;
        const struct wait wait = {state_change_at(g, g->before[i]), state_change_at(g, i)->time_ns};
        uint32_t process = tp_outside_thread_at(tree, wait.change->thread)->process;
        if (is_wait_without_cause(g, &wait) && has_child_end(ends, count, process, &wait))
            g->guesses[g->before[i]] = (struct tp_wait_guess){TP_STR("child"), true};
    }
}

/* ---- estimates ---- */

/* Returns the index of a cause in g->names, or MOST_CAUSES if there is no room for it. */
static size_t find_or_add_cause(struct guessing *g, struct tp_str cause)
{
    size_t i = 0;
    while (i < g->name_count && !tp_str_equal(g->names[i], cause))
        i++;
    if (i == g->name_count && i < MOST_CAUSES)
        g->names[g->name_count++] = cause;
    return i;
}

/* Returns the shares of a thread for the second of `time_ns`; a new second starts with zeros. */
static struct share *find_cause_shares_of_second(struct guessing *g, uint32_t thread, int64_t time_ns)
{
    struct share *shares = &g->shares[(size_t)thread * MOST_CAUSES];
    int64_t second = time_ns / WINDOW_NS;
    if (g->seconds[thread] != second)
        memset(shares, 0, MOST_CAUSES * sizeof *shares);
    g->seconds[thread] = second;
    return shares;
}

static void add_known_wait(struct guessing *g, const struct wait *wait)
{
    const struct tp_outside_change *change = wait->change;
    struct tp_str cause = change->call ? tp_proc_wait_text(change->call) : g->by_node[change->stack];
    bool is_wait = change->state == TP_STATE_BLOCKED;
    size_t number = is_wait && cause.len ? find_or_add_cause(g, cause) : MOST_CAUSES;
    if (number < MOST_CAUSES)
        find_cause_shares_of_second(g, change->thread, wait->end_ns)[number].known_ns += wait->end_ns - change->time_ns;
}

static void estimate_unknown_cause(struct guessing *g, const struct wait *wait)
{
    int64_t wait_ns = wait->end_ns - wait->change->time_ns;
    double known_ns = 0, given_ns = (double)wait_ns, most_ns = 0;
    size_t found = MOST_CAUSES;
    if (wait_ns >= TP_WAIT_LONG_NS || !is_wait_without_cause(g, wait))
        return;
    struct share *shares = find_cause_shares_of_second(g, wait->change->thread, wait->end_ns);
    for (size_t i = 0; i < g->name_count; i++) {
        known_ns += (double)shares[i].known_ns;
        given_ns += (double)shares[i].given_ns;
    }
    for (size_t i = 0; i < g->name_count; i++) {
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
    g->guesses[wait->change - state_change_at(g, 0)].cause = g->names[found];
}

/* Calls `take` for each wait that ends with one of the changes from `first` up to `end`. */
static void visit_waits(struct guessing *g, uint32_t first, uint32_t end,
                        void (*take)(struct guessing *g, const struct wait *wait))
{
    for (uint32_t i = first; i < end; i++)
        if (g->before[i] != TP_NO_ID)
            take(g, &(struct wait){state_change_at(g, g->before[i]), state_change_at(g, i)->time_ns});
}

static void estimate_all_causes(struct guessing *g)
{
    const uint32_t count = (uint32_t)g->tree->changes.count;
    for (uint32_t first = 0, end; first < count; first = end) {
        int64_t second = state_change_at(g, first)->time_ns / WINDOW_NS;
        for (end = first + 1; end < count && state_change_at(g, end)->time_ns / WINDOW_NS == second;)
            end++;
        visit_waits(g, first, end, add_known_wait);
        visit_waits(g, first, end, estimate_unknown_cause);
    }
}

/* ---- estimates for all waits ---- */

static const uint32_t *find_previous_changes(const struct tp_outside_tree *tree, struct tp_arena *arena)
{
    uint32_t *before = tp_arena_array(arena, tree->changes.count + 1, sizeof *before);
    uint32_t *last = tp_arena_array(arena, tree->threads.count + 1, sizeof *last);
    for (size_t i = 0; i < tree->threads.count; i++)
        last[i] = TP_NO_ID;
    for (uint32_t i = 0; i < tree->changes.count; i++) {
        uint32_t thread = TP_AT(&tree->changes, struct tp_outside_change, i)->thread;
        before[i] = last[thread];
        last[thread] = i;
    }
    return before;
}

const struct tp_wait_guess *tp_wait_estimates_make(const struct tp_outside_tree *tree, const struct tp_str *causes,
                                                   struct tp_arena *arena)
{
    struct guessing g = {.tree = tree, .by_node = causes};
    g.before = find_previous_changes(tree, arena);
    g.shares = tp_arena_array(arena, (tree->threads.count + 1) * MOST_CAUSES, sizeof *g.shares);
    g.seconds = tp_arena_array(arena, tree->threads.count + 1, sizeof *g.seconds);
    for (size_t i = 0; i < tree->threads.count; i++)
        g.seconds[i] = -1;
    g.guesses = tp_arena_array(arena, tree->changes.count + 1, sizeof *g.guesses);
    find_waits_for_children(&g, arena);
    estimate_all_causes(&g);
    return g.guesses;
}
