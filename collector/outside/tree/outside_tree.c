/* Builds processes, threads and states from records: see outside_tree.h. */
#include "collector/outside/tree/outside_tree.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/outside/events/perf_rings.h"
#include "collector/outside/stacks/mixed_stacks.h"
#include "collector/outside/waits/proc_waits.h"
#include "writer/base/limits.h"

/* A thread that has started this many threads gets an additional event that only this thread uses. Threads with equal
 * inherited events exchange them at a context switch, including the count to the next sample. So short-lived threads
 * would never be sampled. The additional event prevents the exchange, but makes the thread's switches slower. Therefore
 * only threads that start many others get one. */
enum { STARTS_MANY_THREADS = 8 };

void tp_outside_tree_init(struct tp_outside_tree *tree, struct tp_arena *arena)
{
    *tree = (struct tp_outside_tree){.arena = arena,
                                     .processes = TP_VEC(arena, struct tp_outside_process),
                                     .threads = TP_VEC(arena, struct tp_outside_thread),
                                     .changes = TP_VEC(arena, struct tp_outside_change),
                                     .samples = TP_VEC(arena, struct tp_outside_sample)};
    tp_code_places_init(&tree->places, arena);
    tp_id_map_init(&tree->process_ids, arena);
    tp_id_map_init(&tree->thread_ids, arena);
}

/* ---- states ---- */

static void add_state_change(struct tp_outside_tree *tree, uint32_t number, enum tp_thread_state state, uint32_t stack)
{
    struct tp_outside_thread *thread = tp_outside_thread_at(tree, number);
    thread->state = state;
    thread->last_change = (uint32_t)tree->changes.count;
    *(struct tp_outside_change *)tp_vec_push(&tree->changes) =
        (struct tp_outside_change){.time_ns = thread->since_ns, .thread = number, .stack = stack, .state = state};
}

/* Adds the time of the state that ends now to the thread's totals. If the record is from before the start of the state,
 * because records of two CPUs can be out of order, adds 0. */
static void add_time_of_ended_state(struct tp_outside_tree *tree, struct tp_outside_thread *thread, int64_t time_ns)
{
    time_ns = time_ns > thread->since_ns ? time_ns : thread->since_ns;
    thread->total_ns[thread->state] += time_ns - thread->since_ns;
    if (thread->state == TP_STATE_RUNNING) {
        tp_outside_process_at(tree, thread->process)->running_ns += time_ns - thread->since_ns;
        tree->running_ns += time_ns - thread->since_ns;
    }
    thread->since_ns = time_ns;
}

static void end_thread(struct tp_outside_tree *tree, struct tp_outside_thread *thread, int64_t time_ns)
{
    struct tp_outside_process *process = tp_outside_process_at(tree, thread->process);
    if (thread->is_over)
        return;
    add_time_of_ended_state(tree, thread, time_ns);
    thread->end_ns = thread->since_ns;
    thread->is_over = true;
    if (thread->apart >= 0)
        close(thread->apart);
    thread->apart = -1;
    process->living_count--;
    process->end_ns = process->end_ns > thread->end_ns ? process->end_ns : thread->end_ns;
}

static uint32_t add_thread(struct tp_outside_tree *tree, uint32_t tid, uint32_t process, int64_t time_ns,
                           enum tp_thread_state state)
{
    uint32_t number = (uint32_t)tree->threads.count;
    *(struct tp_outside_thread *)tp_vec_push(&tree->threads) = (struct tp_outside_thread){
        .tid = tid, .process = process, .begin_ns = time_ns, .since_ns = time_ns, .apart = -1};
    tp_outside_process_at(tree, process)->living_count++;
    *tp_id_map_find_or_add(&tree->thread_ids, tid) = number;
    add_state_change(tree, number, state, 0);
    return number;
}

/* ---- processes ---- */

static uint32_t add_process(struct tp_outside_tree *tree, uint32_t pid, uint32_t parent, int64_t time_ns)
{
    uint32_t number = (uint32_t)tree->processes.count;
    struct tp_outside_process *process = tp_vec_push(&tree->processes);
    *process = (struct tp_outside_process){.pid = pid, .parent = parent, .begin_ns = time_ns, .end_ns = time_ns};
    if (parent != TP_NO_ID) {
        const struct tp_outside_process *from = tp_outside_process_at(tree, parent);
        process->maps = from->maps;
        process->maps.room = 0;
        process->maps.has_image_of_this_process = false;
        process->programs = from->program_count ? from->programs + from->program_count - 1 : NULL;
        process->program_count = from->program_count > 0;
    }
    *tp_id_map_find_or_add(&tree->process_ids, pid) = number;
    return number;
}

static void handle_fork(struct tp_outside_tree *tree, const struct tp_perf_record *r)
{
    uint32_t process = tp_id_map_get(&tree->process_ids, r->pid),
             maker = tp_id_map_get(&tree->thread_ids, r->parent_tid);
    uint32_t known = tree->has_events_of_cpus ? tp_id_map_get(&tree->thread_ids, r->tid) : TP_NO_ID;
    if (known != TP_NO_ID && !tp_outside_thread_at(tree, known)->is_over)
        return; /* the thread is already known from a list of running threads */
    if (r->pid != r->parent_pid) {
        uint32_t parent = tp_id_map_get(&tree->process_ids, r->parent_pid);
        process = add_process(tree, r->pid, parent, (int64_t)r->time_ns);
    }
    if (process == TP_NO_ID)
        return;
    uint32_t number = add_thread(tree, r->tid, process, (int64_t)r->time_ns, TP_STATE_READY);
    if (maker == TP_NO_ID)
        return;
    struct tp_outside_thread *by = tp_outside_thread_at(tree, maker);
    memcpy(tp_outside_thread_at(tree, number)->name, by->name, sizeof by->name);
    by->started_thread_count += r->pid == r->parent_pid && by->started_thread_count < STARTS_MANY_THREADS + 1;
    if (by->started_thread_count == STARTS_MANY_THREADS && !tree->has_events_of_cpus && by->apart < 0 && !by->is_over)
        by->apart = tp_perf_open_thread_event((pid_t)by->tid);
}

/* Adds a program to a new copy of the process's list of programs, because a child may share the old list. */
static void add_program(struct tp_outside_tree *tree, struct tp_outside_process *process, const char *name,
                        const struct tp_outside_note *note)
{
    uint32_t kept = process->exec_count; /* before its first exec, a process has only its parent's program, which is
                                          * dropped */
    struct tp_outside_program *programs = tp_arena_array(tree->arena, kept + 1, sizeof *programs);
    if (kept)
        memcpy(programs, process->programs, kept * sizeof *programs);
    programs[kept].words = note ? note->words : (struct tp_str){0};
    snprintf(programs[kept].name, sizeof programs[kept].name, "%s", name);
    tree->missed_arguments += !programs[kept].words.len;
    process->programs = programs;
    process->program_count = process->exec_count = kept + 1;
    process->maps = (struct tp_code_maps){0};
}

/* Ends all threads of a process except `kept` at an exec. Whichever thread called exec, the new program has one thread,
 * with the id of the process. */
static void end_other_threads_at_exec(struct tp_outside_tree *tree, uint32_t process, uint32_t kept, int64_t time_ns)
{
    for (uint32_t i = 0; i < tree->threads.count && tp_outside_process_at(tree, process)->living_count > 1; i++)
        if (i != kept && tp_outside_thread_at(tree, i)->process == process)
            end_thread(tree, tp_outside_thread_at(tree, i), time_ns);
}

static void handle_name_record(struct tp_outside_tree *tree, const struct tp_perf_record *r,
                               const struct tp_outside_note *note)
{
    uint32_t process = tp_id_map_get(&tree->process_ids, r->pid), thread = tp_id_map_get(&tree->thread_ids, r->tid);
    if (process == TP_NO_ID)
        process = add_process(tree, r->pid, TP_NO_ID, (int64_t)r->time_ns);
    if (thread == TP_NO_ID || tp_outside_thread_at(tree, thread)->is_over)
        thread = add_thread(tree, r->tid, process, (int64_t)r->time_ns, TP_STATE_RUNNING);
    struct tp_outside_thread *named = tp_outside_thread_at(tree, thread);
    snprintf(named->name, sizeof named->name, "%s", r->text);
    if (r->is_exec) {
        end_other_threads_at_exec(tree, process, thread, (int64_t)r->time_ns);
        add_program(tree, tp_outside_process_at(tree, process), r->text, note);
    }
}

static uint32_t handle_exit(struct tp_outside_tree *tree, const struct tp_perf_record *r,
                            const struct tp_outside_note *note)
{
    uint32_t number = tp_id_map_get(&tree->thread_ids, r->tid);
    if (number == TP_NO_ID)
        return TP_NO_ID;
    struct tp_outside_thread *thread = tp_outside_thread_at(tree, number);
    struct tp_outside_process *process = tp_outside_process_at(tree, thread->process);
    bool was_over = thread->is_over;
    end_thread(tree, thread, (int64_t)r->time_ns);
    if (note && note->has_usage) {
        int64_t peak = process->usage.resident_bytes;
        process->usage = note->usage;
        process->usage.resident_bytes = peak > note->usage.resident_bytes ? peak : note->usage.resident_bytes;
        process->has_usage = true;
    }
    process->is_over = process->living_count == 0;
    return process->is_over && !was_over ? thread->process : TP_NO_ID;
}

static void handle_mapping(struct tp_outside_tree *tree, const struct tp_perf_record *r)
{
    uint32_t number = tp_id_map_get(&tree->process_ids, r->pid);
    if (number == TP_NO_ID)
        return;
    struct tp_outside_process *process = tp_outside_process_at(tree, number);
    tp_code_maps_add_mapping(&process->maps, &tree->places, r);
    struct tp_outside_program *program = process->exec_count ? &process->programs[process->program_count - 1] : NULL;
    if (program && !program->path.ptr && r->text[0] == '/')
        program->path = (struct tp_str){tp_arena_copy(tree->arena, r->text, strlen(r->text)), strlen(r->text)};
}

/* ---- threads ---- */

/* Drops a stack that was read during a wait if the thread continued before the read was finished. */
static void end_wait_stack(struct tp_outside_tree *tree, struct tp_outside_thread *thread, int64_t time_ns)
{
    struct tp_outside_change *last = TP_AT(&tree->changes, struct tp_outside_change, thread->last_change);
    bool is_one = thread->wait_read_ns && last->state == TP_STATE_BLOCKED;
    if (is_one && time_ns <= thread->wait_read_ns) {
        last->stack = thread->kernel_recorded_stack;
        tree->complete_wait_count--;
    }
    thread->wait_read_ns = 0;
}

static void handle_switch(struct tp_outside_tree *tree, const struct tp_perf_record *r,
                          const struct tp_outside_note *note)
{
    uint32_t number = tp_id_map_get(&tree->thread_ids, r->tid);
    struct tp_outside_thread *thread = number != TP_NO_ID ? tp_outside_thread_at(tree, number) : NULL;
    if (!thread || thread->is_over)
        return;
    enum tp_thread_state state = !r->is_out ? TP_STATE_RUNNING : r->is_preempted ? TP_STATE_READY : TP_STATE_BLOCKED;
    add_time_of_ended_state(tree, thread, (int64_t)r->time_ns);
    if (state != TP_STATE_BLOCKED)
        end_wait_stack(tree, thread, (int64_t)r->time_ns);
    tp_outside_process_at(tree, thread->process)->has_run = true;
    uint32_t stack = state == TP_STATE_BLOCKED ? thread->stack : 0;
    thread->stack = 0;
    add_state_change(tree, number, state, stack);
    if (note)
        TP_AT(&tree->changes, struct tp_outside_change, thread->last_change)->call = note->wait;
}

static uint32_t merge_python_stack(struct tp_outside_tree *tree, uint32_t stack, uint32_t python)
{
    bool is_aligned;
    uint32_t mixed = tp_mixed_stack_merge(&tree->places, stack, python, &is_aligned);
    tree->python_count += python != 0;
    tree->unaligned_sample_count += !is_aligned;
    return mixed;
}

/* Replaces the stack of an earlier context switch by the complete stack that was read during the wait. */
static void handle_wait_stack(struct tp_outside_tree *tree, const struct tp_perf_record *r,
                              struct tp_outside_thread *thread, const struct tp_outside_note *note)
{
    struct tp_outside_change *last = TP_AT(&tree->changes, struct tp_outside_change, thread->last_change);
    uint32_t *stack = thread->state == TP_STATE_BLOCKED ? &last->stack : &thread->stack;
    uint64_t cut_count = tree->whole.cut_count; /* saved and restored below, because this stack belongs to a wait and
                                                 * the count includes only samples */
    bool is_cut, is_aligned;
    uint32_t whole = tp_complete_stack_of_sample(&tree->whole, &tp_outside_process_at(tree, thread->process)->maps,
                                                 &tree->places, r, &is_cut);
    tree->whole.cut_count = cut_count;
    if (!whole || !*stack)
        return;
    thread->kernel_recorded_stack = *stack;
    thread->wait_read_ns = note->wait_read_ns;
    tree->complete_wait_count++;
    *stack = tp_code_maps_add_kernel_stack(&tree->places,
                                           tp_mixed_stack_merge(&tree->places, whole, note->python, &is_aligned),
                                           r->chain, r->chain_entry_count);
}

static void handle_sample(struct tp_outside_tree *tree, const struct tp_perf_record *r, bool is_switch,
                          const struct tp_outside_note *note)
{
    uint32_t number = tp_id_map_get(&tree->thread_ids, r->tid);
    struct tp_outside_thread *thread = number != TP_NO_ID ? tp_outside_thread_at(tree, number) : NULL;
    if (!thread)
        return;
    struct tp_outside_process *process = tp_outside_process_at(tree, thread->process);
    process->has_run = true;
    if (is_switch && note && note->wait_read_ns) {
        handle_wait_stack(tree, r, thread, note);
        return;
    }
    bool is_cut;
    uint32_t whole = tp_complete_stack_of_sample(&tree->whole, &process->maps, &tree->places, r, &is_cut);
    uint32_t stack = whole ? tp_code_maps_add_kernel_stack(&tree->places, whole, r->chain, r->chain_entry_count)
                           : tp_code_maps_add_stack(&process->maps, &tree->places, r->chain, r->chain_entry_count);
    struct tp_outside_change *last = TP_AT(&tree->changes, struct tp_outside_change, thread->last_change);
    if (is_switch && thread->state == TP_STATE_RUNNING) {
        thread->stack = stack; /* the next context switch of the thread uses this stack */
    } else if (is_switch && thread->state == TP_STATE_BLOCKED && !last->stack) {
        last->stack = stack;
    } else if (!is_switch) {
        process->sample_count++;
        stack = merge_python_stack(tree, stack, note ? note->python : 0);
        *(struct tp_outside_sample *)tp_vec_push(&tree->samples) =
            (struct tp_outside_sample){(int64_t)r->time_ns, number, stack & INT32_MAX, is_cut};
    }
}

uint32_t tp_outside_tree_handle_record(struct tp_outside_tree *tree, const struct tp_perf_record *r, bool is_switch,
                                       const struct tp_outside_note *note)
{
    uint32_t ended = TP_NO_ID;
    tree->last_ns = (int64_t)r->time_ns > tree->last_ns ? (int64_t)r->time_ns : tree->last_ns;
    if (r->type == PERF_RECORD_FORK)
        handle_fork(tree, r);
    else if (r->type == PERF_RECORD_COMM)
        handle_name_record(tree, r, note);
    else if (r->type == PERF_RECORD_EXIT)
        ended = handle_exit(tree, r, note);
    else if (r->type == PERF_RECORD_MMAP2)
        handle_mapping(tree, r);
    else if (r->type == PERF_RECORD_SWITCH)
        handle_switch(tree, r, note);
    else if (r->type == PERF_RECORD_SAMPLE)
        handle_sample(tree, r, is_switch, note);
    else if (r->type == PERF_RECORD_LOST)
        tree->lost_count += r->lost_count;
    return ended;
}

void tp_outside_tree_set_arguments(struct tp_outside_tree *tree, uint32_t process, char *const *argv)
{
    const struct tp_outside_process *root = tp_outside_process_at(tree, process);
    struct tp_buf words;
    if (!root->exec_count || root->programs[0].words.len)
        return;
    tp_buf_init(&words, TP_MAX_OUTSIDE_ARGUMENT_BYTES);
    for (char *const *word = argv; *word; word++)
        tp_buf_add(&words, *word, strlen(*word) + 1);
    words.failed = 0; /* keeps the first arguments if there is no room for all */
    size_t size = words.size;
    root->programs[0].words = (struct tp_str){tp_buf_move(&words, tree->arena), size};
    tree->missed_arguments--;
}

int64_t tp_outside_tree_running_ns(const struct tp_outside_tree *tree, int64_t now_ns)
{
    enum { VISITED = 64 };
    int64_t used_ns = tree->running_ns;
    for (uint32_t i = 0; i < tree->threads.count && i < VISITED; i++) {
        const struct tp_outside_thread *thread = tp_outside_thread_at(tree, i);
        if (!thread->is_over && thread->state == TP_STATE_RUNNING && now_ns > thread->since_ns)
            used_ns += now_ns - thread->since_ns;
    }
    return used_ns;
}

void tp_outside_tree_end(struct tp_outside_tree *tree, int64_t end_ns)
{
    for (uint32_t i = 0; i < tree->threads.count; i++)
        end_thread(tree, tp_outside_thread_at(tree, i), end_ns);
}

size_t tp_outside_tree_list_running(const struct tp_outside_tree *tree, struct tp_buf *names)
{
    enum { NAMED = 3 };
    size_t count = 0;
    for (uint32_t i = 0; i < tree->processes.count; i++) {
        const struct tp_outside_process *process = tp_outside_process_at(tree, i);
        if (process->is_over || process->has_status || process->is_out_of_sight)
            continue;
        const char *name = process->program_count ? process->programs[process->program_count - 1].name : "?";
        if (count++ < NAMED)
            tp_buf_printf(names, "%s%s (%u)", names->size ? ", " : "", name, process->pid);
    }
    return count;
}

void tp_outside_tree_release(struct tp_outside_tree *tree)
{
    tp_complete_stacks_release(&tree->whole);
    for (uint32_t i = 0; i < tree->threads.count; i++)
        if (tp_outside_thread_at(tree, i)->apart >= 0)
            close(tp_outside_thread_at(tree, i)->apart);
}

void tp_outside_tree_read_waits(struct tp_outside_tree *tree, uint32_t *next_thread, uint32_t most, struct tp_buf *text)
{
    enum { VISITED = 512 };
    uint32_t count = (uint32_t)tree->threads.count;
    for (uint32_t i = 0, asked = 0; i < count && i < VISITED && asked < most; i++) {
        const struct tp_outside_thread *thread = tp_outside_thread_at(tree, (*next_thread)++ % count);
        struct tp_outside_change *change = TP_AT(&tree->changes, struct tp_outside_change, thread->last_change);
        if (thread->is_over || thread->state != TP_STATE_BLOCKED || change->call || change->stack)
            continue;
        uint8_t call = 0;
        tp_proc_is_waiting(&call, text, tp_outside_process_at(tree, thread->process)->pid, thread->tid);
        change->call = call ? call : TP_PROC_WAIT_UNKNOWN;
        asked++;
    }
}
