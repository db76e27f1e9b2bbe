/* Reads stacks of Python programs: see python_stacks.h. */
#include "collector/outside/python/python_stacks.h"

#include "collector/outside/python/python_file.h"
#include "collector/outside/python/python_frames.h"

enum { THREADS = 1024, MOST_READS = 2500 };
#define RETRY_AFTER_NS 50000000ll /* time until a thread that ran no Python is examined again, ns */

/* Cache entry: address at which the struct of a thread was last found. */
struct tp_python_thread_slot {
    uint32_t pid, tid;
    uint64_t thread; /* address of the thread's struct; 0: not a Python thread */
    int64_t again_ns;
};

void tp_python_stacks_init(struct tp_python_stacks *s, struct tp_arena *arena, struct tp_code_places *places)
{
    *s = (struct tp_python_stacks){
        .arena = arena, .places = places, .interpreters = TP_VEC(arena, struct tp_python_file)};
    s->threads = tp_arena_array(arena, THREADS, sizeof *s->threads);
    tp_python_code_init(&s->code, arena, &places->python_texts);
    tp_id_map_init(&s->files, arena);
    tp_python_processes_init(&s->processes, arena);
}

void tp_python_stacks_release(struct tp_python_stacks *s)
{
    tp_python_code_release(&s->code);
}

/* ---- processes ---- */

/* Returns the interpreter in a code file, or NULL. Examines only files with "python" in their names. */
static const struct tp_python_file *find_interpreter(struct tp_python_stacks *s, uint32_t file)
{
    struct tp_python_file found;
    uint32_t *number = tp_id_map_find(&s->files, file);
    if (!number) {
        struct tp_code_file *code = TP_AT(&s->places->files, struct tp_code_file, file);
        const char *slash = memrchr(code->path.ptr, '/', code->path.len);
        number = tp_id_map_find_or_add(&s->files, file);
        if (slash && strstr(slash, "python") && tp_python_file_read(&found, code->path)) {
            *number = (uint32_t)s->interpreters.count;
            code->loop = found.loop;
            code->loop_bytes = found.loop_bytes;
            *(struct tp_python_file *)tp_vec_push(&s->interpreters) = found;
        }
    }
    return *number != TP_NO_ID ? TP_AT(&s->interpreters, struct tp_python_file, *number) : NULL;
}

static void handle_mapping(struct tp_python_stacks *s, const struct tp_perf_record *r)
{
    uint32_t file = r->text[0] == '/' ? tp_code_file_number(s->places, tp_str_of(r->text)) : TP_CODE_UNKNOWN;
    const struct tp_python_file *found = file >= TP_CODE_FIRST_FILE ? find_interpreter(s, file) : NULL;
    if (!found)
        return;
    uint64_t bias = r->start - tp_code_file_address(s->places, file, r->offset);
    tp_python_processes_add_mapping(
        &s->processes, r->pid, (struct tp_python_mapping){(int64_t)r->time_ns, bias + found->runtime, found->minor});
}

void tp_python_stacks_handle_record(struct tp_python_stacks *s, const struct tp_perf_record *r)
{
    if (r->type == PERF_RECORD_MMAP2)
        handle_mapping(s, r);
    else if (r->type == PERF_RECORD_FORK && r->pid != r->parent_pid)
        tp_python_processes_add_fork(&s->processes, r->pid, r->parent_pid, (int64_t)r->time_ns);
    else if ((r->type == PERF_RECORD_COMM && r->is_exec) || (r->type == PERF_RECORD_EXIT && r->pid == r->tid))
        tp_python_processes_end_process(&s->processes, r->pid, (int64_t)r->time_ns);
}

/* ---- stacks ---- */

/* Finds the memory layout of the process's interpreter. The interpreter's description of its layout is a constant, so
 * it is readable from the start of the process. */
static bool find_layout(struct tp_python_stacks *s, struct tp_python_process *process, struct tp_other_memory *memory)
{
    uint64_t words[TP_PYTHON_DESCRIBED_WORDS];
    const struct tp_python_layout *known = tp_python_layout_of_version(process->now.minor);
    if (process->layout.minor || process->is_python_unreadable)
        return process->layout.minor > 0;
    if (known)
        process->layout = *known;
    else if (tp_other_memory_read(memory, process->now.address, words, sizeof words) &&
             tp_python_layout_read_words(&process->layout, words, process->now.minor))
        return true;
    else
        process->layout.minor = 0;
    process->is_python_unreadable = !process->layout.minor;
    s->unknown_count += process->is_python_unreadable;
    return !process->is_python_unreadable;
}

static uint64_t find_thread(struct tp_python_stacks *s, const struct tp_python_process *process,
                            struct tp_other_memory *memory, uint32_t tid, int64_t now_ns)
{
    struct tp_python_thread_slot *slot = &s->threads[(tid * 2654435761u >> 8) % THREADS];
    bool is_it = slot->pid == process->pid && slot->tid == tid;
    if (is_it && (slot->thread || now_ns < slot->again_ns))
        return slot->thread;
    *slot = (struct tp_python_thread_slot){process->pid, tid,
                                           tp_python_find_thread(memory, &process->layout, process->now.address, tid),
                                           now_ns + RETRY_AFTER_NS};
    return slot->thread;
}

static uint32_t add_frame_nodes(struct tp_python_stacks *s, struct tp_other_memory *memory,
                                const struct tp_python_layout *layout, const struct tp_python_frame *frames, int count)
{
    uint32_t node = 0;
    for (int i = count; i-- > 0;) {
        uint32_t text =
            tp_python_code_text(&s->code, memory, layout, frames[i].code, frames[i].object, frames[i].place);
        if (text == TP_NO_ID)
            return TP_NO_ID;
        node = tp_code_add_python_node(s->places, node, text, frames[i].is_entry);
    }
    return node;
}

uint32_t tp_python_stacks_read(struct tp_python_stacks *s, uint32_t pid, uint32_t tid, int64_t now_ns)
{
    struct tp_python_frame frames[TP_PYTHON_FRAMES];
    struct tp_python_process *process = tp_python_processes_find(&s->processes, pid);
    struct tp_other_memory memory = {.pid = pid, .remaining_read_count = MOST_READS};
    if (!process || !find_layout(s, process, &memory))
        return 0;
    uint64_t thread = find_thread(s, process, &memory, tid, now_ns);
    int count = thread ? tp_python_read_frames(frames, &memory, &process->layout, thread, tid) : 0;
    uint32_t node = count > 0 ? add_frame_nodes(s, &memory, &process->layout, frames, count) : 0;
    if (memory.is_refused && !process->is_python_unreadable) {
        process->is_python_unreadable = true;
        process->layout.minor = 0;
        s->unknown_count++;
    }
    if (count < 0) /* the thread has exited, or another thread now has its id */
        s->threads[(tid * 2654435761u >> 8) % THREADS] = (struct tp_python_thread_slot){0};
    s->failed_count += count < 0 || node == TP_NO_ID;
    s->read_count += count > 0 && node != TP_NO_ID;
    return node == TP_NO_ID ? 0 : node;
}
