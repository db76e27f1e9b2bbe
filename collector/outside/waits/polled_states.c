/* Derives the states of a thread between two polls: see polled_states.h. */
#include "collector/outside/waits/polled_states.h"

struct cutting {
    struct tp_polled_states *states;
    struct tp_polled_interval *intervals;
    size_t count;
};

static void add_interval(struct cutting *cut, enum tp_thread_state state, int64_t ns, uint8_t wait)
{
    struct tp_polled_states *states = cut->states;
    if (ns <= 0)
        return;
    cut->intervals[cut->count++] =
        (struct tp_polled_interval){states->since_ns, state, state == TP_STATE_BLOCKED ? wait : 0};
    states->since_ns += ns;
    states->state = state;
}

/* Returns the smaller of left_ns and the sum of *owed_ns and more_ns, which fits into the rest of an interval. Stores
 * the remainder of the sum in *owed_ns. */
static int64_t split_remaining_time(int64_t *owed_ns, int64_t more_ns, int64_t left_ns)
{
    int64_t whole_ns = *owed_ns + more_ns;
    int64_t taken_ns = whole_ns < left_ns ? whole_ns : left_ns;
    *owed_ns = whole_ns - taken_ns;
    return taken_ns;
}

/* Adds an interval for each of the states running and ready. The state that continues from the previous interval comes
 * first. */
static void add_running_and_ready(struct cutting *cut, int64_t running_ns, int64_t ready_ns)
{
    bool is_ready_first = cut->states->state != TP_STATE_RUNNING;
    if (is_ready_first)
        add_interval(cut, TP_STATE_READY, ready_ns, 0);
    add_interval(cut, TP_STATE_RUNNING, running_ns, 0);
    if (!is_ready_first)
        add_interval(cut, TP_STATE_READY, ready_ns, 0);
}

/* Adds intervals for a thread that was not waiting at either poll. The cause of the wait in between is unknown. */
static void add_unseen_wait(struct cutting *cut, int64_t running_ns, int64_t ready_ns, int64_t blocked_ns)
{
    bool is_ready_first = cut->states->state == TP_STATE_READY;
    add_interval(cut, is_ready_first ? TP_STATE_READY : TP_STATE_RUNNING, is_ready_first ? ready_ns : running_ns, 0);
    add_interval(cut, TP_STATE_BLOCKED, blocked_ns, 0);
    add_interval(cut, is_ready_first ? TP_STATE_RUNNING : TP_STATE_READY, is_ready_first ? running_ns : ready_ns, 0);
}

size_t tp_polled_states_split_time(struct tp_polled_states *states,
                                   struct tp_polled_interval intervals[TP_POLLED_INTERVALS], int64_t time_ns,
                                   const struct tp_polled_states *now)
{
    struct cutting cut = {states, intervals, 0};
    int64_t whole_ns = time_ns - states->since_ns;
    int64_t more_running_ns = now->running_ns - states->running_ns, more_ready_ns = now->ready_ns - states->ready_ns;
    int64_t wait_read_ns = states->polled_ns > states->since_ns ? states->polled_ns - states->since_ns : 0;
    states->polled_ns = time_ns;
    if (whole_ns <= 0 || (more_running_ns <= 0 && more_ready_ns <= 0))
        return 0;
    int64_t running_ns = split_remaining_time(&states->owed_ns[TP_STATE_RUNNING], more_running_ns, whole_ns);
    int64_t ready_ns = split_remaining_time(&states->owed_ns[TP_STATE_READY], more_ready_ns, whole_ns - running_ns);
    int64_t blocked_ns = whole_ns - running_ns - ready_ns;
    bool was_blocked = states->is_blocked;
    int64_t before_ns = was_blocked ? blocked_ns : 0;
    if (was_blocked && now->is_blocked && blocked_ns > wait_read_ns)
        before_ns = wait_read_ns + (blocked_ns - wait_read_ns) / 2;
    states->running_ns = now->running_ns;
    states->ready_ns = now->ready_ns;
    if (was_blocked || now->is_blocked) {
        add_interval(&cut, TP_STATE_BLOCKED, before_ns, states->wait);
        add_running_and_ready(&cut, running_ns, ready_ns);
        add_interval(&cut, TP_STATE_BLOCKED, blocked_ns - before_ns, now->wait);
    } else {
        add_unseen_wait(&cut, running_ns, ready_ns, blocked_ns);
    }
    states->is_blocked = now->is_blocked;
    states->wait = now->wait;
    return cut.count;
}

size_t tp_polled_states_end(struct tp_polled_states *states, struct tp_polled_interval intervals[TP_POLLED_INTERVALS])
{
    struct cutting cut = {states, intervals, 0};
    add_interval(&cut, states->is_blocked ? TP_STATE_BLOCKED : TP_STATE_READY, states->polled_ns - states->since_ns,
                 states->wait);
    return cut.count;
}
