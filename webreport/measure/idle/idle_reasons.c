/* Implements idle_reasons.h: finds why a device was idle. */
#include "webreport/measure/idle/idle_reasons.h"

#include "webreport/model/numbers.h"
#include "writer/base/saturate.h"
#include "writer/base/stats.h"

static const int64_t UNKNOWN_LATENCY_NS = 10000, MOST_LATENCY_NS = 50000, LONG_NS = 1000000;

const char *tp_call_use_text(enum tp_call_use use)
{
    static const char *const texts[] = {"synchronise", "copy call", "allocate", "launch call", "set-up", "runtime"};
    return texts[use];
}

enum tp_call_use tp_call_use_by_name(struct tp_str name)
{
    static const struct {
        const char *word;
        enum tp_call_use use;
    } words[] = {{"synchron", TP_CALL_SYNCHRONISE}, {"wait", TP_CALL_SYNCHRONISE},      {"query", TP_CALL_SYNCHRONISE},
                 {"memcpy", TP_CALL_COPY},          {"malloc", TP_CALL_ALLOCATE},       {"free", TP_CALL_ALLOCATE},
                 {"hostalloc", TP_CALL_ALLOCATE},   {"hostregister", TP_CALL_ALLOCATE}, {"launch", TP_CALL_LAUNCH},
                 {"module", TP_CALL_SET_UP},        {"function", TP_CALL_SET_UP},       {"create", TP_CALL_SET_UP},
                 {"init", TP_CALL_SET_UP}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tp_str_find_ignore_case(name, words[i].word) >= 0)
            return words[i].use;
    return TP_CALL_OTHER;
}

/* The state of a walk over the idle intervals of a device, in order of time. */
struct walk {
    struct tp_idle_reasons *found;
    const struct tp_model *model;
    const struct tp_gpu *gpu;
    size_t busy_at; /* number of busy intervals that precede the current idle interval */
    /* done_ns: total length of the first busy_at busy intervals; total_ns: total length of all busy intervals */
    int64_t done_ns, total_ns;
    void (*visit)(void *context, enum tp_idle_reason reason, const struct tp_idle_slice *piece, int64_t ns);
    void *context;
};

static const struct tp_event *launch_of_next_operation(const struct walk *walk, const struct tp_idle_slice *piece)
{
    return piece->next == TP_NO_ID ? NULL : tp_launch_of_device(walk->model, piece->next);
}

/* Returns the time when the call of the next operation returned, ns. The time is at most the start of the operation. */
static int64_t launch_end_ns(const struct walk *walk, const struct tp_idle_slice *piece)
{
    return tp_ns_min(tp_event_end(launch_of_next_operation(walk, piece)),
                     tp_device_event(walk->model, piece->next)->ts_ns);
}

/* Returns the launch latency that the gap of the idle intervals [first, end) shows, ns. Returns -1 if the launch is
 * unknown or returned before the gap began. */
static int64_t launch_latency_ns(const struct walk *walk, uint32_t first, uint32_t end)
{
    const struct tp_idle_slice *last = &walk->gpu->idle[end - 1];
    const struct tp_event *launch = launch_of_next_operation(walk, last);
    if (!launch || tp_device_event(walk->model, last->next)->ts_ns != last->b ||
        tp_event_end(launch) < walk->gpu->idle[first].a)
        return -1;
    return tp_sat_sub(last->b, tp_event_end(launch));
}

static void find_usual_launch_latency(struct walk *walk, struct tp_arena *arena)
{
    const struct tp_gpu *gpu = walk->gpu;
    int64_t *found = tp_arena_alloc(arena, gpu->idle_count * sizeof *found);
    size_t count = 0;
    for (uint32_t first = 0, end; first < gpu->idle_count; first = end) {
        end = first + 1;
        while (end < gpu->idle_count && gpu->idle[end].next == gpu->idle[first].next &&
               gpu->idle[end].a == gpu->idle[end - 1].b)
            end++;
        int64_t ns = launch_latency_ns(walk, first, end);
        if (ns >= 0)
            found[count++] = ns;
    }
    walk->found->latency_ns = count ? tp_ns_min(tp_integer_median(found, count), MOST_LATENCY_NS) : UNKNOWN_LATENCY_NS;
    tp_arena_free_item(arena, found, gpu->idle_count * sizeof *found);
}

/* Returns whether the idle interval [a, b) is long and begins before 1 % of the busy time is over. A device with such
 * an interval executes work from before the recording, or is stalled. */
static bool does_device_run_earlier_work(struct walk *walk, int64_t a, int64_t b, int64_t latencies)
{
    const struct tp_intervals *busy = &walk->gpu->busy;
    for (; walk->busy_at < busy->count && busy->items[walk->busy_at].a <= a; walk->busy_at++)
        walk->done_ns = tp_sat_add(walk->done_ns, busy->items[walk->busy_at].b - busy->items[walk->busy_at].a);
    int64_t ns = tp_sat_sub(b, a);
    return (__int128)walk->done_ns * 100 < walk->total_ns && (__int128)ns * 10 > walk->total_ns &&
           ns > tp_ns_max(LONG_NS, latencies * walk->found->latency_ns);
}

static void add_reason_time(struct walk *walk, enum tp_idle_reason reason, const struct tp_idle_slice *piece,
                            int64_t ns)
{
    if (ns <= 0)
        return;
    walk->found->ns[reason] = tp_sat_add(walk->found->ns[reason], ns);
    if (walk->visit)
        walk->visit(walk->context, reason, piece, ns);
}

static void add_reasons_of_launch_time(struct walk *walk, const struct tp_idle_slice *piece)
{
    enum { LATENCIES = 20 };
    enum tp_idle_reason reason = TP_IDLE_BY_LAUNCH;
    if (does_device_run_earlier_work(walk, piece->a, piece->b, LATENCIES))
        reason = TP_IDLE_BY_EARLIER_WORK_LAUNCH;
    else if (launch_of_next_operation(walk, piece)->dur_ns > tp_ns_max(LONG_NS, LATENCIES * walk->found->latency_ns))
        reason = TP_IDLE_BY_BLOCKED_CALL;
    add_reason_time(walk, reason, piece, tp_sat_sub(piece->b, piece->a));
}

/* Splits the time between the launch of an operation and its start. The first part, up to the usual latency, has the
 * reason TP_IDLE_BY_LATENCY; the rest gets another reason. */
static void add_reasons_of_queue_time(struct walk *walk, const struct tp_idle_slice *piece)
{
    int64_t started = tp_sat_add(launch_end_ns(walk, piece), walk->found->latency_ns);
    int64_t from = tp_ns_min(tp_ns_max(started, piece->a), piece->b), ns = tp_sat_sub(piece->b, from);
    bool is_graph = tp_is_graph_launched(walk->model, piece->next);
    add_reason_time(walk, TP_IDLE_BY_LATENCY, piece, tp_sat_sub(from, piece->a));
    add_reason_time(walk,
                    does_device_run_earlier_work(walk, from, piece->b, 10) ? TP_IDLE_BY_EARLIER_WORK
                    : is_graph                                             ? TP_IDLE_BY_GRAPH
                                                                           : TP_IDLE_BY_QUEUE,
                    piece, ns);
}

static void add_reasons_of_idle_interval(struct walk *walk, const struct tp_idle_slice *piece)
{
    int64_t ns = tp_sat_sub(piece->b, piece->a);
    switch (piece->part) {
    case TP_IDLE_LAUNCH:
        add_reasons_of_launch_time(walk, piece);
        break;
    case TP_IDLE_QUEUE:
        add_reasons_of_queue_time(walk, piece);
        break;
    case TP_IDLE_OUTSIDE:
        add_reason_time(walk, TP_IDLE_BY_EDGE, piece, ns);
        break;
    case TP_IDLE_UNKNOWN:
        add_reason_time(walk,
                        does_device_run_earlier_work(walk, piece->a, piece->b, 10) ? TP_IDLE_BY_EARLIER_WORK
                                                                                   : TP_IDLE_BY_UNKNOWN,
                        piece, ns);
        break;
    default:
        add_reason_time(walk, TP_IDLE_BY_HOST, piece, ns);
        break;
    }
}

void tp_idle_reasons_find(struct tp_idle_reasons *found, const struct tp_model *model, const struct tp_gpu *gpu,
                          struct tp_arena *arena,
                          void (*visit)(void *context, enum tp_idle_reason reason, const struct tp_idle_slice *piece,
                                        int64_t ns),
                          void *context)
{
    struct walk walk = {found, model, gpu, .visit = visit, .context = context};
    walk.total_ns = tp_ns_max(1, tp_intervals_length(gpu->busy));
    memset(found, 0, sizeof *found);
    find_usual_launch_latency(&walk, arena);
    for (uint32_t i = 0; i < gpu->idle_count; i++)
        add_reasons_of_idle_interval(&walk, &gpu->idle[i]);
}
