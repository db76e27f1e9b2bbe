/* Simulates the training program of gen_trace, step by step. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/gen.h"

static const struct kernel gemm = {"ampere_sgemm_128x64_tn", 42000, 256, 128, 122, 12544, 38};
static const struct kernel half_gemm = {
    "void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_relu_f16_128x128_32x4_nn>(Params)",
    18000,
    128,
    256,
    168,
    65536,
    25};
static const struct kernel pointwise = {
    "void at::native::vectorized_elementwise_kernel<4, at::native::relu_op>(int, at::native::relu_op)",
    6000,
    512,
    128,
    16,
    0,
    81};
static const struct kernel reduce = {
    "void at::native::reduce_kernel<512, 1, at::native::MeanOps<float>>(at::native::MeanOps<float>)",
    5000,
    4,
    512,
    32,
    16,
    6};
static const struct kernel add = {
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)",
    2500,
    64,
    128,
    18,
    0,
    40};

/* Returns the kernel with its length on this rank. The last rank is slower than the others. */
static struct kernel scale_kernel(const struct gen *g, const struct kernel *k)
{
    struct kernel own = *k;
    if (g->opt.ranks > 1 && g->opt.rank == g->opt.ranks - 1)
        own.length += own.length / 4;
    return own;
}

static void load_batch(struct gen *g, int step)
{
    size_t loader = gen_add_annotation(g, MAIN, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
    for (int i = 0; i < 2; i++) {
        size_t stack = gen_add_operator(g, MAIN, "aten::stack", "[[[3, 224, 224], [3, 224, 224]], []]",
                                        "[\"TensorList\", \"Scalar\"]", 0);
        g->now[MAIN] += gen_random_between(g, 40000, step % 7 == 3 ? 900000 : 160000);
        gen_end_slice(g, stack);
    }
    gen_end_slice(g, loader);
    size_t to =
        gen_add_operator(g, MAIN, "aten::to", "[[64, 3, 224, 224], [], []]", "[\"float\", \"Int\", \"Bool\"]", 0);
    size_t inner = gen_add_operator(g, MAIN, "aten::copy_", "[[64, 3, 224, 224], [64, 3, 224, 224], []]",
                                    "[\"float\", \"float\", \"Bool\"]", 0);
    gen_add_copy(g, MAIN, "HtoD (Pageable -> Device)", 64 * 3 * 224 * 4, true);
    gen_end_slice(g, inner);
    gen_end_slice(g, to);
}

static void add_linear(struct gen *g, int layer)
{
    char name[64];
    struct kernel matrix = scale_kernel(g, layer % 3 ? &gemm : &half_gemm), activation = scale_kernel(g, &pointwise);
    snprintf(name, sizeof name, "nn.Module: Linear_%d", layer);
    size_t module = gen_add_frame(g, name, 10 + layer),
           forward = gen_add_frame(g, "torch/nn/modules/linear.py(130): forward", -1);
    g->layer_sequence[layer] = ++g->sequence;
    size_t outer = gen_add_operator(g, MAIN, "aten::linear", "[[64, 512], [512, 512], [512]]",
                                    "[\"float\", \"float\", \"float\"]", 0);
    size_t inner =
        gen_add_operator(g, MAIN, "aten::addmm", "[[512], [64, 512], [512, 512], [], []]",
                         "[\"float\", \"float\", \"float\", \"Scalar\", \"Scalar\"]", g->layer_sequence[layer]);
    g->layer_flow[layer] = ++g->flows;
    gen_add_flow(g, 's', MAIN, g->records[inner].ts, g->layer_flow[layer], OPERATOR);
    gen_allocate(g, MAIN, 64 * 512 * 4 + 512 * layer);
    gen_add_launch(g, MAIN, COMPUTE, &matrix, "");
    gen_end_slice(g, inner);
    gen_end_slice(g, outer);
    gen_end_frame(g, forward);
    gen_end_frame(g, module);
    size_t relu = gen_add_operator(g, MAIN, "aten::relu", "[[64, 512]]", "[\"float\"]", ++g->sequence);
    gen_add_launch(g, MAIN, COMPUTE, &activation, "");
    gen_end_slice(g, relu);
}

/* Runs the whole forward pass as one captured graph, which has one launch and many kernels. */
static void add_graph_replay(struct gen *g)
{
    size_t region = gen_add_frame(g, "train.py(52): replay", -1);
    int64_t start = g->now[MAIN];
    uint64_t correlation = gen_add_runtime_call(g, MAIN, "cudaGraphLaunch", gen_random_between(g, 9000, 14000));
    for (int layer = 0; layer < g->opt.layers; layer++) {
        char more[64];
        struct kernel own = scale_kernel(g, &gemm);
        snprintf(more, sizeof more, ", \"graph id\": 3, \"graph node id\": %d", 100 + layer);
        gen_add_kernel(g, COMPUTE, &own, correlation, start, more);
    }
    gen_end_frame(g, region);
}

static void all_reduce(struct gen *g, int bucket)
{
    char more[320];
    int64_t elements = 1 << (18 + bucket % 3);
    snprintf(more, sizeof more,
             ", \"Collective name\": \"allreduce\", \"In msg nelems\": %" PRId64 ", \"Out msg nelems\": %" PRId64
             ", \"Group size\": %d, \"dtype\": \"Float\", \"Process Group Name\": \"0\", "
             "\"Process Group Description\": \"default_pg\"",
             elements, elements, g->opt.ranks);
    size_t params = gen_add_operator(g, AUTOGRAD, "record_param_comms", "[[262144]]", "[\"float\"]", 0);
    g->records[params].args = gen_add_text(g, "%s%s", g->text + g->records[params].args, more);
    size_t note = gen_add_annotation(g, AUTOGRAD, "nccl:all_reduce");
    struct kernel ring = {
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 90000, 24, 544, 96, 87568, 0};
    /* other ranks wait for the last one during the collective */
    ring.length += g->opt.rank == g->opt.ranks - 1 ? 0 : 60000;
    if (g->now[COLLECTIVES] < g->now[COMPUTE] - 20000)
        g->now[COLLECTIVES] = g->now[COMPUTE] - 20000;
    gen_add_launch(g, AUTOGRAD, COLLECTIVES, &ring, more);
    gen_end_slice(g, note);
    gen_end_slice(g, params);
}

static void add_backward_layer(struct gen *g, int layer)
{
    struct kernel matrix = scale_kernel(g, &gemm);
    uint64_t sequence = g->layer_sequence[layer];
    size_t node =
        gen_add_operator(g, AUTOGRAD, "autograd::engine::evaluate_function: AddmmBackward0", "[]", "[]", sequence);
    size_t own = gen_add_operator(g, AUTOGRAD, "AddmmBackward0", "[[64, 512]]", "[\"float\"]", sequence);
    if (g->layer_flow[layer])
        gen_add_flow(g, 'f', AUTOGRAD, g->records[own].ts, g->layer_flow[layer], OPERATOR);
    for (int i = 0; i < 2; i++) {
        size_t mm = gen_add_operator(g, AUTOGRAD, "aten::mm", i ? "[[512, 64], [64, 512]]" : "[[64, 512], [512, 512]]",
                                     "[\"float\", \"float\"]", 0);
        gen_allocate(g, AUTOGRAD, i ? 512 * 512 * 4 : 64 * 512 * 4);
        gen_add_launch(g, AUTOGRAD, COMPUTE, &matrix, "");
        gen_end_slice(g, mm);
    }
    gen_end_slice(g, own);
    gen_allocate(g, AUTOGRAD, -1);
    gen_end_slice(g, node);
    if (g->opt.ranks > 1 && layer % 4 == 0)
        all_reduce(g, layer / 4);
}

void gen_train_step(struct gen *g, int step)
{
    char name[64];
    struct kernel mean = scale_kernel(g, &reduce);
    snprintf(name, sizeof name, "ProfilerStep#%d", step);
    size_t marker = gen_add_annotation(g, MAIN, name), body = gen_add_frame(g, "train.py(88): step", -1);
    load_batch(g, step);
    size_t model = gen_add_frame(g, "nn.Module: MLP_0", 1);
    if (g->opt.graphs)
        add_graph_replay(g);
    for (int layer = 0; layer < g->opt.layers && !g->opt.graphs; layer++)
        add_linear(g, layer);
    gen_end_frame(g, model);
    size_t loss = gen_add_operator(g, MAIN, "aten::mean", "[[64, 512]]", "[\"float\"]", ++g->sequence);
    gen_add_launch(g, MAIN, COMPUTE, &mean, "");
    gen_end_slice(g, loss);
    size_t backward = gen_add_frame(g, "torch/_tensor.py(492): backward", -1);
    g->now[AUTOGRAD] = g->now[MAIN] + gen_random_between(g, 8000, 20000);
    for (int layer = g->opt.layers - 1; layer >= 0; layer--)
        add_backward_layer(g, layer);
    g->now[MAIN] = g->now[AUTOGRAD] + gen_random_between(g, 5000, 9000);
    gen_end_frame(g, backward);
    size_t optimizer = gen_add_annotation(g, MAIN, "Optimizer.step#SGD.step");
    for (int layer = 0; layer < g->opt.layers; layer++) {
        size_t update = gen_add_operator(g, MAIN, "aten::add_", "[[512, 512], [512, 512], []]",
                                         "[\"float\", \"float\", \"Scalar\"]", 0);
        gen_add_launch(g, MAIN, COMPUTE, &add, "");
        gen_end_slice(g, update);
    }
    gen_end_slice(g, optimizer);
    size_t item = gen_add_operator(g, MAIN, "aten::item", "[[]]", "[\"float\"]", 0);
    size_t scalar = gen_add_operator(g, MAIN, "aten::_local_scalar_dense", "[[]]", "[\"float\"]", 0);
    gen_add_copy(g, MAIN, "DtoH (Device -> Pageable)", 4, true);
    gen_end_slice(g, scalar);
    gen_end_slice(g, item);
    while (g->block_count)
        gen_allocate(g, MAIN, -1);
    gen_end_frame(g, body);
    gen_end_slice(g, marker);
    g->now[MAIN] += gen_random_between(g, 10000, 60000);
}
