/* Names to bits: see host_names.h. */
#include "webreport/model/host_names.h"

struct pattern {
    const char *text;
    uint64_t bit;
};

static const struct pattern prefixes[] = {
    {"ProfilerStep#", TP_NAME_STEP_PREFIX},
    {"step[", TP_NAME_STEP_BRACKET},
    {"Optimizer.step#", TP_NAME_OPTIMIZER_STEP},
    {"Optimizer.zero_grad#", TP_NAME_ZERO_GRAD},
    {"Optimizer.", TP_NAME_OPTIMIZER},
    {"enumerate(DataPipe)#", TP_NAME_LOADER},
    {"nn.Module: ", TP_NAME_MODULE},
    {"gloo:", TP_NAME_COLLECTIVE},
    {"nccl:", TP_NAME_COLLECTIVE},
    {"mpi:", TP_NAME_COLLECTIVE},
    {"ucc:", TP_NAME_COLLECTIVE},
    {"c10d::", TP_NAME_C10D},
    {"PyTorch Profiler", TP_NAME_PROFILER_SPAN},
};

static const struct pattern parts[] = {
    {"_SingleProcess", TP_NAME_SINGLE_PROCESS},
    {"_SingleProcessDataLoaderIter", TP_NAME_SINGLE_PROCESS_LOADER},
    {"Launch", TP_NAME_LAUNCHES},
    {"Memcpy", TP_NAME_LAUNCHES},
    {"Memset", TP_NAME_LAUNCHES},
    {"GraphLaunch", TP_NAME_GRAPH_LAUNCH},
    {"Host", TP_NAME_HOST},
    {"Malloc", TP_NAME_MALLOC},
    {"Free", TP_NAME_FREE},
    {"Lazy Function Loading", TP_NAME_LOADING},
    {"Runtime Triggered Module Loading", TP_NAME_LOADING},
    {"Driver Compiler", TP_NAME_LOADING},
    {"Pageable", TP_NAME_PAGEABLE},
    {"Pinned", TP_NAME_PINNED},
    {"HtoD", TP_NAME_HTOD},
    {"DtoD", TP_NAME_DTOD},
    {"DtoH", TP_NAME_TO_HOST},
    {"Device -> Host", TP_NAME_TO_HOST},
    {"Host -> Device", TP_NAME_FROM_HOST},
    {"conv", TP_NAME_CONV},
};

/* Compared with the folded name. */
static const struct pattern folded_parts[] = {
    {"_foreach_", TP_NAME_FUSED},       {"multi_tensor_apply", TP_NAME_FUSED}, {"_fused_", TP_NAME_FUSED},
    {"fusedadam", TP_NAME_FUSED},       {"fused_adam", TP_NAME_FUSED},         {"884", TP_NAME_TENSOR_CORE},
    {"1688", TP_NAME_TENSOR_CORE},      {"16816", TP_NAME_TENSOR_CORE},        {"8816", TP_NAME_TENSOR_CORE},
    {"tensorop", TP_NAME_TENSOR_CORE},  {"tensor_op", TP_NAME_TENSOR_CORE},    {"wgmma", TP_NAME_TENSOR_CORE},
    {"gmma", TP_NAME_TENSOR_CORE},      {"hmma", TP_NAME_TENSOR_CORE},         {"imma", TP_NAME_TENSOR_CORE},
    {"tf32", TP_NAME_TENSOR_CORE},      {"bf16", TP_NAME_TENSOR_CORE},         {"nvjet", TP_NAME_TENSOR_CORE},
    {"warpgroup", TP_NAME_TENSOR_CORE}, {"e4m3", TP_NAME_TENSOR_CORE},         {"e5m2", TP_NAME_TENSOR_CORE},
    {"nccl", TP_NAME_COMMUNICATION},    {"rccl", TP_NAME_COMMUNICATION},       {"gemm", TP_NAME_GEMM_KERNEL},
    {"mfma", TP_NAME_TENSOR_CORE},      {"xdl", TP_NAME_TENSOR_CORE},
};

static const struct pattern wholes[] = {
    {"aten::mm", TP_NAME_GEMM_OP},
    {"aten::addmm", TP_NAME_GEMM_OP},
    {"aten::bmm", TP_NAME_GEMM_OP},
    {"aten::baddbmm", TP_NAME_GEMM_OP},
    {"aten::linear", TP_NAME_GEMM_OP},
    {"aten::convolution", TP_NAME_GEMM_OP},
    {"aten::_convolution", TP_NAME_GEMM_OP},
    {"aten::cudnn_convolution", TP_NAME_GEMM_OP},
    {"aten::convolution_backward", TP_NAME_GEMM_OP},
    {"aten::conv2d", TP_NAME_GEMM_OP},
    {"aten::matmul", TP_NAME_GEMM_OP},
    {"aten::contiguous", TP_NAME_COPY_OPS},
    {"aten::clone", TP_NAME_COPY_OPS},
    {"aten::cat", TP_NAME_COPY_OPS},
    {"aten::copy_", TP_NAME_COPY_OPS | TP_NAME_ATEN_COPY},
    {"aten::stack", TP_NAME_COPY_OPS},
    {"aten::to", TP_NAME_COPY_OPS},
    {"aten::_to_copy", TP_NAME_COPY_OPS},
    {"aten::nonzero", TP_NAME_SHAPE_OP},
    {"aten::masked_select", TP_NAME_SHAPE_OP},
    {"aten::_unique", TP_NAME_SHAPE_OP},
    {"aten::_unique2", TP_NAME_SHAPE_OP},
    {"aten::unique_dim", TP_NAME_SHAPE_OP},
    {"aten::unique_consecutive", TP_NAME_SHAPE_OP},
    {"aten::repeat_interleave", TP_NAME_SHAPE_OP},
    {"aten::_local_scalar_dense", TP_NAME_SCALAR_OP},
    {"aten::item", TP_NAME_SCALAR_OP},
    {"aten::is_nonzero", TP_NAME_SCALAR_OP},
    {"aten::equal", TP_NAME_SCALAR_OP},
    {"aten::select", TP_NAME_INDEX_OP},
    {"aten::index", TP_NAME_INDEX_OP},
    {"aten::__getitem__", TP_NAME_INDEX_OP},
    {"aten::slice", TP_NAME_INDEX_OP},
    {"aten::zero_", TP_NAME_FILL_OP},
    {"aten::fill_", TP_NAME_FILL_OP},
    {"record_param_comms", TP_NAME_C10D},
    {"cudaMemcpy", TP_NAME_BLOCKING_COPY},
    {"cudaMemcpy2D", TP_NAME_BLOCKING_COPY},
    {"cudaMemcpy3D", TP_NAME_BLOCKING_COPY},
    {"cudaMemcpyToSymbol", TP_NAME_BLOCKING_COPY},
    {"cudaMemcpyFromSymbol", TP_NAME_BLOCKING_COPY},
    {"hipMemcpy", TP_NAME_BLOCKING_COPY},
    {"hipMemcpy2D", TP_NAME_BLOCKING_COPY},
    {"hipMemcpyWithStream", TP_NAME_BLOCKING_COPY},
    {"hipMemcpyHtoD", TP_NAME_BLOCKING_COPY},
    {"hipMemcpyDtoH", TP_NAME_BLOCKING_COPY},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct tp_str after(struct tp_str text, size_t bytes)
{
    return (struct tp_str){text.ptr + bytes, text.len - bytes};
}

/* ProfilerStep#\d+$, where $ also stands before a last newline. */
static bool is_step(struct tp_str name)
{
    struct tp_str rest = after(name, strlen("ProfilerStep#"));
    size_t digits = 0;
    while (digits < rest.len && is_digit(rest.ptr[digits]))
        digits++;
    return digits && (digits == rest.len || (digits + 1 == rest.len && rest.ptr[digits] == '\n'));
}

/* execute_.*context_, the dot not matching a newline. */
static bool is_execute_context(struct tp_str name)
{
    if (!tp_str_starts(name, "execute_"))
        return false;
    struct tp_str rest = after(name, strlen("execute_"));
    const char *newline = memchr(rest.ptr, '\n', rest.len);
    if (newline)
        rest.len = (size_t)(newline - rest.ptr);
    return tp_str_find(rest, "context_") >= 0;
}

/* Cuts one of the texts off the front; false when none stands there. */
static bool cut_one_of(struct tp_str *text, const char *const *choices)
{
    for (; *choices; choices++)
        if (tp_str_starts(*text, *choices)) {
            *text = after(*text, strlen(*choices));
            return true;
        }
    return false;
}

/* (cuda|hip|cu)(Device|Stream|Event|Ctx)Synchronize(_ptsz)? */
static bool is_sync(struct tp_str name)
{
    static const char *const vendors[] = {"cuda", "hip", "cu", NULL};
    static const char *const scopes[] = {"Device", "Stream", "Event", "Ctx", NULL};
    if (!cut_one_of(&name, vendors) || !cut_one_of(&name, scopes))
        return false;
    return tp_str_equal(name, TP_STR("Synchronize")) || tp_str_equal(name, TP_STR("Synchronize_ptsz"));
}

static bool is_allocator(struct tp_str name)
{
    static const char *const vendors[] = {"cuda", "hip", NULL};
    static const char *const calls[] = {"Malloc",   "MallocHost", "HostAlloc",     "HostMalloc",  "Free",
                                        "FreeHost", "HostFree",   "MallocManaged", "MallocPitch", NULL};
    if (!cut_one_of(&name, vendors))
        return false;
    for (const char *const *call = calls; *call; call++)
        if (tp_str_equal(name, tp_str_of(*call)))
            return true;
    return false;
}

/* `before` digits+ `behind`, in a folded text. */
static bool has_number_between(struct tp_str text, const char *before, const char *behind)
{
    for (ptrdiff_t at; (at = tp_str_find(text, before)) >= 0;) {
        struct tp_str rest = after(text, (size_t)at + strlen(before));
        size_t digits = 0;
        while (digits < rest.len && is_digit(rest.ptr[digits]))
            digits++;
        if (digits && tp_str_starts(after(rest, digits), behind))
            return true;
        text = rest;
    }
    return false;
}

/* Lower case as a case-blind regular expression sees it: also U+0130, U+0131 as i, U+017F as s, U+212A as k. */
static struct tp_str fold_case(struct tp_str name, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i], d = i + 1 < name.len ? (unsigned char)name.ptr[i + 1] : 0;
        if (c == 0xc4 && (d == 0xb0 || d == 0xb1)) {
            out[n++] = 'i';
            i++;
        } else if (c == 0xc5 && d == 0xbf) {
            out[n++] = 's';
            i++;
        } else if (c == 0xe2 && d == 0x84 && i + 2 < name.len && (unsigned char)name.ptr[i + 2] == 0xaa) {
            out[n++] = 'k';
            i += 2;
        } else {
            out[n++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
        }
    }
    return (struct tp_str){out, n};
}

/* Patterns by their first byte, so that one pass over a name looks for all of them. */
struct part_index {
    const struct pattern *patterns;
    uint8_t first[256], next[64]; /* numbers of patterns + 1; 0 ends a chain */
};

static void index_parts(struct part_index *index, const struct pattern *patterns, size_t count)
{
    memset(index, 0, sizeof *index);
    index->patterns = patterns;
    for (size_t i = 0; i < count; i++) {
        uint8_t *first = &index->first[(unsigned char)*patterns[i].text];
        index->next[i] = *first;
        *first = (uint8_t)(i + 1);
    }
}

static bool stands_at(struct tp_str text, size_t at, const char *pattern)
{
    size_t i = 1;
    while (pattern[i] && at + i < text.len && text.ptr[at + i] == pattern[i])
        i++;
    return !pattern[i];
}

static uint64_t bits_of_parts(struct tp_str text, const struct part_index *index)
{
    uint64_t bits = 0;
    for (size_t at = 0; at < text.len; at++)
        for (unsigned n = index->first[(unsigned char)text.ptr[at]]; n; n = index->next[n - 1])
            if (stands_at(text, at, index->patterns[n - 1].text))
                bits |= index->patterns[n - 1].bit;
    return bits;
}

struct matcher {
    struct part_index parts, folded;
    char *scratch; /* room for the longest name */
};

static uint64_t bits_in(struct tp_str name, const struct matcher *matcher)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < COUNT(prefixes); i++)
        if (tp_str_starts(name, prefixes[i].text))
            bits |= prefixes[i].bit;
    for (size_t i = 0; i < COUNT(wholes); i++)
        if (tp_str_equal(name, tp_str_of(wholes[i].text)))
            bits |= wholes[i].bit;
    bits |= bits_of_parts(name, &matcher->parts);
    if (bits & TP_NAME_STEP_PREFIX && is_step(name))
        bits |= TP_NAME_STEP;
    if (is_execute_context(name))
        bits |= TP_NAME_EXECUTE_CONTEXT;
    if (tp_str_starts(name, "enumerate(DataLoader)#") && tp_str_ends(name, ".__next__"))
        bits |= TP_NAME_LOADER;
    if (is_sync(name))
        bits |= TP_NAME_SYNC;
    if (is_allocator(name))
        bits |= TP_NAME_ALLOCATOR;
    struct tp_str folded = fold_case(name, matcher->scratch);
    bits |= bits_of_parts(folded, &matcher->folded);
    if (!(bits & TP_NAME_TENSOR_CORE) &&
        (has_number_between(folded, "_mi", "x") || has_number_between(folded, "sm", "_xmma")))
        bits |= TP_NAME_TENSOR_CORE;
    return bits;
}

uint64_t *tp_host_names_mark(const struct tp_trace *trace, struct tp_arena *arena)
{
    size_t longest = 1;
    for (uint32_t i = 0; i < trace->names.count; i++)
        if (trace->names.items[i].len > longest)
            longest = trace->names.items[i].len;
    struct matcher matcher = {.scratch = tp_arena_array(arena, longest, 1)};
    index_parts(&matcher.parts, parts, COUNT(parts));
    index_parts(&matcher.folded, folded_parts, COUNT(folded_parts));
    uint64_t *bits = tp_arena_array(arena, trace->names.count, sizeof *bits);
    for (uint32_t i = 0; i < trace->names.count; i++)
        bits[i] = bits_in(trace->names.items[i], &matcher);
    tp_arena_drop(arena, matcher.scratch, longest);
    return bits;
}
