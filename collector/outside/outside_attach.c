/* Recording what runs already: see outside.h. */
#include <errno.h>

#include "collector/outside/outside_recorder.h"

/* A thread that somebody began who was watched is so itself. */
static bool watch_thread(void *context, uint32_t pid, uint32_t tid)
{
    struct tp_outside *o = context;
    bool is_first = tid == (uint32_t)o->pid, is_told = tp_id_map_find(&o->forked, tid) != NULL;
    bool is_whole = o->mode == TP_OUTSIDE_WHOLE;
    if (is_whole && tid == pid)
        tp_watched_processes_add(&o->watched, pid, tp_outside_now());
    int error = is_first || is_told || is_whole ? 0 : tp_perf_rings_add(&o->rings, (pid_t)tid);
    if (tid == pid && !error)
        tp_exit_codes_add(&o->codes, pid);
    o->unwatched += error && error != ESRCH;
    return !is_told && !error;
}

static void take_running(void *context, const struct tp_perf_record *r)
{
    struct tp_outside *o = context;
    struct tp_outside_note note = {0};
    if (r->type == PERF_RECORD_COMM && r->is_exec)
        tp_record_notes_words(&o->notes, &note, r->pid, &o->text);
    tp_outside_tree_take(&o->tree, r, false, &note);
    tp_python_stacks_take(&o->python, r);
    tp_made_names_take(&o->made, r, &o->text);
}

/* Threads may begin others between a list and their own event: the list is asked for again until nothing is new. */
static int look_at_running(void *context, struct tp_error *err)
{
    enum { MOST_LOOKS = 8 };
    struct tp_outside *o = context;
    (void)err;
    tp_exit_codes_open(&o->codes, &o->arena);
    tp_id_map_init(&o->forked, &o->arena);
    tp_running_tree_init(&o->running, &o->arena, (uint32_t)o->pid);
    o->running.time_ns = o->begin_ns;
    o->running.is_wanted = watch_thread;
    o->running.take = take_running;
    o->running.context = o;
    for (int i = 0; i < MOST_LOOKS && tp_running_tree_look(&o->running); i++)
        tp_outside_read_rings(o);
    return TP_OK;
}

int tp_outside_attach(struct tp_outside *o, pid_t pid, struct tp_error *err)
{
    o->pid = pid;
    o->is_attached = true;
    if (tp_proc_life((uint32_t)pid, &o->text) == TP_PROC_OVER)
        return tp_error_set(err, TP_ENOTFOUND, 0, "no process has the number %d", (int)pid);
    int64_t begin_ns = tp_outside_now();
    int code = tp_outside_open(o, pid);
    if (code < 0)
        return tp_error_set(err, code, 0, "%s", o->refused.text);
    tp_outside_start(o);
    o->begin_ns = begin_ns;
    return tp_arena_run(&o->arena, o->mode == TP_OUTSIDE_BY_LOOKS ? tp_outside_begin_looks : look_at_running, o, err);
}
