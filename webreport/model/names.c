/* Vocabularies of names: see names.h. The lists are those of views-definitions.md section 9 and views_ref.py. */
#include "webreport/model/names.h"

#include <stdbool.h>

/* ---- tensor cores -------------------------------------------------------------------------------------------------
 */

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
static const char *const comm_kernel[] = {
    "nccl",    "rccl", "cross_device_reduce", "one_shot_all_reduce", "two_shot_all_reduce", "multimem_all_reduce",
    "mscclpp", NULL};

/* names of ATen operators without "aten::" */
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
/* autograd nodes, digits at the end removed */
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
static const char *const allocator[] = {
    "empty",     "empty_strided",     "empty_like", "empty_permuted", "empty_quantized",
    "new_empty", "new_empty_strided", "resize_",    "resize_as_",     "_resize_output_",
    NULL};
static const char *const backends[] = {"nccl", "rccl", "gloo", "mpi", "ucc", "xccl", "hccl", NULL};

/* `text` in lower case contains one of the words. */
static bool contains_any(struct tp_str text, const char *const *words)
{
    for (; *words; words++)
        if (tp_str_find_lower(text, *words) >= 0)
            return true;
    return false;
}

static bool is_any(struct tp_str text, const char *const *words)
{
    for (; *words; words++)
        if (tp_str_equal(text, tp_str_of(*words)))
            return true;
    return false;
}

/* cijk_.*_mi[0-9] : Tensile kernels with matrix instructions. The dot does not cross a line end. */
static bool is_tensile_matrix(struct tp_str name)
{
    ptrdiff_t at;
    while ((at = tp_str_find_lower(name, "cijk_")) >= 0) {
        name.ptr += at + 5;
        name.len -= (size_t)at + 5;
        const char *line = name.len ? memchr(name.ptr, '\n', name.len) : NULL;
        struct tp_str rest = {name.ptr, line ? (size_t)(line - name.ptr) : name.len};
        for (ptrdiff_t mi; (mi = tp_str_find_lower(rest, "_mi")) >= 0;) {
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

/* First matching list decides (D11). */
static uint16_t kernel_meaning(struct tp_str name)
{
    uint16_t comm = contains_any(name, comm_kernel) ? TP_MEANS_COMM_KERNEL : 0;
    if (contains_any(name, tc_no) && !contains_any(name, tc_no_unless))
        return comm;
    if (contains_any(name, tc_yes) || is_tensile_matrix(name))
        return comm | TP_MEANS_TC_YES;
    if (comm || contains_any(name, tc_no_late))
        return comm;
    return contains_any(name, tc_maybe) ? TP_MEANS_TC_UNKNOWN : 0;
}

/* ---- host names ---------------------------------------------------------------------------------------------------
 */

static bool is_loader(struct tp_str name)
{
    return (tp_str_starts(name, "enumerate(DataLoader)#") && tp_str_ends(name, ".__next__")) ||
           tp_str_starts(name, "enumerate(DataPipe)#");
}

/* ProfilerStep#N, a line end behind it allowed as the reference's regular expression does. */
static bool is_profiler_step(struct tp_str name)
{
    size_t i = 13, end = name.len;
    if (!tp_str_starts(name, "ProfilerStep#"))
        return false;
    if (end > 14 && name.ptr[end - 1] == '\n')
        end--;
    for (; i < end; i++)
        if (name.ptr[i] < '0' || name.ptr[i] > '9')
            return false;
    return end > 13;
}

const char *tp_name_comm_backend(struct tp_str name)
{
    const char *colon = name.len ? memchr(name.ptr, ':', name.len) : NULL;
    if (colon && colon > name.ptr) {
        size_t n = (size_t)(colon - name.ptr);
        bool is_scope = n + 1 < name.len && colon[1] == ':';
        for (unsigned i = 0; !is_scope && backends[i]; i++)
            if (n == strlen(backends[i]) && tp_str_find_lower((struct tp_str){name.ptr, n}, backends[i]) == 0)
                return backends[i];
    }
    return tp_str_starts(name, "c10d::") || tp_str_equal(name, TP_STR("record_param_comms")) ? "c10d" : NULL;
}

static bool is_eligible(struct tp_str name)
{
    if (tp_str_starts(name, "aten::"))
        return is_any((struct tp_str){name.ptr + 6, name.len - 6}, tc_operator);
    while (name.len && name.ptr[name.len - 1] >= '0' && name.ptr[name.len - 1] <= '9')
        name.len--;
    return is_any(name, tc_backward);
}

uint16_t tp_name_flags(struct tp_str name, bool is_kernel)
{
    static const struct {
        const char *prefix;
        uint16_t flags;
    } prefixes[] = {{"ProfilerStep#", TP_MEANS_STEP | TP_MEANS_REGION},
                    {"Optimizer.", TP_MEANS_REGION},
                    {"Optimizer.step#", TP_MEANS_OPTIMIZER_STEP},
                    {"[pl][", TP_MEANS_REGION},
                    {"step[", TP_MEANS_STEP_BRACKET},
                    {"autograd::engine::evaluate_function:", TP_MEANS_BACKWARD_NODE}};
    uint16_t flags = is_kernel ? kernel_meaning(name) : 0;
    for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (tp_str_starts(name, prefixes[i].prefix))
            flags |= prefixes[i].flags;
    if (is_loader(name))
        flags |= TP_MEANS_LOADER | TP_MEANS_REGION;
    if (tp_str_equal(name, TP_STR("DataParallel.forward")) ||
        tp_str_equal(name, TP_STR("DistributedDataParallel.forward")))
        flags |= TP_MEANS_REGION;
    if (is_profiler_step(name))
        flags |= TP_MEANS_PROFILER_STEP;
    if (tp_str_starts(name, "execute_") && tp_str_find(name, "context_") >= 0)
        flags |= TP_MEANS_EXECUTE_CONTEXT;
    const char *backend = tp_name_comm_backend(name);
    if (backend)
        flags |= TP_MEANS_COLLECTIVE | (strcmp(backend, "c10d") == 0 ? TP_MEANS_C10D : 0);
    if (is_eligible(name))
        flags |= TP_MEANS_ELIGIBLE;
    if (tp_str_starts(name, "aten::") && is_any((struct tp_str){name.ptr + 6, name.len - 6}, allocator))
        flags |= TP_MEANS_ALLOCATOR;
    return flags;
}

void tp_names_build(struct tp_names *names, const struct tp_trace *trace, struct tp_arena *arena)
{
    enum { WANTED = 1, KERNEL = 2 };
    static const uint8_t wants[TP_KIND_COUNT] = {
        [TP_KIND_OPERATOR] = WANTED, [TP_KIND_ANNOTATION] = WANTED, [TP_KIND_KERNEL] = WANTED | KERNEL};
    uint8_t *wanted = tp_arena_array(arena, trace->names.count, sizeof *wanted);
    names->flags = tp_arena_array(arena, trace->names.count, sizeof *names->flags);
    for (uint32_t i = 0; i < trace->event_count; i++)
        wanted[trace->events[i].name] |= wants[trace->events[i].kind];
    for (uint32_t i = 0; i < trace->names.count; i++)
        if (wanted[i])
            names->flags[i] = tp_name_flags(trace->names.items[i], wanted[i] & KERNEL);
    tp_arena_drop(arena, wanted, trace->names.count * sizeof *wanted);
}

/* ---- element types ------------------------------------------------------------------------------------------------
 */

int tp_element_size(struct tp_str type)
{
    static const struct {
        const char *name;
        int size;
    } sizes[] = {{"long int", 8},
                 {"long", 8},
                 {"unsigned long", 8},
                 {"double", 8},
                 {"float", 4},
                 {"int", 4},
                 {"unsigned int", 4},
                 {"short", 2},
                 {"short int", 2},
                 {"unsigned short", 2},
                 {"char", 1},
                 {"signed char", 1},
                 {"unsigned char", 1},
                 {"bool", 1},
                 {"c10::half", 2},
                 {"c10::bfloat16", 2},
                 {"c10::complex<float>", 8},
                 {"c10::complex<double>", 16},
                 {"c10::complex<c10::half>", 4},
                 {"half", 2},
                 {"bfloat16", 2},
                 {"byte", 1},
                 {"complexfloat", 8},
                 {"complexdouble", 16},
                 {"complexhalf", 4},
                 {"uint16", 2},
                 {"uint32", 4},
                 {"uint64", 8},
                 {"qint8", 1},
                 {"quint8", 1},
                 {"qint32", 4}};
    if (tp_str_find_lower(type, "float8") >= 0 || tp_str_find_lower(type, "float4") >= 0)
        return 1;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (type.len == strlen(sizes[i].name) && tp_str_find_lower(type, sizes[i].name) == 0)
            return sizes[i].size;
    return 0;
}
