/* kernel_path TRACE: prints the section of the page about kernels, and nothing else. It runs only the code between a
 * kernel's event and the cell in the table. path.sh counts the files of this code. */
#include <stdio.h>

#include "webreport/document/report/sections.h"
#include "webreport/document/section.h"
#include "webreport/model/build.h"
#include "webreport/print/template.h"
#include "writer/text/assets.h"

struct way {
    const char *path;
    struct tp_arena arena;
    struct tp_buf html;
};

static int print_kernel_names(void *context, struct tp_error *err)
{
    struct way *way = context;
    struct tp_arena *arena = &way->arena;
    struct tp_trace *trace = tp_arena_alloc(arena, sizeof *trace);
    struct tp_order *order = tp_arena_alloc(arena, sizeof *order);
    struct tp_model *model = tp_arena_alloc(arena, sizeof *model);
    struct tp_views *views = tp_arena_alloc(arena, sizeof *views);
    /* zeroed, because the tested path ends in the table of kernels and needs no advice */
    struct tp_advice *advice = tp_arena_alloc(arena, sizeof *advice);
    struct tp_page_limits limits;
    struct tp_profile profile = {.trace = trace, .order = order, .model = model, .views = views, .advice = advice};
    struct tp_section section = {
        .arena = arena, .profile = &profile, .limits = &limits, .naming = {.arena = arena}, .title = "one"};
    struct tp_assets assets;
    struct tp_templates templates;
    int code = tp_trace_read(trace, arena, way->path, &(struct tp_trace_options){.single_thread = true}, err);
    if (code < 0)
        return code;
    tp_order_build(order, trace, arena);
    tp_model_build(model, trace, order, arena);
    tp_kernel_view_build(&views->kernels, model, arena);
    tp_page_limits_fill(&limits, 0, 1 << 20, TP_TIMELINE_LONGEST);
    tp_assets_init(&assets, arena, NULL);
    tp_templates_init(&templates, arena, tp_assets_load, &assets);
    return tp_template_render(&templates, "kernels", tp_section_kernels(&section), &way->html, err);
}

int main(int argc, char **argv)
{
    struct way way = {.path = argv[argc - 1]};
    struct tp_error err = {0};
    tp_arena_init(&way.arena, 0);
    tp_buf_init(&way.html, 0);
    int code = tp_arena_run(&way.arena, print_kernel_names, &way, &err);
    if (code == TP_OK)
        fwrite(way.html.data, 1, way.html.size, stdout);
    else
        fprintf(stderr, "%s\n", err.text);
    tp_buf_release(&way.html);
    tp_arena_release(&way.arena);
    return code == TP_OK ? 0 : 1;
}
