/* Records MPI calls as collectives with sizes, by intercepting MPI functions (the standard's profiling interface).
 *
 * The source needs no MPI header. A handle is an int (MPICH and compatible libraries) or a pointer (Open MPI). Both
 * are passed in a 64-bit register or stack slot. After a successful call, PMPI_ functions supply the facts about it.
 * They are called only with arguments that are significant on this rank, because MPI aborts the program for other
 * arguments. */
#include <ctype.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/hook.h"
#include "collector/sources.h"
#include "writer/base/environment.h"

/* a communicator, type or operation; if it is an int, the int is the lower half of the pointer */
typedef void *handle;

enum { NO_MPI = 16, MPICH_WORLD = 0x44000000, NAME_BYTES = 512 };

/* The data that a call moves. If all members are 0, no data moves. */
struct call {
    int64_t in, out; /* number of elements that this rank sends (in) and receives (out) */
    bool is_in_per_rank,
        is_out_per_rank; /* true if `in` (or `out`) is the number of elements per rank, false if it is the total */
    /* number of elements for each rank, used instead of `in` and `out`; NULL: not used */
    const int *in_counts, *out_counts;
    /* type: type of the elements; out_type: type of the received elements, if only this type is significant on this
     * rank */
    handle type, out_type;
    handle comm;
    /* is_rooted: the call has a root rank. The root receives data of all ranks; with is_from_root, the root sends data
     * to all ranks */
    bool is_rooted, is_from_root;
    int root;
    bool has_peer;
    int peer;
};

/* Table of recorded calls: MPI's name, the name in traces (as in torch), the parameters, and the data that the call
 * moves. */
#define CALLS(X)                                                                                                       \
    X(MPI_Barrier, "barrier", (handle comm), (comm), .comm = comm)                                                     \
    X(MPI_Bcast, "broadcast", (void *data, int n, handle type, int root, handle comm), (data, n, type, root, comm),    \
      .in = n, .out = n, .type = type, .comm = comm)                                                                   \
    X(MPI_Reduce, "reduce", (const void *in, void *out, int n, handle type, handle op, int root, handle comm),         \
      (in, out, n, type, op, root, comm), .in = n, .out = n, .type = type, .comm = comm)                               \
    X(MPI_Allreduce, "allreduce", (const void *in, void *out, int n, handle type, handle op, handle comm),             \
      (in, out, n, type, op, comm), .in = n, .out = n, .type = type, .comm = comm)                                     \
    X(MPI_Scan, "scan", (const void *in, void *out, int n, handle type, handle op, handle comm),                       \
      (in, out, n, type, op, comm), .in = n, .out = n, .type = type, .comm = comm)                                     \
    X(MPI_Allgather, "allgather",                                                                                      \
      (const void *in, int n, handle type, void *out, int m, handle out_type, handle comm),                            \
      (in, n, type, out, m, out_type, comm), .in = m, .out = m, .is_out_per_rank = true, .type = out_type,             \
      .comm = comm)                                                                                                    \
    X(MPI_Allgatherv, "allgather",                                                                                     \
      (const void *in, int n, handle type, void *out, const int *m, const int *at, handle out_type, handle comm),      \
      (in, n, type, out, m, at, out_type, comm), .out_counts = m, .type = out_type, .comm = comm)                      \
    X(MPI_Alltoall, "all_to_all",                                                                                      \
      (const void *in, int n, handle type, void *out, int m, handle out_type, handle comm),                            \
      (in, n, type, out, m, out_type, comm), .in = m, .out = m, .is_in_per_rank = true, .is_out_per_rank = true,       \
      .type = out_type, .comm = comm)                                                                                  \
    X(MPI_Alltoallv, "all_to_all",                                                                                     \
      (const void *in, const int *n, const int *from, handle type, void *out, const int *m, const int *to,             \
       handle out_type, handle comm),                                                                                  \
      (in, n, from, type, out, m, to, out_type, comm), .out_counts = m, .type = out_type, .comm = comm)                \
    X(MPI_Gather, "gather",                                                                                            \
      (const void *in, int n, handle type, void *out, int m, handle out_type, int root, handle comm),                  \
      (in, n, type, out, m, out_type, root, comm), .in = n, .out = m, .is_out_per_rank = true, .type = type,           \
      .out_type = out_type, .comm = comm, .is_rooted = true, .root = root)                                             \
    X(MPI_Gatherv, "gather",                                                                                           \
      (const void *in, int n, handle type, void *out, const int *m, const int *at, handle out_type, int root,          \
       handle comm),                                                                                                   \
      (in, n, type, out, m, at, out_type, root, comm), .in = n, .out_counts = m, .type = type, .out_type = out_type,   \
      .comm = comm, .is_rooted = true, .root = root)                                                                   \
    X(MPI_Scatter, "scatter",                                                                                          \
      (const void *in, int n, handle type, void *out, int m, handle out_type, int root, handle comm),                  \
      (in, n, type, out, m, out_type, root, comm), .in = m, .out = n, .is_out_per_rank = true, .type = out_type,       \
      .out_type = type, .comm = comm, .is_rooted = true, .is_from_root = true, .root = root)                           \
    X(MPI_Reduce_scatter, "reduce_scatter",                                                                            \
      (const void *in, void *out, const int *m, handle type, handle op, handle comm), (in, out, m, type, op, comm),    \
      .in_counts = m, .type = type, .comm = comm)                                                                      \
    X(MPI_Reduce_scatter_block, "reduce_scatter",                                                                      \
      (const void *in, void *out, int m, handle type, handle op, handle comm), (in, out, m, type, op, comm), .in = m,  \
      .is_in_per_rank = true, .out = m, .type = type, .comm = comm)                                                    \
    X(MPI_Send, "send", (const void *in, int n, handle type, int peer, int tag, handle comm),                          \
      (in, n, type, peer, tag, comm), .in = n, .type = type, .comm = comm, .has_peer = true, .peer = peer)             \
    X(MPI_Ssend, "send", (const void *in, int n, handle type, int peer, int tag, handle comm),                         \
      (in, n, type, peer, tag, comm), .in = n, .type = type, .comm = comm, .has_peer = true, .peer = peer)             \
    X(MPI_Isend, "isend", (const void *in, int n, handle type, int peer, int tag, handle comm, void *request),         \
      (in, n, type, peer, tag, comm, request), .in = n, .type = type, .comm = comm, .has_peer = true, .peer = peer)    \
    X(MPI_Recv, "recv", (void *out, int n, handle type, int peer, int tag, handle comm, void *status),                 \
      (out, n, type, peer, tag, comm, status), .out = n, .type = type, .comm = comm, .has_peer = true, .peer = peer)   \
    X(MPI_Irecv, "irecv", (void *out, int n, handle type, int peer, int tag, handle comm, void *request),              \
      (out, n, type, peer, tag, comm, request), .out = n, .type = type, .comm = comm, .has_peer = true, .peer = peer)  \
    X(MPI_Wait, "wait", (void *request, void *status), (request, status), .in = 0)                                     \
    X(MPI_Waitall, "wait", (int n, void *requests, void *statuses), (n, requests, statuses), .in = 0)                  \
    X(MPI_Waitany, "wait", (int n, void *requests, int *index, void *status), (n, requests, index, status), .in = 0)

/* Table of other functions that this source calls or intercepts. */
#define OTHERS(X)                                                                                                      \
    X(MPI_Init)                                                                                                        \
    X(MPI_Init_thread) X(MPI_Finalize) X(PMPI_Comm_size) X(PMPI_Comm_rank) X(PMPI_Type_size) X(PMPI_Type_get_name)

// NOLINTBEGIN(bugprone-macro-parentheses,readability-function-size): a function's name cannot have parentheses,
// and MPI defines the parameters of the functions

enum hook {
#define NUMBER(name, ...) HOOK_##name,
    CALLS(NUMBER) CALL_COUNT,
    BEFORE_OTHERS = CALL_COUNT - 1,
    OTHERS(NUMBER) HOOK_COUNT
#undef NUMBER
};

static struct tp_hook hooks[HOOK_COUNT] = {
#define ROW(name, ...) {#name, NULL, NULL},
    CALLS(ROW) OTHERS(ROW)
#undef ROW
};

static const char *const texts[CALL_COUNT] = {
#define TEXT(name, text, ...) text,
    CALLS(TEXT)
#undef TEXT
};

static bool is_on, is_initialized;
static handle world;
static uint32_t numbers[CALL_COUNT];
static struct tp_spool_rank place;
static _Atomic uint32_t placed;   /* number of the last recording in which the rank was recorded */
static _Atomic uint64_t sequence; /* number of collectives so far in which all ranks of the job took part */

__attribute__((constructor)) static void find_originals(void)
{
    tp_hooks_find_originals(hooks, HOOK_COUNT);
}

#define EXPORT __attribute__((visibility("default")))
#define NEXT(name) ((__typeof__(&name))tp_hook_original(&hooks[HOOK_##name], __builtin_return_address(0)))

int PMPI_Comm_size(handle comm, int *size);
int PMPI_Comm_rank(handle comm, int *rank);
int PMPI_Type_size(handle type, int *bytes);
int PMPI_Type_get_name(handle type, char *name, int *size);

/* ---- facts ---- */

static handle find_world_communicator(void)
{
    void *open_mpi = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
    return open_mpi ? open_mpi : (handle)(uintptr_t)MPICH_WORLD; // NOLINT(performance-no-int-to-ptr)
}

static bool is_world_communicator(handle comm)
{
    return world == comm || ((uintptr_t)world == MPICH_WORLD && (uint32_t)(uintptr_t)comm == MPICH_WORLD);
}

static uint32_t mpi_dtype(handle type)
{
    static const struct {
        const char *name;
        enum tracepress_dtype dtype;
    } types[] = {{"MPI_FLOAT", TRACEPRESS_FLOAT},        {"MPI_DOUBLE", TRACEPRESS_DOUBLE},
                 {"MPI_REAL", TRACEPRESS_FLOAT},         {"MPI_DOUBLE_PRECISION", TRACEPRESS_DOUBLE},
                 {"MPI_INT", TRACEPRESS_INT32},          {"MPI_LONG", TRACEPRESS_INT64},
                 {"MPI_LONG_LONG", TRACEPRESS_INT64},    {"MPI_INT64_T", TRACEPRESS_INT64},
                 {"MPI_INT32_T", TRACEPRESS_INT32},      {"MPI_SHORT", TRACEPRESS_INT16},
                 {"MPI_CHAR", TRACEPRESS_INT8},          {"MPI_SIGNED_CHAR", TRACEPRESS_INT8},
                 {"MPI_UNSIGNED_CHAR", TRACEPRESS_UINT8}};
    char name[NAME_BYTES] = "";
    int size = 0;
    if (NEXT(PMPI_Type_get_name) && NEXT(PMPI_Type_get_name)(type, name, &size) == 0)
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            if (strcmp(types[i].name, name) == 0)
                return types[i].dtype;
    return TRACEPRESS_UNKNOWN;
}

static int64_t sum_counts(const int *counts, int size)
{
    int64_t sum = 0;
    for (int i = 0; i < size; i++)
        sum += counts[i];
    return sum;
}

/* For a call with a root, clears the counts that MPI does not define on this rank. */
static void drop_root_arguments(struct call *call)
{
    int rank = -1;
    bool is_root = NEXT(PMPI_Comm_rank) && NEXT(PMPI_Comm_rank)(call->comm, &rank) == 0 && rank == call->root;
    if (is_root) {
        call->type = call->out_type;
        call->in = 0; /* 0, because the root's own count is not significant if the operation is in place */
    } else {
        call->out_counts = NULL;
        call->out = 0;
    }
    if (is_root && call->is_from_root) { /* is_from_root: the root sends data to each rank */
        call->in = call->out;
        call->is_in_per_rank = call->is_out_per_rank;
        call->out = 0;
    } else if (call->is_from_root) {
        call->out = call->in;
        call->in = 0;
        call->is_out_per_rank = false;
    }
}

static void describe_collective(struct tp_spool_collective *fact, struct call *call)
{
    int size = 0, bytes = 0;
    if (!call->comm || !NEXT(PMPI_Comm_size) || NEXT(PMPI_Comm_size)(call->comm, &size) != 0)
        return;
    if (call->is_rooted)
        drop_root_arguments(call);
    fact->group_size = (uint32_t)size;
    fact->group = is_world_communicator(call->comm) ? 0 : (uint64_t)(uintptr_t)call->comm;
    fact->in_count = call->in_counts ? sum_counts(call->in_counts, size) : call->in * (call->is_in_per_rank ? size : 1);
    fact->out_count =
        call->out_counts ? sum_counts(call->out_counts, size) : call->out * (call->is_out_per_rank ? size : 1);
    if (!call->type || !NEXT(PMPI_Type_size) || NEXT(PMPI_Type_size)(call->type, &bytes) != 0)
        return;
    fact->dtype = mpi_dtype(call->type);
    fact->in_bytes = fact->in_count * bytes;
    fact->out_bytes = fact->out_count * bytes;
}

/* Records the rank of this process, at the first call of each recording. */
static void write_rank_record(uint32_t recording)
{
    const uint32_t slots = sizeof place / TP_SPOOL_SLOT;
    struct tp_spool_record *record =
        recording && atomic_exchange(&placed, recording) != recording ? tp_record_reserve_slots(slots) : NULL;
    if (!record)
        return;
    memcpy(record + 1, &place, sizeof place);
    tp_record_finish(record, 0, TP_SPOOL_RANK, slots, 0);
}

/* Returns the number of this call among the collectives in which all ranks take part, or 0 for other calls. With
 * TRACEPRESS_WINDOW, the recordings of the ranks begin with different calls. The number then shows which calls belong
 * together. */
static uint64_t assign_collective_number(const struct call *call, int code)
{
    bool is_of_all = code == 0 && is_initialized && !call->has_peer && is_world_communicator(call->comm);
    return is_of_all ? atomic_fetch_add(&sequence, 1) + 1 : 0;
}

static void write_collective_record(enum hook hook, uint64_t begin, int code, struct call *call)
{
    uint64_t number = assign_collective_number(call, code);
    uint32_t recording = __atomic_load_n(&tracepress_recording_, __ATOMIC_RELAXED);
    if (!recording)
        return;
    struct tp_spool_collective fact = {.begin = tp_record_clip_begin(begin),
                                       .in_count = INT64_MIN,
                                       .out_count = INT64_MIN,
                                       .in_bytes = INT64_MIN,
                                       .out_bytes = INT64_MIN,
                                       .peer = call->has_peer ? call->peer : INT64_MIN,
                                       .sequence = number};
    const uint32_t slots = sizeof fact / TP_SPOOL_SLOT;
    uint64_t end = tp_clock_now();
    int why = tp_hook_enter_recorder();
    if (is_initialized)
        write_rank_record(recording);
    if (code == 0 && is_initialized)
        describe_collective(&fact, call);
    fact.end = end;
    struct tp_spool_record *record = tp_record_reserve_slots(slots);
    if (record) {
        memcpy(record + 1, &fact, sizeof fact);
        tp_record_finish(record, numbers[hook], TP_SPOOL_COLLECTIVE, slots, 0);
    }
    tp_hook_leave_recorder(why);
}

/* ---- MPI functions that the program calls ---- */

#define HOOK(name, text, parameters, arguments, ...)                                                                   \
    EXPORT int name parameters;                                                                                        \
    int name parameters                                                                                                \
    {                                                                                                                  \
        __typeof__(&name) next = NEXT(name);                                                                           \
        if (!next || !tp_hook_is_on(&is_on))                                                                           \
            return next ? next arguments : NO_MPI;                                                                     \
        uint64_t begin = tp_clock_now();                                                                               \
        int code = next arguments;                                                                                     \
        struct call call = {__VA_ARGS__};                                                                              \
        write_collective_record(HOOK_##name, begin, code, &call);                                                      \
        return code;                                                                                                   \
    }
CALLS(HOOK)

EXPORT int MPI_Init(int *argc, char ***argv);
EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
EXPORT int MPI_Finalize(void);

static uint32_t local_rank(void)
{
    static const char *const variables[] = {"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *text = tp_environment(variables[i]);
        if (text && isdigit((unsigned char)*text))
            return (uint32_t)strtoul(text, NULL, 10);
    }
    return UINT32_MAX;
}

static void on_mpi_initialized(int code)
{
    int rank = -1, size = 0;
    if (code != 0 || !tp_hook_is_on(&is_on))
        return;
    int why = tp_hook_enter_recorder();
    world = find_world_communicator();
    is_initialized = NEXT(PMPI_Comm_rank) && NEXT(PMPI_Comm_rank)(world, &rank) == 0 && NEXT(PMPI_Comm_size) &&
                     NEXT(PMPI_Comm_size)(world, &size) == 0;
    place = (struct tp_spool_rank){(uint32_t)rank, (uint32_t)size, local_rank(), 0};
    if (is_initialized)
        write_rank_record(__atomic_load_n(&tracepress_recording_, __ATOMIC_RELAXED));
    tp_hook_leave_recorder(why);
}

int MPI_Init(int *argc, char ***argv)
{
    int code = NEXT(MPI_Init) ? NEXT(MPI_Init)(argc, argv) : NO_MPI;
    on_mpi_initialized(code);
    return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = NEXT(MPI_Init_thread) ? NEXT(MPI_Init_thread)(argc, argv, required, provided) : NO_MPI;
    on_mpi_initialized(code);
    return code;
}

int MPI_Finalize(void)
{
    is_initialized = false;
    return NEXT(MPI_Finalize) ? NEXT(MPI_Finalize)() : NO_MPI;
}

// NOLINTEND(bugprone-macro-parentheses,readability-function-size)

/* ---- the source ---- */

static const char *probe_source(const struct tp_source_host *host)
{
    (void)host;
    return NULL;
}

static bool start_source(const struct tp_source_host *host, const char *setting)
{
    (void)host, (void)setting;
    for (int i = 0; i < CALL_COUNT; i++)
        numbers[i] = tracepress_intern(texts[i]);
    __atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
    return true;
}

const struct tp_source tp_source_mpi = {
    .name = "mpi",
    .what = "MPI: collectives and messages with their sizes; ranks (MPICH's ABI and Open MPI)",
    .is_default = true,
    .probe = probe_source,
    .start = start_source,
};
