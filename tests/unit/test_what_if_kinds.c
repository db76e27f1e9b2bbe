/* Tests each kind of cause with jobs of eight ranks. Expected numbers are counted by hand from the times in each
 * test. */
#include "webreport/compare/replay/graph_build.h"
#include "webreport/compare/replay/what_if_build.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { RANKS = 8, STEPS = 4, SLOTS = 3, TP = 2 };

struct fixture {
    struct tp_arena arena;
    struct tp_graph graph;
    struct tp_what_if what_if;
    struct tp_step_slots rows[RANKS];
    struct tp_slot slots[RANKS][SLOTS];
    struct tp_slot_group groups[RANKS][2];
    struct tp_rank_stride runs[RANKS][2];
    int64_t us[RANKS][TP_SLOT_PARTS][SLOTS * STEPS];
    uint32_t slot_count;
};

static int64_t *slot_time_of_rank(struct fixture *f, uint32_t rank, enum tp_slot_part part, uint32_t slot,
                                  uint32_t step)
{
    return &f->us[rank][part][tp_slot_cell(&f->rows[rank], slot, step)];
}

static void make_slots_of_rank(struct fixture *f, uint32_t rank)
{
    struct tp_step_slots *row = &f->rows[rank];
    *row = (struct tp_step_slots){.host = rank < 4 ? TP_STR("a") : TP_STR("b"),
                                  .groups = f->groups[rank],
                                  .group_count = f->slot_count - 1,
                                  .slots = f->slots[rank],
                                  .slot_count = f->slot_count,
                                  .step_count = STEPS};
    for (unsigned p = 0; p < TP_SLOT_PARTS; p++)
        row->us[p] = f->us[rank][p];
    for (uint32_t k = 0; k < f->slot_count; k++)
        f->slots[rank][k] =
            (struct tp_slot){k + 1 < f->slot_count ? k : TP_NO_ID, k + 1 < f->slot_count, 1, 0, true, 0};
}

/* Makes hosts of four ranks each. Without `has_tp`, all ranks form one group. With `has_tp`, pairs of neighbors form tp
 * groups, and dp groups connect the pairs. */
static void make_job(struct fixture *f, bool has_tp)
{
    *f = (struct fixture){.slot_count = has_tp ? 3 : 2};
    tp_arena_init(&f->arena, 0);
    if (setjmp(f->arena.guard))
        fail();
    for (uint32_t r = 0; r < RANKS; r++) {
        f->runs[r][0] = has_tp ? (struct tp_rank_stride){r - r % TP, 1, TP} : (struct tp_rank_stride){0, 1, RANKS};
        f->runs[r][1] = (struct tp_rank_stride){r % TP, TP, RANKS / TP};
        f->groups[r][0] = (struct tp_slot_group){
            TP_STR("0"), has_tp ? TP_STR("tp") : TP_STR("dp"), has_tp ? TP : RANKS, &f->runs[r][0], 1, TP_GROUP_ALL};
        f->groups[r][1] =
            (struct tp_slot_group){TP_STR("1"), TP_STR("dp"), RANKS / TP, &f->runs[r][1], 1, TP_GROUP_ALL};
        make_slots_of_rank(f, r);
    }
}

/* Returns the time from the start of the step to the rank's arrival at the collective of this slot, ns. */
static int64_t arrival_ns(struct fixture *f, uint32_t rank, uint32_t slot, uint32_t step)
{
    int64_t at = 0;
    for (uint32_t k = 0; k <= slot; k++) {
        at += *slot_time_of_rank(f, rank, TP_SLOT_KERNEL, k, step);
        if (k < slot)
            at += *slot_time_of_rank(f, rank, TP_SLOT_WITHIN, k, step);
    }
    return at;
}

static bool is_rank_in_group(const struct tp_rank_stride *run, int64_t rank)
{
    int64_t place = rank - run->first;
    return place >= 0 && place % run->stride == 0 && place / run->stride < run->length;
}

/* Makes each collective of the slot end `transfer_us` after the last rank of its group has arrived. */
static void set_collective_end_times(struct fixture *f, uint32_t slot, int64_t transfer_us)
{
    for (uint32_t s = 0; s < STEPS; s++)
        for (uint32_t r = 0; r < RANKS; r++) {
            int64_t last = 0;
            for (uint32_t o = 0; o < RANKS; o++)
                if (is_rank_in_group(&f->runs[r][slot], o) && arrival_ns(f, o, slot, s) > last)
                    last = arrival_ns(f, o, slot, s);
            *slot_time_of_rank(f, r, TP_SLOT_WITHIN, slot, s) = last - arrival_ns(f, r, slot, s) + transfer_us;
        }
}

static void build_replayed_job(struct fixture *f)
{
    static const uint32_t labels[STEPS] = {7, 8, 9, 10};
    tp_graph_init(&f->graph, &f->arena);
    for (uint32_t r = 0; r < RANKS; r++)
        tp_graph_add_rank(&f->graph, &(struct tp_graph_source){
                                         .slots = &f->rows[r], .labels = labels, .number = r, .host = f->rows[r].host});
    tp_graph_finish(&f->graph);
    tp_what_if_build(&f->what_if, &f->graph);
    assert_null(f->what_if.why_not);
    assert_true(f->what_if.error < 1e-9);
}

static const struct tp_cause *cause_at(const struct fixture *f, size_t i)
{
    return TP_AT(&f->what_if.causes, struct tp_cause, i);
}

static void assert_near(double got, double wanted)
{
    if (!(fabs(got - wanted) < 1e-9))
        fail_msg("%.12f, not %.12f", got, wanted);
}

/* Makes one group of all ranks. Each step has 10 ms plus added_us[rank] of kernels, then a collective of
 * transfer_us. */
static void make_ddp_job(struct fixture *f, const int64_t added_us[RANKS], int64_t transfer_us)
{
    make_job(f, false);
    for (uint32_t r = 0; r < RANKS; r++)
        for (uint32_t s = 0; s < STEPS; s++)
            *slot_time_of_rank(f, r, TP_SLOT_KERNEL, 0, s) = 10000 + added_us[r];
    set_collective_end_times(f, 0, transfer_us);
    build_replayed_job(f);
}

/* Tests four of eight ranks, on both hosts, that take 2 ms more. A step takes 13 ms instead of 11 ms. */
static void half_of_the_ranks_form_a_slow_level(void **state)
{
    static struct fixture f;
    (void)state;
    make_ddp_job(&f, (const int64_t[]){2000, 0, 0, 2000, 0, 2000, 2000, 0}, 1000);
    assert_int_equal(f.what_if.causes.count, 1);
    assert_int_equal(cause_at(&f, 0)->kind, TP_CAUSE_SLOW_LEVEL);
    assert_int_equal(cause_at(&f, 0)->rank_count, 4);
    assert_int_equal(cause_at(&f, 0)->ranks[2], 5);
    assert_near(cause_at(&f, 0)->share, 100 * 2.0 / 13);
    assert_near(f.what_if.jitter, 0);
    tp_arena_release(&f.arena);
}

/* Tests that the host is the cause if all four ranks of one host are slow. Otherwise two or three slow ranks are the
 * cause. */
static void host_and_single_ranks_form_no_level(void **state)
{
    static struct fixture f;
    (void)state;
    make_ddp_job(&f, (const int64_t[]){0, 0, 0, 0, 2000, 2000, 2000, 2000}, 1000);
    assert_int_equal(f.what_if.causes.count, 1);
    assert_int_equal(cause_at(&f, 0)->kind, TP_CAUSE_COMPUTE);
    assert_int_equal(cause_at(&f, 0)->place, TP_PLACE_HOST);
    assert_near(cause_at(&f, 0)->share, 100 * 2.0 / 13);
    tp_arena_release(&f.arena);
    make_ddp_job(&f, (const int64_t[]){0, 2000, 0, 0, 0, 2000, 0, 0}, 1000);
    assert_int_equal(f.what_if.causes.count, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(cause_at(&f, i)->place, TP_PLACE_RANK);
    tp_arena_release(&f.arena);
    make_ddp_job(&f, (const int64_t[]){0, 1000, 0, 0, 0, 4000, 7000, 0}, 1000);
    assert_int_equal(f.what_if.causes.count, 3);
    assert_int_equal(cause_at(&f, 0)->place, TP_PLACE_RANK);
    assert_int_equal(cause_at(&f, 0)->ranks[0], 6);
    tp_arena_release(&f.arena);
}

/* Tests a single group, which cannot be compared with others. It is reported only if it takes a quarter of the time or
 * more, without a place as the cause. */
static void only_group_is_reported_by_its_cost(void **state)
{
    static struct fixture f;
    static const int64_t none[RANKS];
    (void)state;
    make_ddp_job(&f, none, 3000); /* the collective takes 3 of 13 ms */
    assert_int_equal(f.what_if.causes.count, 0);
    tp_arena_release(&f.arena);
    make_ddp_job(&f, none, 10000); /* the collective takes 10 of 20 ms */
    assert_int_equal(f.what_if.causes.count, 1);
    assert_int_equal(cause_at(&f, 0)->kind, TP_CAUSE_ALL_LINKS);
    assert_int_equal(cause_at(&f, 0)->group_count, 1);
    assert_int_equal(cause_at(&f, 0)->rank_count, RANKS);
    assert_near(cause_at(&f, 0)->alone, 50);
    assert_near(cause_at(&f, 0)->excess_us, 10000);
    assert_near(cause_at(&f, 0)->share, 0);
    tp_arena_release(&f.arena);
}

/* Tests a second host that leaves the collective 3 ms later than the first one. The first step shows this, because all
 * ranks arrive together. In later steps, the first host waits and all calls take equally long. Without such a first
 * step, the cause is not known. */
static void late_host_is_named_if_visible(void **state)
{
    static struct fixture f;
    (void)state;
    for (int64_t shows = 0; shows < 2; shows++) {
        make_job(&f, false);
        for (uint32_t r = 0; r < RANKS; r++)
            for (uint32_t s = 0; s < STEPS; s++) {
                *slot_time_of_rank(&f, r, TP_SLOT_KERNEL, 0, s) = 10000;
                *slot_time_of_rank(&f, r, TP_SLOT_WITHIN, 0, s) = s == 0 && r < 4 && shows ? 1000 : 4000;
            }
        build_replayed_job(&f);
        assert_int_equal(f.what_if.causes.count, 1);
        assert_int_equal(cause_at(&f, 0)->kind, shows ? TP_CAUSE_LINK : TP_CAUSE_ALL_LINKS);
        assert_int_equal(cause_at(&f, 0)->rank_count, shows ? 4 : RANKS);
        if (shows) {
            assert_int_equal(cause_at(&f, 0)->place, TP_PLACE_HOST);
            assert_int_equal(cause_at(&f, 0)->ranks[0], 4);
            assert_near(cause_at(&f, 0)->share, 100 * 3.0 / 14);
        }
        tp_arena_release(&f.arena);
    }
}

/* Tests that with two equal dp groups, 3 of 13 ms in collectives are normal, unless the transfer rate is known to be
 * low. */
static void equal_groups_are_reported_by_cost_and_rate(void **state)
{
    /* transfer rates of 42 GB/s and 21 GB/s; the last size is limited by latency */
    static const int64_t moved[] = {0, 3 * 40 << 20, 3 * 20 << 20, 1 << 20};
    static struct fixture f;
    (void)state;
    for (unsigned i = 0; i < sizeof moved / sizeof *moved; i++) {
        make_job(&f, true);
        for (uint32_t r = 0; r < RANKS; r++) {
            for (uint32_t s = 0; s < STEPS; s++)
                *slot_time_of_rank(&f, r, TP_SLOT_KERNEL, 0, s) = 10000;
            f.slots[r][1].moved_bytes = moved[i];
        }
        set_collective_end_times(&f, 0, 0);
        set_collective_end_times(&f, 1, 3000);
        build_replayed_job(&f);
        assert_int_equal(f.what_if.causes.count, i == 2);
        if (i == 2) {
            assert_int_equal(cause_at(&f, 0)->kind, TP_CAUSE_ALL_LINKS);
            assert_int_equal(cause_at(&f, 0)->group_count, 2);
            assert_near(cause_at(&f, 0)->alone, 100 * 3.0 / 13);
            assert_near(cause_at(&f, 0)->rate_gb_s, (3 * 20 << 20) / 3e6);
        }
        tp_arena_release(&f.arena);
    }
}

/* Tests two replicas that have longer batches in all steps. With even batches, each replica would take the mean
 * time. */
static void uneven_batches_of_two_levels_have_one_mean(void **state)
{
    static const int64_t lengths[RANKS / TP][2] = {{8000, 9000}, {9000, 8000}, {12000, 14000}, {14000, 12000}};
    static struct fixture f;
    (void)state;
    make_job(&f, true);
    for (uint32_t r = 0; r < RANKS; r++)
        for (uint32_t s = 0; s < STEPS; s++)
            *slot_time_of_rank(&f, r, TP_SLOT_KERNEL, 0, s) = lengths[r / TP][s % 2];
    set_collective_end_times(&f, 0, 500);
    set_collective_end_times(&f, 1, 1000);
    build_replayed_job(&f);
    assert_near(f.what_if.step_us, 14000 + 1500);
    assert_near(f.what_if.ideal_us, 10750 + 1500);
    assert_int_equal(cause_at(&f, 0)->kind, TP_CAUSE_SEQUENCE);
    assert_near(cause_at(&f, 0)->share, 100 * (14000.0 - 10750) / 15500);
    assert_near(f.what_if.jitter, 0);
    tp_arena_release(&f.arena);
}

/* Tests replicas of two ranks each. In each step two batches take 10 ms, one 8 ms and one 12 ms, in turns. In addition,
 * one rank of each pair takes 0.4 ms more, and in the next step the other rank. Batches are evened out by the time of
 * both ranks, so the slower rank still exceeds the mean. This difference is jitter. */
static void differences_inside_of_batches_are_jitter(void **state)
{
    static const int64_t lengths[] = {8000, 10000, 12000, 10000};
    static struct fixture f;
    (void)state;
    make_job(&f, true);
    for (uint32_t r = 0; r < RANKS; r++)
        for (uint32_t s = 0; s < STEPS; s++)
            *slot_time_of_rank(&f, r, TP_SLOT_KERNEL, 0, s) = lengths[(r / TP + s) % 4] + ((r + s) % TP ? 400 : 0);
    set_collective_end_times(&f, 0, 500);
    set_collective_end_times(&f, 1, 1000);
    build_replayed_job(&f);
    double real = 12400 + 1500, evened = 8400 * 10200.0 / 8200 + 1500; /* the shortest batch is stretched most */
    assert_near(f.what_if.step_us, real);
    assert_near(f.what_if.ideal_us, 10200 + 1500);
    assert_int_equal(f.what_if.causes.count, 1);
    assert_int_equal(cause_at(&f, 0)->kind, TP_CAUSE_SEQUENCE);
    assert_near(cause_at(&f, 0)->share, 100 * (real - evened) / real);
    assert_near(cause_at(&f, 0)->alone, 100 * (12200.0 - 10200) / real);
    assert_near(f.what_if.jitter, 100 * (evened - 11700) / real);
    tp_arena_release(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_of_the_ranks_form_a_slow_level),
        cmocka_unit_test(host_and_single_ranks_form_no_level),
        cmocka_unit_test(only_group_is_reported_by_its_cost),
        cmocka_unit_test(late_host_is_named_if_visible),
        cmocka_unit_test(equal_groups_are_reported_by_cost_and_rate),
        cmocka_unit_test(uneven_batches_of_two_levels_have_one_mean),
        cmocka_unit_test(differences_inside_of_batches_are_jitter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
