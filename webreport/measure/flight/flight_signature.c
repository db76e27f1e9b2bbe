/* Finds out what the ranks of a collective must agree on: its name, the number of elements, and their types. See
 * flight_job.h.
 *
 * Elements are compared and not shapes, because NCCL sees only elements. The side that must agree depends on the
 * collective: each rank may pass another number of elements to all_to_all. */
#include "webreport/measure/flight/flight_job.h"
#include "writer/base/sort.h"
#include "writer/base/table.h" /* for the macro TP_NULL_INT */

/* ---- types ---- */

static int compare_texts(const void *x, const void *y, const void *context)
{
    (void)context;
    return tp_str_compare(*(const struct tp_str *)x, *(const struct tp_str *)y);
}

struct tp_vec tp_flight_list_types(struct tp_flight_job *job, uint32_t types)
{
    struct tp_str list = tp_flight_text(job, types);
    struct tp_vec items = TP_VEC(job->arena, struct tp_str);
    for (size_t at = 0; at < list.len;) {
        size_t size = strlen(list.ptr + at);
        *(struct tp_str *)tp_vec_push(&items) = (struct tp_str){list.ptr + at, size};
        at += size + 1;
    }
    return items;
}

/* Returns the id of a list of types, sorted and without repetitions. types: id of a list. */
static uint32_t distinct_types(struct tp_flight_job *job, struct tp_id_map *cache, uint32_t types)
{
    uint32_t *found = tp_id_map_find_or_add(cache, types);
    if (*found != TP_NO_ID)
        return *found;
    struct tp_vec items = tp_flight_list_types(job, types), joined = TP_VEC(job->arena, char);
    tp_merge_sort(job->arena, items.data, items.count, sizeof(struct tp_str), compare_texts, NULL);
    for (size_t i = 0; i < items.count; i++) {
        const struct tp_str *item = TP_AT(&items, struct tp_str, i);
        if (i && tp_str_equal(item[-1], *item))
            continue;
        tp_vec_add_text(&joined, *item);
        *(char *)tp_vec_push(&joined) = '\0';
    }
    uint32_t id = tp_strings_add(&job->texts, (struct tp_str){joined.count ? joined.data : "", joined.count});
    *tp_id_map_find_or_add(cache, types) = id;
    return id;
}

/* ---- coalesced calls ---- */

struct part {
    int64_t elements;
    uint32_t op, types;
};

static int compare_parts(const void *x, const void *y, const void *context)
{
    const struct part *a = x, *b = y;
    (void)context;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    if (a->elements != b->elements)
        return a->elements < b->elements ? -1 : 1;
    return (a->types > b->types) - (a->types < b->types);
}

/* Returns the id of the parts of a coalesced call, which may be in any order. */
static uint32_t parts_of(struct tp_flight_job *job, const struct tp_flight_rank *rank,
                         const struct tp_flight_entry *entry)
{
    struct tp_vec parts = TP_VEC(job->arena, struct part);
    for (uint32_t i = entry->last_part; i != TP_NO_ID; i = rank->previous_part[i]) {
        const struct tp_flight_call *call = &rank->calls[i].call;
        if (!call->is_p2p)
            *(struct part *)tp_vec_push(&parts) = (struct part){call->input_elements, call->op, call->input_types};
    }
    tp_merge_sort(job->arena, parts.data, parts.count, sizeof(struct part), compare_parts, NULL);
    return tp_strings_add(&job->parts,
                          (struct tp_str){parts.count ? parts.data : "", parts.count * sizeof(struct part)});
}

/* ---- collectives ---- */

/* The side of a collective whose number of elements must be equal on all ranks. */
enum side { INPUTS, OUTPUTS, NO_SIDE };

static enum side side_of(struct tp_str op)
{
    if (tp_str_find(op, "all_to_all") >= 0 || tp_str_find(op, "alltoall") >= 0 || tp_str_ends(op, "_v"))
        return NO_SIDE;
    return tp_str_equal(op, TP_STR("scatter")) || tp_str_find(op, "reduce_scatter") >= 0 ? OUTPUTS : INPUTS;
}

static struct tp_flight_signature make_signature(struct tp_flight_job *job, const struct tp_flight_rank *rank,
                                                 const struct tp_flight_entry *entry, struct tp_id_map *types)
{
    struct tp_str op = tp_flight_text(job, entry->call.op);
    struct tp_flight_signature signature = {.op = entry->call.op, .elements = TP_NULL_INT};
    if (entry->part_count || tp_flight_op_of(job, entry) == TP_FLIGHT_CLOSING) {
        signature.parts = UINT64_C(1) + parts_of(job, rank, entry);
        signature.types = tp_strings_add(&job->texts, (struct tp_str){"", 0});
        return signature;
    }
    enum side side = side_of(op);
    if (side != NO_SIDE)
        signature.elements = side == OUTPUTS ? entry->call.output_elements : entry->call.input_elements;
    bool has_output_types = tp_str_equal(op, TP_STR("scatter"));
    signature.types = distinct_types(job, types, has_output_types ? entry->call.output_types : entry->call.input_types);
    return signature;
}

void tp_flight_job_set_signatures(struct tp_flight_job *job)
{
    struct tp_id_map types;
    tp_id_map_init(&types, job->arena);
    for (size_t r = 0; r < job->ranks.count; r++) {
        struct tp_flight_rank *rank = tp_flight_rank_at(job, r);
        for (uint32_t i = 0; i < rank->call_count; i++) {
            struct tp_flight_entry *entry = &rank->calls[i];
            enum tp_flight_op op = tp_flight_op_of(job, entry);
            entry->signature = TP_NO_ID;
            if (op == TP_FLIGHT_SEND || op == TP_FLIGHT_RECV || (entry->call.is_p2p && op == TP_FLIGHT_CLOSING) ||
                (entry->is_part && !entry->call.is_p2p))
                continue;
            struct tp_flight_signature signature = make_signature(job, rank, entry, &types);
            entry->signature =
                tp_strings_add(&job->signature_keys, (struct tp_str){(const char *)&signature, sizeof signature});
            if (entry->signature == job->signatures.count)
                *(struct tp_flight_signature *)tp_vec_push(&job->signatures) = signature;
        }
    }
}
