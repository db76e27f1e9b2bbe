/* Timeline and call tree: built for this page within its limits. */
#include "webreport/document/calltree_data.h"
#include "webreport/document/section.h"
#include "webreport/document/timeline_data.h"

/* A name as the viewer shows it: kernels without their arguments, nothing private. */
static struct tp_str shown_name(const void *context, struct tp_str name)
{
    const struct tp_naming *naming = context;

    return tp_shown_text(naming, tp_str_starts(name, "void ") ? tp_kernel_short_name(naming->arena, name) : name);
}

struct tp_data tp_section_timeline(const struct tp_section *section)
{
    struct tp_timeline_options options = {
        .max_bytes = section->limits->timeline_bytes, .show = shown_name, .context = &section->naming};
    struct tp_timeline *timeline;

    if (!options.max_bytes)
        return TP_NO_DATA;
    timeline = tp_arena_alloc(section->arena, sizeof(*timeline));
    tp_timeline_build(timeline, section->profile->model, &options, section->arena);
    return tp_timeline_data(section->arena, timeline);
}

struct tp_data tp_section_calltree(const struct tp_section *section)
{
    struct tp_calltree_options options = {
        .max_nodes = (uint32_t)section->limits->tree_nodes, .show = shown_name, .context = &section->naming};
    struct tp_calltree *tree;

    if (!options.max_nodes)
        return TP_NO_DATA;
    tree = tp_arena_alloc(section->arena, sizeof(*tree));
    tp_calltree_build(tree, section->profile->model, &options, section->arena);
    return tp_calltree_data(section->arena, tree);
}
