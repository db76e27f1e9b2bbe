/* ggml: each node of a graph as an operator, by the evaluation callback of ggml's scheduler.
 *
 * The callback asks before each node and is told after it, so that nodes are computed one by one; a callback of the
 * program's own is called as it would be. Only the head of struct ggml_tensor is looked at (type, buffer, dimensions:
 * as in all versions since 2023), and only as far as ggml_nelements agrees. Sources of a node, which give a product its
 * inputs and FLOPs, lie behind members that versions have added: they are read as memory that may not be there and
 * believed when their dimensions fit the product's. Works where ggml is a shared library. */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/hook.h"
#include "collector/session.h"
#include "collector/sources.h"

struct tensor { /* of ggml, its head */
    int type;
    int backend; /* padding, since 2024 */
    void *buffer;
    int64_t dims[4]; /* the innermost first */
    uint64_t strides[4];
    int op;
};

typedef bool (*eval_callback)(struct tensor *node, bool is_asked, void *user);

enum { SOURCES_AT = 152, SOURCES_AT_OLD = 160 }; /* of struct ggml_tensor: two versions of it */
enum { NAMES = 256, TYPES = 16 };

// NOLINTBEGIN(bugprone-macro-parentheses,readability-function-size): a function's name is no expression, and its
// parameters are others' choice

#define HOOKS(X)                                                                                                       \
    X(ggml_backend_sched_new)                                                                                          \
    X(ggml_backend_sched_set_eval_callback) X(ggml_op_desc) X(ggml_nelements) X(ggml_backend_sched_graph_compute_async)

enum hook {
#define NUMBER(name) HOOK_##name,
    HOOKS(NUMBER) HOOK_COUNT
#undef NUMBER
};

static struct tp_hook hooks[HOOK_COUNT] = {
#define ROW(name) {#name, NULL, NULL},
    HOOKS(ROW)
#undef ROW
};

/* ggml's types by number, as far as torch has them. */
static const uint8_t dtypes[] = {
    [0] = TRACEPRESS_FLOAT,  [1] = TRACEPRESS_HALF,   [24] = TRACEPRESS_INT8,   [25] = TRACEPRESS_INT16,
    [26] = TRACEPRESS_INT32, [27] = TRACEPRESS_INT64, [28] = TRACEPRESS_DOUBLE, [30] = TRACEPRESS_BFLOAT16};

static bool is_on;
static uint32_t graph_name;

/* What the program set by itself. One scheduler's, as programs have one; of several the last. */
static struct {
    _Atomic(eval_callback) callback;
    _Atomic(void *) user;
} program;

static _Thread_local bool is_open, is_wanted; /* a node's range; the program asked for this node */

__attribute__((constructor)) static void find(void)
{
    tp_hooks_find(hooks, HOOK_COUNT);
}

#define EXPORT __attribute__((visibility("default")))
#define NEXT(name) ((__typeof__(&name))tp_hook_of(&hooks[HOOK_##name], __builtin_return_address(0)))

EXPORT void *ggml_backend_sched_new(void **backends, void **types, int count, size_t graph_size, uint64_t parallel,
                                    uint64_t offload);
EXPORT void ggml_backend_sched_set_eval_callback(void *scheduler, eval_callback callback, void *user);
EXPORT int ggml_backend_sched_graph_compute_async(void *scheduler, void *graph);
const char *ggml_op_desc(const struct tensor *node);
int64_t ggml_nelements(const struct tensor *node);

/* ---- a node ---- */

/* The names of operators are few and static: by their addresses. */
static uint32_t name_of(const char *text)
{
    static struct {
        _Atomic(const char *) text;
        _Atomic uint32_t number;
    } known[NAMES];
    size_t at = ((uintptr_t)text >> 3 ^ (uintptr_t)text >> 11) % NAMES;
    if (atomic_load_explicit(&known[at].text, memory_order_acquire) == text)
        return atomic_load_explicit(&known[at].number, memory_order_relaxed);
    uint32_t number = tracepress_intern(text);
    const char *none = NULL;
    if (atomic_compare_exchange_strong(&known[at].text, &none, "")) { /* ours to fill; others are asked for each time */
        atomic_store_explicit(&known[at].number, number, memory_order_relaxed);
        atomic_store_explicit(&known[at].text, text, memory_order_release);
    }
    return number;
}

static enum tracepress_dtype dtype_of(const struct tensor *t)
{
    return t->type >= 0 && t->type < (int)sizeof dtypes ? dtypes[t->type] : TRACEPRESS_UNKNOWN;
}

/* Copies what may not be there. */
static bool copy(void *to, const void *from, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)(uintptr_t)from, size};
    return from && process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* The inputs of a matrix product: source 0 is [k, m], source 1 [k, n], the node [m, n], each in ggml's order. */
static bool sources_at(const struct tensor *node, size_t offset, struct tensor *out)
{
    struct tensor *found[2];
    bool is_there = copy(found, (const char *)node + offset, sizeof found) && copy(&out[0], found[0], sizeof *out) &&
                    copy(&out[1], found[1], sizeof *out);
    return is_there && out[0].dims[0] == out[1].dims[0] && out[0].dims[1] == node->dims[0] &&
           out[1].dims[1] == node->dims[1] && out[0].dims[0] > 0;
}

/* Dimensions in torch's order, the outermost first; leading ones are left out. The rank. */
static uint32_t dims_of(const struct tensor *t, int64_t *dims)
{
    uint32_t rank = 4;
    while (rank > 1 && t->dims[rank - 1] == 1)
        rank--;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = t->dims[rank - 1 - i];
    return rank;
}

static bool is_believable(const struct tensor *node)
{
    int64_t count = 1;
    for (int i = 0; i < 4; i++)
        if (node->dims[i] <= 0 || __builtin_mul_overflow(count, node->dims[i], &count))
            return false;
    return NEXT(ggml_nelements) && NEXT(ggml_nelements)(node) == count;
}

static uint64_t flops_of(const struct tensor *node, int64_t k)
{
    uint64_t flops = 2 * (uint64_t)k;
    for (int i = 0; i < 4; i++)
        if (__builtin_mul_overflow(flops, (uint64_t)node->dims[i], &flops))
            return 0;
    return flops;
}

static void begin_node(const struct tensor *node)
{
    const char *text = NEXT(ggml_op_desc) ? NEXT(ggml_op_desc)(node) : NULL;
    struct tensor sources[2] = {*node};
    int64_t dims[2][4];
    struct tracepress_operator call = TRACEPRESS_OPERATOR;
    struct tracepress_input inputs[2];
    int why = tp_hook_enter();
    if (is_believable(node)) {
        bool is_product = text && strstr(text, "MUL_MAT") != NULL &&
                          (sources_at(node, SOURCES_AT, sources) || sources_at(node, SOURCES_AT_OLD, sources));
        sources[0] = is_product ? sources[0] : *node; /* of other operators: what comes out */
        call.inputs = inputs;
        call.input_count = is_product ? 2 : 1;
        call.flops = is_product ? flops_of(node, sources[0].dims[0]) : 0;
        for (uint32_t i = 0; i < call.input_count; i++)
            inputs[i] = (struct tracepress_input){dtype_of(&sources[i]), dims_of(&sources[i], dims[i]), dims[i]};
    }
    tracepress_record_call_(name_of(text ? text : "ggml"), call.inputs ? &call : NULL);
    tp_hook_leave(why);
    is_open = true;
}

static void end_node(void)
{
    int why = tp_hook_enter();
    if (is_open)
        tracepress_record_end_();
    is_open = false;
    tp_hook_leave(why);
}

/* ggml asks for a node, and tells of it when it is done: then `false` ends the graph, which is the program's to say. */
static bool on_node(struct tensor *node, bool is_asked, void *unused)
{
    eval_callback callback = atomic_load(&program.callback);
    void *user = atomic_load(&program.user);
    (void)unused;
    if (is_asked) {
        is_wanted = callback && callback(node, true, user);
        if (!tp_hook_is_on(&is_on))
            return is_wanted;
        begin_node(node);
        return true;
    }
    end_node();
    bool goes_on = !is_wanted || !callback || callback(node, false, user);
    is_wanted = false;
    return goes_on;
}

/* ---- what the program calls ---- */

void *ggml_backend_sched_new(void **backends, void **types, int count, size_t graph_size, uint64_t parallel,
                             uint64_t offload)
{
    void *scheduler = NEXT(ggml_backend_sched_new)
                          ? NEXT(ggml_backend_sched_new)(backends, types, count, graph_size, parallel, offload)
                          : NULL;
    if (scheduler && tp_hook_is_on(&is_on) && NEXT(ggml_backend_sched_set_eval_callback))
        NEXT(ggml_backend_sched_set_eval_callback)(scheduler, on_node, NULL);
    return scheduler;
}

void ggml_backend_sched_set_eval_callback(void *scheduler, eval_callback callback, void *user)
{
    if (!NEXT(ggml_backend_sched_set_eval_callback))
        return;
    bool is_ours = tp_hook_is_on(&is_on);
    if (is_ours) {
        atomic_store(&program.callback, NULL); /* never one's callback with another's user */
        atomic_store(&program.user, user);
        atomic_store(&program.callback, callback);
    }
    NEXT(ggml_backend_sched_set_eval_callback)(scheduler, is_ours ? on_node : callback, is_ours ? NULL : user);
}

int ggml_backend_sched_graph_compute_async(void *scheduler, void *graph)
{
    __typeof__(&ggml_backend_sched_graph_compute_async) next = NEXT(ggml_backend_sched_graph_compute_async);
    bool is_recorded = tp_hook_is_on(&is_on);
    if (!next)
        return -1;
    if (is_recorded)
        tracepress_record_begin_(graph_name);
    int code = next(scheduler, graph);
    end_node(); /* one that was not told of: the computation failed */
    if (is_recorded)
        tracepress_record_end_();
    return code;
}

// NOLINTEND(bugprone-macro-parentheses,readability-function-size)

/* ---- the source ---- */

static const char *probe(const struct tp_source_host *host)
{
    (void)host;
    return NULL;
}

static bool start(const struct tp_source_host *host, const char *setting)
{
    (void)host, (void)setting;
    graph_name = tracepress_intern("ggml graph");
    __atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
    return true;
}

const struct tp_source tp_source_ggml = {
    .name = "ggml",
    .what = "ggml's operators, where the program uses its scheduler and ggml is a shared library",
    .is_default = true,
    .probe = probe,
    .start = start,
};
