/* Finds the Python function that uses the most processor time. See program_python.h and docs/definitions.md, section
 * 23. */
#include "webreport/measure/program/program_python.h"

#include "webreport/model/numbers.h"
#include "writer/base/key_sums.h"

enum { HALF_PERCENT = 50 };

/* Returns whether function x comes before function y by name, then file. Used for functions with equal times. */
static bool comes_before_by_name(const struct tp_program_functions *functions, uint32_t x, uint32_t y)
{
    const struct tp_program_function *a = tp_program_function_at(functions, x),
                                     *b = tp_program_function_at(functions, y);
    int names = tp_str_compare(a->name, b->name);
    return names ? names < 0 : tp_str_compare(a->file, b->file) < 0;
}

static void choose_function(struct tp_program_python *python, const struct tp_program_functions *functions,
                            const int64_t *time_ns, const uint64_t *counts)
{
    for (uint32_t i = 0; i < functions->items.count; i++) {
        if (!counts[i] || (python->function != TP_NO_ID && time_ns[i] < python->time_ns) ||
            (python->function != TP_NO_ID && time_ns[i] == python->time_ns &&
             !comes_before_by_name(functions, i, python->function)))
            continue;
        python->function = i;
        python->time_ns = time_ns[i];
        python->sample_count = counts[i];
    }
}

static void choose_line(struct tp_program_python *python, const struct tp_key_sums *lines)
{
    int64_t most_ns = -1;
    for (uint32_t i = 0; i < tp_keys_count(&lines->keys); i++) {
        const uint32_t *key = tp_keys_get(&lines->keys, i);
        int64_t ns = tp_key_sums_at(lines, i);
        if (key[0] != python->function || ns < most_ns || (ns == most_ns && (int32_t)key[1] > python->line))
            continue;
        python->line = (int32_t)key[1];
        most_ns = ns;
    }
}

static void choose_inner_function(struct tp_program_python *python, const struct tp_program_functions *functions,
                                  const struct tp_key_sums *inner)
{
    for (uint32_t i = 0; i < tp_keys_count(&inner->keys); i++) {
        const uint32_t *key = tp_keys_get(&inner->keys, i);
        int64_t ns = tp_key_sums_at(inner, i);
        if (key[0] != python->function || key[1] == key[0] || (python->inner != TP_NO_ID && ns < python->inner_ns) ||
            (python->inner != TP_NO_ID && ns == python->inner_ns &&
             !comes_before_by_name(functions, key[1], python->inner)))
            continue;
        python->inner = key[1];
        python->inner_ns = ns;
    }
}

void tp_program_python_build(struct tp_program_python *python, struct tp_program_functions *functions,
                             const struct tp_process_tree *tree, int64_t cpu_ns, struct tp_arena *arena)
{
    size_t count = functions->items.count;
    int64_t *time_ns = tp_arena_array(arena, count + 1, sizeof *time_ns), all_ns = 0;
    uint64_t *counts = tp_arena_array(arena, count + 1, sizeof *counts);
    struct tp_key_sums lines, inner;
    tp_key_sums_init(&lines, arena);
    tp_key_sums_init(&inner, arena);
    *python = (struct tp_program_python){.function = TP_NO_ID, .inner = TP_NO_ID};
    for (uint32_t i = 0; i < tree->trace->sample_count; i++) {
        int64_t weight = tree->weight_of_sample_ns[i];
        tp_program_functions_of_stack(functions, tree->trace->samples[i].stack);
        if (tp_program_functions_end_in_recording(functions))
            continue;
        struct tp_program_place place = tp_program_functions_place(functions);
        if (place.function == TP_NO_ID || tp_program_function_at(functions, place.function)->kind != TP_FUNCTION_PYTHON)
            continue;
        all_ns = tp_sat_add(all_ns, weight);
        time_ns[place.function] = tp_sat_add(time_ns[place.function], weight);
        counts[place.function]++;
        tp_key_sums_add(&lines, place.function, (uint32_t)place.line, weight);
        tp_key_sums_add(&inner, place.function, *TP_AT(&functions->path, uint32_t, functions->path.count - 1), weight);
    }
    if (tp_percent(all_ns, cpu_ns) < HALF_PERCENT)
        return;
    choose_function(python, functions, time_ns, counts);
    choose_line(python, &lines);
    choose_inner_function(python, functions, &inner);
}
