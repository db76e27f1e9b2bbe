/* From what a run has left to traces: see takeover.h. What ends in .tmp was being written when its process ended: half
 * of a trace of PyTorch's becomes a trace that says so, for nothing can make it again; the rest are notes, and go. */
#include "collector/launch/takeover.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/launch/left_file.h"
#include "collector/launch/processes.h"
#include "writer/base/str.h"
#include "writer/spool/spool_read.h"
#include "writer/worker.h"

struct work {
    struct tp_takeover *takeover;
    struct tp_left_file *files; /* oldest name first */
    size_t count;
    void (*stage)(struct work *work, struct tp_left_file *file);
    pthread_mutex_t lock; /* of what follows */
    size_t next, done_count;
    uint64_t done_bytes, bytes;
};

/* ---- how far it is ---- */

/* The lock is held. */
static void report_progress(const struct work *work, const struct tp_left_file *file)
{
    const struct tp_takeover *t = work->takeover;
    if (t->progress && work->done_count < work->count)
        t->progress(t->context, &(struct tp_takeover_progress){file->base, work->done_count, work->count,
                                                               work->done_bytes, work->bytes});
}

struct watched {
    struct work *work;
    struct tp_left_file *file;
};

static void on_seen(void *context, uint64_t bytes)
{
    const struct watched *watched = context;
    struct work *work = watched->work;
    struct tp_left_file *file = watched->file;
    uint64_t left = file->size_bytes - file->seen_bytes;
    bytes = bytes < left ? bytes : left;
    pthread_mutex_lock(&work->lock);
    file->seen_bytes += bytes;
    work->done_bytes += bytes;
    report_progress(work, file);
    pthread_mutex_unlock(&work->lock);
}

/* ---- threads ---- */

/* Some of the files, one after the other: of those that nobody works on, the next. */
static void *work_on_some(void *context)
{
    struct work *work = context;
    pthread_mutex_lock(&work->lock);
    while (work->next < work->count) {
        struct tp_left_file *file = &work->files[work->next++];
        pthread_mutex_unlock(&work->lock);
        work->stage(work, file);
        pthread_mutex_lock(&work->lock);
        work->done_count++;
        work->done_bytes += file->size_bytes - file->seen_bytes;
        report_progress(work, file);
    }
    pthread_mutex_unlock(&work->lock);
    return NULL;
}

/* A stage of all files, on as many threads as are useful. */
static void run_stage(struct work *work, void (*stage)(struct work *work, struct tp_left_file *file))
{
    pthread_t threads[TP_TAKEOVER_THREADS];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t more = 0, most = processors > 0 ? (size_t)processors : 1;
    most = most > TP_TAKEOVER_THREADS ? TP_TAKEOVER_THREADS : most;
    work->stage = stage;
    work->next = work->done_count = 0;
    work->done_bytes = 0;
    while (more + 1 < most && more + 1 < work->count && pthread_create(&threads[more], NULL, work_on_some, work) == 0)
        more++;
    work_on_some(work);
    while (more > 0)
        pthread_join(threads[--more], NULL);
}

/* ---- which file is what ---- */

static void drop(const char *folder, const char *base)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, base) < (int)sizeof path)
        unlink(path);
}

/* False: no memory. */
static bool collect(struct work *work, struct dirent *const *names, int count)
{
    const char *folder = work->takeover->folder;
    work->files = calloc((size_t)count + 1, sizeof *work->files);
    for (int i = 0; work->files && i < count; i++) {
        struct tp_left_file *file = &work->files[work->count];
        bool is_temporary = tp_str_ends(tp_str_of(names[i]->d_name), ".tmp");
        if (is_temporary && work->takeover->left_count) /* its process may still be writing it */
            continue;
        if (tp_left_file_open(file, folder, names[i]->d_name)) {
            work->bytes += file->size_bytes;
            work->count++;
            continue;
        }
        tp_left_file_release(file);
        if (is_temporary)
            drop(folder, names[i]->d_name);
    }
    return work->files != NULL;
}

static int by_process_and_time(const void *x, const void *y)
{
    const struct tp_left_file *a = *(struct tp_left_file *const *)x, *b = *(struct tp_left_file *const *)y;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* What a process was before exec: its recording was not stopped, and a later one of the process is above the floor.
 * (Recordings of windows are stopped.) Without memory nobody is taken for one. */
static void find_replaced(struct work *work)
{
    struct tp_left_file **files = calloc(work->count + 1, sizeof *files);
    size_t count = 0;
    pid_t later = -1; /* a process of which a file behind was seen */
    for (size_t i = 0; files && i < work->count; i++)
        if (work->files[i].is_spool && work->files[i].is_looked_at && !work->files[i].is_empty)
            files[count++] = &work->files[i];
    if (count)
        qsort(files, count, sizeof(struct tp_left_file *), by_process_and_time);
    while (count-- > 0) {
        files[count]->is_replaced = files[count]->pid == later && !files[count]->was_stopped;
        later = files[count]->is_brief ? later : files[count]->pid;
    }
    free(files);
}

/* Who speaks for the run: the processes that PyTorch wrote a trace of; without any, those that told steps; without any,
 * all of them. Other processes are helpers: loaders of data, shells, launchers. */
enum speakers { ALL, WITH_STEPS, OF_TORCH };

static enum speakers find_speakers(const struct work *work)
{
    enum speakers speakers = ALL;
    for (size_t i = 0; i < work->count; i++) {
        const struct tp_left_file *file = &work->files[i];
        enum speakers of_file = !file->is_spool ? OF_TORCH : file->has_steps ? WITH_STEPS : ALL;
        speakers = of_file > speakers ? of_file : speakers;
    }
    return speakers;
}

/* True when PyTorch has written a trace of the process, too. */
static bool has_torch(const struct work *work, pid_t pid)
{
    for (size_t i = 0; i < work->count; i++)
        if (!work->files[i].is_spool && work->files[i].pid == pid)
            return true;
    return false;
}

static const char *suffix_of(const struct work *work, const struct tp_left_file *file, enum speakers speakers)
{
    if (work->takeover->has_outside && file->is_spool && file->is_silent)
        return TP_WORKER_INSIDE;
    if (file->is_replaced && speakers != OF_TORCH)
        return TP_WORKER_HELPER;
    if (!file->is_spool || speakers == ALL || (speakers == WITH_STEPS && file->has_steps))
        return "";
    return speakers == OF_TORCH && has_torch(work, file->pid) ? TP_WORKER_BESIDE : TP_WORKER_HELPER;
}

/* ---- stages ---- */

static void look(struct work *work, struct tp_left_file *file)
{
    (void)work;
    tp_left_file_look(file);
}

static void take(struct work *work, struct tp_left_file *file)
{
    if (file->trace)
        tp_left_file_take(file, &(struct tp_left_run){work->takeover->folder,
                                                      work->takeover->program,
                                                      {on_seen, &(struct watched){work, file}}});
    else
        file->outcome = TP_LEFT_FAILED;
}

static void name_all(struct work *work)
{
    enum speakers speakers = find_speakers(work);
    for (size_t i = 0; i < work->count; i++)
        if (!tp_left_file_name(&work->files[i], work->takeover->logdir, suffix_of(work, &work->files[i], speakers)))
            tp_error_set(&work->files[i].err, TP_ENOMEM, 0, "out of memory");
}

/* ---- telling ---- */

/* Told as running; it is not told again for having no spool so far. */
static void report_running(struct tp_takeover *t, const char *path, pid_t pid)
{
    for (size_t i = 0; i < t->left_count; i++)
        t->left[i] = t->left[i] == pid ? 0 : t->left[i];
    t->running_count++;
    t->tell(t->context, TP_TAKEN_RUNNING, path, pid, NULL);
}

static void tell(struct tp_takeover *t, const struct tp_left_file *file)
{
    t->open_count += file->result.open_count;
    t->broken_count += file->result.broken_count;
    t->empty_count += file->outcome == TP_LEFT_EMPTY;
    t->brief_count += file->outcome == TP_LEFT_BRIEF;
    t->trace_count += file->outcome == TP_LEFT_TRACE;
    t->cut_count += file->outcome == TP_LEFT_TRACE && file->is_cut;
    t->failed_count += file->outcome == TP_LEFT_FAILED;
    if (file->outcome == TP_LEFT_RUNNING)
        report_running(t, file->path, file->pid);
    else if (file->outcome == TP_LEFT_FAILED)
        t->tell(t->context, TP_TAKEN_FAILED, file->path, file->pid, file->err.text);
    else if (file->outcome == TP_LEFT_TRACE)
        t->tell(t->context, TP_TAKEN_TRACE, file->trace, file->pid, NULL);
}

/* ---- all ---- */

enum { PAUSE_MS = 20 };

static unsigned pause_a_moment(unsigned patience_ms)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
    return patience_ms > PAUSE_MS ? patience_ms - PAUSE_MS : 0;
}

/* Helpers end a moment after the process that started them: waits for all of them together. Those that stay are in
 * t->left. Returns the patience that is left, in milliseconds. */
static unsigned wait_for_helpers(struct tp_takeover *t)
{
    unsigned patience_ms = t->patience_ms;
    t->left_count = tp_processes_of_run(t->left, TP_TAKEOVER_LEFT, t->folder);
    while (t->left_count > 0 && patience_ms > 0) {
        patience_ms = pause_a_moment(patience_ms);
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
        const struct tp_left_file *file = &work->files[i];
        if (file->is_spool && file->is_looked_at && !file->was_stopped && tp_spool_is_live(file->path))
            return true;
    }
    return false;
}

static int take_all(struct tp_takeover *t, struct dirent *const *names, int count, unsigned patience_ms,
                    struct tp_error *err)
{
    struct work work = {.takeover = t, .lock = PTHREAD_MUTEX_INITIALIZER};
    if (!collect(&work, names, count))
        return tp_error_set(err, TP_ENOMEM, 0, "%s: out of memory", t->folder);
    run_stage(&work, look);
    while (patience_ms > 0 && has_live_spool(&work)) /* of who hides from wait_for_helpers: in a sandbox, say */
        patience_ms = pause_a_moment(patience_ms);
    find_replaced(&work);
    name_all(&work);
    run_stage(&work, take);
    for (size_t i = 0; i < work.count; i++) {
        tell(t, &work.files[i]);
        tp_left_file_release(&work.files[i]);
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
    int code = take_all(t, names, count, patience_ms, err);
    while (count > 0)
        free(names[--count]);
    free(names);
    for (size_t i = 0; i < t->left_count; i++)
        if (t->left[i] > 0 && tp_process_is_of_run(t->left[i], t->folder))
            report_running(t, t->folder, t->left[i]);
    if (t->running_count == 0 && !t->keeps_folder)
        rmdir(t->folder);
    return code;
}
