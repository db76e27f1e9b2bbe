/* Names kernels by the names of their functions. See kernel_words.h. */
#include "writer/text/kernel_words.h"

#include "writer/text/format.h"
#include "writer/text/kernel_product.h"
#include "writer/text/kernel_type.h"

/* where the type of the data is found */
enum type_rule {
    FIRST, /* first template argument that is a data type; else a part of the function's name, such as "_bf16_" */
    REAL,  /* the same for types of real and complex numbers, because the first arguments are types of positions */
    BLAS,  /* type of cublasGemvTensorStridedBatched if an argument contains it; else as REAL */
    NAMED, /* only a part of the function's name */
    CK,    /* as REAL; in Composable Kernel, "unsigned short" is bf16 */
    NONE   /* the arguments do not show the type of the data */
};

/* Rows are tried in order. In patterns, "*" at the start or end is any text. */
static const struct row {
    const char *pattern; /* function, without namespaces, arguments and parameters */
    const char *needs;   /* text in the whole name, or "2=true": value of an argument; NULL: none */
    const char *action;
    const char *remark; /* NULL: none */
    enum type_rule type;
} ROWS[] = {
    /* softmax and losses */
    {"cunn_SoftMaxForward*", "LogSoftMax", "Log softmax", NULL, FIRST},
    {"cunn_SoftMaxForward*", NULL, "Softmax", NULL, FIRST},
    {"cunn_SoftMaxBackward*", "LogSoftMax", "Log softmax backward", NULL, FIRST},
    {"cunn_SoftMaxBackward*", NULL, "Softmax backward", NULL, FIRST},
    {"cunn_SpatialSoftMaxForward", NULL, "Softmax", NULL, FIRST},
    {"cunn_SpatialSoftMaxBackward", NULL, "Softmax backward", NULL, FIRST},
    {"softmax_warp_forward", "4=true", "Log softmax", NULL, FIRST},
    {"softmax_warp_forward", NULL, "Softmax", NULL, FIRST},
    {"softmax_warp_backward", "4=true", "Log softmax backward", NULL, FIRST},
    {"softmax_warp_backward", NULL, "Softmax backward", NULL, FIRST},
    {"softmax_forward_kernel*", NULL, "Softmax", NULL, FIRST},
    {"soft_max_f32*", NULL, "Softmax", NULL, NAMED},
    {"scaled_upper_triang_masked_softmax_warp_forward", NULL, "Softmax", "causal mask", FIRST},
    {"scaled_upper_triang_masked_softmax_warp_backward", NULL, "Softmax backward", "causal mask", FIRST},
    {"scaled_*softmax_warp_forward", NULL, "Softmax", "scaled", FIRST},
    {"scaled_*softmax_warp_backward", NULL, "Softmax backward", "scaled", FIRST},
    {"topkGatingSoftmax*", NULL, "Choose experts", "softmax and top-k", NONE},
    {"topkGating*", NULL, "Choose experts", NULL, NONE},
    {"cunn_ClassNLLCriterion_updateOutput_kernel*", NULL, "NLL loss", NULL, FIRST},
    {"cunn_ClassNLLCriterion_updateGradInput_kernel*", NULL, "NLL loss backward", NULL, FIRST},
    {"nll_loss_forward*", NULL, "NLL loss", NULL, FIRST},
    {"nll_loss_backward*", NULL, "NLL loss backward", NULL, FIRST},
    {"nll_loss2d_forward*", NULL, "NLL loss", NULL, FIRST},
    {"nll_loss2d_backward*", NULL, "NLL loss backward", NULL, FIRST},
    {"ctc_loss_log_alpha_gpu_kernel", NULL, "CTC loss", NULL, FIRST},
    /* normalization */
    {"vectorized_layer_norm_kernel", "2=true", "RMS norm", NULL, FIRST},
    {"vectorized_layer_norm_kernel", NULL, "Layer norm", NULL, FIRST},
    {"LayerNormForwardCUDAKernel", NULL, "Layer norm", NULL, FIRST},
    {"cuApplyLayerNorm", NULL, "Layer norm", NULL, FIRST},
    {"cuApplyRMSNorm", NULL, "RMS norm", NULL, FIRST},
    {"cuComputeGradInput", NULL, "Layer norm backward", NULL, FIRST},
    {"layer_norm_grad_input_kernel*", NULL, "Layer norm backward", NULL, FIRST},
    {"cuComputePartGradGammaBeta", NULL, "Layer norm backward", "weights", FIRST},
    {"cuComputeGradGammaBeta", NULL, "Layer norm backward", "weights", FIRST},
    {"GammaBetaBackwardCUDAKernel", NULL, "Layer norm backward", "weights", FIRST},
    {"GammaBetaBackwardCUDAKernel_32x32", NULL, "Layer norm backward", "weights", FIRST},
    {"GammaBetaBackwardCUDAKernelTemplate", NULL, "Layer norm backward", "weights", FIRST},
    {"GammaBetaBackwardSimpleCUDAKernel", NULL, "Layer norm backward", "weights", FIRST},
    {"GammaBetaBackwardCUDAKernel1", NULL, "Group norm backward", "weights", FIRST},
    {"GammaBetaBackwardCUDAKernel2", NULL, "Group norm backward", "weights", FIRST},
    {"RowwiseMomentsCUDAKernel", NULL, "Mean and variance", "of a norm", FIRST},
    {"layernorm_forward_kernel*", NULL, "Layer norm", NULL, FIRST},
    {"layernorm_backward_kernel*", NULL, "Layer norm backward", NULL, FIRST},
    {"fused_residual_forward_kernel*", NULL, "Add and layer norm", NULL, FIRST},
    {"ln_fwd_tuned_kernel", NULL, "Layer norm", NULL, NONE},
    {"ln_fwd_general_kernel", NULL, "Layer norm", NULL, NONE},
    {"ln_fwd_kernel", NULL, "Layer norm", NULL, NONE},
    {"ln_bwd_*", NULL, "Layer norm backward", NULL, NONE},
    {"rmsnorm_fwd_*", NULL, "RMS norm", NULL, NONE},
    {"rmsnorm_bwd_*", NULL, "RMS norm backward", NULL, NONE},
    {"fused_add_rms_norm_kernel", NULL, "Add and RMS norm", NULL, FIRST},
    {"FusedAddRMSNormKernel", NULL, "Add and RMS norm", NULL, FIRST},
    {"rms_norm_kernel", NULL, "RMS norm", NULL, FIRST},
    {"RMSNormKernel", NULL, "RMS norm", NULL, FIRST},
    {"rms_norm_f32*", NULL, "RMS norm", NULL, NAMED},
    {"norm_f32", NULL, "Layer norm", NULL, NAMED},
    {"group_norm_f32", NULL, "Group norm", NULL, NAMED},
    {"add_rmsnorm_quant_kernel", "4=true", "Add and RMS norm", NULL, FIRST},
    {"add_rmsnorm_quant_kernel", NULL, "RMS norm", NULL, FIRST},
    {"rmsnorm_kernel", NULL, "RMS norm", NULL, FIRST},
    {"Rmsnorm2dFwd", NULL, "RMS norm", NULL, CK},
    {"Layernorm2dFwd", NULL, "Layer norm", NULL, CK},
    {"batch_norm_collect_statistics*", NULL, "Batch norm", "statistics", FIRST},
    {"batch_norm_transform_input*", NULL, "Batch norm", NULL, FIRST},
    {"batch_norm_backward_reduce*", NULL, "Batch norm backward", "sums", FIRST},
    {"batch_norm_backward*", NULL, "Batch norm backward", NULL, FIRST},
    {"bn_fw_tr_*", NULL, "Batch norm", NULL, FIRST},
    {"bn_fw_inf_*", NULL, "Batch norm", NULL, FIRST},
    {"bn_bw_*", NULL, "Batch norm backward", NULL, FIRST},
    {"batchnorm_fwtr_*", NULL, "Batch norm", NULL, FIRST},
    {"batchnorm_bwtr_*", NULL, "Batch norm backward", NULL, FIRST},
    {"MIOpenBatchNormFwd*", NULL, "Batch norm", NULL, NONE},
    {"MIOpenBatchNormBwd*", NULL, "Batch norm backward", NULL, NONE},
    {"MIOpenBatchNormActivInfer*", NULL, "Batch norm", NULL, NONE},
    /* attention */
    {"flash_fwd_splitkv_combine_kernel", NULL, "Flash attention forward", "join of parts", NONE},
    {"flash_fwd_*", NULL, "Flash attention forward", NULL, REAL},
    {"flash_bwd_*", NULL, "Flash attention backward", NULL, REAL},
    {"FlashAttnFwd*", NULL, "Flash attention forward", NULL, REAL},
    {"FlashAttnBwd*", NULL, "Flash attention backward", NULL, REAL},
    {"fmha_cutlassF_*", NULL, "Attention forward", NULL, NAMED},
    {"fmha_cutlassB_*", NULL, "Attention backward", NULL, NAMED},
    {"fmha_fwd_*", NULL, "Attention forward", NULL, NAMED},
    {"fmha_bwd_*", NULL, "Attention backward", NULL, NAMED},
    {"FmhaBatchPrefillWithPagedKVCacheKernel", NULL, "Paged attention forward", NULL, CK},
    {"FmhaFwdPagedKVKernel", NULL, "Paged attention forward", NULL, CK},
    {"FmhaFwd*", NULL, "Attention forward", NULL, CK},
    {"FmhaBwd*", NULL, "Attention backward", NULL, CK},
    {"cudnn_generated_fort_native_sdpa_*flash_fprop*", NULL, "Flash attention forward", NULL, NONE},
    {"cudnn_generated_fort_native_sdpa_*flash_bprop*", NULL, "Flash attention backward", NULL, NONE},
    {"BatchPrefillWithPagedKVCacheKernel", NULL, "Paged attention prefill", NULL, NONE},
    {"BatchPrefillWithRaggedKVCacheKernel", NULL, "Attention prefill", NULL, NONE},
    {"BatchDecodeWithPagedKVCacheKernel*", NULL, "Paged attention decode", NULL, NONE},
    {"SinglePrefillWithKVCacheKernel", NULL, "Attention prefill", NULL, NONE},
    {"SingleDecodeWithKVCacheKernel", NULL, "Attention decode", NULL, NONE},
    {"paged_attention_*reduce_kernel", NULL, "Paged attention decode", "join of parts", FIRST},
    {"paged_attention_*", NULL, "Paged attention decode", NULL, FIRST},
    {"kernel_unified_attention_*", NULL, "Paged attention", NULL, NONE},
    {"attn_fwd", NULL, "Attention forward", NULL, NONE},
    {"_attn_fwd", NULL, "Attention forward", NULL, NONE},
    {"_attn_bwd", NULL, "Attention backward", NULL, NONE},
    {"attn_bwd", NULL, "Attention backward", NULL, NONE},
    {"bwd_kernel_dk_dv", NULL, "Attention backward", "keys and values", NONE},
    {"bwd_kernel_dq", NULL, "Attention backward", "queries", NONE},
    {"merge_attn_states_kernel", NULL, "Attention", "join of parts", FIRST},
    {"flash_attn_ext_*", NULL, "Flash attention forward", NULL, NONE},
    {"flash_attn_tile*", NULL, "Flash attention forward", NULL, NONE},
    {"flash_attn_vec*", NULL, "Flash attention forward", NULL, NONE},
    /* caches, positions and experts of language models */
    {"reshape_and_cache*", NULL, "Write the KV cache", NULL, FIRST},
    {"concat_and_cache_mla_kernel", NULL, "Write the KV cache", NULL, FIRST},
    {"store_kvcache", NULL, "Write the KV cache", NULL, NONE},
    {"*rotary_embedding*", NULL, "Rotary embedding", NULL, FIRST},
    {"BatchQKApplyRotary*", NULL, "Rotary embedding", NULL, FIRST},
    {"fused_rope_forward_kernel", NULL, "Rotary embedding", NULL, FIRST},
    {"fused_rope_backward_kernel", NULL, "Rotary embedding backward", NULL, FIRST},
    {"rope_norm", NULL, "Rotary embedding", NULL, NONE},
    {"rope_neox", NULL, "Rotary embedding", NULL, NONE},
    {"moe_align_block_size*", NULL, "Sort tokens by expert", NULL, NONE},
    {"fused_moe_kernel*", NULL, "Expert GEMM", NULL, NONE},
    {"act_and_mul_kernel", "gelu", "GELU and multiply", NULL, FIRST},
    {"act_and_mul_kernel", "silu", "SiLU and multiply", NULL, FIRST},
    {"gelu_forward_kernel*", NULL, "GELU", NULL, NONE},
    {"gelu_backward_*kernel*", NULL, "GELU backward", NULL, NONE},
    {"gelu_forward*", NULL, "GELU", NULL, NONE},
    /* quantization */
    {"*scaled_fp8_quant_kernel*", NULL, "Quantize to fp8", NULL, NONE},
    {"per_token_group_quant_8bit_kernel", NULL, "Quantize to 8 bits", NULL, NONE},
    {"per_token_group_quant_*", NULL, "Quantize", NULL, NONE},
    {"quantize_q8_1", NULL, "Quantize to 8 bits", NULL, NONE},
    {"quantize_mmq_q8_1", NULL, "Quantize to 8 bits", NULL, NONE},
    {"dequantize_*", NULL, "Dequantize", NULL, NONE},
    {"_compute_FP8_quantize_cuda_kernel", NULL, "Quantize to fp8", NULL, NONE},
    {"_FP8rowwise_to_float_cuda_kernel", NULL, "Convert fp8 to float", NULL, NONE},
    /* products */
    {"sgemm_largek*", NULL, "GEMM fp32", NULL, NONE},
    {"sgemm_32x32x32_*", NULL, "GEMM fp32", NULL, NONE},
    {"gemmSN_*", NULL, "GEMM", NULL, BLAS},
    {"gemmk1_kernel", NULL, "GEMM", NULL, BLAS},
    {"gemv*", "cublasGemv", "GEMV", NULL, BLAS},
    {"gemv2T_kernel_val", NULL, "GEMV", NULL, BLAS},
    {"gemvNSP_kernel", NULL, "GEMV", NULL, BLAS},
    {"gemv2N_kernel*", NULL, "GEMV", NULL, BLAS},
    {"kernel", "gemvx::kernel", "GEMV", NULL, BLAS},
    {"rocblas_gemv*", NULL, "GEMV", NULL, NONE},
    {"splitKreduce_kernel", NULL, "GEMM split-K sum", NULL, REAL},
    {"globalKernel", "epilogue::impl::", "GEMM epilogue", NULL, REAL},
    {"dot_kernel", "cublas", "Dot product", NULL, BLAS},
    {"reduce_1Block_kernel", "cublas", "Dot product", "sum of parts", NONE},
    {"scal_kernel", "cublas", "Multiply", NULL, FIRST},
    {"_matmul_ogs_*", NULL, "GEMM", NULL, NONE},
    {"_p_matmul_ogs_*", NULL, "GEMM", NULL, NONE},
    {"Marlin*", "marlin", "GEMM", "quantized weights", NONE},
    {"aclnn*_MatMul*", NULL, "GEMM", NULL, NONE},
    {"mul_mat_vec*", NULL, "GEMV", NULL, NONE},
    {"mul_mat_q*", NULL, "GEMM", NULL, NONE},
    {"*fp8_gemm_1d*", NULL, "GEMM fp8", NULL, NONE},
    {"fp8_gemm_kernel", NULL, "GEMM fp8", NULL, NONE},
    {"kernel_grouped_conv_fwd_*", NULL, "Convolution forward", NULL, CK},
    {"kernel_grouped_conv_bwd_data_*", NULL, "Convolution input gradient", NULL, CK},
    {"kernel_grouped_conv_bwd_weight_*", NULL, "Convolution weight gradient", NULL, CK},
    {"kernel_batched_gemm_xdlops_bwd_weight", NULL, "Convolution weight gradient", NULL, CK},
    {"kernel_batched_gemm_*", NULL, "Batched GEMM", NULL, CK},
    {"kernel_grouped_gemm_*", NULL, "Grouped GEMM", NULL, CK},
    {"kernel_gemm_*", NULL, "GEMM", NULL, CK},
    /* convolutions */
    {"implicit_convolve_*gemm", NULL, "Convolution forward", NULL, FIRST},
    {"explicit_convolve_*gemm", NULL, "Convolution forward", NULL, FIRST},
    {"dgrad_engine", NULL, "Convolution input gradient", NULL, FIRST},
    {"dgrad2d_*", NULL, "Convolution input gradient", NULL, FIRST},
    {"wgrad_alg*_engine*", NULL, "Convolution weight gradient", NULL, FIRST},
    {"wgrad2d_*", NULL, "Convolution weight gradient", NULL, FIRST},
    {"reduce_wgrad_nchw_helper", NULL, "Convolution weight gradient", "sum of parts", FIRST},
    {"winogradWgrad*4x4", NULL, "Convolution weight gradient", "Winograd", FIRST},
    {"winogradForward*4x4", NULL, "Convolution", "Winograd", FIRST},
    {"generateWinogradTilesKernel", NULL, "Convolution", "Winograd", FIRST},
    {"conv2d_grouped_direct_kernel*", NULL, "Grouped convolution", NULL, FIRST},
    {"conv_depthwise2d_forward_kernel*", NULL, "Depthwise convolution forward", NULL, REAL},
    {"conv_depthwise2d_backward_kernel*", NULL, "Depthwise convolution input gradient", NULL, REAL},
    {"conv_depthwise2d_grad_weight_kernel*", NULL, "Depthwise convolution weight gradient", NULL, REAL},
    {"computeOffsetsKernel", "cask_cudnn", "Convolution", "offsets", NONE},
    {"compute*OffsetsKernel", "cask_cudnn", "Convolution", "offsets", NONE},
    {"im2col*_kernel", NULL, "Im2col", NULL, FIRST},
    {"col2im*_kernel", NULL, "Col2im", NULL, FIRST},
    {"fft2d_r2c_*", NULL, "FFT", NULL, FIRST},
    {"fft2d_c2r_*", NULL, "Inverse FFT", NULL, FIRST},
    {"miopenSp3AsmConv*", NULL, "Convolution", NULL, NAMED},
    /* layouts and copies */
    {"nchwToNhwcKernel", NULL, "Layout NCHW to NHWC", NULL, FIRST},
    {"nhwcToNchwKernel", NULL, "Layout NHWC to NCHW", NULL, FIRST},
    {"transpose_NCHW2CNHW*", NULL, "Layout NCHW to CNHW", NULL, NONE},
    {"transpose_CNHW2NCHW*", NULL, "Layout CNHW to NCHW", NULL, NONE},
    {"batched_transpose_*", NULL, "Transpose", NULL, NONE},
    {"scalePackedTensor_kernel", "cudnn", "Multiply", NULL, FIRST},
    {"CatArrayBatchedCopy*", NULL, "Concatenate", NULL, FIRST},
    {"__amd_rocclr_copyBuffer*", NULL, "Copy memory", NULL, NONE},
    {"__amd_rocclr_fillBuffer*", NULL, "Memset", NULL, NONE},
    {"copy_and_cast_kernel", NULL, "Convert", NULL, NONE},
    {"triu_tril_kernel", NULL, "Triangle of a matrix", NULL, FIRST},
    {"roll_cuda_kernel", NULL, "Roll", NULL, FIRST},
    {"flip_kernel*", NULL, "Flip", NULL, FIRST},
    {"reflection_pad*_out_kernel", NULL, "Reflection pad", NULL, FIRST},
    /* gather, scatter, sort, scan */
    {"indexSelectLargeIndex", NULL, "Gather", NULL, FIRST},
    {"indexSelectSmallIndex", NULL, "Gather", NULL, FIRST},
    {"vectorized_gather_kernel", NULL, "Gather", NULL, NONE},
    {"indexFuncLargeIndex", "ReduceAdd", "Scatter add", NULL, FIRST},
    {"indexFuncSmallIndex", "ReduceAdd", "Scatter add", NULL, FIRST},
    {"indexing_backward_kernel*", NULL, "Scatter add", NULL, FIRST},
    {"k_get_rows*", NULL, "Gather", NULL, NONE},
    {"embedding_backward_*kernel", NULL, "Embedding backward", NULL, FIRST},
    {"encoder_forward_kernel*", NULL, "Embedding", NULL, NONE},
    {"encoder_backward_kernel*", NULL, "Embedding backward", NULL, NONE},
    {"split_embedding_codegen_forward_*kernel", NULL, "Embedding", NULL, FIRST},
    {"split_embedding_codegen_grad_indice_weights_kernel", NULL, "Embedding backward", "weights of rows", FIRST},
    {"split_embedding_backward_codegen_*find_long_segments", NULL, "Embedding backward", "long segments", NONE},
    {"split_embedding_backward_codegen_rowwise_adagrad_*", NULL, "Embedding backward", "Adagrad", FIRST},
    {"split_embedding_backward_codegen_*", NULL, "Embedding backward", NULL, FIRST},
    {"DeviceRadixSortExclusiveSumKernel", NULL, "Sort", "prefix sum", NONE},
    {"DeviceRadixSortHistogramKernel", NULL, "Sort", "histogram", FIRST},
    {"DeviceRadixSort*Kernel", NULL, "Sort", NULL, FIRST},
    {"DeviceSegmentedRadixSort*Kernel", NULL, "Sort", "segments", FIRST},
    {"radixSortKVInPlace", NULL, "Sort", NULL, FIRST},
    {"bitonicSortKVInPlace", NULL, "Sort", NULL, FIRST},
    {"gatherTopK", NULL, "Top-k", NULL, FIRST},
    {"_topk_forward", NULL, "Top-k", NULL, NONE},
    {"DeviceScanInitKernel", NULL, "Scan", "set-up", NONE},
    {"DeviceScanKernel", "::Sum", "Prefix sum", NULL, FIRST},
    {"DeviceScanKernel", NULL, "Scan", NULL, FIRST},
    {"DeviceReduceByKeyKernel", NULL, "Reduce by key", NULL, FIRST},
    {"trampoline_kernel", "detail::scan_impl<", "Scan", NULL, NONE},
    {"tensor_kernel_scan_*", "std::plus<", "Prefix sum", NULL, FIRST},
    {"onesweep_*", "rocprim", "Sort", NULL, NONE},
    {"radix_sort_*", "rocprim", "Sort", NULL, NONE},
    {"*", "native::mbtopk::", "Top-k", "many blocks", NONE},
    {"searchsorted_cuda_kernel", NULL, "Search sorted", NULL, FIRST},
    /* pools, resizing, dropout, optimizers */
    {"max_pool_forward_*", NULL, "Max pool", NULL, FIRST},
    {"max_pool_backward_*", NULL, "Max pool backward", NULL, FIRST},
    {"adaptive_average_pool", NULL, "Adaptive average pool", NULL, FIRST},
    {"avg_pool2d_out_cuda_frame*", NULL, "Average pool", NULL, FIRST},
    {"avg_pool2d_backward_out_cuda_frame*", NULL, "Average pool backward", NULL, FIRST},
    {"pooling_fw_*", NULL, "Pool", NULL, FIRST},
    {"pooling_bw_*", NULL, "Pool backward", NULL, FIRST},
    {"upsample_*backward_out_frame*", NULL, "Resize backward", NULL, FIRST},
    {"upsample_*out_frame*", NULL, "Resize", NULL, FIRST},
    {"fused_dropout_kernel*", NULL, "Dropout", NULL, FIRST},
    {"masked_scale_kernel", NULL, "Dropout backward", NULL, FIRST},
    {"adamw_kernel*", NULL, "AdamW step", NULL, NONE},
    {"kOptimizer32bit*", NULL, "Optimizer step", NULL, FIRST},
    {"k_bin_bcast*", "op_add", "Add", NULL, NONE},
    {"k_bin_bcast*", "op_mul", "Multiply", NULL, NONE},
    {"cross_device_reduce_*", NULL, "All-reduce", NULL, FIRST},
    {"residual_forward_kernel*", NULL, "Add", NULL, NONE},
    {"ReduceSplitK", NULL, "Split-K sum", NULL, REAL},
};

/* ---- patterns ---- */

/* Returns whether the text matches a pattern with up to two "*". */
static bool is_match(struct tp_str text, const char *pattern)
{
    if (*pattern != '*' && (!text.len || *text.ptr != *pattern)) /* usual case */
        return false;
    const char *star = strchr(pattern, '*');
    if (!star)
        return tp_str_equal(text, tp_str_of(pattern));
    size_t before = (size_t)(star - pattern);
    if (text.len < before || memcmp(text.ptr, pattern, before) != 0)
        return false;
    text = tp_text_after(text, before);
    const char *rest = star + 1, *second = strchr(rest, '*');
    if (!second)
        return tp_str_ends(text, rest);
    /* pattern "a*b*" or "*b*" */
    char middle[64];
    size_t size = (size_t)(second - rest);
    if (size >= sizeof middle)
        return false;
    memcpy(middle, rest, size);
    middle[size] = 0;
    return tp_str_find(text, middle) >= 0 && tp_str_ends(text, second + 1);
}

/* Returns whether a name has what a row needs: a text, or a value of an argument such as "4=true". */
static bool has_needed(const struct row *row, const struct tp_cxx_entity *entity, struct tp_str name)
{
    const char *needs = row->needs;
    if (!needs)
        return true;
    if (needs[1] != '=')
        return tp_str_find(name, needs) >= 0;
    size_t argument = (size_t)(needs[0] - '0');
    return argument < entity->count && tp_str_equal(entity->arguments[argument], tp_str_of(needs + 2));
}

/* ---- types ---- */

static const char *type_in_word(struct tp_str word)
{
    while (word.len) {
        const char *line = memchr(word.ptr, '_', word.len), *type;
        size_t size = line ? (size_t)(line - word.ptr) : word.len;
        if (size > 2 && (type = tp_kernel_type_of_part(tp_text_before(word, size))))
            return type;
        word = tp_text_after(word, line ? size + 1 : size);
    }
    return NULL;
}

/* Returns the type in "cublasGemvTensorStridedBatched<__nv_bfloat16 const>"; NULL if the name does not contain it. */
static const char *type_of_cublas_tensor(struct tp_str name)
{
    static const char TENSOR[] = "TensorStridedBatched<";
    ptrdiff_t at = tp_str_find(name, TENSOR);
    if (at < 0)
        return NULL;
    name = tp_text_after(name, (size_t)at + strlen(TENSOR));
    return tp_kernel_type_word(tp_text_before(name, tp_cxx_find_outside(name, '>', 0)));
}

/* Returns whether an argument looks like a data type without a word. Then a later type may be the accumulator. */
static bool is_unknown_type(struct tp_str argument)
{
    static const char *const MARKS[] = {"f8", "fp8", "fp4", "bf16", "half", "float", "short", "pk_", "int4", NULL};
    struct tp_cxx_entity entity = tp_cxx_split_name(argument);
    bool is_type = false;
    for (size_t i = 0; MARKS[i]; i++)
        is_type |= tp_str_find(entity.word, MARKS[i]) >= 0;
    return is_type && !entity.count && entity.word.len < 24;
}

/* Returns the first data type among the arguments, and the arguments of these, to a depth of 2. Returns NULL if an
 * unknown type is first. */
static const char *first_type(const struct tp_cxx_entity *entity, enum type_rule rule, unsigned depth)
{
    for (size_t i = 0; i < entity->count; i++) {
        struct tp_str argument = entity->arguments[i];
        const char *type = tp_kernel_type_word(argument);
        if (rule == CK && tp_str_equal(argument, TP_STR("unsigned short")))
            return "bf16";
        if (type && (rule == FIRST || tp_kernel_type_is_float(type)) && strcmp(type, "bool") != 0)
            return type;
        if (!type && is_unknown_type(argument))
            return NULL;
        if (!type && depth && rule != FIRST && memchr(argument.ptr, '<', argument.len)) {
            struct tp_cxx_entity inner = tp_cxx_split_name(argument);
            if ((type = first_type(&inner, rule, depth - 1)))
                return type;
        }
    }
    return NULL;
}

static const char *type_of_row(const struct row *row, const struct tp_cxx_entity *entity, struct tp_str name)
{
    const char *type = row->type == BLAS ? type_of_cublas_tensor(name) : NULL;
    if (row->type == NONE || type)
        return type;
    if (row->type != NAMED)
        type = first_type(entity, row->type == BLAS ? REAL : row->type, 2);
    return type ? type : type_in_word(entity->word);
}

/* ---- names with more in them ---- */

/* Reads "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu" of Triton's kernels for experts: layouts and types of the
 * result and both operands, then tile and splits. */
static void read_matmul_ogs(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str word)
{
    ptrdiff_t at = tp_str_find(word, "ogs_");
    struct tp_str rest = tp_text_after(word, (size_t)at + 4), types[3];
    size_t count = 0;
    for (unsigned part = 0; rest.len; part++) {
        const char *line = memchr(rest.ptr, '_', rest.len);
        struct tp_str text = tp_text_before(rest, line ? (size_t)(line - rest.ptr) : rest.len);
        rest = tp_text_after(rest, line ? text.len + 1 : text.len);
        if (part == 2)
            meaning->tile = tp_kernel_tile_text(arena, text);
        if (part == 3 && tp_str_equal(text, TP_STR("swiglu")))
            meaning->remark = "SwiGLU";
        for (size_t start = 0, i = 0; part == 1 && i <= text.len && count < 3; i++)
            if (i == text.len || (text.ptr[i] == 'x' && i + 1 < text.len && i > start && text.ptr[i - 1] != 'm')) {
                types[count++] = (struct tp_str){text.ptr + start, i - start};
                start = i + 1;
            }
    }
    if (count != 3)
        return;
    meaning->type = tp_kernel_type_of_part(types[1]);
    const char *second = tp_kernel_type_of_part(types[2]);
    if (meaning->type && second && strcmp(second, meaning->type) != 0)
        meaning->second_type = second;
}

/* Sets the tile of a name that contains one part such as "64x64". */
static void read_tile_of_word(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str word)
{
    while (word.len && !meaning->tile) {
        const char *line = memchr(word.ptr, '_', word.len);
        size_t size = line ? (size_t)(line - word.ptr) : word.len;
        meaning->tile = tp_kernel_tile_text(arena, tp_text_before(word, size));
        word = tp_text_after(word, line ? size + 1 : size);
    }
}

/* Reads "Flash_fwd_kernel_traits<64, 128, 128, 4, ..>": size of a head, then the tile. */
static void read_flash_traits(struct tp_kernel_meaning *meaning, struct tp_arena *arena,
                              const struct tp_cxx_entity *entity)
{
    struct tp_cxx_entity traits = {.count = 0};
    if (entity->count)
        traits = tp_cxx_split_name(entity->arguments[0]);
    if (tp_str_find(traits.word, "traits") < 0 || traits.count < 3)
        return;
    for (size_t i = 0; i < 3; i++)
        if (!tp_cxx_is_number(traits.arguments[i]) || traits.arguments[i].len > 5)
            return;
    meaning->tile = tp_text_printf(arena, "%.*s\xc3\x97%.*s", (int)traits.arguments[1].len, traits.arguments[1].ptr,
                                   (int)traits.arguments[2].len, traits.arguments[2].ptr);
    meaning->details[TP_KERNEL_VARIANT] =
        tp_text_printf(arena, "head size %.*s", (int)traits.arguments[0].len, traits.arguments[0].ptr);
}

bool tp_kernel_words_find(struct tp_kernel_meaning *meaning, struct tp_arena *arena, const struct tp_cxx_entity *entity,
                          struct tp_str name)
{
    static const char *const TILED[] = {"fmha_cutlass", "batched_transpose_", "fft2d_", NULL};
    size_t i = 0;
    while (i < sizeof ROWS / sizeof *ROWS &&
           !(is_match(entity->word, ROWS[i].pattern) && has_needed(&ROWS[i], entity, name)))
        i++;
    if (i == sizeof ROWS / sizeof *ROWS)
        return false;
    meaning->action = ROWS[i].action;
    meaning->remark = ROWS[i].remark;
    meaning->type = type_of_row(&ROWS[i], entity, name);
    if (tp_str_find(entity->word, "_matmul_ogs_") >= 0)
        read_matmul_ogs(meaning, arena, entity->word);
    if (tp_str_starts_with_one_of(entity->word, TILED))
        read_tile_of_word(meaning, arena, entity->word);
    if (tp_str_starts(entity->word, "flash_") && ROWS[i].type == REAL)
        read_flash_traits(meaning, arena, entity);
    return true;
}
