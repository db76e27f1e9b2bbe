/* Pairs the numbered kernels of two runs. See numbered_kernels.h. */
#include "webreport/compare/numbered_kernels.h"

#include <math.h>

#include "webreport/trace/compile_log/compile_names.h"
#include "writer/base/id_map.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { MOST_ALIGNED = 256, MOST_DIGITS = 6 };
static const double OTHER_SHAPE = 1, OTHER_NUMBER = 0.05, MOST_DISTANCE = 3;

/* ---- names ---- */

/* Returns whether a name has the form of Inductor's kernels with a number, such as triton_poi_fused_add_6 or
 * cpp_fused_relu_2. */
static bool is_inductor_name(struct tp_str name)
{
    struct tp_str family = tp_compile_kernel_family(name);
    return family.ptr + family.len < name.ptr + name.len || tp_str_find(name, "cpp_fused_") >= 0;
}

/* Returns whether the text is a list of arguments, such as 0d1d2c34de, which Triton 2 appends to names. */
static bool is_argument_list(struct tp_str text)
{
    bool has_letter = false;
    for (size_t i = 0; i < text.len; i++) {
        bool is_letter = text.ptr[i] == 'd' || text.ptr[i] == 'c' || text.ptr[i] == 'e';
        if (!tp_is_digit(text.ptr[i]) && !is_letter)
            return false;
        has_letter |= is_letter;
    }
    return has_letter && text.ptr[0] == '0';
}

size_t tp_numbered_stem_length(struct tp_str name, uint32_t *number)
{
    size_t at = name.len;
    *number = 0;
    while (at > 0 && name.ptr[at - 1] != '_')
        at--;
    struct tp_str end = {name.ptr + at, name.len - at};
    if (at < 2 || !end.len)
        return name.len;
    if (is_argument_list(end))
        return at;
    for (size_t i = 0; i < end.len; i++) {
        if (!tp_is_digit(end.ptr[i]) || end.len > MOST_DIGITS)
            return name.len;
        *number = 10 * *number + (uint32_t)(end.ptr[i] - '0');
    }
    if (is_inductor_name(name))
        return at;
    *number = 0;
    return name.len;
}

/* ---- the numbered kernel names of a run ---- */

struct numbered {
    struct tp_str name, shape; /* name of the kernel, and shape of its first row */
    struct tp_str family;      /* name without the number of its graph and its own number */
    /* place: position of the first call among those of all generated kernels, from 1; 0 if unknown */
    uint32_t number, place;
    uint64_t hash;       /* same as tp_summary_generated.hash */
    double call_ns;      /* mean duration of a call, ns; 0 if unknown */
    struct tp_str other; /* name of the same kernel in the reference; ptr is NULL without a pair */
};

struct names {
    struct tp_strings texts; /* names of the kernels; the id of a name is its index in items */
    struct tp_vec items;     /* elements: struct numbered */
    bool has_places;         /* true if the order of the first calls is known */
};

static struct numbered *add_name(struct names *names, struct tp_str name)
{
    uint32_t number, id;
    size_t stem = tp_numbered_stem_length(name, &number);
    if (stem == name.len)
        return NULL;
    id = tp_strings_add(&names->texts, name);
    if (id == names->items.count) {
        struct tp_str text = tp_strings_get(&names->texts, id);
        size_t prefix = (size_t)(tp_compile_kernel_family(text).ptr - text.ptr);
        *(struct numbered *)tp_vec_push(&names->items) = (struct numbered){
            .name = text, .shape = TP_STR(""), .family = {text.ptr + prefix, stem - prefix}, .number = number};
    }
    return TP_AT(&names->items, struct numbered, id);
}

static void collect_names(struct names *names, const struct tp_summary *run, struct tp_arena *arena)
{
    *names = (struct names){.items = TP_VEC(arena, struct numbered)};
    tp_strings_init(&names->texts, arena, 0);
    for (uint32_t i = 0; i < run->row_count; i++) {
        const struct tp_summary_row *row = &run->rows[i];
        struct numbered *name = add_name(names, row->name);
        add_name(names, row->owner);
        if (!name || !row->time.count || (name->call_ns > 0 && row->kind != TP_SUMMARY_KERNEL))
            continue;
        name->call_ns = (double)row->time.sum_ns / (double)row->time.count;
        name->shape = row->shape;
    }
    for (uint32_t i = 0; i < run->signature.key_count; i++) {
        add_name(names, run->signature.keys[i].name);
        add_name(names, run->signature.keys[i].detail);
    }
    names->has_places = run->generated_count > 0;
    for (uint32_t i = 0; i < run->generated_count; i++) {
        struct numbered *name = add_name(names, run->generated[i].name);
        if (!name)
            continue;
        name->place = i + 1;
        name->hash = run->generated[i].hash;
    }
}

/* Orders kernels by family, then by their first calls (unless *context is false), then by number. Kernels whose first
 * call is unknown come last. */
static int compare_by_family(const void *x, const void *y, const void *context)
{
    const struct numbered *a = *(struct numbered *const *)x, *b = *(struct numbered *const *)y;
    const bool *has_places = context;
    int order = tp_str_compare(a->family, b->family);
    if (order)
        return order;
    if (*has_places && a->place != b->place)
        return a->place - 1 < b->place - 1 ? -1 : 1; /* 0 - 1 is the largest number */
    return a->number != b->number ? (a->number > b->number) - (a->number < b->number)
                                  : tp_str_compare(a->name, b->name);
}

static struct numbered **sort_by_family(const struct names *names, bool has_places, struct tp_arena *arena)
{
    struct numbered **list = tp_arena_array(arena, names->items.count, sizeof *list);
    for (size_t i = 0; i < names->items.count; i++)
        list[i] = TP_AT(&names->items, struct numbered, i);
    tp_merge_sort(arena, list, names->items.count, sizeof *list, compare_by_family, &has_places);
    return list;
}

/* ---- pairs of names that differ only in the number ---- */

static double difference_of_kernels(const struct numbered *a, const struct numbered *b)
{
    double times = a->call_ns > 0 && b->call_ns > 0 ? fabs(log(a->call_ns / b->call_ns)) : 0;
    return fmin(times, MOST_DISTANCE) + (tp_str_equal(a->shape, b->shape) ? 0 : OTHER_SHAPE) +
           (a->number == b->number ? 0 : OTHER_NUMBER);
}

static void pair_two_names(struct numbered *a, struct numbered *b)
{
    a->other = b->name;
    b->other = a->name;
}

/* Pairs each kernel of the shorter list with a kernel of the longer list. Pairs keep the order of both lists, and the
 * sum of the differences between paired times and shapes is as small as possible. */
static void pair_kernels_in_order(struct numbered **few, size_t few_count, struct numbered **many, size_t many_count,
                                  struct tp_arena *arena)
{
    size_t width = many_count + 1;
    double *cost = tp_arena_array(arena, (few_count + 1) * width, sizeof *cost);
    for (size_t i = 1; i <= few_count; i++) {
        cost[i * width + i - 1] = INFINITY;
        for (size_t k = i; k <= many_count; k++)
            cost[i * width + k] = fmin(cost[i * width + k - 1],
                                       cost[(i - 1) * width + k - 1] + difference_of_kernels(few[i - 1], many[k - 1]));
    }
    size_t k = many_count;
    for (size_t i = few_count; i > 0; i--, k--) {
        while (k > i && cost[i * width + k] == cost[i * width + k - 1])
            k--;
        pair_two_names(few[i - 1], many[k - 1]);
    }
    tp_arena_free_item(arena, cost, (few_count + 1) * width * sizeof *cost);
}

/* Pairs the kernels of two lists in the order of both lists. If the lists have different lengths, chooses the pairs
 * with the smallest differences. */
static void pair_lists(struct numbered **own, size_t own_count, struct numbered **other, size_t other_count,
                       struct tp_arena *arena)
{
    bool is_own_few = own_count <= other_count;
    if (own_count != other_count && own_count <= MOST_ALIGNED && other_count <= MOST_ALIGNED) {
        pair_kernels_in_order(is_own_few ? own : other, is_own_few ? own_count : other_count, is_own_few ? other : own,
                              is_own_few ? other_count : own_count, arena);
        return;
    }
    for (size_t i = 0; i < own_count && i < other_count; i++)
        pair_two_names(own[i], other[i]);
}

/* Pairs the kernels with equal hashes in the order of both lists. */
static void pair_kernels_with_hashes(struct numbered **own, size_t own_count, struct numbered **other,
                                     size_t other_count, struct tp_arena *arena)
{
    struct tp_id_map hashes; /* for each hash: 1 + index of the first unpaired kernel in `other`; 0: none */
    uint32_t *next = tp_arena_array(arena, other_count, sizeof *next);
    tp_id_map_init(&hashes, arena);
    for (size_t k = other_count; k-- > 0;) {
        uint32_t *first = other[k]->hash ? tp_id_map_find_or_add(&hashes, other[k]->hash) : NULL;
        if (!first)
            continue;
        next[k] = *first == TP_NO_ID ? 0 : *first;
        *first = (uint32_t)k + 1;
    }
    for (size_t i = 0; i < own_count; i++) {
        uint32_t *first = own[i]->hash ? tp_id_map_find(&hashes, own[i]->hash) : NULL;
        if (!first || !*first)
            continue;
        pair_two_names(own[i], other[*first - 1]);
        *first = next[*first - 1];
    }
    tp_id_map_release(&hashes);
    tp_arena_free_item(arena, next, other_count * sizeof *next);
}

/* Copies the unpaired kernels with a shape, in their order. Returns their number. */
static size_t list_shape(struct numbered **out, struct numbered **list, size_t count, struct tp_str shape)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (!list[i]->other.ptr && tp_str_equal(list[i]->shape, shape))
            out[found++] = list[i];
    return found;
}

/* Pairs the kernels with equal shapes. */
static void pair_kernels_with_shapes(struct numbered **own, size_t own_count, struct numbered **other,
                                     size_t other_count, struct tp_arena *arena)
{
    struct numbered *own_list[MOST_ALIGNED], *other_list[MOST_ALIGNED];
    if (own_count > MOST_ALIGNED || other_count > MOST_ALIGNED)
        return;
    for (size_t i = 0; i < own_count; i++) {
        struct tp_str shape = own[i]->shape;
        if (own[i]->other.ptr || !shape.len)
            continue;
        size_t with_shape = list_shape(own_list, own, own_count, shape);
        pair_lists(own_list, with_shape, other_list, list_shape(other_list, other, other_count, shape), arena);
    }
}

/* Removes paired kernels from a list. Returns the number of the others, which keep their order. */
static size_t remove_paired(struct numbered **list, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (!list[i]->other.ptr)
            list[left++] = list[i];
    return left;
}

/* Pairs the kernels of a family: those with equal hashes, then those with equal shapes, then the others. */
static void pair_names_of_family(struct numbered **own, size_t own_count, struct numbered **other, size_t other_count,
                                 struct tp_arena *arena)
{
    pair_kernels_with_hashes(own, own_count, other, other_count, arena);
    own_count = remove_paired(own, own_count);
    other_count = remove_paired(other, other_count);
    pair_kernels_with_shapes(own, own_count, other, other_count, arena);
    own_count = remove_paired(own, own_count);
    other_count = remove_paired(other, other_count);
    pair_lists(own, own_count, other, other_count, arena);
}

/* Fills `other` of each name with the name of the same kernel in `reference`. Returns whether any kernel gets another
 * name. */
static bool find_names_in_reference(struct names *names, const struct names *reference, struct tp_arena *arena)
{
    bool has_places = names->has_places && reference->has_places;
    struct numbered **own = sort_by_family(names, has_places, arena),
                    **other = sort_by_family(reference, has_places, arena);
    size_t i = 0, k = 0;
    bool is_other = false;
    for (size_t n = 0; n < reference->items.count; n++) /* removes the pairs of the previous run */
        other[n]->other = (struct tp_str){NULL, 0};
    while (i < names->items.count && k < reference->items.count) {
        int order = tp_str_compare(own[i]->family, other[k]->family);
        size_t i_end = i, k_end = k;
        while (order <= 0 && i_end < names->items.count && tp_str_equal(own[i_end]->family, own[i]->family))
            i_end++;
        while (order >= 0 && k_end < reference->items.count && tp_str_equal(other[k_end]->family, other[k]->family))
            k_end++;
        if (order == 0)
            pair_names_of_family(own + i, i_end - i, other + k, k_end - k, arena);
        i = i_end;
        k = k_end;
    }
    for (size_t n = 0; n < names->items.count; n++) {
        struct numbered *name = TP_AT(&names->items, struct numbered, n);
        if (!name->other.ptr) /* without a pair, the kernel keeps its name unless the reference uses the name for
                                 another kernel */
            name->other = tp_strings_find(&reference->texts, name->name) == TP_NO_ID
                              ? name->name
                              : tp_str_of(tp_text_printf(arena, "%.*s (before)", (int)name->name.len, name->name.ptr));
        is_other |= !tp_str_equal(name->other, name->name);
    }
    return is_other;
}

/* ---- renaming a run ---- */

static struct tp_str rename_text(const struct names *names, struct tp_str text)
{
    uint32_t id = text.len ? tp_strings_find(&names->texts, text) : TP_NO_ID;
    return id == TP_NO_ID ? text : TP_AT(&names->items, struct numbered, id)->other;
}

struct place {
    struct tp_count_key key;
    uint32_t number;
};

static int compare_by_key(const void *x, const void *y, const void *context)
{
    (void)context;
    return tp_count_key_compare(&((const struct place *)x)->key, &((const struct place *)y)->key);
}

/* Renames the kernels of a signature. Renaming changes the order of the keys. The keys are therefore sorted again, and
 * their indexes in calls are updated. */
static void rename_signature(struct tp_signature *s, const struct names *names, struct tp_arena *arena)
{
    struct place *places = tp_arena_array(arena, s->key_count, sizeof *places);
    uint32_t *number = tp_arena_array(arena, s->key_count, sizeof *number);
    struct tp_count_key *keys = tp_arena_array(arena, s->key_count, sizeof *keys);
    struct tp_count_call *calls = tp_arena_array(arena, s->call_count, sizeof *calls);
    for (uint32_t i = 0; i < s->key_count; i++) {
        places[i] = (struct place){s->keys[i], i};
        places[i].key.name = rename_text(names, s->keys[i].name);
        places[i].key.detail = rename_text(names, s->keys[i].detail);
        if (s->keys[i].kind == TP_COUNT_WAIT)
            places[i].key.dims = rename_text(names, s->keys[i].dims);
    }
    tp_merge_sort(arena, places, s->key_count, sizeof *places, compare_by_key, NULL);
    for (uint32_t i = 0; i < s->key_count; i++) {
        keys[i] = places[i].key;
        number[places[i].number] = i;
    }
    for (uint32_t i = 0; i < s->call_count; i++) {
        calls[i] = s->calls[i];
        calls[i].key = number[calls[i].key];
    }
    s->keys = keys;
    s->calls = calls;
    tp_signature_update_hash(s);
}

static void rename_run(struct tp_summary *run, const struct names *names, struct tp_arena *arena)
{
    struct tp_summary_row *rows = tp_arena_array(arena, run->row_count, sizeof *rows);
    for (uint32_t i = 0; i < run->row_count; i++) {
        rows[i] = run->rows[i];
        rows[i].name = rename_text(names, rows[i].name);
        rows[i].owner = rename_text(names, rows[i].owner);
    }
    run->rows = rows;
    if (run->signature.hash && !run->signature.is_cut)
        rename_signature(&run->signature, names, arena);
}

static const struct tp_numbered_names *copy_new_names(const struct names *names, struct tp_arena *arena)
{
    struct tp_numbered_names *copy = tp_arena_alloc(arena, sizeof *copy);
    copy->from = names->texts;
    copy->to = tp_arena_array(arena, names->items.count, sizeof *copy->to);
    for (size_t i = 0; i < names->items.count; i++)
        copy->to[i] = TP_AT(&names->items, struct numbered, i)->other;
    return copy;
}

struct tp_str tp_numbered_new_name(const struct tp_numbered_names *names, struct tp_str name)
{
    uint32_t id = names && name.len ? tp_strings_find(&names->from, name) : TP_NO_ID;
    return id == TP_NO_ID ? name : names->to[id];
}

/* Renames the runs of a side whose names differ from those of `newest`. */
static void rename_side(struct tp_side_input *out, const struct tp_summary *newest, const struct names *reference,
                        const struct tp_numbered_names ***renamed, struct tp_arena *arena)
{
    const struct tp_side_input in = *out;
    struct tp_summary *runs = NULL;
    struct names names;
    for (uint32_t r = 0; r < in.run_count; r++) {
        collect_names(&names, &in.runs[r], arena);
        if (&in.runs[r] == newest || !find_names_in_reference(&names, reference, arena))
            continue;
        if (!runs) {
            runs = tp_arena_array(arena, in.run_count, sizeof *runs);
            memcpy(runs, in.runs, in.run_count * sizeof *runs);
            out->runs = runs;
            *renamed = tp_arena_array(arena, in.run_count, sizeof **renamed);
        }
        rename_run(&runs[r], &names, arena);
        (*renamed)[r] = copy_new_names(&names, arena);
    }
}

void tp_numbered_make_names_equal(struct tp_side_input out[TP_SIDES], const struct tp_side_input in[TP_SIDES],
                                  struct tp_numbered_runs *renamed, struct tp_arena *arena)
{
    struct names reference;
    struct tp_numbered_runs all = {.runs = {NULL, NULL}};
    const struct tp_summary *newest = &in[TP_NEW].runs[in[TP_NEW].run_count - 1];
    collect_names(&reference, newest, arena);
    for (int s = 0; s < TP_SIDES; s++) {
        out[s] = in[s];
        if (reference.items.count)
            rename_side(&out[s], newest, &reference, &all.runs[s], arena);
    }
    if (renamed)
        *renamed = all;
}

void tp_numbered_lines_build(struct tp_numbered_lines *lines, const struct tp_side_input *side, struct tp_arena *arena)
{
    const struct tp_summary *run = &side->runs[side->run_count - 1];
    tp_strings_init(&lines->names, arena, 0);
    lines->lines = tp_arena_array(arena, run->generated_count, sizeof *lines->lines);
    for (uint32_t i = 0; i < run->generated_count; i++) {
        struct tp_str name = run->generated[i].name, family = tp_compile_kernel_family(name);
        if (family.ptr + family.len < name.ptr + name.len) /* a damaged summary may have other names */
            lines->lines[tp_strings_add(&lines->names, name)] = run->generated[i].line;
    }
}

struct tp_str tp_numbered_line(const struct tp_numbered_lines *lines, struct tp_str name)
{
    uint32_t id = lines->names.count && name.len ? tp_strings_find(&lines->names, name) : TP_NO_ID;
    return id == TP_NO_ID ? TP_STR("") : lines->lines[id];
}
