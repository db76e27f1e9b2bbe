/* Computes the lengths of step slots: the rank's own work up to the start of each collective, and the place where the
 * rank waits for that collective.
 *
 * The line of a rank consists of its kernels and the gaps between them. A gap in which a collective ends is a wait for
 * that collective. An exception is a collective during which work continued further in another step; in that case the
 * host stopped in the gap by accident. The rank therefore waits at the furthest place that its work reached in any step
 * by the end of the collective. */
#include "webreport/measure/summary/slot_parts.h"

#include "webreport/measure/summary/summary_parts.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* Limits, ns. QUEUE_NS: a collective that starts within this time after another collective of its group was queued
 * behind it. ROUNDING_NS: clock error, by which a kernel may start before the end of the work that it waits for.
 * LEAST_WAIT_NS, and 1/LEAST_WAIT_PART of the call: the search for the place of the wait ignores shorter waits. */
enum { QUEUE_NS = 20000, ROUNDING_NS = 2000, LEAST_WAIT_NS = 5000, LEAST_WAIT_PART = 50 };

/* An interval in which the rank waits for a collective call. */
struct wait {
    int64_t a, b;
    /* call: index of the collective call in the row; place: number of calls that started before the wait */
    uint32_t call, place;
};

/* A position on the line of a rank: the number of started calls, and the finished thousandths of the work up to the
 * next call. */
struct place {
    uint32_t calls, before;
};

/* A step of the rank that the step slots contain. */
struct line {
    const struct tp_slot_row *row;
    int64_t start, end;
    int64_t *issue;      /* for each call: earliest time at which the call could start, ns */
    struct tp_vec waits; /* elements: struct wait, in ascending order */
};

/* End of launched work: all work that was launched up to at_ns had ended at ended_ns. */
struct launched {
    int64_t at_ns, ended_ns;
};

struct lines {
    const struct tp_slot_work *work;
    struct line *items;
    uint32_t count, calls;
    struct launched *launched; /* ends of launched work, in launch order; NULL: not computed yet */
    uint32_t launched_count;
    /* for each call: place at which the rank waits for the call; if not is_seen, the earliest place */
    struct place *places;
    bool *is_seen;  /* for each call: true if the rank waits at this place in at least one step */
    bool is_placed; /* true: `places` and is_seen are filled */
};

static const struct tp_slot_call *call_at(const struct lines *l, const struct line *line, uint32_t call)
{
    return TP_AT(&l->work->calls, struct tp_slot_call, line->row->first + call);
}

/* ---- when a call could start ---- */

static void list_operations_by_launch(struct lines *l)
{
    const struct tp_model *model = l->work->model;
    struct tp_keyed *keyed = tp_arena_array(l->work->arena, (size_t)model->devices.count + 1, sizeof *keyed);
    int64_t ended = INT64_MIN;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *launch = tp_launch_of_device(model, k);
        if (launch && !tp_is_communication(model, k))
            keyed[l->launched_count++] = (struct tp_keyed){launch->ts_ns, k, k};
    }
    tp_sort_keyed(keyed, l->launched_count, l->work->arena);
    l->launched = tp_arena_array(l->work->arena, (size_t)l->launched_count + 1, sizeof *l->launched);
    for (uint32_t i = 0; i < l->launched_count; i++) {
        int64_t end = tp_event_end(tp_device_event(model, keyed[i].item));
        ended = end > ended ? end : ended;
        l->launched[i] = (struct launched){keyed[i].key, ended};
    }
}

/* Returns the time at which all work launched before the call had ended. Returns INT64_MIN if there is no such work, as
 * at the start of a recording, where earlier work ended long before. */
static int64_t earlier_work_end_ns(struct lines *l, int64_t called_ns)
{
    if (!l->launched)
        list_operations_by_launch(l);
    size_t low = 0, high = l->launched_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->launched[middle].at_ns < called_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? l->launched[low - 1].ended_ns : INT64_MIN;
}

/* Finds the time at which each call was ready to start. Most calls start as soon as they are ready. Only a call that
 * was queued behind another call of its group was ready before its start. */
static void find_start_times_of_calls(struct lines *l, struct line *line)
{
    int64_t last_end[TP_MAX_SLOT_GROUPS], at = line->start;
    for (unsigned g = 0; g < TP_MAX_SLOT_GROUPS; g++)
        last_end[g] = INT64_MIN;
    for (uint32_t i = 0; i < l->calls; i++) {
        const struct tp_slot_call *call = call_at(l, line, i);
        int64_t issue = call->time.a;
        if (call->group != TP_NO_ID) {
            if (l->work->model->gpu_count && last_end[call->group] >= tp_sat_sub(issue, QUEUE_NS)) {
                int64_t ready = earlier_work_end_ns(l, call->called_ns);
                issue = ready < issue ? ready : issue;
            }
            last_end[call->group] = call->time.b > last_end[call->group] ? call->time.b : last_end[call->group];
        }
        at = issue > at ? issue : at;
        line->issue[i] = at;
    }
}

/* ---- places where the rank waits ---- */

/* Returns the indexes of the row's calls, sorted by the ends of the calls. */
static uint32_t *sort_calls_by_end(const struct lines *l, const struct line *line)
{
    struct tp_keyed *keyed = tp_arena_array(l->work->arena, l->calls, sizeof *keyed);
    uint32_t *order = tp_arena_array(l->work->arena, l->calls, sizeof *order);
    for (uint32_t i = 0; i < l->calls; i++)
        keyed[i] = (struct tp_keyed){call_at(l, line, i)->time.b, i, i};
    tp_sort_keyed(keyed, l->calls, l->work->arena);
    for (uint32_t i = 0; i < l->calls; i++)
        order[i] = keyed[i].item;
    return order;
}

static uint32_t count_issued_before(const struct line *line, uint32_t calls, int64_t at)
{
    uint32_t low = 0, high = calls;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (line->issue[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns whether the rank may wait for the call at this place. After the places are known, only the known place of the
 * call is valid. */
static bool can_wait_at_place(const struct lines *l, uint32_t call, uint32_t place)
{
    return !l->is_placed || (l->is_seen[call] && l->places[call].calls == place);
}

/* Splits a gap of the line into waits for the calls that end in this gap. *next: index in `order` of the first call
 * that may end in the gap. */
static void split_gap_into_waits(const struct lines *l, struct line *line, struct tp_interval gap,
                                 const uint32_t *order, uint32_t *next)
{
    int64_t at = gap.a;
    for (; *next < l->calls; (*next)++) {
        const struct tp_slot_call *call = call_at(l, line, order[*next]);
        int64_t issue = line->issue[order[*next]], end = call->time.b;
        if (end > tp_sat_add(gap.b, ROUNDING_NS))
            return;
        int64_t from = issue > at ? issue : at;
        uint32_t place = count_issued_before(line, l->calls, from);
        end = end < gap.b ? end : gap.b;
        if (end <= from || !can_wait_at_place(l, order[*next], place))
            continue;
        *(struct wait *)tp_vec_push(&line->waits) = (struct wait){from, end, order[*next], place};
        at = end;
    }
}

/* Finds the waits in all gaps between work on the line. */
static void find_waits(const struct lines *l, struct line *line)
{
    const struct tp_intervals compute = l->work->compute;
    const uint32_t *order = sort_calls_by_end(l, line);
    uint32_t next = 0;
    line->waits.count = 0;
    size_t low = 0, high = compute.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compute.items[middle].b <= line->start)
            low = middle + 1;
        else
            high = middle;
    }
    for (int64_t at = line->start; at < line->end; low++) {
        bool is_last = low == compute.count || compute.items[low].a >= line->end;
        int64_t to = is_last ? line->end : compute.items[low].a;
        if (to > at)
            split_gap_into_waits(l, line, (struct tp_interval){at, to}, order, &next);
        if (is_last)
            break;
        at = compute.items[low].b > at ? compute.items[low].b : at;
    }
}

/* Returns how long the rank waits within [a, b), ns. */
static int64_t waited_ns_within(const struct line *line, int64_t a, int64_t b)
{
    int64_t sum = 0;
    for (size_t i = 0; i < line->waits.count; i++) {
        const struct wait *wait = TP_AT(&line->waits, struct wait, i);
        int64_t from = wait->a > a ? wait->a : a, to = wait->b < b ? wait->b : b;
        sum += to > from ? to - from : 0;
    }
    return sum;
}

static struct place find_position_at_time(const struct lines *l, const struct line *line, int64_t at)
{
    struct place place = {count_issued_before(line, l->calls, at), 0};
    int64_t from = place.calls ? line->issue[place.calls - 1] : line->start;
    int64_t to = place.calls < l->calls ? line->issue[place.calls] : line->end;
    double all = (double)(to - from - waited_ns_within(line, from, to));
    double done = (double)(at - from - waited_ns_within(line, from, at));
    if (all > 0 && done > 0)
        place.before = done < all ? (uint32_t)(done / all * TP_SLOT_WHOLE) : TP_SLOT_WHOLE;
    return place;
}

/* Returns whether the rank waits for the call in this step for longer than LEAST_WAIT_NS and 1/LEAST_WAIT_PART of the
 * call. */
static bool has_significant_wait(const struct lines *l, const struct line *line, uint32_t call)
{
    struct tp_interval time = call_at(l, line, call)->time;
    for (size_t i = 0; i < line->waits.count; i++) {
        const struct wait *wait = TP_AT(&line->waits, struct wait, i);
        if (wait->call == call && wait->place == l->places[call].calls && wait->b - wait->a >= LEAST_WAIT_NS &&
            wait->b - wait->a >= (time.b - time.a) / LEAST_WAIT_PART)
            return true;
    }
    return false;
}

static void find_latest_wait_position(struct lines *l, uint32_t call)
{
    struct place *furthest = &l->places[call];
    for (uint32_t s = 0; s < l->count; s++) {
        const struct line *line = &l->items[s];
        struct place place = find_position_at_time(l, line, tp_sat_sub(call_at(l, line, call)->time.b, ROUNDING_NS));
        if (place.calls > furthest->calls || (place.calls == furthest->calls && place.before > furthest->before))
            *furthest = place;
    }
    for (uint32_t s = 0; s < l->count && !l->is_seen[call]; s++)
        l->is_seen[call] = has_significant_wait(l, &l->items[s], call);
}

/* ---- lengths ---- */

/* Returns the number of whole microseconds in `ns` plus *left_ns, and stores the remaining nanoseconds in *left_ns. */
static int64_t round_to_us(int64_t ns, int64_t *left_ns)
{
    int64_t sum = tp_sat_add(ns, *left_ns);
    *left_ns = sum % 1000;
    return sum / 1000;
}

/* Adds the rank's own work in [a, b) to a cell. left: remaining nanoseconds of each part of the time, smaller than 1
 * us. */
static void add_own_work(const struct tp_slot_work *w, size_t cell, int64_t a, int64_t b, int64_t *left)
{
    if (b <= a)
        return;
    int64_t kernel = tp_intervals_length_within(w->compute, a, b), input = tp_intervals_length_within(w->input, a, b);
    int64_t **us = w->out->us;
    us[TP_SLOT_KERNEL][cell] += round_to_us(kernel, &left[TP_SLOT_KERNEL]);
    us[TP_SLOT_INPUT][cell] += round_to_us(input, &left[TP_SLOT_INPUT]);
    us[TP_SLOT_PAUSE][cell] += round_to_us(tp_sat_sub(b, a) - kernel - input, &left[TP_SLOT_PAUSE]);
}

/* Fills the lengths of a step. A wait is added to the slot of the call that the rank waits for; other time without work
 * is a pause. */
static void fill_times_of_step(const struct lines *l, const struct line *line, const uint32_t *slot_of, uint32_t step)
{
    const struct tp_slot_work *w = l->work;
    struct tp_step_slots *out = w->out;
    int64_t left[TP_SLOT_PARTS] = {0}, at = line->start;
    size_t next = 0;
    for (uint32_t i = 0; i <= l->calls; i++) {
        int64_t to = i < l->calls ? line->issue[i] : line->end;
        size_t cell = tp_slot_cell(out, i < l->calls ? slot_of[i] : out->slot_count - 1, step);
        for (; next < line->waits.count && TP_AT(&line->waits, struct wait, next)->place == i; next++) {
            const struct wait *wait = TP_AT(&line->waits, struct wait, next);
            size_t its = tp_slot_cell(out, slot_of[wait->call], step);
            add_own_work(w, cell, at, wait->a, left);
            out->us[TP_SLOT_WITHIN][its] += round_to_us(wait->b - wait->a, &left[TP_SLOT_WITHIN]);
            at = wait->b;
        }
        add_own_work(w, cell, at, to, left);
        at = to > at ? to : at;
    }
    for (uint32_t i = 0; i < l->calls; i++) {
        struct tp_interval time = call_at(l, line, i)->time;
        size_t cell = tp_slot_cell(out, slot_of[i], step);
        int64_t us = (time.b - time.a) / 1000 - out->us[TP_SLOT_WITHIN][cell];
        if (out->slots[slot_of[i]].calls == 1 && us > 0)
            out->us[TP_SLOT_OVERLAPPED][cell] = us;
    }
}

/* Fills the places where the rank waits. In a slot of several collectives the place is unknown, so the rank is assumed
 * to wait immediately. */
static void fill_wait_positions(const struct lines *l, const uint32_t *slot_of)
{
    struct tp_step_slots *out = l->work->out;
    for (uint32_t i = 0; i < l->calls; i++) {
        struct tp_slot *slot = &out->slots[slot_of[i]];
        struct place place = l->places[i];
        slot->waits = 1;
        slot->is_seen = true;
        if (slot->calls > 1)
            continue;
        uint32_t to = place.calls < l->calls ? slot_of[place.calls] : out->slot_count - 1;
        slot->is_seen = l->is_seen[i];
        if (to <= slot_of[i])
            continue;
        slot->waits = to - slot_of[i];
        slot->before = place.before;
    }
    out->slots[out->slot_count - 1].is_seen = true;
    out->slots[out->slot_count - 1].waits = 1;
}

/* Sets the start and end of a kept step. Time between two steps belongs to the later step. A collective that ends after
 * its step belongs to the step that called it. */
static void init_line_of_step(struct lines *l, uint32_t index, const struct tp_slot_row *row)
{
    const struct tp_step *steps = l->work->model->steps;
    struct line *line = &l->items[index];
    *line = (struct line){row, steps[row->step].start_ns, steps[row->step].end_ns, NULL,
                          TP_VEC(l->work->arena, struct wait)};
    line->issue = tp_arena_array(l->work->arena, row->count, sizeof *line->issue);
    if (row->step && steps[row->step - 1].end_ns < line->start)
        line->start = steps[row->step - 1].end_ns;
    if (index && l->items[index - 1].row->step + 1 == row->step && l->items[index - 1].end > line->start)
        line->start = l->items[index - 1].end;
    for (uint32_t i = 0; i < row->count; i++)
        if (call_at(l, line, i)->time.b > line->end)
            line->end = call_at(l, line, i)->time.b;
}

void tp_slot_lengths_fill(const struct tp_slot_work *w, uint64_t hash, const uint32_t *slot_of)
{
    struct lines l = {.work = w, .count = w->out->step_count};
    uint32_t at = 0;
    l.items = tp_arena_array(w->arena, l.count, sizeof *l.items);
    for (size_t i = 0; i < w->rows.count && at < l.count; i++) {
        const struct tp_slot_row *row = TP_AT(&w->rows, struct tp_slot_row, i);
        if (row->hash != hash)
            continue;
        l.calls = row->count;
        init_line_of_step(&l, at, row);
        find_start_times_of_calls(&l, &l.items[at]);
        find_waits(&l, &l.items[at]);
        w->out->steps[at++] = row->step;
    }
    l.places = tp_arena_array(w->arena, l.calls, sizeof *l.places);
    l.is_seen = tp_arena_array(w->arena, l.calls, sizeof *l.is_seen);
    for (uint32_t i = 0; i < l.calls; i++)
        find_latest_wait_position(&l, i);
    l.is_placed = true;
    for (uint32_t s = 0; s < l.count; s++)
        find_waits(&l, &l.items[s]);
    for (uint32_t s = 0; s < l.count; s++)
        fill_times_of_step(&l, &l.items[s], slot_of, s);
    fill_wait_positions(&l, slot_of);
}
