/* Shows the last calls of each group: a table with a row for ranks with equal calls, and a column for each call. See
 * flight_page.h. */
#include "webreport/document/flight/flight_page.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { MOST_GROUPS = 12, MOST_CALLS = 10, MOST_ROWS = 24 };

/* What a rank did in a call. */
enum cell { CELL_DONE, CELL_WAITING, CELL_GAVE_UP, CELL_WRONG, CELL_ABSENT, CELL_UNKNOWN };

static const struct {
    const char *name, *sign, *text;
} cells[] = {
    [CELL_DONE] = {"done", "\xE2\x9C\x93", "ended"},
    [CELL_WAITING] = {"wait", "\xE2\x80\xA6", "waits"},
    [CELL_GAVE_UP] = {"gave", "!", "gave up"},
    [CELL_ABSENT] = {"none", "\xE2\x80\x93", "not entered"},
    [CELL_WRONG] = {"diff", "\xE2\x89\xA0", "another call than other ranks"},
    [CELL_UNKNOWN] = {"open", "?", "unknown"},
};

/* The part of a group that the page shows. */
struct shown_group {
    const struct tp_flight_page *page;
    uint32_t group;
    const struct tp_flight_instance *calls[MOST_CALLS]; /* oldest first */
    unsigned call_count;
    uint64_t waiting_count; /* largest number of ranks that wait in one of its calls */
    uint64_t call_total;
    bool is_first; /* the headline is about the group */
};

/* ---- cells ---- */

static const struct tp_flight_open *open_of(const struct tp_flight_result *result,
                                            const struct tp_flight_instance *instance)
{
    const struct tp_flight_job *job = result->job;
    for (uint64_t i = 0; i < result->open_total; i++)
        if (result->open[i].instance != TP_NO_ID && tp_flight_instance_at(job, result->open[i].instance) == instance)
            return &result->open[i];
    return NULL;
}

/* Returns whether the call of a rank does not match that of most ranks; if no side is the largest, that of others. */
static bool is_wrong(const struct tp_flight_result *result, const struct tp_flight_instance *instance, uint32_t rank)
{
    const struct tp_flight_job *job = result->job;
    for (uint64_t i = 0; i < result->mismatch_count; i++) {
        const struct tp_flight_mismatch *mismatch = &result->mismatches[i];
        if (mismatch->instance == TP_NO_ID || tp_flight_instance_at(job, mismatch->instance) != instance)
            continue;
        for (uint64_t side = mismatch->is_undecided ? 0 : 1; side < mismatch->side_count; side++)
            if (tp_flight_ranks_contain(&mismatch->sides[side].ranks, rank))
                return true;
    }
    return false;
}

/* Returns what a rank without a call did in an instance that is not open. */
static enum cell cell_without_call(const struct tp_flight_job *job, uint32_t rank_index)
{
    if (rank_index == TP_NO_ID || tp_flight_rank_at(job, rank_index)->overwritten)
        return CELL_UNKNOWN;
    return CELL_ABSENT;
}

static enum cell cell_of(const struct tp_flight_result *result, const struct tp_flight_instance *instance,
                         const struct tp_flight_open *open, uint32_t rank)
{
    const struct tp_flight_job *job = result->job;
    uint32_t index = job->rank_index[rank];
    const struct tp_flight_entry *entry = index == TP_NO_ID ? NULL : tp_flight_call_of(job, instance, index);
    if (is_wrong(result, instance, rank))
        return CELL_WRONG;
    if (open && tp_flight_ranks_contain(&open->failed, rank))
        return CELL_GAVE_UP;
    if (entry)
        return entry->is_done ? CELL_DONE : CELL_WAITING;
    if (!open)
        return cell_without_call(job, index);
    if (tp_flight_ranks_contain(&open->not_joined, rank))
        return CELL_ABSENT;
    return tp_flight_ranks_contain(&open->done, rank) ? CELL_DONE : CELL_UNKNOWN;
}

/* ---- rows ---- */

/* Ranks with equal cells. */
struct row {
    struct tp_vec ranks; /* elements: uint32_t */
    uint8_t cells[MOST_CALLS];
    unsigned absent_count, waiting_count;
};

/* Collects the ranks of a group by their cells. Elements: struct row. */
static struct tp_vec collect_rows(const struct shown_group *shown)
{
    const struct tp_flight_page *page = shown->page;
    const struct tp_flight_group_of_ranks *group = tp_flight_group_at(page->result->job, shown->group);
    const struct tp_flight_open *open[MOST_CALLS];
    struct tp_vec rows = TP_VEC(page->arena, struct row);
    struct tp_strings patterns;
    tp_strings_init(&patterns, page->arena, 0);
    for (unsigned k = 0; k < shown->call_count; k++)
        open[k] = open_of(page->result, shown->calls[k]);
    for (uint32_t i = 0; i < group->rank_count; i++) {
        uint8_t pattern[MOST_CALLS];
        for (unsigned k = 0; k < shown->call_count; k++)
            pattern[k] = (uint8_t)cell_of(page->result, shown->calls[k], open[k], group->ranks[i]);
        uint32_t id = tp_strings_add(&patterns, (struct tp_str){(const char *)pattern, shown->call_count});
        if (id == rows.count) {
            struct row *row = tp_vec_push(&rows);
            row->ranks = TP_VEC(page->arena, uint32_t);
            memcpy(row->cells, pattern, shown->call_count);
            for (unsigned k = 0; k < shown->call_count; k++) {
                row->absent_count += pattern[k] >= CELL_WRONG;
                row->waiting_count += pattern[k] == CELL_WAITING || pattern[k] == CELL_GAVE_UP;
            }
        }
        *(uint32_t *)tp_vec_push(&TP_AT(&rows, struct row, id)->ranks) = group->ranks[i];
    }
    return rows;
}

/* Orders rows: those with missing or wrong calls first, then those that wait, then the lowest rank. */
static int compare_rows(const void *x, const void *y, const void *context)
{
    const struct row *a = x, *b = y;
    (void)context;
    if (a->absent_count != b->absent_count)
        return a->absent_count > b->absent_count ? -1 : 1;
    if (a->waiting_count != b->waiting_count)
        return a->waiting_count > b->waiting_count ? -1 : 1;
    uint32_t first = *TP_AT(&a->ranks, uint32_t, 0), second = *TP_AT(&b->ranks, uint32_t, 0);
    return (first > second) - (first < second);
}

/* ---- groups ---- */

static int compare_groups(const void *x, const void *y, const void *context)
{
    const struct shown_group *a = x, *b = y;
    (void)context;
    if (a->is_first != b->is_first)
        return a->is_first ? -1 : 1;
    if (a->waiting_count != b->waiting_count)
        return a->waiting_count > b->waiting_count ? -1 : 1;
    if (a->call_total != b->call_total)
        return a->call_total > b->call_total ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

static int compare_sequences(const void *x, const void *y, const void *context)
{
    const struct tp_flight_instance *a = *(const struct tp_flight_instance *const *)x;
    const struct tp_flight_instance *b = *(const struct tp_flight_instance *const *)y;
    (void)context;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

/* Returns whether the headline is about a group. */
static bool is_in_headline(const struct tp_flight_result *result, uint32_t group)
{
    uint32_t instance = result->mismatch_count ? result->mismatches[0].instance : TP_NO_ID;
    if (result->culprit_count && result->culprits[0].open)
        return result->culprits[0].open->group_index == group;
    return instance != TP_NO_ID && tp_flight_instance_at(result->job, instance)->group == group;
}

/* Lists the groups with their last calls: that of the headline, then those in which most ranks wait. Elements: struct
 * shown_group. */
static struct tp_vec list_groups(const struct tp_flight_page *page)
{
    const struct tp_flight_job *job = page->result->job;
    struct tp_vec groups = TP_VEC(page->arena, struct shown_group);
    size_t count = job->instances.count;
    const struct tp_flight_instance **calls = tp_arena_array(page->arena, count, sizeof *calls);
    for (size_t i = 0; i < count; i++)
        calls[i] = tp_flight_instance_at(job, i);
    tp_merge_sort(page->arena, calls, count, sizeof *calls, compare_sequences, NULL);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && calls[to]->group == calls[from]->group;)
            to++;
        struct shown_group *shown = tp_vec_push(&groups);
        *shown = (struct shown_group){.page = page, .group = calls[from]->group, .call_total = to - from};
        for (size_t i = to - from > MOST_CALLS ? to - MOST_CALLS : from; i < to; i++)
            shown->calls[shown->call_count++] = calls[i];
    }
    uint64_t *waiting = tp_arena_array(page->arena, job->groups.count, sizeof *waiting);
    for (uint64_t i = 0; i < page->result->open_total; i++) {
        const struct tp_flight_open *open = &page->result->open[i];
        if (open->waiting.count > waiting[open->group_index])
            waiting[open->group_index] = open->waiting.count;
    }
    for (size_t i = 0; i < groups.count; i++) {
        struct shown_group *shown = TP_AT(&groups, struct shown_group, i);
        shown->waiting_count = waiting[shown->group];
        shown->is_first = is_in_headline(page->result, shown->group);
    }
    tp_merge_sort(page->arena, groups.data, groups.count, sizeof(struct shown_group), compare_groups, NULL);
    return groups;
}

static void put_head(struct tp_object *object, const struct shown_group *shown)
{
    const struct tp_flight_page *page = shown->page;
    const struct tp_flight_job *job = page->result->job;
    struct tp_list *list = tp_object_add_list(object, "heads");
    for (unsigned k = 0; k < shown->call_count; k++) {
        struct tp_object *head = tp_list_add_object(list);
        const struct tp_flight_entry *first = job->joined[shown->calls[k]->first];
        tp_object_add_formatted(head, "call_number", "%lld", (long long)shown->calls[k]->sequence);
        tp_object_add_text(head, "call_op", tp_flight_page_text(page, tp_flight_text(job, first->call.op)));
    }
}

static void put_rows(struct tp_object *object, const struct shown_group *shown)
{
    const struct tp_flight_page *page = shown->page;
    struct tp_vec rows = collect_rows(shown);
    struct tp_list *list = tp_object_add_list(object, "call_rows");
    tp_merge_sort(page->arena, rows.data, rows.count, sizeof(struct row), compare_rows, NULL);
    for (size_t i = 0; i < rows.count && i < MOST_ROWS; i++) {
        const struct row *row = TP_AT(&rows, struct row, i);
        struct tp_object *item = tp_list_add_object(list);
        tp_object_add_formatted(
            item, "call_ranks", "%s%s", row->ranks.count == 1 ? "rank " : "ranks ",
            tp_flight_page_ranks(page, (struct tp_flight_ranks){row->ranks.data, row->ranks.count}));
        struct tp_list *shown_cells = tp_object_add_list(item, "call_cells");
        for (unsigned k = 0; k < shown->call_count; k++) {
            struct tp_object *cell = tp_list_add_object(shown_cells);
            tp_object_add_text(cell, "call_class", cells[row->cells[k]].name);
            tp_object_add_text(cell, "call_sign", cells[row->cells[k]].sign);
            tp_object_add_text(cell, "call_state", cells[row->cells[k]].text);
        }
    }
    if (rows.count > MOST_ROWS)
        tp_object_add_formatted(object, "call_note", "and %zu more rows", rows.count - MOST_ROWS);
}

static void put_group(struct tp_list *list, const struct shown_group *shown)
{
    const struct tp_flight_page *page = shown->page;
    const struct tp_flight_group_of_ranks *group = tp_flight_group_at(page->result->job, shown->group);
    struct tp_object *object = tp_list_add_object(list);
    struct tp_flight_sentence name = {.text = TP_VEC(page->arena, char)};
    tp_flight_say_group(&name, tp_flight_text(page->result->job, group->name),
                        tp_flight_text(page->result->job, group->description));
    tp_object_add_text(object, "call_group", tp_flight_page_text(page, tp_flight_said(&name)));
    tp_object_add_formatted(
        object, "call_about", "%s%s, %s", tp_text_of_counted_noun(page->arena, group->rank_count, "rank", "ranks"),
        group->is_known ? "" : " that used it",
        shown->waiting_count ? tp_text_printf(page->arena, "%llu waiting", (unsigned long long)shown->waiting_count)
                             : "none waiting");
    put_head(object, shown);
    put_rows(object, shown);
}

void tp_flight_page_put_calls(const struct tp_flight_page *page)
{
    struct tp_vec groups = list_groups(page);
    if (!groups.count)
        return;
    struct tp_object *object = tp_object_new(page->arena);
    struct tp_list *list = tp_object_add_list(object, "call_groups"), *keys = tp_object_add_list(object, "call_keys");
    for (size_t i = 0; i < groups.count && i < MOST_GROUPS; i++)
        put_group(list, TP_AT(&groups, struct shown_group, i));
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct tp_object *key = tp_list_add_object(keys);
        tp_object_add_text(key, "call_class", cells[i].name);
        tp_object_add_text(key, "call_sign", cells[i].sign);
        tp_object_add_text(key, "call_state", cells[i].text);
    }
    if (groups.count > MOST_GROUPS)
        tp_object_add_formatted(object, "groups_note", "%zu more groups with fewer waiting ranks are left out.",
                                groups.count - MOST_GROUPS);
    tp_document_add_section(
        page->document,
        &(struct tp_section_block){
            .id = "calls",
            .label = "Calls",
            .title = "Last calls by group",
            .lead =
                "A column is a call of the group, with its number; the last one is on the right. A row is a rank, or "
                "ranks that did the same."});
    tp_document_add_chart(page->document, "call_matrix", tp_data_of_object(object), NULL);
}
