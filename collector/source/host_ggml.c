/* Records each node of a ggml graph as an operator, through the evaluation callback of ggml's scheduler.
 *
 * ggml calls the callback before and after each node, and therefore computes the nodes one by one. A callback of the
 * program is still called as usual. The source reads only the beginning of struct ggml_tensor (type, buffer,
 * dimensions), which is the same in all versions since 2023, and checks it with ggml_nelements. The inputs of a
 * product contain its shapes and FLOPs. In struct ggml_tensor, the inputs come after members that differ between
 * versions. So the source copies the inputs with a check that the memory is mapped, and uses them only if their
 * dimensions fit the product. Works if ggml is a shared library. */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/hook.h"
#include "collector/session.h"
#include "collector/sources.h"

struct tensor { /* Copy of the first members of struct ggml_tensor. */
    int type;
    int backend; /* unused; padding in ggml since 2024 */
    void *buffer;
    int64_t dims[4]; /* sizes of the dimensions, innermost first */
    uint64_t strides[4];
    int op;
};

typedef bool (*eval_callback)(struct tensor *node, bool is_asked, void *user);

/* offset of the inputs in struct ggml_tensor, in new and in old versions, bytes */
enum { SOURCES_AT = 152, SOURCES_AT_OLD = 160 };
enum { NAMES = 256, TYPES = 16 };

// NOLINTBEGIN(bugprone-macro-parentheses,readability-function-size): a function's name cannot have parentheses,
// and ggml defines the parameters of the functions

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

/* index: number of a type of ggml; value: torch's element type, unknown if torch lacks the type */
static const uint8_t dtypes[] = {
    [0] = TRACEPRESS_FLOAT,  [1] = TRACEPRESS_HALF,   [24] = TRACEPRESS_INT8,   [25] = TRACEPRESS_INT16,
    [26] = TRACEPRESS_INT32, [27] = TRACEPRESS_INT64, [28] = TRACEPRESS_DOUBLE, [30] = TRACEPRESS_BFLOAT16};

static bool is_on;
static uint32_t graph_name;

/* The program's own callback and its argument. Only the callback of the last scheduler is stored, because programs
 * normally have one scheduler. */
static struct {
    _Atomic(eval_callback) callback;
    _Atomic(void *) user;
} program;

/* is_open: the range of a node is open; is_wanted: the program's callback asked for the current node */
static _Thread_local bool is_open, is_wanted;

__attribute__((constructor)) static void find_originals(void)
{
    tp_hooks_find_originals(hooks, HOOK_COUNT);
}

#define EXPORT __attribute__((visibility("default")))
#define NEXT(name) ((__typeof__(&name))tp_hook_original(&hooks[HOOK_##name], __builtin_return_address(0)))

EXPORT void *ggml_backend_sched_new(void **backends, void **types, int count, size_t graph_size, uint64_t parallel,
                                    uint64_t offload);
EXPORT void ggml_backend_sched_set_eval_callback(void *scheduler, eval_callback callback, void *user);
EXPORT int ggml_backend_sched_graph_compute_async(void *scheduler, void *graph);
const char *ggml_op_desc(const struct tensor *node);
int64_t ggml_nelements(const struct tensor *node);

/* ---- one node ---- */

/* Returns the number of an operator's name. A cache finds the number by the address of the text, because there are few
 * names and their texts are static. */
static uint32_t operator_name(const char *text)
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
    /* reserves the entry; if the entry is taken, the name is looked up in each call */
    if (atomic_compare_exchange_strong(&known[at].text, &none, "")) {
        atomic_store_explicit(&known[at].number, number, memory_order_relaxed);
        atomic_store_explicit(&known[at].text, text, memory_order_release);
    }
    return number;
}

static enum tracepress_dtype tensor_dtype(const struct tensor *t)
{
    return t->type >= 0 && t->type < (int)sizeof dtypes ? dtypes[t->type] : TRACEPRESS_UNKNOWN;
}

/* Copies `size` bytes from memory that may not be mapped. Returns false if the memory is not mapped. */
static bool copy_if_mapped(void *to, const void *from, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)(uintptr_t)from, size};
    return from && process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Copies the inputs of a matrix product at this offset. In ggml's order, input 0 is [k, m], input 1 is [k, n], and the
 * node is [m, n]. Returns false if the dimensions do not fit each other. */
static bool copy_product_inputs(const struct tensor *node, size_t offset, struct tensor *out)
{
    struct tensor *found[2];
    bool is_there = copy_if_mapped(found, (const char *)node + offset, sizeof found) &&
                    copy_if_mapped(&out[0], found[0], sizeof *out) && copy_if_mapped(&out[1], found[1], sizeof *out);
    return is_there && out[0].dims[0] == out[1].dims[0] && out[0].dims[1] == node->dims[0] &&
           out[1].dims[1] == node->dims[1] && out[0].dims[0] > 0;
}

/* Fills `dims` with the dimensions in torch's order, outermost first. Leaves out outermost dimensions of size 1.
 * Returns the rank. */
static uint32_t fill_dims(const struct tensor *t, int64_t *dims)
{
    uint32_t rank = 4;
    while (rank > 1 && t->dims[rank - 1] == 1)
        rank--;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = t->dims[rank - 1 - i];
    return rank;
}

static bool is_valid_product(const struct tensor *node)
{
    int64_t count = 1;
    for (int i = 0; i < 4; i++)
        if (node->dims[i] <= 0 || __builtin_mul_overflow(count, node->dims[i], &count))
            return false;
    return NEXT(ggml_nelements) && NEXT(ggml_nelements)(node) == count;
}

static uint64_t product_flops(const struct tensor *node, int64_t k)
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
    int why = tp_hook_enter_recorder();
    if (is_valid_product(node)) {
        bool is_product =
            text && strstr(text, "MUL_MAT") != NULL &&
            (copy_product_inputs(node, SOURCES_AT, sources) || copy_product_inputs(node, SOURCES_AT_OLD, sources));
        /* an operator that is not a product gets the shape of its output */
        sources[0] = is_product ? sources[0] : *node;
        call.inputs = inputs;
        call.input_count = is_product ? 2 : 1;
        call.flops = is_product ? product_flops(node, sources[0].dims[0]) : 0;
        for (uint32_t i = 0; i < call.input_count; i++)
            inputs[i] = (struct tracepress_input){tensor_dtype(&sources[i]), fill_dims(&sources[i], dims[i]), dims[i]};
    }
    tracepress_record_call_(operator_name(text ? text : "ggml"), call.inputs ? &call : NULL);
    tp_hook_leave_recorder(why);
    is_open = true;
}

static void end_node(void)
{
    int why = tp_hook_enter_recorder();
    if (is_open)
        tracepress_record_end_();
    is_open = false;
    tp_hook_leave_recorder(why);
}

/* ggml calls this function before a node (is_asked) and after it. If the result after a node is false, ggml stops the
 * graph, so only the program's callback may return false. */
static bool handle_node(struct tensor *node, bool is_asked, void *unused)
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

/* ---- ggml functions that the program calls ---- */

void *ggml_backend_sched_new(void **backends, void **types, int count, size_t graph_size, uint64_t parallel,
                             uint64_t offload)
{
    void *scheduler = NEXT(ggml_backend_sched_new)
                          ? NEXT(ggml_backend_sched_new)(backends, types, count, graph_size, parallel, offload)
                          : NULL;
    if (scheduler && tp_hook_is_on(&is_on) && NEXT(ggml_backend_sched_set_eval_callback))
        NEXT(ggml_backend_sched_set_eval_callback)(scheduler, handle_node, NULL);
    return scheduler;
}

void ggml_backend_sched_set_eval_callback(void *scheduler, eval_callback callback, void *user)
{
    if (!NEXT(ggml_backend_sched_set_eval_callback))
        return;
    bool is_ours = tp_hook_is_on(&is_on);
    if (is_ours) {
        /* NULL first, so that no thread can call the new callback with the argument of the old one */
        atomic_store(&program.callback, NULL);
        atomic_store(&program.user, user);
        atomic_store(&program.callback, callback);
    }
    NEXT(ggml_backend_sched_set_eval_callback)(scheduler, is_ours ? handle_node : callback, is_ours ? NULL : user);
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
    end_node(); /* ends the range of a node that failed */
    if (is_recorded)
        tracepress_record_end_();
    return code;
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
    graph_name = tracepress_intern("ggml graph");
    __atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
    return true;
}

const struct tp_source tp_source_ggml = {
    .name = "ggml",
    .what = "operators of ggml, if the program uses its scheduler and ggml is a shared library",
    .is_default = true,
    .probe = probe_source,
    .start = start_source,
};
