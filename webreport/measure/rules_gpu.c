/* Rules about a device that waits for its host: waits (A4 A5 A6), loading (A8), allocator (A12 D2), host code (A11),
 * short kernels (A3), launches (A1), repeated launches (A2). Definitions: advice-definitions D9. */
#include "webreport/measure/idle_flame.h"
#include "webreport/measure/rules_eval.h"
#include "webreport/model/host_gaps.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

static void push_gap_times(struct tp_advisor *a, struct tp_vec *all, struct tp_vec *late)
{
    for (uint32_t d = 0; d < a->host->device_count; d++) {
        const struct tp_host_device *device = &a->host->devices[d];
        for (uint32_t i = 0; i < device->gap_count; i++) {
            const struct tp_gap *gap = &device->gaps[i];
            tp_intervals_push(all, gap->a, gap->b);
            if (gap->class == TP_GAP_HOST)
                tp_intervals_push(late, gap->a, gap->b);
        }
    }
}

void tp_rules_prepare_gpu(struct tp_advisor *a)
{
    struct tp_host *host = a->host;
    struct tp_vec all = TP_VEC(a->arena, struct tp_interval), late = TP_VEC(a->arena, struct tp_interval);
    push_gap_times(a, &all, &late);
    a->all_idle = tp_intervals_meet(a->arena, tp_intervals_of(&all), host->windows);
    a->host_idle = tp_intervals_meet(a->arena, tp_intervals_of(&late), host->windows);
    tp_arena_drop(a->arena, all.data, all.capacity * sizeof(struct tp_interval));
    tp_arena_drop(a->arena, late.data, late.capacity * sizeof(struct tp_interval));
    a->in_window = tp_arena_array(a->arena, host->op_count, 1);
    struct tp_intervals w = host->windows;
    for (uint32_t i = 0, at = 0; i < host->op_count; i++) { /* both in order of time */
        const struct tp_event *e = tp_op_event(host, i);
        while (at < w.count && w.items[at].b <= e->ts_ns)
            at++;
        a->in_window[i] = at < w.count && w.items[at].a <= e->ts_ns;
        if (a->in_window[i] && tp_old_role(e) == TP_KIND_KERNEL) {
            a->kernel_count++;
            a->kernel_ns = tp_ns_plus(a->kernel_ns, e->dur_ns);
        }
    }
}

/* ---- A4, A5, A6: waits ---- */

/* By call: how many calls before it launched a copy to the host. */
static uint32_t *count_reads(const struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    uint32_t *reads = tp_arena_array(a->arena, (size_t)host->call_count + 1, sizeof *reads);
    for (uint32_t i = 0; i < host->call_count; i++) {
        bool is_read = false;
        for (uint32_t op = host->calls[i].first_op; op != TP_NO_ID && !is_read; op = host->ops[op].next_of_call)
            is_read = host->marks[host->ops[op].copy.name] & TP_NAME_TO_HOST;
        reads[i + 1] = reads[i] + is_read;
    }
    return reads;
}

/* Does a call inside aten::copy_ `op` launch a copy to the host? Inside: not before it in key order, starting before
 * its end. */
static bool reads_to_host(const struct tp_advisor *a, const uint32_t *reads, uint32_t op)
{
    const struct tp_host *host = a->host;
    const struct tp_event *e = tp_host_event(host, op);
    uint32_t first = host->thread_calls[e->thread], last = host->thread_calls[e->thread + 1];
    uint32_t lo = first, hi = last;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (tp_event_compare(tp_call_event(host, &host->calls[mid]), e) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    uint32_t begin = lo;
    for (hi = last; lo < hi;) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (host->calls[mid].ts_ns < tp_event_end(e))
            lo = mid + 1;
        else
            hi = mid;
    }
    return reads[lo] > reads[begin];
}

struct waits {
    struct tp_picks picks;
    struct tp_vec time;
    int64_t count, cost, largest;
};

enum { WAIT_OTHER, WAIT_SCALAR, WAIT_SHAPE, WAIT_KINDS };

static void add_wait(const struct tp_advisor *a, struct waits *waits, const struct tp_host_wait *wait)
{
    uint32_t event = a->host->calls[wait->call].event;
    waits->count++;
    waits->cost = tp_ns_plus(waits->cost, wait->cost);
    waits->largest = tp_ns_max(waits->largest, wait->cost);
    tp_intervals_push(&waits->time, wait->at, tp_ns_plus(wait->at, wait->cost));
    tp_picks_rank(&waits->picks, a, wait->cost, event, event);
}

static void claim_waits(struct tp_advisor *a, enum tp_rule_id rule, struct waits *waits, bool also_info)
{
    struct tp_candidate c = {.rule = rule, .has_ceiling = true, .also_info = also_info, .picks = waits->picks};
    c.time = tp_intervals_of(&waits->time);
    tp_advisor_claim(a, &c);
}

void tp_rule_waits(struct tp_advisor *a)
{
    static const enum tp_rule_id rules[] = {[WAIT_SCALAR] = TP_RULE_A5, [WAIT_SHAPE] = TP_RULE_A6};
    struct waits waits[WAIT_KINDS] = {0};
    uint32_t *reads = NULL;
    for (int k = 0; k < WAIT_KINDS; k++)
        waits[k].time = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t i = 0; i < a->host->wait_count; i++) {
        const struct tp_host_wait *wait = &a->host->waits[i];
        const struct tp_host_call *call = &a->host->calls[wait->call];
        if (!tp_in_windows(a, call->ts_ns))
            continue;
        int kind = call->has_shape_op ? WAIT_SHAPE : call->has_scalar_op ? WAIT_SCALAR : WAIT_OTHER;
        bool may_read = call->inner_op != TP_NO_ID && tp_host_marks(a->host, call->inner_op) & TP_NAME_ATEN_COPY;
        if (kind == WAIT_OTHER && may_read) {
            if (!reads)
                reads = count_reads(a);
            if (reads_to_host(a, reads, call->inner_op))
                kind = WAIT_SCALAR;
        }
        add_wait(a, &waits[kind], wait);
    }
    for (int k = WAIT_SCALAR; k <= WAIT_SHAPE; k++)
        if ((double)waits[k].count >= tp_rule_value(a, rules[k], "min_per_step") * a->host->step_count &&
            tp_window_percent(a, waits[k].cost) >= tp_rule_value(a, rules[k], "min_pct"))
            claim_waits(a, rules[k], &waits[k], false);
    const struct waits *other = &waits[WAIT_OTHER];
    bool is_heavy = tp_window_percent(a, other->cost) >= tp_rule_value(a, TP_RULE_A4, "min_pct") ||
                    (double)other->largest > tp_rule_value(a, TP_RULE_A4, "single_us") * 1000;
    if (other->count && is_heavy)
        claim_waits(a, TP_RULE_A4, &waits[WAIT_OTHER], true);
}

/* ---- A8: loading of code ---- */

void tp_rule_loading(struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    struct tp_vec pieces = TP_VEC(a->arena, struct tp_interval);
    struct tp_candidate c = {.rule = TP_RULE_A8, .has_ceiling = true};
    for (uint32_t i = 0; i < host->overhead_count; i++) {
        const struct tp_event *e = tp_host_event(host, host->overheads[i]);
        if (!(host->marks[e->name] & TP_NAME_LOADING))
            continue;
        tp_intervals_push(&pieces, e->ts_ns, tp_event_end(e));
        if (tp_in_windows(a, e->ts_ns))
            tp_picks_append(&c.picks, a, host->overheads[i], TP_NO_ID);
    }
    c.time = tp_intervals_meet(a->arena, tp_intervals_of(&pieces), a->all_idle);
    tp_intervals_drop(a->arena, a->all_idle); /* nobody else asks for it */
    a->all_idle = (struct tp_intervals){NULL, 0};
    if (tp_window_percent(a, tp_intervals_length(c.time)) >= tp_rule_value(a, TP_RULE_A8, "min_pct"))
        tp_advisor_claim(a, &c);
}

/* ---- A12, D2: allocator calls in steady steps (the first step does not count when there are several) ---- */

static int by_key(const void *x, const void *y, const void *context)
{
    const struct tp_event *events = context;
    return tp_event_compare(&events[*(const uint32_t *)x], &events[*(const uint32_t *)y]);
}

static void find_allocators(struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    struct tp_vec steady = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t i = host->step_count >= 2 ? 1 : 0; i < host->step_count; i++)
        tp_intervals_push(&steady, host->steps[i].window_start, host->steps[i].window_end);
    struct tp_intervals set = tp_intervals_of(&steady);
    for (uint32_t i = 0; i < host->call_count; i++) {
        uint32_t event = host->calls[i].event;
        bool is_call = host->marks[host->calls[i].name] & TP_NAME_ALLOCATOR;
        if (is_call && tp_intervals_contain(set, host->calls[i].ts_ns))
            *(uint32_t *)tp_vec_push(&a->allocators) = event;
    }
    tp_merge_sort(a->arena, a->allocators.data, a->allocators.count, sizeof(uint32_t), by_key, host->trace->events);
}

static void claim_allocators(struct tp_advisor *a)
{
    struct tp_vec pieces = TP_VEC(a->arena, struct tp_interval);
    struct tp_candidate c = {.rule = TP_RULE_A12, .has_ceiling = true, .also_info = true};
    for (size_t i = 0; i < a->allocators.count; i++) {
        uint32_t event = *TP_AT(&a->allocators, uint32_t, i);
        const struct tp_event *e = tp_host_event(a->host, event);
        tp_intervals_push(&pieces, e->ts_ns, tp_event_end(e));
        tp_picks_append(&c.picks, a, event, event);
    }
    c.time = tp_intervals_meet(a->arena, tp_intervals_of(&pieces), a->host_idle);
    tp_advisor_claim(a, &c);
}

/* Adds allocator calls on the device with a mark to the evidence; returns how many there are. */
static int64_t pick_calls(struct tp_advisor *a, uint64_t mark, struct tp_picks *picks)
{
    int64_t before = picks->total;
    for (size_t i = 0; i < a->allocators.count; i++) {
        uint32_t event = *TP_AT(&a->allocators, uint32_t, i);
        uint64_t marks = tp_host_marks(a->host, event);
        if (marks & mark && !(marks & TP_NAME_HOST))
            tp_picks_append(picks, a, event, event);
    }
    return picks->total - before;
}

void tp_rule_allocator(struct tp_advisor *a)
{
    int64_t steps = a->host->step_count > 1 ? a->host->step_count - 1 : 1;
    find_allocators(a);
    if (a->host->is_whole) {
        tp_advisor_skip(a, TP_RULE_A12, "no steps");
        tp_advisor_skip(a, TP_RULE_D2, "no steps");
        return;
    }
    if ((double)a->allocators.count >= tp_rule_value(a, TP_RULE_A12, "min_per_step") * (double)steps)
        claim_allocators(a);
    struct tp_candidate c = {.rule = TP_RULE_D2, .is_forced = true, .severity = TP_SEVERITY_MEDIUM, .share = NAN};
    int64_t mallocs = pick_calls(a, TP_NAME_MALLOC, &c.picks), frees = pick_calls(a, TP_NAME_FREE, &c.picks);
    if ((double)tp_ns_min(mallocs, frees) < tp_rule_value(a, TP_RULE_D2, "min_per_step") * (double)steps)
        return;
    c.detail = tp_advisor_text(a, "%lld allocations and %lld frees in %lld steps", (long long)mallocs, (long long)frees,
                               (long long)steps);
    tp_advisor_add(a, &c);
}

/* ---- A11: long gaps by host line ---- */

struct host_code {
    struct tp_advisor *a;
    struct tp_id_map ids;
    struct tp_vec lines;  /* struct code_line */
    struct tp_vec pieces; /* struct code_piece */
    uint32_t device;
};

struct code_line {
    struct tp_line_time line;
    struct tp_intervals time;
    uint32_t device; /* where the evidence was found, and when */
    int64_t at;
    bool is_loader;
};

struct code_piece {
    uint32_t line;
    struct tp_interval time;
};

/* Loader and optimizer annotations have rules of their own. */
static bool is_other_rule(const struct tp_host *host, struct tp_host_fold fold)
{
    struct tp_str text = tp_host_fold_text(host, fold);
    if (fold.kind != TP_HOST_FOLD_ANNOTATION)
        return false;
    return (tp_str_starts(text, "enumerate(DataLoader)#") && tp_str_ends(text, ".__next__")) ||
           tp_str_starts(text, "enumerate(DataPipe)#") || tp_str_starts(text, "Optimizer.");
}

static void collect_code(void *context, const struct tp_host_stack_segment *segment)
{
    struct host_code *code = context;
    if (segment->fold.kind != TP_HOST_FOLD_LINE && segment->fold.kind != TP_HOST_FOLD_ANNOTATION)
        return;
    uint32_t *id = tp_id_map_put(&code->ids, tp_id_pair(segment->fold.kind, segment->fold.text));
    if (*id == TP_NO_ID) {
        *id = (uint32_t)code->lines.count;
        struct code_line *added = tp_vec_push(&code->lines);
        added->line.fold = segment->fold;
        added->device = TP_NO_ID;
        added->is_loader = is_other_rule(code->a->host, segment->fold);
    }
    struct code_line *line = TP_AT(&code->lines, struct code_line, *id);
    if (line->is_loader)
        return;
    bool is_first = line->device == TP_NO_ID || (line->device == code->device && segment->a < line->at);
    if (is_first) {
        line->device = code->device;
        line->at = segment->a;
        line->line.event = segment->event;
    }
    *(struct code_piece *)tp_vec_push(&code->pieces) = (struct code_piece){*id, {segment->a, segment->b}};
}

/* Long host gaps of a device, cut at the windows' borders. */
static void walk_long_gaps(struct host_code *code, const struct tp_host_device *device, int64_t min_ns)
{
    struct tp_host *host = code->a->host;
    struct tp_vec pieces = TP_VEC(host->arena, struct tp_threaded_piece);
    struct tp_host_stack_walk walk = {.host = host, .visit = collect_code, .context = code};
    for (size_t w = 0; w < host->windows.count; w++) {
        struct tp_interval window = host->windows.items[w];
        for (uint32_t i = tp_device_gap_after(device, window.a); i < device->gap_count; i++) {
            const struct tp_gap *gap = &device->gaps[i];
            if (gap->a >= window.b)
                break;
            if (gap->class != TP_GAP_HOST || tp_ns_minus(gap->b, gap->a) < min_ns)
                continue;
            bool is_fallback;
            struct tp_host_stack_piece piece = {tp_ns_max(gap->a, window.a), tp_ns_min(gap->b, window.b), 0};
            *(struct tp_threaded_piece *)tp_vec_push(&pieces) =
                (struct tp_threaded_piece){tp_gap_thread(host, device, gap, &is_fallback), piece};
        }
    }
    tp_idle_walk_pieces(&walk, &pieces);
}

/* Gives each line the set of its pieces. */
static void gather_pieces(struct host_code *code)
{
    struct tp_arena *arena = code->a->arena;
    size_t lines = code->lines.count, count = code->pieces.count;
    const struct code_piece *pieces = code->pieces.data;
    size_t *first = tp_arena_array(arena, lines + 2, sizeof *first);
    struct tp_interval *sorted = tp_arena_array(arena, count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        first[pieces[i].line + 2]++;
    for (size_t i = 2; i < lines + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < count; i++)
        sorted[first[pieces[i].line + 1]++] = pieces[i].time;
    for (size_t i = 0; i < lines; i++) {
        struct code_line *line = TP_AT(&code->lines, struct code_line, i);
        line->time = tp_intervals_union(arena, sorted + first[i], first[i + 1] - first[i]);
        line->line.ns = tp_intervals_length(line->time);
    }
}

void tp_rule_host_code(struct tp_advisor *a)
{
    struct host_code code = {.a = a};
    tp_id_map_init(&code.ids, a->arena);
    code.lines = TP_VEC(a->arena, struct code_line);
    code.pieces = TP_VEC(a->arena, struct code_piece);
    int64_t min_ns = (int64_t)(tp_rule_value(a, TP_RULE_A11, "min_gap_us") * 1000);
    for (code.device = 0; code.device < a->host->device_count && code.device < TP_IDLE_FLAME_DEVICES; code.device++)
        walk_long_gaps(&code, &a->host->devices[code.device], min_ns);
    gather_pieces(&code);
    struct tp_vec hits = TP_VEC(a->arena, struct tp_line_time), time = TP_VEC(a->arena, struct tp_interval);
    for (size_t i = 0; i < code.lines.count; i++) {
        const struct code_line *line = TP_AT(&code.lines, struct code_line, i);
        if (line->is_loader || tp_window_percent(a, line->line.ns) < tp_rule_value(a, TP_RULE_A11, "min_pct"))
            continue;
        *(struct tp_line_time *)tp_vec_push(&hits) = line->line;
        for (size_t k = 0; k < line->time.count; k++)
            tp_intervals_push(&time, line->time.items[k].a, line->time.items[k].b);
    }
    if (!hits.count)
        return;
    struct tp_candidate c = {.rule = TP_RULE_A11, .has_ceiling = true};
    tp_line_times_sort(a, hits.data, hits.count);
    for (size_t i = 0; i < hits.count; i++) {
        uint32_t event = TP_AT(&hits, struct tp_line_time, i)->event;
        tp_picks_append(&c.picks, a, event, event);
    }
    c.time = tp_intervals_of(&time);
    c.detail = tp_line_times_text(a, hits.data, hits.count, (size_t)tp_rule_value(a, TP_RULE_A11, "max_lines"),
                                  " of the window");
    tp_advisor_claim(a, &c);
}

/* ---- A3: short kernels ---- */

void tp_rule_short_kernels(struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    double limit = tp_rule_value(a, TP_RULE_A3, "short_us") * 1000;
    struct tp_candidate c = {.rule = TP_RULE_A3, .has_ceiling = true};
    uint8_t *is_seen = tp_arena_array(a->arena, host->call_count, 1);
    struct tp_vec launches = TP_VEC(a->arena, int64_t);
    int64_t sum = 0;
    for (uint32_t i = 0; i < host->op_count; i++) {
        const struct tp_event *e = tp_op_event(host, i);
        if (!a->in_window[i] || tp_old_role(e) != TP_KIND_KERNEL || (double)e->dur_ns >= limit)
            continue;
        tp_picks_append_op(&c.picks, a, i);
        uint32_t call = host->ops[i].call;
        if (call == TP_NO_ID || is_seen[call])
            continue;
        is_seen[call] = 1;
        int64_t ns = host->calls[call].dur_ns;
        sum = tp_ns_plus(sum, ns);
        *(int64_t *)tp_vec_push(&launches) = ns;
    }
    tp_arena_drop(a->arena, is_seen, host->call_count);
    if (!a->kernel_count ||
        tp_percent(c.picks.total, a->kernel_count) < tp_rule_value(a, TP_RULE_A3, "min_count_pct") ||
        tp_window_percent(a, sum) < tp_rule_value(a, TP_RULE_A3, "min_launch_pct"))
        return;
    int64_t ns = tp_ns_times((int64_t)launches.count, tp_lower_median(launches.data, launches.count));
    c.time = tp_intervals_prefix(a->arena, a->host_idle, ns);
    tp_advisor_add(a, &c);
}

/* ---- A1: what nobody else claimed ---- */

/* Evidence: the operations after the longest gaps. */
static void pick_gaps(struct tp_advisor *a, struct tp_picks *picks)
{
    for (uint32_t d = 0; d < a->host->device_count; d++) {
        const struct tp_host_device *device = &a->host->devices[d];
        for (uint32_t i = 0; i < device->gap_count; i++) {
            const struct tp_gap *gap = &device->gaps[i];
            if (gap->class != TP_GAP_HOST || !tp_in_windows(a, gap->a))
                continue;
            int64_t ns = tp_ns_minus(gap->b, gap->a);
            if (picks->kept == TP_FINDING_EVIDENCE && ns < picks->items[TP_FINDING_EVIDENCE - 1].weight) {
                picks->total++;
                continue;
            }
            const struct tp_host_call *call = tp_op_call(a->host, gap->next);
            tp_picks_rank_gap(picks, ns, gap->a, a->host->ops[gap->next].event, call ? call->event : TP_NO_ID);
        }
    }
}

void tp_rule_launches(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_A1, .has_ceiling = true, .is_forced = true};
    a->rest = tp_intervals_minus(a->arena, a->host_idle, tp_intervals_of(&a->claimed));
    double share = tp_window_percent(a, tp_intervals_length(a->rest));
    if (share < tp_rule_value(a, TP_RULE_A1, "min_pct"))
        return;
    pick_gaps(a, &c.picks);
    c.time = a->rest;
    c.severity = share >= tp_rule_value(a, TP_RULE_A1, "high_pct") ? TP_SEVERITY_HIGH : TP_SEVERITY_MEDIUM;
    tp_advisor_add(a, &c);
}
