/* Adds samples that the program's processes recorded themselves: see inside_samples.h. */
#include "collector/outside/polling/inside_samples.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "writer/base/sort.h"
#include "writer/spool/spool_read.h"
#include "writer/worker.h"

enum { PATH_BYTES = 4096 };

/* State while the samples of one spool are added to the tree. */
struct taking {
    struct tp_outside_tree *tree;
    struct tp_spool_file *file;
    const char *path;
    struct tp_arena *tables;    /* arena for the tables of the spool */
    const uint8_t *has_samples; /* index: process; 1: the process already has Python samples from outside, 0: it has
                                 * none */
    uint32_t process;           /* number of the process in the tree */
    int64_t clock_ns;
};

/* Returns the module at an address. If there are several, returns the last one loaded before `ticks`. */
static const struct tp_spool_module *spool_module_at(const struct tp_spool_file *file, uint64_t address, uint64_t ticks)
{
    const struct tp_spool_module *found = NULL;
    for (uint32_t i = 0; i < file->module_count; i++) {
        const struct tp_spool_module *m = &file->modules[i];
        if (address >= m->start && address < m->end && (!found || m->since <= ticks))
            found = m;
    }
    return found;
}

/* Returns the number of a module's file, or TP_CODE_UNKNOWN. The loader lists the vdso without a path. */
static uint32_t find_file_of_module(struct tp_code_places *places, const struct tp_spool_module *m)
{
    if (m && !tp_str_starts(m->path, "/") && tp_str_find(m->path, "vdso") >= 0)
        return TP_CODE_VDSO;
    uint32_t file = m ? tp_code_file_number(places, m->path) : TP_CODE_UNKNOWN;
    return file >= TP_CODE_FIRST_FILE ? file : TP_CODE_UNKNOWN;
}

/* Returns the stack node for a list of addresses. The first one is the current instruction, the others are return
 * addresses. */
static uint32_t add_stack_node(struct taking *t, const char *addresses, size_t count, uint64_t ticks)
{
    struct tp_code_places *places = &t->tree->places;
    uint32_t node = 0;
    for (size_t i = count; i-- > 0;) {
        uint64_t address;
        memcpy(&address, addresses + i * sizeof address, sizeof address);
        address -= i > 0 && address;
        const struct tp_spool_module *m = spool_module_at(t->file, address, ticks);
        uint32_t file = find_file_of_module(places, m);
        node = tp_code_add_node(places, node, file, file >= TP_CODE_FIRST_FILE ? address - m->bias : 0);
    }
    return node;
}

static void add_inside_sample(struct taking *t, const struct tp_spool_record *record, const char *payload)
{
    struct tp_spool_sample sample;
    if ((size_t)record->slots * TP_SPOOL_SLOT < sizeof sample)
        return;
    memcpy(&sample, payload, sizeof sample);
    size_t room = ((size_t)record->slots * TP_SPOOL_SLOT - sizeof sample) / sizeof(uint64_t);
    uint32_t number = tp_id_map_get(&t->tree->thread_ids, sample.tid);
    if (number == TP_NO_ID ||
        tp_outside_thread_at(t->tree, number)->process != t->process) /* /proc never showed this short thread, so its
                                                                       * samples go to the main thread */
        number = tp_id_map_get(&t->tree->thread_ids, tp_outside_process_at(t->tree, t->process)->pid);
    if (number == TP_NO_ID)
        return;
    const struct tp_outside_thread *thread = tp_outside_thread_at(t->tree, number);
    int64_t time_ns = tp_spool_realtime_ns(t->file, sample.ticks) - t->clock_ns;
    time_ns = time_ns < thread->begin_ns ? thread->begin_ns : time_ns > thread->end_ns ? thread->end_ns : time_ns;
    *(struct tp_outside_sample *)tp_vec_push(&t->tree->samples) = (struct tp_outside_sample){
        .time_ns = time_ns,
        .thread = number,
        .stack = add_stack_node(t, payload + sizeof sample,
                                sample.frame_count < room ? (size_t)sample.frame_count : room, sample.ticks)};
    tp_outside_process_at(t->tree, thread->process)->sample_count++;
}

/* Returns whether the recorder created the thread. Such a thread has a fixed name, unless the process itself has that
 * name. */
static bool is_recorder_thread(const struct tp_outside_tree *tree, const struct tp_outside_thread *thread)
{
    uint32_t main_thread = tp_id_map_get(&tree->thread_ids, tp_outside_process_at(tree, thread->process)->pid);
    return main_thread != TP_NO_ID && tp_outside_thread_at(tree, main_thread) != thread &&
           strcmp(thread->name, TP_WORKER_THREAD) == 0 &&
           strcmp(tp_outside_thread_at(tree, main_thread)->name, TP_WORKER_THREAD) != 0;
}

/* Removes the recorder's threads inside the program from the tree. A process then ends when the last of its other
 * threads ends. */
static void remove_recorder_threads(struct tp_outside_tree *tree)
{
    int64_t *ends_ns = tp_arena_array(tree->arena, tree->processes.count, sizeof *ends_ns);
    for (uint32_t i = 0; i < tree->threads.count; i++) {
        struct tp_outside_thread *thread = tp_outside_thread_at(tree, i);
        thread->is_ours = is_recorder_thread(tree, thread);
        if (!thread->is_ours && thread->end_ns > ends_ns[thread->process])
            ends_ns[thread->process] = thread->end_ns;
    }
    for (uint32_t i = 0; i < tree->threads.count; i++) {
        const struct tp_outside_thread *thread = tp_outside_thread_at(tree, i);
        struct tp_outside_process *process = tp_outside_process_at(tree, thread->process);
        if (!thread->is_ours)
            continue;
        process->running_ns -= thread->total_ns[TP_STATE_RUNNING];
        process->end_ns = ends_ns[thread->process];
        tree->recorder_thread_count++;
    }
}

static void add_thread_samples(struct taking *t, const struct tp_spool_thread *thread)
{
    struct tp_spool_walk walk;
    struct tp_spool_record record;
    const char *payload;
    tp_spool_walk(&walk, t->file, thread);
    while (tp_spool_next_record(&walk, &record, &payload))
        if (record.kind == TP_SPOOL_SAMPLE)
            add_inside_sample(t, &record, payload);
}

static int add_spool_samples(void *context, struct tp_error *err)
{
    struct taking *t = context;
    int code = tp_spool_open(t->file, t->path, t->tables, err);
    t->process = code == TP_OK ? tp_id_map_get(&t->tree->process_ids, t->file->head.pid) : TP_NO_ID;
    bool is_wanted = t->process != TP_NO_ID && !t->has_samples[t->process];
    for (uint32_t i = 0; is_wanted && i < t->file->thread_count; i++)
        add_thread_samples(t, &t->file->threads[i]);
    return code;
}

static int compare_by_time(const void *x, const void *y, const void *context)
{
    const struct tp_outside_sample *a = x, *b = y;
    (void)context;
    return a->time_ns != b->time_ns ? (a->time_ns < b->time_ns ? -1 : 1)
                                    : (a->thread > b->thread) - (a->thread < b->thread);
}

void tp_inside_samples_add(struct tp_outside_tree *tree, const char *folder, int64_t clock_ns)
{
    uint8_t *has_samples = tp_arena_alloc(tree->arena, tree->processes.count + 1);
    for (uint32_t i = 0; i < tree->processes.count; i++)
        has_samples[i] = tp_outside_process_at(tree, i)->sample_count > 0;
    DIR *dir = opendir(folder);
    char path[PATH_BYTES];
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct tp_spool_file file = {0};
        struct tp_arena tables;
        int size = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (size < 0 || (size_t)size >= sizeof path || entry->d_type == DT_DIR)
            continue;
        struct taking taking = {.tree = tree,
                                .file = &file,
                                .path = path,
                                .tables = &tables,
                                .has_samples = has_samples,
                                .clock_ns = clock_ns};
        tp_arena_init(&tables, 0);
        tp_arena_run_both(tree->arena, &tables, add_spool_samples, &taking, NULL);
        tp_spool_release(&file);
        tp_arena_release(&tables);
    }
    if (dir)
        closedir(dir);
    tp_arena_fail_with_stored_code(tree->arena);
    remove_recorder_threads(tree);
    tp_merge_sort(tree->arena, tree->samples.data, tree->samples.count, sizeof(struct tp_outside_sample),
                  compare_by_time, NULL);
}
