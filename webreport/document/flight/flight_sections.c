/* Adds the sections of the page about culprits, mismatches, open calls, call stacks and files: see flight_page.h. */
#include "webreport/document/flight/flight_page.h"

#include <string.h>

#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { MOST_MISMATCHES = 4, MOST_SIDES = 4, MOST_STACKS = 12, MOST_FRAMES = 40, OPEN_STACKS = 2 };

/* ---- texts ---- */

const char *tp_flight_page_text(const struct tp_flight_page *page, struct tp_str text)
{
    return tp_flight_page_sentence(page, tp_shown_text(&page->naming, text));
}

const char *tp_flight_page_sentence(const struct tp_flight_page *page, struct tp_str text)
{
    char *copy = tp_arena_copy(page->arena, text.ptr, text.len);
    for (size_t i = 0; i < text.len; i++)
        copy[i] = copy[i] ? copy[i] : ' ';
    return copy;
}

const char *tp_flight_page_ranks(const struct tp_flight_page *page, struct tp_flight_ranks ranks)
{
    struct tp_flight_sentence sentence = {.text = TP_VEC(page->arena, char)};
    tp_flight_say_ranks(&sentence, ranks, false);
    struct tp_str text = tp_flight_said(&sentence);
    size_t word = ranks.count == 1 ? strlen("rank ") : strlen("ranks ");
    return ranks.count ? tp_arena_copy(page->arena, text.ptr + word, text.len - word) : "";
}

/* Returns a call such as "all_reduce #6 of dp (4)". */
static const char *call_text(const struct tp_flight_page *page, struct tp_str op, int64_t sequence, struct tp_str group,
                             struct tp_str description)
{
    const struct tp_flight_open call = {.op = op, .sequence = sequence, .group = group, .description = description};
    struct tp_flight_sentence sentence = {.text = TP_VEC(page->arena, char)};
    tp_flight_say_call(&sentence, &call);
    return tp_flight_page_text(page, tp_flight_said(&sentence));
}

static const char *why_text(unsigned why)
{
    static const char *const texts[] = {"a rank never entered it",
                                        "a rank left no dump",
                                        "unknown",
                                        "the calls do not match",
                                        "the GPU of a rank is behind",
                                        "some ranks ended it",
                                        "all ranks are in it",
                                        "queued behind other calls",
                                        "another operation",
                                        "another number of elements",
                                        "another type"};
    return texts[why];
}

/* ---- tables of texts ---- */

enum { MOST_COLUMNS = 5 };

/* A table whose cells are all texts. */
struct text_table {
    const char *name, *noun, *name_title;
    const char *const *titles; /* of the columns after the first one */
    unsigned column_count;
    size_t row_count;
    struct tp_str *cells[MOST_COLUMNS]; /* [0]: names of the rows */
};

static void make_cells(const struct tp_flight_page *page, struct text_table *table)
{
    for (unsigned i = 0; i <= table->column_count; i++)
        table->cells[i] = tp_arena_array(page->arena, table->row_count, sizeof(struct tp_str));
}

static void put_table(const struct tp_flight_page *page, const struct text_table *texts)
{
    struct tp_arena *arena = page->arena;
    struct tp_table *table = tp_arena_alloc(arena, sizeof *table);
    struct tp_column_def *defs = tp_arena_array(arena, texts->column_count, sizeof *defs);
    struct tp_shown_column *columns = tp_arena_array(arena, texts->column_count, sizeof *columns);
    for (unsigned i = 0; i < texts->column_count; i++) {
        defs[i] = (struct tp_column_def){texts->titles[i], texts->titles[i], "", "", TP_COLUMN_TEXT};
        columns[i] = (struct tp_shown_column){.format = TP_SHOW_TEXT, .column = i, .flags = i > 1 ? TP_SHOWN_LESS : 0};
    }
    tp_table_init(table, arena, texts->name, defs, texts->column_count, texts->row_count);
    for (unsigned i = 0; i < texts->column_count; i++)
        memcpy(tp_table_text(table, i), texts->cells[i + 1], texts->row_count * sizeof(struct tp_str));
    struct tp_shown_table *shown = tp_shown_table_new(arena, table, columns, texts->column_count, texts->row_count);
    for (size_t i = 0; i < texts->row_count; i++)
        shown->rows[i].name = texts->cells[0][i];
    shown->name = texts->name;
    shown->caption = texts->name;
    shown->noun = texts->noun;
    shown->name_title = texts->name_title;
    shown->name_definition = "";
    tp_document_add_table(page->document, shown, "; --json has all");
}

/* ---- culprits ---- */

static void put_culprit_rows(const struct tp_flight_page *page)
{
    static const char *const titles[] = {"Why", "Missing from", "Ranks held up", "Last call"};
    const struct tp_flight_result *result = page->result;
    struct text_table table = {"culprits", "culprits", "Rank", titles, 4, result->culprit_count, {NULL}};
    make_cells(page, &table);
    for (uint64_t i = 0; i < result->culprit_count; i++) {
        const struct tp_flight_culprit *culprit = &result->culprits[i];
        const struct tp_flight_last_call *last = &culprit->last_call;
        table.cells[0][i] = tp_str_of(tp_text_printf(page->arena, "%lld", (long long)culprit->rank));
        table.cells[1][i] = tp_str_of(why_text(culprit->why));
        table.cells[2][i] =
            tp_str_of(call_text(page, culprit->op, culprit->sequence, culprit->group, culprit->description));
        table.cells[3][i] = tp_str_of(tp_text_printf(page->arena, "%lld", (long long)culprit->held_up_count));
        if (culprit->has_last_call)
            table.cells[4][i] = tp_str_of(tp_text_printf(
                page->arena, "%s #%lld (%s) %s", tp_flight_page_text(page, last->op), (long long)last->sequence,
                tp_flight_page_text(page, last->state), tp_flight_page_text(page, last->line)));
    }
    put_table(page, &table);
}

static void put_circle_rows(const struct tp_flight_page *page)
{
    static const char *const titles[] = {"Waits for rank", "In", "Line"};
    const struct tp_flight_result *result = page->result;
    struct text_table table = {"circle", "ranks", "Rank", titles, 3, result->circle_count, {NULL}};
    make_cells(page, &table);
    for (uint64_t i = 0; i < result->circle_count; i++) {
        const struct tp_flight_link *link = &result->circle[i];
        table.cells[0][i] = tp_str_of(tp_text_printf(page->arena, "%lld", (long long)link->rank));
        table.cells[1][i] = tp_str_of(tp_text_printf(page->arena, "%lld", (long long)link->waits_for));
        table.cells[2][i] = tp_str_of(call_text(page, link->op, link->sequence, link->group, link->description));
        table.cells[3][i] = tp_str_of(tp_flight_page_text(page, link->line));
    }
    put_table(page, &table);
}

void tp_flight_page_put_culprits(const struct tp_flight_page *page)
{
    if (page->result->culprit_count) {
        tp_document_add_section(page->document,
                                &(struct tp_section_block){.id = "culprits",
                                                           .label = "Culprits",
                                                           .title = "Ranks that keep others waiting",
                                                           .lead = "These ranks wait for nobody themselves."});
        put_culprit_rows(page);
    }
    if (page->result->circle_count) {
        tp_document_add_section(page->document,
                                &(struct tp_section_block){.id = "circle",
                                                           .label = "Circle",
                                                           .title = "Ranks that wait for each other",
                                                           .lead = "Each rank waits for the next one."});
        put_circle_rows(page);
    }
}

/* ---- mismatches ---- */

static void put_side(const struct tp_flight_page *page, struct tp_list *list, const struct tp_flight_side *side,
                     bool is_wrong)
{
    struct tp_object *object = tp_list_add_object(list);
    struct tp_vec types = TP_VEC(page->arena, char);
    for (uint64_t i = 0; i < side->type_count; i++) {
        tp_vec_add_text(&types, tp_str_of(i ? ", " : ""));
        tp_vec_add_text(&types, side->types[i]);
    }
    tp_object_add_bool(object, "is_wrong", is_wrong);
    tp_object_add_text(object, "side_title", side->ranks.count == 1 ? "rank" : "ranks");
    tp_object_add_text(object, "side_ranks", tp_flight_page_ranks(page, side->ranks));
    tp_object_add_text(object, "side_op", tp_flight_page_text(page, side->op));
    tp_object_add_text(object, "side_elements",
                       side->element_count ? tp_text_of_count(page->arena, side->elements[0]) : "");
    tp_object_add_text(object, "side_types",
                       tp_flight_page_text(page, (struct tp_str){types.count ? types.data : "", types.count}));
    tp_object_add_text(object, "side_line", tp_flight_page_text(page, side->line));
}

static void put_mismatch(const struct tp_flight_page *page, struct tp_list *list,
                         const struct tp_flight_mismatch *mismatch)
{
    struct tp_object *object = tp_list_add_object(list);
    struct tp_flight_sentence call = {.text = TP_VEC(page->arena, char)};
    struct tp_list *sides = tp_object_add_list(object, "sides");
    tp_flight_say(&call, "Call %lld of ", (long long)mismatch->sequence);
    tp_flight_say_group(&call, mismatch->group, mismatch->description);
    tp_flight_say(&call, mismatch->is_open ? "" : ", which ended");
    tp_object_add_text(object, "side_call", tp_flight_page_text(page, tp_flight_said(&call)));
    for (uint64_t i = 0; i < mismatch->side_count && i < MOST_SIDES; i++)
        put_side(page, sides, &mismatch->sides[i], i && !mismatch->is_undecided);
    if (mismatch->side_count > MOST_SIDES)
        tp_object_add_formatted(object, "side_note", "and %llu more sides",
                                (unsigned long long)(mismatch->side_count - MOST_SIDES));
}

void tp_flight_page_put_mismatches(const struct tp_flight_page *page)
{
    const struct tp_flight_result *result = page->result;
    if (!result->mismatch_count)
        return;
    struct tp_object *object = tp_object_new(page->arena);
    struct tp_list *list = tp_object_add_list(object, "mismatches");
    for (uint64_t i = 0; i < result->mismatch_count && i < MOST_MISMATCHES; i++)
        put_mismatch(page, list, &result->mismatches[i]);
    tp_document_add_section(
        page->document,
        &(struct tp_section_block){
            .id = "mismatches",
            .label = "Mismatches",
            .title = "Calls that do not match each other",
            .lead = result->mismatch_total > MOST_MISMATCHES
                        ? tp_text_printf(page->arena, "The first %d of %llu calls. A red line marks the smaller side.",
                                         MOST_MISMATCHES, (unsigned long long)result->mismatch_total)
                        : "The largest side comes first. A red line marks the smaller sides."});
    tp_document_add_chart(page->document, "call_sides", tp_data_of_object(object), NULL);
}

/* ---- open calls ---- */

/* Orders open calls: that of the first culprit, those that ranks are in, then those that are queued. */
static int compare_open(const void *x, const void *y, const void *context)
{
    const struct tp_flight_open *a = *(const struct tp_flight_open *const *)x;
    const struct tp_flight_open *b = *(const struct tp_flight_open *const *)y;
    const struct tp_flight_result *result = context;
    const struct tp_flight_open *first = result->culprit_count ? result->culprits[0].open : NULL;
    if ((a == first) != (b == first))
        return a == first ? -1 : 1;
    return !a->head_count - !b->head_count;
}

/* Returns the open calls in the order of the page. */
static const struct tp_flight_open **sort_open(const struct tp_flight_page *page)
{
    const struct tp_flight_result *result = page->result;
    const struct tp_flight_open **shown = tp_arena_array(page->arena, result->open_count, sizeof *shown);
    for (uint64_t i = 0; i < result->open_count; i++)
        shown[i] = &result->open[i];
    tp_merge_sort(page->arena, shown, result->open_count, sizeof *shown, compare_open, result);
    return shown;
}

void tp_flight_page_put_open(const struct tp_flight_page *page)
{
    static const char *const titles[] = {"Why", "Waiting", "Missing", "Line"};
    const struct tp_flight_result *result = page->result;
    struct text_table table = {"open_calls", "calls", "Call", titles, 4, result->open_count, {NULL}};
    if (!result->open_count)
        return;
    make_cells(page, &table);
    const struct tp_flight_open **shown = sort_open(page);
    for (uint64_t i = 0; i < result->open_count; i++) {
        const struct tp_flight_open *open = shown[i];
        const struct tp_flight_ranks *missing = open->not_joined.count ? &open->not_joined
                                                : open->unsure.count   ? &open->unsure
                                                                       : &open->behind;
        table.cells[0][i] = tp_str_of(call_text(page, open->op, open->sequence, open->group, open->description));
        table.cells[1][i] = tp_str_of(why_text(open->why));
        table.cells[2][i] = tp_str_of(tp_flight_page_ranks(page, open->waiting));
        table.cells[3][i] = tp_str_of(tp_flight_page_ranks(page, *missing));
        table.cells[4][i] = tp_str_of(tp_flight_page_text(page, open->lines[0]));
    }
    tp_document_add_section(
        page->document,
        &(struct tp_section_block){
            .id = "open",
            .label = "Open calls",
            .title = "Calls that ranks wait in",
            .lead = "The call of the headline comes first, then calls that a rank is in, then queued calls."});
    put_table(page, &table);
}

/* ---- call stacks ---- */

/* Ranks that wait with one call stack. */
struct waiting_stack {
    uint32_t stack;
    const struct tp_flight_entry *call; /* of the first rank */
    struct tp_vec ranks;                /* elements: uint32_t */
};

/* Groups the first open calls of the ranks by their stacks. Elements: struct waiting_stack. */
static struct tp_vec collect_stacks(const struct tp_flight_page *page)
{
    const struct tp_flight_job *job = page->result->job;
    struct tp_vec stacks = TP_VEC(page->arena, struct waiting_stack);
    struct tp_id_map index_of;
    tp_id_map_init(&index_of, page->arena);
    for (size_t r = 0; r < job->ranks.count; r++) {
        const struct tp_flight_rank *rank = tp_flight_rank_at(job, r);
        if (!rank->head || !tp_flight_frame_count(&job->stacks, rank->head->call.stack))
            continue;
        uint32_t *index = tp_id_map_find_or_add(&index_of, rank->head->call.stack);
        if (*index == TP_NO_ID) {
            *index = (uint32_t)stacks.count;
            *(struct waiting_stack *)tp_vec_push(&stacks) =
                (struct waiting_stack){rank->head->call.stack, rank->head, TP_VEC(page->arena, uint32_t)};
        }
        struct waiting_stack *stack = TP_AT(&stacks, struct waiting_stack, *index);
        *(uint32_t *)tp_vec_push(&stack->ranks) = rank->number;
    }
    return stacks;
}

const char *tp_flight_page_frame(const struct tp_flight_page *page, struct tp_flight_frame frame)
{
    const struct tp_flight_job *job = page->result->job;
    struct tp_flight_sentence text = {.text = TP_VEC(page->arena, char)};
    tp_flight_say_text(&text, tp_flight_text(job, frame.file));
    tp_flight_say(&text, "(%lld): ", (long long)frame.line);
    tp_flight_say_text(&text, tp_flight_text(job, frame.name));
    return tp_flight_page_text(page, tp_flight_said(&text));
}

static void put_stack(const struct tp_flight_page *page, struct tp_list *list, const struct waiting_stack *stack,
                      bool is_open)
{
    const struct tp_flight_job *job = page->result->job;
    const struct tp_flight_group_of_ranks *group = tp_flight_group_at(job, stack->call->group);
    struct tp_object *object = tp_list_add_object(list);
    struct tp_list *frames = tp_object_add_list(object, "frames");
    size_t count = tp_flight_frame_count(&job->stacks, stack->stack);
    tp_object_add_bool(object, "stack_is_open", is_open);
    tp_object_add_formatted(
        object, "stack_ranks", "%s %s", stack->ranks.count == 1 ? "Rank" : "Ranks",
        tp_flight_page_ranks(page, (struct tp_flight_ranks){stack->ranks.data, stack->ranks.count}));
    tp_object_add_text(object, "stack_line", tp_flight_page_text(page, tp_flight_line(job, stack->stack)));
    tp_object_add_text(object, "stack_call",
                       call_text(page, tp_flight_text(job, stack->call->call.op), stack->call->call.sequence,
                                 tp_flight_text(job, group->name), tp_flight_text(job, group->description)));
    for (size_t i = 0; i < count && i < MOST_FRAMES; i++) {
        struct tp_flight_frame frame = tp_flight_frame_at(&job->stacks, stack->stack, i);
        struct tp_object *item = tp_list_add_object(frames);
        tp_object_add_text(item, "frame", tp_flight_page_frame(page, frame));
        tp_object_add_bool(item, "frame_is_faint", tp_flight_is_of_torch(job, frame));
    }
}

static int compare_stacks(const void *x, const void *y, const void *context)
{
    const struct waiting_stack *a = x, *b = y;
    (void)context;
    return (a->ranks.count < b->ranks.count) - (a->ranks.count > b->ranks.count);
}

void tp_flight_page_put_stacks(const struct tp_flight_page *page)
{
    struct tp_vec stacks = collect_stacks(page);
    if (!stacks.count)
        return;
    struct tp_object *object = tp_object_new(page->arena);
    struct tp_list *list = tp_object_add_list(object, "stacks");
    tp_merge_sort(page->arena, stacks.data, stacks.count, sizeof(struct waiting_stack), compare_stacks, NULL);
    for (size_t i = 0; i < stacks.count && i < MOST_STACKS; i++)
        put_stack(page, list, TP_AT(&stacks, struct waiting_stack, i), i < OPEN_STACKS);
    tp_document_add_section(
        page->document,
        &(struct tp_section_block){
            .id = "stacks",
            .label = "Stacks",
            .title = "Where the waiting ranks are",
            .lead =
                stacks.count > MOST_STACKS
                    ? tp_text_printf(page->arena,
                                     "Call stacks of the first open call of each rank, most ranks first; %zu "
                                     "stacks with fewer ranks are left out.",
                                     stacks.count - MOST_STACKS)
                    : "Call stacks of the first open call of each rank, most ranks first. Where a culprit is now is "
                      "in no dump."});
    tp_document_add_chart(page->document, "call_stacks", tp_data_of_object(object), NULL);
}

/* ---- files ---- */

void tp_flight_page_put_files(const struct tp_flight_page *page)
{
    static const char *const titles[] = {"Rank", "Status", "Calls", "Version"};
    const struct tp_flight_job *job = page->result->job;
    struct text_table table = {"files", "files", "File", titles, 4, job->files.count, {NULL}};
    make_cells(page, &table);
    for (size_t i = 0; i < job->files.count; i++) {
        const struct tp_flight_file *file = TP_AT(&job->files, struct tp_flight_file, i);
        struct tp_str why = file->detail.len ? file->detail : file->reason;
        table.cells[0][i] = tp_str_of(tp_flight_page_text(page, file->name));
        table.cells[1][i] = file->rank == TP_NULL_INT
                                ? TP_STR("")
                                : tp_str_of(tp_text_printf(page->arena, "%lld", (long long)file->rank));
        table.cells[2][i] = !file->is_read        ? tp_str_of(tp_flight_page_text(page, why))
                            : file->is_superseded ? TP_STR("another dump of the rank is used")
                                                  : TP_STR("read");
        if (!file->is_read)
            continue;
        table.cells[3][i] = tp_str_of(tp_text_of_count(page->arena, file->call_count));
        table.cells[4][i] = tp_str_of(tp_flight_page_text(page, file->version));
    }
    tp_document_add_section(page->document, &(struct tp_section_block){.id = "files",
                                                                       .label = "Files",
                                                                       .title = "Files",
                                                                       .is_folded = !page->result->failed_file_total});
    put_table(page, &table);
}
