/* Finds the process groups of a rank for its step slots, from the metadata of its trace and of its collectives. */
#include "webreport/measure/summary/slot_parts.h"

#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

/* Reads the next whole number of the text from position *at and moves *at behind the number. Returns false if there is
 * no number. */
static bool next_number(struct tp_str text, size_t *at, int64_t *number)
{
    while (*at < text.len && (text.ptr[*at] < '0' || text.ptr[*at] > '9'))
        (*at)++;
    if (*at == text.len)
        return false;
    for (*number = 0; *at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9'; (*at)++)
        *number = tp_sat_add(tp_sat_mul(*number, 10), text.ptr[*at] - '0');
    return true;
}

/* Appends a rank to the rank ranges in `runs`. Returns false if the rank is not greater than the previous rank, or if
 * there are too many ranges. */
static bool add_rank(struct tp_rank_stride *runs, uint32_t *count, int64_t rank)
{
    struct tp_rank_stride *last = *count ? &runs[*count - 1] : NULL;
    int64_t end = last ? last->first + (last->length - 1) * last->stride : -1;
    if (rank <= end || rank > TP_MAX_JOB_NUMBER)
        return false;
    if (last && (last->length == 1 || rank - end == last->stride)) {
        last->stride = rank - end;
        last->length++;
        return true;
    }
    if (*count == TP_MAX_SLOT_RUNS)
        return false;
    runs[(*count)++] = (struct tp_rank_stride){rank, 1, 1};
    return true;
}

/* Reads ranks in PyTorch's form "[0, 8, 16]". For a long list, PyTorch writes only the first ranks and the last rank:
 * "[0, 8, ..., 248]". This form is sufficient for evenly spaced ranks. */
static void read_rank_list(struct tp_slot_work *w, struct tp_slot_group *group, struct tp_str text)
{
    struct tp_rank_stride runs[TP_MAX_SLOT_RUNS];
    uint32_t count = 0;
    size_t at = 0;
    int64_t rank, known = 0, total = group->size;
    bool is_cut = tp_str_find(text, "...") >= 0;
    size_t dots = is_cut ? (size_t)tp_str_find(text, "...") : text.len;
    for (bool is_good = true; next_number((struct tp_str){text.ptr, dots}, &at, &rank); known++) {
        is_good = add_rank(runs, &count, rank);
        if (!is_good)
            return;
    }
    if (is_cut) {
        at = dots;
        if (count != 1 || total < 2 || !next_number(text, &at, &rank) ||
            rank != runs[0].first + (total - 1) * runs[0].stride)
            return;
        runs[0].length = known = total;
    }
    if (total != TP_NULL_INT && known != total)
        return;
    group->size = known;
    group->run_count = count;
    group->runs = tp_arena_array(w->summary->arena, count, sizeof *runs);
    memcpy(group->runs, runs, count * sizeof *runs);
}

static bool are_equal_groups(const struct tp_slot_group *a, const struct tp_slot_group *b)
{
    bool are = tp_str_equal(a->name, b->name) && tp_str_equal(a->description, b->description) &&
               a->run_count == b->run_count && a->kind == b->kind;
    for (uint32_t i = 0; are && i < a->run_count; i++)
        are = a->runs[i].first == b->runs[i].first && a->runs[i].stride == b->runs[i].stride &&
              a->runs[i].length == b->runs[i].length;
    return are;
}

/* Returns the number of a group. Adds the group if it is new. A new group without ranks gets the ranks of the group
 * with the same name. */
static uint32_t find_or_add_group(struct tp_slot_work *w, const struct tp_slot_group *group)
{
    for (uint32_t i = 0; i < w->groups.count; i++) {
        const struct tp_slot_group *known = TP_AT(&w->groups, struct tp_slot_group, i);
        if (are_equal_groups(known, group) || (!group->run_count && group->name.len && known->kind == TP_GROUP_ALL &&
                                               tp_str_equal(known->name, group->name)))
            return i;
    }
    if (w->groups.count == TP_MAX_SLOT_GROUPS)
        return TP_NO_ID;
    *(struct tp_slot_group *)tp_vec_push(&w->groups) = *group;
    return (uint32_t)w->groups.count - 1;
}

static struct tp_str intern_json_text(struct tp_slot_work *w, struct tp_str json)
{
    return json.len ? tp_summary_intern_text(w->summary, tp_value_text(w->arena, json)) : TP_STR("");
}

/* Adds the groups that distributedInfo in the trace's metadata lists, including groups without calls. */
void tp_slot_groups_add_listed(struct tp_slot_work *w)
{
    struct tp_str info = tp_trace_header(w->summary->source->trace, "distributedInfo"), list, item;
    size_t at = 0;
    if (!info.ptr)
        return;
    list = tp_value_member(info, "pg_config");
    if (tp_value_starts_with(list, '"'))
        list = tp_value_text(w->arena, list);
    while (list.ptr && tp_value_next(list, &at, NULL, &item)) {
        struct tp_slot_group group = {.name = intern_json_text(w, tp_value_member(item, "pg_name")),
                                      .description = intern_json_text(w, tp_value_member(item, "pg_desc")),
                                      .size = tp_value_int(tp_value_member(item, "pg_size"))};
        struct tp_str ranks = tp_value_member(item, "ranks");
        if (ranks.ptr)
            read_rank_list(w, &group, ranks);
        if (group.run_count)
            find_or_add_group(w, &group);
    }
}

static struct tp_str text_of_value(struct tp_slot_work *w, uint32_t value)
{
    return value == TP_NO_ID ? TP_STR("") : intern_json_text(w, w->summary->source->trace->values.items[value]);
}

struct tp_str tp_slot_call_name(struct tp_slot_work *w, const struct tp_collective *record)
{
    const struct tp_trace *trace = w->summary->source->trace;
    uint32_t collective = record->comm == TP_NO_ID ? TP_NO_ID : trace->comms[record->comm].collective;
    return collective == TP_NO_ID ? record->name : tp_value_text(w->arena, trace->values.items[collective]);
}

/* Returns the group that consists of a rank and its peer; a send and its receive have the same group. */
static uint32_t group_of_rank_and_peer(struct tp_slot_work *w, const struct tp_slot_group *group, int64_t peer,
                                       bool is_send)
{
    int64_t rank = w->summary->out->key.rank;
    if (peer < 0 || rank < 0 || peer == rank || peer > TP_MAX_JOB_NUMBER || rank > TP_MAX_JOB_NUMBER)
        return TP_NO_ID;
    struct tp_slot_group pair = {.name = group->name, .description = group->description, .size = 2, .run_count = 1};
    pair.kind = is_send == (rank < peer) ? TP_GROUP_UP : TP_GROUP_DOWN;
    pair.runs = tp_arena_alloc(w->summary->arena, sizeof *pair.runs);
    *pair.runs = (struct tp_rank_stride){rank < peer ? rank : peer, rank < peer ? peer - rank : rank - peer, 2};
    return find_or_add_group(w, &pair);
}

uint32_t tp_slot_group_of_record(struct tp_slot_work *w, const struct tp_collective *record)
{
    struct tp_slot_group group = {.name = TP_STR(""), .description = TP_STR(""), .size = TP_NULL_INT};
    struct tp_str name = tp_slot_call_name(w, record);
    bool is_send = tp_str_find_ignore_case(name, "send") >= 0,
         is_pair = is_send || tp_str_find_ignore_case(name, "recv") >= 0;
    int64_t peer = TP_NULL_INT;
    if (record->comm != TP_NO_ID) {
        const struct tp_comm_detail *comm = &w->summary->source->trace->comms[record->comm];
        group.name = text_of_value(w, comm->group_name);
        group.description = text_of_value(w, comm->group_description);
        if (comm->group_size != TP_NO_ID)
            group.size = tp_value_int(w->summary->source->trace->values.items[comm->group_size]);
        read_rank_list(w, &group, text_of_value(w, comm->group_ranks));
        peer = comm->peer;
    }
    if (is_pair && peer != TP_NULL_INT) {
        if (group.run_count)
            find_or_add_group(w, &group);
        return group_of_rank_and_peer(w, &group, peer, is_send);
    }
    return is_pair && group.size != 2 ? TP_NO_ID : find_or_add_group(w, &group);
}
