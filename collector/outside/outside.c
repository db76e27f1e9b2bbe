/* Records programs from outside: see outside.h.
 *
 * Each poll reads the rings. It immediately reads data that only a living process has: its arguments, and at its exit
 * its memory and I/O. Then the poll passes records to the process tree, but only records that are old enough for their
 * order to be certain. */
#include "collector/outside/outside.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "collector/outside/outside_recorder.h"
#include "collector/outside/polling/inside_samples.h"
#include "collector/outside/trace/outside_trace.h"
#include "writer/base/limits.h"
#include "writer/base/path.h"

/* maximum number of waits whose system call is read in a poll; without stacks, more waits are read */
enum { MOST_WAITS_READ = 16, MOST_WAITS_READ_WITHOUT_STACKS = 64 };
enum {
    POLL_INTERVAL_NS = 20000000,     /* interval between two polls of the rings, ns */
    SHORT_POLL_INTERVAL_NS = 100000, /* interval between polls while the arguments of a new program are missing, ns */
    EXIT_REPORT_WAIT_NS = 2000000,   /* time to wait for the connector's last reports of exits, ns */
    CERTAIN_AGE_NS = 20000000, /* age from which a record is certainly in its ring, ns; arguments missing at this age
                                * stay unknown */
};
/* first part of the recording, in which each poll reads memory and I/O; later polls do so once a second */
#define FREQUENT_USAGE_POLL_NS (60 * TP_SECOND_NS)

/* ---- start and end ---- */

static int init_outside_recorder(void *context, struct tp_error *err)
{
    struct tp_outside *o = context;
    (void)err;
    tp_outside_tree_init(&o->tree, &o->arena);
    tp_python_stacks_init(&o->python, &o->arena, &o->tree.places);
    tp_jit_names_init(&o->made, &o->arena, &o->tree.places);
    tp_record_notes_init(&o->notes, &o->arena);
    tp_late_exits_init(&o->late_exit_list, &o->arena);
    tp_usage_polls_init(&o->usage, &o->arena);
    tp_watched_processes_init(&o->watched, &o->arena);
    return TP_OK;
}

static void watch_descriptor_for_input(struct tp_outside *o, int fd)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = fd};
    if (fd >= 0)
        epoll_ctl(o->watch, EPOLL_CTL_ADD, fd, &event);
}

static long pause_ns(const struct tp_outside *o)
{
    return o->mode == TP_OUTSIDE_POLLING ? TP_POLLED_PAUSE_NS : POLL_INTERVAL_NS;
}

static void set_timer(const struct tp_outside *o, long first_ns)
{
    const struct itimerspec when = {.it_value = {.tv_nsec = first_ns}, .it_interval = {.tv_nsec = pause_ns(o)}};
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
    tp_buf_init(&o->text, TP_MAX_OUTSIDE_ARGUMENT_BYTES);
    tp_pending_init(&o->pending);
    tp_arena_init(&o->arena, TP_MAX_OUTSIDE_BYTES);
    int code = tp_arena_run(&o->arena, init_outside_recorder, o, err);
    if (code == TP_OK && (o->watch < 0 || o->timer < 0))
        code = tp_error_set(err, TP_EIO, 0, "no file descriptor is available");
    watch_descriptor_for_input(o, o->timer);
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
    tp_outside_backup_end(&o->keeper);
    tp_outside_tree_release(&o->tree);
    tp_perf_rings_release(&o->rings);
    tp_python_stacks_release(&o->python);
    tp_jit_names_release(&o->made);
    tp_exit_codes_release(&o->codes);
    tp_pending_release(&o->pending);
    tp_running_tree_release(&o->running);
    tp_polling_recorder_release(&o->looked);
    tp_buf_release(&o->text);
    tp_arena_release(&o->arena);
    if (o->watch >= 0)
        close(o->watch);
    if (o->timer >= 0)
        close(o->timer);
    free(o);
}

static int open_exit_codes(void *context, struct tp_error *err)
{
    struct tp_outside *o = context;
    (void)err;
    if (o->mode == TP_OUTSIDE_WHOLE)
        tp_watched_processes_add(&o->watched, (uint32_t)o->pid, tp_outside_now_ns());
    tp_exit_codes_open(&o->codes, &o->arena);
    tp_exit_codes_add_process(&o->codes, (uint32_t)o->pid);
    return TP_OK;
}

void tp_outside_start(struct tp_outside *o)
{
    for (size_t i = 0; i < o->rings.count; i++)
        if (o->rings.rings[i].is_name_ring)
            watch_descriptor_for_input(o, o->rings.rings[i].fd);
    set_timer(o, pause_ns(o));
    o->begin_ns = o->polled_ns = o->usage.time_ns = tp_outside_now_ns();
    o->clock_ns = tp_outside_clock_ns(CLOCK_REALTIME) - o->begin_ns;
    o->budget.begin_ns = tp_outside_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    tp_throttling_begin(&o->throttling, (uint32_t)o->pid, &o->text);
}

int tp_outside_probe(struct tp_error *err)
{
    struct tp_perf_rings rings = {0};
    int code = tp_perf_rings_open(&rings, getpid(), TP_OUTSIDE_RATE, false, err);
    tp_perf_rings_release(&rings);
    return code;
}

static void handle_process_end(void *outside, uint32_t number);

int tp_outside_begin_polling(void *context, struct tp_error *err)
{
    struct tp_outside *o = context;
    (void)err;
    if (o->is_attached)
        tp_exit_codes_open(&o->codes, &o->arena);
    tp_polling_recorder_begin(&o->looked, (uint32_t)o->pid, o->begin_ns, o->is_attached);
    for (size_t i = 1; i < o->roots.count; i++)
        tp_proc_tree_add_process(&o->looked.proc, *TP_AT(&o->roots, uint32_t, i));
    o->looked.proc.left_out = o->is_of_user ? (uint32_t)getpid() : 0;
    return TP_OK;
}

/* Prepares polling of /proc if the kernel refuses events. Returns false if /proc is not sufficient either. */
static bool prepare_polling(struct tp_outside *o)
{
    if (!tp_proc_tree_is_supported(&o->text))
        return false;
    tp_perf_rings_release(&o->rings);
    o->mode = TP_OUTSIDE_POLLING;
    o->looked = (struct tp_polling_recorder){.arena = &o->arena,
                                             .tree = &o->tree,
                                             .codes = &o->codes,
                                             .budget = &o->budget,
                                             .python = &o->python,
                                             .text = &o->text,
                                             .ended = handle_process_end,
                                             .context = o,
                                             .now_ns = tp_outside_now_ns};
    return true;
}

/* Opens events of whole CPUs if they are wanted, or if each fork would have to inherit the events of many CPUs.
 * Otherwise opens inherited events. */
static int open_rings(struct tp_outside *o, pid_t pid)
{
    if (o->options.is_whole || tp_perf_rings_has_many_cpus()) {
        if (tp_perf_rings_open(&o->rings, -1, o->options.rate_hz, true, NULL) == TP_OK) {
            o->mode = TP_OUTSIDE_WHOLE;
            o->tree.has_events_of_cpus = true;
            return TP_OK;
        }
        tp_perf_rings_release(&o->rings);
        o->is_whole_refused = o->options.is_whole;
    }
    return tp_perf_rings_open(&o->rings, pid, o->options.rate_hz, o->is_attached, &o->refused);
}

int tp_outside_open(struct tp_outside *o, pid_t pid)
{
    int code = open_rings(o, pid);
    bool is_ours = !o->is_attached || geteuid() == 0 || tp_proc_is_same_user((uint32_t)pid);
    bool may_look = code == TP_EUNSUPPORTED && is_ours;
    return may_look && prepare_polling(o) ? TP_OK : code;
}

int tp_outside_begin(struct tp_outside *o, pid_t pid, struct tp_error *err)
{
    o->pid = pid;
    int code = tp_outside_open(o, pid);
    if (code < 0)
        return tp_error_set(err, code, 0, "%s", o->refused.text);
    code = tp_arena_run(&o->arena, open_exit_codes, o, err);
    if (code == TP_OK)
        tp_outside_start(o);
    return code < 0 || o->mode != TP_OUTSIDE_POLLING ? code : tp_arena_run(&o->arena, tp_outside_begin_polling, o, err);
}

int tp_outside_fd(const struct tp_outside *o)
{
    return o->watch;
}

/* ---- reading records ---- */

/* Reads a thread's Python frames as soon as its sample arrives, so that the moment of reading is as random as the
 * sample. */
static void read_python_frames(struct tp_outside *o, struct tp_pending_record *record, const struct tp_perf_record *r)
{
    int64_t time_ns = o->python.processes.living_count ? tp_outside_now_ns() : 0;
    if (o->python.processes.living_count && time_ns - (int64_t)r->time_ns < CERTAIN_AGE_NS)
        record->python = tp_python_stacks_read(&o->python, r->pid, r->tid, time_ns);
}

/* Returns whether a record belongs to a process outside the recording. Events of a whole CPU produce such records. Adds
 * every 16th context switch of these processes to the count that limits stacks, because stacks slow these processes
 * too. */
static bool is_of_other_process(struct tp_outside *o, const struct tp_perf_record *r, bool is_switch)
{
    enum { OTHERS_PER_OURS = 16 };
    if (r->type == PERF_RECORD_LOST || tp_watched_processes_has(&o->watched, r->pid))
        return false;
    if (is_switch)
        o->switch_stacks_in_poll += ++o->stacks_of_other_processes % OTHERS_PER_OURS == 0;
    return true;
}

/* Returns whether the process of an EXIT record still lives. With events of whole CPUs, the kernel also writes an EXIT
 * record when exec changes the rights of a process. The kernel then continues to report events of the process. */
static bool is_exit_record_of_living_process(struct tp_outside *o, const struct tp_perf_record *r)
{
    return r->type == PERF_RECORD_EXIT && r->pid == r->tid && tp_proc_life(r->pid, &o->text) == TP_PROC_ALIVE;
}

static void handle_event_record(void *context, const struct perf_event_header *head)
{
    struct tp_outside *o = context;
    struct tp_perf_record r;
    if (!tp_perf_record_read(&r, head))
        return;
    bool is_switch = r.type == PERF_RECORD_SAMPLE && tp_perf_rings_is_switch_event(&o->rings, r.event_id);
    if (o->mode == TP_OUTSIDE_WHOLE &&
        (is_of_other_process(o, &r, is_switch) || is_exit_record_of_living_process(o, &r)))
        return;
    if (r.type == PERF_RECORD_SAMPLE && !is_switch && !tp_recorder_budget_reads_sample(&o->budget))
        return;
    struct tp_pending_record *record = tp_pending_add_record(&o->pending, head, (int64_t)r.time_ns);
    if (!record) {
        o->dropped_count++;
        return;
    }
    o->switch_stacks_in_poll += is_switch;
    o->thread_records +=
        (r.type == PERF_RECORD_FORK && r.pid == r.parent_pid) || (r.type == PERF_RECORD_EXIT && r.pid != r.tid);
    tp_python_stacks_handle_record(&o->python, &r);
    tp_jit_names_handle_record(&o->made, &r, &o->text);
    tp_waiting_stacks_handle_record(&o->still, &r, is_switch, record->number);
    if (r.type == PERF_RECORD_FORK && o->is_attached)
        *tp_id_map_find_or_add(&o->forked, r.tid) = r.pid;
    if (r.type == PERF_RECORD_SAMPLE && !is_switch)
        read_python_frames(o, record, &r);
    if (r.type == PERF_RECORD_COMM && r.is_exec)
        tp_record_notes_request_arguments(&o->notes, record, r.pid, tp_outside_now_ns() + CERTAIN_AGE_NS, &o->text);
    if (r.type == PERF_RECORD_FORK && r.pid != r.parent_pid)
        tp_exit_codes_add_process(&o->codes, r.pid);
    struct tp_proc_usage usage = {0};
    if (r.type == PERF_RECORD_EXIT && r.pid == r.tid && tp_proc_read_usage(&usage, r.pid, &o->text))
        *tp_record_note_add(&o->notes, record) = (struct tp_outside_note){.usage = usage, .has_usage = true};
}

void tp_outside_read_rings(struct tp_outside *o)
{
    if (o->mode == TP_OUTSIDE_WHOLE) {
        tp_perf_rings_scan(&o->rings, tp_watched_processes_store_fork, &o->watched);
        tp_watched_processes_add_forks(&o->watched);
    }
    tp_perf_rings_read(&o->rings, handle_event_record, o);
}

/* ---- processing records in the order of time ---- */

static void read_names_of_generated_code(struct tp_outside *o, const struct tp_outside_process *process)
{
    if (process->maps.has_image_of_this_process)
        tp_jit_names_read(&o->made, process->pid, process->maps.image);
}

static void handle_process_end(void *outside, uint32_t number)
{
    struct tp_outside *o = outside;
    struct tp_outside_process *process = tp_outside_process_at(&o->tree, number);
    bool is_ours = process->pid == (uint32_t)o->pid && !o->is_attached; /* true for a child of this process, whose exit
                                                                         * status this process gets as the parent */
    process->has_status = tp_exit_codes_find_status(&o->codes, process->pid, true, &process->status);
    enum tp_proc_life life = process->has_status ? TP_PROC_OVER : tp_proc_life(process->pid, &o->text);
    process->is_out_of_sight = life == TP_PROC_ALIVE;
    o->out_of_sight += process->is_out_of_sight;
    read_names_of_generated_code(o, process);
    if (!process->has_status && !process->is_out_of_sight && !is_ours)
        tp_late_exits_add(&o->late_exit_list, number, tp_outside_now_ns() + TP_SECOND_NS);
}

static void handle_records_until(struct tp_outside *o, int64_t until_ns)
{
    size_t done = 0;
    tp_pending_sort_records(&o->pending);
    for (; done < o->pending.count && o->pending.records[done].time_ns < until_ns; done++) {
        const struct tp_pending_record *p = &o->pending.records[done];
        struct tp_perf_record r;
        tp_perf_record_read(&r, tp_pending_header_at(&o->pending, p->at));
        bool is_switch = r.type == PERF_RECORD_SAMPLE && tp_perf_rings_is_switch_event(&o->rings, r.event_id);
        const struct tp_outside_note python = {.python = p->python, .wait_read_ns = p->wait_read_ns};
        const struct tp_outside_note *note = tp_record_note_find(&o->notes, p);
        uint32_t ended = tp_outside_tree_handle_record(&o->tree, &r, is_switch, note ? note : &python);
        if (ended != TP_NO_ID)
            handle_process_end(o, ended);
    }
    tp_pending_remove_first_records(&o->pending, done);
    if (!o->pending.count)
        tp_record_notes_clear(&o->notes);
}

/* ---- polling ---- */

/* Makes each sample wake this process in two cases: while a program runs Python, because Python frames must be read at
 * the moment of the sample, and after a ring was full. */
static void wake_at_samples_of_python(struct tp_outside *o)
{
    bool is_wanted = o->python.processes.living_count > 0 || o->tree.lost_count > 0;
    for (size_t i = 0; i < o->rings.count && is_wanted != o->do_samples_wake_recorder; i++) {
        if (!o->rings.rings[i].is_name_ring && is_wanted)
            watch_descriptor_for_input(o, o->rings.rings[i].fd);
        else if (!o->rings.rings[i].is_name_ring)
            epoll_ctl(o->watch, EPOLL_CTL_DEL, o->rings.rings[i].fd, NULL);
    }
    o->do_samples_wake_recorder = is_wanted;
}

static void update_recorder_budget(struct tp_outside *o, int64_t time_ns)
{
    const int64_t own_ns = tp_outside_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    tp_recorder_budget_update(&o->budget, own_ns, tp_outside_tree_running_ns(&o->tree, time_ns), time_ns);
    if (tp_recorder_budget_has_wait_stacks(&o->budget))
        tp_perf_rings_limit_stacks(&o->rings, o->switch_stacks_in_poll, time_ns);
    else
        tp_perf_rings_end_stacks(&o->rings);
}

/* Polls once: reads the rings and /proc. */
static void read_rings_and_proc(struct tp_outside *o, int64_t time_ns)
{
    o->switch_stacks_in_poll = o->thread_records = 0;
    tp_outside_read_rings(o);
    tp_perf_rings_pause_names(&o->rings, o->thread_records, time_ns);
    tp_exit_codes_read(&o->codes);
    tp_late_exits_check(&o->late_exit_list, &o->tree, &o->codes, tp_outside_now_ns());
    tp_record_notes_retry_arguments(&o->notes, tp_outside_now_ns(), &o->text);
    if (tp_recorder_budget_has_room(&o->budget, tp_outside_clock_ns(CLOCK_PROCESS_CPUTIME_ID),
                                    tp_outside_tree_running_ns(&o->tree, time_ns)))
        tp_waiting_stacks_read(&o->still, &o->pending, &o->python, o->rings.dump_bytes, tp_outside_now_ns);
    else
        tp_waiting_stacks_skip_waits(&o->still);
    wake_at_samples_of_python(o);
    update_recorder_budget(o, time_ns);
    if (time_ns - o->polled_ns >= POLL_INTERVAL_NS / 2) {
        handle_records_until(o, time_ns - CERTAIN_AGE_NS);
        /* without stacks, more waits are examined, because reading a system call is cheap */
        tp_outside_tree_read_waits(&o->tree, &o->next_thread,
                                   o->rings.is_user_only ? MOST_WAITS_READ_WITHOUT_STACKS : MOST_WAITS_READ, &o->text);
        o->polled_ns = time_ns;
    }
}

static int poll_recorder_once(void *context, struct tp_error *err)
{
    struct tp_outside *o = context;
    int64_t time_ns = tp_outside_now_ns();
    (void)err;
    if (o->mode == TP_OUTSIDE_POLLING)
        tp_polling_recorder_poll(&o->looked, tp_outside_clock_ns(CLOCK_PROCESS_CPUTIME_ID), false);
    else
        read_rings_and_proc(o, time_ns);
    if (o->find_new_processes)
        o->find_new_processes(o, time_ns);
    int64_t least_ns = time_ns - o->begin_ns < FREQUENT_USAGE_POLL_NS ? POLL_INTERVAL_NS / 2 : TP_SECOND_NS;
    if (time_ns - o->usage.time_ns >= least_ns)
        tp_usage_polls_read(&o->usage, &o->tree, &o->text, time_ns);
    return TP_OK;
}

/* Ends the recording early and closes the events. The recorded data is kept, and the program continues. */
static void stop_recording_early(struct tp_outside *o)
{
    o->recording_stopped_ns = o->tree.last_ns ? o->tree.last_ns : o->begin_ns;
    o->pending.count = 0;
    tp_perf_rings_close(&o->rings);
}

void tp_outside_set_backup_writer(struct tp_outside *o, void (*save)(void *context), void *context, int kept_fd)
{
    o->keeper = (struct tp_outside_backup){
        .copied_ns = tp_outside_now_ns(), .kept_fd = kept_fd, .save = save, .context = context};
}

/* Writes the trace and exits, in a copy of a recorder that was killed. The copy has closed all event descriptors. */
static void write_trace_in_copy(struct tp_outside *o)
{
    o->pending.count = 0;
    o->recording_stopped_ns = o->end_ns = o->tree.last_ns ? o->tree.last_ns : o->begin_ns;
    o->own_ns = tp_outside_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    tp_outside_tree_end(&o->tree, o->end_ns);
    o->keeper.save(o->keeper.context);
    _exit(0);
}

void tp_outside_poll(void *outside)
{
    struct tp_outside *o = outside;
    struct epoll_event events[16];
    uint64_t ticks;
    while (read(o->timer, &ticks, sizeof ticks) > 0 ||
           epoll_wait(o->watch, events, sizeof events / sizeof *events, 0) > 0)
        ; /* resets the wake-up descriptor; all rings are read below */
    if (!o->begin_ns || o->recording_stopped_ns)
        return;
    if (tp_arena_run(&o->arena, poll_recorder_once, o, NULL) < 0)
        stop_recording_early(o);
    set_timer(o, o->notes.late.count ? SHORT_POLL_INTERVAL_NS : pause_ns(o));
    if (tp_outside_backup_renew(&o->keeper, tp_outside_now_ns()))
        write_trace_in_copy(o);
}

static int poll_processes_last_time(void *context, struct tp_error *err)
{
    struct tp_outside *o = context;
    (void)err;
    tp_polling_recorder_poll(&o->looked, 0, true);
    return TP_OK;
}

void tp_outside_read_last_facts(void *outside)
{
    struct tp_outside *o = outside;
    if (o->mode == TP_OUTSIDE_POLLING && o->begin_ns && !o->recording_stopped_ns &&
        tp_arena_run(&o->arena, poll_processes_last_time, o, NULL) < 0)
        stop_recording_early(o);
}

static int finish_outside_recording(void *context, struct tp_error *err)
{
    struct tp_outside *o = context;
    if (o->mode == TP_OUTSIDE_POLLING) {
        poll_processes_last_time(o, err);
        tp_polling_recorder_end(&o->looked);
    } else {
        poll_recorder_once(o, err);
        handle_records_until(o, INT64_MAX);
    }
    tp_late_exits_check(&o->late_exit_list, &o->tree, &o->codes, INT64_MAX);
    const uint32_t *root = tp_id_map_find(&o->tree.process_ids, (uint32_t)o->pid);
    if (root && !o->is_of_user)
        tp_outside_tree_set_arguments(&o->tree, *root, o->options.argv);
    for (uint32_t i = 0; i < o->tree.processes.count; i++)
        if (!tp_outside_process_at(&o->tree, i)->is_over)
            read_names_of_generated_code(o, tp_outside_process_at(&o->tree, i));
    return TP_OK;
}

void tp_outside_end(struct tp_outside *o, const int *status)
{
    const struct timespec moment = {.tv_nsec = EXIT_REPORT_WAIT_NS};
    tp_outside_backup_end(&o->keeper);
    nanosleep(&moment, NULL);
    if (!o->recording_stopped_ns && tp_arena_run(&o->arena, finish_outside_recording, o, NULL) < 0)
        stop_recording_early(o);
    o->end_ns = o->recording_stopped_ns ? o->recording_stopped_ns : tp_outside_now_ns();
    o->own_ns = tp_outside_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - o->budget.begin_ns;
    const uint32_t *root = tp_id_map_find(&o->tree.process_ids, (uint32_t)o->pid);
    if (root && status) {
        struct tp_outside_process *process = tp_outside_process_at(&o->tree, *root);
        process->has_status = true;
        process->status = *status;
    }
    tp_outside_tree_end(&o->tree, o->end_ns);
    o->is_throttling_known = tp_throttling_end(&o->throttling, &o->throttled);
}

/* ---- after the end of the recording ---- */

struct inside {
    struct tp_outside *outside;
    const char *folder;
};

static int add_inside_samples(void *context, struct tp_error *err)
{
    const struct inside *inside = context;
    (void)err;
    tp_inside_samples_add(&inside->outside->tree, inside->folder, inside->outside->clock_ns);
    return TP_OK;
}

void tp_outside_add_inside(struct tp_outside *o, const char *folder)
{
    if (o->mode == TP_OUTSIDE_POLLING && !o->recording_stopped_ns)
        tp_arena_run(&o->arena, add_inside_samples, &(struct inside){o, folder}, NULL);
}

int tp_outside_write(struct tp_outside *o, const char *path, struct tp_error *err)
{
    struct tp_outside_seen seen = tp_outside_seen(o);
    struct tp_buf json;
    tp_buf_init(&json, 0);
    tp_outside_put_missed_json(&json, &seen);
    const struct tp_outside_trace trace = {.tree = &o->tree,
                                           .looks = &o->usage.looks,
                                           .clock_ns = o->clock_ns,
                                           .begin_ns = o->begin_ns,
                                           .end_ns = o->end_ns,
                                           .name = tp_str_of(tp_path_base(o->options.argv[0])),
                                           .seen = {json.data, json.size}};
    int code =
        json.failed ? tp_error_set(err, TP_ENOMEM, 0, "out of memory") : tp_outside_trace_write(&trace, path, err);
    tp_buf_release(&json);
    return code;
}

size_t tp_outside_list_running(const struct tp_outside *o, struct tp_buf *names)
{
    return tp_outside_tree_list_running(&o->tree, names);
}
