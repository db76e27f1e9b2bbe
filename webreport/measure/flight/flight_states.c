/* Finds out which calls have ended, and shows the lines of calls: see flight_job.h.
 *
 * The recorder of NCCL sets the state of a call. The one of gloo leaves it at "scheduled" and only retires a call that
 * ended or failed. The parts of a coalesced call never change their state; they have that of the call that closes it.
 */
#include <stdio.h>

#include "webreport/measure/flight/flight_job.h"
#include "webreport/trace/code_origin.h"

enum tp_flight_op tp_flight_op_of(const struct tp_flight_job *job, const struct tp_flight_entry *entry)
{
    struct tp_str op = tp_flight_text(job, entry->call.op);
    if (tp_str_equal(op, TP_STR("send")))
        return TP_FLIGHT_SEND;
    if (tp_str_equal(op, TP_STR("recv")))
        return TP_FLIGHT_RECV;
    return tp_str_equal(op, TP_STR("coalesced")) ? TP_FLIGHT_CLOSING : TP_FLIGHT_COLLECTIVE;
}

static void set_state(const struct tp_flight_job *job, struct tp_flight_entry *entry)
{
    bool is_completed = tp_str_equal(tp_flight_text(job, entry->call.state), TP_STR("completed"));
    entry->knows_state = !tp_str_equal(tp_flight_text(job, entry->call.backend), TP_STR("gloo"));
    entry->is_done = is_completed || (!entry->knows_state && entry->call.is_retired);
    entry->has_timed_out = entry->knows_state && entry->call.is_retired && !is_completed;
}

/* ---- coalesced calls ---- */

/* Lists of calls with equal group and number that still lack their closing call. Each list starts at its last call;
 * `previous` links each call to the one before it. */
struct open_parts {
    struct tp_strings keys;
    struct tp_vec last; /* by key: index of the last call, or TP_NO_ID; elements: uint32_t */
    uint32_t *previous; /* for each call: the call before it with the same key */
};

static uint32_t *open_parts_of(struct open_parts *open, const struct tp_flight_call *call)
{
    struct {
        int64_t sequence;
        uint32_t group, is_p2p;
    } key = {call->sequence, call->group, call->is_p2p};
    uint32_t id = tp_strings_add(&open->keys, (struct tp_str){(const char *)&key, sizeof key});
    while (open->last.count <= id)
        *(uint32_t *)tp_vec_push(&open->last) = TP_NO_ID;
    return TP_AT(&open->last, uint32_t, id);
}

/* Gives the parts of a coalesced call the state of the call that closes it. */
static void close_parts(struct tp_flight_rank *rank, struct open_parts *open, uint32_t *last, uint32_t closing)
{
    struct tp_flight_entry *call = &rank->calls[closing];
    for (uint32_t i = *last; i != TP_NO_ID; i = open->previous[i]) {
        struct tp_flight_entry *part = &rank->calls[i];
        part->is_part = true;
        part->is_done = call->is_done;
        part->call.state = call->call.state;
        part->has_timed_out = call->has_timed_out;
        call->part_count++;
    }
    call->last_part = *last;
    *last = TP_NO_ID;
}

static void find_parts(struct tp_flight_job *job, struct tp_flight_rank *rank)
{
    struct open_parts open = {.last = TP_VEC(job->arena, uint32_t),
                              .previous = tp_arena_array(job->arena, rank->call_count, sizeof(uint32_t))};
    tp_strings_init(&open.keys, job->arena, 0);
    for (uint32_t i = 0; i < rank->call_count; i++) {
        struct tp_flight_entry *entry = &rank->calls[i];
        uint32_t *last = open_parts_of(&open, &entry->call);
        bool may_close = tp_str_ends(tp_flight_text(job, entry->call.op), "_coalesced") && *last != TP_NO_ID;
        entry->last_part = TP_NO_ID;
        if (may_close || tp_flight_op_of(job, entry) == TP_FLIGHT_CLOSING) {
            close_parts(rank, &open, last, i);
        } else {
            open.previous[i] = *last;
            *last = i;
        }
    }
    rank->previous_part = open.previous;
}

/* Returns whether a call takes part in the order of the calls of its rank. Parts of a collective and the closing calls
 * of point-to-point operations do not. */
static bool is_in_order(const struct tp_flight_job *job, const struct tp_flight_entry *entry)
{
    if (entry->call.is_p2p)
        return tp_flight_op_of(job, entry) != TP_FLIGHT_CLOSING;
    return !entry->is_part;
}

bool tp_flight_is_pending(const struct tp_flight_job *job, const struct tp_flight_entry *entry)
{
    return !entry->is_done && is_in_order(job, entry);
}

void tp_flight_job_set_states(struct tp_flight_job *job)
{
    for (size_t r = 0; r < job->ranks.count; r++) {
        struct tp_flight_rank *rank = tp_flight_rank_at(job, r);
        for (uint32_t i = 0; i < rank->call_count; i++)
            set_state(job, &rank->calls[i]);
        find_parts(job, rank);
        for (uint32_t i = 0; i < rank->call_count && !rank->head; i++)
            if (tp_flight_is_pending(job, &rank->calls[i]))
                rank->head = &rank->calls[i];
    }
}

/* ---- lines ---- */

bool tp_flight_is_of_torch(const struct tp_flight_job *job, struct tp_flight_frame frame)
{
    enum tp_code_origin origin = tp_code_of_path(tp_flight_text(job, frame.file)).origin;
    return origin == TP_ORIGIN_TORCH || origin == TP_ORIGIN_BUILTIN || origin == TP_ORIGIN_GENERATED;
}

struct tp_str tp_flight_frame_text(const struct tp_flight_job *job, struct tp_flight_frame frame)
{
    struct tp_str file = tp_flight_text(job, frame.file);
    struct tp_vec text = TP_VEC(job->arena, char);
    char line[32];
    snprintf(line, sizeof line, ":%lld (", (long long)frame.line);
    for (size_t i = file.len; i-- > 0;)
        if (file.ptr[i] == '/') {
            file = (struct tp_str){file.ptr + i + 1, file.len - i - 1};
            break;
        }
    tp_vec_add_text(&text, file);
    tp_vec_add_text(&text, tp_str_of(line));
    tp_vec_add_text(&text, tp_flight_text(job, frame.name));
    tp_vec_add_text(&text, TP_STR(")"));
    return (struct tp_str){text.data, text.count};
}

static struct tp_str find_line(const struct tp_flight_job *job, uint32_t stack)
{
    size_t count = tp_flight_frame_count(&job->stacks, stack);
    for (size_t i = 0; i < count; i++) {
        struct tp_flight_frame frame = tp_flight_frame_at(&job->stacks, stack, i);
        if (!tp_flight_is_of_torch(job, frame))
            return tp_flight_frame_text(job, frame);
    }
    return (struct tp_str){"", 0};
}

void tp_flight_job_set_lines(struct tp_flight_job *job)
{
    job->line_of_stack = tp_arena_array(job->arena, job->stacks.count, sizeof *job->line_of_stack);
    for (uint32_t i = 0; i < job->stacks.count; i++)
        job->line_of_stack[i] = tp_strings_add(&job->texts, find_line(job, i));
}
