/* Imitates a scheduler of ggml that calls its evaluation callback, with products and sums of float tensors in ggml's
 * layout. Built as a shared library, and with -DPROGRAM as the program that uses the library. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum op { OP_NONE, OP_ADD = 2, OP_MUL_MAT = 29 };

struct ggml_tensor {
    int type;
    void *buffer;
    int64_t ne[4];
    size_t nb[4];
    enum op op;
    int32_t op_params[16], flags;
    struct ggml_tensor *src[10];
    struct ggml_tensor *view_src;
    size_t view_offs;
    void *data;
    char name[64];
    void *extra;
    char padding[8];
};

struct graph {
    struct ggml_tensor *nodes[64];
    int count;
};

typedef bool (*eval_callback)(struct ggml_tensor *node, bool ask, void *user);

void *ggml_backend_sched_new(void **backends, void **types, int count, size_t graph_size, bool parallel, bool offload);
void ggml_backend_sched_set_eval_callback(void *scheduler, eval_callback callback, void *user);
int ggml_backend_sched_graph_compute_async(void *scheduler, struct graph *graph);
int ggml_backend_sched_graph_compute(void *scheduler, struct graph *graph);
const char *ggml_op_desc(const struct ggml_tensor *node);
int64_t ggml_nelements(const struct ggml_tensor *node);

#ifndef PROGRAM
struct scheduler {
    eval_callback callback;
    void *user;
};

void *ggml_backend_sched_new(void **backends, void **types, int count, size_t graph_size, bool parallel, bool offload)
{
    (void)backends, (void)types, (void)graph_size;
    return count == 1 && !parallel && offload ? calloc(1, sizeof(struct scheduler)) : NULL;
}

void ggml_backend_sched_set_eval_callback(void *scheduler, eval_callback callback, void *user)
{
    *(struct scheduler *)scheduler = (struct scheduler){callback, user};
}

const char *ggml_op_desc(const struct ggml_tensor *node)
{
    return node->op == OP_ADD ? "ADD" : node->op == OP_MUL_MAT ? "MUL_MAT" : "NONE";
}

int64_t ggml_nelements(const struct ggml_tensor *node)
{
    return node->ne[0] * node->ne[1] * node->ne[2] * node->ne[3];
}

static void compute(struct ggml_tensor *node)
{
    const float *a = node->src[0]->data, *b = node->src[1]->data;
    float *out = node->data;
    int64_t k = node->src[0]->ne[0];
    if (node->op == OP_ADD)
        for (int64_t i = 0; i < ggml_nelements(node); i++)
            out[i] = a[i] + b[i];
    else
        for (int64_t n = 0; n < node->ne[1]; n++)
            for (int64_t m = 0; m < node->ne[0]; m++) {
                float sum = 0;
                for (int64_t i = 0; i < k; i++)
                    sum += a[m * k + i] * b[n * k + i];
                out[n * node->ne[0] + m] = sum;
            }
}

int ggml_backend_sched_graph_compute_async(void *scheduler, struct graph *graph)
{
    const struct scheduler *s = scheduler;
    for (int first = 0; first < graph->count;) {
        int last = s->callback ? first : graph->count - 1;
        bool is_needed = s->callback && s->callback(graph->nodes[last], true, s->user);
        while (s->callback && !is_needed && last < graph->count - 1)
            is_needed = s->callback(graph->nodes[++last], true, s->user);
        for (int i = first; i <= last; i++)
            compute(graph->nodes[i]);
        if (is_needed && !s->callback(graph->nodes[last], false, s->user))
            break;
        first = last + 1;
    }
    return 0;
}

int ggml_backend_sched_graph_compute(void *scheduler, struct graph *graph)
{
    return ggml_backend_sched_graph_compute_async(scheduler, graph);
}
#else
static long asked, told;

/* Requests only sums, and stops the third graph at its first sum. This is the program's own callback. */
static bool on_node(struct ggml_tensor *node, bool ask, void *user)
{
    asked += ask;
    told += !ask;
    return ask ? strcmp(ggml_op_desc(node), "ADD") == 0 : *(int *)user != 2;
}

static struct ggml_tensor *tensor(enum op op, int64_t n, int64_t m, struct ggml_tensor *a, struct ggml_tensor *b)
{
    struct ggml_tensor *t = calloc(1, sizeof *t);
    *t = (struct ggml_tensor){.ne = {n, m, 1, 1}, .op = op, .src = {a, b}};
    t->data = calloc((size_t)(n * m), sizeof(float));
    return t;
}

/* ggml_program [own]: evaluates graphs of a product, a sum and a product. With "own", the program sets its own
 * callback. Prints the number of nodes of each kind, the FLOPs of the products, and the number of calls of the
 * callback. */
int main(int argc, char **argv)
{
    void *scheduler = ggml_backend_sched_new(NULL, NULL, 1, 64, false, true);
    struct ggml_tensor *weight = tensor(OP_NONE, 32, 48, NULL, NULL), *input = tensor(OP_NONE, 32, 20, NULL, NULL);
    struct ggml_tensor *product = tensor(OP_MUL_MAT, 48, 20, weight, input);
    struct ggml_tensor *sum = tensor(OP_ADD, 48, 20, product, product);
    struct ggml_tensor *last = tensor(OP_MUL_MAT, 20, 20, sum, sum);
    struct graph graph = {{product, sum, last}, 3};
    int round = 0;
    bool has_own = argc > 1 && strcmp(argv[1], "own") == 0;
    if (!scheduler)
        return 1;
    if (has_own)
        ggml_backend_sched_set_eval_callback(scheduler, on_node, &round);
    for (; round < 10; round++)
        if (ggml_backend_sched_graph_compute(scheduler, &graph) != 0)
            return 1;
    long products = has_own ? 19 : 20;
    long flops = 10L * 2 * 32 * 48 * 20 + (products - 10) * 2L * 48 * 20 * 20;
    printf("MUL_MAT %ld %ld\nADD 10 0\nown %ld %ld\n", products, flops, asked, told);
    return has_own ? asked != 29 || told != 10 : asked + told != 0;
}
#endif
