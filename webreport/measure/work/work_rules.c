/* Implements work_rules.h: finds kinds of work by name. Within a layer, a name has the kind of the first rule that
 * matches, so the order of rules matters. writer/base/patterns.h describes the patterns. */
#include "webreport/measure/work/work_rules.h"

#include <pthread.h>
#include <string.h>

#include "writer/base/patterns.h"

struct rule {
    enum tp_work work;
    const char *pattern;
};

/* ---- kernels of any operator; communication (docs/definitions.md, section 12) is recognized earlier ---- */

static const struct rule OF_KERNEL_FIRST[] = {
    {TP_WORK_LAYOUT, "nchwtonhwc|nhwctonchw|batched_transpose_|genericTranspose|SubTensorOpWith(Cast|Scalar)|"
                     "transpose_readwrite|tensorTransform|im2col|col2im|convertTensor|ConvertLayout|cask.*reorder|"
                     "kern_precompute_indices|computeOffsetsKernel|computeWgradOffsets|computeWgradSplitKOffsets|"
                     "scalePackedTensor|cudnn::ops::nhwcAddPadding|AddPaddingKernel"},
    {TP_WORK_COPY, "^dma_request$"},
    {TP_WORK_OTHER, "^(pe_exe|merge|remote)$|spin_kernel|computeBOffsets"},
    {TP_WORK_SAMPLING, "(^|_)top_?[kp]_?(sampl|renorm|mask)|samplingkernel|gumbel|min_p_|apply_repetition|multinomial|"
                       "resolve_future|compute_position"},
    {TP_WORK_ATTENTION, "reshape_and_cache|store_kv_?cache|concat_and_cache|kv_cache_copy|copy_kv|write_kv"},
    {TP_WORK_MOE, "topk_?gating|topk_softmax|moe_|fused_moe|_matmul_ogs|grouped_?gemm|expert|_combined_routing|"
                  "_topk_forward|_sum_bitmatrix|_finalize_matmul|routing|permute_tokens|unpermute|bmm_.*(swiglu|geglu)|"
                  "reduce_segments$"},
};

/* ---- operators that consist of many kernels ---- */

static const struct rule OF_CHAIN[] = {
    {TP_WORK_ATTENTION,
     "scaled_dot_product|flash_?attn|_flash_attention|_efficient_attention|_cudnn_attention|mha_|mla_|"
     "flex_attention|unified_attention|paged_attention|multi_head_attention|sage|fmha|xformers|attn_fwd|"
     "attn_bwd|aiter::.*(attention|mha|mla|pa_fwd)|sglang::unified_attention|RadixAttention"},
    {TP_WORK_MOE, "moe_forward|fused_moe|fused_experts|moe_align|grouped_topk|_grouped_mm|scaled_grouped_mm|"
                  "deep_gemm.*grouped|outplace_fused_experts|inplace_fused_experts"},
    {TP_WORK_OPTIMIZER, "^(aten::_fused_(adam|adamw|sgd|adagrad)|apex::|deepspeed::.*adam|fbgemm::.*optimizer)|"
                        "^Optimizer\\.(step|zero_grad)"},
    {TP_WORK_EMBEDDING,
     "embedding|EmbeddingBag|SplitLookup|split_lookup|index_put|jagged|permute_(2D_)?sparse|permute_pooled|"
     "PermutePooled|bounds_check|block_bucketize|recat_"},
    {TP_WORK_SAMPLING, "multinomial|top_k_top_p|sampling_from|_sample"},
    {TP_WORK_GEMM, "unquantized.*(gemm|linear)"}, /* the next rule would match their names */
    {TP_WORK_QUANTISE, "quantiz|dequantiz|_quant|per_token_group|scaled_fp8|FP8Rowwise|HFP8|to_fp8|amax_and_scale"},
};

/* ---- operators ---- */

static const struct rule OF_OWNER[] = {
    {TP_WORK_GEMM,
     "^aten::(mm|addmm|bmm|baddbmm|addbmm|matmul|linear|addmv|mv|dot|_scaled_mm|_int_mm|_addmm_activation|"
     "_trilinear|linear_backward|mkldnn_linear|einsum)(_out)?$|gemm|cutlass_scaled_mm|marlin|awq|gptq|machete|"
     "qlinear|wvSplitK|deep_gemm|bpreshuffle|tuned_gemm"},
    {TP_WORK_CONVOLUTION, "^aten::.*(conv|convolution)"},
    {TP_WORK_NORM, "batch_?norm|layer_?norm|group_?norm|instance_?norm|rms_?norm|local_response_norm|weight_norm|"
                   "fused_add_rmsnorm|_norm_"},
    {TP_WORK_SOFTMAX, "softmax|logsumexp|cross_entropy|nll_loss"},
    {TP_WORK_LAYOUT,
     "^aten::(copy_|_to_copy|to|clone|contiguous|cat|_cat|stack|split|chunk|pad|constant_pad_nd|"
     "reflection_pad|replication_pad|roll|flip|repeat|tile|repeat_interleave|pixel_(un)?shuffle|upsample|"
     "im2col|col2im|unfold|fold|tril|triu|tril_|triu_|_reshape_alias|permute|transpose|expand|slice_backward|"
     "select_backward|unfold_backward|_foreach_copy_|_cast|_chunk_cat|split_with_sizes_copy|as_strided)"},
    {TP_WORK_EMBEDDING,
     "^aten::(embedding|index|index_select|gather|scatter|take|masked_select|nonzero|unique|bucketize|"
     "searchsorted|_index_put|masked_scatter|one_hot|index_add|index_fill|put_|_embedding)"},
    {TP_WORK_REDUCTION,
     "^aten::(sum|mean|amax|amin|max|min|argmax|argmin|norm|linalg_vector_norm|std|var|prod|all|any|cumsum|"
     "cumprod|topk|sort|argsort|median|kthvalue|count_nonzero|_foreach_norm|aminmax|std_mean|var_mean|histc|"
     "bincount|logcumsumexp|isin|equal|max_pool|avg_pool|_adaptive_avg_pool|adaptive_|max_pool2d|avg_pool2d)"},
    {TP_WORK_ELEMENTWISE,
     "^aten::(fill_|zero_|zeros|ones|full|arange|normal_|uniform_|random_|bernoulli|dropout|native_dropout|"
     "_fused_dropout|rand|where|masked_fill|clamp|threshold|relu|gelu|silu|sigmoid|tanh|hardtanh|hardswish|"
     "leaky_relu|elu|softplus|mish|glu|add|sub|rsub|mul|div|pow|sqrt|rsqrt|exp|log|neg|abs|sign|cos|sin|erf|"
     "reciprocal|eq|ne|lt|le|gt|ge|logical|bitwise|lerp|addcmul|addcdiv|floor|ceil|round|trunc|remainder|fmod|"
     "maximum|minimum|isnan|isinf|isfinite|nan_to_num|mse_loss|l1_loss|smooth_l1|huber|binary_cross_entropy|"
     "kl_div|logit|log1p|expm1|atan|_foreach_|_amp_|square|polar|complex|view_as|real|imag|softshrink|"
     "cumulative|_local_scalar|item|special_|xlogy|__(and|or|xor|lshift|rshift)|unsafe_|rrelu|prelu|logaddexp|"
     "frac|hypot|atan2|lift)"},
    {TP_WORK_EMBEDDING, "fbgemm::.*(lookup|emb|cumsum|offsets|segment)|fb::|torchrec"},
    {TP_WORK_ELEMENTWISE, "rotary|act_and_mul|silu_and_mul|gelu_and_mul|gelu_tanh|swiglu|_C::(silu|gelu)"},
};

/* ---- kernels made by torch.compile: template, pointwise, reduction, persistent reduction ---- */

static const struct rule OF_TRITON[] = {
    {TP_WORK_ATTENTION, "^triton_tem_fused_.*attention"},
    {TP_WORK_CONVOLUTION, "^triton_tem_fused_.*conv"},
    {TP_WORK_GEMM, "^triton_tem_fused_"},
    {TP_WORK_ELEMENTWISE, "^triton_poi_fused_"},
    {TP_WORK_NORM, "^triton_(red|per)_fused_.*(norm|rsqrt)"},
    {TP_WORK_SOFTMAX, "^triton_(red|per)_fused_.*softmax"},
    {TP_WORK_REDUCTION, "^triton_(red|per)_fused_"},
};

/* ---- kernels ---- */

static const struct rule OF_KERNEL[] = {
    {TP_WORK_OPTIMIZER,
     "multi_tensor_apply_kernel.*(adam|sgd|lamb|adagrad|rmsprop|lion)|fused_?adam|adam_?functor|sgdmath"},
    {TP_WORK_ATTENTION,
     "flash|fmha|paged_attention|unified_attention|attn_fwd|attn_bwd|fwd_kernel_flash|sage|_attn|attention|"
     "aiter.*(fmha|mha|pa_)|fav2|FlashAttn|mha_|mla_|BatchPrefill|BatchDecode|kv_indices|get_num_kv|"
     "prefill_wrapper|merge_state"},
    {TP_WORK_EMBEDDING,
     "embedding|indexing_backward|index_elementwise|indexSelect|gather_kernel|scatter_gather|"
     "vectorized_gather|jagged|split_embedding|indexFuncLarge|indexFuncSmall|bucketize|permute_2D|"
     "permute_pooled|krn_partial|compute_grad_weight|kernel_rowwise|bounds_check|linearize_index|delinearize|"
     "offset_range|asynchronous_.*cumsum|_block_bucketize|lengths_range|recat_|to_dense_rep|clamp_position|"
     "_copy_page_ind"},
    {TP_WORK_CONVOLUTION,
     "conv|wgrad|dgrad|fprop|winograd|scudnn|hcudnn|igemm_(fwd|bwd|wrw)|miopen.*Conv|implicit_gemm|"
     "cudnn.*(engine|xmma_(fprop|dgrad|wgrad))|Im2Col|bwd_weight|bwd_data|naive_conv|Sp3Asm|gridwise_.*conv|"
     "depthwise"},
    {TP_WORK_NORM,
     "batch_?norm|layer_?norm|group_?norm|rms_?norm|bn_(fw|bw)|instance_norm|norm_fwd|norm_bwd|"
     "MIOpenBatchNorm|RowwiseMoments|ComputeFusedParams|GammaBeta|cuComputeGradInput|cuComputePartGrad|_norm_|"
     "add_rmsnorm|Rmsnorm|Layernorm|ComputeInternalGradients|vectorized_layer"},
    {TP_WORK_SOFTMAX, "softmax|nll_loss|cross_entropy|logsumexp"},
    {TP_WORK_QUANTISE, "quant|scaled_fp8|fp8_cast|amax|_cast_to_fp8|mxfp|dequant|FP8Rowwise|HFP8"},
    {TP_WORK_GEMM,
     "gemm|gemv|cijk_|cutlass.*(tensorop|kernel|device)|nvjet|_mm_|matmul|sm[0-9]+_xmma|ampere_|volta_.*(_nn|"
     "_tn|_nt)|turing_|maxwell_|splitk|reduce_1block_kernel|dot_kernel|cublas|wvSplitK|bpreshuffle|hgemm|"
     "triton_tem_fused_.*(mm|addmm|bmm)|_gemm_|streamk|PostGSU"},
    {TP_WORK_REDUCTION,
     "reduce_kernel|::reduce|cub::|rocprim|thrust::.*(reduce|scan|sort)|DeviceReduce|DeviceScan|DeviceSegment|"
     "RadixSort|radix|sort|topk|pool|argmax|cumsum|scan|softmax_warp|segmented|mbtopk|triton_red_fused|"
     "triton_per_fused|min_max|multi_tensor_apply_kernel.*norm|lpnorm|cleanup"},
    {TP_WORK_LAYOUT,
     "CatArray|copy_kernel|direct_copy|bfloat16_copy|float16_copy|copy_device_to_device|transpose|upsample|"
     "pad_kernel|reflection_pad|flip_kernel|repeat|roll_cuda|triu_tril|tril_triu|memcpy|copyBuffer|fillBuffer|"
     "__amd_rocclr_|copy_vectorized|triton_poi_fused_(_to_copy|clone|copy|cat|permute|transpose|view)_[0-9]+$|"
     "gather_slices|batched_memcpy|unpack|FillCopy|convert"},
    {TP_WORK_ELEMENTWISE,
     "elementwise|FillFunctor|triton_poi_fused|triton__[0-9]+d|multi_tensor_apply|CUDAFunctor|dropout|"
     "distribution|philox|where_kernel|masked_fill|threshold|arange|launch_clamp|op_tensor|OpTensor|pointwise|"
     "activation|act_and_mul|rotary|silu|gelu|relu|sigmoid|add_tensor|addTensor|vectorized_op|bias|scale|mul_|"
     "add_|Fused.*Add|kernelPointwise|krnl_fused|sgl_|aten::|add_kernel|sub_kernel|axpy|fill|prepare_|"
     "resolve_|create_|assign_|write_req|compute_slot|compute_position|_get_|eagle"},
};

/* ---- operators without device work ---- */

static const struct rule OF_HOST[] = {
    {TP_WORK_ALLOCATION,
     "^aten::(empty(_like|_strided|_permuted|_quantized)?|new_empty(_strided)?|resize_?|resize_(as|output)_?|set_|t_?|"
     "numpy_t|(_|_unsafe_)?view|view_as|_reshape_alias|alias|slice|select|narrow|(un)?squeeze_?|detach_?|reshape|"
     "reshape_as|(un)?flatten|ravel|unbind|diagonal|movedim|swap(axes|dims)|broadcast_(to|tensors)|meshgrid|lift_fresh|"
     "resolve_(conj|neg)|conj|result_type|is_(pinned|floating_point|complex|same_size)|record_stream|unsafe_(split|"
     "chunk)|"
     "hsplit|vsplit|tensor_split|_nnpack_available|_has_compatible_shallow_copy_type|_version|requires_grad_|output_nr)"
     "$|"
     "^detach_?$"},
    {TP_WORK_COMMUNICATION,
     "torch(::|\\.)distributed|flatten_dense_tensors|all(2all|toall|reduce|gather)|reducescatter"},
    {TP_WORK_ENGINE,
     "^autograd::|backward$|backward[0-9]+$|accumulategrad|^torch-compiled|^torchdynamo|^compiledfunction|"
     "^aotdispatcher|^pregraph bytecode|^<(forward|backward) op>$"},
};

/* ---- kernels that move values for a convolution ---- */

static const struct rule OF_MOVES[] = {
    {TP_WORK_CONVOLUTION, "conv|gemm|wgrad|dgrad"},
    {TP_WORK_LAYOUT, "elementwise|copy|cat"},
};

/* ---- search ---- */

#define LAYER(rules)                                                                                                   \
    {                                                                                                                  \
        rules, sizeof(rules) / sizeof *(rules)                                                                         \
    }

enum { OF_MOVES_LAYER = TP_WORK_LAYERS, ALL_LAYERS, MAX_MOVES = 256 };

static const struct {
    const struct rule *rules;
    unsigned count;
} layers[ALL_LAYERS] = {[TP_WORK_OF_KERNEL_FIRST] = LAYER(OF_KERNEL_FIRST),
                        [TP_WORK_OF_CHAIN] = LAYER(OF_CHAIN),
                        [TP_WORK_OF_OWNER] = LAYER(OF_OWNER),
                        [TP_WORK_OF_TRITON] = LAYER(OF_TRITON),
                        [TP_WORK_OF_KERNEL] = LAYER(OF_KERNEL),
                        [TP_WORK_OF_HOST] = LAYER(OF_HOST),
                        [OF_MOVES_LAYER] = LAYER(OF_MOVES)};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct tp_patterns patterns[ALL_LAYERS];
static bool is_whole = true;

static void add_name_patterns(void)
{
    for (unsigned layer = 0; layer < ALL_LAYERS; layer++)
        for (unsigned i = 0; i < layers[layer].count; i++)
            is_whole &= tp_patterns_add(&patterns[layer], i, layers[layer].rules[i].pattern) == 0;
}

static enum tp_work find_kind_of_work(unsigned layer, struct tp_str name)
{
    pthread_once(&once, add_name_patterns);
    int rule = tp_patterns_find(&patterns[layer], name);
    return rule < 0 ? TP_WORK_NONE : layers[layer].rules[rule].work;
}

/* Returns whether `words` consists only of names of operations that move values. */
static bool do_words_only_move_values(struct tp_str words)
{
    static const char *const moves[] = {"_to_copy", "clone",           "copy",         "cat", "permute", "transpose",
                                        "view",     "constant_pad_nd", "_unsafe_view", "t",   "slice",   "_"};
    bool reached[MAX_MOVES + 1] = {true};
    if (words.len > MAX_MOVES)
        return false;
    for (size_t at = 0; at < words.len; at++)
        for (size_t i = 0; i < sizeof moves / sizeof *moves && reached[at]; i++)
            if (tp_str_starts((struct tp_str){words.ptr + at, words.len - at}, moves[i]))
                reached[at + strlen(moves[i])] = true;
    return reached[words.len];
}

/* Returns whether a kernel of torch.compile only moves values, such as "triton_poi_fused_clone_permute_12". */
static bool is_triton_move(struct tp_str name)
{
    static const char begin[] = "triton_poi_fused_";
    size_t end = name.len, skip = sizeof begin - 1;
    while (end && name.ptr[end - 1] >= '0' && name.ptr[end - 1] <= '9')
        end--;
    return tp_str_starts(name, begin) && end < name.len && end > skip && name.ptr[end - 1] == '_' &&
           do_words_only_move_values((struct tp_str){name.ptr + skip, end - 1 - skip});
}

enum tp_work tp_work_of_name(enum tp_work_layer layer, struct tp_str name)
{
    return layer == TP_WORK_OF_TRITON && is_triton_move(name) ? TP_WORK_LAYOUT : find_kind_of_work(layer, name);
}

bool tp_work_rules_are_valid(void)
{
    pthread_once(&once, add_name_patterns);
    return is_whole;
}

bool tp_work_is_next_to_convolution(struct tp_str kernel)
{
    return find_kind_of_work(OF_MOVES_LAYER, kernel) == TP_WORK_LAYOUT;
}

bool tp_work_is_wrapper(struct tp_str operator)
{
    return tp_str_starts(operator, "autograd::") || tp_str_ends(operator, "Backward0") ||
           tp_str_find(operator, "Compiled") >= 0;
}

/* ---- texts ---- */

static const char *const words[TP_WORK_COUNT][2] = {
    [TP_WORK_GEMM] = {"gemm", "Matrix products"},
    [TP_WORK_ATTENTION] = {"attention", "Attention"},
    [TP_WORK_CONVOLUTION] = {"convolution", "Convolutions"},
    [TP_WORK_MOE] = {"moe", "Mixture of experts"},
    [TP_WORK_NORM] = {"norm", "Normalisation"},
    [TP_WORK_SOFTMAX] = {"softmax", "Softmax and losses"},
    [TP_WORK_ELEMENTWISE] = {"elementwise", "Elementwise"},
    [TP_WORK_REDUCTION] = {"reduction", "Reductions and sorting"},
    [TP_WORK_LAYOUT] = {"layout", "Copies, casts and layout"},
    [TP_WORK_EMBEDDING] = {"embedding", "Embedding and gather"},
    [TP_WORK_OPTIMIZER] = {"optimizer", "Optimizer"},
    [TP_WORK_COMMUNICATION] = {"communication", "Communication"},
    [TP_WORK_SAMPLING] = {"sampling", "Sampling of tokens"},
    [TP_WORK_QUANTISE] = {"quantise", "Quantisation"},
    [TP_WORK_COPY] = {"copy", "Memory copies and memsets"},
    [TP_WORK_WAIT] = {"wait", "Waits of an engine"},
    [TP_WORK_ALLOCATION] = {"allocation", "Allocation and views"},
    [TP_WORK_ENGINE] = {"engine", "Autograd and compiler"},
    [TP_WORK_OTHER] = {"other", "Other"},
};

const char *tp_work_text(enum tp_work work)
{
    return words[work][0];
}

const char *tp_work_title(enum tp_work work)
{
    return words[work][1];
}
