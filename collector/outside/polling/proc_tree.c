/* Follows a tree of processes by polling /proc: see proc_tree.h. */
#include "collector/outside/polling/proc_tree.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/outside/processes/proc_files.h"
#include "collector/outside/waits/polled_states.h"
#include "collector/outside/waits/proc_waits.h"
#include "writer/base/limits.h"

/* maximum number of polls that read a thread's name; a thread gets its name soon after its start or never */
enum { MOST_NAME_READS = 4 };

struct polled_thread {
    uint32_t tid;
    struct tp_polled_states states;
    bool has_state; /* true if a state record of the thread was already produced */
    bool has_run;   /* true if the thread ran since the last poll, or if there was no earlier poll */
    bool is_known;  /* true if the thread was polled at least once */
    bool is_over;
    uint8_t named; /* count of reads of the thread's name */
    char name[16];
};

struct tp_polled_process {
    uint32_t pid;
    struct tp_vec threads; /* living threads; elements: struct polled_thread */
    struct tp_proc_stat stat;
    int64_t begin_ns;
    int64_t had_running_ns, had_ready_ns; /* time running and time ready at the start of the recording, ns */
    bool is_first;                        /* true for the process that the recorder started; before its exec it still
                                           * runs the recorder's program */
    bool is_emitted, is_over;
};

static struct tp_polled_process *polled_process_at(const struct tp_proc_tree *tree, size_t i)
{
    return TP_AT(&tree->processes, struct tp_polled_process, i);
}

static struct polled_thread *thread_at(const struct tp_polled_process *process, size_t i)
{
    return TP_AT(&process->threads, struct polled_thread, i);
}

/* ---- producing records ---- */

static void emit_record(const struct tp_proc_tree *tree, struct tp_perf_record record, int64_t time_ns)
{
    record.time_ns = (uint64_t)time_ns;
    tree->take(tree->context, &record, 0);
}

static void emit_program_record(const struct tp_proc_tree *tree, const struct tp_polled_process *process,
                                int64_t time_ns)
{
    emit_record(tree,
                (struct tp_perf_record){.type = PERF_RECORD_COMM,
                                        .pid = process->pid,
                                        .tid = process->pid,
                                        .is_exec = true,
                                        .text = process->stat.name},
                time_ns);
}

static void emit_thread_record(const struct tp_proc_tree *tree, uint32_t pid, uint32_t tid, uint32_t parent,
                               int64_t time_ns)
{
    emit_record(tree,
                (struct tp_perf_record){
                    .type = PERF_RECORD_FORK, .pid = pid, .tid = tid, .parent_pid = parent, .parent_tid = parent},
                time_ns);
}

static void emit_interval_records(const struct tp_proc_tree *tree, uint32_t pid, struct polled_thread *thread,
                                  const struct tp_polled_interval *intervals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tp_perf_record record = {.type = PERF_RECORD_SWITCH,
                                        .time_ns = (uint64_t)intervals[i].begin_ns,
                                        .pid = pid,
                                        .tid = thread->tid,
                                        .is_out = intervals[i].state != TP_STATE_RUNNING,
                                        .is_preempted = intervals[i].state == TP_STATE_READY};
        tree->take(tree->context, &record, intervals[i].wait);
    }
}

/* Produces the state records of a thread. Skips the first interval if it continues the previous state. */
static void emit_state_records(const struct tp_proc_tree *tree, uint32_t pid, struct polled_thread *thread,
                               enum tp_thread_state before, const struct tp_polled_interval *intervals, size_t count)
{
    size_t first = count && thread->has_state && intervals[0].state == before;
    emit_interval_records(tree, pid, thread, intervals + first, count - first);
    thread->has_state = thread->has_state || count;
}

static void end_thread(struct tp_proc_tree *tree, uint32_t pid, struct polled_thread *thread)
{
    struct tp_polled_interval intervals[TP_POLLED_INTERVALS];
    enum tp_thread_state before = thread->states.state;
    if (thread->is_over)
        return;
    emit_state_records(tree, pid, thread, before, intervals, tp_polled_states_end(&thread->states, intervals));
    emit_record(tree, (struct tp_perf_record){.type = PERF_RECORD_EXIT, .pid = pid, .tid = thread->tid},
                thread->states.since_ns);
    thread->is_over = true;
    *tp_id_map_find_or_add(&tree->threads, thread->tid) = 0;
}

/* ---- threads ---- */

static void poll_thread(struct tp_proc_tree *tree, uint32_t pid, struct polled_thread *thread, int64_t (*now_ns)(void))
{
    struct tp_polled_states now = {0};
    struct tp_polled_interval intervals[TP_POLLED_INTERVALS];
    enum tp_thread_state before = thread->states.state;
    int64_t time_ns = now_ns();
    if (!tp_proc_read_times(&now.running_ns, &now.ready_ns, pid, thread->tid, tree->text)) {
        end_thread(tree, pid, thread);
        return;
    }
    bool has_run = now.running_ns != thread->states.running_ns || now.ready_ns != thread->states.ready_ns;
    thread->has_run = has_run || !thread->is_known;
    thread->is_known = true;
    if (has_run)
        now.is_blocked = tp_proc_is_waiting(&now.wait, tree->text, pid, thread->tid);
    emit_state_records(tree, pid, thread, before, intervals,
                       tp_polled_states_split_time(&thread->states, intervals, time_ns, &now));
    if (has_run && !now.is_blocked)
        tree->runs(tree->context, pid, thread->tid, time_ns);
}

static void update_thread_name(const struct tp_proc_tree *tree, uint32_t pid, struct polled_thread *thread)
{
    char file[64];
    if (thread->named == MOST_NAME_READS || thread->tid == pid)
        return;
    thread->named++;
    snprintf(file, sizeof file, "task/%u/comm", (unsigned)thread->tid);
    if (!tp_proc_load_file(tree->text, pid, file))
        return;
    tree->text->data[strcspn(tree->text->data, "\n")] = '\0';
    if (strcmp(thread->name, tree->text->data) == 0)
        return;
    snprintf(thread->name, sizeof thread->name, "%s", tree->text->data);
    emit_record(tree,
                (struct tp_perf_record){.type = PERF_RECORD_COMM, .pid = pid, .tid = thread->tid, .text = thread->name},
                thread->states.polled_ns);
}

/* Initializes a thread. A thread that existed before the recording starts with it. Otherwise computes the start from
 * the thread's time running and ready. This start is never before the last poll or the start of the process. */
static bool begin_thread(const struct tp_proc_tree *tree, const struct tp_polled_process *process,
                         struct polled_thread *thread)
{
    int64_t running_ns, ready_ns;
    enum { SLACK_NS = 100000000 };
    struct tp_polled_states *states = &thread->states;
    int64_t least_ns = process->begin_ns > tree->polled_ns ? process->begin_ns : tree->polled_ns;
    if (!tp_proc_read_times(&running_ns, &ready_ns, process->pid, thread->tid, tree->text))
        return false;
    states->state = TP_STATE_READY;
    if (process->is_first) {
        states->since_ns = tree->begin_ns;
        states->running_ns = process->had_running_ns;
        states->ready_ns = process->had_ready_ns;
    } else if (running_ns + ready_ns > states->polled_ns - least_ns + SLACK_NS ||
               (tree->is_attached && !tree->poll_count)) {
        states->since_ns = tree->poll_count ? least_ns : tree->begin_ns;
        states->running_ns = running_ns;
        states->ready_ns = ready_ns;
        states->is_blocked = tp_proc_is_waiting(&states->wait, tree->text, process->pid, thread->tid);
    } else {
        int64_t begin_ns = states->polled_ns - running_ns - ready_ns;
        states->since_ns = begin_ns > least_ns ? begin_ns : least_ns;
    }
    return true;
}

static struct polled_thread *add_thread(struct tp_proc_tree *tree, struct tp_polled_process *process, uint32_t tid,
                                        int64_t time_ns)
{
    struct polled_thread thread = {.tid = tid, .states = {.polled_ns = time_ns}};
    if (!begin_thread(tree, process, &thread))
        return NULL;
    *tp_id_map_find_or_add(&tree->threads, tid) = 1;
    *(struct polled_thread *)tp_vec_push(&process->threads) = thread;
    return thread_at(process, process->threads.count - 1);
}

static void list_threads_of_process(struct tp_proc_tree *tree, struct tp_polled_process *process,
                                    int64_t (*now_ns)(void))
{
    uint32_t tids[TP_MAX_OUTSIDE_ATTACHED];
    size_t count = tp_proc_list_threads(tids, TP_MAX_OUTSIDE_ATTACHED, process->pid);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *known = tp_id_map_find(&tree->threads, tids[i]);
        if (known && *known == 1)
            continue;
        struct polled_thread *thread = add_thread(tree, process, tids[i], now_ns());
        if (!thread)
            continue;
        emit_thread_record(tree, process->pid, tids[i], process->pid, thread->states.since_ns);
        poll_thread(tree, process->pid, thread, now_ns);
        update_thread_name(tree, process->pid, thread);
    }
}

static void remove_threads(struct tp_polled_process *process)
{
    size_t kept = 0;
    for (size_t i = 0; i < process->threads.count; i++)
        if (!thread_at(process, i)->is_over)
            *thread_at(process, kept++) = *thread_at(process, i);
    process->threads.count = kept;
}

/* ---- processes ---- */

static void end_process(struct tp_proc_tree *tree, struct tp_polled_process *process)
{
    for (size_t i = 0; i < process->threads.count; i++)
        end_thread(tree, process->pid, thread_at(process, i));
    process->is_over = true;
    *tp_id_map_find_or_add(&tree->known, process->pid) = 0;
}

/* Returns whether the process has called exec since `before`. Each exec changes the address of the arguments. If that
 * address is not readable, a changed name shows the exec. */
static bool is_other_program(const struct tp_proc_stat *now, const struct tp_proc_stat *before)
{
    return now->arguments_at ? now->arguments_at != before->arguments_at : strcmp(now->name, before->name) != 0;
}

static void update_stat_of_process(struct tp_proc_tree *tree, struct tp_polled_process *process,
                                   const struct tp_proc_stat *now)
{
    bool is_other = now->state != 'Z' && is_other_program(now, &process->stat);
    bool is_named = strcmp(now->name, process->stat.name) != 0;
    int64_t time_ns = process->threads.count ? thread_at(process, 0)->states.polled_ns : tree->polled_ns;
    uint64_t arguments_at = process->stat.arguments_at;
    process->stat = *now;
    process->stat.arguments_at = now->arguments_at ? now->arguments_at : arguments_at;
    if (is_other) {
        emit_program_record(tree, process, time_ns);
    } else if (is_named) {
        emit_record(tree,
                    (struct tp_perf_record){
                        .type = PERF_RECORD_COMM, .pid = process->pid, .tid = process->pid, .text = process->stat.name},
                    time_ns);
    }
}

struct adding {
    struct tp_proc_tree *tree;
    uint32_t parent;
};

static const struct tp_polled_process *find_living_process(const struct tp_proc_tree *tree, uint32_t pid)
{
    for (size_t i = 0; i < tree->processes.count; i++)
        if (polled_process_at(tree, i)->pid == pid && !polled_process_at(tree, i)->is_over)
            return polled_process_at(tree, i);
    return NULL;
}

static void add_process(void *context, uint32_t pid)
{
    const struct adding *adding = context;
    struct tp_proc_tree *tree = adding->tree;
    uint32_t *known = tp_id_map_find_or_add(&tree->known, pid);
    if (*known == 1 || pid == tree->left_out)
        return;
    *known = 1;
    const struct tp_polled_process *parent = find_living_process(tree, adding->parent);
    struct tp_polled_process process = {.pid = pid, .threads = TP_VEC(tree->arena, struct polled_thread)};
    if (parent)
        process.stat = parent->stat; /* before its own exec, a child runs the program of its parent */
    process.stat.started = 0;
    process.stat.parent = adding->parent;
    *(struct tp_polled_process *)tp_vec_push(&tree->processes) = process;
}

/* Produces the first records of a process: its fork, its program and its threads. */
static void emit_process_record(struct tp_proc_tree *tree, struct tp_polled_process *process,
                                const struct tp_proc_stat *now, int64_t (*now_ns)(void))
{
    bool is_copy = process->stat.parent && !tree->is_attached && !is_other_program(now, &process->stat);
    uint32_t parent = process->stat.parent ? process->stat.parent : now->parent;
    process->stat = *now;
    struct polled_thread *thread = add_thread(tree, process, process->pid, now_ns());
    if (!thread)
        return;
    process->is_emitted = true;
    process->begin_ns = thread->states.since_ns;
    emit_thread_record(tree, process->pid, process->pid, parent, thread->states.since_ns);
    if (!is_copy)
        emit_program_record(tree, process, thread->states.since_ns);
    poll_thread(tree, process->pid, thread, now_ns);
}

/* Polls the threads of a process. Returns whether any thread ran or has exited. */
static bool poll_threads(struct tp_proc_tree *tree, struct tp_polled_process *process, int64_t (*now_ns)(void))
{
    bool is_other = false;
    for (size_t i = 0, count = process->threads.count; i < count; i++) {
        struct polled_thread *thread = thread_at(process, i);
        poll_thread(tree, process->pid, thread, now_ns);
        if (thread->has_run && !thread->is_over)
            update_thread_name(tree, process->pid, thread);
        is_other = is_other || thread->has_run || thread->is_over;
    }
    return is_other;
}

static void find_children(struct tp_proc_tree *tree, const struct tp_polled_process *process)
{
    struct adding adding = {tree, process->pid};
    struct tp_vec threads = process->threads; /* a copy, because adding a process moves the array */
    for (size_t i = 0; i < threads.count; i++)
        if (TP_AT(&threads, struct polled_thread, i)->has_run)
            tp_proc_each_child(adding.parent, TP_AT(&threads, struct polled_thread, i)->tid, tree->text, add_process,
                               &adding);
}

static void poll_process(struct tp_proc_tree *tree, size_t number, int64_t (*now_ns)(void))
{
    struct tp_polled_process *process = polled_process_at(tree, number);
    struct tp_proc_stat now;
    if (!poll_threads(tree, process, now_ns) && process->is_emitted)
        return;
    bool is_there = tp_proc_read_stat(&now, process->pid, tree->text);
    if (!is_there && process->is_first && !process->is_emitted)
        return; /* the process exited before its first poll; tp_proc_tree_end handles this */
    if (!is_there || (process->is_emitted && now.started != process->stat.started)) {
        end_process(tree, process);
        return;
    }
    if (process->is_first && !process->is_emitted && now.state != 'Z' && !is_other_program(&now, &process->stat))
        return; /* produces no records before the exec, because the process still runs the recorder's program */
    if (process->is_emitted)
        update_stat_of_process(tree, process, &now);
    else
        emit_process_record(tree, process, &now, now_ns);
    if (now.state == 'Z' && now.thread_count <= 1) { /* the process has exited and waits for its parent; its totals are
                                                      * final */
        tree->report_status(tree->context, process->pid, now.status);
        end_process(tree, process);
        return;
    }
    remove_threads(process);
    if (now.thread_count != process->threads.count)
        list_threads_of_process(tree, process, now_ns);
    find_children(tree, process);
}

bool tp_proc_tree_is_supported(struct tp_buf *text)
{
    int64_t running_ns, ready_ns;
    uint32_t pid = (uint32_t)getpid();
    return tp_proc_read_times(&running_ns, &ready_ns, pid, pid, text) && running_ns > 0;
}

void tp_proc_tree_begin(struct tp_proc_tree *tree, struct tp_arena *arena, uint32_t pid, int64_t time_ns)
{
    tree->arena = arena;
    tree->processes = TP_VEC(arena, struct tp_polled_process);
    tree->begin_ns = tree->polled_ns = time_ns;
    tp_id_map_init(&tree->known, arena);
    tp_id_map_init(&tree->threads, arena);
    tp_proc_tree_add_process(tree, pid);
    if (tree->is_attached)
        return;
    struct tp_polled_process *process = polled_process_at(tree, 0);
    process->is_first = true;
    tp_proc_read_stat(&process->stat, pid, tree->text);
    process->stat.parent = 0; /* the parent of the first process is not recorded */
    tp_proc_read_times(&process->had_running_ns, &process->had_ready_ns, pid, pid, tree->text);
}

void tp_proc_tree_add_process(struct tp_proc_tree *tree, uint32_t pid)
{
    struct adding adding = {tree, 0};
    add_process(&adding, pid);
}

void tp_proc_tree_poll(struct tp_proc_tree *tree, int64_t (*now_ns)(void))
{
    size_t kept = 0;
    int64_t begin_ns = now_ns();
    for (size_t i = 0; i < tree->processes.count; i++)
        poll_process(tree, i, now_ns);
    for (size_t i = 0; i < tree->processes.count; i++)
        if (!polled_process_at(tree, i)->is_over)
            *polled_process_at(tree, kept++) = *polled_process_at(tree, i);
    tree->processes.count = kept;
    tree->polled_ns = begin_ns;
    tree->poll_count++;
}

void tp_proc_tree_end(struct tp_proc_tree *tree, int64_t time_ns)
{
    struct tp_polled_interval intervals[TP_POLLED_INTERVALS];
    if (tree->processes.count && polled_process_at(tree, 0)->is_first &&
        !polled_process_at(tree, 0)->is_emitted) { /* the process exited before its first poll */
        uint32_t pid = polled_process_at(tree, 0)->pid;
        polled_process_at(tree, 0)->stat.name[0] = '\0';
        emit_program_record(tree, polled_process_at(tree, 0), tree->begin_ns);
        emit_record(tree, (struct tp_perf_record){.type = PERF_RECORD_SWITCH, .pid = pid, .tid = pid, .is_out = true},
                    tree->begin_ns); /* marks the process as blocked, because no poll saw it running */
    }
    for (size_t i = 0; i < tree->processes.count; i++)
        for (size_t k = 0; k < polled_process_at(tree, i)->threads.count; k++) {
            struct polled_thread *thread = thread_at(polled_process_at(tree, i), k);
            enum tp_thread_state before = thread->states.state;
            thread->states.polled_ns = time_ns;
            emit_state_records(tree, polled_process_at(tree, i)->pid, thread, before, intervals,
                               tp_polled_states_end(&thread->states, intervals));
        }
}
