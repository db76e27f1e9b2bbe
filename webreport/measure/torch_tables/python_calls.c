/* Counts calls of Python functions. See python_calls.h. */
#include "webreport/measure/torch_tables/python_calls.h"

#include "webreport/model/policy_torch.h"
#include "writer/base/saturate.h"

struct counting {
    struct tp_calls *calls;
    const struct tp_torch *torch;
    struct tp_arena *arena;
    struct tp_strings texts; /* names of functions; the id of a name is the index of its row */
    struct tp_vec rows;      /* elements: struct tp_call_row */
    uint32_t *row_of_name;   /* for each name id of the trace: 1 + index in `rows`; 0: not yet known */
    /* calls that have not ended, outermost first; the last one is the current caller; elements: struct open_call */
    struct tp_vec stack;
    struct tp_vec row_levels; /* for each row: number of its open calls; elements: uint32_t */
    struct tp_vec pair_levels;
};

static uint32_t find_or_add_row(struct counting *c, uint32_t name)
{
    if (c->row_of_name[name])
        return c->row_of_name[name] - 1;
    struct tp_str text = tp_frame_without_address(c->arena, tp_torch_name_text(c->torch, name));
    uint32_t row = tp_strings_add(&c->texts, text);
    if (row == c->rows.count) {
        struct tp_frame frame;
        bool has_line = tp_frame_parse(&frame, text);
        tp_vec_push(&c->row_levels);
        *(struct tp_call_row *)tp_vec_push(&c->rows) =
            has_line ? (struct tp_call_row){.file = frame.path, .name = frame.function, .line = frame.line}
                     : (struct tp_call_row){.file = TP_STR("~"), .name = text};
    }
    c->row_of_name[name] = row + 1;
    return row;
}

/* ---- calls of each thread ---- */

struct open_call {
    uint32_t item, row, pair; /* pair: index of the pair (callee, caller); TP_NO_ID without a caller */
};

static void count_call(struct tp_call_sum *sum, uint32_t *level, int64_t own_ns, int64_t total_ns)
{
    sum->call_count++;
    sum->own_ns = tp_sat_add(sum->own_ns, own_ns);
    if (--*level)
        return;
    sum->primitive_count++;
    sum->total_ns = tp_sat_add(sum->total_ns, total_ns);
}

static void count_ended_call(struct counting *c)
{
    struct open_call call = *TP_AT(&c->stack, struct open_call, --c->stack.count);
    int64_t total_ns = tp_torch_duration(c->torch, call.item).ns,
            own_ns = tp_torch_self_sum(c->torch, call.item, 0).cpu.ns;
    own_ns = own_ns > 0 ? own_ns : 0; /* inner calls that overlap each other would make the own time negative */
    count_call(&TP_AT(&c->rows, struct tp_call_row, call.row)->sum, TP_AT(&c->row_levels, uint32_t, call.row), own_ns,
               total_ns);
    if (c->stack.count == 0)
        return;
    count_call(TP_AT(&c->calls->pair_sums, struct tp_call_sum, call.pair), TP_AT(&c->pair_levels, uint32_t, call.pair),
               own_ns, total_ns);
}

static void push_call(struct counting *c, uint32_t item)
{
    struct open_call call = {.item = item, .pair = TP_NO_ID};
    while (c->stack.count && TP_AT(&c->stack, struct open_call, c->stack.count - 1)->item != c->torch->parent[item])
        count_ended_call(c);
    call.row = find_or_add_row(c, tp_torch_name(c->torch, item));
    ++*TP_AT(&c->row_levels, uint32_t, call.row);
    if (c->stack.count) {
        uint32_t caller = TP_AT(&c->stack, struct open_call, c->stack.count - 1)->row;
        call.pair = tp_keys_pair(&c->calls->pairs, call.row, caller);
        if (call.pair == c->calls->pair_sums.count) {
            tp_vec_push(&c->calls->pair_sums);
            tp_vec_push(&c->pair_levels);
        }
        ++*TP_AT(&c->pair_levels, uint32_t, call.pair);
    }
    *(struct open_call *)tp_vec_push(&c->stack) = call;
}

/* ---- all threads ---- */

/* Sorts the pairs by callee, then by index. */
static void sort_pairs_by_callee(struct tp_calls *calls, struct tp_arena *arena)
{
    uint32_t count = tp_keys_count(&calls->pairs), total = 0;
    calls->first_pair_of_row = tp_arena_array(arena, (size_t)calls->count + 1, sizeof *calls->first_pair_of_row);
    calls->pairs_by_row = tp_arena_array(arena, count, sizeof *calls->pairs_by_row);
    uint32_t *next = tp_arena_array(arena, (size_t)calls->count + 1, sizeof *next);
    for (uint32_t i = 0; i < count; i++)
        calls->first_pair_of_row[tp_keys_get(&calls->pairs, i)[0] + 1]++;
    for (uint32_t i = 0; i <= calls->count; i++)
        next[i] = total = calls->first_pair_of_row[i] += total;
    for (uint32_t i = 0; i < count; i++)
        calls->pairs_by_row[next[tp_keys_get(&calls->pairs, i)[0]]++] = i;
}

void tp_calls_build(struct tp_calls *calls, const struct tp_trace *trace, struct tp_arena *arena)
{
    struct tp_torch *torch = tp_arena_alloc(arena, sizeof *torch);
    struct counting c = {.calls = calls,
                         .torch = torch,
                         .arena = arena,
                         .rows = TP_VEC(arena, struct tp_call_row),
                         .stack = TP_VEC(arena, struct open_call),
                         .row_levels = TP_VEC(arena, uint32_t),
                         .pair_levels = TP_VEC(arena, uint32_t)};
    memset(calls, 0, sizeof *calls);
    tp_torch_build(torch, trace, TP_CPROFILE, arena);
    tp_strings_init(&c.texts, arena, 0);
    tp_keys_init(&calls->pairs, arena, 2);
    calls->pair_sums = TP_VEC(arena, struct tp_call_sum);
    c.row_of_name = tp_arena_array(arena, tp_torch_name_count(torch), sizeof *c.row_of_name);
    for (uint32_t k = 0; k < torch->count; k++)
        push_call(&c, torch->order[k]);
    while (c.stack.count)
        count_ended_call(&c);
    calls->rows = c.rows.data;
    calls->count = (uint32_t)c.rows.count;
    sort_pairs_by_callee(calls, arena);
}
