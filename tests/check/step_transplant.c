/* step_transplant TRACE: prints the nodes of the replay graph of a trace by analysed step.
 * step_transplant TRACE FILE: replays the trace with other durations of nodes, which FILE has.
 *
 * The first form prints "step STEP LENGTH" for each analysed step, and "node STEP LANE NODE DURATION NAME" for each of
 * its nodes: those of threads within the step, and the operations that the step launched. Tabs separate the columns.
 * LANE is a thread or a stream; the nodes of a lane are in order of time. FILE has "replay STEP COUNT", followed by
 * COUNT lines "NODE DURATION", for each replay. The second form prints for each replay the length of this step. All
 * times are nanoseconds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "webreport/model/build.h"
#include "webreport/model/numbers.h"
#include "webreport/what_if/change_duration.h"
#include "webreport/what_if/change_make.h"
#include "webreport/what_if/measured_lane.h"
#include "webreport/what_if/replay_graph_build.h"
#include "webreport/what_if/replay_run.h"
#include "webreport/what_if/step_frame.h"

enum { MOST_REPLAYS = 64 /* replays of one pass */ };

struct program {
    const char *path, *replays;
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_replay_graph graph;
    struct tp_step_frame frame;
    struct tp_what_if_change none;
    struct tp_replay_lane measured;
};

/* ---- nodes ---- */

static void print_node(struct program *p, uint32_t step, const char *lane, uint32_t node)
{
    static const char *const kinds[TP_NODE_KINDS] = {"host", "launch", "wait", "wake", "input", "arrival"};
    const struct tp_replay_node *n = &p->graph.nodes[node];
    struct tp_str name =
        n->event == TP_NO_ID ? tp_str_of(kinds[n->kind]) : tp_trace_event_name(&p->trace, &p->trace.events[n->event]);
    printf("node\t%u\t%s\t%u\t%" PRId64 "\t", step, lane, node, tp_change_node_ns(&p->none, &p->graph, node));
    for (size_t i = 0; i < name.len; i++)
        putchar((unsigned char)name.ptr[i] < ' ' ? ' ' : name.ptr[i]);
    putchar('\n');
}

static void print_thread(struct program *p, uint32_t step, const struct tp_step *s, uint32_t thread)
{
    char lane[24];
    snprintf(lane, sizeof lane, "t%u", thread);
    for (uint32_t i = p->graph.lanes[thread].first; i < p->graph.lanes[thread].end; i++) {
        const struct tp_replay_node *n = &p->graph.nodes[i];
        bool is_end = n->kind == TP_NODE_WAKE || n->kind == TP_NODE_ARRIVAL;
        if (!is_end && s->host_start_ns <= n->start_ns && n->end_ns <= s->host_end_ns)
            print_node(p, step, lane, i);
    }
}

/* Prints the operations that a step launched, in order of start. step: position among the analysed steps. */
static void print_operations(struct program *p, uint32_t step, uint32_t of_model)
{
    for (uint32_t k = 0; k < p->model.devices.count; k++) {
        uint32_t launch = p->model.devices.launch[k];
        char lane[60];
        if (launch == TP_NO_ID || !p->model.launches.step || p->model.launches.step[launch] != of_model)
            continue;
        snprintf(lane, sizeof lane, "d%u stream %" PRId64, p->model.devices.gpu[k],
                 tp_stream_number(&p->model, tp_device_event(&p->model, k)));
        print_node(p, step, lane, p->graph.first_device + k);
    }
}

static void print_steps(struct program *p)
{
    uint32_t used = 0;
    for (uint32_t s = 0; s < p->model.step_count; s++) {
        if (!tp_step_is_used(&p->model.steps[s]))
            continue;
        const struct tp_interval *interval = &p->measured.steps[used];
        printf("step\t%u\t%" PRId64 "\n", used, interval->b - interval->a);
        for (uint32_t t = 0; t < p->trace.thread_count; t++)
            print_thread(p, used, &p->model.steps[s], t);
        print_operations(p, used, s);
        used++;
    }
}

/* ---- replays ---- */

/* Reads the durations of one replay, as a change that replaces the durations of nodes. Returns the step of which the
 * length is wanted, or TP_NO_ID at the end of the file. */
static uint32_t read_replay(struct program *p, FILE *file, struct tp_what_if_change *change)
{
    unsigned step, count, node;
    int64_t ns;
    if (fscanf(file, " replay %u %u", &step, &count) != 2)
        return TP_NO_ID;
    tp_change_init(change);
    change->more_ns = tp_arena_array(&p->arena, p->graph.node_count, sizeof *change->more_ns);
    change->more_count = p->graph.node_count;
    change->more = (struct tp_fraction){0, 1};
    for (unsigned i = 0; i < count && fscanf(file, "%u %" SCNd64, &node, &ns) == 2; i++)
        if (node < p->graph.node_count)
            change->more_ns[node] = tp_sat_sub(tp_change_node_ns(&p->none, &p->graph, node), ns);
    return step;
}

static void run_replays(struct program *p, const struct tp_what_if_change *changes, const uint32_t *steps,
                        uint32_t count)
{
    struct tp_replay_lane lanes[MOST_REPLAYS];
    struct tp_what_if_replay replay = {.frame = &p->frame, .lanes = lanes, .lane_count = count};
    for (uint32_t i = 0; i < count; i++)
        lanes[i] = (struct tp_replay_lane){.change = &changes[i], .mode = TP_REPLAY_KEPT};
    tp_what_if_replay_run(&replay, &p->arena);
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_interval *interval = &lanes[i].steps[steps[i]];
        printf("%" PRId64 "\n", steps[i] < lanes[i].step_count ? interval->b - interval->a : -1);
    }
    tp_replay_release(&replay, &p->arena);
}

static int replay_file(struct program *p)
{
    struct tp_what_if_change changes[MOST_REPLAYS];
    uint32_t steps[MOST_REPLAYS], count;
    FILE *file = fopen(p->replays, "r");
    if (!file)
        return TP_EIO;
    do {
        count = 0;
        while (count < MOST_REPLAYS && (steps[count] = read_replay(p, file, &changes[count])) != TP_NO_ID)
            count++;
        if (count)
            run_replays(p, changes, steps, count);
    } while (count == MOST_REPLAYS);
    fclose(file);
    return TP_OK;
}

static int run(void *context, struct tp_error *err)
{
    struct program *p = context;
    struct tp_trace_options options = {.single_thread = true};
    int code = tp_trace_read(&p->trace, &p->arena, p->path, &options, err);
    if (code < 0)
        return code;
    tp_order_build(&p->order, &p->trace, &p->arena);
    tp_model_build(&p->model, &p->trace, &p->order, &p->arena);
    if (!tp_replay_graph_build(&p->graph, &p->model, &p->arena))
        return tp_error_set(err, TP_EUNSUPPORTED, 0, "too many streams");
    tp_step_frame_build(&p->frame, &p->graph, &p->arena);
    tp_change_init(&p->none);
    p->measured = (struct tp_replay_lane){.change = &p->none, .mode = TP_REPLAY_KEPT};
    tp_measured_lane(&p->measured, &p->frame, &p->arena);
    if (p->replays)
        return replay_file(p);
    print_steps(p);
    return TP_OK;
}

int main(int argc, char **argv)
{
    struct program p = {.path = argc > 1 ? argv[1] : NULL, .replays = argc > 2 ? argv[2] : NULL};
    struct tp_error err = {0};
    if (!p.path)
        return 2;
    tp_arena_init(&p.arena, 0);
    int code = tp_arena_run(&p.arena, run, &p, &err);
    if (code < 0)
        fprintf(stderr, "step_transplant: %s: %s\n", p.path, err.text);
    tp_arena_release(&p.arena);
    return code < 0;
}
