/* Builds the parts of the step time by cause, and chooses the part that limits the steps. See answer.h. */
#include "webreport/measure/answer/answer.h"

#include "webreport/measure/answer/answer_strip.h"
#include "webreport/measure/idle/idle_view.h"
#include "webreport/measure/verdict/cause_times.h"
#include "webreport/model/main_thread.h"
#include "webreport/model/numbers.h"
#include "writer/base/stats.h"

/* a gap of at least this length is long, ns */
enum { LONG_GAP_NS = 1000000 };
/* smallest share of a kind of work that the bar shows separately, percent of the step time */
static const double SEGMENT_PERCENT = 5;
/* share of the gap that the function in the headline covers, percent */
static const double FRAME_PERCENT = 90;
enum { MAX_STRIPS = 12 };

static void set_part(struct tp_answer *answer, enum tp_answer_part_kind kind, struct tp_intervals times,
                     bool is_avoidable)
{
    answer->parts[kind] = (struct tp_answer_part){
        .kind = kind, .ns = tp_intervals_length(times), .times = times, .is_avoidable = is_avoidable};
}

static struct tp_intervals joined(struct tp_arena *arena, const struct tp_intervals *sets, size_t count)
{
    size_t filled = 0, last = 0;
    for (size_t i = 0; i < count; i++) {
        filled += sets[i].count > 0;
        last = sets[i].count ? i : last;
    }
    if (filled < 2)
        return sets[last];
    struct tp_vec all = TP_VEC(arena, struct tp_interval);
    for (size_t i = 0; i < count; i++)
        tp_intervals_append(&all, sets[i]);
    return tp_intervals_from_vec(&all);
}

/* Returns the idle time of gaps before collectives that wait at least 1 ms after their call. The headline counts this
 * time as communication. */
static struct tp_intervals awaited_times(const struct tp_model *model, const struct tp_gpu *gpu, struct tp_arena *arena)
{
    struct tp_vec found = TP_VEC(arena, struct tp_interval);
    for (uint32_t i = 0; i < gpu->idle_count; i++) {
        const struct tp_idle_slice *segment = &gpu->idle[i];
        if (segment->part == TP_IDLE_QUEUE && tp_sat_sub(segment->b, segment->a) >= LONG_GAP_NS &&
            segment->next != TP_NO_ID && tp_is_communication(model, segment->next))
            tp_intervals_push(&found, segment->a, segment->b);
    }
    return tp_intervals_from_vec(&found);
}

/* Returns whether at least half of the time is in gaps of at least 1 ms. */
static bool is_mostly_in_long_gaps(struct tp_intervals times)
{
    int64_t long_ns = 0;
    for (size_t i = 0; i < times.count; i++)
        if (tp_sat_sub(times.items[i].b, times.items[i].a) >= LONG_GAP_NS)
            long_ns = tp_sat_add(long_ns, tp_sat_sub(times.items[i].b, times.items[i].a));
    return long_ns > 0 && long_ns >= tp_intervals_length(times) / 2;
}

static const struct tp_gpu *gpu_of_verdict(const struct tp_answer_basis *basis)
{
    const struct tp_model *model = basis->model;
    for (uint32_t g = 0; g < model->gpu_count; g++)
        if (model->gpus[g].id == basis->verdict->device)
            return &model->gpus[g];
    return &model->gpus[0];
}

static void find_parts_with_device(struct tp_answer *answer, const struct tp_answer_basis *basis,
                                   struct tp_arena *arena)
{
    const struct tp_trace_verdict *v = basis->verdict;
    const struct tp_intervals *of = v->times->of;
    bool is_work_the_limit = v->class == TP_CLASS_COMPUTE_BOUND || v->class == TP_CLASS_BALANCED;
    const struct tp_gpu *gpu = gpu_of_verdict(basis);
    struct tp_intervals awaited = awaited_times(basis->model, gpu, arena), queue = tp_find_queue_times(gpu, arena);
    if (awaited.count)
        queue = tp_intervals_difference(arena, queue, awaited);
    set_part(answer, TP_ANSWER_WORK, of[TP_TIME_COMPUTE], is_work_the_limit);
    set_part(answer, TP_ANSWER_INPUT, of[TP_TIME_INPUT], true);
    set_part(answer, is_mostly_in_long_gaps(of[TP_TIME_LAUNCH]) ? TP_ANSWER_CODE : TP_ANSWER_LAUNCH, of[TP_TIME_LAUNCH],
             true);
    set_part(answer, TP_ANSWER_SYNC, of[TP_TIME_SYNC], true);
    set_part(answer, TP_ANSWER_COPY, of[TP_TIME_COPY], true);
    set_part(answer, TP_ANSWER_COMMUNICATION,
             joined(arena, (struct tp_intervals[]){of[TP_TIME_COMMUNICATION], awaited}, 2), true);
    set_part(answer, TP_ANSWER_NOT_SHOWN,
             joined(arena, (struct tp_intervals[]){queue, of[TP_TIME_OUTSIDE], of[TP_TIME_UNKNOWN]}, 3), false);
}

/* Adds a part with the times that no earlier part of a trace without a device has. */
static void set_part_of_rest(struct tp_answer *answer, enum tp_answer_part_kind kind, struct tp_intervals times,
                             struct tp_intervals *rest, struct tp_arena *arena)
{
    set_part(answer, kind, tp_intervals_intersection(arena, times, *rest), true);
    *rest = tp_intervals_difference(arena, *rest, times);
}

static void find_parts_without_device(struct tp_answer *answer, const struct tp_answer_basis *basis,
                                      struct tp_arena *arena)
{
    const struct tp_model *model = basis->model;
    struct tp_intervals rest = model->window;
    bool is_work_the_limit = basis->verdict->class == TP_CLASS_CPU;
    set_part_of_rest(answer, TP_ANSWER_COMMUNICATION, tp_exposed_collectives(model, arena), &rest, arena);
    set_part_of_rest(answer, TP_ANSWER_INPUT, tp_main_thread_loading(model, arena), &rest, arena);
    set_part_of_rest(answer, TP_ANSWER_COPY, tp_main_thread_ranges(model, TP_RANGE_BIT(COPY), arena), &rest, arena);
    set_part_of_rest(answer, TP_ANSWER_SYNC,
                     tp_main_thread_ranges(model, TP_RANGE_BIT(WAIT) | TP_RANGE_BIT(SYNC), arena), &rest, arena);
    set_part_of_rest(answer, TP_ANSWER_WORK, tp_computing_times(model, arena), &rest, arena);
    set_part(answer, TP_ANSWER_BETWEEN, rest, is_work_the_limit);
    answer->parts[TP_ANSWER_WORK].is_avoidable = is_work_the_limit;
}

/* Moves time that cannot be analysed to the part TP_ANSWER_NOT_SHOWN. Returns false if the rules only know its length,
 * so that the bar cannot show it. */
static bool leave_out_unjudged_time(struct tp_answer *answer, const struct tp_answer_basis *basis,
                                    struct tp_arena *arena)
{
    struct tp_intervals judged = basis->recommendations->judged, window = basis->model->window;
    if (basis->verdict->unjudged.reason == TP_UNJUDGED_NOTHING)
        return true;
    struct tp_intervals left = tp_intervals_difference(arena, window, judged);
    if (!left.count)
        return basis->verdict->unjudged.reason >= TP_UNJUDGED_EDGE;
    for (enum tp_answer_part_kind k = 0; k < TP_ANSWER_KINDS; k++)
        set_part(answer, k, tp_intervals_intersection(arena, answer->parts[k].times, judged),
                 answer->parts[k].is_avoidable);
    set_part(answer, TP_ANSWER_NOT_SHOWN,
             joined(arena, (struct tp_intervals[]){left, answer->parts[TP_ANSWER_NOT_SHOWN].times}, 2), false);
    return true;
}

/* ---- the part that the headline names ---- */

static enum tp_answer_part_kind largest_part(const struct tp_answer *answer, enum tp_answer_part_kind except)
{
    enum tp_answer_part_kind best = TP_ANSWER_KINDS;
    for (enum tp_answer_part_kind k = 0; k < TP_ANSWER_KINDS; k++)
        if (k != except && answer->parts[k].is_avoidable && answer->parts[k].ns > 0 &&
            (best == TP_ANSWER_KINDS || answer->parts[k].ns > answer->parts[best].ns))
            best = k;
    return best;
}

static void choose_main_parts(struct tp_answer *answer, const struct tp_trace_verdict *v)
{
    if (v->class == TP_CLASS_NOT_SHOWN || v->unjudged.reason != TP_UNJUDGED_NOTHING)
        for (enum tp_answer_part_kind k = 0; k < TP_ANSWER_KINDS; k++)
            answer->parts[k].is_avoidable = k == TP_ANSWER_NOT_SHOWN;
    answer->main = largest_part(answer, TP_ANSWER_KINDS);
    answer->second = answer->main == TP_ANSWER_KINDS ? TP_ANSWER_KINDS : largest_part(answer, answer->main);
    if (answer->second != TP_ANSWER_KINDS && answer->parts[answer->second].ns / 2 < answer->parts[answer->main].ns / 3)
        answer->second = TP_ANSWER_KINDS;
}

/* ---- kinds of work ---- */

/* Splits the work into its largest kinds. Kernels of several streams overlap, so a kind gets its part of the sum of all
 * durations. */
static void split_work(struct tp_answer_part *part, const struct tp_works *works, unsigned time_column,
                       int64_t whole_ns)
{
    const struct tp_table *rows = &works->rows;
    const int64_t *ns = tp_table_int(rows, time_column);
    double sum = 0;
    int64_t left_ns = part->ns;
    for (size_t i = 0; i < rows->row_count; i++)
        if (tp_work_has_cost(works->kinds[i]) && ns[i] > 0)
            sum += (double)ns[i];
    for (size_t i = 0; i < rows->row_count && part->segment_count + 1 < TP_ANSWER_SEGMENTS && sum > 0; i++) {
        int64_t own_ns = (int64_t)((double)part->ns * (double)ns[i] / sum);
        if (!tp_work_has_cost(works->kinds[i]) || tp_percent(own_ns, whole_ns) < SEGMENT_PERCENT)
            continue;
        part->segments[part->segment_count++] =
            (struct tp_answer_segment){.is_work = true, .work = (enum tp_work)works->kinds[i], .ns = own_ns};
        left_ns -= own_ns;
    }
    if (part->ns > 0)
        part->segments[part->segment_count++] =
            (struct tp_answer_segment){.is_work = true, .work = TP_WORK_COUNT, .ns = left_ns};
}

/* Splits the work of a program that records ranges: the range that the headline names, and the rest. */
static void split_off_largest_range(struct tp_answer *answer, const struct tp_trace_verdict *v)
{
    struct tp_answer_part *part = &answer->parts[TP_ANSWER_WORK];
    int64_t ns = (int64_t)((double)answer->whole_ns * v->largest.percent / 100);
    if (answer->has_device || v->headline_id != TP_HEADLINE_RANGES || !v->largest.name.len ||
        part->segment_count != 1 || ns <= 0)
        return;
    ns = ns < part->ns ? ns : part->ns;
    part->segments[part->segment_count++] = part->segments[0];
    part->segments[0] = (struct tp_answer_segment){.name = v->largest.name, .ns = ns};
    part->segments[1].ns -= ns;
}

static const struct tp_idle_device *idle_of_verdict(const struct tp_answer_basis *basis)
{
    for (uint32_t i = 0; i < basis->idle->device_count; i++)
        if (basis->idle->devices[i].device == basis->verdict->device)
            return &basis->idle->devices[i];
    return NULL;
}

/* Returns the innermost function that covers 90 % of the time in which the device waits for the host. */
static struct tp_str find_frame(const struct tp_idle_device *device)
{
    struct tp_str found = {NULL, 0};
    uint32_t at = 0;
    if (!device || !device->node_count)
        return found;
    int64_t least_ns = (int64_t)((double)device->nodes[0].total_starved_ns * FRAME_PERCENT / 100);
    for (uint32_t i = 1; i < device->node_count && least_ns > 0; i++) {
        const struct tp_flame_node *node = &device->nodes[i];
        if (node->parent != at || node->total_starved_ns < least_ns)
            continue;
        at = i; /* the node's children follow in depth-first order */
        if (node->kind == TP_STACK_FRAME || node->kind == TP_STACK_ANNOTATION)
            found = node->text;
    }
    return found;
}

/* Returns the source line with the most time in which the device waits for the host, if it has two thirds of it. */
static struct tp_str find_line(const struct tp_idle_device *device)
{
    struct tp_str found = {NULL, 0};
    int64_t best_ns = 0;
    if (!device || !device->node_count)
        return found;
    const int64_t *ns = tp_table_int(&device->by_line, TP_IDLE_LINE_STARVED);
    for (size_t i = 0; i < device->by_line.row_count; i++) {
        if (ns[i] <= best_ns)
            continue;
        best_ns = ns[i];
        bool is_line = tp_str_equal(tp_table_text(&device->by_line, TP_IDLE_LINE_KIND)[i], TP_STR("line"));
        found = is_line ? tp_table_text(&device->by_line, TP_IDLE_LINE_LINE)[i] : (struct tp_str){NULL, 0};
    }
    return best_ns / 2 >= device->nodes[0].total_starved_ns / 3 ? found : (struct tp_str){NULL, 0};
}

/* ---- findings ---- */

static void assign_findings(struct tp_answer *answer, const struct tp_recommendations *found, struct tp_arena *arena)
{
    answer->part_of_finding = tp_arena_array(arena, found->finding_count + 1, sizeof *answer->part_of_finding);
    for (uint32_t i = 0; i < found->finding_count; i++) {
        int64_t most_ns = 0;
        answer->part_of_finding[i] = TP_ANSWER_KINDS;
        for (enum tp_answer_part_kind k = 0; k < TP_ANSWER_KINDS; k++) {
            int64_t ns = tp_intervals_intersection_length(answer->parts[k].times, found->findings[i].spans);
            if (ns <= most_ns)
                continue;
            most_ns = ns;
            answer->part_of_finding[i] = k;
        }
    }
}

/* ---- steps ---- */

static void find_steps(struct tp_answer *answer, const struct tp_model *model, struct tp_arena *arena)
{
    answer->steps = tp_arena_array(arena, model->used_count + 1, sizeof *answer->steps);
    for (uint32_t i = 0; i < model->step_count && answer->step_count < model->used_count; i++) {
        const struct tp_step *step = &model->steps[i];
        if (!tp_step_is_used(step))
            continue;
        struct tp_answer_step *row = &answer->steps[answer->step_count++];
        row->step = i;
        for (enum tp_answer_part_kind k = 0; k < TP_ANSWER_KINDS; k++)
            row->part_ns[k] = tp_intervals_length_within(answer->parts[k].times, step->start_ns, step->end_ns);
    }
}

static int64_t length_of_step(const struct tp_model *model, uint32_t step)
{
    return tp_sat_sub(model->steps[step].end_ns, model->steps[step].start_ns);
}

/* Returns the step of median length; of two middle steps the shorter one; of equal steps the first. */
static uint32_t median_step(const struct tp_answer *answer, const struct tp_model *model, struct tp_arena *arena)
{
    int64_t *ns = tp_arena_array(arena, answer->step_count, sizeof *ns);
    uint32_t i = 0;
    for (uint32_t k = 0; k < answer->step_count; k++)
        ns[k] = length_of_step(model, answer->steps[k].step);
    int64_t median = tp_lower_median(ns, answer->step_count);
    while (length_of_step(model, answer->steps[i].step) != median)
        i++;
    return answer->steps[i].step;
}

static void build_strips(struct tp_answer *answer, const struct tp_answer_basis *basis, struct tp_arena *arena)
{
    uint32_t median = median_step(answer, basis->model, arena);
    answer->strips = tp_arena_array(arena, MAX_STRIPS, sizeof *answer->strips);
    tp_answer_build_strip(&answer->strips[answer->strip_count++], answer, basis, median, arena);
    for (uint32_t i = 0; i < answer->step_count && answer->step_count <= MAX_STRIPS; i++)
        if (answer->steps[i].step != median)
            tp_answer_build_strip(&answer->strips[answer->strip_count++], answer, basis, answer->steps[i].step, arena);
}

void tp_answer_init(struct tp_answer *answer)
{
    *answer = (struct tp_answer){.main = TP_ANSWER_KINDS, .second = TP_ANSWER_KINDS};
}

void tp_answer_find_parts(struct tp_answer *answer, const struct tp_answer_basis *basis, struct tp_arena *arena)
{
    answer->has_device = basis->verdict->times != NULL;
    answer->whole_ns = basis->model->window_ns;
    if (answer->has_device)
        find_parts_with_device(answer, basis, arena);
    else
        find_parts_without_device(answer, basis, arena);
    if (!leave_out_unjudged_time(answer, basis, arena))
        answer->whole_ns = 0;
}

/* The state while the answer is built. */
struct building {
    struct tp_answer *answer;
    const struct tp_answer_basis *basis;
    struct tp_arena *arena;  /* results */
    struct tp_arena scratch; /* times of the parts, which can need as much memory as the gaps of the device */
};

static int build_answer(void *context, struct tp_error *err)
{
    struct building *b = context;
    struct tp_answer *answer = b->answer;
    (void)err;
    tp_answer_find_parts(answer, b->basis, &b->scratch);
    if (answer->has_device) {
        answer->frame = find_frame(idle_of_verdict(b->basis));
        answer->line = find_line(idle_of_verdict(b->basis));
    }
    choose_main_parts(answer, b->basis->verdict);
    split_work(&answer->parts[TP_ANSWER_WORK],
               answer->has_device ? &b->basis->works->devices : &b->basis->works->operators,
               answer->has_device ? TP_WORK_IN_STEPS : TP_WORK_TOTAL, answer->whole_ns);
    split_off_largest_range(answer, b->basis->verdict);
    assign_findings(answer, b->basis->recommendations, b->arena);
    find_steps(answer, b->basis->model, b->arena);
    if (answer->step_count)
        build_strips(answer, b->basis, b->arena);
    for (enum tp_answer_part_kind k = 0; k < TP_ANSWER_KINDS; k++)
        answer->parts[k].times = (struct tp_intervals){NULL, 0};
    return TP_OK;
}

void tp_answer_build(struct tp_answer *answer, const struct tp_answer_basis *basis, struct tp_arena *arena)
{
    const struct tp_model *model = basis->model;
    const struct tp_trace_verdict *v = basis->verdict;
    struct building building = {.answer = answer, .basis = basis, .arena = arena};
    tp_answer_init(answer);
    bool is_host = model->program == TP_RECORDED_CPU && model->host_main != TP_NO_ID;
    if (!model->window_ns || !v->steps_used || (!v->times && !is_host) || v->class >= TP_CLASS_PROGRAM)
        return;
    tp_arena_init(&building.scratch, arena->max_bytes);
    int code = tp_arena_run_both(&building.scratch, arena, build_answer, &building, NULL);
    tp_arena_release(&building.scratch);
    if (code)
        tp_arena_fail(arena, code);
}

/* ---- fields ---- */

const char *tp_answer_part_text(enum tp_answer_part_kind part)
{
    static const char *const texts[TP_ANSWER_KINDS] = {[TP_ANSWER_WORK] = "work",
                                                       [TP_ANSWER_INPUT] = "input",
                                                       [TP_ANSWER_CODE] = "code",
                                                       [TP_ANSWER_LAUNCH] = "launch",
                                                       [TP_ANSWER_SYNC] = "sync",
                                                       [TP_ANSWER_COPY] = "copy",
                                                       [TP_ANSWER_COMMUNICATION] = "communication",
                                                       [TP_ANSWER_BETWEEN] = "between",
                                                       [TP_ANSWER_NOT_SHOWN] = "not-judged"};
    return part < TP_ANSWER_KINDS ? texts[part] : NULL;
}

static struct tp_json_value cause_of_answer(const struct tp_record *record)
{
    const struct tp_answer *answer = record->at;
    const char *text = tp_answer_part_text(answer->main);
    return text ? tp_json_value_text(text) : tp_json_value_null();
}

static bool next_part(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_answer *answer = record->at;
    if (*cursor >= TP_ANSWER_KINDS)
        return false;
    item->key = tp_str_of(tp_answer_part_text((enum tp_answer_part_kind) * cursor));
    item->value = tp_json_value_us(answer->parts[(*cursor)++].ns);
    return true;
}

#define F struct tp_answer
static const struct tp_json_field fields[] = {
    {"headline", TP_PLAIN(F, headline),
     TP_DEFINITION("the headline of the page: what limits the steps, how much time it takes, and what to do")},
    {"text", TP_PLAIN(F, why), TP_DEFINITION("the sentences below the headline; may be empty")},
    {"cause", TP_COMPUTED(TP_AS_WORD, cause_of_answer),
     TP_DEFINITION(
         "the largest part of `parts_us` that a change of the program can shorten; null without such a part")},
    {"parts_us", TP_MAP(next_part, NULL), TP_ONLY_IF(F, whole_ns),
     TP_DEFINITION("time of each part of the analysed steps, such as input or work; absent if no part can be judged")},
};
#undef F
const struct tp_fields tp_answer_fields = TP_FIELDS("Answer", fields);
