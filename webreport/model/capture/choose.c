/* Chooses the section of each replay, and makes the rows of joined operations (docs/definitions.md, section 33). */
#include "webreport/model/capture/parts.h"
#include "writer/base/keys.h"
#include "writer/base/sort.h"

/* A section that fits a replay. */
struct candidate {
    uint32_t section;
    const struct tp_join_match *match;
    uint32_t same_grids, known_grids; /* pairs with equal, and with known launch configurations on both sides */
    unsigned batch_rank;              /* 0: equal batches, 1: larger, 2: unknown, 3: smaller than that of the replay */
    int64_t batch_order;              /* of sections with the same rank, the lowest number comes first */
};

/* ---- candidates ---- */

static uint32_t grid_of_operation(const struct tp_model *model, uint32_t device, uint32_t *block)
{
    const struct tp_device_setup *setup = tp_device_setup(model->trace, tp_device_event(model, device)->detail);
    *block = setup->block;
    return setup->grid;
}

static void count_grids(const struct tp_joiner *joiner, const struct tp_graph_replay *replay, struct candidate *c)
{
    const struct tp_capture_section *section = &joiner->captures->sections[c->section];
    for (uint32_t i = 0; i < c->match->count; i++) {
        const struct tp_join_pair *pair = &c->match->pairs[i];
        uint32_t call = joiner->captures->calls[section->first_call + pair->call], block;
        const struct tp_capture_argument *argument = tp_capture_argument_of(joiner->model->trace, call);
        uint32_t grid = grid_of_operation(joiner->model, replay->operations[pair->operation], &block);
        if (!argument || argument->grid == TP_NO_ID || grid == TP_NO_ID)
            continue;
        c->known_grids++;
        c->same_grids += argument->grid == grid && argument->block == block;
    }
}

/* Ranks a section by its batch: engines replay the graph of the next larger size. */
static void rank_batch(const struct tp_capture_section *section, const struct tp_graph_replay *replay,
                       struct candidate *c)
{
    c->batch_rank = 2;
    if (section->batch == TP_NULL_INT || replay->batch == TP_NULL_INT)
        return;
    c->batch_rank = section->batch == replay->batch ? 0 : section->batch > replay->batch ? 1 : 3;
    c->batch_order = c->batch_rank == 1 ? section->batch : c->batch_rank == 3 ? -section->batch : 0;
}

/* Compares two candidates without the position in the file. Candidates that compare as equal are equally good. */
static int compare_quality(const struct candidate *a, const struct candidate *b)
{
    if (a->match->count != b->match->count)
        return a->match->count > b->match->count ? -1 : 1;
    if (a->match->share_whole != b->match->share_whole) /* equal counts: the share is larger if the whole is smaller */
        return a->match->share_whole < b->match->share_whole ? -1 : 1;
    if (a->same_grids != b->same_grids)
        return a->same_grids > b->same_grids ? -1 : 1;
    if (a->batch_rank != b->batch_rank)
        return a->batch_rank < b->batch_rank ? -1 : 1;
    return (a->batch_order > b->batch_order) - (a->batch_order < b->batch_order);
}

static int compare_candidates(const void *x, const void *y, const void *context)
{
    const struct candidate *a = x, *b = y;
    const struct tp_capture_section *sections = context;
    int order = compare_quality(a, b);
    int64_t begin_a = sections[a->section].begin_ns, begin_b = sections[b->section].begin_ns;
    if (order || begin_a != begin_b)
        return order ? order : begin_a < begin_b ? -1 : 1;
    return (a->section > b->section) - (a->section < b->section);
}

/* Stores why the replay was refused, if `match` has a larger share than the earlier refusals. */
static void note_refusal(struct tp_graph_replay *replay, const struct tp_join_match *match)
{
    bool is_first = replay->reason == TP_JOIN_NO_CAPTURE;
    if (!is_first &&
        (uint64_t)match->share_part * replay->share_whole <= (uint64_t)replay->share_part * match->share_whole)
        return;
    replay->reason = match->reason;
    replay->share_part = match->share_part;
    replay->share_whole = match->share_whole;
    memcpy(replay->numbers, match->numbers, sizeof replay->numbers);
}

/* Returns the sections that fit a replay, best first, without those that are worse than the first. */
static struct tp_vec find_candidates(struct tp_joiner *joiner, struct tp_graph_replay *replay)
{
    struct tp_vec found = TP_VEC(joiner->arena, struct candidate);
    replay->reason = TP_JOIN_NO_CAPTURE;
    for (uint32_t s = 0; s < joiner->captures->section_count; s++) {
        struct candidate c = {.section = s, .match = tp_join_match(joiner, s, replay->sequence)};
        if (!c.match->count) {
            note_refusal(replay, c.match);
            continue;
        }
        rank_batch(&joiner->captures->sections[s], replay, &c);
        *(struct candidate *)tp_vec_push(&found) = c;
    }
    /* later comparisons may have moved the items */
    for (size_t i = 0; i < found.count; i++) {
        struct candidate *c = TP_AT(&found, struct candidate, i);
        c->match = tp_join_match(joiner, c->section, replay->sequence);
        count_grids(joiner, replay, c);
    }
    tp_merge_sort(joiner->arena, found.data, found.count, sizeof(struct candidate), compare_candidates,
                  joiner->captures->sections);
    for (size_t i = 1; i < found.count; i++)
        if (compare_quality(found.data, TP_AT(&found, struct candidate, i)))
            found.count = i;
    return found;
}

/* ---- layers ---- */

/* Replays of one step that may come from the same sections, such as equal layers: the k-th replay takes the k-th
 * section if the step has a multiple of them. */
struct layers {
    uint32_t count, next, first;
};

static bool are_of_one_graph(const struct tp_joiner *joiner, const struct tp_graph_replay *replay)
{
    const struct tp_capture_section *sections = joiner->captures->sections, *first = &sections[replay->sections[0]];
    bool are_equal = true;
    for (uint32_t i = 1; i < replay->section_count; i++)
        are_equal &=
            sections[replay->sections[i]].file == first->file && sections[replay->sections[i]].batch == first->batch;
    return are_equal;
}

/* Returns the number of the set of sections of a replay; equal sets have equal numbers. */
static uint32_t number_of_set(struct tp_strings *sets, const struct tp_graph_replay *replay)
{
    return tp_strings_add(
        sets, (struct tp_str){(const char *)replay->sections, replay->section_count * sizeof *replay->sections});
}

static void choose_layers(struct tp_joiner *joiner)
{
    struct tp_joined *joined = joiner->joined;
    struct tp_strings sets;
    struct tp_keys keys;
    struct tp_vec groups = TP_VEC(joiner->arena, struct layers);
    uint32_t *group_of = tp_arena_array(joiner->arena, joined->replay_count, sizeof *group_of);
    tp_strings_init(&sets, joiner->arena, 0);
    tp_keys_init(&keys, joiner->arena, 2);
    for (uint32_t i = 0; i < joined->replay_count; i++) {
        const struct tp_graph_replay *replay = &joined->replays[i];
        if (replay->section_count < 2)
            continue;
        uint32_t group = group_of[i] = tp_keys_pair(&keys, replay->step, number_of_set(&sets, replay));
        if (group == groups.count)
            *(struct layers *)tp_vec_push(&groups) = (struct layers){.first = i};
        TP_AT(&groups, struct layers, group)->count++;
    }
    for (uint32_t i = 0; i < joined->replay_count; i++) {
        struct tp_graph_replay *replay = &joined->replays[i];
        if (replay->section_count < 2)
            continue;
        struct layers *layers = TP_AT(&groups, struct layers, group_of[i]);
        if (layers->count % replay->section_count || !are_of_one_graph(joiner, replay))
            continue;
        replay->sections += layers->next++ % replay->section_count;
        replay->section_count = 1;
    }
}

/* ---- rows ---- */

/* Combines the rows that two sections give for one operation: only what both show remains. */
static void keep_common(const struct tp_model *model, struct tp_joined_row *row, const struct tp_joined_row *other)
{
    const struct tp_trace *trace = model->trace;
    row->one_of++;
    row->call = TP_NO_ID;
    if (row->op != TP_NO_ID || other->op != TP_NO_ID) {
        const struct tp_event *a = row->op == TP_NO_ID ? NULL : tp_operator_work_event(model, row->op);
        const struct tp_event *b = other->op == TP_NO_ID ? NULL : tp_operator_work_event(model, other->op);
        bool is_same = a && b && a->name == b->name;
        const struct tp_host_detail *x = is_same ? &trace->hosts[a->detail] : NULL;
        const struct tp_host_detail *y = is_same ? &trace->hosts[b->detail] : NULL;
        row->has_shapes &= is_same && x->dims == y->dims && x->types == y->types;
        uint32_t outer = is_same ? model->operators.parent[row->op] : TP_NO_ID;
        uint32_t other_outer = is_same ? model->operators.parent[other->op] : TP_NO_ID;
        for (; outer != TP_NO_ID && other_outer != TP_NO_ID && outer != other_outer;
             outer = model->operators.parent[outer], other_outer = model->operators.parent[other_outer])
            row->has_chain &= tp_operator_event(model, outer)->name == tp_operator_event(model, other_outer)->name;
        row->has_chain &= is_same && outer == other_outer;
        row->op = is_same ? row->op : TP_NO_ID;
    }
    row->line = row->line == other->line ? row->line : TP_NO_ID;
    if (row->module != TP_NO_ID && other->module != TP_NO_ID) {
        uint32_t a = trace->events[model->modules.event[row->module]].name;
        uint32_t b = trace->events[model->modules.event[other->module]].name;
        row->is_bare_module |= a != b;
        if (a != b &&
            !tp_str_equal(tp_frame_module_class(trace->names.items[a]), tp_frame_module_class(trace->names.items[b])))
            row->module = TP_NO_ID;
    } else {
        row->module = TP_NO_ID;
    }
}

static struct tp_joined_row make_row(const struct tp_joiner *joiner, const struct tp_graph_replay *replay,
                                     uint32_t section, const struct tp_join_pair *pair)
{
    uint32_t call = joiner->captures->sections[section].first_call + pair->call;
    const struct tp_call_place *place = &joiner->places[call];
    bool has_shapes = replay->reason != TP_JOIN_OTHER_GRIDS && replay->reason != TP_JOIN_SMALLER_BATCH;
    return (struct tp_joined_row){.op = place->op,
                                  .module = place->module,
                                  .line = place->line,
                                  .call = joiner->captures->calls[call],
                                  .section = section,
                                  .place = pair->call,
                                  .one_of = 1,
                                  .how = pair->how,
                                  .has_shapes = has_shapes,
                                  .has_chain = true};
}

/* Adds the rows of the operations of a replay. */
static void add_rows(struct tp_joiner *joiner, struct tp_graph_replay *replay, struct tp_vec *rows)
{
    uint32_t *row_of = joiner->joined->row_of_device;
    for (uint32_t s = 0; s < replay->section_count; s++) {
        const struct tp_join_match *match = tp_join_match(joiner, replay->sections[s], replay->sequence);
        for (uint32_t i = 0; i < match->count; i++) {
            struct tp_joined_row row = make_row(joiner, replay, replay->sections[s], &match->pairs[i]);
            uint32_t *known = &row_of[replay->operations[match->pairs[i].operation]];
            if (*known == TP_NO_ID) {
                *known = (uint32_t)rows->count;
                *(struct tp_joined_row *)tp_vec_push(rows) = row;
            } else {
                keep_common(joiner->model, TP_AT(rows, struct tp_joined_row, *known), &row);
            }
        }
    }
}

/* ---- nodes ---- */

static int64_t node_of(const struct tp_joiner *joiner, uint32_t device)
{
    const struct tp_model *model = joiner->model;
    const struct tp_capture_argument *argument = tp_capture_argument_of(model->trace, model->devices.event[device]);
    return argument ? argument->node : TP_NULL_INT;
}

static void collect_nodes(const struct tp_joiner *joiner, struct tp_id_map *nodes)
{
    const struct tp_joined *joined = joiner->joined;
    for (uint32_t i = 0; i < joined->replay_count; i++)
        for (uint32_t k = 0; k < joined->replays[i].count; k++) {
            uint32_t device = joined->replays[i].operations[k];
            int64_t node = node_of(joiner, device);
            if (node == TP_NULL_INT || joined->row_of_device[device] == TP_NO_ID)
                continue;
            uint32_t *known = tp_id_map_find_or_add(nodes, (uint64_t)node);
            if (*known == TP_NO_ID)
                *known = joined->row_of_device[device];
        }
}

/* Joins a replay without a section if the nodes of at least 90 % of its operations are known from other replays. */
static void join_by_nodes(struct tp_joiner *joiner, struct tp_graph_replay *replay, const struct tp_id_map *nodes,
                          struct tp_vec *rows)
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < replay->count; k++) {
        int64_t node = node_of(joiner, replay->operations[k]);
        found += node != TP_NULL_INT && tp_id_map_get(nodes, (uint64_t)node) != TP_NO_ID;
    }
    if (!found || (uint64_t)found * 10 < (uint64_t)replay->count * 9)
        return;
    for (uint32_t k = 0; k < replay->count; k++) {
        int64_t node = node_of(joiner, replay->operations[k]);
        uint32_t known = node == TP_NULL_INT ? TP_NO_ID : tp_id_map_get(nodes, (uint64_t)node);
        if (known == TP_NO_ID)
            continue;
        struct tp_joined_row row = *TP_AT(rows, struct tp_joined_row, known);
        row.how = TP_JOIN_NODE;
        joiner->joined->row_of_device[replay->operations[k]] = (uint32_t)rows->count;
        *(struct tp_joined_row *)tp_vec_push(rows) = row;
    }
    replay->joined = replay->share_part = found;
    replay->share_whole = replay->count;
    replay->reason = TP_JOIN_BY_NODE;
}

/* ---- all replays ---- */

static void choose_sections(struct tp_joiner *joiner, struct tp_graph_replay *replay)
{
    struct tp_vec found = find_candidates(joiner, replay);
    uint32_t *sections = tp_arena_array(joiner->arena, found.count, sizeof *sections);
    if (!found.count)
        return;
    const struct candidate *first = found.data;
    for (size_t i = 0; i < found.count; i++)
        sections[i] = first[i].section;
    replay->sections = sections;
    replay->section_count = (uint32_t)found.count;
    replay->joined = replay->share_part = first->match->count;
    replay->share_whole = first->match->share_whole;
    replay->joined_by_name = first->match->by_name;
    replay->reason = TP_JOIN_ACCEPTED;
    if (first->known_grids && (uint64_t)first->same_grids * 10 < (uint64_t)first->known_grids * 9) {
        replay->reason = TP_JOIN_OTHER_GRIDS;
    } else if (!first->known_grids && first->batch_rank == 3) {
        replay->reason = TP_JOIN_SMALLER_BATCH;
        replay->numbers[0] = (uint32_t)joiner->captures->sections[first->section].batch;
        replay->numbers[1] = (uint32_t)replay->batch;
    }
}

void tp_join_choose(struct tp_joiner *joiner)
{
    struct tp_joined *joined = joiner->joined;
    struct tp_vec rows = TP_VEC(joiner->arena, struct tp_joined_row);
    struct tp_id_map nodes;
    for (uint32_t i = 0; i < joined->replay_count; i++)
        choose_sections(joiner, &joined->replays[i]);
    choose_layers(joiner);
    for (uint32_t i = 0; i < joined->replay_count; i++)
        add_rows(joiner, &joined->replays[i], &rows);
    tp_id_map_init(&nodes, joiner->arena);
    collect_nodes(joiner, &nodes);
    for (uint32_t i = 0; nodes.count && i < joined->replay_count; i++)
        if (!joined->replays[i].joined)
            join_by_nodes(joiner, &joined->replays[i], &nodes, &rows);
    tp_vec_fit(&rows);
    joined->rows = rows.data;
    joined->row_count = (uint32_t)rows.count;
}
