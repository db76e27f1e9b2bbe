/* The recorder of programs from outside: see outside.h.
 *
 * A look reads the rings, asks at once what can only be asked of a living process (its words, its memory and I/O at its
 * end), and gives the tree the records that are old enough for their order to be certain. */
#include "collector/outside/outside.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "collector/outside/exit_codes.h"
#include "collector/outside/made_names.h"
#include "collector/outside/outside_trace.h"
#include "collector/outside/own_budget.h"
#include "collector/outside/pending.h"
#include "collector/outside/perf_rings.h"
#include "collector/outside/proc_waits.h"
#include "collector/outside/python_stacks.h"
#include "collector/outside/running_tree.h"
#include "collector/outside/still_stacks.h"
#include "collector/outside/usage_looks.h"
#include "writer/base/limits.h"

enum {
    LOOK_NS = 20000000,    /* between two looks at the rings */
    SOON_NS = 100000,      /* where words of a program are not there yet */
    END_NS = 2000000,      /* until the connector has told of what ended last */
    CERTAIN_NS = 20000000, /* what is older is in its ring for certain, and its words have come or will not */
};
#define SECOND_NS 1000000000ll
#define OFTEN_NS (60 * SECOND_NS) /* so long memory and I/O are asked for at each look, then once a second */

/* A program whose words are not there yet. */
struct late {
    uint32_t note, pid;
    int64_t until_ns;
};

/* A process that is over, and how it ended is not told yet. */
struct ending {
    uint32_t process;
    int64_t until_ns;
};

struct tp_outside {
    struct tp_outside_options options;
    struct tp_arena arena;
    struct tp_outside_tree tree;
    struct tp_perf_rings rings;
    struct tp_own_budget budget;
    struct tp_python_stacks python;
    struct tp_made_names made;
    struct tp_still_stacks still;
    struct tp_exit_codes codes;
    struct tp_pending pending;
    struct tp_vec notes; /* struct tp_outside_note */
    struct tp_vec late;  /* struct late */
    struct tp_vec endings; /* struct ending */
    struct tp_usage_looks usage;
    struct tp_buf text;
    uint32_t next_thread; /* whose wait is asked for next */
    uint64_t switch_stacks, dropped_count;
    int64_t own_ns; /* processor time of ours until the end of the recording */
    int64_t begin_ns, end_ns, clock_ns, looked_ns, stopped_ns;
    uint32_t missed_ends, out_of_sight;
    pid_t pid;
    int watch, timer;
    bool are_samples_watched, is_attached;
    struct tp_running_tree running; /* that is attached to */
    struct tp_id_map forked;        /* threads that the kernel has told of since */
    uint32_t unwatched;
};

static int64_t time_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static int64_t now_ns(void)
{
    return time_of(CLOCK_MONOTONIC);
}

/* ---- begin and end ---- */

static int init(void *context, struct tp_error *err)
{
    struct tp_outside *o = context;
    (void)err;
    tp_outside_tree_init(&o->tree, &o->arena);
    tp_python_stacks_init(&o->python, &o->arena, &o->tree.places);
    tp_made_names_init(&o->made, &o->arena, &o->tree.places);
    o->notes = TP_VEC(&o->arena, struct tp_outside_note);
    o->late = TP_VEC(&o->arena, struct late);
    o->endings = TP_VEC(&o->arena, struct ending);
    tp_usage_looks_init(&o->usage, &o->arena);
    return TP_OK;
}

static void watch(struct tp_outside *o, int fd)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = fd};
    if (fd >= 0)
        epoll_ctl(o->watch, EPOLL_CTL_ADD, fd, &event);
}

static void set_timer(const struct tp_outside *o, long first_ns)
{
    const struct itimerspec when = {.it_value = {.tv_nsec = first_ns}, .it_interval = {.tv_nsec = LOOK_NS}};
    timerfd_settime(o->timer, 0, &when, NULL);
}

int tp_outside_new(struct tp_outside **out, const struct tp_outside_options *options, struct tp_error *err)
{
    struct tp_outside *o = calloc(1, sizeof *o);
    *out = NULL;
    if (!o)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    o->options = *options;
    o->options.rate_hz = options->rate_hz ? options->rate_hz : TP_OUTSIDE_RATE;
    o->codes.connector = -1;
    tp_buf_init(&o->running.text, 0);
    o->watch = epoll_create1(EPOLL_CLOEXEC);
    o->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    tp_buf_init(&o->text, TP_MAX_OUTSIDE_WORDS_BYTES);
    tp_pending_init(&o->pending);
    tp_arena_init(&o->arena, TP_MAX_OUTSIDE_BYTES);
    int code = tp_arena_run(&o->arena, init, o, err);
    if (code == TP_OK && (o->watch < 0 || o->timer < 0))
        code = tp_error_set(err, TP_EIO, 0, "no descriptor is left");
    watch(o, o->timer);
    if (code < 0)
        tp_outside_free(o);
    else
        *out = o;
    return code;
}

void tp_outside_free(struct tp_outside *o)
{
    if (!o)
        return;
    tp_outside_tree_release(&o->tree);
    tp_perf_rings_release(&o->rings);
    tp_python_stacks_release(&o->python);
    tp_made_names_release(&o->made);
    tp_exit_codes_release(&o->codes);
    tp_pending_release(&o->pending);
    tp_running_tree_release(&o->running);
    tp_buf_release(&o->text);
    tp_arena_release(&o->arena);
    if (o->watch >= 0)
        close(o->watch);
    if (o->timer >= 0)
        close(o->timer);
    free(o);
}

static int open_codes(void *context, struct tp_error *err)
{
    struct tp_outside *o = context;
    (void)err;
    tp_exit_codes_open(&o->codes, &o->arena);
    tp_exit_codes_add(&o->codes, (uint32_t)o->pid);
    return TP_OK;
}

static void begin(struct tp_outside *o)
{
    for (size_t i = 0; i < o->rings.count; i++)
        if (o->rings.rings[i].is_of_names)
            watch(o, o->rings.rings[i].fd);
    watch(o, o->codes.connector);
    set_timer(o, LOOK_NS);
    o->begin_ns = o->looked_ns = o->usage.time_ns = now_ns();
    o->clock_ns = time_of(CLOCK_REALTIME) - o->begin_ns;
    o->budget.begin_ns = time_of(CLOCK_PROCESS_CPUTIME_ID);
}

int tp_outside_probe(struct tp_error *err)
{
    struct tp_perf_rings rings = {0};
    int code = tp_perf_rings_open(&rings, getpid(), TP_OUTSIDE_RATE, false, err);
    tp_perf_rings_release(&rings);
    return code;
}

int tp_outside_begin(struct tp_outside *o, pid_t pid, struct tp_error *err)
{
    o->pid = pid;
    int code = tp_perf_rings_open(&o->rings, pid, o->options.rate_hz, false, err);
    code = code < 0 ? code : tp_arena_run(&o->arena, open_codes, o, err);
    if (code == TP_OK)
        begin(o);
    return code;
}

int tp_outside_fd(const struct tp_outside *o)
{
    return o->watch;
}

/* ---- at once ---- */

static struct tp_outside_note *add_note(struct tp_outside *o, struct tp_pending_record *record)
{
    struct tp_outside_note *note = tp_vec_push(&o->notes);
    *note = (struct tp_outside_note){0};
    record->note = (uint32_t)o->notes.count - 1;
    return note;
}

static bool read_words(struct tp_outside *o, uint32_t pid, struct tp_outside_note *note)
{
    if (!tp_proc_read_words(&o->text, pid))
        return false;
    note->words = (struct tp_str){tp_arena_copy(&o->arena, o->text.data, o->text.size), o->text.size};
    return true;
}

/* The kernel tells the name of a program before it lays out the words. */
static void ask_words(struct tp_outside *o, struct tp_pending_record *record, uint32_t pid)
{
    struct tp_outside_note *note = add_note(o, record);
    if (!read_words(o, pid, note))
        *(struct late *)tp_vec_push(&o->late) = (struct late){record->note, pid, now_ns() + CERTAIN_NS};
}

static void ask_late(struct tp_outside *o)
{
    size_t kept = 0;
    struct late *late = o->late.data;
    for (size_t i = 0; i < o->late.count; i++) {
        bool is_done = read_words(o, late[i].pid, TP_AT(&o->notes, struct tp_outside_note, late[i].note));
        if (!is_done && now_ns() < late[i].until_ns && tp_proc_life(late[i].pid, &o->text) == TP_PROC_ALIVE)
            late[kept++] = late[i];
    }
    o->late.count = kept;
}

/* What a thread of Python does is asked when its sample is told, at once: a moment as random as the sample's. */
static void ask_python(struct tp_outside *o, struct tp_pending_record *record, const struct tp_perf_record *r)
{
    int64_t time_ns = o->python.living_count ? now_ns() : 0;
    if (o->python.living_count && time_ns - (int64_t)r->time_ns < CERTAIN_NS)
        record->python = tp_python_stacks_read(&o->python, r->pid, r->tid, time_ns);
}

static void take(void *context, const struct perf_event_header *head)
{
    struct tp_outside *o = context;
    struct tp_perf_record r;
    if (!tp_perf_record_read(&r, head))
        return;
    bool is_switch = r.type == PERF_RECORD_SAMPLE && tp_perf_rings_is_switch(&o->rings, r.event_id);
    if (r.type == PERF_RECORD_SAMPLE && !is_switch && !tp_own_budget_reads(&o->budget))
        return;
    struct tp_pending_record *record = tp_pending_add(&o->pending, head, (int64_t)r.time_ns);
    if (!record) {
        o->dropped_count++;
        return;
    }
    o->switch_stacks += is_switch;
    tp_python_stacks_take(&o->python, &r);
    tp_made_names_take(&o->made, &r, &o->text);
    tp_still_stacks_take(&o->still, &r, is_switch, record->number);
    if (r.type == PERF_RECORD_FORK && o->is_attached)
        *tp_id_map_put(&o->forked, r.tid) = r.pid;
    if (r.type == PERF_RECORD_SAMPLE && !is_switch)
        ask_python(o, record, &r);
    if (r.type == PERF_RECORD_COMM && r.is_exec)
        ask_words(o, record, r.pid);
    if (r.type == PERF_RECORD_FORK && r.pid != r.parent_pid)
        tp_exit_codes_add(&o->codes, r.pid);
    struct tp_proc_usage usage = {0};
    if (r.type == PERF_RECORD_EXIT && r.pid == r.tid && tp_proc_read_usage(&usage, r.pid, &o->text))
        *add_note(o, record) = (struct tp_outside_note){.usage = usage, .has_usage = true};
}

/* ---- what runs already ---- */

/* A thread that somebody began who was watched is so itself. */
static bool watch_thread(void *context, uint32_t pid, uint32_t tid)
{
    struct tp_outside *o = context;
    bool is_first = tid == (uint32_t)o->pid, is_told = tp_id_map_find(&o->forked, tid) != NULL;
    int error = is_first || is_told ? 0 : tp_perf_rings_add(&o->rings, (pid_t)tid);
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
        read_words(o, r->pid, &note);
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
        tp_perf_rings_read(&o->rings, take, o);
    return TP_OK;
}

int tp_outside_attach(struct tp_outside *o, pid_t pid, struct tp_error *err)
{
    o->pid = pid;
    o->is_attached = true;
    if (tp_proc_life((uint32_t)pid, &o->text) == TP_PROC_OVER)
        return tp_error_set(err, TP_ENOTFOUND, 0, "no process has the number %d", (int)pid);
    int64_t begin_ns = now_ns();
    int code = tp_perf_rings_open(&o->rings, pid, o->options.rate_hz, true, err);
    begin(o);
    o->begin_ns = begin_ns;
    return code < 0 ? code : tp_arena_run(&o->arena, look_at_running, o, err);
}

/* ---- in the order of time ---- */

static void name_made(struct tp_outside *o, const struct tp_outside_process *process)
{
    if (process->maps.has_own_image)
        tp_made_names_read(&o->made, process->pid, process->maps.image);
}

static void take_end(struct tp_outside *o, uint32_t number)
{
    struct tp_outside_process *process = tp_outside_process_at(&o->tree, number);
    bool is_ours = process->pid == (uint32_t)o->pid && !o->is_attached; /* how it ends is told to its parent, which is us */
    process->has_status = tp_exit_codes_take(&o->codes, process->pid, true, &process->status);
    enum tp_proc_life life = process->has_status ? TP_PROC_OVER : tp_proc_life(process->pid, &o->text);
    process->is_out_of_sight = life == TP_PROC_ALIVE;
    o->out_of_sight += process->is_out_of_sight;
    name_made(o, process);
    if (!process->has_status && !process->is_out_of_sight && !is_ours)
        *(struct ending *)tp_vec_push(&o->endings) = (struct ending){number, now_ns() + SECOND_NS};
}

/* The kernel tells the end of the events of a process before it takes its memory back, and then how it ended. */
static void ask_endings(struct tp_outside *o, bool is_last)
{
    struct ending *endings = o->endings.data;
    size_t kept = 0;
    for (size_t i = 0; i < o->endings.count; i++) {
        struct tp_outside_process *process = tp_outside_process_at(&o->tree, endings[i].process);
        bool keeps_asking = !is_last && now_ns() < endings[i].until_ns;
        process->has_status = tp_exit_codes_take(&o->codes, process->pid, keeps_asking, &process->status);
        if (!process->has_status && keeps_asking)
            endings[kept++] = endings[i];
        else
            o->missed_ends += !process->has_status;
    }
    o->endings.count = kept;
}

static void take_until(struct tp_outside *o, int64_t until_ns)
{
    size_t done = 0;
    tp_pending_sort(&o->pending);
    for (; done < o->pending.count && o->pending.records[done].time_ns < until_ns; done++) {
        const struct tp_pending_record *p = &o->pending.records[done];
        struct tp_perf_record r;
        tp_perf_record_read(&r, tp_pending_head(&o->pending, p->at));
        bool is_switch = r.type == PERF_RECORD_SAMPLE && tp_perf_rings_is_switch(&o->rings, r.event_id);
        const struct tp_outside_note python = {.python = p->python, .still_ns = p->still_ns};
        uint32_t ended = tp_outside_tree_take(
            &o->tree, &r, is_switch, p->note != TP_NO_ID ? TP_AT(&o->notes, struct tp_outside_note, p->note) : &python);
        if (ended != TP_NO_ID)
            take_end(o, ended);
    }
    tp_pending_drop(&o->pending, done);
    if (!o->pending.count)
        o->notes.count = o->late.count = 0;
}

/* ---- what only a living process tells ---- */

/* Without stacks of the kernel: in which call threads wait that were blocked when the tree was last brought up to date,
 * and still are. Shorter waits are estimated by these. */
static void ask_waits(struct tp_outside *o)
{
    enum { VISITED = 512, ASKED = 64 };
    uint32_t count = (uint32_t)o->tree.threads.count;
    for (uint32_t i = 0, asked = 0; i < count && i < VISITED && asked < ASKED; i++) {
        const struct tp_outside_thread *thread = tp_outside_thread_at(&o->tree, o->next_thread++ % count);
        struct tp_outside_change *change = TP_AT(&o->tree.changes, struct tp_outside_change, thread->last_change);
        if (thread->is_over || thread->state != TP_OUTSIDE_BLOCKED || change->call || change->stack)
            continue;
        change->call = tp_proc_wait(&o->text, tp_outside_process_at(&o->tree, thread->process)->pid, thread->tid);
        asked++;
    }
}

/* ---- looks ---- */

/* While a program runs Python each sample wakes us: half of it is what its interpreter does at this moment. So it does
 * where a ring was full once. */
static void watch_samples(struct tp_outside *o)
{
    bool is_wanted = o->python.living_count > 0 || o->tree.lost_count > 0;
    for (size_t i = 0; i < o->rings.count && is_wanted != o->are_samples_watched; i++) {
        if (!o->rings.rings[i].is_of_names && is_wanted)
            watch(o, o->rings.rings[i].fd);
        else if (!o->rings.rings[i].is_of_names)
            epoll_ctl(o->watch, EPOLL_CTL_DEL, o->rings.rings[i].fd, NULL);
    }
    o->are_samples_watched = is_wanted;
}

/* What a thread that runs now has used counts, too, or one that is never switched out would have used nothing. */
static int64_t program_ns(const struct tp_outside *o, int64_t time_ns)
{
    enum { VISITED = 64 };
    int64_t used_ns = o->tree.running_ns;
    for (uint32_t i = 0; i < o->tree.threads.count && i < VISITED; i++) {
        const struct tp_outside_thread *thread = tp_outside_thread_at(&o->tree, i);
        if (!thread->is_over && thread->state == TP_OUTSIDE_RUNNING && time_ns > thread->since_ns)
            used_ns += time_ns - thread->since_ns;
    }
    return used_ns;
}

static void keep_budget(struct tp_outside *o, int64_t time_ns)
{
    tp_own_budget_look(&o->budget, time_of(CLOCK_PROCESS_CPUTIME_ID), program_ns(o, time_ns), time_ns);
    if (tp_own_budget_has_wait_stacks(&o->budget))
        tp_perf_rings_budget(&o->rings, o->switch_stacks, time_ns);
    else
        tp_perf_rings_end_stacks(&o->rings);
}

static int look(void *context, struct tp_error *err)
{
    struct tp_outside *o = context;
    int64_t time_ns = now_ns();
    (void)err;
    o->switch_stacks = 0;
    tp_perf_rings_read(&o->rings, take, o);
    tp_exit_codes_read(&o->codes);
    ask_endings(o, false);
    ask_late(o);
    if (tp_own_budget_has_room(&o->budget, time_of(CLOCK_PROCESS_CPUTIME_ID), program_ns(o, time_ns)))
        tp_still_stacks_read(&o->still, &o->pending, &o->python, o->rings.dump_bytes, now_ns);
    else
        tp_still_stacks_skip(&o->still);
    watch_samples(o);
    keep_budget(o, time_ns);
    if (time_ns - o->looked_ns >= LOOK_NS / 2) {
        take_until(o, time_ns - CERTAIN_NS);
        if (o->rings.is_user_only)
            ask_waits(o);
        o->looked_ns = time_ns;
    }
    int64_t pause_ns = time_ns - o->begin_ns < OFTEN_NS ? LOOK_NS / 2 : SECOND_NS;
    if (time_ns - o->usage.time_ns >= pause_ns)
        tp_usage_looks_look(&o->usage, &o->tree, &o->text, time_ns);
    return TP_OK;
}

/* What was seen so far stays; the program goes on without events. */
static void stop(struct tp_outside *o)
{
    o->stopped_ns = o->tree.last_ns ? o->tree.last_ns : o->begin_ns;
    o->pending.count = 0;
    tp_perf_rings_close(&o->rings);
}

void tp_outside_look(void *outside)
{
    struct tp_outside *o = outside;
    struct epoll_event events[16];
    uint64_t ticks;
    while (read(o->timer, &ticks, sizeof ticks) > 0 ||
           epoll_wait(o->watch, events, sizeof events / sizeof *events, 0) > 0)
        ; /* what is ready is told once: all of it is read below */
    if (!o->begin_ns || o->stopped_ns)
        return;
    if (tp_arena_run(&o->arena, look, o, NULL) < 0)
        stop(o);
    set_timer(o, o->late.count ? SOON_NS : LOOK_NS);
}

/* The program's own words are known, also where it was over before they could be asked for. */
static void tell_words(struct tp_outside *o, struct tp_outside_process *root)
{
    struct tp_buf words;
    if (!root->exec_count || root->programs[0].words.len)
        return;
    tp_buf_init(&words, TP_MAX_OUTSIDE_WORDS_BYTES);
    for (char *const *word = o->options.argv; *word; word++)
        tp_buf_add(&words, *word, strlen(*word) + 1);
    words.failed = 0; /* the first ones */
    size_t size = words.size;
    root->programs[0].words = (struct tp_str){tp_buf_move(&words, &o->arena), size};
    o->tree.missed_words--;
}

static int finish(void *context, struct tp_error *err)
{
    struct tp_outside *o = context;
    look(o, err);
    take_until(o, INT64_MAX);
    ask_endings(o, true);
    const uint32_t *root = tp_id_map_find(&o->tree.process_ids, (uint32_t)o->pid);
    if (root)
        tell_words(o, tp_outside_process_at(&o->tree, *root));
    for (uint32_t i = 0; i < o->tree.processes.count; i++)
        if (!tp_outside_process_at(&o->tree, i)->is_over)
            name_made(o, tp_outside_process_at(&o->tree, i));
    return TP_OK;
}

void tp_outside_end(struct tp_outside *o, const int *status)
{
    const struct timespec moment = {.tv_nsec = END_NS};
    nanosleep(&moment, NULL);
    if (!o->stopped_ns && tp_arena_run(&o->arena, finish, o, NULL) < 0)
        stop(o);
    o->end_ns = o->stopped_ns ? o->stopped_ns : now_ns();
    o->own_ns = time_of(CLOCK_PROCESS_CPUTIME_ID) - o->budget.begin_ns;
    const uint32_t *root = tp_id_map_find(&o->tree.process_ids, (uint32_t)o->pid);
    if (root && status) {
        struct tp_outside_process *process = tp_outside_process_at(&o->tree, *root);
        process->has_status = true;
        process->status = *status;
    }
    tp_outside_tree_end(&o->tree, o->end_ns);
}

/* ---- afterwards ---- */

int tp_outside_write(struct tp_outside *o, const char *path, struct tp_error *err)
{
    struct tp_outside_seen seen = tp_outside_seen(o);
    struct tp_buf json;
    const char *slash = strrchr(o->options.argv[0], '/');
    tp_buf_init(&json, 0);
    tp_outside_put(&json, &seen);
    const struct tp_outside_trace trace = {.tree = &o->tree,
                                           .looks = &o->usage.looks,
                                           .clock_ns = o->clock_ns,
                                           .begin_ns = o->begin_ns,
                                           .end_ns = o->end_ns,
                                           .name = tp_str_of(slash ? slash + 1 : o->options.argv[0]),
                                           .seen = {json.data, json.size}};
    int code =
        json.failed ? tp_error_set(err, TP_ENOMEM, 0, "out of memory") : tp_outside_trace_write(&trace, path, err);
    tp_buf_release(&json);
    return code;
}

size_t tp_outside_living(const struct tp_outside *o, struct tp_buf *names)
{
    return tp_outside_tree_living(&o->tree, names);
}

struct tp_outside_seen tp_outside_seen(const struct tp_outside *o)
{
    return (struct tp_outside_seen){.process_count = o->tree.processes.count,
                                    .thread_count = o->tree.threads.count,
                                    .sample_count = o->tree.samples.count,
                                    .lost_count = o->tree.lost_count + o->dropped_count,
                                    .missed_words = o->tree.missed_words,
                                    .missed_ends = o->missed_ends,
                                    .out_of_sight = o->out_of_sight,
                                    .stacks_left_out = o->rings.windows_spent,
                                    .whole_waits = o->tree.whole_wait_count,
                                    .own_ns = o->own_ns,
                                    .budget_level = o->budget.level,
                                    .unwatched = o->unwatched,
                                    .cut_count = o->tree.whole.cut_count,
                                    .dump_bytes = o->rings.dump_bytes,
                                    .python_count = o->tree.python_count,
                                    .python_unaligned = o->tree.unaligned_count,
                                    .python_failed = o->python.failed_count,
                                    .python_unknown = o->python.unknown_count,
                                    .is_user_only = o->rings.is_user_only,
                                    .stopped_after_ns = o->stopped_ns ? o->stopped_ns - o->begin_ns : 0};
}
