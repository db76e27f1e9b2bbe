/* Tests joined graphs of ranks. Expected times are counted by hand from the times in each test, which are
 * microseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "webreport/what_if/measured_lane.h"
#include "webreport/what_if/what_if_view_build.h"

#include "tests/unit/made_trace.h"

enum { RANKS = 2 };

static struct tp_buf text;                        /* events of the current rank */
static struct tp_arena arena, rank_arenas[RANKS]; /* for the graphs; for the model of each rank */
static struct tp_trace traces[RANKS];
static struct tp_order orders[RANKS];
static struct tp_model models[RANKS];
static struct tp_rank_model ranks[RANKS];
static struct tp_joined_ranks joined;
static struct tp_replay_graph graph;

__attribute__((format(printf, 1, 2))) static void add_event(const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    tp_buf_printf(&text, "%s%s", text.size ? "," : "", line);
}

static void add_call(double ts, int correlation)
{
    add_event("{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":10,\"tid\":1,\"ts\":%.3f,"
              "\"dur\":2,\"args\":{\"correlation\":%d}}",
              ts, correlation);
}

static void add_kernel(const char *name, double start, double end, int correlation)
{
    add_event("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":%.3f,\"dur\":%.3f,"
              "\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d}}",
              name, start, end - start, correlation);
}

/* Writes a rank: a step of 5 us on the host, a kernel from 10 to `end`, and a collective until 60. The clock of the
 * rank is ahead by `clock`. */
static void write_rank(double clock, double end, const char *kernel, const char *collective)
{
    tp_buf_release(&text);
    tp_buf_init(&text, 0);
    add_event("{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":10,\"tid\":1,\"ts\":%.3f,"
              "\"dur\":5,\"args\":{}}",
              clock);
    add_call(clock, 1);
    add_call(clock + 2, 2);
    add_kernel(kernel, clock + 10, clock + end, 1);
    add_kernel(collective, clock + end, clock + 60, 2);
}

static void build_rank(int rank)
{
    tp_arena_release(&rank_arenas[rank]);
    make_model(&rank_arenas[rank], &traces[rank], &orders[rank], &models[rank], "", text.data);
    ranks[rank] = (struct tp_rank_model){&models[rank], rank};
}

/* Writes two ranks. The kernel of rank 1 ends 30 us later than that of rank 0, so the transfer takes 10 us. */
static void write_job(double clock, const char *kernel, const char *collective)
{
    write_rank(0, 20, "k", "ncclKernel_AllReduce(int)");
    build_rank(0);
    write_rank(clock, 50, kernel, collective);
    build_rank(1);
}

static void join_ranks(void)
{
    assert_true(tp_joined_graph_build(&joined, &graph, ranks, RANKS, &arena));
}

/* Asks for the answers to a change. Returns the status. */
static int ask(struct tp_what_if_view *view, const char *change)
{
    static struct tp_str texts[1];
    struct tp_error err = {0};
    texts[0] = tp_str_of(change);
    const struct tp_what_if_question question = {
        .model = &models[0], .ranks = ranks, .rank_count = RANKS, .changes = texts, .change_count = 1};
    return tp_what_if_view_build(view, &question, &arena, &arena, &err);
}

static void collective_becomes_arrivals_and_a_transfer(void **state)
{
    (void)state;
    if (setjmp(arena.guard))
        fail();
    write_job(0, "k", "ncclKernel_AllReduce(float)");
    join_ranks();
    assert_true(joined.is_matched);
    assert_int_equal(joined.collective_count, 1);
    assert_int_equal(graph.node_count, graph.first_arrive + RANKS);
    assert_int_equal(tp_count_contradictions(&graph), 0);
    assert_int_equal(graph.order_count, graph.node_count);
    for (uint32_t r = 0; r < RANKS; r++) {
        const struct tp_replay_node *arrival = &graph.nodes[graph.first_arrive + r];
        const struct tp_replay_node *transfer =
            &graph.nodes[graph.ranks[r].first_node + joined.graphs[r].first_device + 1];
        assert_int_equal(tp_node_rank(&graph, graph.first_arrive + r), r);
        assert_int_equal(arrival->start_ns, r == 0 ? 20000 : 50000);
        assert_int_equal(arrival->end_ns, arrival->start_ns);
        assert_int_equal(transfer->start_ns, 50000);
        assert_int_equal(transfer->end_ns, 60000);
        assert_int_equal(transfer[1].first_edge - transfer->first_edge, RANKS);
        assert_int_equal(graph.edges[transfer->first_edge].reason, TP_EDGE_PROGRAM);
        assert_int_equal(graph.edges[transfer->first_edge + 1].reason, TP_EDGE_PEER);
        assert_int_equal(graph.edges[transfer->first_edge].source, graph.first_arrive + r);
        assert_int_equal(graph.edges[transfer->first_edge + 1].source, graph.first_arrive + 1 - r);
    }
}

static void clocks_are_aligned_at_the_ends(void **state)
{
    (void)state;
    if (setjmp(arena.guard))
        fail();
    write_job(7000, "k", "ncclKernel_AllReduce");
    join_ranks();
    assert_int_equal(tp_count_contradictions(&graph), 0);
    assert_int_equal(graph.nodes[graph.ranks[1].first_node].start_ns, 0);
    assert_int_equal(graph.nodes[graph.first_arrive + 1].start_ns, 50000);
}

static void rank_at_the_median_shortens_the_job(void **state)
{
    struct tp_what_if_view view;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    write_job(7000, "k", "ncclKernel_AllReduce");
    assert_int_equal(ask(&view, "rank:1"), 0);
    assert_int_equal(view.withheld, 0);
    assert_int_equal(view.rank_count, RANKS);
    assert_int_equal(view.step_ns, 60000);
    assert_int_equal(view.answers[0].step_ns, 30000);
    assert_int_equal(view.answers[0].gain_ns, 30000);
    assert_int_equal(ask(&view, "rank:0"), 0);
    assert_int_equal(view.answers[0].gain_ns, 0);
    assert_int_equal(ask(&view, "rank:2"), TP_EUSAGE);
}

static void change_may_name_a_kernel_of_one_rank(void **state)
{
    struct tp_what_if_view view;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    write_job(0, "other", "ncclKernel_AllReduce");
    assert_int_equal(ask(&view, "kernel:other=1/2"), 0);
    assert_int_equal(view.answers[0].step_ns, 40000);
    assert_int_equal(ask(&view, "kernel:none=1/2"), TP_EUSAGE);
}

static void different_collectives_are_withheld(void **state)
{
    struct tp_what_if_view view;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    write_job(0, "k", "ncclKernel_Broadcast");
    assert_int_equal(ask(&view, "rank:1"), 0);
    assert_int_equal(view.withheld, 1u << TP_WITHHELD_RANKS);
    assert_int_equal(view.answer_count, 0);
    assert_int_equal(view.confidence, TP_REPLAY_CONFIDENCE_WITHHELD);
    write_job(0, "ncclKernel_AllReduce", "ncclKernel_AllReduce");
    assert_int_equal(ask(&view, "rank:1"), 0);
    assert_int_equal(view.withheld, 1u << TP_WITHHELD_RANKS);
}

/* Tests ranks that run two collectives in opposite orders, so that each rank waits for the other. */
static void different_orders_are_withheld(void **state)
{
    struct tp_what_if_view view;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int r = 0; r < RANKS; r++) {
        write_rank(0, 20, "k", r ? "ncclKernel_AllReduce" : "ncclKernel_Broadcast");
        add_call(4, 3);
        add_kernel(r ? "ncclKernel_Broadcast" : "ncclKernel_AllReduce", 60, 80, 3);
        build_rank(r);
    }
    assert_int_equal(ask(&view, "rank:1"), 0);
    assert_int_equal(view.withheld, 1u << TP_WITHHELD_RANKS);
    assert_int_equal(view.withheld_count, 1);
}

/* Tests a kernel that overlaps the collective before it on its stream. It starts a fixed time after the start of the
 * collective, which is the arrival of its rank. */
static void overlapping_kernel_counts_from_the_arrival(void **state)
{
    (void)state;
    if (setjmp(arena.guard))
        fail();
    write_rank(0, 20, "k", "ncclKernel_AllReduce");
    add_call(4, 3);
    add_kernel("late", 40, 70, 3);
    build_rank(0);
    write_rank(0, 50, "k", "ncclKernel_AllReduce");
    build_rank(1);
    join_ranks();
    assert_int_equal(tp_count_contradictions(&graph), 0);
    assert_int_equal(graph.counts.overlaps, 1);
}

static int set_up(void **state)
{
    (void)state;
    tp_buf_init(&text, 0);
    tp_arena_init(&arena, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tp_buf_release(&text);
    tp_arena_release(&arena);
    for (unsigned r = 0; r < RANKS; r++)
        tp_arena_release(&rank_arenas[r]);
    return 0;
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(collective_becomes_arrivals_and_a_transfer), CASE(clocks_are_aligned_at_the_ends),
        CASE(rank_at_the_median_shortens_the_job),        CASE(change_may_name_a_kernel_of_one_rank),
        CASE(different_collectives_are_withheld),         CASE(different_orders_are_withheld),
        CASE(overlapping_kernel_counts_from_the_arrival),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
