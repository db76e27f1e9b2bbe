/* Records running processes: see outside.h. */
#include <errno.h>
#include <unistd.h>

#include "collector/outside/outside_recorder.h"

/* Adds the events of a thread. Does nothing for a thread that has inherited its events from a watched thread. */
static bool open_events_of_thread(void *context, uint32_t pid, uint32_t tid)
{
    struct tp_outside *o = context;
    bool is_first = tid == (uint32_t)o->pid, is_whole = o->mode == TP_OUTSIDE_WHOLE;
    if (!is_first) /* reads the fork record of the thread, which exists if the thread started after the listing */
        tp_outside_read_rings(o);
    bool has_forked = tp_id_map_find(&o->forked, tid) != NULL;
    if (is_whole && tid == pid)
        tp_watched_processes_add(&o->watched, pid, tp_outside_now_ns());
    int error = is_first || has_forked || is_whole ? 0 : tp_perf_rings_add_thread(&o->rings, (pid_t)tid);
    if (tid == pid && !error)
        tp_exit_codes_add_process(&o->codes, pid);
    o->unwatched += error && error != ESRCH;
    return !has_forked && !error;
}

static void handle_running_process_record(void *context, const struct tp_perf_record *r)
{
    struct tp_outside *o = context;
    struct tp_outside_note note = {0};
    if (r->type == PERF_RECORD_COMM && r->is_exec)
        tp_record_notes_read_arguments(&o->notes, &note, r->pid, &o->text);
    tp_outside_tree_handle_record(&o->tree, r, false, &note);
    tp_python_stacks_handle_record(&o->python, r);
    tp_jit_names_handle_record(&o->made, r, &o->text);
}

/* Attaches to all threads of the listed processes. Lists the threads again until no new one appears, because a thread
 * may start others before it has its own event. */
static int attach_to_listed_processes(void *context, struct tp_error *err)
{
    enum { MOST_LOOKS = 8 };
    struct tp_outside *o = context;
    (void)err;
    tp_exit_codes_open(&o->codes, &o->arena);
    tp_id_map_init(&o->forked, &o->arena);
    tp_running_tree_init(&o->running, &o->arena, (uint32_t)o->pid);
    o->running.time_ns = o->begin_ns;
    o->running.is_wanted = open_events_of_thread;
    o->running.take = handle_running_process_record;
    o->running.context = o;
    o->running.left_out = o->is_of_user ? (uint32_t)getpid() : 0;
    for (size_t i = 1; i < o->roots.count; i++)
        tp_running_tree_add_process(&o->running, *TP_AT(&o->roots, uint32_t, i));
    for (int i = 0; i < MOST_LOOKS && tp_running_tree_search(&o->running); i++)
        tp_outside_read_rings(o);
    return TP_OK;
}

static int attach_to_running_process(struct tp_outside *o, pid_t pid, struct tp_error *err)
{
    o->pid = pid;
    o->is_attached = true;
    int64_t begin_ns = tp_outside_now_ns();
    int code = tp_outside_open(o, pid);
    if (code < 0)
        return tp_error_set(err, code, 0, "%s", o->refused.text);
    tp_outside_start(o);
    o->begin_ns = begin_ns;
    return tp_arena_run(&o->arena,
                        o->mode == TP_OUTSIDE_POLLING ? tp_outside_begin_polling : attach_to_listed_processes, o, err);
}

int tp_outside_attach(struct tp_outside *o, pid_t pid, struct tp_error *err)
{
    if (tp_proc_life((uint32_t)pid, &o->text) == TP_PROC_OVER)
        return tp_error_set(err, TP_ENOTFOUND, 0, "there is no process %d", (int)pid);
    return attach_to_running_process(o, pid, err);
}

/* ---- all processes of a user ---- */

/* Adds a process that belongs to the user and has a parent of another user. Its descendants are recorded
 * automatically. */
static void add_process_of_user(void *context, uint32_t pid)
{
    struct tp_outside *o = context;
    struct tp_proc_stat stat;
    uid_t user, of_parent;
    const uint32_t *number = tp_id_map_find(&o->tree.process_ids, pid);
    bool is_known = number && !tp_outside_process_at(&o->tree, *number)->is_over;
    if (is_known || pid == (uint32_t)getpid() || !tp_proc_read_user(&user, pid) || user != o->user ||
        !tp_proc_read_stat(&stat, pid, &o->text) || stat.is_kernel || stat.is_ending || stat.state == 'Z')
        return;
    if (tp_proc_read_user(&of_parent, stat.parent) && of_parent == user && stat.parent != (uint32_t)getpid() &&
        stat.parent > 1)
        return;
    uint32_t *seen = tp_id_map_find_or_add(&o->candidates, pid);
    if (o->listing == 0 || *seen + 1 == o->listing) /* adds the process only at the second listing, because its fork
                                                     * event may arrive after the first one */
        *(uint32_t *)tp_vec_push(&o->roots) = pid;
    *seen = o->listing;
}

static int list_user_processes(void *context, struct tp_error *err)
{
    struct tp_outside *o = context;
    (void)err;
    tp_id_map_init(&o->candidates, &o->arena);
    o->roots = TP_VEC(&o->arena, uint32_t);
    tp_proc_each_process(add_process_of_user, o);
    return TP_OK;
}

static void find_new_processes_of_user(struct tp_outside *o, int64_t time_ns)
{
    if (time_ns - o->processes_listed_ns < TP_SECOND_NS)
        return;
    size_t had = o->roots.count;
    o->processes_listed_ns = time_ns;
    o->listing++;
    tp_proc_each_process(add_process_of_user, o);
    o->running.time_ns = time_ns;
    for (size_t i = had; i < o->roots.count; i++)
        if (o->mode == TP_OUTSIDE_POLLING)
            tp_proc_tree_add_process(&o->looked.proc, *TP_AT(&o->roots, uint32_t, i));
        else
            tp_running_tree_add_process(&o->running, *TP_AT(&o->roots, uint32_t, i));
    if (had < o->roots.count && o->mode != TP_OUTSIDE_POLLING)
        tp_running_tree_search(&o->running);
}

int tp_outside_attach_user(struct tp_outside *o, uid_t user, struct tp_error *err)
{
    o->is_of_user = true;
    o->user = user;
    o->find_new_processes = find_new_processes_of_user;
    int code = tp_arena_run(&o->arena, list_user_processes, o, err);
    if (code == TP_OK && !o->roots.count)
        return tp_error_set(err, TP_ENOTFOUND, 0, "this user runs no other process");
    return code < 0 ? code : attach_to_running_process(o, (pid_t)*TP_AT(&o->roots, uint32_t, 0), err);
}
