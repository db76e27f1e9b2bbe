/* Tests replayed jobs. Expected numbers are counted by hand from the times in each test. */
#include "webreport/compare/replay/graph_build.h"
#include "webreport/compare/replay/what_if_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS = 4, MOST_RANKS = 8, STEPS = 4, SLOTS = 2 };

struct fixture {
    struct tp_arena arena;
    struct tp_graph graph;
    struct tp_what_if what_if;
    uint32_t count;
    bool is_missing[MOST_RANKS];
    struct tp_step_slots rows[MOST_RANKS];
    struct tp_slot slots[SLOTS];
    struct tp_slot_group groups[MOST_RANKS];
    struct tp_rank_stride run;
    int64_t us[MOST_RANKS][TP_SLOT_PARTS][SLOTS * STEPS];
};

/* Makes one group of `count` ranks on two hosts. Each of four steps has 10 ms of kernels, a collective of 1 ms, and 2
 * ms of pause. */
static void make_job_of_ranks(struct fixture *f, uint32_t count)
{
    *f = (struct fixture){.count = count};
    tp_arena_init(&f->arena, 0);
    if (setjmp(f->arena.guard))
        fail();
    f->run = (struct tp_rank_stride){0, 1, count};
    f->slots[0] = (struct tp_slot){0, 1, 1, 0, true, 0};
    f->slots[1] = (struct tp_slot){TP_NO_ID, 0, 1, 0, true, 0};
    for (uint32_t r = 0; r < count; r++) {
        f->groups[r] = (struct tp_slot_group){TP_STR("0"), TP_STR("dp"), count, &f->run, 1, TP_GROUP_ALL};
        f->rows[r] = (struct tp_step_slots){.host = r < count / 2 ? TP_STR("a") : TP_STR("b"),
                                            .groups = &f->groups[r],
                                            .group_count = 1,
                                            .slots = f->slots,
                                            .slot_count = SLOTS,
                                            .step_count = STEPS};
        for (unsigned p = 0; p < TP_SLOT_PARTS; p++)
            f->rows[r].us[p] = f->us[r][p];
        for (uint32_t s = 0; s < STEPS; s++) {
            f->us[r][TP_SLOT_KERNEL][tp_slot_cell(&f->rows[r], 0, s)] = 10000;
            f->us[r][TP_SLOT_WITHIN][tp_slot_cell(&f->rows[r], 0, s)] = 1000;
            f->us[r][TP_SLOT_PAUSE][tp_slot_cell(&f->rows[r], 1, s)] = 2000;
        }
    }
}

static void make_job(struct fixture *f)
{
    make_job_of_ranks(f, RANKS);
}

static void build_replayed_job(struct fixture *f)
{
    static const uint32_t labels[STEPS] = {7, 8, 9, 10};
    tp_graph_init(&f->graph, &f->arena);
    for (uint32_t r = 0; r < f->count; r++)
        if (!f->is_missing[r])
            tp_graph_add_rank(&f->graph,
                              &(struct tp_graph_source){
                                  .slots = &f->rows[r], .labels = labels, .number = r, .host = f->rows[r].host});
    tp_graph_finish(&f->graph);
    tp_what_if_build(&f->what_if, &f->graph);
    tp_what_if_reject_if_inexact(&f->what_if);
}

static void release_job(struct fixture *f)
{
    tp_arena_release(&f->arena);
}

static const struct tp_cause *cause_at(const struct fixture *f, size_t i)
{
    return TP_AT(&f->what_if.causes, struct tp_cause, i);
}

static void assert_near(double got, double wanted)
{
    if (!(got > wanted - 1e-9 && got < wanted + 1e-9))
        fail_msg("%.12f, not %.12f", got, wanted);
}

static void equal_ranks_have_no_loss(void **state)
{
    static struct fixture f;
    (void)state;
    make_job(&f);
    build_replayed_job(&f);
    assert_null(f.what_if.why_not);
    assert_near(f.what_if.step_us, 13000);
    assert_near(f.what_if.ideal_us, 13000);
    assert_near(f.what_if.error, 0);
    assert_int_equal(f.what_if.causes.count, 0);
    assert_near(f.what_if.jitter, 0);
    release_job(&f);
}

/* Tests a rank 2 that computes 5 ms longer. The other ranks wait for it, so a step takes 18 ms instead of 13 ms. */
static void slow_rank_costs_the_wait_of_the_others(void **state)
{
    static struct fixture f;
    (void)state;
    make_job(&f);
    for (uint32_t r = 0; r < RANKS; r++)
        for (uint32_t s = 0; s < STEPS; s++)
            f.us[r][r == 2 ? TP_SLOT_KERNEL : TP_SLOT_WITHIN][tp_slot_cell(&f.rows[r], 0, s)] += 5000;
    build_replayed_job(&f);
    assert_near(f.what_if.step_us, 18000);
    assert_near(f.what_if.ideal_us, 13000);
    assert_near(f.what_if.error, 0);
    assert_int_equal(f.what_if.causes.count, 1);
    assert_int_equal(cause_at(&f, 0)->kind, TP_CAUSE_COMPUTE);
    assert_int_equal(cause_at(&f, 0)->rank_count, 1);
    assert_int_equal(cause_at(&f, 0)->ranks[0], 2);
    assert_near(cause_at(&f, 0)->share, 100 * 5.0 / 18);
    assert_near(cause_at(&f, 0)->alone, 100 * 5.0 / 18);
    assert_near(f.what_if.jitter, 0);
    release_job(&f);
}

/* Tests pauses of 13 ms: of rank 1 in step 0, and of rank 3 in step 2. Two of four steps take 26 ms. */
static void pauses_are_reported_with_their_number(void **state)
{
    static struct fixture f;
    (void)state;
    make_job(&f);
    for (uint32_t r = 0; r < RANKS; r++)
        for (uint32_t s = 0; s < STEPS; s += 2)
            f.us[r][r == 1 + s ? TP_SLOT_PAUSE : TP_SLOT_WITHIN][tp_slot_cell(&f.rows[r], 0, s)] += 13000;
    build_replayed_job(&f);
    assert_near(f.what_if.step_us, 13000 + 6500);
    assert_int_equal(f.what_if.causes.count, 1);
    assert_int_equal(cause_at(&f, 0)->kind, TP_CAUSE_PAUSES);
    assert_int_equal(cause_at(&f, 0)->cell_count, 2);
    assert_int_equal(cause_at(&f, 0)->rank_count, 2);
    assert_near(cause_at(&f, 0)->least_excess_us, 13000);
    assert_near(cause_at(&f, 0)->share, 100 * 6.5 / 19.5);
    release_job(&f);
}

/* Tests collectives in which every rank spends 3 ms more than in its shortest call, without a cause in the other ranks'
 * work. */
static void replay_that_misses_the_step_is_not_reported(void **state)
{
    static struct fixture f;
    (void)state;
    make_job(&f);
    for (uint32_t s = 0; s < STEPS; s++)
        for (uint32_t r = 0; r < RANKS; r++)
            f.us[r][TP_SLOT_WITHIN][tp_slot_cell(&f.rows[r], 0, s)] += r == s ? 0 : 3000;
    build_replayed_job(&f);
    assert_true(f.what_if.error > TP_MOST_REPLAY_ERROR);
    assert_string_equal(f.what_if.why_not, "the simulated step time differs too much from the measured step time");
    release_job(&f);
}

/* Tests a collective of rank 3 that belongs to another group, so the three other ranks would wait forever. */
static void inconsistent_collectives_are_reported(void **state)
{
    static struct fixture f;
    struct tp_slot other[3] = {{0, 1, 1, 0, true, 0}, {0, 1, 1, 0, true, 0}, {TP_NO_ID, 0, 1, 0, true, 0}};
    (void)state;
    make_job(&f);
    f.rows[3].slots = other;
    f.rows[3].slot_count = 3;
    f.rows[3].step_count = 2; /* the other ranks have four steps */
    build_replayed_job(&f);
    assert_string_equal(f.what_if.why_not, "ranks of one process group have different numbers of collectives");
    release_job(&f);
}

static void position_in_the_group_is_the_coordinate(void **state)
{
    static struct fixture f;
    (void)state;
    make_job(&f);
    build_replayed_job(&f);
    assert_int_equal(f.graph.families.count, 1);
    assert_string_equal(tp_graph_family_at(&f.graph, 0)->name, "dp");
    for (uint32_t r = 0; r < RANKS; r++)
        assert_int_equal(tp_graph_family_at(&f.graph, 0)->coordinate[r], r);
    assert_int_equal(f.graph.pipeline, TP_NO_ID);
    release_job(&f);
}

/* Checks the cause among eight ranks. slow: digits of ranks that take 5 ms more. missing: digits of ranks without
 * data. */
static void assert_cause_of_slow_ranks(const char *slow, const char *missing, enum tp_cause_kind kind,
                                       enum tp_rank_place place, bool is_open)
{
    static struct fixture f;
    uint32_t count = 0;
    make_job_of_ranks(&f, MOST_RANKS);
    for (const char *m = missing; *m; m++)
        f.is_missing[*m - '0'] = true;
    for (uint32_t r = 0; r < MOST_RANKS; r++) {
        bool is_slow = strchr(slow, '0' + (int)r) != NULL;
        count += is_slow && !f.is_missing[r];
        for (uint32_t s = 0; s < STEPS; s++)
            f.us[r][is_slow ? TP_SLOT_KERNEL : TP_SLOT_WITHIN][tp_slot_cell(&f.rows[r], 0, s)] += 5000;
    }
    build_replayed_job(&f);
    assert_null(f.what_if.why_not);
    assert_int_equal(f.graph.missing_rank_count, strlen(missing));
    assert_true(f.what_if.causes.count >= 1);
    uint32_t told = 0;
    for (size_t i = 0; i < f.what_if.causes.count; i++) {
        assert_int_equal(cause_at(&f, i)->kind, kind);
        assert_int_equal(cause_at(&f, i)->place, place);
        assert_int_equal(cause_at(&f, i)->depends_on_missing_ranks, is_open);
        told += cause_at(&f, i)->rank_count;
    }
    assert_int_equal(told, count);
    release_job(&f);
}

/* Tests hosts with ranks 0 to 3 and 4 to 7. A slow level is a group of at least three ranks that are equally slow.
 * Missing ranks can belong to the group. */
static void missing_ranks_change_no_cause(void **state)
{
    (void)state;
    assert_cause_of_slow_ranks("1247", "", TP_CAUSE_SLOW_LEVEL, TP_PLACE_RANKS, false);
    assert_cause_of_slow_ranks("1247", "05", TP_CAUSE_SLOW_LEVEL, TP_PLACE_RANKS, false);
    assert_cause_of_slow_ranks("1247", "27", TP_CAUSE_SLOW_LEVEL, TP_PLACE_RANKS, true);
    /* the slow ranks could also be all ranks of the first host (0 to 3), and rank 7 */
    assert_cause_of_slow_ranks("1237", "0", TP_CAUSE_SLOW_LEVEL, TP_PLACE_RANKS, true);
    assert_cause_of_slow_ranks("4567", "", TP_CAUSE_COMPUTE, TP_PLACE_HOST, false);
    assert_cause_of_slow_ranks("4567", "0", TP_CAUSE_COMPUTE, TP_PLACE_HOST, false);
    assert_cause_of_slow_ranks("4567", "7", TP_CAUSE_COMPUTE, TP_PLACE_HOST, true);
    assert_cause_of_slow_ranks("26", "", TP_CAUSE_COMPUTE, TP_PLACE_RANK, false);
    assert_cause_of_slow_ranks("26", "0", TP_CAUSE_COMPUTE, TP_PLACE_RANK, true);
    assert_cause_of_slow_ranks("2", "6", TP_CAUSE_COMPUTE, TP_PLACE_RANK, false);
    assert_cause_of_slow_ranks("2", "67", TP_CAUSE_COMPUTE, TP_PLACE_RANK, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_ranks_have_no_loss),
        cmocka_unit_test(slow_rank_costs_the_wait_of_the_others),
        cmocka_unit_test(pauses_are_reported_with_their_number),
        cmocka_unit_test(replay_that_misses_the_step_is_not_reported),
        cmocka_unit_test(inconsistent_collectives_are_reported),
        cmocka_unit_test(position_in_the_group_is_the_coordinate),
        cmocka_unit_test(missing_ranks_change_no_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
