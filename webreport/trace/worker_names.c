/* Makes equal worker names of a run different: see worker_names.h. */
#include "webreport/trace/worker_names.h"

#include <stdarg.h>
#include <stdio.h>

#include "webreport/trace/file_head.h"
#include "writer/base/limits.h"

/* Returns the worker name with a suffix, in `arena`. */
__attribute__((format(printf, 3, 4))) static struct tp_str add_suffix(struct tp_arena *arena, struct tp_str worker,
                                                                      const char *format, ...)
{
    char suffix[32];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(suffix, sizeof suffix, format, args);
    va_end(args);
    char *text = tp_arena_alloc(arena, worker.len + (size_t)size + 1);
    memcpy(text, worker.ptr, worker.len);
    memcpy(text + worker.len, suffix, (size_t)size + 1);
    return (struct tp_str){text, worker.len + (size_t)size};
}

/* Returns the end of the files with the same worker name as files[first]. */
static size_t end_of_worker(const struct tp_run *run, size_t first)
{
    size_t end = first + 1;
    while (end < run->file_count && tp_str_equal(run->files[first].worker, run->files[end].worker))
        end++;
    return end;
}

/* Returns whether the files [first, end) of one worker name may belong to several processes. */
static bool may_be_several(const struct tp_run *run, size_t first, size_t end)
{
    const struct tp_run_file *file = &run->files[first];
    return end - first > 1 && !tp_run_file_has_helper_name(file) && !tp_str_ends(file->worker, TP_WORKER_SECOND);
}

static void add_ranks(struct tp_arena *arena, struct tp_run_file *files, size_t count)
{
    int64_t *ranks = tp_arena_array(arena, count, sizeof *ranks), known = -1;
    bool is_one_rank = true;
    for (size_t i = 0; i < count; i++) {
        int64_t rank = ranks[i] = tp_file_head_rank(files[i].path);
        is_one_rank &= rank < 0 || known < 0 || rank == known;
        known = rank < 0 ? known : rank;
    }
    for (size_t i = 0; i < count && !is_one_rank; i++)
        if (ranks[i] >= 0)
            files[i].worker = add_suffix(arena, files[i].worker, " (rank %lld)", (long long)ranks[i]);
}

void tp_worker_names_add_ranks(struct tp_run *run, struct tp_arena *arena)
{
    for (size_t i = 0, end; i < run->file_count; i = end) {
        end = end_of_worker(run, i);
        if (may_be_several(run, i, end))
            add_ranks(arena, run->files + i, end - i);
    }
}

static void separate_files(struct tp_run_file *files, size_t count, struct tp_runs *found, struct tp_arena *arena)
{
    int64_t last_end_ns[TP_MAX_OVERLAPPING_FILES]; /* end of the last recording of each new worker */
    struct tp_str worker = files[0].worker;
    struct tp_file_times own, before = {0};
    size_t worker_count = 0;
    for (size_t i = 0; i < count; i++, before = own) {
        size_t number = 0;
        if (!tp_file_head_times(&own, files[i].path) || (i && own.checksum == before.checksum))
            continue;
        while (number < worker_count && own.start_ns < last_end_ns[number])
            number++;
        if (number == TP_MAX_OVERLAPPING_FILES)
            continue;
        worker_count += number == worker_count;
        last_end_ns[number] = own.end_ns;
        if (number == 0)
            continue;
        files[i].worker = add_suffix(arena, worker, "#%zu", number + 1);
        if (found && found->overlapping_count++ == 0)
            found->first_overlapping_worker = worker;
    }
}

void tp_worker_names_separate(struct tp_run *run, struct tp_runs *found, struct tp_arena *arena)
{
    for (size_t i = 0, end; i < run->file_count; i = end) {
        end = end_of_worker(run, i);
        if (may_be_several(run, i, end) && run->files[i].time.ptr)
            separate_files(run->files + i, end - i, found, arena);
    }
}
