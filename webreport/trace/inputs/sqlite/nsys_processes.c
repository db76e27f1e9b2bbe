/* Lists the processes of an export of Nsight Systems: see nsys.h. */
#include "webreport/trace/inputs/sqlite/nsys.h"
#include "writer/base/limits.h"

/* Numbers of rows by process. */
struct census {
    struct tp_vec *pids;  /* elements: int64_t */
    struct tp_vec counts; /* rows of each process; elements: uint64_t */
    bool has_unowned;     /* true if a device row names no process */
    size_t last;          /* index of the process of the last row */
};

static void count_row_of_process(struct census *census, int64_t pid)
{
    const int64_t *pids = census->pids->data;
    size_t i = census->last;
    if (i >= census->pids->count || pids[i] != pid)
        for (i = 0; i < census->pids->count && pids[i] != pid;)
            i++;
    if (i == TP_MAX_INPUT_PARTS)
        return;
    if (i == census->pids->count) {
        *(int64_t *)tp_vec_push(census->pids) = pid;
        *(uint64_t *)tp_vec_push(&census->counts) = 0;
    }
    census->last = i;
    ++*TP_AT(&census->counts, uint64_t, i);
}

static int count_host_row(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    int64_t global_tid;
    (void)err;
    if (tp_database_int(row, TP_NSYS_GLOBAL_TID, &global_tid))
        count_row_of_process(context, tp_nsys_pid(global_tid));
    return TP_OK;
}

/* Counts a device row by its process, whether it is valid or not. */
static int count_owned_row(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct census *census = context;
    int64_t global_pid;
    (void)err;
    if (tp_database_int(row, TP_NSYS_GLOBAL_PID, &global_pid))
        count_row_of_process(census, tp_nsys_pid(global_pid));
    else
        census->has_unowned = true;
    return TP_OK;
}

static int count_device_row(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct census *census = context;
    struct tp_nsys none = {0};
    struct tp_nsys_device_row common;
    (void)err;
    if (tp_nsys_read_device_row(&none, row, &common))
        return TP_OK;
    census->has_unowned |= common.pid == TP_NULL_INT;
    if (common.pid != TP_NULL_INT)
        count_row_of_process(census, common.pid);
    return TP_OK;
}

/* Counts the rows of each process in tables of the host. */
static int count_host_rows(struct tp_database *db, struct census *census, const char *const *tables,
                           struct tp_error *err)
{
    int code = TP_OK;
    for (; code == TP_OK && *tables; tables++) {
        const struct tp_database_shape shape = {*tables, tp_nsys_columns, TP_NSYS_BIT(GLOBAL_TID)};
        code = tp_database_scan(db, &shape, count_host_row, census, err);
    }
    return code;
}

int tp_nsys_find_owner(struct tp_database *db, int64_t *pid, struct tp_arena *arena, struct tp_error *err)
{
    static const char *const tables[] = {TP_NSYS_RUNTIME_TABLE, NULL};
    struct tp_vec pids = TP_VEC(arena, int64_t);
    struct census census = {.pids = &pids, .counts = TP_VEC(arena, uint64_t)};
    int code = count_host_rows(db, &census, tables, err);
    *pid = pids.count == 1 ? *TP_AT(&pids, int64_t, 0) : 0;
    return code;
}

/* Counts the rows of each process in the tables of the device. use: called for each row. */
static int count_device_rows(struct tp_database *db, struct census *census, uint64_t columns, tp_database_use *use,
                             struct tp_error *err)
{
    static const char *const tables[] = {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
                                         "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"};
    int code = TP_OK;
    for (size_t i = 0; code == TP_OK && i < sizeof tables / sizeof *tables; i++) {
        const struct tp_database_shape shape = {tables[i], tp_nsys_columns, columns};
        code = tp_database_scan(db, &shape, use, census, err);
    }
    return code;
}

/* Lists the processes with valid device rows. One process in all rows is the usual case, which needs one column only.
 */
static int list_device_processes(struct tp_database *db, struct census *census, struct tp_error *err)
{
    const uint64_t columns =
        TP_NSYS_BIT(START) | TP_NSYS_BIT(END) | TP_NSYS_BIT(DEVICE) | TP_NSYS_BIT(STREAM) | TP_NSYS_BIT(GLOBAL_PID);
    int code = count_device_rows(db, census, TP_NSYS_BIT(GLOBAL_PID), count_owned_row, err);
    if (code < 0 || (census->pids->count == 1 && !census->has_unowned))
        return code;
    census->pids->count = census->counts.count = 0;
    census->has_unowned = false;
    return count_device_rows(db, census, columns, count_device_row, err);
}

/* Replaces the list of processes by the process with the most rows. */
static void keep_largest_process(struct tp_vec *pids, const struct tp_vec *counts)
{
    size_t best = 0;
    for (size_t i = 1; i < pids->count; i++)
        if (*TP_AT(counts, uint64_t, i) > *TP_AT(counts, uint64_t, best))
            best = i;
    if (pids->count)
        *TP_AT(pids, int64_t, 0) = *TP_AT(pids, int64_t, best);
    pids->count = pids->count > 0;
}

int tp_nsys_list_processes(struct tp_database *db, struct tp_vec *pids, struct tp_error *err)
{
    static const char *const tables[] = {TP_NSYS_RUNTIME_TABLE, "NVTX_EVENTS", NULL};
    struct census census = {.pids = pids, .counts = TP_VEC(pids->arena, uint64_t)};
    int64_t owner;
    int code = list_device_processes(db, &census, err);
    if (code == TP_OK && census.has_unowned) {
        code = tp_nsys_find_owner(db, &owner, pids->arena, err);
        count_row_of_process(&census, owner);
    }
    if (code < 0 || pids->count)
        return code;
    code = count_host_rows(db, &census, tables, err);
    keep_largest_process(pids, &census.counts);
    return code;
}
