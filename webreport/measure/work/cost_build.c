/* Implements cost.h: computes costs of calls by the name of the operator. Contains the formulas for operators that only
 * move bytes; cost_products.c has the formulas for products. */
#include "webreport/measure/work/cost.h"

#include <pthread.h>
#include <string.h>

#include "webreport/measure/work/cost_call.h"
#include "writer/base/patterns.h"
#include "writer/base/saturate.h"

/* ---- formulas by form of the arguments ---- */

static bool set_bytes(struct tp_cost *cost, const struct tp_cost_arguments *a, int64_t bytes, int i)
{
    return tp_cost_set(cost, 0, bytes, tp_cost_number_type(a, i));
}

static int64_t add_if_known(int64_t x, int64_t y)
{
    return tp_sat_add(x, y);
}

static int64_t twice_if_known(int64_t bytes)
{
    return tp_sat_mul(2, bytes);
}

/* Returns the bytes of all tensor arguments, not counting lists of tensors. */
static int64_t tensor_bytes(const struct tp_cost_arguments *a)
{
    int64_t bytes = 0;
    for (unsigned i = 0; i < a->count; i++)
        bytes = add_if_known(bytes, tp_cost_tensor_bytes(a, (int)i));
    return bytes;
}

static int first_tensor(const struct tp_cost_arguments *a)
{
    for (unsigned i = 0; i < a->count; i++)
        if (a->items[i].form == TP_COST_TENSOR)
            return (int)i;
    return -1;
}

static bool set_norm_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    return tp_cost_tensor_shape(a, 0) &&
           set_bytes(cost, a, add_if_known(tp_cost_all_tensor_bytes(a), tp_cost_tensor_bytes(a, 0)), 0);
}

/* Computes the cost of the backward operator of a norm. Gradient and result are as large as the largest tensor
 * argument. */
static bool set_norm_backward_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    int largest = first_tensor(a);
    for (unsigned i = 0; i < a->count; i++)
        if (a->items[i].form == TP_COST_TENSOR && tp_cost_tensor_bytes(a, (int)i) > tp_cost_tensor_bytes(a, largest))
            largest = (int)i;
    return largest >= 0 &&
           set_bytes(cost, a, add_if_known(tp_cost_all_tensor_bytes(a), tp_cost_tensor_bytes(a, largest)), largest);
}

/* Computes the cost of operators that read the first tensor once and write a result of its size. */
static bool set_twice_first_tensor_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    return tp_cost_tensor_shape(a, 0) && set_bytes(cost, a, twice_if_known(tp_cost_tensor_bytes(a, 0)), 0);
}

static bool set_thrice_first_tensor_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    return tp_cost_tensor_shape(a, 0) && set_bytes(cost, a, tp_sat_mul(3, tp_cost_tensor_bytes(a, 0)), 0);
}

static bool set_fill_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    int64_t bytes = tp_cost_tensor_bytes(a, 0);
    return set_bytes(cost, a, bytes ? bytes : tp_cost_element_bytes(a, 0), 0);
}

static bool set_copy_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    if (!tp_cost_tensor_shape(a, 0))
        return a->count &&
               set_bytes(cost, a, add_if_known(tp_cost_element_bytes(a, 0), tp_cost_element_bytes(a, 1)), 0);
    return set_bytes(cost, a,
                     add_if_known(tp_cost_tensor_bytes(a, 0), tp_cost_tensor_shape(a, 1) ? tp_cost_tensor_bytes(a, 1)
                                                                                         : tp_cost_element_bytes(a, 1)),
                     0);
}

static bool set_concatenation_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    int64_t bytes = tp_cost_all_tensor_bytes(a);
    return bytes && set_bytes(cost, a, twice_if_known(bytes), 0);
}

static bool set_embedding_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    const struct tp_shape *w = tp_cost_tensor_shape(a, 0), *i = tp_cost_tensor_shape(a, 1);
    if (!w || !i)
        return false;
    int64_t rows = tp_sat_mul(tp_shape_product(i), w->sizes[w->rank - 1]);
    return set_bytes(
        cost, a,
        add_if_known(tp_cost_tensor_bytes(a, 1), twice_if_known(tp_sat_mul(rows, tp_cost_element_bytes(a, 0)))), 0);
}

static bool set_embedding_backward_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    return tp_cost_tensor_shape(a, 0) &&
           set_bytes(cost, a, add_if_known(twice_if_known(tp_cost_tensor_bytes(a, 0)), tp_cost_tensor_bytes(a, 1)), 0);
}

static bool set_gather_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    const struct tp_shape *i = tp_cost_tensor_shape(a, 2);
    return i && set_bytes(cost, a,
                          add_if_known(tp_cost_tensor_bytes(a, 2),
                                       twice_if_known(tp_sat_mul(tp_shape_product(i), tp_cost_element_bytes(a, 0)))),
                          0);
}

static bool set_index_select_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    const struct tp_shape *x = tp_cost_tensor_shape(a, 0), *i = tp_cost_tensor_shape(a, 2);
    int64_t dimension = tp_cost_integer(a, 1, 0);
    if (!x || !i || dimension < -(int64_t)x->rank || (dimension == 0 && tp_cost_is_true(a, 1)))
        return false;
    dimension = dimension < 0 ? dimension + x->rank : dimension < x->rank ? dimension : 0;
    int64_t of_one = x->sizes[dimension] > 1 ? x->sizes[dimension] : 1;
    int64_t picked = tp_sat_mul(tp_shape_product(x) / of_one, tp_shape_product(i));
    return set_bytes(
        cost, a,
        add_if_known(tp_cost_tensor_bytes(a, 2), twice_if_known(tp_sat_mul(picked, tp_cost_element_bytes(a, 0)))), 0);
}

/* Computes the cost of writing values into the first tensor. The number of values is the size of the last tensor. Each
 * value is read once and written once. */
static bool set_scatter_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    int first = first_tensor(a), final = first;
    for (unsigned i = 0; i < a->count; i++)
        final = a->items[i].form == TP_COST_TENSOR ? (int)i : final;
    if (first < 0)
        return false;
    int64_t bytes = tp_sat_sub(tensor_bytes(a), tp_cost_tensor_bytes(a, first));
    return set_bytes(cost, a, add_if_known(bytes, final != first ? twice_if_known(tp_cost_tensor_bytes(a, final)) : 0),
                     0);
}

/* Computes the cost of a fused optimizer. It reads parameters, gradients and state, and writes parameters and state. */
static bool set_fused_optimizer_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    int64_t bytes = 0;
    if (!tp_cost_list_bytes(a, 0))
        return false;
    for (unsigned i = 0; i < a->count && i < 6; i++)
        bytes = add_if_known(bytes, tp_cost_list_bytes(a, i));
    return tp_cost_set(cost, 0, tp_sat_sub(twice_if_known(bytes), tp_cost_list_bytes(a, 1)), TP_NUMBER_FP32);
}

/* Computes the cost of an operator that reads lists of tensors and writes the first list. is_once: true to add only the
 * bytes of the first list, once. */
static bool set_tensor_lists_cost(struct tp_cost *cost, const struct tp_cost_arguments *a, bool is_once)
{
    int64_t bytes = 0, first = -1;
    for (unsigned i = 0; i < a->count; i++)
        if (a->items[i].form == TP_COST_LIST) {
            first = first < 0 ? tp_cost_list_bytes(a, i) : first;
            bytes = add_if_known(bytes, tp_cost_list_bytes(a, i));
        }
    return first >= 0 && set_bytes(cost, a, is_once ? first : add_if_known(bytes, first), 0);
}

/* Computes the cost of a reduction. Adds only the bytes of the inputs, because the result is small. */
static bool set_reduction_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    int64_t bytes = tensor_bytes(a);
    return a->count && set_bytes(cost, a, bytes ? bytes : tp_cost_element_bytes(a, 0), 0);
}

static bool set_all_inputs_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    int64_t bytes = tensor_bytes(a);
    return bytes && set_bytes(cost, a, bytes, 0);
}

static bool is_real(const struct tp_cost_argument *argument)
{
    return (argument->type >= TP_NUMBER_FP64 && argument->type <= TP_NUMBER_BF16 && argument->has_size) ||
           tp_str_find_ignore_case(argument->types, "complex") >= 0;
}

static bool set_elementwise_cost(struct tp_cost *cost, const struct tp_cost_arguments *a, struct tp_str name,
                                 bool is_comparison)
{
    struct tp_shape out = {.rank = 0};
    int largest = -1;
    int64_t of_real = 0, of_any = 0, bytes = tensor_bytes(a);
    for (unsigned i = 0; i < a->count; i++) {
        const struct tp_shape *shape = tp_cost_tensor_shape(a, (int)i), *most = tp_cost_tensor_shape(a, largest);
        if (!shape)
            continue;
        int64_t size = tp_cost_element_bytes(a, (int)i);
        if (!tp_cost_broadcast(&out, shape))
            return false;
        if (!most || tp_shape_product(shape) > tp_shape_product(most) ||
            (tp_shape_product(shape) == tp_shape_product(most) && size > tp_cost_element_bytes(a, largest)))
            largest = (int)i;
        of_any = size > of_any ? size : of_any;
        of_real = is_real(&a->items[i]) && size > of_real ? size : of_real;
    }
    if (largest < 0)
        return a->count && a->items[0].form == TP_COST_EMPTY && a->items[0].has_size &&
               set_bytes(cost, a, twice_if_known(tp_cost_element_bytes(a, 0)), 0);
    int64_t size = tp_str_ends(name, "_") && tp_cost_tensor_shape(a, 0) ? tp_cost_element_bytes(a, 0)
                   : is_comparison                                      ? 1
                   : of_real                                            ? of_real
                                                                        : of_any;
    return set_bytes(cost, a, add_if_known(bytes, tp_sat_mul(tp_shape_product(&out), size)), largest);
}

/* ---- names ---- */

typedef bool form_of_cost(struct tp_cost *cost, const struct tp_cost_arguments *a);

static const struct {
    const char *names;
    form_of_cost *form;
} FORMS[] = {
    {"native_layer_norm _fused_rms_norm rms_norm native_group_norm native_batch_norm cudnn_batch_norm "
     "miopen_batch_norm "
     "batch_norm_elemt _native_batch_norm_legit instance_norm",
     set_norm_cost},
    {"_softmax _log_softmax _safe_softmax _masked_softmax cumsum cumprod flip roll tril triu tril_ triu_",
     set_twice_first_tensor_cost},
    {"_softmax_backward_data _log_softmax_backward_data", set_thrice_first_tensor_cost},
    {"fill_ zero_ normal_ uniform_ random_ bernoulli_", set_fill_cost},
    {"copy_", set_copy_cost},
    {"cat _cat stack _chunk_cat", set_concatenation_cost},
    {"embedding", set_embedding_cost},
    {"embedding_dense_backward", set_embedding_backward_cost},
    {"gather", set_gather_cost},
    {"index_select", set_index_select_cost},
    {"index_add_ index_add scatter_add_ scatter_add scatter_ _index_put_impl_ index_put_", set_scatter_cost},
    {"_fused_adam _fused_adam_ _fused_adamw _fused_adamw_ _fused_sgd _fused_sgd_ _fused_adagrad _fused_adagrad_",
     set_fused_optimizer_cost},
    {"sum mean amax amin max min argmax argmin linalg_vector_norm linalg_norm norm std var prod all any std_mean "
     "var_mean "
     "topk sort nll_loss_forward nll_loss2d_forward max_pool2d_with_indices avg_pool2d _adaptive_avg_pool2d mse_loss "
     "l1_loss binary_cross_entropy binary_cross_entropy_with_logits count_nonzero nonzero aminmax logsumexp isin equal",
     set_reduction_cost},
    {"max_pool2d_with_indices_backward avg_pool2d_backward _adaptive_avg_pool2d_backward upsample_nearest2d "
     "upsample_bilinear2d upsample_bicubic2d upsample_nearest2d_backward reflection_pad2d constant_pad_nd repeat",
     set_all_inputs_cost},
};

/* kinds of operators without a row in FORMS: names in the two pattern lists below, and the backward operators of
 * norms */
enum { ONE_VALUE_EACH, COMPARISON, NORM_BACKWARD };

static const char ELEMENTWISE[] =
    "^(add|sub|rsub|mul|div|pow|sqrt|rsqrt|exp|exp2|log|log2|log10|log1p|expm1|neg|abs|sign|sgn|cos|sin|tan|erf|erfinv|"
    "reciprocal|lerp|addcmul|addcdiv|floor|ceil|round|trunc|remainder|fmod|maximum|minimum|fmax|fmin|nan_to_num|where|"
    "masked_fill|clamp|clamp_min|clamp_max|threshold|relu|relu6|gelu|silu|sigmoid|tanh|hardtanh|hardswish|hardsigmoid|"
    "leaky_relu|elu|softplus|mish|glu|prelu|logit|atan|atan2|square|_conj|native_dropout|dropout_|_fused_dropout|"
    "__(and|or|xor)__|__i(and|or|xor)__|floor_divide|true_divide|(threshold|gelu|silu|sigmoid|tanh|relu|hardtanh|"
    "hardswish|hardsigmoid|leaky_relu|elu|softplus|mish|glu|logit|native_dropout|mse_loss|smooth_l1_loss|"
    "binary_cross_entropy|prelu|nll_loss)_backward)_?$|^bitwise_.*$|^is(nan|inf|"
    "finite)_$";
static const char COMPARISONS[] = "^(eq|ne|lt|le|gt|ge)_?$|^logical_.*$|^is(nan|inf|finite)$";

/* kinds of operators of serving engines, each with its own formula */
enum {
    ENGINE_ATTENTION,
    ENGINE_LINEAR,
    ENGINE_ADD_NORM,
    ENGINE_NORM,
    ENGINE_ALL,
    ENGINE_ROTARY,
    ENGINE_CACHE,
    ENGINE_QUANTISE,
    ENGINE_RULES
};
static const char *const ENGINES[ENGINE_RULES] = {
    [ENGINE_ATTENTION] = "fmha_v3_fwd|flash_attn::_flash_attn_forward|flash_attn_func",
    [ENGINE_LINEAR] =
        "unquantized_gemm|gemm_a16w16|tgemm|skinny|wvsplitk|hipb_mm|tuned_gemm|scaled_mm|gemm_a8w8|fp8_gemm",
    [ENGINE_ADD_NORM] = "fused_add_rms_?norm",
    [ENGINE_NORM] = "rms_?norm|layer_?norm",
    [ENGINE_ALL] = "silu|gelu|swiglu|act_and_mul",
    [ENGINE_ROTARY] = "rotary",
    [ENGINE_CACHE] = "reshape_and_cache",
    [ENGINE_QUANTISE] = "floattofp8|floattohfp8|fp8rowwise|hfp8quantized",
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct tp_patterns aten_names, engine_names;
static bool is_whole = true;

static void add_name_patterns(void)
{
    is_whole &= tp_patterns_add(&aten_names, ONE_VALUE_EACH, ELEMENTWISE) == 0;
    is_whole &= tp_patterns_add(&aten_names, COMPARISON, COMPARISONS) == 0;
    is_whole &= tp_patterns_add(&aten_names, NORM_BACKWARD, "(layer|group|batch|rms)_norm_backward") == 0;
    for (unsigned i = 0; i < ENGINE_RULES; i++)
        is_whole &= tp_patterns_add(&engine_names, i, ENGINES[i]) == 0;
}

bool tp_cost_rules_are_valid(void)
{
    pthread_once(&once, add_name_patterns);
    return is_whole;
}

/* Returns whether a name has only small letters, digits and "_". In names that begin with "logical_" or "bitwise_",
 * capitals are allowed, and at least one more character must follow. */
static bool is_whole_word(struct tp_str name)
{
    bool is_family = tp_str_starts(name, "logical_") || tp_str_starts(name, "bitwise_");
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!tp_is_digit(c) && c != '_' && (c < 'a' || c > 'z') && (!is_family || c < 'A' || c > 'Z'))
            return false;
    }
    return !tp_cost_is_listed_name(name, "logical_ bitwise_");
}

static bool set_aten_cost(struct tp_cost *cost, struct tp_str name, const struct tp_cost_arguments *a)
{
    if (tp_str_ends(name, "_out"))
        name.len -= 4;
    int product = tp_cost_of_product(cost, name, a);
    if (product >= 0)
        return product;
    int rule = tp_patterns_find(&aten_names, name);
    if (rule == NORM_BACKWARD)
        return set_norm_backward_cost(cost, a);
    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++)
        if (tp_cost_is_listed_name(name, FORMS[i].names))
            return FORMS[i].form(cost, a);
    if (tp_str_starts(name, "_foreach_"))
        return set_tensor_lists_cost(cost, a, tp_cost_is_listed_name(name, "_foreach_zero_ _foreach_norm"));
    return rule >= 0 && is_whole_word(name) && set_elementwise_cost(cost, a, name, rule == COMPARISON);
}

static bool set_engine_cost(struct tp_cost *cost, struct tp_str name, const struct tp_cost_arguments *a)
{
    const struct tp_shape *first = tp_cost_tensor_shape(a, 0);
    int64_t x = tp_cost_tensor_bytes(a, 0), y = tp_cost_tensor_bytes(a, 1), z = tp_cost_tensor_bytes(a, 2);
    bool is_causal = tp_cost_is_text_true(a, 4) || tp_cost_is_text_true(a, 5) || tp_cost_is_text_true(a, 6);
    unsigned tensors = 0;
    for (unsigned i = 0; i < a->count; i++)
        tensors += a->items[i].form == TP_COST_TENSOR;
    switch (tp_patterns_find(&engine_names, name)) {
    case ENGINE_ATTENTION:
        return tp_cost_of_attention_form(cost, a, is_causal);
    case ENGINE_LINEAR:
        return tp_cost_of_linear_form(cost, a);
    case ENGINE_ADD_NORM: /* the operator reads and writes both the input and the tensor that is added to the input */
        return first && set_bytes(cost, a, add_if_known(twice_if_known(add_if_known(x, y)), z), 0);
    case ENGINE_NORM:
        return first && set_bytes(cost, a, add_if_known(tp_cost_all_tensor_bytes(a), tensors == 2 ? x : 0), 0);
    case ENGINE_ALL:
        return tensors && set_bytes(cost, a, tp_cost_all_tensor_bytes(a), first_tensor(a));
    case ENGINE_ROTARY:
        return tp_cost_tensor_shape(a, 1) && set_bytes(cost, a, add_if_known(twice_if_known(add_if_known(y, z)), x), 1);
    case ENGINE_CACHE:
        return first && set_bytes(cost, a, twice_if_known(add_if_known(x, y)), 0);
    case ENGINE_QUANTISE:
        return first && set_bytes(cost, a, add_if_known(x, tp_shape_product(first)), 0);
    default:
        return false;
    }
}

static bool has_tensor(const struct tp_cost_arguments *a)
{
    bool is_any = false;
    for (unsigned i = 0; i < a->count; i++)
        is_any |= a->items[i].form == TP_COST_TENSOR || a->items[i].form == TP_COST_LIST;
    return is_any;
}

bool tp_cost_lacks_types(const struct tp_op_call *call)
{
    struct tp_cost_arguments a;
    return call->dims.len && tp_cost_read_arguments(&a, call, NULL) && !a.is_typed && has_tensor(&a);
}

static bool set_cost_by_name(struct tp_cost *cost, struct tp_str name, const struct tp_cost_arguments *a)
{
    pthread_once(&once, add_name_patterns);
    if (tp_str_starts(name, "aten::"))
        return set_aten_cost(cost, (struct tp_str){name.ptr + 6, name.len - 6}, a);
    if (tp_str_starts(name, "triton_"))
        return first_tensor(a) >= 0 && set_bytes(cost, a, tp_cost_all_tensor_bytes(a), first_tensor(a));
    return set_engine_cost(cost, name, a);
}

bool tp_cost_of_call(struct tp_cost *cost, struct tp_str name, const struct tp_op_call *call,
                     const struct tp_cost_hint *hint)
{
    struct tp_cost_arguments a;
    return tp_cost_read_arguments(&a, call, hint) && a.is_typed && set_cost_by_name(cost, name, &a);
}

int64_t tp_cost_flops_without_types(struct tp_str name, const struct tp_op_call *call, const struct tp_cost_hint *hint)
{
    struct tp_cost_arguments a;
    struct tp_cost cost;
    bool is_known = call->dims.len && tp_cost_read_arguments(&a, call, hint) && !a.is_typed && has_tensor(&a) &&
                    set_cost_by_name(&cost, name, &a);
    return is_known ? cost.flops : 0;
}
