/* Finds truncated names, and names that contradict other names of the file: see conflicts_parts.h. conflicts_spelling.c
 * finds misspelled names. */
#include "webreport/model/conflicts_parts.h"

#include "webreport/model/marks.h"
#include "writer/base/sort.h"

enum { ALL_KINDS = (1 << TP_KIND_COUNT) - 1 };

/* Returns true if the name has an open bracket without a closing bracket. Ignores angle brackets in names with the word
 * "operator", such as "operator<". */
static bool has_open_bracket(struct tp_str name)
{
    int round = 0, angle = 0;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        round += (c == '(') - (c == ')');
        angle += (c == '<') - (c == '>');
    }
    return round > 0 || (angle > 0 && tp_str_find(name, "operator") < 0);
}

/* Returns true if the name has one of the forms of the names of Python calls: "file.py(12): function", "<built-in ..>",
 * "nn.Module: Name_0". */
static bool is_frame_name(struct tp_str name)
{
    struct tp_frame frame;
    return tp_frame_parse(&frame, name) || tp_str_starts(name, "<") || tp_str_starts(name, "nn.Module: ");
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

/* Returns the position after the last "::" of an operator's name; 0 if the name has no "::". */
static size_t namespace_length(struct tp_str name)
{
    for (size_t i = name.len; i > 2; i--)
        if (name.ptr[i - 1] == ':' && name.ptr[i - 2] == ':')
            return i;
    return 0;
}

/* Returns true if the name may be truncated. kinds: set of bits, one bit for each kind of event with this name. */
static bool may_name_be_truncated(struct tp_str name, unsigned kinds)
{
    const unsigned copies = 1u << TP_KIND_MEMCPY | 1u << TP_KIND_MEMSET, frames = 1u << TP_KIND_FRAME;
    if (kinds == 1u << TP_KIND_RUNTIME)
        return is_lower(name.ptr[name.len - 1]);
    if (!(kinds & ~copies))
        return has_open_bracket(name) || tp_str_find(name, "(") < 0;
    if (kinds == frames)
        return !is_frame_name(name);
    return kinds == 1u << TP_KIND_KERNEL || kinds == 1u << TP_KIND_OPERATOR;
}

static bool begins_with(struct tp_str name, struct tp_str start)
{
    return name.len >= start.len && memcmp(name.ptr, start.ptr, start.len) == 0;
}

/* Returns true if `longer` may be the complete form of the truncated name `name`. In names of calls each word begins
 * with a capital, so a small letter must follow the end of `name`. An operator's name must be truncated inside its
 * namespaces, because other operators may have longer names. */
static bool may_be_complete_name(struct tp_str name, struct tp_str longer, unsigned kinds)
{
    if (!begins_with(longer, name) || longer.len == name.len)
        return false;
    char last = name.ptr[name.len - 1], next = longer.ptr[name.len];
    if (kinds == 1u << TP_KIND_RUNTIME)
        return is_lower(next);
    if (kinds == 1u << TP_KIND_KERNEL)
        /* compilers number kernels, so "kernel_10" is not the complete form of "kernel_1" */
        return has_open_bracket(name) || !(tp_is_digit(last) && tp_is_digit(next));
    return kinds != 1u << TP_KIND_OPERATOR || name.len <= namespace_length(longer);
}

static int compare_by_text(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_strings *names = context;
    return tp_str_compare(names->items[x], names->items[y]);
}

static bool may_be_truncated(const struct tp_trace *trace, const struct tp_name_use *use, uint32_t id)
{
    unsigned kinds = use->kinds[id] & ALL_KINDS;
    return use->count[id] == 1 && trace->names.items[id].len && kinds &&
           may_name_be_truncated(trace->names.items[id], kinds);
}

/* Ids of all names, sorted by text. In this order, all names that begin with a certain name directly follow this
 * name. */
struct sorted_names {
    const uint32_t *ids;
    uint32_t count;
};

static bool has_longer_name(const struct sorted_names *sorted, uint32_t at, const struct tp_trace *trace,
                            const struct tp_name_use *use, struct tp_name_kernels *kernels, struct tp_arena *arena)
{
    struct tp_str name = trace->names.items[sorted->ids[at]];
    unsigned kinds = use->kinds[sorted->ids[at]] & ALL_KINDS;
    for (uint32_t k = at + 1; k < sorted->count; k++) {
        uint32_t longer = sorted->ids[k];
        if (!begins_with(trace->names.items[longer], name))
            return false;
        if (use->kinds[longer] & kinds && may_be_complete_name(name, trace->names.items[longer], kinds) &&
            (kinds != 1u << TP_KIND_KERNEL || has_open_bracket(name) ||
             tp_name_has_equal_setup(kernels, trace, sorted->ids[at], longer, arena)))
            return true;
    }
    return false;
}

/* Sets is_cut[id] for each truncated name. use: number and kinds of the events of each name. */
static void find_truncated_names(bool *is_cut, const struct tp_trace *trace, const struct tp_name_use *use,
                                 struct tp_name_kernels *kernels, struct tp_arena *arena)
{
    uint32_t count = trace->names.count, *ids = tp_arena_array(arena, count + 1u, sizeof *ids);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = i;
    tp_sort_rows(ids, count, compare_by_text, &trace->names, arena);
    for (uint32_t at = 0; at < count; at++)
        if (may_be_truncated(trace, use, ids[at]))
            is_cut[ids[at]] = has_longer_name(&(struct sorted_names){ids, count}, at, trace, use, kernels, arena);
    tp_arena_free_item(arena, ids, (count + 1u) * sizeof *ids);
}

static uint64_t count_damaged_names(const struct tp_trace *trace, const struct tp_name_use *use, struct tp_arena *arena)
{
    bool *is_damaged = tp_arena_array(arena, trace->names.count + 1u, sizeof *is_damaged);
    struct tp_name_kernels kernels = {NULL, NULL};
    uint64_t count = 0;
    find_truncated_names(is_damaged, trace, use, &kernels, arena);
    tp_conflicts_find_misspelled(is_damaged, trace, use, &kernels, arena);
    for (uint32_t i = 0; i < trace->names.count; i++)
        count += is_damaged[i];
    tp_arena_free_item(arena, is_damaged, (trace->names.count + 1u) * sizeof *is_damaged);
    tp_name_kernels_free(&kernels, trace, arena);
    return count;
}

/* Counts evaluations of backward nodes that do not contain the event of their node. Ignores nodes without any event,
 * because a tool has probably renamed all events of such a node. */
static uint64_t count_missing_nodes(const struct tp_trace *trace, const struct tp_name_use *use)
{
    /* some writers record no nodes, so the result is valid only if at most a quarter of the nodes is missing */
    enum { ONE_IN = 3 };
    uint64_t lost = 0, kept = 0;
    for (uint32_t i = 0; i < trace->names.count; i++) {
        struct tp_str name = trace->names.items[i];
        if (!tp_str_starts(name, TP_BACKWARD_NODE) || !(use->kinds[i] & 1u << TP_KIND_OPERATOR))
            continue;
        size_t skip = sizeof TP_BACKWARD_NODE - 1;
        struct tp_str of_node = tp_str_trim((struct tp_str){name.ptr + skip, name.len - skip});
        uint32_t node = tp_strings_find(&trace->names, of_node);
        uint32_t count = node == TP_NO_ID ? 0 : use->count[node];
        if (!count)
            continue;
        lost += use->count[i] > count ? use->count[i] - count : 0;
        kept += use->count[i] < count ? use->count[i] : count;
    }
    return lost * ONE_IN <= kept ? lost : 0;
}

uint64_t tp_conflicts_count_names(const struct tp_trace *trace, const struct tp_name_use *use, struct tp_arena *arena)
{
    return count_missing_nodes(trace, use) + count_damaged_names(trace, use, arena);
}
