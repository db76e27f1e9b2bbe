/* Implements rules_eval.h: evidence, lines, and the severity and confidence of findings. */
#include "webreport/measure/rules/rules_eval.h"

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/rules/rule_words.h"

#include <stdarg.h>
#include <stdio.h>

#include "writer/base/sort.h"
#include "writer/text/format.h"

static const double severity_limits[] = {
    [TP_SEVERITY_HIGH] = 10.0, [TP_SEVERITY_MEDIUM] = 3.0, [TP_SEVERITY_LOW] = 0.5};

enum tp_severity tp_severity_by_share(double percent)
{
    enum tp_severity severity = TP_SEVERITY_HIGH;
    while (severity < TP_SEVERITY_INFO && percent < severity_limits[severity])
        severity++;
    return severity;
}

const char *tp_severity_text(enum tp_severity severity)
{
    static const char *const texts[] = {"high", "medium", "low", "info"};
    return texts[severity];
}

const char *tp_confidence_text(enum tp_confidence confidence)
{
    static const char *const texts[] = {"low", "medium", "high"};
    return texts[confidence];
}

double tp_analysed_percent(const struct tp_advisor *a, int64_t ns)
{
    return tp_percent(ns, a->judged_ns);
}

bool tp_has_annotation(const struct tp_model *model, bool (*says)(struct tp_str name))
{
    const struct tp_trace *trace = model->trace;
    bool is_any = false;
    for (uint32_t i = 0; i < trace->names.count && !is_any; i++)
        is_any = says(trace->names.items[i]);
    for (uint32_t i = 0; is_any && i < trace->event_count; i++)
        if (trace->events[i].kind == TP_KIND_ANNOTATION && says(tp_trace_event_name(trace, &trace->events[i])))
            return true;
    return false;
}

/* Returns the cost of recording before `time` on the main thread, ns. */
static int64_t recording_cost_before_ns(const struct tp_advisor *a, int64_t time)
{
    const struct tp_recorded *items = a->recorded.data;
    size_t lo = 0, hi = a->recorded.count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (items[mid].start_ns < time)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo)
        return 0;
    const struct tp_recorded *last = &items[lo - 1];
    if (!last->spread_ns || lo == a->recorded.count)
        return last->cost_ns;
    /* greater than 0, because the next part starts at `time` or later */
    int64_t length = last[1].start_ns - last->start_ns;
    return tp_sat_add(last->cost_ns, tp_ns_scaled(last->spread_ns, time - last->start_ns, length));
}

int64_t tp_interval_without_recording_ns(const struct tp_advisor *a, struct tp_interval piece)
{
    int64_t ns = piece.b - piece.a;
    return a->recorded.count
               ? tp_sat_sub(ns, recording_cost_before_ns(a, piece.b) - recording_cost_before_ns(a, piece.a))
               : ns;
}

int64_t tp_set_without_recording_ns(const struct tp_advisor *a, struct tp_intervals set)
{
    int64_t ns = 0;
    for (size_t i = 0; i < set.count; i++)
        ns = tp_sat_add(ns, tp_interval_without_recording_ns(a, set.items[i]));
    return tp_ns_max(0, ns);
}

int64_t tp_analysed_length(const struct tp_advisor *a, struct tp_intervals set)
{
    /* without a cost of recording, the length is computed without a copy of the set */
    int64_t ns = a->recorded.count ? tp_set_without_recording_ns(a, tp_intervals_intersection(a->arena, set, a->judged))
                                   : tp_intervals_intersection_length(set, a->judged);
    /* limited to judged_ns, because the cost of recording may exceed the length of short events */
    return tp_ns_min(ns, a->judged_ns);
}

double tp_analysed_set_percent(const struct tp_advisor *a, struct tp_intervals set)
{
    return tp_analysed_percent(a, tp_analysed_length(a, set));
}

struct tp_detail *tp_detail_new(struct tp_arena *arena, const struct tp_detail *detail)
{
    struct tp_detail *copy = tp_arena_alloc(arena, sizeof *copy);
    *copy = *detail;
    return copy;
}

struct tp_detail *tp_detail_join(struct tp_arena *arena, const struct tp_detail *first, const struct tp_detail *second)
{
    struct tp_detail *joined = NULL, **end = &joined;
    for (unsigned n = 0; n < 2; n++)
        for (const struct tp_detail *part = n ? second : first; part; part = part->next) {
            *end = tp_detail_new(arena, part);
            (*end)->next = NULL;
            end = (struct tp_detail **)&(*end)->next;
        }
    return joined;
}

/* Copies the texts of arguments into `arena`. */
static void copy_argument_texts(struct tp_detail_argument *arguments, unsigned count, struct tp_arena *arena)
{
    for (unsigned i = 0; i < count; i++) {
        struct tp_str *text = &arguments[i].text;
        text->ptr = text->len ? tp_arena_copy(arena, text->ptr, text->len) : text->ptr;
    }
}

const struct tp_detail *tp_detail_copy(struct tp_advisor *a, const struct tp_detail *details)
{
    struct tp_arena *arena = a->findings.arena;
    struct tp_detail *copy = tp_detail_join(arena, details, NULL);
    for (struct tp_detail *part = copy; part; part = (struct tp_detail *)part->next)
        copy_argument_texts(part->arguments, TP_DETAIL_ARGUMENTS, arena);
    return copy;
}

struct tp_str tp_advisor_format(struct tp_advisor *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    char *text = tp_arena_alloc(a->arena, (size_t)size + 1);
    vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    va_end(args);
    return (struct tp_str){text, (size_t)size};
}

bool tp_has_time_within(const struct tp_vec *starts, int64_t a, int64_t b)
{
    size_t lo = 0, hi = starts->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (*TP_AT(starts, int64_t, mid) < a)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < starts->count && *TP_AT(starts, int64_t, lo) < b;
}

/* ---- evidence ---- */

static bool has_higher_rank(const struct tp_pick *x, const struct tp_pick *y)
{
    if (x->weight != y->weight)
        return x->weight > y->weight;
    if (x->at != y->at)
        return x->at < y->at;
    if (x->rank != y->rank)
        return x->rank < y->rank;
    return x->event < y->event;
}

void tp_picks_append_event(struct tp_picks *picks, uint32_t event)
{
    picks->total++;
    if (picks->kept < TP_FINDING_EVIDENCE)
        picks->items[picks->kept++] = (struct tp_pick){.event = event, .event_with_shown_line = event};
}

struct tp_pick tp_pick_of_operation(const struct tp_model *model, uint32_t device)
{
    const struct tp_joined_row *joined = tp_joined_row_of(model, device);
    uint32_t launch = model->devices.launch[device];
    return (struct tp_pick){.event = model->devices.event[device],
                            .event_with_shown_line = launch == TP_NO_ID ? TP_NO_ID : model->launches.event[launch],
                            .captured_line = joined && joined->line != TP_NO_ID ? joined->line + 1 : 0};
}

void tp_picks_append_operation(struct tp_picks *picks, const struct tp_model *model, uint32_t device)
{
    picks->total++;
    if (picks->kept < TP_FINDING_EVIDENCE)
        picks->items[picks->kept++] = tp_pick_of_operation(model, device);
}

void tp_picks_add_by_weight(struct tp_picks *picks, struct tp_pick pick)
{
    unsigned at = picks->kept;
    picks->total++;
    while (at && has_higher_rank(&pick, &picks->items[at - 1]))
        at--;
    if (at == TP_FINDING_EVIDENCE)
        return;
    unsigned moved = (picks->kept < TP_FINDING_EVIDENCE ? picks->kept : TP_FINDING_EVIDENCE - 1) - at;
    memmove(&picks->items[at + 1], &picks->items[at], moved * sizeof pick);
    picks->items[at] = pick;
    picks->kept += picks->kept < TP_FINDING_EVIDENCE;
}

void tp_picks_add_by_length(struct tp_picks *picks, const struct tp_model *model, uint32_t event)
{
    const struct tp_event *e = &model->trace->events[event];
    tp_picks_add_by_weight(picks, (struct tp_pick){e->dur_ns, e->ts_ns, 0, event, event, 0});
}

void tp_picks_add_operation_by_length(struct tp_picks *picks, const struct tp_model *model, uint32_t device)
{
    const struct tp_event *e = tp_device_event(model, device);
    if (picks->kept == TP_FINDING_EVIDENCE && e->dur_ns < picks->items[TP_FINDING_EVIDENCE - 1].weight) {
        picks->total++;
        return;
    }
    struct tp_pick pick = tp_pick_of_operation(model, device);
    pick.weight = e->dur_ns;
    pick.at = e->ts_ns;
    tp_picks_add_by_weight(picks, pick);
}

/* ---- fixes ---- */

static void add_fix_item(const struct tp_advisor *a, struct tp_vec *items, uint32_t index, uint32_t part)
{
    if (!a->wants_fixes)
        return;
    if (!items->arena)
        *items = TP_VEC(a->arena, struct tp_fix_item);
    *(struct tp_fix_item *)tp_vec_push(items) = (struct tp_fix_item){index, part};
}

void tp_fix_add_operation(const struct tp_advisor *a, struct tp_fix_draft *fix, uint32_t device, uint32_t part)
{
    add_fix_item(a, &fix->operations, device, part);
}

void tp_fix_add_call(const struct tp_advisor *a, struct tp_fix_draft *fix, uint32_t event, uint32_t part)
{
    add_fix_item(a, &fix->calls, event, part);
}

/* Returns a copy of items in the arena of the findings, and gives the memory of the rules back. */
static struct tp_fix_item *keep_fix_items(const struct tp_advisor *a, const struct tp_vec *items)
{
    struct tp_fix_item *copy = tp_arena_array(a->findings.arena, items->count, sizeof *copy);
    if (items->count)
        memcpy(copy, items->data, items->count * sizeof *copy);
    tp_arena_free_item(a->arena, items->data, items->capacity * sizeof *copy);
    return copy;
}

/* Returns a copy of times in the arena of the findings. */
static struct tp_intervals keep_times(const struct tp_advisor *a, struct tp_intervals times)
{
    struct tp_intervals copy = {tp_arena_array(a->findings.arena, times.count, sizeof *copy.items), times.count};
    if (times.count)
        memcpy(copy.items, times.items, times.count * sizeof *copy.items);
    return copy;
}

/* Sets the fix of a finding; its low and high are set when all rules are evaluated. */
static void keep_fix(const struct tp_advisor *a, struct tp_finding *f, const struct tp_fix_draft *draft)
{
    if (!a->wants_fixes)
        return;
    f->fix = (struct tp_fix){.operations = keep_fix_items(a, &draft->operations),
                             .calls = keep_fix_items(a, &draft->calls),
                             .operation_count = (uint32_t)draft->operations.count,
                             .call_count = (uint32_t)draft->calls.count,
                             .host = keep_times(a, draft->host),
                             .kept = keep_times(a, draft->kept),
                             .spares_host = draft->spares_host,
                             .frees_input = draft->frees_input,
                             .hides_communication = draft->hides_communication};
    f->is_fix_whole = draft->is_whole;
}

/* ---- lines ---- */

static int compare_by_time(const void *x, const void *y, const void *context)
{
    const struct tp_line_time *p = x, *q = y;
    if (p->ns != q->ns)
        return p->ns > q->ns ? -1 : 1;
    return tp_fold_compare(context, p->fold, q->fold);
}

void tp_line_times_sort(struct tp_advisor *a, struct tp_line_time *lines, size_t count)
{
    tp_merge_sort(a->arena, lines, count, sizeof *lines, compare_by_time, a->model);
}

struct tp_detail *tp_line_times_make_detail(struct tp_advisor *a, const struct tp_line_time *lines, size_t count,
                                            size_t most, enum tp_detail_id id)
{
    struct tp_detail *first = NULL, **end = &first;
    for (size_t i = 0; i < count && i < most; i++) {
        double percent = tp_analysed_percent(a, lines[i].ns);
        *end = id == TP_DETAIL_LINE && lines[i].fold.kind == TP_STACK_NONE
                   ? TP_DETAIL(a, TP_DETAIL_NO_EVENT, TP_OF_PERCENT(percent))
                   : TP_DETAIL(a, id, TP_OF_TEXT(tp_fold_text(a->model, lines[i].fold)), TP_OF_PERCENT(percent));
        end = (struct tp_detail **)&(*end)->next;
    }
    return first;
}

/* ---- findings ---- */

static enum tp_severity severity_of_candidate(const struct tp_candidate *c, double share)
{
    if (!c->has_ceiling)
        return c->is_forced ? c->severity : TP_SEVERITY_LOW;
    enum tp_severity severity = tp_severity_by_share(share);
    return c->is_forced && severity <= TP_SEVERITY_MEDIUM ? c->severity : severity;
}

static void lower_confidence_by_flaws(const struct tp_advisor *a, struct tp_finding *f)
{
    const char *id = f->rule->rule_with_same_flaws ? f->rule->rule_with_same_flaws : f->rule->id;
    for (unsigned i = 0; i < TP_QUALITY_FLAGS; i++) {
        const struct tp_quality_flag *flag = &a->quality->flags[i];
        for (unsigned k = 0; k < flag->weakens_count; k++)
            if (strcmp(flag->weakens[k], id) == 0)
                f->weakened_by[f->weakened_by_count++] = flag->id;
    }
}

static void fill_evidence_events(const struct tp_advisor *a, struct tp_finding *f, const struct tp_candidate *c)
{
    for (unsigned i = 0; i < c->picks.kept; i++) {
        const struct tp_event *e = &a->model->trace->events[c->picks.items[i].event];
        f->evidence[i] = (struct tp_evidence){
            .ordinal = e->ordinal,
            .kind = e->kind,
            .ts_ns = tp_sat_sub(e->ts_ns, a->model->first_ns),
            .name = tp_trace_event_name(a->model->trace, e),
            .file_line = tp_pick_line(a, &c->picks.items[i]),
        };
    }
    f->evidence_count = c->picks.kept;
    f->evidence_total = c->picks.total;
    if (c->memory) {
        f->evidence[0] = *c->memory;
        f->evidence_count = 1;
        f->evidence_total = 1;
    }
}

/* Adds a finding, as tp_advisor_add_finding does. Sets *within to the part of the candidate's time that can be
 * analysed. */
static bool add_finding(struct tp_advisor *a, const struct tp_candidate *c, struct tp_intervals *within)
{
    struct tp_intervals none = {NULL, 0};
    if (a->is_left_out[c->rule])
        return false;
    *within = c->has_ceiling ? tp_intervals_intersection(a->arena, c->time, a->judged) : none;
    int64_t ns = tp_analysed_length(a, *within);
    double share = tp_analysed_percent(a, ns);
    enum tp_severity severity = severity_of_candidate(c, share);
    if (c->has_ceiling && severity == TP_SEVERITY_INFO && !c->may_have_severity_info)
        return false;
    const struct tp_rule *rule = tp_rule_at(c->rule);
    struct tp_finding *f = tp_vec_push(&a->findings);
    struct tp_rule_words words = tp_rule_words(rule, a->model->producer);
    f->rule = rule;
    f->title = words.title;
    f->advice = words.advice;
    f->doc_url = words.doc_url;
    words = tp_rule_words_for_use(rule, a->model->producer, a->use);
    f->shown_title = words.title;
    f->shown_advice = words.advice;
    if (c->advice)
        f->advice = f->shown_advice = c->advice;
    f->cause = c->cause ? c->cause : rule->cause;
    lower_confidence_by_flaws(a, f);
    int confidence = (int)rule->confidence - (f->weakened_by_count > 0) - c->lower;
    f->confidence = confidence < 0 ? TP_CONFIDENCE_LOW : (enum tp_confidence)confidence;
    if (f->confidence == TP_CONFIDENCE_LOW && severity == TP_SEVERITY_HIGH)
        severity = TP_SEVERITY_MEDIUM;
    f->severity = severity;
    f->is_first = c->is_first;
    f->ceiling_us_per_step = c->has_ceiling ? tp_microseconds(ns) / a->model->used_count : NAN;
    f->share_percent = c->has_ceiling ? share : c->share > 100 ? 100 : c->share;
    struct tp_rule_gain gain = tp_rule_measured_gain(c->rule);
    f->right = gain.right;
    f->known = gain.known;
    if (c->has_lower_bound)
        gain = (struct tp_rule_gain){.low = c->low, .high = 1};
    f->low_part = gain.low;
    f->high_part = gain.high;
    f->max_width_percent = c->has_lower_bound ? 100 : TP_WIDEST_PERCENT;
    f->gone_with = TP_NO_ID;
    f->time = (uint32_t)a->times.count;
    *(struct tp_intervals *)tp_vec_push(&a->times) = *within;
    f->weight_percent = c->weight > 0 ? c->weight : NAN;
    f->low_percent = f->high_percent = f->counted_percent = NAN;
    f->most_percent = c->most_percent;
    if (c->has_ceiling)
        tp_finding_set_gain(f, share);
    f->details = tp_detail_copy(a, c->details);
    f->detail = TP_STR("");
    f->title_facts = c->title;
    copy_argument_texts(f->title_facts.arguments, TP_TITLE_ARGUMENTS, a->findings.arena);
    fill_evidence_events(a, f, c);
    keep_fix(a, f, &c->fix);
    a->reported[c->rule] = true;
    return true;
}

/* Sets the estimate of a finding to its usual range. If a fix gains at least half of the time, a gain near the upper
 * end is more likely, so the width of the range is limited. Otherwise the range may begin at little or no gain. */
void tp_finding_set_gain(struct tp_finding *f, double left_percent)
{
    static const double MOST = 0.5;
    double high_part = fmin(fmax(f->high_part, 0), 1), low_part = fmin(fmax(f->low_part, 0), high_part);
    f->high_percent = left_percent * high_part;
    f->low_percent = left_percent * low_part;
    if (low_part >= MOST)
        f->low_percent = fmax(f->low_percent, f->high_percent - f->max_width_percent);
    f->counted_percent = f->high_percent;
}

struct tp_finding tp_finding_make_for_run(enum tp_rule_id id, double share_percent)
{
    const struct tp_rule *rule = tp_rule_at(id);
    struct tp_rule_gain gain = tp_rule_measured_gain(id);
    struct tp_finding f = {
        .rule = rule,
        .title = rule->title,
        .advice = rule->advice,
        .shown_title = rule->title,
        .shown_advice = rule->advice,
        .doc_url = rule->doc_url,
        .cause = rule->cause,
        .confidence = rule->confidence,
        .right = gain.right,
        .known = gain.known,
        .severity = tp_severity_by_share(share_percent),
        .share_percent = share_percent,
        .low_part = gain.low,
        .high_part = gain.high,
        .max_width_percent = TP_WIDEST_PERCENT,
    };
    tp_finding_set_gain(&f, share_percent);
    return f;
}

bool tp_advisor_add_finding(struct tp_advisor *a, const struct tp_candidate *candidate)
{
    struct tp_intervals within;
    return add_finding(a, candidate, &within);
}

bool tp_advisor_add_and_claim_time(struct tp_advisor *a, const struct tp_candidate *candidate)
{
    struct tp_intervals within;
    if (!add_finding(a, candidate, &within))
        return false;
    for (size_t i = 0; i < within.count; i++)
        tp_intervals_push(&a->claimed, within.items[i].a, within.items[i].b);
    return true;
}

void tp_advisor_set_details(struct tp_advisor *a, enum tp_rule_id rule, const struct tp_detail *details)
{
    for (size_t i = 0; i < a->findings.count; i++) {
        struct tp_finding *f = TP_AT(&a->findings, struct tp_finding, i);
        if (f->rule == tp_rule_at(rule))
            f->details = tp_detail_join(a->findings.arena, f->details, tp_detail_copy(a, details));
    }
}

void tp_advisor_note_skipped_rule(struct tp_advisor *a, enum tp_rule_id rule, const char *reason)
{
    const struct tp_rule *r = tp_rule_at(rule);
    if (a->lacks_data[rule])
        return;
    for (size_t i = 0; i < a->notes.count; i++)
        if (TP_AT(&a->notes, struct tp_rule_note, i)->rule == r &&
            strcmp(TP_AT(&a->notes, struct tp_rule_note, i)->reason, reason) == 0)
            return;
    *(struct tp_rule_note *)tp_vec_push(&a->notes) = (struct tp_rule_note){r, reason};
}
