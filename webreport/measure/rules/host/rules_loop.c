/* Rule H2: a Python loop that processes the parts of a tensor one by one. Such a loop appears as adjacent operators
 * whose names repeat with a short period. */
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/rules_functions.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/model/main_thread.h"
#include "webreport/model/operator_shapes.h"
#include "writer/base/sort.h"

static void evaluate_loop(struct tp_advisor *a);

const struct tp_rule tp_rule_H2 = {
    .id = "H2",
    .title = "Replace the loop over elements by one operation on the tensor",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_repeats", 10, true},
                   {"max_period", 64, true},
                   {"min_pct", 1.0, false},
                   {"backward", 1, true},
                   {"reads", 1, true},
                   {"pieces", 1, true}},
    .advice = "Replace the loop by one vectorised operation, or take all slices with one call of unbind or split.",
    .doc_url = DOC_TUNE,
    .cause = "host.index_loop",
    .gain = {.low = 0.75, .high = 1.0, .right = 2, .known = 2},
    .native = {.title = "Replace the loop over elements by one operation on the array",
               .advice = "Replace the loop by one operation on the whole array."},
    .on_host = evaluate_loop,
};

/* LAYER: an iteration with at least this number of operators may be a layer of a model. MAX_ROUND: most operators
 * between two reads in a loop with branches. */
enum { MAX_PERIOD = 64, LAYER = 17, MAX_ROUND = 16 };

/* operators of the window of analysed steps outside the loader that one event contains, in the order of the tree */
struct siblings {
    uint32_t *events;
    uint32_t count;
};

/* The search for loops in one group of operators. run_end[p]: first position whose name differs from the name p
 * positions later. */
struct search {
    struct tp_advisor *a;
    struct tp_vec *time;
    struct tp_picks *picks;
    uint32_t max_period, min_repeats;
    bool finds_read_loops;  /* true: the search also finds loops that read values as numbers and begin with other
                               operators */
    bool finds_split_loops; /* true: the search also finds loops over the parts of a tensor that one operator has split
                             */
    bool is_outside;        /* true if no operator and no node of the backward pass contains the group */
    /* call of the project function that was last to split a tensor in this group; TP_NO_ID: no such call yet */
    uint32_t splitting_call;
    int64_t split_at; /* position of the last operator that split a tensor; -1: no such operator yet */
    int64_t run_end[MAX_PERIOD + 1];
    /* reads: number of operators in loops that read values as numbers; others: number of operators in other loops */
    int64_t reads, others;
};

static uint32_t sibling_name(const struct search *s, const struct siblings *group, int64_t i)
{
    return s->a->model->trace->events[group->events[i]].name;
}

static uint64_t sibling_marks(const struct search *s, const struct siblings *group, int64_t i)
{
    return tp_event_marks(s->a->model, group->events[i]);
}

/* Returns how often the p names that start at position j repeat. Scans each run of repeated names once per period. */
static int64_t count_repeats_at(struct search *s, const struct siblings *group, int64_t j, uint32_t p)
{
    int64_t *end = &s->run_end[p];
    if (*end < j) {
        *end = j;
        while (*end + p < group->count && sibling_name(s, group, *end) == sibling_name(s, group, *end + p))
            ++*end;
    }
    return 1 + (*end - j) / p;
}

/* Returns whether one iteration of a loop reads a value as a number. The iteration consists of the p operators that
 * start at position j. */
static bool reads_values(const struct search *s, const struct siblings *group, int64_t j, uint32_t p)
{
    bool is_any = false;
    for (int64_t i = j; i < j + p; i++)
        is_any |= (s->a->model->marks[sibling_name(s, group, i)] & TP_MARK_SCALAR_OP) != 0;
    return is_any;
}

/* Returns whether the function that split a tensor directly calls all operators of an iteration, without other
 * functions between. */
static bool is_in_splitting_function(const struct search *s, const struct siblings *group, int64_t j, uint32_t p)
{
    bool is_all = s->splitting_call != TP_NO_ID;
    for (int64_t i = j; i < j + p && is_all; i++)
        is_all = tp_enclosing_project_call(s->a->model, group->events[i]) == s->splitting_call;
    return is_all;
}

/* Returns whether a loop at position j has one iteration for each part of a tensor that was split shortly before. The
 * number of iterations must be a dimension of the tensor, or one less. Returns false if an iteration splits a tensor
 * itself, because it is a layer. Returns false if an iteration has a matrix product, because it is a call of a model
 * (rule H18). */
static bool runs_once_per_part(const struct search *s, const struct siblings *group, int64_t j, uint32_t p,
                               int64_t repeats)
{
    const struct tp_trace *trace = s->a->model->trace;
    bool is_one = false;
    if (!s->is_outside || s->split_at < 0 || j - s->split_at > MAX_PERIOD)
        return false;
    for (int64_t i = j; i < j + p; i++)
        if (s->a->model->marks[sibling_name(s, group, i)] &
            (TP_MARK_SPLIT_OP | TP_MARK_ELIGIBLE | TP_MARK_BACKWARD_NODE))
            return false;
    const struct tp_event *splitting_call = &trace->events[group->events[s->split_at]];
    struct tp_shape shape =
        tp_shape_input(tp_strings_get(&trace->values, trace->hosts[splitting_call->detail].dims), 0);
    for (unsigned i = 0; shape.is_known && i < shape.rank; i++)
        is_one |= shape.sizes[i] == repeats || shape.sizes[i] == repeats + 1;
    return is_one;
}

/* Returns whether all iterations are in one call of a project function. Layers of a model repeat too, but each layer is
 * a separate call. */
static bool belongs_to_one_call(const struct search *s, const struct siblings *group, int64_t j, uint32_t p,
                                int64_t repeats)
{
    uint32_t call = tp_enclosing_project_call(s->a->model, group->events[j]);
    bool is_same = call != TP_NO_ID;
    for (int64_t i = 1; i < repeats && is_same; i++)
        is_same = tp_enclosing_project_call(s->a->model, group->events[j + i * p]) == call;
    return is_same;
}

/* Returns whether an operator takes a part of a tensor in Python code. Operators inside another operator are
 * excluded. */
static bool is_index_operator(const struct search *s, const struct siblings *group, int64_t i)
{
    uint64_t wanted = TP_MARK_INDEX_OP | (s->finds_split_loops && s->is_outside ? TP_MARK_PART_OP : 0);
    return (tp_event_marks(s->a->model, group->events[i]) & wanted) != 0;
}

/* Returns whether the p operators that start at position k have the same names as those that start at position j. */
static bool is_same_round(const struct search *s, const struct siblings *group, int64_t j, int64_t k, uint32_t p)
{
    bool is_same = k + p <= group->count;
    for (int64_t i = 0; i < p && is_same; i++)
        is_same = sibling_name(s, group, j + i) == sibling_name(s, group, k + i);
    return is_same;
}

/* Returns the first position from `end` on at which a loop continues after a few iterations with other operators.
 * Such an iteration has no slice if the slice would be the whole tensor, for example. The loop continues in the same
 * call of a project function, after at most two iterations and without a matrix product, which may belong to a model.
 * Returns -1 if the loop does not continue. */
static int64_t next_same_round(const struct search *s, const struct siblings *group, int64_t j, int64_t end, uint32_t p)
{
    const struct tp_model *model = s->a->model;
    uint32_t call = tp_enclosing_project_call(model, group->events[j]);
    for (int64_t k = end; call != TP_NO_ID && k < group->count && k <= end + 2 * (int64_t)p; k++) {
        if (is_same_round(s, group, j, k, p))
            return tp_enclosing_project_call(model, group->events[k]) == call ? k : -1;
        if (sibling_marks(s, group, k) & (TP_MARK_ELIGIBLE | TP_MARK_BACKWARD_NODE))
            return -1;
    }
    return -1;
}

/* Returns the end of a loop whose first `repeats` iterations are equal and start at position j. Adds the equal
 * iterations after other iterations to *repeats. */
static int64_t find_end_of_loop(const struct search *s, const struct siblings *group, int64_t j, uint32_t p,
                                int64_t *repeats)
{
    int64_t end = j + *repeats * p;
    for (int64_t k = next_same_round(s, group, j, end, p); k >= 0; k = next_same_round(s, group, j, end, p)) {
        ++*repeats;
        end = k + p;
    }
    return end;
}

static int64_t add_loop(struct search *s, const struct siblings *group, int64_t j, int64_t end, uint32_t p)
{
    const struct tp_event *from = &s->a->model->trace->events[group->events[j + p]];
    const struct tp_event *to = &s->a->model->trace->events[group->events[end - 1]];
    tp_intervals_push(s->time, from->ts_ns, tp_event_end(to));
    const struct tp_event *first = &s->a->model->trace->events[group->events[j]];
    tp_picks_add_by_weight(s->picks,
                           (struct tp_pick){0, first->ts_ns, -first->dur_ns, group->events[j], group->events[j], 0});
    *(reads_values(s, group, j, p) ? &s->reads : &s->others) += end - j;
    return end - j;
}

/* Finds the smallest period that repeats often enough. Adds the loop if it takes a tensor apart by indexing, reading
 * values or iterating over parts. Returns the number of operators in the loop; 0 if there is no loop at position j. */
static int64_t find_repetition(struct search *s, const struct siblings *group, int64_t j)
{
    bool is_indexing = is_index_operator(s, group, j);
    for (uint32_t p = 1; p <= s->max_period && j + p < group->count; p++) {
        int64_t repeats = count_repeats_at(s, group, j, p);
        if (repeats < s->min_repeats || !(is_indexing || (s->finds_read_loops && reads_values(s, group, j, p)) ||
                                          (s->finds_split_loops && (is_in_splitting_function(s, group, j, p) ||
                                                                    runs_once_per_part(s, group, j, p, repeats)))))
            continue;
        if (p >= LAYER && !belongs_to_one_call(s, group, j, p, repeats))
            continue;
        return add_loop(s, group, j, find_end_of_loop(s, group, j, p, &repeats), p);
    }
    return 0;
}

/* Adds a loop at position j that indexes a tensor and repeats often enough only together with the equal iterations
 * after other iterations. Returns the number of operators in the loop; 0 if there is no such loop. */
static int64_t find_interrupted_repetition(struct search *s, const struct siblings *group, int64_t j)
{
    for (uint32_t p = 1; p <= s->max_period && j + p < group->count; p++) {
        int64_t repeats = count_repeats_at(s, group, j, p);
        if (repeats < 2 || (p >= LAYER && !belongs_to_one_call(s, group, j, p, repeats)))
            continue;
        int64_t end = find_end_of_loop(s, group, j, p, &repeats);
        if (repeats >= s->min_repeats)
            return add_loop(s, group, j, end, p);
    }
    return 0;
}

/* Adds a loop at position j whose iterations index a tensor and read a value to decide what to run. Such iterations
 * differ, so they have no period. The loop ends at a matrix product, which is a call of a model. Returns the number of
 * operators in the loop; 0 if there is no such loop. */
static int64_t find_loop_with_branches(struct search *s, const struct siblings *group, int64_t j)
{
    const struct tp_model *model = s->a->model;
    int64_t last = j, first = -1;
    uint32_t rounds = 0;
    bool has_index = false;
    for (int64_t i = j; i < group->count && i - last <= MAX_ROUND; i++) {
        uint64_t marks = tp_event_marks(model, group->events[i]);
        if (marks & (TP_MARK_ELIGIBLE | TP_MARK_BACKWARD_NODE))
            break;
        has_index |= is_index_operator(s, group, i);
        if (!has_index || !(marks & TP_MARK_SCALAR_OP))
            continue;
        last = i;
        first = first < 0 ? i : first;
        rounds++;
        has_index = false;
    }
    if (rounds < s->min_repeats)
        return 0;
    const struct tp_event *from = &model->trace->events[group->events[first + 1]];
    tp_intervals_push(s->time, from->ts_ns, tp_event_end(&model->trace->events[group->events[last]]));
    const struct tp_event *e = &model->trace->events[group->events[j]];
    tp_picks_add_by_weight(s->picks, (struct tp_pick){0, e->ts_ns, -e->dur_ns, group->events[j], group->events[j], 0});
    s->reads += last + 1 - j;
    return last + 1 - j;
}

static void find_loops_among_siblings(struct search *s, const struct siblings *group)
{
    for (uint32_t p = 0; p <= MAX_PERIOD; p++)
        s->run_end[p] = -1;
    s->splitting_call = TP_NO_ID;
    s->split_at = -1;
    for (int64_t j = 0; j < group->count;) {
        int64_t covered = 0;
        uint64_t marks = tp_event_marks(s->a->model, group->events[j]);
        if (s->finds_split_loops && marks & TP_MARK_SPLIT_OP) {
            s->splitting_call = tp_enclosing_project_call(s->a->model, group->events[j]);
            s->split_at = j;
        }
        bool is_indexing = is_index_operator(s, group, j);
        bool is_after_split = s->splitting_call != TP_NO_ID || (s->split_at >= 0 && j - s->split_at <= MAX_PERIOD);
        if (s->finds_read_loops || is_after_split || is_indexing)
            covered = find_repetition(s, group, j);
        if (!covered && is_indexing)
            covered = find_interrupted_repetition(s, group, j);
        if (!covered && s->finds_read_loops && s->is_outside && is_indexing)
            covered = find_loop_with_branches(s, group, j);
        j += covered ? covered : 1;
    }
}

/* Returns, for each event of the main thread, the innermost enclosing event that is not a Python frame; TP_NO_ID: no
 * such event. In the order of events, each event must follow its enclosing events. */
static uint32_t *find_enclosing_events(const struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    const struct tp_order *order = model->order;
    uint32_t *owner = tp_arena_array(a->arena, model->trace->event_count, sizeof *owner);
    for (uint32_t i = order->thread_first[model->host_main]; i < order->thread_first[model->host_main + 1]; i++) {
        uint32_t event = order->host[i], outer = model->inside[event];
        bool is_in_frame = outer != TP_NO_ID && tp_kind_is_frame(model->trace->events[outer].kind);
        owner[event] = is_in_frame ? owner[outer] : outer;
    }
    return owner;
}

/* an operator and its owner; a stable sort by owner forms the groups */
struct child {
    uint32_t owner, event;
};

static int compare_by_owner(const void *x, const void *y, const void *context)
{
    (void)context;
    uint32_t p = ((const struct child *)x)->owner, q = ((const struct child *)y)->owner;
    return p < q ? -1 : p > q;
}

static struct tp_vec list_children(struct tp_advisor *a)
{
    struct tp_vec children = TP_VEC(a->arena, struct child);
    uint32_t *owner = find_enclosing_events(a);
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        uint32_t event = a->model->operators.event[a->cpu->ops[i]];
        if (!tp_cpu_is_in_loader(a, a->cpu->ops[i]))
            *(struct child *)tp_vec_push(&children) = (struct child){owner[event], event};
    }
    tp_arena_free_item(a->arena, owner, a->model->trace->event_count * sizeof *owner);
    tp_merge_sort(a->arena, children.data, children.count, sizeof(struct child), compare_by_owner, NULL);
    return children;
}

/* Returns whether an owner is an operator or an optimizer. This rule does not examine their loops. An optimizer that
 * updates tensor by tensor reads its step count in each iteration (rule H3). A fused optimizer does so inside its
 * operator. */
static bool is_owned_by_operator(const struct tp_advisor *a, uint32_t owner)
{
    return owner != TP_NO_ID &&
           ((tp_event_marks(a->model, owner) & (TP_MARK_OPTIMIZER | TP_MARK_FUSED)) != 0 ||
            tp_str_starts(tp_trace_event_name(a->model->trace, &a->model->trace->events[owner]), "aten::"));
}

/* An operator that moves at least this number of bytes spends most of its time on moving them. The call alone takes a
 * few microseconds, in which a core moves about as many bytes. */
enum { LEAST_WORK_BYTES = 16384 };

/* Returns whether an operator belongs to the backward pass of splitting a tensor. For each part, this pass fills a
 * gradient of the whole tensor and adds it to the sum. Code that replaces the loop does not need this work. */
static bool is_backward_of_split(const struct tp_advisor *a, uint32_t op)
{
    static const char *const names[] = {"Select", "Slice", "Index", "Unbind", "Split", "Gather", "AsStrided"};
    const struct tp_model *model = a->model;
    /* inner: ancestor of `op`, or `op` itself, whose parent is the node of the backward pass */
    uint32_t node = model->operators.parent[op], inner = op;
    for (; node != TP_NO_ID && !tp_cpu_is_backward(model, node); node = model->operators.parent[node])
        inner = node;
    if (node == TP_NO_ID)
        return false;
    struct tp_str name = tp_trace_event_name(model->trace, tp_operator_event(model, inner));
    bool is_apart = inner == op; /* a child of the node: the engine adds up the gradients of one tensor */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_apart |= tp_str_starts(name, names[i]);
    return is_apart;
}

/* Returns the time of work that code without the loop must still do: matrix products, and operators that move many
 * bytes. If the loop reads values as numbers (is_to_read), only matrix products remain, because the new code reads
 * fewer values and needs fewer operators. */
static struct tp_intervals work_without_loop(struct tp_advisor *a, bool is_to_read)
{
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        uint32_t op = a->cpu->ops[i];
        const struct tp_event *e = tp_operator_event(a->model, op);
        struct tp_cost cost;
        if (tp_operator_is_eligible(a->model, op) || (!is_to_read && tp_cpu_find_cost(&cost, a, op) &&
                                                      cost.bytes >= LEAST_WORK_BYTES && !is_backward_of_split(a, op)))
            tp_intervals_push(&time, e->ts_ns, tp_event_end(e));
    }
    return tp_intervals_from_vec(&time);
}

/* Returns the part of the loops' time in which operators run, 0 to 1. A single operator instead of the loop saves this
 * time. Python's work on each value may remain, also on values from tolist(). */
static double operator_share_of_loop_time(struct tp_advisor *a, struct tp_intervals loops)
{
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        const struct tp_event *e = tp_operator_event(a->model, a->cpu->ops[i]);
        if (tp_cpu_is_outermost(a, a->cpu->ops[i]))
            tp_intervals_push(&time, e->ts_ns, tp_event_end(e));
    }
    int64_t all = tp_ns_max(1, tp_intervals_length(loops));
    return (double)tp_intervals_intersection_length(tp_intervals_from_vec(&time), loops) / (double)all;
}

static void evaluate_loop(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_H2, .has_ceiling = true};
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    struct search search = {.a = a, .time = &time, .picks = &c.picks};
    search.max_period = (uint32_t)tp_rule_value(a, TP_RULE_H2, "max_period");
    search.min_repeats = (uint32_t)fmin(fmax(2, tp_rule_value(a, TP_RULE_H2, "min_repeats")), 1e9);
    bool finds_read_loops =
        tp_rule_value(a, TP_RULE_H2, "reads") > 0 && tp_any_name_has_marks(a->model, TP_MARK_SCALAR_OP);
    bool finds_split_loops = tp_rule_value(a, TP_RULE_H2, "pieces") > 0 &&
                             tp_any_name_has_marks(a->model, TP_MARK_SPLIT_OP | TP_MARK_PART_OP);
    if (!finds_read_loops && !finds_split_loops && !tp_any_name_has_marks(a->model, TP_MARK_INDEX_OP))
        return;
    struct tp_vec children = list_children(a);
    const struct child *items = children.data;
    uint32_t *events = tp_arena_array(a->arena, children.count, sizeof *events);
    for (size_t i = 0, end; i < children.count; i = end) {
        struct siblings group = {events + i, 0};
        for (end = i; end < children.count && items[end].owner == items[i].owner; end++)
            group.events[group.count++] = items[end].event;
        bool is_pythons = !is_owned_by_operator(a, items[i].owner);
        search.finds_read_loops = finds_read_loops && is_pythons;
        search.is_outside =
            items[i].owner == TP_NO_ID || a->model->trace->events[items[i].owner].kind != TP_KIND_OPERATOR;
        search.finds_split_loops = finds_split_loops && is_pythons;
        if (group.count >= search.min_repeats)
            find_loops_among_siblings(&search, &group);
    }
    tp_arena_free_item(a->arena, events, children.count * sizeof *events);
    tp_arena_free_item(a->arena, children.data, children.capacity * sizeof(struct child));
    bool is_to_read = search.reads > search.others;
    c.time = tp_intervals_from_vec(&time);
    /* times of the loops, including work that remains after a fix; no other rule examines these times */
    struct tp_intervals loops = {NULL, 0};
    if (tp_rule_value(a, TP_RULE_H2, "backward") > 0) {
        loops = tp_cpu_add_backward_time(a, c.time);
        c.time = tp_intervals_difference(a->arena, loops, work_without_loop(a, is_to_read));
    }
    c.title = TP_TITLE(TP_TITLE_LOOP, TP_OF_TEXT(tp_picks_first_line(a, &c.picks)));
    c.cause = is_to_read ? "host.scalar_reads" : NULL;
    c.has_lower_bound = true;
    c.time = tp_cpu_claimable_time(a, c.time);
    c.low = tp_rule_measured_gain(TP_RULE_H2).low * operator_share_of_loop_time(a, c.time);
    if (tp_analysed_set_percent(a, c.time) < tp_rule_value(a, TP_RULE_H2, "min_pct") ||
        !tp_advisor_add_cpu_finding(a, &c))
        return;
    for (size_t i = 0; i < loops.count; i++)
        tp_intervals_push(&a->claimed, loops.items[i].a, loops.items[i].b);
}
