/* Names that lost their end, and names that other names contradict: see conflicts.h. */
#include "webreport/model/conflicts.h"

#include "webreport/model/marks.h"

/* Brackets that are opened and not closed. Arrows and operators of C++ are no brackets. */
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

/* Whether a Python function's name has its form: "file.py(12): function", "<built-in ..>" or "nn.Module: Name_0". */
static bool is_frame_name(struct tp_str name)
{
    struct tp_frame frame;
    return tp_frame_parse(&frame, name) || tp_str_starts(name, "<") || tp_str_starts(name, "nn.Module: ");
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

/* End of the last namespace of an operator's name; 0: it has none. */
static size_t end_of_namespaces(struct tp_str name)
{
    for (size_t i = name.len; i > 2; i--)
        if (name.ptr[i - 1] == ':' && name.ptr[i - 2] == ':')
            return i;
    return 0;
}

/* Whether a name of these kinds may have lost its end. */
static bool looks_cut(struct tp_str name, unsigned kinds)
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

/* Whether the longer name continues the cut one. Words of calls begin with capitals, so a call is cut where a small
 * letter follows. An operator is cut in its namespaces: what follows them may be another operator's name. */
static bool continues(struct tp_str name, struct tp_str longer, unsigned kinds)
{
    if (longer.len <= name.len || memcmp(longer.ptr, name.ptr, name.len) != 0)
        return false;
    char last = name.ptr[name.len - 1], next = longer.ptr[name.len];
    if (kinds == 1u << TP_KIND_RUNTIME)
        return is_lower(next);
    if (kinds == 1u << TP_KIND_KERNEL)
        return !(tp_is_digit(last) && tp_is_digit(next)); /* kernels 1 and 10 of a compiler */
    return kinds != 1u << TP_KIND_OPERATOR || name.len <= end_of_namespaces(longer);
}

static bool is_same_setup(const struct tp_device_setup *x, const struct tp_device_setup *y)
{
    return x->grid == y->grid && x->block == y->block && x->registers == y->registers &&
           x->shared_memory == y->shared_memory;
}

/* Whether the one kernel of the cut name runs in the configuration of a kernel of the longer name. */
static bool runs_alike(const struct tp_trace *trace, uint32_t cut, uint32_t longer)
{
    const struct tp_device_setup *setup = NULL;
    for (uint32_t i = 0; i < trace->event_count && !setup; i++)
        if (trace->events[i].name == cut && trace->events[i].kind == TP_KIND_KERNEL)
            setup = tp_device_setup(trace, trace->events[i].detail);
    for (uint32_t i = 0; setup && i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        if (e->name == longer && e->kind == TP_KIND_KERNEL && is_same_setup(tp_device_setup(trace, e->detail), setup))
            return true;
    }
    return false;
}

static bool is_cut(const struct tp_trace *trace, const struct tp_name_use *use, uint32_t id)
{
    struct tp_str name = trace->names.items[id];
    unsigned kinds = use->kinds[id] & ((1u << TP_KIND_COUNT) - 1);
    if (use->count[id] != 1 || !name.len || !kinds || !looks_cut(name, kinds))
        return false;
    for (uint32_t i = 0; i < trace->names.count; i++)
        if (use->kinds[i] & kinds && continues(name, trace->names.items[i], kinds) &&
            (kinds != 1u << TP_KIND_KERNEL || has_open_bracket(name) || runs_alike(trace, id, i)))
            return true;
    return false;
}

/* A backward node runs inside of the call that evaluates it. */
static uint64_t lost_nodes(const struct tp_trace *trace, const struct tp_name_use *use)
{
    enum { ONE_IN = 3 }; /* writers without nodes do not know the rule */
    uint64_t lost = 0, kept = 0;
    for (uint32_t i = 0; i < trace->names.count; i++) {
        struct tp_str name = trace->names.items[i];
        if (!tp_str_starts(name, TP_BACKWARD_NODE) || !(use->kinds[i] & 1u << TP_KIND_OPERATOR))
            continue;
        size_t skip = sizeof TP_BACKWARD_NODE - 1;
        struct tp_str of_node = tp_str_trimmed((struct tp_str){name.ptr + skip, name.len - skip});
        uint32_t node = tp_strings_find(&trace->names, of_node);
        uint32_t count = node == TP_NO_ID ? 0 : use->count[node];
        lost += use->count[i] > count ? use->count[i] - count : 0;
        kept += use->count[i] < count ? use->count[i] : count;
    }
    return lost * ONE_IN <= kept ? lost : 0;
}

uint64_t tp_conflicts_of_names(const struct tp_trace *trace, const struct tp_name_use *use)
{
    uint64_t count = lost_nodes(trace, use);
    for (uint32_t i = 0; i < trace->names.count; i++)
        count += is_cut(trace, use, i);
    return count;
}
