/* Reads names of Triton kernels of torch.compile. See kernel_triton.h. */
#include "writer/text/kernel_triton.h"

#include "writer/text/cxx_text.h"
#include "writer/text/format.h"

enum { MOST_OPERATIONS = 48, SHOWN_OPERATIONS = 5 };

/* Operations of ATen whose names contain underscores, and how they are shown. NULL: a view, which moves no data. */
static const struct {
    const char *name;
    const char *shown;
} OPERATIONS[] = {
    {"native_layer_norm_backward", "layer norm backward"},
    {"native_layer_norm", "layer norm"},
    {"native_group_norm_backward", "group norm backward"},
    {"native_group_norm", "group norm"},
    {"native_batch_norm_backward", "batch norm backward"},
    {"native_batch_norm", "batch norm"},
    {"_native_batch_norm_legit_functional", "batch norm"},
    {"_native_batch_norm_legit_no_training", "batch norm"},
    {"_native_batch_norm_legit", "batch norm"},
    {"cudnn_batch_norm_backward", "batch norm backward"},
    {"cudnn_batch_norm", "batch norm"},
    {"batch_norm_backward", "batch norm backward"},
    {"batch_norm", "batch norm"},
    {"layer_norm_backward", "layer norm backward"},
    {"layer_norm", "layer norm"},
    {"group_norm_backward", "group norm backward"},
    {"group_norm", "group norm"},
    {"rms_norm", "RMS norm"},
    {"_fused_rms_norm_backward", "RMS norm backward"},
    {"_fused_rms_norm", "RMS norm"},
    {"native_dropout_backward", "dropout backward"},
    {"native_dropout", "dropout"},
    {"_log_softmax_backward_data", "log softmax backward"},
    {"_softmax_backward_data", "softmax backward"},
    {"_log_softmax", "log softmax"},
    {"_softmax", "softmax"},
    {"log_softmax", "log softmax"},
    {"prepare_softmax_online", "softmax"},
    {"nll_loss_backward", "NLL loss backward"},
    {"nll_loss_forward", "NLL loss"},
    {"nll_loss2d_forward", "NLL loss"},
    {"nll_loss", "NLL loss"},
    {"mse_loss_backward", "MSE loss backward"},
    {"mse_loss", "MSE loss"},
    {"cross_entropy_loss", "cross entropy"},
    {"binary_cross_entropy_with_logits", "binary cross entropy"},
    {"binary_cross_entropy", "binary cross entropy"},
    {"smooth_l1_loss", "smooth L1 loss"},
    {"threshold_backward", "ReLU backward"},
    {"gelu_backward", "GELU backward"},
    {"silu_backward", "SiLU backward"},
    {"sigmoid_backward", "sigmoid backward"},
    {"tanh_backward", "tanh backward"},
    {"hardtanh_backward", "hardtanh backward"},
    {"hardswish_backward", "hardswish backward"},
    {"leaky_relu_backward", "leaky ReLU backward"},
    {"elu_backward", "ELU backward"},
    {"leaky_relu", "leaky ReLU"},
    {"embedding_dense_backward", "embedding backward"},
    {"convolution_backward", "convolution backward"},
    {"max_pool2d_with_indices_backward", "max pool backward"},
    {"max_pool2d_with_indices", "max pool"},
    {"_low_memory_max_pool2d_with_offsets", "max pool"},
    {"_low_memory_max_pool_with_offsets", "max pool"},
    {"_low_memory_max_pool_offsets_to_indices", "max pool"},
    {"avg_pool2d_backward", "average pool backward"},
    {"avg_pool2d", "average pool"},
    {"_adaptive_avg_pool2d_backward", "average pool backward"},
    {"_adaptive_avg_pool2d", "adaptive average pool"},
    {"adaptive_avg_pool2d", "adaptive average pool"},
    {"upsample_nearest2d_backward", "resize backward"},
    {"upsample_nearest2d", "resize"},
    {"upsample_bilinear2d", "resize"},
    {"_upsample_bicubic2d_aa", "resize"},
    {"constant_pad_nd", "pad"},
    {"reflection_pad2d", "reflection pad"},
    {"replication_pad2d", "replication pad"},
    {"convert_element_type", "convert"},
    {"_to_copy", "convert"},
    {"clamp_min", "clamp"},
    {"clamp_max", "clamp"},
    {"zeros_like", "zeros"},
    {"ones_like", "ones"},
    {"full_like", "full"},
    {"empty_like", NULL},
    {"empty_strided", NULL},
    {"new_zeros", "zeros"},
    {"new_ones", "ones"},
    {"new_full", "full"},
    {"new_empty", NULL},
    {"rand_like", "random"},
    {"randn_like", "random"},
    {"inductor_random", "random"},
    {"inductor_lookup_seed", NULL},
    {"inductor_seeds", NULL},
    {"masked_fill", "masked fill"},
    {"masked_scatter", "masked scatter"},
    {"index_put", "index put"},
    {"index_add", "index add"},
    {"index_copy", "index copy"},
    {"index_select", "index select"},
    {"_unsafe_index_put", "index put"},
    {"_unsafe_index", "index"},
    {"scatter_add", "scatter add"},
    {"scatter_reduce", "scatter"},
    {"slice_scatter", "slice scatter"},
    {"select_scatter", "select scatter"},
    {"slice_backward", "slice backward"},
    {"select_backward", "select backward"},
    {"logical_and", "logical and"},
    {"logical_or", "logical or"},
    {"logical_not", "logical not"},
    {"bitwise_and", "bitwise and"},
    {"bitwise_or", "bitwise or"},
    {"bitwise_not", "bitwise not"},
    {"linalg_vector_norm", "norm"},
    {"var_mean", "variance and mean"},
    {"searchsorted", "search sorted"},
    {"scalar_tensor", NULL},
    {"lift_fresh_copy", NULL},
    {"moe_forward_shared", "MoE forward"},
    {"moe_forward", "MoE forward"},
    {"scaled_dot_product_attention", "attention"},
    {"_scaled_dot_product_flash_attention_backward", "attention backward"},
    {"_scaled_dot_product_flash_attention", "attention"},
    {"_scaled_dot_product_efficient_attention_backward", "attention backward"},
    {"_scaled_dot_product_efficient_attention", "attention"},
    {"flex_attention_backward", "flex attention backward"},
    {"flex_attention", "flex attention"},
    {"all_reduce", "all-reduce"},
    {"all_gather_into_tensor", "all-gather"},
    {"reduce_scatter_tensor", "reduce-scatter"},
    {"wait_tensor", NULL},
    {"split_with_sizes", NULL},
    {"as_strided", NULL},
    {"_unsafe_view", NULL},
    {"_reshape_alias", NULL},
    {"view_as_complex", NULL},
    {"view_as_real", NULL},
    {"view", NULL},
    {"reshape", NULL},
    {"expand", NULL},
    {"unsqueeze", NULL},
    {"squeeze", NULL},
    {"permute", NULL},
    {"transpose", NULL},
    {"slice", NULL},
    {"select", NULL},
    {"split", NULL},
    {"unbind", NULL},
    {"alias", NULL},
    {"detach", NULL},
    {"t", NULL},
    {"clone", "copy"},
    {"relu", "ReLU"},
    {"gelu", "GELU"},
    {"silu", "SiLU"},
    {"elu", "ELU"},
};

struct list {
    struct tp_str items[MOST_OPERATIONS];
    size_t count;
    struct tp_str view; /* first operation that moves no data */
};

static void add_operation(struct list *list, struct tp_str operation)
{
    for (size_t i = 0; i < list->count; i++)
        if (tp_str_equal(list->items[i], operation))
            return;
    if (list->count < MOST_OPERATIONS)
        list->items[list->count++] = operation;
}

/* Returns the index of the longest operation of the table that `text` starts with, or -1. */
static ptrdiff_t longest_operation(struct tp_str text)
{
    ptrdiff_t best = -1;
    for (size_t i = 0; i < sizeof OPERATIONS / sizeof *OPERATIONS; i++) {
        size_t size = strlen(OPERATIONS[i].name);
        bool is_whole = text.len == size || (text.len > size && text.ptr[size] == '_');
        if (is_whole && tp_str_starts(text, OPERATIONS[i].name) && (best < 0 || size > strlen(OPERATIONS[best].name)))
            best = (ptrdiff_t)i;
    }
    return best;
}

/* Splits "_unsafe_view_mul_silu" into operations. */
static void split_operations(struct list *list, struct tp_str text)
{
    while (text.len) {
        ptrdiff_t known = longest_operation(text);
        const char *line = memchr(text.ptr, '_', text.len);
        size_t size = known >= 0 ? strlen(OPERATIONS[known].name) : line ? (size_t)(line - text.ptr) : text.len;
        struct tp_str word = tp_text_before(text, size);
        if (known >= 0 && !OPERATIONS[known].shown)
            list->view = list->view.len ? list->view : word;
        else if (size)
            add_operation(list, known >= 0 ? tp_str_of(OPERATIONS[known].shown) : word);
        text = tp_text_after(text, size < text.len ? size + 1 : size);
    }
    if (!list->count && list->view.len)
        list->items[list->count++] = tp_str_equal(list->view, TP_STR("t")) ? TP_STR("transpose") : list->view;
}

/* Removes the types of arguments at the end of names of older versions, such as "0d1d2d". */
static struct tp_str remove_argument_types(struct tp_str name)
{
    size_t size = 0;
    while (size < name.len && name.ptr[name.len - size - 1] != '_')
        size++;
    struct tp_str last = tp_text_after(name, name.len - size);
    bool is_types = size > 1 && size < name.len && tp_is_digit(last.ptr[0]) && memchr(last.ptr, 'd', size);
    for (size_t i = 0; i < size; i++)
        is_types &= tp_is_digit(last.ptr[i]) || memchr("cde", last.ptr[i], 3) != NULL;
    return is_types ? tp_text_before(name, name.len - size - 1) : name;
}

/* Removes the number at the end of "triton_poi_fused_add_3" and stores it as a detail. */
static struct tp_str remove_number(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str name)
{
    size_t digits = 0;
    while (digits < name.len && tp_is_digit(name.ptr[name.len - digits - 1]))
        digits++;
    if (!digits || digits == name.len || name.ptr[name.len - digits - 1] != '_')
        return name;
    meaning->details[TP_KERNEL_INSTANCE] =
        tp_text_printf(arena, "number %.*s", (int)digits, name.ptr + name.len - digits);
    return tp_text_before(name, name.len - digits - 1);
}

bool tp_kernel_triton_find(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str name)
{
    static const char *const KINDS[][2] = {{"triton_poi_fused_", "elementwise"},
                                           {"triton_red_fused_", "reduction"},
                                           {"triton_per_fused_", "persistent reduction"},
                                           {"triton_tem_fused_", "template"},
                                           {"triton_for_fused_", "foreach"},
                                           {"triton_unk_fused_", NULL},
                                           {"triton_fused_", NULL}};
    struct list list = {.count = 0};
    size_t kind = 0;
    while (kind < sizeof KINDS / sizeof *KINDS && !tp_str_starts(name, KINDS[kind][0]))
        kind++;
    for (size_t i = 0; i < name.len; i++)
        if (!tp_is_word_character(name.ptr[i]))
            return false;
    if (kind == sizeof KINDS / sizeof *KINDS)
        return false;
    name = remove_number(meaning, arena, remove_argument_types(name));
    if (name.len <= strlen(KINDS[kind][0]))
        return false;
    split_operations(&list, tp_text_after(name, strlen(KINDS[kind][0])));
    if (!list.count)
        return false;
    const char *text = "Triton: ";
    for (size_t i = 0; i < list.count && i < SHOWN_OPERATIONS; i++)
        text = tp_text_printf(arena, "%s%s%.*s", text, i ? ", " : "", (int)list.items[i].len, list.items[i].ptr);
    if (list.count > SHOWN_OPERATIONS)
        text = tp_text_printf(arena, "%s and %u more", text, (unsigned)(list.count - SHOWN_OPERATIONS));
    meaning->action = text;
    meaning->details[TP_KERNEL_VARIANT] = KINDS[kind][1];
    return true;
}
