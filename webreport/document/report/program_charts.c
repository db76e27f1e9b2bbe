/* Makes the charts of the first screen of a program recorded from outside. See program_charts.h. */
#include "webreport/document/report/program_charts.h"

#include "webreport/document/charts/chart_lanes.h"
#include "webreport/document/report/program_actions.h"
#include "webreport/document/report/program_span.h"
#include "webreport/document/words/program_words.h"
#include "writer/base/sort.h"

/* LANE_HEIGHT: height of a lane in pixels. TALL_HEIGHT: height if there are at most FEW_LANES lanes. */
enum { MAX_LANES = 8, FEW_LANES = 2, LANE_HEIGHT = 20, TALL_HEIGHT = 40, COLUMNS = 260, NAME_BYTES = 32 };

/* ---- the bar ---- */

/* Fills the order of the bar: the part of the headline, the other avoidable parts, the running time, and what is not
 * avoidable, each by time, and last what is unknown. */
static void order_parts(const struct tp_program_view *view, unsigned order[TP_WALL_COUNT])
{
    int rank[TP_WALL_COUNT];
    for (unsigned part = 0; part < TP_WALL_COUNT; part++) {
        rank[part] = part == view->answer.main                 ? 0
                     : view->answer.is_avoidable[part]         ? 1
                     : part == TP_WALL_RUNNING                 ? 2
                     : part != TP_WALL_WAITS + TP_WAIT_UNKNOWN ? 3
                                                               : 4;
        unsigned at = part;
        for (; at; at--) {
            unsigned before = order[at - 1];
            if (rank[before] != rank[part] ? rank[before] < rank[part]
                                           : view->parts.part_ns[before] >= view->parts.part_ns[part])
                break;
            order[at] = before;
        }
        order[at] = part;
    }
}

/* Returns the label of a segment of the running time, such as "Running memcmp". */
static const char *segment_label(const struct tp_section *section, unsigned index)
{
    const struct tp_program_view *view = tp_section_program(section);
    const struct tp_program_answer *answer = &view->answer;
    if (answer->segment_count == 1)
        return tp_wall_part_title(TP_WALL_RUNNING, section->arena);
    if (answer->segments[index].function == TP_NO_ID)
        return "Other functions";
    struct tp_str name = tp_program_function_at(&view->functions, answer->segments[index].function)->name;
    name = tp_shown_text(&section->naming, tp_program_short_function_name(name));
    name = tp_text_shorten(section->arena, name, NAME_BYTES);
    return tp_text_printf(section->arena, "%s%.*s", index ? "" : "Running ", (int)name.len, name.ptr);
}

/* Returns whether a wait is too short for a segment of its own. */
static bool is_tiny(const struct tp_program_view *view, unsigned part)
{
    static const double LEAST_PERCENT = 0.3;
    return part >= TP_WALL_WAITS && part != view->answer.main &&
           tp_wall_part_percent(&view->parts, part) < LEAST_PERCENT;
}

/* Adds a part to the bar: running time as one segment for each of its functions, other parts as one segment. Returns
 * the next free segment. */
static struct tp_bar_segment *add_part(const struct tp_section *section, struct tp_bar_segment *segment, unsigned part)
{
    const struct tp_program_view *view = tp_section_program(section);
    const struct tp_program_answer *answer = &view->answer;
    struct tp_bar_segment *first = segment;
    enum tp_look look = tp_program_part_look(part);
    if (view->parts.part_ns[part] <= 0 || is_tiny(view, part))
        return segment;
    for (unsigned i = 0; part == TP_WALL_RUNNING && i < answer->segment_count; i++) {
        bool is_rest = i && answer->segments[i].function == TP_NO_ID;
        *segment++ = (struct tp_bar_segment){.label = segment_label(section, i),
                                             .ns = answer->segments[i].ns,
                                             .look = is_rest ? TP_LOOK_GPU3
                                                     : i     ? TP_LOOK_GPU2
                                                             : look};
    }
    if (segment == first)
        *segment++ = (struct tp_bar_segment){
            .label = tp_wall_part_title(part, section->arena), .ns = view->parts.part_ns[part], .look = look};
    first->is_avoidable = answer->is_avoidable[part];
    first->cause_ns = view->parts.part_ns[part];
    return segment;
}

static void put_bar(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_bar_segment segments[TP_WALL_COUNT + TP_PROGRAM_SEGMENTS + 1], *end = segments;
    unsigned order[TP_WALL_COUNT];
    int64_t tiny_ns = 0;
    order_parts(view, order);
    for (unsigned i = 0; i < TP_WALL_COUNT; i++) {
        end = add_part(section, end, order[i]);
        tiny_ns += is_tiny(view, order[i]) ? view->parts.part_ns[order[i]] : 0;
    }
    *end++ = (struct tp_bar_segment){.label = "Other waits", .ns = tiny_ns, .look = TP_LOOK_NONE};
    const char *caption = tp_text_printf(section->arena, "Where the wall time of %s goes",
                                         tp_text_of_time(section->arena, view->parts.wall_ns));
    tp_document_add_chart(document, "causes",
                          tp_chart_causes(section->arena, caption, "By cause", segments, (size_t)(end - segments)),
                          NULL);
}

/* ---- the strip ---- */

static int compare_by_running(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_tree_thread *threads = context;
    int64_t a = threads[x].state_ns[TP_STATE_RUNNING], b = threads[y].state_ns[TP_STATE_RUNNING];
    return a != b ? (a > b ? -1 : 1) : x < y ? -1 : x > y;
}

/* Returns whether a thread exists long enough to be seen in a lane. */
static bool is_visible(const struct tp_process_tree *tree, const struct tp_tree_thread *thread)
{
    static const double LEAST_PERCENT = 0.5;
    return tp_percent(thread->end_ns - thread->begin_ns, tree->end_ns - tree->begin_ns) >= LEAST_PERCENT;
}

/* Fills `chosen` with the threads that run longest, in the order of the tree. Returns their number. */
static size_t choose_threads(const struct tp_section *section, uint32_t chosen[MAX_LANES])
{
    const struct tp_process_tree *tree = &tp_section_program(section)->tree;
    uint32_t *order = tp_arena_array(section->arena, tree->thread_count + 1, sizeof *order);
    uint32_t candidates = 0;
    for (uint32_t i = 0; i < tree->thread_count; i++)
        if (i == 0 || is_visible(tree, &tree->threads[i]))
            order[candidates++] = i;
    tp_sort_rows(order, candidates, compare_by_running, tree->threads, section->arena);
    size_t count = candidates < MAX_LANES ? candidates : MAX_LANES;
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at && chosen[at - 1] > order[i]; at--)
            chosen[at] = chosen[at - 1];
        chosen[at] = order[i];
    }
    return count;
}

/* Returns the label of a lane: the name of the thread, or "Main" for the first thread of the only process, and "Thread"
 * for its threads without a name of their own. */
static const char *lane_label(const struct tp_section *section, uint32_t thread)
{
    const struct tp_table *rows = &tp_section_program(section)->threads;
    struct tp_str name = tp_table_text(rows, TP_PROGRAM_THREAD_NAME)[thread];
    bool is_alone = tp_section_program(section)->processes.row_count == 1;
    bool is_first =
        tp_table_int(rows, TP_PROGRAM_THREAD_TID)[thread] == tp_table_int(rows, TP_PROGRAM_THREAD_PID)[thread];
    if (is_alone && is_first)
        return "Main";
    if (is_alone && tp_str_equal(name, tp_table_text(rows, TP_PROGRAM_THREAD_NAME)[0]))
        return "Thread";
    name = tp_text_shorten(section->arena, tp_shown_text(&section->naming, name), NAME_BYTES);
    return tp_text_printf(section->arena, "%.*s", (int)name.len, name.ptr);
}

static const char *lane_tip(const struct tp_section *section, uint32_t thread)
{
    const struct tp_table *rows = &tp_section_program(section)->threads;
    struct tp_str name = tp_shown_text(&section->naming, tp_table_text(rows, TP_PROGRAM_THREAD_NAME)[thread]);
    return tp_text_printf(section->arena, "%.*s %lld: running %s, ready %s, waiting %s", (int)name.len, name.ptr,
                          (long long)tp_table_int(rows, TP_PROGRAM_THREAD_TID)[thread],
                          tp_text_of_time(section->arena, tp_table_int(rows, TP_PROGRAM_THREAD_RUNNING)[thread]),
                          tp_text_of_time(section->arena, tp_table_int(rows, TP_PROGRAM_THREAD_READY)[thread]),
                          tp_text_of_time(section->arena, tp_table_int(rows, TP_PROGRAM_THREAD_BLOCKED)[thread]));
}

/* Fills the key: one entry for each color in the lanes, with the words of the states that have it. Short states are
 * left out. Returns the number of entries. */
static size_t make_keys(const struct tp_section *section, const uint32_t *threads, size_t count,
                        struct tp_strip_key keys[TP_LOOKS])
{
    static const double LEAST_PERCENT = 0.5;
    static const uint8_t order[] = {TP_LOOK_GPU,  TP_LOOK_LAUNCH, TP_LOOK_COMM, TP_LOOK_COMM2,
                                    TP_LOOK_COPY, TP_LOOK_NONE,   TP_LOOK_HATCH};
    const struct tp_process_tree *tree = &tp_section_program(section)->tree;
    int64_t part_ns[TP_WALL_COUNT] = {0}, all_ns = 0;
    size_t key_count = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < tree->threads[threads[i]].count; k++) {
            const struct tp_thread_slice *slice = &tree->slices[tree->threads[threads[i]].first + k];
            part_ns[tp_wall_part_of_slice(slice)] += slice->end_ns - slice->begin_ns;
            all_ns += slice->end_ns - slice->begin_ns;
        }
    for (size_t k = 0; k < sizeof order; k++) {
        enum tp_look look = (enum tp_look)order[k];
        const char *label = "";
        for (unsigned part = 0; part < TP_WALL_COUNT; part++)
            if (tp_program_part_look(part) == look && tp_percent(part_ns[part], all_ns) >= LEAST_PERCENT)
                label =
                    tp_text_printf(section->arena, "%s%s%s", label, *label ? ", or " : "", tp_wall_part_words(part));
        if (*label)
            keys[key_count++] = (struct tp_strip_key){look, label};
    }
    return key_count;
}

static size_t find_marks(const struct tp_section *section, struct tp_row_marks marks[TP_PROGRAM_FINDINGS])
{
    const struct tp_program_view *view = tp_section_program(section);
    size_t count = 0;
    for (unsigned i = 0; i < view->finding_count; i++) {
        unsigned number = tp_program_finding_number(view, i);
        struct tp_intervals spans = view->findings[i].spans;
        if (number && spans.count)
            marks[count++] = (struct tp_row_marks){number, spans.items, spans.count};
    }
    return count;
}

static void put_strip(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_program_view *view = tp_section_program(section);
    uint32_t threads[MAX_LANES];
    size_t count = choose_threads(section, threads);
    struct tp_strip_row lanes[MAX_LANES];
    struct tp_lane_areas areas[MAX_LANES];
    struct tp_strip_key keys[TP_LOOKS];
    struct tp_row_marks marks[TP_PROGRAM_FINDINGS];
    for (size_t i = 0; i < count; i++) {
        tp_lane_areas_fill(&areas[i], section->arena, &view->tree, threads[i], COLUMNS);
        lanes[i] = (struct tp_strip_row){.label = lane_label(section, threads[i]),
                                         .height = count <= FEW_LANES ? TALL_HEIGHT : LANE_HEIGHT,
                                         .areas = areas[i].areas,
                                         .area_count = areas[i].count,
                                         .columns = COLUMNS,
                                         .tip = lane_tip(section, threads[i])};
    }
    struct tp_strip_chart chart = {.caption = count == 1 ? "The thread in time" : "The threads in time",
                                   .start_ns = view->tree.begin_ns,
                                   .end_ns = view->tree.end_ns,
                                   .lanes = lanes,
                                   .lane_count = count,
                                   .marks = marks,
                                   .mark_count = find_marks(section, marks),
                                   .named_ns = INT64_MAX,
                                   .step = "",
                                   .note = "",
                                   .keys = keys,
                                   .key_count = make_keys(section, threads, count, keys)};
    struct tp_list *list = tp_list_new(section->arena);
    struct tp_object *strip = tp_list_add_object(list);
    tp_chart_put_strip(strip, section->arena, &chart);
    tp_program_span_add_data(section, strip);
    tp_document_add_chart(document, "strips", tp_data_of_list(list), NULL);
}

void tp_program_put_charts(const struct tp_section *section, struct tp_document *document)
{
    put_bar(section, document);
    if (section->limits->step_bars)
        put_strip(section, document);
}
