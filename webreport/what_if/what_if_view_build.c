/* Validates the replay of a trace and prices changes: see what_if_view_build.h. */
#include "webreport/what_if/what_if_view_build.h"

#include <stdio.h>

#include "webreport/model/numbers.h"
#include "webreport/model/steps_part.h"
#include "webreport/what_if/change_make.h"
#include "webreport/what_if/change_more.h"
#include "webreport/what_if/change_times.h"
#include "webreport/what_if/critical_path.h"
#include "webreport/what_if/fix_prices.h"
#include "webreport/what_if/measured_lane.h"
#include "webreport/what_if/part_choice.h"
#include "webreport/what_if/replay_graph_build.h"
#include "webreport/what_if/replay_run.h"
#include "webreport/what_if/step_frame.h"
#include "webreport/what_if/usual_changes.h"
#include "writer/base/buf.h"
#include "writer/base/ratio.h"

const char *tp_replay_confidence_text(enum tp_replay_confidence confidence)
{
    static const char *const texts[] = {"high", "medium", "low", "withheld"};
    return texts[confidence];
}

/* ---- validation ---- */

/* Returns whether nodes wait for each other. */
static bool has_cycle(const struct tp_replay_graph *graph)
{
    return graph->order_count < graph->node_count;
}

static double share(const struct tp_answering *a, int64_t ns)
{
    return tp_percent(ns, a->model->window_ns);
}

static void withhold(struct tp_answering *a, enum tp_withheld reason, struct tp_buf *text)
{
    size_t size = text->size;
    a->result->withheld |= 1u << reason;
    a->result->withheld_texts[a->result->withheld_count++] = (struct tp_str){tp_buf_move(text, a->keep), size};
}

/* Adds a whole number of percent, and the text after it. */
static void put_percent(struct tp_buf *text, double percent, const char *after)
{
    tp_buf_printf(text, "%.0f", percent);
    tp_buf_puts(text, " %");
    tp_buf_puts(text, after);
}

/* Adds the reasons for which no answer is given. */
static void find_withheld(struct tp_answering *a)
{
    struct tp_what_if_view *r = a->result;
    uint64_t unusable = r->counts.without_launch + r->counts.before_launch;
    uint32_t operations = a->model->devices.count;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    if (a->joined.count && !a->joined.is_matched) {
        tp_buf_puts(&text, "the ranks have different collectives on their devices, or none");
        withhold(a, TP_WITHHELD_RANKS, &text);
    }
    if (a->joined.count && a->joined.is_matched && has_cycle(&a->graph)) {
        tp_buf_puts(&text, "the ranks have their collectives in different orders");
        withhold(a, TP_WITHHELD_RANKS, &text);
        return; /* without a complete replay, no other number has a meaning */
    }
    if (has_cycle(&a->graph) || r->wrong_nodes || r->kept_error_ns) {
        tp_buf_printf(&text, "the replay does not reproduce the trace (%llu nodes)",
                      (unsigned long long)r->wrong_nodes);
        withhold(a, TP_WITHHELD_NOT_REPRODUCED, &text);
    }
    if (!a->model->window_ns) {
        tp_buf_puts(&text, "no window");
        withhold(a, TP_WITHHELD_NO_WINDOW, &text);
    }
    if (unusable * 2 > operations) {
        tp_buf_printf(&text, "%llu of %u operations have no usable launch", (unsigned long long)unusable, operations);
        withhold(a, TP_WITHHELD_LAUNCHES, &text);
    }
    if (r->unexplained_percent > 20) {
        put_percent(&text, r->unexplained_percent, " of the critical path is unexplained");
        withhold(a, TP_WITHHELD_UNEXPLAINED, &text);
    }
    if (r->bare_error_percent > 10 || r->bare_error_percent < -10) {
        tp_buf_puts(&text, "without residuals the replay misses the step by ");
        put_percent(&text, r->bare_error_percent, "");
        withhold(a, TP_WITHHELD_BARE, &text);
    }
    if (r->inferred_percent > 50) {
        put_percent(&text, r->inferred_percent, " of the critical path hangs on inferred edges");
        withhold(a, TP_WITHHELD_INFERRED, &text);
    }
}

/* Returns whether answers are withheld for a reason that is known before the replays. */
static bool is_hopeless(const struct tp_answering *a)
{
    const struct tp_what_if_view *r = a->result;
    return (a->joined.count && !a->joined.is_matched) || r->wrong_nodes || r->kept_error_ns || !a->model->window_ns ||
           r->unexplained_percent > 20 || r->inferred_percent > 50 ||
           (r->counts.without_launch + r->counts.before_launch) * 2 > a->model->devices.count;
}

/* Each doubt lowers the confidence by one level. */
static void set_confidence(struct tp_answering *a)
{
    struct tp_what_if_view *r = a->result;
    const struct tp_graph_counts *counts = &r->counts;
    unsigned marks = (r->unexplained_percent > 5) + (r->bare_error_percent > 2 || r->bare_error_percent < -2) +
                     (r->inferred_percent > 10) +
                     (counts->unresolved_waits * 4 > counts->events + counts->inferred_events) +
                     (a->model->used_count < 2 || r->has_part) +
                     ((counts->without_launch + counts->before_launch) * 20 > a->model->devices.count);
    r->confidence = r->withheld ? TP_REPLAY_CONFIDENCE_WITHHELD : (enum tp_replay_confidence)(marks < 2 ? marks : 2);
}

/* Replays the graph without a change, and compares the result with the trace. */
static void validate(struct tp_answering *a)
{
    struct tp_what_if_view *r = a->result;
    struct tp_path_details details = {0};
    struct tp_replay_lane lane = {.change = &a->no_change, .mode = TP_REPLAY_KEPT, .wants_path = true};
    struct tp_what_if_replay replay = {.frame = &a->frame, .lanes = &lane, .lane_count = 1, .path_count = 1};
    if (has_cycle(&a->graph)) /* the path could follow the cycle without an end */
        return;
    if (!tp_count_contradictions(&a->graph)) {
        tp_measured_lane(&lane, &a->frame, a->temporary);
    } else {
        tp_what_if_replay_run(&replay, a->temporary);
        r->wrong_nodes = replay.wrong_nodes;
    }
    r->kept_error_ns = tp_sat_sub(lane.ns, a->model->window_ns);
    tp_critical_path(&replay, 0, &r->path, &details, a->keep, a->temporary);
    r->spans = details.spans;
    r->span_count = details.span_count;
    r->rows = details.rows;
    r->row_count = details.row_count;
    r->limit = tp_path_limit(&r->path);
    r->unexplained_percent = share(a, r->path.group_ns[TP_GROUP_UNEXPLAINED]);
    r->inferred_percent = share(a, r->path.inferred_ns);
    r->host_share = share(a, r->path.group_ns[TP_GROUP_HOST]);
}

/* ---- answers ---- */

/* The smallest and the largest gain of several replays, ns. */
struct range {
    int64_t low, high;
};

static void add_gain(struct range *range, int64_t gain)
{
    range->low = tp_ns_min(range->low, gain);
    range->high = tp_ns_max(range->high, gain);
}

/* The lanes of one change: from `first` on, in the order of add_other_lanes. */
struct change_lanes {
    uint32_t first, count;
};

/* Adds the replays of a change that make other assumptions than its first replay. The first of them is bare. */
static struct change_lanes add_other_lanes(struct tp_answering *a, const struct tp_what_if_change *change,
                                           struct tp_vec *lanes)
{
    struct change_lanes of = {(uint32_t)lanes->count, 0};
    struct tp_what_if_change *other = tp_arena_alloc(a->temporary, sizeof *other);
    tp_replay_lane_add(lanes, change, TP_REPLAY_BARE);
    if (a->has_arrivals)
        tp_replay_lane_add(lanes, change, TP_REPLAY_PACED);
    if (a->joined.count)
        other = tp_joined_change_second_end(other, change, &a->joined, &a->graph, a->temporary) ? other : NULL;
    else if (change->operator_name != TP_NO_ID)
        tp_change_whole_call(other, change, &a->graph, tp_answer_more_of(a, change->operator_name));
    else if (change->frees_communication)
        tp_change_uncontended(other, change, &a->graph, a->temporary);
    else if (change->tensor.den)
        tp_change_least(other, change, &a->graph, a->temporary);
    else
        other = NULL;
    if (other)
        tp_replay_lane_add(lanes, other, TP_REPLAY_KEPT);
    of.count = (uint32_t)lanes->count - of.first;
    return of;
}

static struct tp_str keep_text(struct tp_answering *a, struct tp_str text)
{
    return (struct tp_str){tp_arena_copy(a->keep, text.ptr, text.len), text.len};
}

/* Returns the range of gains of a change, from its first replay and the others. */
static struct range find_range(const struct tp_answering *a, int64_t gain, const struct tp_replay_lane *lanes,
                               struct change_lanes of)
{
    struct range range = {gain, gain};
    for (uint32_t i = of.first; i < of.first + of.count; i++)
        add_gain(&range, tp_sat_sub(lanes[i].mode == TP_REPLAY_BARE ? a->bare_ns : a->model->window_ns, lanes[i].ns));
    range.low = tp_ns_max(0, range.low);
    range.high = tp_ns_max(0, range.high);
    return range;
}

/* Returns whether a change is about operators, Python code, calls or launches. */
static bool is_about_host(const struct tp_answering *a, const struct tp_what_if_change *change)
{
    const unsigned host = 1u << TP_PATH_OPERATOR | 1u << TP_PATH_PYTHON | 1u << TP_PATH_CALL | 1u << TP_PATH_LAUNCH;
    bool is_host = false;
    for (uint32_t i = 0; i < a->graph.label_count && change->of_label && !is_host; i++)
        is_host = host >> a->graph.labels[i].kind & 1 && change->of_label[i].num != change->of_label[i].den;
    return is_host;
}

/* Returns the confidence of an answer: that of the replay, or one level less if the range is wide, or if the recording
 * made the host slower. */
static enum tp_replay_confidence confidence_of(const struct tp_answering *a, const struct tp_what_if_change *change,
                                               struct range range)
{
    enum tp_replay_confidence confidence = a->result->confidence;
    bool is_doubted = tp_sat_mul(tp_sat_sub(range.high, range.low), 10) > a->model->window_ns ||
                      (a->is_host_slowed && is_about_host(a, change));
    if (confidence == TP_REPLAY_CONFIDENCE_WITHHELD)
        return confidence;
    if (change->is_unsure)
        return TP_REPLAY_CONFIDENCE_LOW;
    return is_doubted && confidence < TP_REPLAY_CONFIDENCE_LOW ? (enum tp_replay_confidence)(confidence + 1)
                                                               : confidence;
}

/* Fills the row of a change from its lanes. lane: its first replay, which has a path. sums: those of the path. */
static void answer(struct tp_answering *a, const struct tp_what_if_replay *replay, uint32_t lane,
                   struct change_lanes of, const struct tp_path_sums *sums)
{
    struct tp_what_if_row *row = &a->result->answers[lane];
    const struct tp_what_if_change *change = replay->lanes[lane].change;
    int64_t ns = replay->lanes[lane].ns, gain = tp_sat_sub(a->model->window_ns, ns);
    struct range range = find_range(a, gain, replay->lanes, of);
    row->change = keep_text(a, change->name);
    row->text = keep_text(a, change->text);
    row->step_ns = tp_answer_per_step(a, ns);
    row->gain_ns = tp_answer_per_step(a, gain);
    row->gain_low_ns = tp_answer_per_step(a, range.low);
    row->gain_high_ns = tp_answer_per_step(a, range.high);
    row->gain_percent = share(a, gain);
    row->then = tp_path_limit(sums);
    row->then_percent = tp_percent(sums->group_ns[row->then], ns);
    row->confidence = confidence_of(a, change, range);
}

/* Sets the times in which the changes act. */
static void set_times(struct tp_answering *a, const struct tp_vec *changes)
{
    const struct tp_intervals *times =
        tp_change_times(changes->data, (uint32_t)changes->count, &a->graph, a->temporary, a->keep);
    for (uint32_t i = 0; i < changes->count; i++)
        a->result->answers[i].times = times[i];
}

/* Replays all changes in one pass: first the replays whose paths are needed, then the others. With
 * the same replays, prices the fixes of the question. */
static void answer_all(struct tp_answering *a, const struct tp_vec *changes, const struct tp_what_if_question *question)
{
    const struct tp_fix_question *fixes = question->fixes;
    struct tp_fix_pricing pricing;
    /* fixes name operations and events of the whole trace */
    bool has_fixes = fixes && fixes->count && !is_hopeless(a) && !a->result->has_part;
    uint32_t count = (uint32_t)changes->count;
    struct tp_vec lanes = TP_VEC(a->temporary, struct tp_replay_lane);
    struct change_lanes *others = tp_arena_array(a->temporary, count, sizeof *others);
    for (uint32_t i = 0; i < count; i++) {
        tp_replay_lane_add(&lanes, TP_AT(changes, struct tp_what_if_change, i), TP_REPLAY_KEPT);
        TP_AT(&lanes, struct tp_replay_lane, i)->wants_path = true;
    }
    for (uint32_t i = 0; i < count; i++)
        others[i] = add_other_lanes(a, TP_AT(changes, struct tp_what_if_change, i), &lanes);
    if (has_fixes)
        tp_fix_prices_begin(&pricing, a, fixes, &lanes);
    tp_replay_lane_add(&lanes, &a->no_change, TP_REPLAY_BARE);
    struct tp_what_if_replay replay = {
        .frame = &a->frame, .lanes = lanes.data, .lane_count = (uint32_t)lanes.count, .path_count = count};
    tp_what_if_replay_run(&replay, a->temporary);
    a->bare_ns = replay.lanes[replay.lane_count - 1].ns;
    a->result->bare_error_percent = share(a, tp_sat_sub(a->bare_ns, a->model->window_ns));
    find_withheld(a);
    set_confidence(a);
    if (a->result->withheld)
        return;
    a->result->answers = tp_arena_array(a->keep, count, sizeof *a->result->answers);
    a->result->answer_count = count;
    struct tp_path_sums *sums = tp_arena_array(a->temporary, count, sizeof *sums);
    tp_critical_path_sums(&replay, sums, a->temporary);
    for (uint32_t i = 0; i < count; i++)
        answer(a, &replay, i, others[i], &sums[i]);
    if (question->wants_times)
        set_times(a, changes);
    if (!has_fixes)
        return;
    tp_replay_release(&replay, a->temporary);
    tp_fix_prices_finish(&pricing, replay.lanes);
}

static void describe_graph(struct tp_answering *a)
{
    struct tp_what_if_view *r = a->result;
    const struct tp_replay_graph *graph = &a->graph;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        if (tp_node_rank(graph, n) != 0)
            continue;
        r->node_count++;
        for (uint32_t i = graph->nodes[n].first_edge; i < graph->nodes[n + 1].first_edge; i++)
            r->reason_count[graph->edges[i].reason]++;
        r->reason_count[TP_EDGE_PROGRAM] += (graph->nodes[n].flags & TP_NODE_HAS_PREVIOUS) != 0;
    }
    for (unsigned i = 0; i < TP_EDGE_REASONS; i++)
        r->edge_count += (uint32_t)r->reason_count[i];
    r->rank_count = graph->rank_count;
    r->collective_count = a->joined.collective_count;
    r->counts = graph->counts;
    r->typical_count = graph->typical_count;
    r->typicals = tp_arena_array(a->keep, graph->typical_count, sizeof *r->typicals);
    for (uint32_t i = 0; i < graph->typical_count; i++) {
        const struct tp_typical_latency *typical = &graph->typicals[i];
        struct tp_buf text;
        tp_buf_init(&text, 0);
        tp_buf_puts(&text, typical->kind);
        tp_buf_putc(&text, ' ');
        tp_buf_add(&text, typical->name.ptr, typical->name.len);
        size_t size = text.size;
        r->typicals[i] = (struct tp_what_if_latency){{tp_buf_move(&text, a->keep), size}, typical->ns};
    }
}

/* Withholds the answers without a replay. */
static void withhold_all(struct tp_answering *a, enum tp_withheld reason, const char *why)
{
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_buf_puts(&text, why);
    withhold(a, reason, &text);
    a->result->confidence = TP_REPLAY_CONFIDENCE_WITHHELD;
}

/* Replaces the model of a trace by that of some steps. Returns false if no part of the trace can be replayed. */
static bool take_part(struct tp_answering *a, uint64_t most)
{
    const struct tp_model *whole = a->model;
    struct tp_steps_part *part = tp_arena_alloc(a->temporary, sizeof *part);
    struct tp_chosen_steps chosen;
    /* huge pages would waste about as much memory at the ends of the arrays as the part needs */
    a->temporary->avoids_huge_pages = true;
    if (!tp_replay_choose_steps(&chosen, whole, most, a->temporary))
        return false;
    tp_steps_part_build(part, whole, chosen.first, chosen.last, a->temporary);
    if (part->model.step_marker != whole->step_marker || !part->model.used_count ||
        tp_replay_activities(&part->model) > most)
        return false;
    a->model = &part->model;
    a->result->has_part = true;
    a->result->part =
        (struct tp_replayed_part){whole->steps[chosen.first].name, whole->steps[chosen.last].name, whole->used_count};
    return true;
}

/* Limits the replay to a part of the trace, or withholds the answers, if the trace has more activities than `most`.
 * most: 0 for no limit. Returns whether there is something to replay. */
static bool limit_size(struct tp_answering *a, uint64_t most)
{
    uint64_t count = most ? tp_replay_activities(a->model) : 0;
    char why[160];
    if (count <= most || take_part(a, most))
        return true;
    snprintf(why, sizeof why, "the trace has %llu activities, and a report replays at most %llu",
             (unsigned long long)count, (unsigned long long)most);
    withhold_all(a, TP_WITHHELD_SIZE, why);
    return false;
}

static bool build_graph(struct tp_answering *a, const struct tp_what_if_question *question)
{
    if (!question->rank_count)
        return tp_replay_graph_build(&a->graph, a->model, a->temporary);
    return tp_joined_graph_build(&a->joined, &a->graph, question->ranks, question->rank_count, a->temporary);
}

/* Reads the changes of the question, or adds those that nobody has to name. Returns 0, or TP_EUSAGE with *err. */
static int make_changes(struct tp_answering *a, const struct tp_what_if_question *question, struct tp_vec *changes,
                        struct tp_error *err)
{
    for (size_t i = 0; i < question->change_count && (!a->joined.count || a->joined.is_matched); i++) {
        struct tp_what_if_change *change = tp_vec_push(changes);
        struct tp_str text = question->changes[i];
        int code = a->joined.count ? tp_joined_change_parse(change, &a->joined, &a->graph, text, &a->source, err)
                                   : tp_change_parse(change, &a->graph, text, &a->source, err);
        if (code)
            return code;
    }
    if (question->change_count || is_hopeless(a))
        return 0;
    for (uint32_t r = 0; r < a->joined.count; r++)
        tp_joined_change_of_rank(tp_vec_push(changes), &a->joined, &a->graph, r, a->temporary);
    if (!a->joined.count)
        tp_usual_changes(a, changes);
    return 0;
}

int tp_what_if_view_build(struct tp_what_if_view *result, const struct tp_what_if_question *question,
                          struct tp_arena *keep, struct tp_arena *temporary, struct tp_error *err)
{
    struct tp_answering a = {.result = result,
                             .model = question->model,
                             .is_host_slowed = question->is_host_slowed,
                             .keep = keep,
                             .temporary = temporary,
                             .source = {temporary, question->rates}};
    struct tp_vec changes = TP_VEC(temporary, struct tp_what_if_change);
    memset(result, 0, sizeof *result);
    tp_change_init(&a.no_change);
    bool has_size = limit_size(&a, question->most_nodes);
    result->step_count = a.model->used_count ? a.model->used_count : 1;
    result->step_ns = a.model->window_ns / result->step_count;
    if (!has_size)
        return 0;
    if (!build_graph(&a, question)) {
        withhold_all(&a, TP_WITHHELD_STREAMS, "the trace has too many streams");
        return 0;
    }
    tp_step_frame_build(&a.frame, &a.graph, temporary);
    describe_graph(&a);
    a.has_arrivals = result->reason_count[TP_EDGE_ARRIVAL] > 0;
    validate(&a);
    int code = make_changes(&a, question, &changes, err);
    if (code)
        return code;
    tp_answer_find_more(&a, &changes);
    answer_all(&a, &changes, question);
    return 0;
}
