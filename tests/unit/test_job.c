/* Tests jobs of many ranks. The planted cause must be the first finding, jobs without a cause must have no findings,
 * and clocks must be aligned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/job/plan.h"
#include "webreport/compare/job/job_build.h"
#include "webreport/document/job/job_document.h"
#include "webreport/print/print.h"

enum { SEEDS = 5 };

struct fixture {
    struct tp_arena arena, scratch;
    struct plan plan;
    struct tp_job job;
    bool cuts_victims; /* true if the traces of the slow ranks end early */
    uint32_t cut_rank; /* a rank whose trace ends early; TP_NO_ID: none */
};

static void make_summary_hostile(struct tp_summary *summary, uint64_t *state);

/* Adds a rank to the job. If `hostile` is not NULL, random numbers replace the numbers of the rank; hostile: state of
 * the random generator. */
static void add_rank_to_job(struct fixture *f, uint32_t rank, uint64_t *hostile)
{
    struct tp_summary summary;
    tp_arena_init(&f->scratch, 0);
    if (setjmp(f->scratch.guard))
        abort();
    plan_fill_summary(&f->plan, rank, &summary, &f->scratch);
    if (hostile)
        make_summary_hostile(&summary, hostile);
    if (rank == f->cut_rank || (f->cuts_victims && plan_is_victim(&f->plan, rank)))
        summary.evidence = (struct tp_input_evidence){.is_known = true, .eof = TP_EOF_CUT};
    tp_job_add_summary(&f->job, &summary);
    tp_arena_release(&f->scratch);
}

static void start_job(struct fixture *f, struct plan plan)
{
    f->plan = plan;
    f->cuts_victims = false;
    f->cut_rank = TP_NO_ID;
    tp_arena_init(&f->arena, 0);
    if (setjmp(f->arena.guard))
        abort();
    plan_simulate(&f->plan, &f->arena);
    tp_job_init(&f->job, &f->arena, TP_STR("planned"), TP_NULL_INT);
}

/* Adds all ranks of the plan except those that are missing, and finishes the job. */
static void finish_job(struct fixture *f)
{
    for (uint32_t r = 0; r < f->plan.ranks; r++)
        if (f->plan.fault != PLAN_MISSING_RANKS || !plan_is_victim(&f->plan, r))
            add_rank_to_job(f, r, NULL);
    tp_job_finish(&f->job);
}

static void build_whole_job(struct fixture *f, struct plan plan)
{
    start_job(f, plan);
    finish_job(f);
}

static void release_job(struct fixture *f)
{
    tp_arena_release(&f->arena);
}

static const struct tp_job_finding *first_finding(const struct tp_job *job)
{
    return job->findings.count ? TP_AT(&job->findings, struct tp_job_finding, 0) : NULL;
}

/* Sizes of jobs: counts of ranks, of ranks per tensor group, of pipeline stages, and of slow ranks. */
static const struct {
    uint32_t ranks, tensor, pipeline, victims;
} layouts[] = {
    {2, 1, 1, 1},    {3, 1, 1, 1},    {4, 1, 1, 1},  {8, 1, 1, 1},   {8, 2, 2, 1},
    {16, 4, 1, 2},   {64, 8, 2, 3},   {64, 1, 1, 5}, {256, 8, 4, 4},
#ifndef __SANITIZE_ADDRESS__ /* large jobs have no other code path, and take half a minute */
    {1000, 2, 1, 9}, {1024, 8, 8, 8},
#endif
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static void print_findings(const struct fixture *f)
{
    print_message("seed %llu, %u ranks (%u x %u), fault %s\n", (unsigned long long)f->plan.seed, f->plan.ranks,
                  f->plan.tensor, f->plan.pipeline, plan_fault_names[f->plan.fault]);
    for (size_t i = 0; i < f->job.findings.count; i++) {
        const struct tp_job_finding *finding = TP_AT(&f->job.findings, struct tp_job_finding, i);
        print_message("  %s. %s\n", finding->title, finding->detail);
    }
}

static struct plan make_plan(uint64_t seed, unsigned layout, enum plan_fault fault)
{
    return (struct plan){.seed = seed,
                         .ranks = layouts[layout].ranks,
                         .tensor = layouts[layout].tensor,
                         .pipeline = layouts[layout].pipeline,
                         .victims = layouts[layout].victims,
                         .steps = 7,
                         .fault = fault};
}

static void clean_job_has_no_findings(void **state)
{
    (void)state;
    for (unsigned l = 0; l < LAYOUTS; l++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct fixture f;
            build_whole_job(&f, make_plan(seed, l, PLAN_CLEAN));
            if (f.job.findings.count)
                print_findings(&f);
            assert_int_equal(f.job.findings.count, 0);
            release_job(&f);
        }
}

/* Checks that the first finding has this rule and names exactly the planted ranks. */
static void assert_first_finding(const struct fixture *f, enum tp_job_rule rule)
{
    const struct tp_job_finding *first = first_finding(&f->job);
    bool is_right = first && first->rule == rule;
    for (uint32_t r = 0; is_right && r < f->plan.ranks; r++)
        is_right = tp_rank_set_has(&first->ranks, r) == plan_is_victim(&f->plan, r);
    if (!is_right)
        print_findings(f);
    assert_true(is_right);
}

/* Returns the sentence about the kernels of the slow rank, from a job in which the trace of `cut` ends early (TP_NO_ID:
 * of no rank). The text is in the arena of `f`. */
static const char *slow_kernels_sentence(struct fixture *f, struct plan plan, uint32_t cut)
{
    start_job(f, plan);
    f->cut_rank = cut;
    finish_job(f);
    for (size_t i = 0; i < f->job.findings.count; i++) {
        const struct tp_job_finding *finding = TP_AT(&f->job.findings, struct tp_job_finding, i);
        const char *sentence = strstr(finding->detail, " The same ");
        if (finding->rule == TP_JOB_SLOW_COMPUTE && sentence)
            return sentence;
    }
    print_findings(f);
    fail_msg("%s", "no finding names the kernels of the slow rank");
    return "";
}

/* Tests that the kernels in a finding are those of the slow rank, also if the trace of an earlier rank is damaged. */
static void kernels_in_a_finding_are_those_of_the_slow_rank(void **state)
{
    struct fixture whole, cut;
    struct plan plan = make_plan(1, 3, PLAN_SLOW_COMPUTE);
    (void)state;
    const char *wanted = slow_kernels_sentence(&whole, plan, TP_NO_ID);
    assert_false(plan_is_victim(&whole.plan, 0));
    const char *found = slow_kernels_sentence(&cut, plan, 0);
    assert_string_equal(found, wanted);
    release_job(&whole);
    release_job(&cut);
}

/* Tests that a slow rank with a damaged trace is reported as damaged, not as slow. */
static void damaged_rank_is_never_reported_as_slow(void **state)
{
    static const enum plan_fault faults[] = {PLAN_SLOW_COMPUTE, PLAN_LATE_HOST, PLAN_SLOW_DATA};
    (void)state;
    for (unsigned l = 0; l < LAYOUTS; l++)
        for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) {
            struct fixture f;
            start_job(&f, make_plan(1, l, faults[i]));
            f.cuts_victims = true;
            finish_job(&f);
            assert_first_finding(&f, TP_JOB_DAMAGED_RANKS);
            if (f.job.findings.count != 1)
                print_findings(&f);
            assert_int_equal(f.job.findings.count, 1);
            release_job(&f);
        }
}

static void planted_stragglers_are_named_first(void **state)
{
    static const enum plan_fault faults[] = {PLAN_SLOW_COMPUTE, PLAN_LATE_HOST, PLAN_SLOW_DATA, PLAN_MORE_WORK,
                                             PLAN_MISSING_RANKS};
    static const enum tp_job_rule rules[] = {TP_JOB_SLOW_COMPUTE, TP_JOB_LATE_HOST, TP_JOB_SLOW_DATA,
                                             TP_JOB_SLOW_COMPUTE, TP_JOB_MISSING_RANKS};
    (void)state;
    for (unsigned l = 0; l < LAYOUTS; l++)
        for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++)
            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                struct fixture f;
                build_whole_job(&f, make_plan(seed, l, faults[i]));
                assert_first_finding(&f, rules[i]);
                assert_int_equal(f.job.findings.count, 1);
                release_job(&f);
            }
}

static void slow_link_is_found_among_similar_groups(void **state)
{
    (void)state;
    for (unsigned l = 0; l < LAYOUTS; l++)
        for (uint64_t seed = 1; seed <= SEEDS && layouts[l].tensor * layouts[l].pipeline >= 4; seed++) {
            struct fixture f;
            struct plan plan = make_plan(seed, l, PLAN_SLOW_LINK);
            plan.victims = 1;
            build_whole_job(&f, plan);
            assert_first_finding(&f, TP_JOB_SLOW_LINK);
            assert_int_equal(f.job.findings.count, 1);
            release_job(&f);
        }
}

static void imbalance_is_distinguished_from_stragglers(void **state)
{
    (void)state;
    for (unsigned l = 2; l < LAYOUTS; l++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct fixture f;
            if (layouts[l].ranks / layouts[l].pipeline < 8)
                continue;
            build_whole_job(&f, make_plan(seed, l, PLAN_IMBALANCE));
            if (!first_finding(&f.job) || first_finding(&f.job)->rule != TP_JOB_IMBALANCE)
                print_findings(&f);
            assert_non_null(first_finding(&f.job));
            assert_int_equal(first_finding(&f.job)->rule, TP_JOB_IMBALANCE);
            release_job(&f);
            build_whole_job(&f, make_plan(seed, l, PLAN_CHANGING_IMBALANCE));
            if (!first_finding(&f.job) || first_finding(&f.job)->rule != TP_JOB_CHANGING_IMBALANCE)
                print_findings(&f);
            assert_non_null(first_finding(&f.job));
            assert_int_equal(first_finding(&f.job)->rule, TP_JOB_CHANGING_IMBALANCE);
            release_job(&f);
        }
}

/* Tests that after alignment, the last call ends on all ranks at the same time, except for differences in the plan. The
 * original clocks differ by up to two hours. */
static void clocks_are_aligned_by_collectives(void **state)
{
    (void)state;
    for (unsigned l = 0; l < LAYOUTS; l++) {
        struct fixture f;
        build_whole_job(&f, make_plan(5, l, PLAN_SLOW_COMPUTE));
        assert_int_equal(f.job.aligned_set_count, 1);
        for (uint32_t r = 0; r < f.plan.ranks; r++) {
            const struct tp_job_rank *rank = tp_job_rank_at(&f.job, r);
            const struct tp_job_call *own = tp_job_call_at(&f.job, rank->first_call + rank->call_count - 1);
            const struct tp_job_rank *zero = tp_job_rank_at(&f.job, 0);
            const struct tp_job_call *its = tp_job_call_at(&f.job, zero->first_call + zero->call_count - 1);
            int64_t apart = own->end_ns + rank->offset_ns - its->end_ns - zero->offset_ns;
            /* the ends are allowed to differ by 20 us; the plan explains up to 4 us of this */
            assert_in_range(apart + 20000, 0, 40000);
        }
        assert_in_range(f.job.largest_residual_ns, f.plan.ranks > 2, 8000);
        release_job(&f);
    }
}

static void the_straggler_arrives_last_and_others_wait(void **state)
{
    struct fixture f;
    (void)state;
    build_whole_job(&f, make_plan(2, 3, PLAN_SLOW_COMPUTE));
    for (uint32_t r = 0; r < f.plan.ranks; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(&f.job, r);
        if (plan_is_victim(&f.plan, r)) {
            assert_in_range(rank->caused_wait_ns, 15000000, 25000000); /* the planted delays add up to about 20 ms */
            assert_true(rank->last_arrival_count >= 7);
        } else {
            assert_in_range(rank->caused_wait_ns, 0, 2000000);
        }
    }
    release_job(&f);
}

static void ranks_of_different_stages_are_not_compared(void **state)
{
    struct fixture f;
    (void)state;
    build_whole_job(&f, make_plan(1, 8, PLAN_CLEAN));
    assert_int_equal(f.job.clusters.count, 4);
    for (size_t c = 0; c < 4; c++)
        assert_int_equal(tp_job_cluster_at(&f.job, c)->rank_count, 64);
    release_job(&f);
}

static void findings_of_ranks_are_merged(void **state)
{
    struct fixture f;
    (void)state;
    build_whole_job(&f, make_plan(1, 4, PLAN_CLEAN));
    assert_int_equal(f.job.merged.count, 1);
    const struct tp_job_merged *merged = TP_AT(&f.job.merged, struct tp_job_merged, 0);
    assert_string_equal(tp_rank_set_text(&f.arena, &merged->ranks, 0), "1,5");
    assert_int_equal(merged->worst_rank, 5);
    release_job(&f);
}

/* Returns a number that a hostile file could contain: an extreme, a contradiction, or the key of another call. */
static int64_t hostile_number(uint64_t *state)
{
    static const int64_t numbers[] = {0,         1,          -1,      INT64_MAX,     INT64_MIN, INT64_MIN + 1,
                                      INT32_MAX, UINT32_MAX, 1000000, 5000000000000, 7,         -1000000};
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return numbers[(*state >> 33) % (sizeof numbers / sizeof *numbers)];
}

static void make_summary_hostile(struct tp_summary *summary, uint64_t *state)
{
    summary->key.world_size = hostile_number(state);
    for (uint32_t i = 0; i < summary->step_count; i++) {
        summary->steps[i].total_ns = hostile_number(state);
        for (unsigned p = 0; p < TP_PART_COUNT; p++)
            summary->steps[i].part_ns[p] = hostile_number(state);
    }
    for (uint32_t i = 0; i < summary->collective_count; i++) {
        struct tp_summary_collective *call = &summary->collectives[i];
        call->sequence = hostile_number(state);
        call->bytes = hostile_number(state);
        call->arrival_ns = hostile_number(state);
        call->duration_ns = hostile_number(state);
        call->group_size = i % 3 ? call->group_size : hostile_number(state);
        call->step = (uint32_t)hostile_number(state);
    }
    for (uint32_t i = 0; i < summary->row_count; i++) {
        summary->rows[i].time.count = hostile_number(state) & INT64_MAX;
        summary->rows[i].time.sum_ns = hostile_number(state);
    }
    for (uint32_t i = 0; i < summary->finding_count; i++)
        summary->findings[i].occurrences = hostile_number(state);
    summary->kernel_fingerprint = (uint64_t)hostile_number(state);
}

/* Computes and prints all results of hostile numbers, which must not crash. */
static void hostile_numbers_do_not_crash(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct fixture f;
        uint64_t chance = seed;
        struct tp_document document;
        struct tp_buf out;
        start_job(&f, make_plan(seed, 5, PLAN_CLEAN));
        for (uint32_t r = 0; r < f.plan.ranks; r++)
            add_rank_to_job(&f, r, seed % 4 ? &chance : NULL);
        tp_job_finish(&f.job);
        struct tp_jobs jobs = {.items = &f.job, .count = 1};
        tp_job_document(&document, &jobs, false, NULL, &f.arena);
        tp_print *const formats[] = {tp_print_html, tp_print_json, tp_print_markdown, tp_print_text};
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            tp_buf_init(&out, 0);
            assert_int_equal(formats[i](&out, &document, &(struct tp_print_options){.has_details = true}, NULL), 0);
            assert_int_equal(out.failed, 0);
            assert_true(out.size > 100);
            tp_buf_release(&out);
        }
        release_job(&f);
    }
}

static unsigned word_count(const char *text)
{
    unsigned count = 0;
    for (size_t i = 0; text[i]; i++)
        count += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    return count;
}

/* Tests that the headline of a job names its cause, and that the largest avoidable segment of the bar has the same
 * color and comes from the same finding. Small jobs have lanes, large ones columns. */
static void headline_and_bar_of_a_job_have_the_same_cause(void **state)
{
    static const struct {
        enum plan_fault fault;
        uint32_t ranks;
        const char *headline, *look, *picture;
    } cases[] = {
        {PLAN_SLOW_COMPUTE, 8, " slower and holds up the other 7: compare ", "comm", "class=\"lanes fig wide\""},
        {PLAN_LATE_HOST, 32, "is late on the CPU and holds up the other 31: check", "comm", "Own work per step"},
        {PLAN_SLOW_LINK, 32, " of each step are lost to ", "comm2", "Own work per step"}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        struct tp_document document;
        struct tp_buf page;
        struct plan plan = {.seed = 1,
                            .ranks = cases[i].ranks,
                            .tensor = cases[i].ranks > 8 ? 8 : 1,
                            .pipeline = 1,
                            .victims = 1,
                            .steps = 7,
                            .fault = cases[i].fault};
        start_job(&f, plan);
        finish_job(&f);
        struct tp_jobs jobs = {.items = &f.job, .count = 1};
        tp_job_document(&document, &jobs, false, NULL, &f.arena);
        const struct tp_verdict_block *verdict = &tp_document_block_at(&document, 1)->verdict;
        if (!strstr(verdict->headline, cases[i].headline))
            fail_msg("%s", verdict->headline);
        assert_in_range(word_count(verdict->headline), 5, 28); /* a number and its unit count twice here */
        assert_int_equal(verdict->mark_count, 1);
        assert_string_equal(verdict->marks[0].look, cases[i].look);
        tp_buf_init(&page, 0);
        assert_int_equal(tp_print_html(&page, &document, &(struct tp_print_options){0}, NULL), TP_OK);
        const char *avoidable = strstr(page.data, "data-avoidable=\"1\""), *segment = avoidable;
        assert_non_null(avoidable);
        while (strncmp(segment, "data-cause=\"", 12) != 0)
            segment--;
        assert_int_equal(strncmp(segment + 12, cases[i].look, strlen(cases[i].look)), 0);
        assert_non_null(strstr(page.data, cases[i].picture));
        tp_buf_release(&page);
        release_job(&f);
    }
}

/* Tests a job of two halves that share no collective. Rank 0 shares none with any rank. */
static void ranks_without_common_collectives_are_separate_parts(void **state)
{
    struct fixture f;
    struct tp_summary summary;
    (void)state;
    start_job(&f, make_plan(1, 6, PLAN_CLEAN));
    for (uint32_t r = 0; r < f.plan.ranks; r++) {
        plan_fill_summary(&f.plan, r, &summary, &f.arena);
        uint32_t kept = 0;
        for (uint32_t i = 0; i < summary.collective_count && r > 0; i++)
            if (tp_str_starts(summary.collectives[i].group, "tensor"))
                summary.collectives[kept++] = summary.collectives[i];
        summary.collective_count = kept;
        tp_job_add_summary(&f.job, &summary);
    }
    tp_job_finish(&f.job);
    assert_int_equal(f.job.aligned_set_count, 8); /* 64 ranks form 8 tensor groups */
    assert_int_equal(tp_job_rank_at(&f.job, 0)->component, TP_NO_ID);
    assert_int_equal(tp_job_rank_at(&f.job, 1)->component, tp_job_rank_at(&f.job, 7)->component);
    assert_int_not_equal(tp_job_rank_at(&f.job, 7)->component, tp_job_rank_at(&f.job, 8)->component);
    release_job(&f);
}

static void rank_sets_are_written_as_ranges(void **state)
{
    struct tp_arena arena;
    struct tp_rank_set set;
    static const int64_t numbers[] = {0, 1, 1, 2, 3, 7, 9, 10};
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        abort();
    tp_rank_set_init(&set, &arena);
    assert_string_equal(tp_rank_set_text(&arena, &set, 0), "");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        tp_rank_set_add(&set, numbers[i]);
    assert_string_equal(tp_rank_set_text(&arena, &set, 0), "0-3,7,9-10");
    assert_string_equal(tp_rank_set_text(&arena, &set, 2), "0-3, 7, \xe2\x80\xa6 (7 in all)");
    assert_string_equal(tp_rank_set_text(&arena, &set, 9), "0-3, 7, 9-10"); /* the text has spaces after commas, for
                                                                             * people */
    assert_int_equal(set.count, 7);
    assert_true(tp_rank_set_has(&set, 9));
    assert_false(tp_rank_set_has(&set, 8));
    assert_false(tp_rank_set_has(&set, 11));
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_sets_are_written_as_ranges),
        cmocka_unit_test(clean_job_has_no_findings),
        cmocka_unit_test(kernels_in_a_finding_are_those_of_the_slow_rank),
        cmocka_unit_test(damaged_rank_is_never_reported_as_slow),
        cmocka_unit_test(planted_stragglers_are_named_first),
        cmocka_unit_test(slow_link_is_found_among_similar_groups),
        cmocka_unit_test(imbalance_is_distinguished_from_stragglers),
        cmocka_unit_test(clocks_are_aligned_by_collectives),
        cmocka_unit_test(the_straggler_arrives_last_and_others_wait),
        cmocka_unit_test(ranks_of_different_stages_are_not_compared),
        cmocka_unit_test(findings_of_ranks_are_merged),
        cmocka_unit_test(headline_and_bar_of_a_job_have_the_same_cause),
        cmocka_unit_test(ranks_without_common_collectives_are_separate_parts),
        cmocka_unit_test(hostile_numbers_do_not_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
