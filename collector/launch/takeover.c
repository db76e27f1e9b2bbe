/* Converts the files that a run has left behind into traces: see takeover.h. A file whose name ends in .tmp was
 * incomplete when its process exited. A partial trace of PyTorch becomes a trace whose name ends in _cut, because
 * PyTorch cannot make it again. The other .tmp files are notes and are deleted. */
#include "collector/launch/takeover.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/launch/processes.h"
#include "collector/launch/run_file.h"
#include "writer/base/str.h"
#include "writer/spool/spool_read.h"
#include "writer/worker.h"

struct work {
    struct tp_takeover *takeover;
    struct tp_run_file *files; /* all files of the run, sorted by name */
    size_t count;
    void (*stage)(struct work *work, struct tp_run_file *file);
    pthread_mutex_t lock; /* protects the members below */
    size_t next, done_count;
    uint64_t done_bytes, bytes;
};

/* ---- progress ---- */

/* Reports the progress of the takeover. The calling thread must have locked work->lock. */
static void report_progress(const struct work *work, const struct tp_run_file *file)
{
    const struct tp_takeover *t = work->takeover;
    if (t->progress && work->done_count < work->count)
        t->progress(t->context, &(struct tp_takeover_progress){file->base, work->done_count, work->count,
                                                               work->done_bytes, work->bytes});
}

struct watched {
    struct work *work;
    struct tp_run_file *file;
};

static void on_bytes_processed(void *context, uint64_t bytes)
{
    const struct watched *watched = context;
    struct work *work = watched->work;
    struct tp_run_file *file = watched->file;
    uint64_t left = file->size_bytes - file->converted_bytes;
    bytes = bytes < left ? bytes : left;
    pthread_mutex_lock(&work->lock);
    file->converted_bytes += bytes;
    work->done_bytes += bytes;
    report_progress(work, file);
    pthread_mutex_unlock(&work->lock);
}

/* ---- threads ---- */

/* Processes files until all files are processed. Chooses in each pass the next file that no thread has taken. */
static void *run_stage_on_next_files(void *context)
{
    struct work *work = context;
    pthread_mutex_lock(&work->lock);
    while (work->next < work->count) {
        struct tp_run_file *file = &work->files[work->next++];
        pthread_mutex_unlock(&work->lock);
        work->stage(work, file);
        pthread_mutex_lock(&work->lock);
        work->done_count++;
        work->done_bytes += file->size_bytes - file->converted_bytes;
        report_progress(work, file);
    }
    pthread_mutex_unlock(&work->lock);
    return NULL;
}

/* Runs a stage for all files, on as many threads as are useful. */
static void run_stage_on_all_files(struct work *work, void (*stage)(struct work *work, struct tp_run_file *file))
{
    pthread_t threads[TP_TAKEOVER_THREADS];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t more = 0, most = processors > 0 ? (size_t)processors : 1;
    most = most > TP_TAKEOVER_THREADS ? TP_TAKEOVER_THREADS : most;
    work->stage = stage;
    work->next = work->done_count = 0;
    work->done_bytes = 0;
    while (more + 1 < most && more + 1 < work->count &&
           pthread_create(&threads[more], NULL, run_stage_on_next_files, work) == 0)
        more++;
    run_stage_on_next_files(work);
    while (more > 0)
        pthread_join(threads[--more], NULL);
}

/* ---- classifying the files ---- */

static void remove_file_in_folder(const char *folder, const char *base)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, base) < (int)sizeof path)
        unlink(path);
}

/* Fills work->files. Returns false when memory is short. */
static bool open_files(struct work *work, struct dirent *const *names, int count)
{
    const char *folder = work->takeover->folder;
    work->files = calloc((size_t)count + 1, sizeof *work->files);
    for (int i = 0; work->files && i < count; i++) {
        struct tp_run_file *file = &work->files[work->count];
        bool is_temporary = tp_str_ends(tp_str_of(names[i]->d_name), ".tmp");
        if (is_temporary && work->takeover->left_count) /* a process that is still running may be writing this file */
            continue;
        if (tp_run_file_open(file, folder, names[i]->d_name)) {
            work->bytes += file->size_bytes;
            work->count++;
            continue;
        }
        tp_run_file_release(file);
        if (is_temporary)
            remove_file_in_folder(folder, names[i]->d_name);
    }
    return work->files != NULL;
}

static int compare_by_process_and_time(const void *x, const void *y)
{
    const struct tp_run_file *a = *(struct tp_run_file *const *)x, *b = *(struct tp_run_file *const *)y;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* Marks the files of processes that became another program by exec. The recording in such a file was not stopped, and a
 * later file of the same process exceeds a limit of short processes. A file whose recording stopped at the end of a
 * window is not marked. When memory is short, marks no file. */
static void mark_files_of_replaced_programs(struct work *work)
{
    struct tp_run_file **files = calloc(work->count + 1, sizeof *files);
    size_t count = 0;
    pid_t later = -1; /* process id of the next file in the sorted list; files of short processes are skipped */
    for (size_t i = 0; files && i < work->count; i++)
        if (work->files[i].is_spool && work->files[i].is_examined && !work->files[i].is_empty)
            files[count++] = &work->files[i];
    if (count)
        qsort(files, count, sizeof(struct tp_run_file *), compare_by_process_and_time);
    while (count-- > 0) {
        files[count]->is_replaced = files[count]->pid == later && !files[count]->was_stopped;
        later = files[count]->is_short ? later : files[count]->pid;
    }
    free(files);
}

/* Processes that represent the run: those with a trace of PyTorch, otherwise those with steps, otherwise all. The other
 * processes are helpers such as data loaders, shells and launchers. */
enum speakers { ALL, WITH_STEPS, OF_TORCH };

static enum speakers find_main_processes(const struct work *work)
{
    enum speakers speakers = ALL;
    for (size_t i = 0; i < work->count; i++) {
        const struct tp_run_file *file = &work->files[i];
        enum speakers of_file = !file->is_spool ? OF_TORCH : file->has_steps ? WITH_STEPS : ALL;
        speakers = of_file > speakers ? of_file : speakers;
    }
    return speakers;
}

/* Returns whether PyTorch has written a trace of the process. */
static bool has_torch(const struct work *work, pid_t pid)
{
    for (size_t i = 0; i < work->count; i++)
        if (!work->files[i].is_spool && work->files[i].pid == pid)
            return true;
    return false;
}

static const char *suffix_of_trace_name(const struct work *work, const struct tp_run_file *file, enum speakers speakers)
{
    if (work->takeover->has_outside && file->is_spool && file->is_silent)
        return TP_WORKER_INSIDE;
    if (file->is_replaced && speakers != OF_TORCH)
        return TP_WORKER_HELPER;
    if (!file->is_spool || speakers == ALL || (speakers == WITH_STEPS && file->has_steps))
        return "";
    return speakers == OF_TORCH && has_torch(work, file->pid) ? TP_WORKER_SECOND : TP_WORKER_HELPER;
}

/* ---- stages ---- */

static void examine_file(struct work *work, struct tp_run_file *file)
{
    (void)work;
    tp_run_file_examine(file);
}

static void convert_file(struct work *work, struct tp_run_file *file)
{
    if (file->trace)
        tp_run_file_convert(file, &(struct tp_run_facts){work->takeover->folder,
                                                         work->takeover->program,
                                                         {on_bytes_processed, &(struct watched){work, file}}});
    else
        file->outcome = TP_RUN_FILE_FAILED;
}

static void name_traces(struct work *work)
{
    enum speakers speakers = find_main_processes(work);
    for (size_t i = 0; i < work->count; i++)
        if (!tp_run_file_set_trace_path(&work->files[i], work->takeover->logdir,
                                        suffix_of_trace_name(work, &work->files[i], speakers)))
            tp_error_set(&work->files[i].err, TP_ENOMEM, 0, "out of memory");
}

/* ---- reporting ---- */

/* Reports a process as running. Removes it from t->left, the list of running processes that were not reported yet. */
static void report_running_process(struct tp_takeover *t, const char *path, pid_t pid)
{
    for (size_t i = 0; i < t->left_count; i++)
        t->left[i] = t->left[i] == pid ? 0 : t->left[i];
    t->running_process_count++;
    t->report(t->context, TP_TAKEN_RUNNING, path, pid, NULL);
}

static void count_and_report_file(struct tp_takeover *t, const struct tp_run_file *file)
{
    t->open_count += file->result.open_count;
    t->broken_count += file->result.broken_count;
    t->empty_file_count += file->outcome == TP_RUN_FILE_EMPTY;
    t->short_count += file->outcome == TP_RUN_FILE_SHORT;
    t->trace_count += file->outcome == TP_RUN_FILE_TRACE;
    t->cut_count += file->outcome == TP_RUN_FILE_TRACE && file->is_cut;
    t->failed_count += file->outcome == TP_RUN_FILE_FAILED;
    if (file->outcome == TP_RUN_FILE_RUNNING)
        report_running_process(t, file->path, file->pid);
    else if (file->outcome == TP_RUN_FILE_FAILED)
        t->report(t->context, TP_TAKEN_FAILED, file->path, file->pid, file->err.text);
    else if (file->outcome == TP_RUN_FILE_TRACE)
        t->report(t->context, TP_TAKEN_TRACE, file->trace, file->pid, NULL);
}

/* ---- the whole run ---- */

enum { PAUSE_MS = 20 };

static unsigned wait_one_interval(unsigned patience_ms)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
    return patience_ms > PAUSE_MS ? patience_ms - PAUSE_MS : 0;
}

/* Waits for all helper processes together, which exit shortly after the process that started them. Fills t->left with
 * the processes that are still running. Returns the part of t->patience_ms that is not used up, ms. */
static unsigned wait_for_helpers(struct tp_takeover *t)
{
    unsigned patience_ms = t->patience_ms;
    t->left_count = tp_processes_of_run(t->left, TP_TAKEOVER_LEFT, t->folder);
    while (t->left_count > 0 && patience_ms > 0) {
        patience_ms = wait_one_interval(patience_ms);
        size_t kept = 0;
        for (size_t i = 0; i < t->left_count; i++)
            if (tp_process_is_of_run(t->left[i], t->folder))
                t->left[kept++] = t->left[i];
        t->left_count = kept;
    }
    return patience_ms;
}

static bool has_live_spool(const struct work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        const struct tp_run_file *file = &work->files[i];
        if (file->is_spool && file->is_examined && !file->was_stopped && tp_spool_is_live(file->path))
            return true;
    }
    return false;
}

static int convert_all_files(struct tp_takeover *t, struct dirent *const *names, int count, unsigned patience_ms,
                             struct tp_error *err)
{
    struct work work = {.takeover = t, .lock = PTHREAD_MUTEX_INITIALIZER};
    if (!open_files(&work, names, count))
        return tp_error_set(err, TP_ENOMEM, 0, "%s: out of memory", t->folder);
    run_stage_on_all_files(&work, examine_file);
    /* waits for processes that wait_for_helpers cannot see, for example in a sandbox */
    while (patience_ms > 0 && has_live_spool(&work))
        patience_ms = wait_one_interval(patience_ms);
    mark_files_of_replaced_programs(&work);
    name_traces(&work);
    run_stage_on_all_files(&work, convert_file);
    for (size_t i = 0; i < work.count; i++) {
        count_and_report_file(t, &work.files[i]);
        tp_run_file_release(&work.files[i]);
    }
    free(work.files);
    pthread_mutex_destroy(&work.lock);
    return TP_OK;
}

int tp_takeover(struct tp_takeover *t, struct tp_error *err)
{
    struct dirent **names = NULL;
    unsigned patience_ms = wait_for_helpers(t);
    int count = scandir(t->folder, &names, NULL, alphasort);
    if (count < 0)
        return tp_error_set(err, TP_EIO, 0, "%s: %s", t->folder, strerror(errno));
    int code = convert_all_files(t, names, count, patience_ms, err);
    while (count > 0)
        free(names[--count]);
    free(names);
    for (size_t i = 0; i < t->left_count; i++)
        if (t->left[i] > 0 && tp_process_is_of_run(t->left[i], t->folder))
            report_running_process(t, t->folder, t->left[i]);
    if (t->running_process_count == 0 && !t->keeps_empty_folder)
        rmdir(t->folder);
    return code;
}
