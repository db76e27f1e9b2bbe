/* Simulates jobs. See plan.h. */
#include "tests/job/plan.h"

#include <stdio.h>

const char *const plan_fault_names[PLAN_FAULTS] = {"clean",     "compute",    "host",     "data",      "link",
                                                   "imbalance", "changing",   "missing",  "more-work", "even",
                                                   "slow-host", "host-input", "stage",    "half",      "late-slow",
                                                   "moving",    "pauses",     "sequence", "host-link", "all-links"};

enum { SEGMENTS = PLAN_SEGMENTS, BUCKETS = PLAN_BUCKETS, MS = 1000000, KERNELS = 8 };
static const double BYTES_PER_NS = 80; /* bandwidth of a link, bytes per ns */

/* ---- random numbers ---- */

static uint64_t mix_bits(uint64_t x)
{
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

/* Returns a random number from 0 to 1. It depends only on the seed and the arguments, so the order of calls does not
 * matter. */
static double random_share(const struct plan *plan, uint64_t what, uint64_t x, uint64_t y)
{
    return (double)(mix_bits(mix_bits(mix_bits(plan->seed * 131 + what) ^ x) ^ (y + 77)) >> 11) / 9007199254740992.0;
}

/* Returns a random number from 1 - share to 1 + share. */
static double random_factor_near_one(const struct plan *plan, uint64_t what, uint64_t x, uint64_t y, double share)
{
    double sum = 0;
    for (uint64_t i = 0; i < 3; i++)
        sum += random_share(plan, what * 8 + i, x, y);
    return 1 + share * (sum / 1.5 - 1);
}

enum {
    CHANCE_VICTIM = 1,
    CHANCE_CLOCK,
    CHANCE_COMPUTE,
    CHANCE_HOST,
    CHANCE_DATA,
    CHANCE_WIRE,
    CHANCE_END,
    CHANCE_WORK
};

/* ---- layout ---- */

struct place {
    uint32_t tensor, data, stage;
};

static uint32_t data_group_count(const struct plan *plan)
{
    return plan->ranks / (plan->tensor * plan->pipeline);
}

static struct place place_of_rank(const struct plan *plan, uint32_t rank)
{
    uint32_t data = data_group_count(plan);
    return (struct place){rank % plan->tensor, rank / plan->tensor % data, rank / plan->tensor / data};
}

enum plan_kind plan_call_kind(uint32_t call)
{
    uint32_t at = call % PLAN_CALLS;
    return at < SEGMENTS ? PLAN_TENSOR : at < SEGMENTS + BUCKETS ? PLAN_DATA : PLAN_WORLD;
}

uint32_t plan_rank_group(const struct plan *plan, enum plan_kind kind, uint32_t rank)
{
    struct place place = place_of_rank(plan, rank);
    return kind == PLAN_TENSOR ? rank / plan->tensor
           : kind == PLAN_DATA ? place.stage * plan->tensor + place.tensor
                               : 0;
}

uint32_t plan_group_size(const struct plan *plan, enum plan_kind kind)
{
    return kind == PLAN_TENSOR ? plan->tensor : kind == PLAN_DATA ? data_group_count(plan) : plan->ranks;
}

int64_t plan_call_bytes(uint32_t call)
{
    static const int64_t buckets[BUCKETS] = {64 << 20, 25 << 20};
    uint32_t at = call % (SEGMENTS + BUCKETS + 1);
    return at < SEGMENTS ? 16 << 20 : at < SEGMENTS + BUCKETS ? buckets[at - SEGMENTS] : 4;
}

/* ---- faults ---- */

static void choose_victims_of_fault(struct plan *plan, struct tp_arena *arena)
{
    uint32_t of = plan->fault == PLAN_SLOW_LINK ? plan->tensor * plan->pipeline : plan->ranks;
    plan->victims = plan->victims ? plan->victims : 1;
    plan->victim = tp_arena_array(arena, plan->victims, sizeof *plan->victim);
    for (uint32_t v = 0; v < plan->victims; v++) /* evenly spaced victims, beginning at a random rank or group */
        plan->victim[v] =
            (uint32_t)(random_share(plan, CHANCE_VICTIM, 0, 0) * of + (double)v * of / plan->victims) % of;
}

static bool is_victim_number(const struct plan *plan, uint32_t number)
{
    for (uint32_t v = 0; v < plan->victims; v++)
        if (plan->victim[v] == number)
            return true;
    return false;
}

static bool is_rank_on_slow_host(const struct plan *plan, uint32_t rank)
{
    for (uint32_t v = 0; v < plan->victims; v++)
        if (plan->victim[v] / PLAN_HOST_RANKS == rank / PLAN_HOST_RANKS)
            return true;
    return false;
}

/* Returns whether a rank of this data group is on the slow host. */
static bool is_on_slow_host(const struct plan *plan, uint32_t group)
{
    uint32_t stage = group / plan->tensor, tensor = group % plan->tensor;
    for (uint32_t d = 0; d < data_group_count(plan); d++)
        if (is_rank_on_slow_host(plan, (stage * data_group_count(plan) + d) * plan->tensor + tensor))
            return true;
    return false;
}

/* Returns the share of all pairs of rank and step that a fault of single steps affects, from 0 to 1. */
static double fault_step_share(enum plan_fault fault)
{
    return fault == PLAN_MOVING ? 0.02 : 0.06;
}

/* Returns whether the fault affects the rank in this step. step UINT32_MAX: in any step. */
static bool is_affected_by_fault(const struct plan *plan, uint32_t rank, uint32_t step)
{
    switch (plan->fault) {
    case PLAN_CLEAN:
    case PLAN_EVEN:
        return false;
    case PLAN_SLOW_HOST:
    case PLAN_HOST_INPUT:
        return is_rank_on_slow_host(plan, rank);
    case PLAN_STAGE:
        return place_of_rank(plan, rank).stage == plan->pipeline - 1;
    case PLAN_HALF:
        return random_share(plan, CHANCE_WORK, rank, 1) < 0.5;
    case PLAN_LATE_SLOW:
        return is_victim_number(plan, rank) && step >= plan->steps / 2;
    case PLAN_MOVING:
    case PLAN_PAUSES:
        if (step != UINT32_MAX)
            return random_share(plan, CHANCE_WORK, rank, 2 + step) < fault_step_share(plan->fault);
        for (uint32_t s = 0; s < plan->steps; s++)
            if (random_share(plan, CHANCE_WORK, rank, 2 + s) < fault_step_share(plan->fault))
                return true;
        return false;
    case PLAN_SLOW_LINK:
        return is_victim_number(plan, plan_rank_group(plan, PLAN_DATA, rank));
    case PLAN_HOST_LINK:
        return is_on_slow_host(plan, plan_rank_group(plan, PLAN_DATA, rank));
    case PLAN_SEQUENCE:
    case PLAN_ALL_LINKS:
        return true;
    default:
        return is_victim_number(plan, rank);
    }
}

bool plan_is_victim(const struct plan *plan, uint32_t rank)
{
    return is_affected_by_fault(plan, rank, UINT32_MAX);
}

/* Returns the length of a replica's batch in a step, as a factor of the usual length. */
static double batch_length(const struct plan *plan, uint32_t data, uint32_t step)
{
    return 0.8 + 0.4 * random_share(plan, CHANCE_WORK, data, step);
}

/* Returns the work to add to each rank in the run without the fault, ns. In that run, stages and batches have their
 * mean length, so that both runs have the same total work. */
static int64_t added_work_without_fault_ns(const struct plan *plan)
{
    if (plan->fault == PLAN_STAGE)
        return (int64_t)(plan->percent * MS / plan->pipeline);
    if (plan->fault != PLAN_SEQUENCE)
        return 0;
    double sum = 0, count = (double)data_group_count(plan) * plan->steps;
    for (uint32_t d = 0; d < data_group_count(plan); d++)
        for (uint32_t s = 0; s < plan->steps; s++)
            sum += batch_length(plan, d, s);
    return (int64_t)((sum / count - 1) * 70 * MS);
}

/* Adds the time of the fault to the parts of a step. */
static void add_fault(const struct plan *plan, uint32_t rank, uint32_t step, double *parts)
{
    enum { COMPUTE, HOST, DATA };
    static const int8_t part_of[PLAN_FAULTS] = {
        [PLAN_LATE_HOST] = HOST + 1,    [PLAN_SLOW_DATA] = DATA + 1,    [PLAN_SLOW_COMPUTE] = COMPUTE + 1,
        [PLAN_MORE_WORK] = COMPUTE + 1, [PLAN_SLOW_HOST] = COMPUTE + 1, [PLAN_HOST_INPUT] = DATA + 1,
        [PLAN_STAGE] = COMPUTE + 1,     [PLAN_HALF] = COMPUTE + 1,      [PLAN_LATE_SLOW] = COMPUTE + 1,
        [PLAN_MOVING] = COMPUTE + 1,    [PLAN_PAUSES] = HOST + 1};
    if (part_of[plan->fault] && is_affected_by_fault(plan, rank, step))
        parts[part_of[plan->fault] - 1] += plan->percent * MS;
    if (plan->fault == PLAN_IMBALANCE)
        parts[COMPUTE] *= 0.75 + 0.5 * random_share(plan, CHANCE_WORK, rank, 0);
    if (plan->fault == PLAN_CHANGING_IMBALANCE)
        parts[COMPUTE] *= 0.75 + 0.5 * random_share(plan, CHANCE_WORK, rank, step);
    if (plan->fault == PLAN_SEQUENCE)
        parts[COMPUTE] *= batch_length(plan, place_of_rank(plan, rank).data, step);
}

/* Fills the time of each part of a step on one rank, without waits. */
static void fill_step_work(struct plan *plan, uint32_t rank, uint32_t step)
{
    size_t at = (size_t)rank * plan->steps + step;
    double stage = plan->is_even ? 1 : 1 + 0.3 * place_of_rank(plan, rank).stage;
    double parts[] = {70.0 * MS * stage * random_factor_near_one(plan, CHANCE_COMPUTE, rank, step, 0.02),
                      20.0 * MS * random_factor_near_one(plan, CHANCE_HOST, rank, step, 0.04),
                      5.0 * MS * random_factor_near_one(plan, CHANCE_DATA, rank, step, 0.1)};
    add_fault(plan, rank, step, parts);
    plan->compute_ns[at] = (int64_t)parts[0] + plan->added_without_fault_ns;
    plan->host_ns[at] = (int64_t)parts[1];
    plan->data_ns[at] = (int64_t)parts[2];
}

/* Returns the transfer time of one call of a group, ns. Groups of the same kind take equally long, except slow
 * groups. */
static int64_t transfer_time_of_call_ns(const struct plan *plan, uint32_t call, uint32_t group)
{
    enum plan_kind kind = plan_call_kind(call);
    double n = plan_group_size(plan, kind), ns = 20000 + (double)plan_call_bytes(call) * 2 * (n - 1) / n / BYTES_PER_NS;
    bool is_slow = (plan->fault == PLAN_SLOW_LINK && is_victim_number(plan, group)) ||
                   (plan->fault == PLAN_HOST_LINK && is_on_slow_host(plan, group)) || plan->fault == PLAN_ALL_LINKS;
    if (kind == PLAN_DATA && is_slow)
        ns *= 10;
    return (int64_t)(ns * random_factor_near_one(plan, CHANCE_WIRE, call, (uint64_t)kind * 1000003 + group, 0.05));
}

/* ---- running ---- */

/* Simulates one call of all groups of the same kind. The ranks of a group leave when the last one has arrived and the
 * transfer has ended. */
static void simulate_call(struct plan *plan, uint32_t call, int64_t *now, int64_t *last)
{
    enum plan_kind kind = plan_call_kind(call);
    uint32_t groups = plan->ranks / plan_group_size(plan, kind);
    for (uint32_t g = 0; g < groups; g++)
        last[g] = 0;
    for (uint32_t r = 0; r < plan->ranks; r++) {
        uint32_t g = plan_rank_group(plan, kind, r);
        plan->arrival_ns[(size_t)r * plan->calls + call] = now[r];
        last[g] = now[r] > last[g] ? now[r] : last[g];
    }
    for (uint32_t g = 0; g < groups; g++)
        last[g] += transfer_time_of_call_ns(plan, call, g);
    for (uint32_t r = 0; r < plan->ranks; r++) {
        now[r] = last[plan_rank_group(plan, kind, r)] + (int64_t)(4000 * random_share(plan, CHANCE_END, r, call));
        plan->end_ns[(size_t)r * plan->calls + call] = now[r];
    }
}

static void simulate_step(struct plan *plan, uint32_t step, int64_t *now, int64_t *last)
{
    uint32_t first = step * (SEGMENTS + BUCKETS + 1);
    for (uint32_t r = 0; r < plan->ranks; r++) {
        size_t at = (size_t)r * plan->steps + step;
        fill_step_work(plan, r, step);
        plan->step_start[at] = now[r];
        now[r] += plan->data_ns[at] + plan->host_ns[at];
    }
    for (uint32_t i = 0; i < SEGMENTS + BUCKETS + 1; i++) {
        for (uint32_t r = 0; r < plan->ranks && i < SEGMENTS; r++)
            now[r] += plan->compute_ns[(size_t)r * plan->steps + step] / SEGMENTS;
        simulate_call(plan, first + i, now, last);
    }
    for (uint32_t r = 0; r < plan->ranks; r++)
        plan->step_end[(size_t)r * plan->steps + step] = now[r];
}

/* Simulates all steps. Returns the time at which the last rank finishes, ns. */
static int64_t simulate_steps(struct plan *plan, int64_t *now, int64_t *last)
{
    int64_t end = 0;
    for (uint32_t r = 0; r < plan->ranks; r++)
        now[r] = 0;
    for (uint32_t s = 0; s < plan->steps; s++)
        simulate_step(plan, s, now, last);
    for (uint32_t r = 0; r < plan->ranks; r++)
        end = now[r] > end ? now[r] : end;
    return end;
}

/* Sets the clock of each rank and the time at which its recording starts. */
static void set_clocks_of_ranks(struct plan *plan)
{
    for (uint32_t r = 0; r < plan->ranks; r++) {
        int64_t off = (int64_t)(7.2e12 * (random_share(plan, CHANCE_CLOCK, r, 0) - 0.5));
        for (uint32_t c = 0; c < plan->calls; c++) {
            plan->arrival_ns[(size_t)r * plan->calls + c] += off;
            plan->end_ns[(size_t)r * plan->calls + c] += off;
        }
        for (uint32_t s = 0; s < plan->steps; s++) {
            plan->step_start[(size_t)r * plan->steps + s] += off;
            plan->step_end[(size_t)r * plan->steps + s] += off;
        }
    }
}

void plan_simulate(struct plan *plan, struct tp_arena *arena)
{
    size_t cells = (size_t)plan->ranks * plan->steps;
    plan->percent = plan->percent > 0 ? plan->percent : 20;
    plan->calls = plan->steps * (SEGMENTS + BUCKETS + 1);
    plan->arrival_ns = tp_arena_array(arena, (size_t)plan->ranks * plan->calls, sizeof(int64_t));
    plan->end_ns = tp_arena_array(arena, (size_t)plan->ranks * plan->calls, sizeof(int64_t));
    plan->step_start = tp_arena_array(arena, cells, sizeof(int64_t));
    plan->step_end = tp_arena_array(arena, cells, sizeof(int64_t));
    plan->compute_ns = tp_arena_array(arena, cells, sizeof(int64_t));
    plan->host_ns = tp_arena_array(arena, cells, sizeof(int64_t));
    plan->data_ns = tp_arena_array(arena, cells, sizeof(int64_t));
    int64_t *now = tp_arena_array(arena, plan->ranks, sizeof *now);
    int64_t *last = tp_arena_array(arena, plan->ranks, sizeof *last);
    choose_victims_of_fault(plan, arena);
    /* jobs with any other fault get equal stages, because a fault in a fast stage could cost nothing */
    plan->is_even =
        plan->fault != PLAN_CLEAN && plan->fault != PLAN_IMBALANCE && plan->fault != PLAN_CHANGING_IMBALANCE;
    int64_t with_ns = simulate_steps(plan, now, last);
    enum plan_fault fault = plan->fault;
    plan->added_without_fault_ns = added_work_without_fault_ns(plan);
    plan->fault = fault > PLAN_EVEN ? PLAN_EVEN : PLAN_CLEAN;
    plan->loss_percent = 100 * (1 - (double)simulate_steps(plan, now, last) / (double)with_ns);
    plan->fault = fault;
    plan->added_without_fault_ns = 0;
    simulate_steps(plan, now, last);
    set_clocks_of_ranks(plan);
}

/* ---- summaries ---- */

/* Returns the texts `before` and `after` with the number between them. */
static struct tp_str join_text_and_number(struct tp_arena *arena, const char *before, long long number,
                                          const char *after)
{
    char made[96];
    int size = snprintf(made, sizeof made, "%s%lld%s", before, number, after);
    return (struct tp_str){tp_arena_copy(arena, made, (size_t)size), (size_t)size};
}

static void add_steps(const struct plan *plan, uint32_t rank, struct tp_summary *summary, struct tp_arena *arena)
{
    summary->step_count = plan->steps;
    summary->steps = tp_arena_array(arena, plan->steps, sizeof *summary->steps);
    for (uint32_t s = 0; s < plan->steps; s++) {
        struct tp_summary_step *step = &summary->steps[s];
        size_t at = (size_t)rank * plan->steps + s;
        step->name = join_text_and_number(arena, "", s, "");
        step->start_ns = plan->step_start[at] - plan->step_start[(size_t)rank * plan->steps];
        step->total_ns = plan->step_end[at] - plan->step_start[at];
        for (unsigned p = 0; p < TP_PART_COUNT; p++)
            step->part_ns[p] = 0;
        step->part_ns[TP_PART_KERNEL] = plan->compute_ns[at];
        step->part_ns[TP_PART_DATALOADER] = plan->data_ns[at];
        step->part_ns[TP_PART_RUNTIME] = plan->host_ns[at] / 4;
        step->part_ns[TP_PART_CPU_EXEC] = plan->host_ns[at] / 2;
        step->part_ns[TP_PART_COMMUNICATION] = step->part_ns[TP_PART_EXPOSED_COMMUNICATION] =
            step->total_ns - plan->compute_ns[at] - plan->data_ns[at] - plan->host_ns[at];
        step->part_ns[TP_PART_OTHER] = plan->host_ns[at] - plan->host_ns[at] / 4 - plan->host_ns[at] / 2;
    }
}

static void add_calls(const struct plan *plan, uint32_t rank, struct tp_summary *summary, struct tp_arena *arena)
{
    static const char *const outermost_operators_text[] = {"tensor ", "data ", "world "};
    int64_t origin = plan->step_start[(size_t)rank * plan->steps];
    summary->collectives = tp_arena_array(arena, plan->calls, sizeof *summary->collectives);
    for (uint32_t c = 0; c < plan->calls; c++) {
        enum plan_kind kind = plan_call_kind(c);
        size_t at = (size_t)rank * plan->calls + c;
        if (plan_group_size(plan, kind) < 2)
            continue;
        summary->collectives[summary->collective_count++] = (struct tp_summary_collective){
            .name = TP_STR("nccl:all_reduce"),
            .group = join_text_and_number(arena, outermost_operators_text[kind], plan_rank_group(plan, kind, rank), ""),
            .dtype = TP_STR("BFloat16"),
            .sequence = c,
            .bytes = plan_call_bytes(c),
            .group_size = plan_group_size(plan, kind),
            .arrival_ns = plan->arrival_ns[at] - origin,
            .duration_ns = plan->end_ns[at] - plan->arrival_ns[at],
            .step = c / (SEGMENTS + BUCKETS + 1)};
    }
}

/* Adds the data for the distributed view: one range per call. */
static void add_comparison(const struct plan *plan, struct tp_summary *summary, struct tp_arena *arena)
{
    struct tp_rank_summary *seen = tp_arena_alloc(arena, sizeof *seen);
    uint32_t count = summary->collective_count;
    seen->worker = summary->key.worker;
    seen->label_count = plan->steps;
    seen->labels = tp_arena_array(arena, plan->steps, sizeof *seen->labels);
    tp_rank_overlap_init(&seen->overlap, plan->steps, arena);
    for (uint32_t s = 0; s < plan->steps; s++) {
        const struct tp_summary_step *step = &summary->steps[s];
        seen->labels[s] = tp_table_text(&seen->overlap, TP_OVERLAP_STEP)[s] = step->name;
        tp_table_int(&seen->overlap, TP_OVERLAP_COMPUTATION)[s] = step->part_ns[TP_PART_KERNEL];
        tp_table_int(&seen->overlap, TP_OVERLAP_COMMUNICATION)[s] = step->part_ns[TP_PART_COMMUNICATION];
        tp_table_int(&seen->overlap, TP_OVERLAP_OTHER)[s] =
            step->total_ns - step->part_ns[TP_PART_KERNEL] - step->part_ns[TP_PART_COMMUNICATION];
    }
    seen->record_count = seen->range_count = count;
    seen->records = tp_arena_array(arena, count, sizeof *seen->records);
    seen->ranges = tp_arena_array(arena, count, sizeof *seen->ranges);
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_summary_collective *call = &summary->collectives[i];
        seen->ranges[i] = (struct tp_interval){call->arrival_ns, call->arrival_ns + call->duration_ns};
        seen->records[i] = (struct tp_rank_record){.name = call->name,
                                                   .step = call->step,
                                                   .first_range = i,
                                                   .range_count = 1,
                                                   .kernel_count = 1,
                                                   .bytes = call->bytes,
                                                   .kernel_time_ns = call->duration_ns,
                                                   .meta = {call->dtype, {NULL, 0}, call->group, {NULL, 0}}};
    }
    summary->comparison = seen;
}

static void fill_row(const struct plan *plan, struct tp_summary_row *row, int64_t count, const int64_t *ns,
                     struct tp_arena *arena)
{
    int64_t sum = 0;
    row->owner = TP_STR("aten::linear");
    row->shape = TP_STR("[[4096, 4096], [4096]]");
    row->dtype = TP_STR("['c10::BFloat16']");
    row->bytes = TP_NULL_INT;
    row->by_step_ns = tp_arena_array(arena, plan->steps, sizeof(int64_t));
    row->by_step_count = tp_arena_array(arena, plan->steps, sizeof(int64_t));
    for (uint32_t s = 0; s < plan->steps; s++) {
        row->by_step_ns[s] = ns[s];
        row->by_step_count[s] = count;
        sum += ns[s];
    }
    int64_t calls = count * plan->steps, mean = sum / (calls ? calls : 1);
    row->time = (struct tp_sketch){.count = calls, .sum_ns = mean * calls, .min_ns = mean, .max_ns = mean};
    row->time.square_sum_ns2 = (double)mean * (double)mean * (double)calls;
    row->time.bucket_count = calls > 0;
    row->time.buckets = tp_arena_array(arena, 1, sizeof *row->time.buckets);
    *row->time.buckets = (struct tp_sketch_bucket){tp_sketch_bucket(mean), calls};
}

/* Adds the rows of operators, then the rows of kernels, each sorted by time, longest first. */
static void add_rows(const struct plan *plan, uint32_t rank, struct tp_summary *summary, struct tp_arena *arena)
{
    uint32_t stage = place_of_rank(plan, rank).stage, kernels = KERNELS + plan->rows / 2,
             operators = KERNELS + plan->rows / 2;
    int64_t *ns = tp_arena_array(arena, plan->steps, sizeof *ns);
    bool has_more = plan->fault == PLAN_MORE_WORK && plan_is_victim(plan, rank);
    summary->rows = tp_arena_array(arena, (size_t)kernels + operators, sizeof *summary->rows);
    for (uint32_t i = 0; i < operators; i++) {
        struct tp_summary_row *row = &summary->rows[summary->row_count++];
        for (uint32_t s = 0; s < plan->steps; s++)
            ns[s] = plan->host_ns[(size_t)rank * plan->steps + s] / 2 / (i + 3);
        row->kind = TP_SUMMARY_OPERATOR_HOST;
        row->name = join_text_and_number(arena, "aten::operator_", i, "");
        fill_row(plan, row, 12, ns, arena);
    }
    for (uint32_t i = 0; i < kernels; i++) {
        struct tp_summary_row *row = &summary->rows[summary->row_count++];
        for (uint32_t s = 0; s < plan->steps; s++)
            ns[s] = plan->compute_ns[(size_t)rank * plan->steps + s] / (i + 3);
        row->kind = TP_SUMMARY_KERNEL;
        row->name = join_text_and_number(arena, stage % 2 ? "sm90_gemm_" : "ampere_gemm_", i + 100 * stage, "_bf16");
        fill_row(plan, row, has_more ? 30 : 24, ns, arena);
    }
}

static void add_findings_and_facts(const struct plan *plan, uint32_t rank, struct tp_summary *summary,
                                   struct tp_arena *arena)
{
    summary->findings = tp_arena_array(arena, 1, sizeof *summary->findings);
    summary->findings[0] = (struct tp_summary_finding){.rule = TP_STR("A5"),
                                                       .title = TP_STR("Pageable copies block the host"),
                                                       .severity = 1,
                                                       .confidence = 1,
                                                       .ceiling_us_per_step = 100 + rank % 7,
                                                       .occurrences = 3,
                                                       .file_line = TP_STR("train.py(42): step"),
                                                       .detail = TP_STR("3 copies")};
    summary->finding_count = rank % 4 == 1; /* every fourth rank has a finding */
    summary->facts = tp_arena_array(arena, 1, sizeof *summary->facts);
    summary->facts[0] = (struct tp_summary_fact){TP_STR("gpu"), TP_STR("H100")};
    summary->fact_count = 1;
    summary->memory = tp_arena_array(arena, 1, sizeof *summary->memory);
    summary->memory[0] = (struct tp_summary_memory){
        TP_STR("GPU0"), (int64_t)(60 + place_of_rank(plan, rank).stage) << 30, TP_NULL_INT, 0, NULL, 0};
    summary->memory_count = 1;
}

void plan_fill_summary(const struct plan *plan, uint32_t rank, struct tp_summary *summary, struct tp_arena *arena)
{
    memset(summary, 0, sizeof *summary);
    summary->key = (struct tp_summary_key){TP_STR("planned"), rank, plan->ranks,
                                           join_text_and_number(arena, "rank", rank, ""), TP_NULL_INT};
    summary->file = join_text_and_number(arena, "rank", rank, ".pt.trace.json.gz");
    summary->sha256 = TP_STR("");
    summary->program = TP_STR("gpu");
    summary->event_count = 1000 + rank % 3;
    summary->kernel_fingerprint = 1000 + place_of_rank(plan, rank).stage +
                                  (plan->fault == PLAN_MORE_WORK && plan_is_victim(plan, rank) ? 500 : 0);
    for (unsigned m = 0; m < TP_METRIC_COUNT; m++)
        summary->metrics[m] = (struct tp_metric_value){.why = "not made"};
    add_steps(plan, rank, summary, arena);
    add_calls(plan, rank, summary, arena);
    add_comparison(plan, summary, arena);
    plan_slots(plan, rank, &summary->slots, arena);
    add_rows(plan, rank, summary, arena);
    add_findings_and_facts(plan, rank, summary, arena);
}
