/* make_job OUT RANKS [TENSOR [PIPELINE [FAULT [VICTIMS [STEPS [ROWS [SEED]]]]]]]: writes the summaries of a simulated
 * job.
 *
 * If OUT ends in "/", it becomes a folder with a file per rank, otherwise one file with all ranks. FAULT is a name in
 * plan_fault_names. Prints the seed and the ranks with the fault. Missing ranks have no file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/job/plan.h"
#include "webreport/measure/summary/summary_file.h"

static void exit_with_error(const char *what)
{
    fprintf(stderr, "make_job: %s\n", what);
    exit(2);
}

static void write_file(const char *path, const struct tp_summary_set *set)
{
    struct tp_buf out;
    FILE *file = fopen(path, "wb");
    tp_buf_init(&out, 0);
    if (!file || tp_summary_set_write(set, &out, NULL) < 0 || fwrite(out.data, 1, out.size, file) != out.size ||
        fclose(file))
        exit_with_error("cannot write");
    tp_buf_release(&out);
}

/* Fills the summary of one rank and adds it to the set. */
static void add_rank_to_set(const struct plan *plan, uint32_t rank, struct tp_summary_set *set)
{
    struct tp_arena scratch;
    struct tp_summary summary;
    tp_arena_init(&scratch, 0);
    if (setjmp(scratch.guard))
        exit_with_error("out of memory");
    plan_fill_summary(plan, rank, &summary, &scratch);
    if (tp_summary_set_add(set, &summary, NULL) < 0)
        exit_with_error("cannot pack");
    tp_arena_release(&scratch);
}

static void make_rank_file(const struct plan *plan, uint32_t rank, const char *folder)
{
    struct tp_arena arena;
    struct tp_summary_set set;
    char path[4096];
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        exit_with_error("out of memory");
    tp_summary_set_init(&set, &arena);
    add_rank_to_set(plan, rank, &set);
    snprintf(path, sizeof path, "%srank%05u.tps", folder, rank);
    write_file(path, &set);
    tp_arena_release(&arena);
}

static void make_folder(const struct plan *plan, const char *folder)
{
    for (uint32_t r = 0; r < plan->ranks; r++)
        if (plan->fault != PLAN_MISSING_RANKS || !plan_is_victim(plan, r))
            make_rank_file(plan, r, folder);
}

static void make_file_of_all_ranks(const struct plan *plan, const char *path, struct tp_arena *arena)
{
    struct tp_summary_set set;
    tp_summary_set_init(&set, arena);
    for (uint32_t r = 0; r < plan->ranks; r++)
        if (plan->fault != PLAN_MISSING_RANKS || !plan_is_victim(plan, r))
            add_rank_to_set(plan, r, &set);
    write_file(path, &set);
}

static uint32_t number_argument(int argc, char **argv, int i, uint32_t otherwise)
{
    return argc > i ? (uint32_t)strtoul(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    struct tp_arena arena;
    struct plan plan = {.ranks = number_argument(argc, argv, 2, 0),
                        .tensor = number_argument(argc, argv, 3, 1),
                        .pipeline = number_argument(argc, argv, 4, 1),
                        .victims = number_argument(argc, argv, 6, 1),
                        .steps = number_argument(argc, argv, 7, 7),
                        .rows = number_argument(argc, argv, 8, 0),
                        .seed = number_argument(argc, argv, 9, 1)};
    if (argc < 3 || !plan.ranks || !plan.tensor || !plan.pipeline || plan.ranks % (plan.tensor * plan.pipeline))
        exit_with_error("OUT RANKS [TENSOR [PIPELINE [FAULT [VICTIMS [STEPS [ROWS [SEED]]]]]]]");
    while (argc > 5 && plan.fault < PLAN_FAULTS && strcmp(plan_fault_names[plan.fault], argv[5]) != 0)
        plan.fault++;
    if (plan.fault == PLAN_FAULTS)
        exit_with_error("no such fault");
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        exit_with_error("out of memory");
    plan_simulate(&plan, &arena);
    printf("seed %llu, victims", (unsigned long long)plan.seed);
    for (uint32_t r = 0; r < plan.ranks; r++)
        if (plan_is_victim(&plan, r))
            printf(" %u", r);
    printf("\nloss %.3f\n", plan.loss_percent);
    if (argv[1][strlen(argv[1]) - 1] == '/')
        make_folder(&plan, argv[1]);
    else
        make_file_of_all_ranks(&plan, argv[1], &arena);
    tp_arena_release(&arena);
    return 0;
}
