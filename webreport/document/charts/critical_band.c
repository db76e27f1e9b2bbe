/* Implements critical_band.h. */
#include "webreport/document/charts/critical_band.h"

#include "webreport/document/path_words.h"
#include "writer/base/saturate.h"

enum {
    FINEST_OF_STEP = 400,  /* parts shorter than this part of the shown step are joined */
    FINEST_OF_WHOLE = 400, /* parts of other steps shorter than this part of the recording are joined */
    NAME_BYTES = 60
};

/* A part of the band that can still grow. */
struct growing {
    int64_t start_ns, end_ns;
    int64_t group_ns[TP_GROUPS];
    size_t longest[TP_GROUPS]; /* index of the longest span of each group */
    int64_t longest_ns[TP_GROUPS];
    size_t count; /* number of path elements */
};

struct band_maker {
    const struct tp_section *section;
    const struct tp_what_if_view *view;
    int64_t finest_ns;
    struct growing now;
    struct tp_vec parts; /* elements: struct tp_band_part */
};

static enum tp_path_group group_of(const struct tp_path_span *span)
{
    return tp_path_group_of((enum tp_path_kind)span->kind);
}

static enum tp_path_group main_group(const struct growing *part)
{
    enum tp_path_group best = 0;
    for (enum tp_path_group g = 1; g < TP_GROUPS; g++)
        best = part->group_ns[g] > part->group_ns[best] ? g : best;
    return best;
}

/* Returns the edge on the path before the node of a span; NULL if it takes no time. The array starts at the end of the
 * path. */
static const struct tp_path_span *edge_before(const struct tp_what_if_view *view, size_t index)
{
    uint32_t node = view->spans[index].node;
    for (size_t i = index; i < view->span_count && view->spans[i].node == node; i++)
        if (view->spans[i].is_edge)
            return &view->spans[i];
    return NULL;
}

/* Returns the work of the node that waits for an edge; NULL if the work is outside of the path. */
static const struct tp_path_span *work_after(const struct tp_what_if_view *view, size_t index)
{
    uint32_t node = view->spans[index].node;
    for (size_t i = index; i-- > 0 && view->spans[i].node == node;)
        if (!view->spans[i].is_edge)
            return &view->spans[i];
    return NULL;
}

static const char *short_name(const struct tp_section *section, const struct tp_path_span *span)
{
    struct tp_str name = tp_path_name_text(&section->naming, (enum tp_path_kind)span->kind, span->name);
    name = tp_text_shorten(section->arena, name, NAME_BYTES);
    return tp_text_printf(section->arena, "%.*s", (int)name.len, name.ptr);
}

/* Returns which activity the node of a span follows without a delay, such as ", directly after aten::add"; "" at the
 * start of the path. */
static const char *predecessor_text(const struct band_maker *maker, size_t index)
{
    const struct tp_what_if_view *view = maker->view;
    size_t before = index;
    while (before < view->span_count && view->spans[before].node == view->spans[index].node)
        before++;
    if (before == view->span_count)
        return "";
    return tp_text_printf(maker->section->arena, ", directly after %s",
                          short_name(maker->section, &view->spans[before]));
}

/* Returns the details of a part, such as "Compute: GEMM fp32, waits for: stream order". Time before an activity has the
 * name of this activity. */
static const char *text_of_part(const struct band_maker *maker, enum tp_path_group group)
{
    const struct growing *part = &maker->now;
    struct tp_arena *arena = maker->section->arena;
    size_t index = part->longest[group];
    const struct tp_path_span *span = &maker->view->spans[index];
    const struct tp_path_span *edge = span->is_edge ? span : edge_before(maker->view, index);
    const struct tp_path_span *work = span->is_edge ? work_after(maker->view, index) : span;
    const char *name = short_name(maker->section, work ? work : span), *title = tp_path_group_title(group);
    const char *before = span->is_edge && work ? "before " : "";
    if (part->count > 1)
        return tp_text_printf(arena, "%s, %zu parts, longest: %s%s", title, part->count, before, name);
    if (!edge)
        return tp_text_printf(arena, "%s: %s%s", title, name, predecessor_text(maker, index));
    return tp_text_printf(arena, "%s: %s%s, waits for: %s%s", title, before, name,
                          tp_edge_reason_words((enum tp_edge_reason)edge->reason),
                          edge->is_inferred ? " (inferred)" : "");
}

static void end_part(struct band_maker *maker)
{
    const struct growing *part = &maker->now;
    if (part->count) {
        enum tp_path_group group = main_group(part);
        *(struct tp_band_part *)tp_vec_push(&maker->parts) =
            (struct tp_band_part){part->start_ns, part->end_ns, (uint32_t)group, tp_str_of(text_of_part(maker, group))};
    }
    maker->now = (struct growing){.start_ns = 0};
}

/* Returns whether a span that starts at start_ns becomes a part of the growing one, which is too short to see. */
static bool joins(const struct band_maker *maker, int64_t start_ns)
{
    const struct growing *now = &maker->now;
    return now->count && start_ns == now->end_ns && tp_sat_sub(now->end_ns, now->start_ns) < maker->finest_ns;
}

static void add_span(struct band_maker *maker, size_t index, int64_t start_ns, int64_t end_ns)
{
    const struct tp_path_span *span = &maker->view->spans[index];
    struct growing *now = &maker->now;
    enum tp_path_group group = group_of(span);
    if (!joins(maker, start_ns)) {
        end_part(maker);
        now->start_ns = start_ns;
    }
    int64_t ns = tp_sat_sub(end_ns, start_ns);
    now->end_ns = end_ns;
    now->group_ns[group] += ns;
    if (ns > now->longest_ns[group] || !now->longest_ns[group]) {
        now->longest_ns[group] = ns;
        now->longest[group] = index;
    }
    now->count++;
}

/* Adds the path from start_ns to end_ns. */
static void add_range(struct band_maker *maker, int64_t start_ns, int64_t end_ns, int64_t finest_ns)
{
    maker->finest_ns = finest_ns;
    for (size_t i = maker->view->span_count; i-- > 0;) {
        const struct tp_path_span *span = &maker->view->spans[i];
        int64_t a = span->start_ns > start_ns ? span->start_ns : start_ns;
        int64_t z = span->end_ns < end_ns ? span->end_ns : end_ns;
        if (a < z)
            add_span(maker, i, a, z);
    }
    end_part(maker);
}

static struct band_maker make_maker(const struct tp_section *section)
{
    return (struct band_maker){.section = section,
                               .view = &section->profile->advice->what_if,
                               .parts = TP_VEC(section->arena, struct tp_band_part)};
}

static struct tp_band band_of(const struct band_maker *maker)
{
    return (struct tp_band){maker->parts.data, (uint32_t)maker->parts.count};
}

/* Returns whether the page shows the path. A withheld replay has a path too, unless it contradicts the trace. */
static bool has_band(const struct tp_section *section)
{
    return tp_section_has_replay(section) &&
           !(section->profile->advice->what_if.withheld & 1u << TP_WITHHELD_NOT_REPRODUCED);
}

struct tp_band tp_critical_band(const struct tp_section *section, int64_t start_ns, int64_t end_ns, int64_t finest_ns)
{
    struct band_maker maker = make_maker(section);
    if (has_band(section))
        add_range(&maker, start_ns, end_ns, finest_ns);
    return band_of(&maker);
}

struct tp_band tp_critical_band_for_viewer(const struct tp_section *section, uint32_t step)
{
    struct band_maker maker = make_maker(section);
    const struct tp_model *model = section->profile->model;
    int64_t whole_ns = tp_sat_sub(model->last_ns, model->first_ns), finest_ns = whole_ns / FINEST_OF_WHOLE;
    if (!has_band(section))
        return band_of(&maker);
    if (step == TP_NO_ID) {
        add_range(&maker, model->first_ns, model->last_ns, finest_ns);
        return band_of(&maker);
    }
    int64_t start_ns = model->steps[step].start_ns, end_ns = model->steps[step].end_ns;
    add_range(&maker, INT64_MIN, start_ns, finest_ns);
    add_range(&maker, start_ns, end_ns, tp_sat_sub(end_ns, start_ns) / FINEST_OF_STEP);
    add_range(&maker, end_ns, INT64_MAX, finest_ns);
    return band_of(&maker);
}
