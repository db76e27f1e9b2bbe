/* Joins the kernels of replayed graphs with the calls that captured them: see joined.h. */
#include "webreport/model/capture/capture_sections.h"
#include "webreport/model/capture/parts.h"
#include "webreport/model/stages.h"

const char *tp_join_how_text(enum tp_join_how how)
{
    static const char *const texts[] = {"order", "name", "place", "node id"};
    return texts[how];
}

/* Returns the sections of the capture traces, followed by those of the trace itself. */
static const struct tp_captures *all_captures(struct tp_model *model)
{
    const struct tp_captures *added = model->trace->capture.captures;
    const char *path = model->trace->capture.path;
    struct tp_captures *own = tp_arena_alloc(model->arena, sizeof *own);
    tp_capture_sections_find(own, model, path ? path : "", (struct tp_str){NULL, 0}, model->arena);
    if (!own->section_count)
        return added;
    if (!added)
        return own;
    struct tp_captures *all = tp_arena_alloc(model->arena, sizeof *all);
    all->file_count = added->file_count + 1;
    all->section_count = added->section_count + own->section_count;
    all->call_count = added->call_count + own->call_count;
    all->files = tp_arena_array(model->arena, all->file_count, sizeof *all->files);
    all->sections = tp_arena_array(model->arena, all->section_count, sizeof *all->sections);
    all->calls = tp_arena_array(model->arena, all->call_count, sizeof *all->calls);
    memcpy(all->files, added->files, added->file_count * sizeof *all->files);
    memcpy(all->sections, added->sections, added->section_count * sizeof *all->sections);
    memcpy(all->calls, added->calls, added->call_count * sizeof *all->calls);
    all->files[added->file_count] = *own->files;
    all->files[added->file_count].first_section = added->section_count;
    memcpy(all->calls + added->call_count, own->calls, own->call_count * sizeof *all->calls);
    for (uint32_t s = 0; s < own->section_count; s++) {
        struct tp_capture_section *section = &all->sections[added->section_count + s];
        *section = own->sections[s];
        section->file = added->file_count;
        section->first_call += added->call_count;
    }
    return all;
}

void tp_model_join_captures(struct tp_model *model)
{
    struct tp_joiner joiner = {.model = model, .arena = model->arena};
    joiner.captures = all_captures(model);
    if (!joiner.captures)
        return;
    joiner.joined = tp_arena_alloc(model->arena, sizeof *joiner.joined);
    joiner.joined->captures = joiner.captures;
    tp_strings_init(&joiner.names, model->arena, 0);
    joiner.key_of_name = tp_arena_array(model->arena, model->trace->names.count, sizeof *joiner.key_of_name);
    joiner.match_items = TP_VEC(model->arena, struct tp_join_match);
    tp_id_map_init(&joiner.matches, model->arena);
    if (!tp_join_find_replays(&joiner))
        return;
    tp_join_find_places(&joiner);
    size_t key_count = TP_KEY_FIRST_NAME + (size_t)joiner.names.count;
    joiner.counts = tp_arena_array(model->arena, key_count, sizeof *joiner.counts);
    joiner.joined->row_of_device =
        tp_arena_array(model->arena, model->devices.count, sizeof *joiner.joined->row_of_device);
    memset(joiner.joined->row_of_device, 0xFF, model->devices.count * sizeof *joiner.joined->row_of_device);
    tp_join_choose(&joiner);
    tp_id_map_release(&joiner.matches);
    model->joined = joiner.joined;
}
