/* Gives the rows of a cleaned trace numbers that viewers accept, and gives additional rows to slices that do not nest.
 * See chrome.h. */
#include "webreport/export/chrome/chrome.h"
#include "writer/base/id_map.h"

/* smallest new number; new numbers replace those that viewers cannot use */
enum { FIRST_NEW = 1 << 30 };

static bool is_usable_number(const struct tp_row_id *id)
{
    return !id->is_text && id->number >= 0 && id->number < FIRST_NEW;
}

/* New numbers for ids that viewers cannot use, in order of appearance. */
struct numbers {
    struct tp_strings texts;
    struct tp_id_map new_id_of_number, new_id_of_text;
    uint32_t next;
};

static int64_t number_of_row_id(struct numbers *numbers, const struct tp_row_id *id)
{
    if (is_usable_number(id))
        return id->number;
    uint32_t *number = id->is_text
                           ? tp_id_map_find_or_add(&numbers->new_id_of_text, tp_strings_add(&numbers->texts, id->text))
                           : tp_id_map_find_or_add(&numbers->new_id_of_number, (uint64_t)id->number);
    if (*number == TP_NO_ID)
        *number = numbers->next++;
    return *number;
}

static void init_numbers(struct numbers *numbers, struct tp_arena *arena)
{
    tp_strings_init(&numbers->texts, arena, 0);
    tp_id_map_init(&numbers->new_id_of_number, arena);
    tp_id_map_init(&numbers->new_id_of_text, arena);
    numbers->next = FIRST_NEW;
}

void tp_chrome_rows_build(struct tp_chrome_rows *rows, const struct tp_trace *trace, struct tp_arena *arena)
{
    struct numbers pids, tids;
    init_numbers(&pids, arena);
    init_numbers(&tids, arena);
    rows->of_thread = tp_arena_array(arena, trace->thread_count, sizeof *rows->of_thread);
    rows->written_pids = tp_arena_array(arena, trace->process_count, sizeof *rows->written_pids);
    for (uint32_t i = 0; i < trace->process_count; i++)
        rows->written_pids[i] = number_of_row_id(&pids, &trace->processes[i].pid);
    for (uint32_t i = 0; i < trace->thread_count; i++) {
        const struct tp_thread *thread = &trace->threads[i];
        rows->of_thread[i].pid = number_of_row_id(&pids, &thread->pid);
        rows->of_thread[i].tid = number_of_row_id(&tids, &thread->tid);
    }
    rows->next_tid = tids.next;
}

/* ---- lanes ---- */

void tp_chrome_lanes_init(struct tp_chrome_lanes *lanes, struct tp_arena *arena)
{
    lanes->count = 0;
    lanes->stacks = tp_arena_array(arena, TP_CHROME_MAX_LANES, sizeof *lanes->stacks);
    for (unsigned i = 0; i < TP_CHROME_MAX_LANES; i++)
        lanes->stacks[i] = TP_VEC(arena, int64_t);
}

void tp_chrome_lanes_clear(struct tp_chrome_lanes *lanes)
{
    for (unsigned i = 0; i < lanes->count; i++)
        lanes->stacks[i].count = 0;
    lanes->count = 0;
}

unsigned tp_chrome_lanes_find(struct tp_chrome_lanes *lanes, int64_t start_ns, int64_t *end_ns)
{
    for (unsigned i = 0;; i++) {
        struct tp_vec *stack = &lanes->stacks[i];
        while (stack->count && *TP_AT(stack, int64_t, stack->count - 1) <= start_ns)
            stack->count--;
        int64_t open_end = stack->count ? *TP_AT(stack, int64_t, stack->count - 1) : INT64_MAX;
        bool nests = *end_ns <= open_end;
        if (!nests && i + 1 < TP_CHROME_MAX_LANES)
            continue;
        if (!nests)
            *end_ns = open_end;
        *(int64_t *)tp_vec_push(stack) = *end_ns;
        if (i >= lanes->count)
            lanes->count = i + 1;
        return i;
    }
}
