/* Computes the mark bits of names: see marks.h. */
#include "webreport/model/marks.h"

#include <string.h>

#include "webreport/model/order_marks.h"
#include "webreport/model/tensor_makers.h"
#include "webreport/trace/comm_names.h"
#include "webreport/trace/copy_class.h"
#include "webreport/trace/regions.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- kernels: tensor cores and communication (docs/definitions.md, section 8 and 12) ---- */

static const char *const tc_no[] = {
    "ffma", "simt",         "sgemm",       "scudnn",      "dgemm_",      "gcgemm", "cgemm_",
    "gemv", "splitkreduce", "triton_poi_", "triton_red_", "triton_per_", "fft2d_", "winograd_nonfused",
    NULL};
static const char *const tc_no_unless[] = {"s1688", "16816", "tensorop", "mfma", NULL};
static const char *const tc_yes[] = {"h884",
                                     "s884",
                                     "d884",
                                     "h1688",
                                     "s1688",
                                     "c1688",
                                     "i8816",
                                     "16816",
                                     "161616",
                                     "hmma",
                                     "imma",
                                     "dmma",
                                     "qmma",
                                     "wmma",
                                     "wgmma",
                                     "gmma",
                                     "utcmma",
                                     "tcgen05",
                                     "tensorop",
                                     "xmma_",
                                     "nvjet",
                                     "cutlass3x",
                                     "sm90_gemm",
                                     "sm100_gemm",
                                     "flash_fwd",
                                     "flash_bwd",
                                     "flash_attn",
                                     "flashattn",
                                     "fmha",
                                     "device_kernel<cutlass",
                                     "deep_gemm",
                                     "mfma",
                                     "xdlops",
                                     "_xdl",
                                     "gtcx",
                                     "dp256b",
                                     "dgrad_1x1_stride_2x2",
                                     "first_layer_wgrad_kernel",
                                     "conv1x1",
                                     "conv2d_c1_k1",
                                     "direct_group",
                                     NULL};
static const char *const tc_no_late[] = {"at::native::", "fbgemm_gpu",        "cijk_",
                                         "im2col",       "ll4mi_reduce",      "finalize_matmul",
                                         "rotary",       "reshape_and_cache", NULL};
static const char *const tc_maybe[] = {"gemm",     "matmul", "_mm_",   "_dot_",       "bmm",  "convol",
                                       "conv2d",   "conv3d", "_conv_", "attention",   "attn", "mha_",
                                       "sage_fwd", "lstm",   "gru_",   "triton_tem_", NULL};
/* ATen operators that can use tensor cores, without the prefix "aten::" */
static const char *const tc_operator[] = {"_convolution",
                                          "_convolution_mode",
                                          "conv1d",
                                          "conv2d",
                                          "conv3d",
                                          "conv_tbc",
                                          "conv_transpose1d",
                                          "conv_transpose2d",
                                          "conv_transpose3d",
                                          "convolution",
                                          "convolution_backward",
                                          "convolution_overrideable",
                                          "cudnn_convolution",
                                          "cudnn_convolution_transpose",
                                          "cudnn_convolution_relu",
                                          "cudnn_convolution_add_relu",
                                          "cudnn_convolution_backward",
                                          "cudnn_convolution_backward_input",
                                          "cudnn_convolution_backward_weight",
                                          "cudnn_convolution_transpose_backward",
                                          "cudnn_convolution_transpose_backward_input",
                                          "cudnn_convolution_transpose_backward_weight",
                                          "miopen_convolution",
                                          "miopen_convolution_transpose",
                                          "miopen_depthwise_convolution",
                                          "thnn_conv2d",
                                          "_slow_conv2d_forward",
                                          "_slow_conv2d_backward",
                                          "slow_conv3d",
                                          "slow_conv_transpose2d",
                                          "slow_conv_transpose3d",
                                          "prelu",
                                          "addmm",
                                          "addmm_",
                                          "_addmm_activation",
                                          "addmv",
                                          "addr",
                                          "matmul",
                                          "mm",
                                          "mv",
                                          "linear",
                                          "linear_backward",
                                          "bilinear",
                                          "_trilinear",
                                          "addbmm",
                                          "baddbmm",
                                          "baddbmm_",
                                          "bmm",
                                          "chain_matmul",
                                          "linalg_multi_dot",
                                          "linalg_matmul",
                                          "einsum",
                                          "tensordot",
                                          "inner",
                                          "_scaled_mm",
                                          "_scaled_mm_v2",
                                          "_grouped_mm",
                                          "_scaled_grouped_mm",
                                          "_int_mm",
                                          "_weight_int4pack_mm",
                                          "_weight_int8pack_mm",
                                          "_thnn_fused_lstm_cell",
                                          "_thnn_fused_gru_cell",
                                          "lstm",
                                          "gru",
                                          "rnn_tanh",
                                          "rnn_relu",
                                          "lstm_cell",
                                          "gru_cell",
                                          "rnn_tanh_cell",
                                          "rnn_relu_cell",
                                          "_cudnn_rnn",
                                          "_cudnn_rnn_backward",
                                          "miopen_rnn",
                                          "miopen_rnn_backward",
                                          "scaled_dot_product_attention",
                                          "_scaled_dot_product_flash_attention",
                                          "_scaled_dot_product_flash_attention_backward",
                                          "_scaled_dot_product_efficient_attention",
                                          "_scaled_dot_product_efficient_attention_backward",
                                          "_scaled_dot_product_cudnn_attention",
                                          "_scaled_dot_product_cudnn_attention_backward",
                                          "_scaled_dot_product_attention_math",
                                          "_flash_attention_forward",
                                          "_flash_attention_backward",
                                          "_efficient_attention_forward",
                                          "_efficient_attention_backward",
                                          "_cudnn_attention_forward",
                                          "_cudnn_attention_backward",
                                          "_native_multi_head_attention",
                                          "_transformer_encoder_layer_fwd",
                                          NULL};
/* backward nodes that can use tensor cores, without the digits at their ends */
static const char *const tc_backward[] = {"CudnnConvolutionBackward",
                                          "CudnnConvolutionTransposeBackward",
                                          "ConvolutionBackward",
                                          "MiopenConvolutionBackward",
                                          "BmmBackward",
                                          "MmBackward",
                                          "AddmmBackward",
                                          "AddmvBackward",
                                          "MvBackward",
                                          "AddbmmBackward",
                                          "BaddbmmBackward",
                                          "LinearBackward",
                                          "CudnnRnnBackward",
                                          "MiopenRnnBackward",
                                          "ScaledDotProductFlashAttentionBackward",
                                          "ScaledDotProductEfficientAttentionBackward",
                                          "ScaledDotProductCudnnAttentionBackward",
                                          "FlashAttentionBackward",
                                          "EfficientAttentionBackward",
                                          NULL};
static const char *const allocation_helper[] = {
    "empty",     "empty_strided",     "empty_like", "empty_permuted", "empty_quantized",
    "new_empty", "new_empty_strided", "resize_",    "resize_as_",     "_resize_output_",
    NULL};
static const char *const backends[] = {"nccl", "rccl", "gloo", "mpi", "ucc", "xccl", "hccl", NULL};

/* Returns true if the text contains one of the words. The words must be in lower case; the text may be in any case. */
static bool contains_any(struct tp_str text, const char *const *words)
{
    for (; *words; words++)
        if (tp_str_find_ignore_case(text, *words) >= 0)
            return true;
    return false;
}

/* Returns true for the name of a Tensile kernel with matrix instructions: the name contains "cijk_" and, later in the
 * same line, "_mi" and a digit, in any case. */
static bool is_tensile_matrix(struct tp_str name)
{
    ptrdiff_t at;
    while ((at = tp_str_find_ignore_case(name, "cijk_")) >= 0) {
        name.ptr += at + 5;
        name.len -= (size_t)at + 5;
        const char *line = name.len ? memchr(name.ptr, '\n', name.len) : NULL;
        struct tp_str rest = {name.ptr, line ? (size_t)(line - name.ptr) : name.len};
        for (ptrdiff_t mi; (mi = tp_str_find_ignore_case(rest, "_mi")) >= 0;) {
            rest.ptr += mi + 3;
            rest.len -= (size_t)mi + 3;
            if (rest.len && rest.ptr[0] >= '0' && rest.ptr[0] <= '9')
                return true;
        }
        if (!line)
            return false;
        name.len -= (size_t)(line - name.ptr);
        name.ptr = line;
    }
    return false;
}

static const char *const tf32[] = {"tf32", "s1688gemm", "_s1688", "xf32", "tensorop_s", NULL};

/* Returns the tensor-core mark and the communication mark of a kernel's name (D11). The tensor-core mark is the mark of
 * the first list that matches. */
static uint64_t tensor_core_marks(struct tp_str name)
{
    uint64_t comm = tp_comm_is_kernel_name(name) ? TP_MARK_COMM_KERNEL : 0;
    if (contains_any(name, tc_no) && !contains_any(name, tc_no_unless))
        return comm;
    if (contains_any(name, tc_yes) || is_tensile_matrix(name))
        return comm | TP_MARK_TC_YES;
    if (comm || contains_any(name, tc_no_late))
        return comm;
    return contains_any(name, tc_maybe) ? TP_MARK_TC_UNKNOWN : 0;
}

static uint64_t kernel_marks(struct tp_str name)
{
    return tensor_core_marks(name) | (contains_any(name, tf32) ? TP_MARK_TF32 : 0) |
           (tp_comm_is_compute_name(name) ? TP_MARK_COMPUTE_KERNEL : 0);
}

static uint64_t copy_marks(struct tp_str name)
{
    static const uint64_t marks[] = {[TP_COPY_HTOD] = TP_MARK_HTOD,
                                     [TP_COPY_DTOH] = TP_MARK_TO_HOST,
                                     [TP_COPY_DTOD] = TP_MARK_DTOD,
                                     [TP_COPY_PTOP] = 0,
                                     [TP_COPY_OTHER] = 0};
    return marks[tp_copy_direction_of_name(name)];
}

/* ---- marks of names of host events ---- */

struct pattern {
    const char *text;
    uint64_t bits;
};

static const struct pattern prefixes[] = {
    {"nn.Module: ", TP_MARK_MODULE},
    {TP_BACKWARD_NODE, TP_MARK_BACKWARD_NODE},
    {"PyTorch Profiler", TP_MARK_PROFILER_SPAN},
};

static const struct pattern parts[] = {
    {"_SingleProcess", TP_MARK_SINGLE_PROCESS},
    {"MultiProcessing", TP_MARK_WORKER_LOADER},
    {"_SingleProcessDataLoaderIter", TP_MARK_SINGLE_PROCESS_LOADER},
    {"Launch", TP_MARK_DEVICE_CALL},
    {"Memcpy", TP_MARK_DEVICE_CALL},
    {"Memset", TP_MARK_DEVICE_CALL},
    {"GraphLaunch", TP_MARK_GRAPH_LAUNCH},
    {"EventRecord", TP_MARK_DEVICE_USE},
    {"EventSynchronize", TP_MARK_DEVICE_USE},
    {"StreamSynchronize", TP_MARK_DEVICE_USE},
    {"StreamWaitEvent", TP_MARK_DEVICE_USE},
    {"urEnqueueEventsWait", TP_MARK_DEVICE_USE},
    {"Host", TP_MARK_HOST},
    {"Malloc", TP_MARK_MALLOC},
    {"Free", TP_MARK_FREE},
    {"Lazy Function Loading", TP_MARK_LOADING},
    {"Runtime Triggered Module Loading", TP_MARK_LOADING},
    {"Driver Compiler", TP_MARK_LOADING},
    {"Pageable", TP_MARK_PAGEABLE},
    {"Pinned", TP_MARK_PINNED},
    {"conv", TP_MARK_CONV},
};

/* patterns that are compared with the result of lower_case_name */
static const struct pattern folded_parts[] = {
    {"_foreach_", TP_MARK_FUSED},
    {"multi_tensor_apply", TP_MARK_FUSED},
    {"_fused_", TP_MARK_FUSED},
    {"fusedadam", TP_MARK_FUSED},
    {"fused_adam", TP_MARK_FUSED},
    {"streambegincapture", TP_MARK_CAPTURE_BEGIN},
    {"streamendcapture", TP_MARK_CAPTURE_END},
};

static const struct pattern wholes[] = {
    {"aten::contiguous", TP_MARK_COPY_OP},
    {"aten::clone", TP_MARK_COPY_OP},
    {"aten::cat", TP_MARK_COPY_OP},
    {"aten::copy_", TP_MARK_COPY_OP | TP_MARK_ATEN_COPY},
    {"aten::stack", TP_MARK_COPY_OP},
    {"aten::to", TP_MARK_COPY_OP},
    {"aten::_to_copy", TP_MARK_COPY_OP},
    {"aten::nonzero", TP_MARK_SHAPE_OP},
    {"aten::masked_select", TP_MARK_SHAPE_OP},
    {"aten::_unique", TP_MARK_SHAPE_OP},
    {"aten::_unique2", TP_MARK_SHAPE_OP},
    {"aten::unique_dim", TP_MARK_SHAPE_OP},
    {"aten::unique_consecutive", TP_MARK_SHAPE_OP},
    {"aten::repeat_interleave", TP_MARK_SHAPE_OP},
    {"aten::_local_scalar_dense", TP_MARK_SCALAR_OP},
    {"aten::item", TP_MARK_SCALAR_OP},
    {"aten::is_nonzero", TP_MARK_SCALAR_OP},
    {"aten::equal", TP_MARK_SCALAR_OP},
    {"aten::select", TP_MARK_INDEX_OP},
    {"aten::index", TP_MARK_INDEX_OP},
    {"aten::__getitem__", TP_MARK_INDEX_OP},
    {"aten::slice", TP_MARK_INDEX_OP},
    {"aten::narrow", TP_MARK_PART_OP},
    {"aten::index_select", TP_MARK_PART_OP},
    {"aten::take", TP_MARK_PART_OP},
    {"aten::split", TP_MARK_SPLIT_OP},
    {"aten::split_with_sizes", TP_MARK_SPLIT_OP},
    {"aten::unsafe_split", TP_MARK_SPLIT_OP},
    {"aten::tensor_split", TP_MARK_SPLIT_OP},
    {"aten::chunk", TP_MARK_SPLIT_OP},
    {"aten::unbind", TP_MARK_SPLIT_OP},
    {"aten::zero_", TP_MARK_FILL_OP},
    {"aten::fill_", TP_MARK_FILL_OP},
    {"cudaMemcpy", TP_MARK_BLOCKING_COPY},
    {"cudaMemcpy2D", TP_MARK_BLOCKING_COPY},
    {"cudaMemcpy3D", TP_MARK_BLOCKING_COPY},
    {"cudaMemcpyToSymbol", TP_MARK_BLOCKING_COPY},
    {"cudaMemcpyFromSymbol", TP_MARK_BLOCKING_COPY},
    {"hipMemcpy", TP_MARK_BLOCKING_COPY},
    {"hipMemcpy2D", TP_MARK_BLOCKING_COPY},
    {"hipMemcpyWithStream", TP_MARK_BLOCKING_COPY},
    {"hipMemcpyHtoD", TP_MARK_BLOCKING_COPY},
    {"hipMemcpyDtoH", TP_MARK_BLOCKING_COPY},
    {"musaMemcpy", TP_MARK_BLOCKING_COPY},
    {"cnrtMemcpy", TP_MARK_BLOCKING_COPY},
    {"aclrtMemcpy", TP_MARK_BLOCKING_COPY},
    {"AscendCL@aclrtMemcpy", TP_MARK_BLOCKING_COPY},
};

static struct tp_str skip_prefix(struct tp_str text, size_t bytes)
{
    return (struct tp_str){text.ptr + bytes, text.len - bytes};
}

/* Removes the first of the `choices` with which the text begins. Returns false if the text begins with none of the
 * choices. */
static bool remove_one_prefix(struct tp_str *text, const char *const *choices)
{
    for (; *choices; choices++)
        if (tp_str_starts(*text, *choices)) {
            *text = skip_prefix(*text, strlen(*choices));
            return true;
        }
    return false;
}

/* Returns true for a call that waits for a device (docs/definitions.md, section 9):
 * (cuda|hip|musa|mtia|cu|mu|syn)(Device|Stream|Event|Ctx)Synchronize(_ptsz|_spt)?, or a call in `others`, also after a
 * prefix that ends with "@". */
static bool is_synchronization_call(struct tp_str name)
{
    static const char *const vendors[] = {"cuda", "hip", "musa", "mtia", "syn", "cu", "mu", NULL};
    static const char *const scopes[] = {"Device", "Stream", "Event", "Ctx", NULL};
    static const char *const ends[] = {"Synchronize", "Synchronize_ptsz", "Synchronize_spt", NULL};
    static const char *const others[] = {"zeEventHostSynchronize",
                                         "zeCommandQueueSynchronize",
                                         "zeFenceHostSynchronize",
                                         "zeCommandListHostSynchronize",
                                         "zeDeviceSynchronize",
                                         "urQueueFinish",
                                         "urEventWait",
                                         "piQueueFinish",
                                         "piEventsWait",
                                         "piEventWait",
                                         "aclrtSynchronizeDevice",
                                         "aclrtSynchronizeDeviceWithTimeout",
                                         "aclrtSynchronizeStream",
                                         "aclrtSynchronizeEvent",
                                         "aclrtSynchronizeStreamWithTimeout",
                                         "aclrtSynchronizeEventWithTimeout",
                                         "cnrtQueueSync",
                                         "cnrtSyncQueue",
                                         "cnrtSyncDevice",
                                         "cnrtWaitNotifier",
                                         "cnrtDeviceSync",
                                         "cnQueueSync",
                                         "cnCtxSync",
                                         "cnWaitNotifier",
                                         NULL};
    const char *at = name.len ? memchr(name.ptr, '@', name.len) : NULL;
    struct tp_str word = at ? skip_prefix(name, (size_t)(at - name.ptr) + 1) : name;
    if (tp_str_is_one_of(word, others))
        return true;
    return remove_one_prefix(&name, vendors) && remove_one_prefix(&name, scopes) && tp_str_is_one_of(name, ends);
}

static bool is_allocator(struct tp_str name)
{
    static const char *const vendors[] = {"cuda", "hip", NULL};
    static const char *const calls[] = {"Malloc",   "MallocHost", "HostAlloc",     "HostMalloc",  "Free",
                                        "FreeHost", "HostFree",   "MallocManaged", "MallocPitch", NULL};
    return remove_one_prefix(&name, vendors) && tp_str_is_one_of(name, calls);
}

const char *tp_name_comm_backend(struct tp_str name)
{
    const char *colon = name.len ? memchr(name.ptr, ':', name.len) : NULL;
    if (colon && colon > name.ptr) {
        size_t n = (size_t)(colon - name.ptr);
        bool is_scope = n + 1 < name.len && colon[1] == ':';
        for (unsigned i = 0; !is_scope && backends[i]; i++)
            if (n == strlen(backends[i]) && tp_str_find_ignore_case((struct tp_str){name.ptr, n}, backends[i]) == 0)
                return backends[i];
    }
    return tp_str_starts(name, "c10d::") || tp_str_equal(name, TP_STR("record_param_comms")) ? "c10d" : NULL;
}

const char *tp_name_comm_library(struct tp_str name)
{
    return tp_str_find_ignore_case(name, "nccl") >= 0   ? "nccl"
           : tp_str_find_ignore_case(name, "rccl") >= 0 ? "rccl"
                                                        : NULL;
}

static bool is_eligible(struct tp_str name)
{
    if (tp_str_starts(name, "aten::"))
        return tp_str_is_one_of((struct tp_str){name.ptr + 6, name.len - 6}, tc_operator);
    while (name.len && name.ptr[name.len - 1] >= '0' && name.ptr[name.len - 1] <= '9')
        name.len--;
    return tp_str_is_one_of(name, tc_backward);
}

/* Converts upper case to lower case, as a regular expression that ignores case does. U+0130 and U+0131 become i, U+017F
 * becomes s, U+212A becomes k. out: room for name.len bytes. */
static struct tp_str lower_case_name(struct tp_str name, char *out)
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

/* Patterns grouped by their first byte, so that one pass over a name finds all patterns that the name contains. */
struct part_index {
    const struct pattern *patterns;
    uint8_t first[256], next[64]; /* first, next: 1 + index of a pattern; 0 at the end of a list */
};

static void index_patterns_by_first_letter(struct part_index *index, const struct pattern *patterns, size_t count)
{
    memset(index, 0, sizeof *index);
    index->patterns = patterns;
    for (size_t i = 0; i < count; i++) {
        uint8_t *first = &index->first[(unsigned char)*patterns[i].text];
        index->next[i] = *first;
        *first = (uint8_t)(i + 1);
    }
}

static bool does_pattern_match_at(struct tp_str text, size_t at, const char *pattern)
{
    size_t i = 1;
    while (pattern[i] && at + i < text.len && text.ptr[at + i] == pattern[i])
        i++;
    return !pattern[i];
}

static uint64_t marks_of_parts(struct tp_str text, const struct part_index *index)
{
    uint64_t bits = 0;
    for (size_t at = 0; at < text.len; at++)
        for (unsigned n = index->first[(unsigned char)text.ptr[at]]; n; n = index->next[n - 1])
            if (does_pattern_match_at(text, at, index->patterns[n - 1].text))
                bits |= index->patterns[n - 1].bits;
    return bits;
}

struct matcher {
    struct part_index parts, folded;
    char *scratch; /* buffer with room for the longest name */
};

static void init_matcher(struct matcher *matcher, struct tp_arena *arena, size_t longest)
{
    matcher->scratch = tp_arena_array(arena, longest, 1);
    index_patterns_by_first_letter(&matcher->parts, parts, COUNT(parts));
    index_patterns_by_first_letter(&matcher->folded, folded_parts, COUNT(folded_parts));
}

static uint64_t marks_of_operator(struct tp_str name)
{
    uint64_t bits = is_eligible(name) ? TP_MARK_ELIGIBLE : 0;
    const char *backend = tp_name_comm_backend(name);
    if (backend)
        bits |= strcmp(backend, "c10d") == 0 ? TP_MARK_C10D : TP_MARK_COLLECTIVE;
    bool is_helper = tp_str_starts(name, "aten::") && tp_str_is_one_of(skip_prefix(name, 6), allocation_helper);
    bits |= is_helper ? TP_MARK_ALLOCATION_HELPER : TP_MARK_MAKES_TENSOR * tp_makes_tensor(name);
    return bits;
}

static uint64_t marks_of_region(struct tp_str name)
{
    static const struct {
        unsigned region;
        uint64_t mark;
    } marks[] = {
        {TP_REGION_ANNOTATION, TP_MARK_REGION},
        {TP_REGION_PROFILER_STEP, TP_MARK_STEP},
        {TP_REGION_NUMBERED_STEP, TP_MARK_PROFILER_STEP},
        {TP_REGION_EXECUTE_CONTEXT, TP_MARK_EXECUTE_CONTEXT},
        {TP_REGION_STEP_BRACKET, TP_MARK_STEP_BRACKET},
        {TP_REGION_OPTIMIZER, TP_MARK_OPTIMIZER},
        {TP_REGION_OPTIMIZER_STEP, TP_MARK_OPTIMIZER_STEP},
        {TP_REGION_ZERO_GRAD, TP_MARK_ZERO_GRAD},
        {TP_REGION_LOADER, TP_MARK_LOADER},
    };
    unsigned regions = tp_regions_by_name(name);
    uint64_t bits = 0;
    for (size_t i = 0; regions && i < COUNT(marks); i++)
        bits |= regions & marks[i].region ? marks[i].mark : 0;
    return bits;
}

static uint64_t marks_of_name(struct tp_str name, const struct matcher *matcher)
{
    static const uint64_t marks_of_order[] = {[TP_ORDER_NONE] = 0,
                                              [TP_ORDER_EVENT_RECORD] = TP_MARK_EVENT_RECORD,
                                              [TP_ORDER_STREAM_WAIT] = TP_MARK_STREAM_WAIT,
                                              [TP_ORDER_FREEING] = TP_MARK_FREEING,
                                              [TP_ORDER_BACKWARD] = TP_MARK_AUTOGRAD};
    uint64_t bits = marks_of_operator(name) | marks_of_region(name) | marks_of_order[tp_order_of_name(name)];
    for (size_t i = 0; i < COUNT(prefixes); i++)
        if (tp_str_starts(name, prefixes[i].text))
            bits |= prefixes[i].bits;
    for (size_t i = 0; i < COUNT(wholes); i++)
        if (tp_str_equal(name, tp_str_of(wholes[i].text)))
            bits |= wholes[i].bits;
    bits |= marks_of_parts(name, &matcher->parts);
    bits |= marks_of_parts(lower_case_name(name, matcher->scratch), &matcher->folded);
    if (is_synchronization_call(name))
        bits |= TP_MARK_SYNC;
    if (bits & TP_MARK_BACKWARD_NODE)
        bits |= TP_MARK_AUTOGRAD;
    if (is_allocator(name))
        bits |= TP_MARK_ALLOCATOR_CALL | (bits & TP_MARK_HOST ? 0 : TP_MARK_DEVICE_USE);
    return bits;
}

uint64_t *tp_marks_build(const struct tp_trace *trace, struct tp_arena *arena)
{
    uint64_t *bits = tp_arena_array(arena, trace->names.count, sizeof *bits);
    /* for each name id: 1: name of kernels, 2: name of copies, 3: both */
    uint8_t *device_kinds = tp_arena_array(arena, trace->names.count, 1);
    struct matcher matcher;
    size_t longest = 1;
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (tp_kind_is_device(trace->events[i].kind))
            device_kinds[trace->events[i].name] |= trace->events[i].kind == TP_KIND_KERNEL ? 1 : 2;
    for (uint32_t i = 0; i < trace->names.count; i++)
        longest = trace->names.items[i].len > longest ? trace->names.items[i].len : longest;
    init_matcher(&matcher, arena, longest);
    for (uint32_t i = 0; i < trace->names.count; i++) {
        bits[i] = marks_of_name(trace->names.items[i], &matcher);
        if (device_kinds[i] & 1)
            bits[i] |= kernel_marks(trace->names.items[i]);
        if (device_kinds[i] & 2)
            bits[i] |= copy_marks(trace->names.items[i]);
    }
    tp_arena_free_item(arena, matcher.scratch, longest);
    tp_arena_free_item(arena, device_kinds, trace->names.count);
    return bits;
}
