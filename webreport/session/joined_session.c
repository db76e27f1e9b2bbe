/* Implements joined_session.h. */
#include "webreport/session/joined_session.h"

#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

#define RANK_LEAD "rank:"

/* A kept trace. Ranks of one recording have the same span. */
struct tp_joined_input {
    const struct tp_model *model;
    uint64_t span;
    int64_t number, world_size; /* TP_NULL_INT: the trace does not name them */
    size_t position;            /* in the order of the files */
};

bool tp_is_rank_change(struct tp_str text)
{
    return tp_str_starts(text, RANK_LEAD);
}

static bool asks_for_ranks(const struct tp_joined_session *ranks)
{
    for (size_t i = 0; i < ranks->asked->count; i++)
        if (tp_is_rank_change(ranks->asked->texts[i]))
            return true;
    return false;
}

void tp_joined_session_begin(struct tp_joined_session *ranks, const struct tp_run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->file_count; i++)
        count += !tp_is_accompanying_file(&run->files[i]);
    ranks->found = TP_VEC(ranks->walk->arena, struct tp_joined_input);
    ranks->used_bytes = 0;
    ranks->has_too_many = false;
    ranks->walk->may_keep = count > 1;
}

static bool has_device_collectives(const struct tp_model *model)
{
    for (uint32_t k = 0; k < model->devices.count; k++)
        if (tp_is_communication(model, k))
            return true;
    return false;
}

void tp_joined_session_add(struct tp_joined_session *ranks, const struct tp_walked *walked)
{
    const struct tp_model *model = &walked->analysis->model;
    struct tp_str distributed = tp_trace_header(model->trace, "distributedInfo");
    int64_t number = tp_value_rank(distributed);
    bool is_asked = asks_for_ranks(ranks);
    if (!ranks->walk->may_keep || ranks->has_too_many || tp_is_accompanying_file(walked->file) ||
        (!is_asked && (number == TP_NULL_INT || !has_device_collectives(model))))
        return;
    ranks->used_bytes += walked->analysis->arena.used_bytes;
    if (ranks->found.count == TP_MAX_JOINED_RANKS || ranks->used_bytes > TP_MAX_JOINED_BYTES) {
        ranks->has_too_many = true;
        tp_trace_walk_release_kept(ranks->walk);
        return;
    }
    size_t position = ranks->found.count;
    *(struct tp_joined_input *)tp_vec_push(&ranks->found) =
        (struct tp_joined_input){model, walked->file->span, number, tp_value_world_size(distributed), position};
    tp_trace_walk_keep(ranks->walk);
}

/* ---- answers ---- */

static int compare_inputs(const void *x, const void *y, const void *context)
{
    const struct tp_joined_input *a = x, *b = y;
    (void)context;
    if (a->span != b->span)
        return a->span < b->span ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

/* Returns the place of a trace among `count` traces in the order of the files. */
static size_t place_in_files(const struct tp_joined_input *found, size_t count, size_t trace)
{
    size_t place = 0;
    for (size_t i = 0; i < count; i++)
        place += found[i].position < found[trace].position;
    return place;
}

/* Returns whether the traces are different ranks of one job. They are sorted by rank. */
static bool are_ranks_of_a_job(const struct tp_joined_input *found, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (found[i].number == TP_NULL_INT || (i && found[i].number == found[i - 1].number) ||
            found[i].world_size != found[0].world_size)
            return false;
    return true;
}

/* Joins `count` traces of one recording. Traces that do not name different ranks are joined only for a change
 * "rank:N", where N is the position in the order of the files. */
static int answer_for_recording(struct tp_joined_session *ranks, const struct tp_joined_input *found, size_t count,
                                struct tp_error *err)
{
    struct tp_arena *arena = ranks->walk->arena;
    struct tp_what_if_view view;
    struct tp_error why = {0};
    bool has_numbers = are_ranks_of_a_job(found, count);
    if (count < 2 || (!has_numbers && !asks_for_ranks(ranks)))
        return TP_OK;
    struct tp_rank_model *models = tp_arena_array(arena, count, sizeof *models);
    for (size_t i = 0; i < count; i++) {
        size_t at = has_numbers ? i : place_in_files(found, count, i);
        models[at] = (struct tp_rank_model){found[i].model, has_numbers ? found[i].number : (int64_t)at};
    }
    int code = tp_changes_price_ranks(&view, models, (uint32_t)count, ranks->asked, arena, &why);
    if (code < 0)
        return tp_error_set(err, code, 0, "whatif: %s", why.text);
    ranks->joined_count++;
    if (view.withheld) {
        ranks->withheld_count++;
        view.answer_count = 0;
    }
    const struct tp_what_if_profile profile = {.ranks = models,
                                               .rank_count = (uint32_t)count,
                                               .is_one_of_many = true,
                                               .are_changes_usual = ranks->asked->count == 0,
                                               .view = &view};
    return ranks->receiver(ranks->context, &profile, arena, err);
}

int tp_joined_session_finish(const struct tp_joined_session *ranks, struct tp_error *err)
{
    if (ranks->joined_count || !asks_for_ranks(ranks))
        return TP_OK;
    if (ranks->walk->usable_count < ranks->walk->file_count)
        return tp_error_set(err, ranks->walk->hit_limit ? TP_ELIMIT : TP_ENOTFOUND, 0,
                            "whatif: too few ranks could be used to compare them");
    return tp_error_set(err, TP_EUSAGE, 0,
                        "whatif: rank:N compares ranks; put the traces of all ranks of the job into one folder");
}

/* Reports that the job is too large: as an error if a change of a rank was asked for, otherwise as a notice. */
static int report_limit(const struct tp_joined_session *ranks, struct tp_error *err)
{
    static const char text[] = "too many ranks to join: whatif joins at most %u ranks, with at most %llu GiB of memory";
    unsigned long long gib = TP_MAX_JOINED_BYTES >> 30;
    if (asks_for_ranks(ranks))
        return tp_error_set(err, TP_ELIMIT, 0, text, TP_MAX_JOINED_RANKS, gib);
    tp_console_notice(ranks->walk->console, text, TP_MAX_JOINED_RANKS, gib);
    return TP_OK;
}

int tp_joined_session_end(struct tp_joined_session *ranks, struct tp_error *err)
{
    struct tp_joined_input *found = ranks->found.data;
    size_t count = ranks->found.count;
    int code = TP_OK;
    if (ranks->has_too_many)
        return report_limit(ranks, err);
    tp_merge_sort(ranks->walk->arena, found, count, sizeof *found, compare_inputs, NULL);
    for (size_t i = 0, first = 0; i < count && code == TP_OK; i++)
        if (i + 1 == count || found[i + 1].span != found[first].span) {
            code = answer_for_recording(ranks, found + first, i + 1 - first, err);
            first = i + 1;
        }
    return code;
}
