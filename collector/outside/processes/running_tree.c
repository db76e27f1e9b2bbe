/* Finds running processes: see running_tree.h. */
#include "collector/outside/processes/running_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/outside/processes/proc_files.h"
#include "writer/base/limits.h"

enum { MOST_PROCESSES = 4096, TEXT_BYTES = 4 << 20 };

void tp_running_tree_init(struct tp_running_tree *tree, struct tp_arena *arena, uint32_t pid)
{
    tp_id_map_init(&tree->threads, arena);
    tree->processes = TP_VEC(arena, uint32_t);
    *(uint32_t *)tp_vec_push(&tree->processes) = pid;
    tp_buf_init(&tree->text, TEXT_BYTES);
}

void tp_running_tree_release(struct tp_running_tree *tree)
{
    tp_buf_release(&tree->text);
}

/* ---- one process ---- */

static void emit_record(struct tp_running_tree *tree, struct tp_perf_record record)
{
    record.time_ns = (uint64_t)tree->time_ns;
    tree->take(tree->context, &record);
}

static void emit_program_record(struct tp_running_tree *tree, uint32_t pid)
{
    char name[32] = "";
    if (tp_proc_load_file(&tree->text, pid, "comm"))
        snprintf(name, sizeof name, "%.*s", (int)strcspn(tree->text.data, "\n"), tree->text.data);
    emit_record(
        tree, (struct tp_perf_record){.type = PERF_RECORD_COMM, .pid = pid, .tid = pid, .is_exec = true, .text = name});
}

/* Reads a line such as "7f00-7f01 r-xp 00001000 08:01 42   /usr/lib/x.so". Returns false if the mapping is not code. */
static bool read_mapping(struct tp_perf_record *record, char *line)
{
    char *at, *flags;
    uint64_t start = strtoull(line, &at, 16), end = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
    flags = at + 1;
    if (*at != ' ' || strlen(flags) < 6 || flags[2] != 'x' || end <= start)
        return false;
    uint64_t offset = strtoull(flags + 5, &at, 16);
    for (int i = 0; i < 2 && *at; i++) { /* skips device and inode */
        at += strspn(at, " ");
        at += strcspn(at, " ");
    }
    at += strspn(at, " ");
    *record = (struct tp_perf_record){.type = PERF_RECORD_MMAP2,
                                      .start = start,
                                      .length = end - start,
                                      .offset = offset,
                                      .text = *at ? at : "//anon"};
    return true;
}

void tp_running_list_mappings(struct tp_buf *text, uint32_t pid, int64_t time_ns,
                              void (*take)(void *context, const struct tp_perf_record *record), void *context)
{
    struct tp_perf_record record;
    if (!tp_proc_load_file(text, pid, "maps"))
        return;
    for (char *line = text->data, *end; *line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (!read_mapping(&record, line))
            continue;
        record.pid = record.tid = pid;
        record.time_ns = (uint64_t)time_ns;
        take(context, &record);
    }
}

/* ---- its threads ---- */

static void emit_thread_record(struct tp_running_tree *tree, uint32_t pid, uint32_t tid)
{
    char name[64];
    struct tp_proc_stat process = {.parent = 0};
    if (tid == pid)
        tp_proc_read_stat(&process, pid, &tree->text);
    uint32_t parent = tid == pid ? process.parent : pid;
    emit_record(tree,
                (struct tp_perf_record){
                    .type = PERF_RECORD_FORK, .pid = pid, .tid = tid, .parent_pid = parent, .parent_tid = parent});
    if (tid == pid) {
        emit_program_record(tree, pid);
        tp_running_list_mappings(&tree->text, pid, tree->time_ns, tree->take, tree->context);
    }
    snprintf(name, sizeof name, "task/%" PRIu32 "/comm", tid);
    if (tid != pid && tp_proc_load_file(&tree->text, pid, name)) {
        tree->text.data[strcspn(tree->text.data, "\n")] = '\0';
        emit_record(tree,
                    (struct tp_perf_record){.type = PERF_RECORD_COMM, .pid = pid, .tid = tid, .text = tree->text.data});
    }
    snprintf(name, sizeof name, "task/%" PRIu32 "/stat", tid);
    const char *state = tp_proc_load_file(&tree->text, pid, name) ? strrchr(tree->text.data, ')') : NULL;
    bool is_ready = state && strlen(state) > 2 && state[2] == 'R';
    emit_record(tree,
                (struct tp_perf_record){
                    .type = PERF_RECORD_SWITCH, .pid = pid, .tid = tid, .is_out = true, .is_preempted = is_ready});
}

static void add_running_process(void *context, uint32_t child)
{
    struct tp_running_tree *tree = context;
    bool is_known = tree->processes.count >= MOST_PROCESSES || child == tree->left_out;
    for (size_t i = 0; i < tree->processes.count && !is_known; i++)
        is_known = *TP_AT(&tree->processes, uint32_t, i) == child;
    if (!is_known)
        *(uint32_t *)tp_vec_push(&tree->processes) = child;
}

void tp_running_tree_add_process(struct tp_running_tree *tree, uint32_t pid)
{
    add_running_process(tree, pid);
}

static size_t add_running_thread(struct tp_running_tree *tree, uint32_t pid, uint32_t tid)
{
    size_t is_new = tp_id_map_find(&tree->threads, tid) == NULL;
    if (is_new) {
        *tp_id_map_find_or_add(&tree->threads, tid) = pid;
        if (tree->is_wanted(tree->context, pid, tid))
            emit_thread_record(tree, pid, tid);
    }
    tp_proc_each_child(pid, tid, &tree->text, add_running_process, tree);
    return is_new;
}

size_t tp_running_tree_search(struct tp_running_tree *tree)
{
    uint32_t tids[TP_MAX_OUTSIDE_ATTACHED];
    size_t found = 0;
    for (size_t i = 0; i < tree->processes.count; i++) {
        uint32_t pid = *TP_AT(&tree->processes, uint32_t, i);
        size_t count = tp_proc_list_threads(tids, TP_MAX_OUTSIDE_ATTACHED, pid);
        for (size_t k = 0; k < count; k++)
            found += add_running_thread(tree, pid, tids[k]);
    }
    return found;
}
