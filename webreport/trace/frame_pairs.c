/* Pairs source lines of two runs: see frame_pairs.h. */
#include "webreport/trace/frame_pairs.h"

#include "webreport/trace/frame.h"
#include "writer/base/sort.h"

/* A source line without an equal line in the other run. */
struct unpaired_line {
    uint32_t place, id;
    int32_t line;
    bool is_base;
};

struct tp_str tp_frame_location_key(struct tp_arena *arena, struct tp_str text, int32_t *line)
{
    struct tp_frame frame;
    *line = 0;
    if (!tp_frame_parse_place(&frame, text))
        return text;
    *line = frame.line;
    /* the memory is zeroed, so the byte between path and function is NUL */
    char *place = tp_arena_alloc(arena, frame.path.len + frame.function.len + 1);
    memcpy(place, frame.path.ptr, frame.path.len);
    if (frame.function.len)
        memcpy(place + frame.path.len + 1, frame.function.ptr, frame.function.len);
    return (struct tp_str){place, frame.path.len + 1 + frame.function.len};
}

static void add_unpaired_line(struct tp_vec *unpaired_line, struct tp_strings *places, const struct tp_strings *own,
                              const struct tp_strings *opposite, bool is_base)
{
    for (uint32_t i = 0; i < own->count; i++) {
        struct unpaired_line line = {.id = i, .is_base = is_base};
        struct tp_str place = tp_frame_location_key(places->arena, own->items[i], &line.line);
        if (place.ptr == own->items[i].ptr || tp_strings_find(opposite, own->items[i]) != TP_NO_ID)
            continue;
        line.place = tp_strings_add(places, place);
        *(struct unpaired_line *)tp_vec_push(unpaired_line) = line;
    }
}

static int compare_by_place(const void *x, const void *y, const void *context)
{
    const struct unpaired_line *a = x, *b = y;
    (void)context;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->is_base != b->is_base)
        return a->is_base ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Pairs the lines of one place of the program. The list has the lines of the base run before those of the other run.
 * Returns the index after the last line of the place. */
static size_t pair_lines_of_place(uint32_t *pairs, const struct unpaired_line *unpaired_line, size_t from, size_t count)
{
    size_t middle = from, end;
    while (middle < count && unpaired_line[middle].place == unpaired_line[from].place && unpaired_line[middle].is_base)
        middle++;
    for (end = middle; end < count && unpaired_line[end].place == unpaired_line[from].place; end++)
        if (from + (end - middle) < middle)
            pairs[unpaired_line[from + (end - middle)].id] = unpaired_line[end].id;
    return end;
}

uint32_t *tp_frame_pairs(const struct tp_strings *base, const struct tp_strings *other, struct tp_arena *arena)
{
    uint32_t *pairs = tp_arena_array(arena, base->count, sizeof *pairs);
    struct tp_vec unpaired_line = TP_VEC(arena, struct unpaired_line);
    struct tp_strings places;
    tp_strings_init(&places, arena, 0);
    for (uint32_t i = 0; i < base->count; i++)
        pairs[i] = tp_strings_find(other, base->items[i]);
    add_unpaired_line(&unpaired_line, &places, base, other, true);
    add_unpaired_line(&unpaired_line, &places, other, base, false);
    tp_merge_sort(arena, unpaired_line.data, unpaired_line.count, sizeof(struct unpaired_line), compare_by_place, NULL);
    for (size_t at = 0; at < unpaired_line.count;)
        at = pair_lines_of_place(pairs, unpaired_line.data, at, unpaired_line.count);
    return pairs;
}
