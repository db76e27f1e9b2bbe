/* Computes the costs of matrix products, convolutions and attention. Implements a part of cost_call.h. */
#include <string.h>

#include "webreport/measure/work/cost_call.h"
#include "writer/base/saturate.h"

static int64_t multiply_if_known(int64_t a, int64_t b)
{
    return tp_sat_mul(a, b);
}

static int64_t size_from_end(const struct tp_shape *shape, unsigned from_end)
{
    return shape->sizes[shape->rank - from_end];
}

static bool set_product(struct tp_cost *cost, const struct tp_cost_arguments *a, int x, int64_t outputs, int64_t inner,
                        int64_t bytes)
{
    int64_t flops = multiply_if_known(2, multiply_if_known(outputs, inner));
    return flops < INT64_MAX && tp_cost_set(cost, flops, bytes, tp_cost_number_type(a, x));
}

/* ---- matrices ---- */

struct product {
    int8_t x, y, bias; /* indexes of arguments; bias: -1 for products without bias */
    int8_t out_size;   /* bytes per element of the result; 0 if the result has the type of x */
};

/* Computes the cost of a matrix product [..,M,K] by [..,K,N]. */
static bool set_matrix_product_cost(struct tp_cost *cost, const struct tp_cost_arguments *a, const struct product *p)
{
    const struct tp_shape *left = tp_cost_tensor_shape(a, p->x), *right = tp_cost_tensor_shape(a, p->y);
    if (!left || !right || left->rank == TP_SHAPE_MAX_RANK || right->rank == TP_SHAPE_MAX_RANK)
        return false;
    struct tp_shape x = *left, y = *right, batch = {.rank = 0};
    if (x.rank == 1)
        x = (struct tp_shape){.sizes = {1, x.sizes[0]}, .rank = 2};
    if (y.rank == 1)
        y.sizes[y.rank++] = 1;
    int64_t m = size_from_end(&x, 2), k = size_from_end(&x, 1), n = size_from_end(&y, 1);
    if (k != size_from_end(&y, 2))
        return false;
    x.rank -= 2;
    y.rank -= 2;
    tp_cost_broadcast(&batch, &x);
    tp_cost_broadcast(&batch, &y);
    int64_t outputs = multiply_if_known(tp_cost_size_product(&batch, 0), multiply_if_known(m, n));
    int64_t size = p->out_size ? p->out_size : tp_cost_element_bytes(a, p->x);
    int64_t bytes = tp_sat_add(tp_sat_add(tp_cost_tensor_bytes(a, p->x), tp_cost_tensor_bytes(a, p->y)),
                               multiply_if_known(outputs, size));
    bool is_claimed = set_product(cost, a, p->x, outputs, k, tp_sat_add(bytes, tp_cost_tensor_bytes(a, p->bias)));
    cost->weight_bytes = is_claimed && right->rank == 2 ? tp_cost_tensor_bytes(a, p->y) : 0;
    return is_claimed;
}

/* Computes the cost of a product x [..,K] by w [N,K]. */
static bool set_linear_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    const struct tp_shape *x = tp_cost_tensor_shape(a, 0), *w = tp_cost_tensor_shape(a, 1);
    if (!x || !w || w->rank != 2 || size_from_end(x, 1) != w->sizes[1])
        return false;
    struct tp_shape rows = *x;
    rows.rank--;
    int64_t outputs = multiply_if_known(tp_cost_size_product(&rows, 0), w->sizes[0]);
    int64_t bytes = tp_sat_add(tp_sat_add(tp_cost_tensor_bytes(a, 0), tp_cost_tensor_bytes(a, 1)),
                               multiply_if_known(outputs, tp_cost_element_bytes(a, 0)));
    bool is_claimed = set_product(cost, a, 0, outputs, w->sizes[1], bytes);
    cost->weight_bytes = is_claimed ? tp_cost_tensor_bytes(a, 1) : 0;
    return is_claimed;
}

bool tp_cost_of_linear_form(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    return set_linear_cost(cost, a) || set_matrix_product_cost(cost, a, &(struct product){0, 1, -1, 0});
}

static bool set_vector_product_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    const struct tp_shape *x = tp_cost_tensor_shape(a, 0);
    return x &&
           tp_cost_set(cost, multiply_if_known(2, tp_cost_size_product(x, 0)),
                       tp_sat_add(tp_cost_tensor_bytes(a, 0), tp_cost_tensor_bytes(a, 1)), tp_cost_number_type(a, 0));
}

/* Computes the cost of a product in which each group of rows has a separate matrix. The lengths of the groups are not
 * recorded, and the cost does not depend on them. */
static bool set_grouped_product_cost(struct tp_cost *cost, const struct tp_cost_arguments *a)
{
    const struct tp_shape *x = tp_cost_tensor_shape(a, 0), *y = tp_cost_tensor_shape(a, 1);
    int64_t outputs, inner, results;
    if (!x || !y)
        return false;
    if (x->rank == 2 && y->rank == 3) {
        outputs = results = multiply_if_known(x->sizes[0], y->sizes[2]);
        inner = x->sizes[1];
    } else if (x->rank == 3 && y->rank == 2) {
        outputs = results = multiply_if_known(x->sizes[1], y->sizes[1]);
        inner = x->sizes[2];
    } else if (x->rank == 3) {
        return set_matrix_product_cost(cost, a, &(struct product){0, 1, -1, 0});
    } else if (x->rank >= 2 && y->rank >= 2) {
        outputs = multiply_if_known(x->sizes[0], y->sizes[1]);
        inner = x->sizes[1];
        results = 0; /* unknown size: the number of matrices in the result is not recorded */
    } else {
        return false;
    }
    int64_t bytes =
        tp_sat_add(tp_sat_add(tp_cost_tensor_bytes(a, 0), tp_cost_tensor_bytes(a, 1)), multiply_if_known(results, 2));
    return set_product(cost, a, 0, outputs, inner, bytes);
}

/* ---- convolutions ---- */

struct convolution {
    /* indexes of arguments; -1 if the operator lacks the argument */
    int8_t stride, padding, dilation, is_transposed, groups, out_padding;
    bool is_always_transposed, may_lack_dilation;
};

/* Copies a single number to all dimensions. Returns false if there are several numbers, but fewer numbers than
 * dimensions. */
static bool repeat_single_number(struct tp_shape *numbers, unsigned dimensions)
{
    for (; numbers->rank == 1 && dimensions > 1; dimensions--)
        numbers->sizes[dimensions - 1] = numbers->sizes[0];
    return numbers->rank == 1 || numbers->rank >= dimensions;
}

/* Returns whether argument i exists but is not a list of numbers. */
static bool is_argument_other_than_list(const struct tp_cost_arguments *a, int i)
{
    return tp_cost_is_true(a, i) && !tp_cost_integer_list(a, i).is_known;
}

/* Computes the sizes of a convolution's result. Returns 1 if the sizes are known, 0 if they are not recorded, and -1 if
 * the arguments are impossible. */
static int find_result_shape(const struct tp_cost_arguments *a, const struct convolution *form, bool is_transposed,
                             struct tp_shape *out)
{
    const struct tp_shape *x = tp_cost_tensor_shape(a, 0), *w = tp_cost_tensor_shape(a, 1);
    struct tp_shape stride = tp_cost_integer_list(a, form->stride), padding = tp_cost_integer_list(a, form->padding),
                    dilation = tp_cost_integer_list(a, form->dilation),
                    more = tp_cost_integer_list(a, form->out_padding);
    unsigned dimensions = x->rank - 2;
    if (form->may_lack_dilation && !tp_cost_is_true(a, form->dilation))
        dilation = (struct tp_shape){.sizes = {1}, .rank = 1, .is_known = true};
    bool has_dilation = form->may_lack_dilation || tp_cost_is_true(a, form->dilation);
    if (!tp_cost_is_true(a, form->stride) || !tp_cost_is_true(a, form->padding) || !has_dilation) {
        if (!a->hint || !a->hint->out.is_known || a->hint->out.rank != x->rank)
            return 0;
        out->rank = dimensions;
        memcpy(out->sizes, a->hint->out.sizes + 2, dimensions * sizeof *out->sizes);
        return 1;
    }
    if (!stride.is_known || !padding.is_known || !dilation.is_known ||
        is_argument_other_than_list(a, form->out_padding))
        return -1;
    if (!more.is_known)
        more = (struct tp_shape){.sizes = {0}, .rank = 1};
    if (!repeat_single_number(&stride, dimensions) || !repeat_single_number(&padding, dimensions) ||
        !repeat_single_number(&dilation, dimensions) || !repeat_single_number(&more, dimensions))
        return -1;
    out->rank = dimensions;
    for (unsigned i = 0; i < dimensions; i++) {
        int64_t in = x->sizes[2 + i], kernel = w->sizes[2 + i];
        if (stride.sizes[i] == 0 && !is_transposed)
            return -1;
        out->sizes[i] =
            is_transposed
                ? tp_sat_add(
                      tp_sat_sub(multiply_if_known(in - 1, stride.sizes[i]), multiply_if_known(2, padding.sizes[i])),
                      tp_sat_add(multiply_if_known(dilation.sizes[i], kernel - 1), tp_sat_add(more.sizes[i], 1)))
                : tp_shape_window_count(in, kernel, padding.sizes[i], dilation.sizes[i], stride.sizes[i]);
    }
    return 1;
}

static bool set_convolution_cost(struct tp_cost *cost, const struct tp_cost_arguments *a,
                                 const struct convolution *form)
{
    const struct tp_shape *x = tp_cost_tensor_shape(a, 0), *w = tp_cost_tensor_shape(a, 1);
    struct tp_shape out = {.rank = 0};
    if (!x || !w || x->rank != w->rank || x->rank < 2)
        return false;
    bool is_transposed = form->is_always_transposed || tp_cost_is_true(a, form->is_transposed);
    if (find_result_shape(a, form, is_transposed, &out) <= 0 || !out.rank)
        return false;
    int64_t groups = tp_cost_integer(a, form->groups, 0);
    if (is_transposed && groups == 0 && tp_cost_is_true(a, form->groups))
        return false; /* the argument must be a number, but is a list or a text */
    int64_t channels = is_transposed ? multiply_if_known(w->sizes[1], groups ? groups : 1) : w->sizes[0];
    int64_t places = is_transposed ? tp_cost_size_product(x, 2) : tp_cost_size_product(&out, 0);
    int64_t results = multiply_if_known(multiply_if_known(x->sizes[0], channels), tp_cost_size_product(&out, 0));
    int64_t bytes = tp_sat_add(tp_sat_add(tp_cost_tensor_bytes(a, 0), tp_cost_tensor_bytes(a, 1)),
                               multiply_if_known(results, tp_cost_element_bytes(a, 0)));
    return set_product(cost, a, 0, multiply_if_known(x->sizes[0], places), tp_cost_size_product(w, 0), bytes);
}

struct backward {
    int8_t gradient, input, weight; /* indexes of arguments; -1 if the operator lacks the argument */
    int8_t mask, is_transposed;
    bool of_input, of_weight; /* gradients that the operator computes if it has no mask argument */
};

static bool set_convolution_backward_cost(struct tp_cost *cost, const struct tp_cost_arguments *a,
                                          const struct backward *form)
{
    const struct tp_shape *g = tp_cost_tensor_shape(a, form->gradient), *x = tp_cost_tensor_shape(a, form->input),
                          *w = tp_cost_tensor_shape(a, form->weight);
    bool is_half = form->input < 0 || form->weight < 0; /* the operator computes only one of the gradients */
    const struct tp_shape *hinted = is_half && a->hint && a->hint->input.is_known ? &a->hint->input : NULL;
    bool mask[2] = {form->of_input, form->of_weight};
    if (form->weight < 0 && a->hint && a->hint->weight.is_known)
        w = &a->hint->weight;
    if (!g || !w || (tp_cost_is_true(a, form->mask) && !tp_cost_read_mask(a, form->mask, mask)))
        return false;
    if (form->mask >= 0)
        tp_cost_read_mask(a, form->mask, mask);
    unsigned parts = mask[0] + mask[1];
    bool is_transposed = tp_cost_is_true(a, form->is_transposed) && x;
    int64_t places = is_transposed ? tp_cost_size_product(x, 2) : tp_cost_size_product(g, 2);
    int64_t inputs = x ? tp_cost_size_product(x, 0) : hinted ? tp_cost_size_product(hinted, 0) : 0;
    int64_t size = tp_cost_element_bytes(a, form->gradient), weights = tp_cost_size_product(w, 0);
    int64_t bytes = tp_sat_add(tp_cost_tensor_bytes(a, form->gradient),
                               multiply_if_known(multiply_if_known(tp_sat_add(weights, inputs), size), parts));
    return set_product(cost, a, form->gradient, multiply_if_known(g->sizes[0], places),
                       multiply_if_known(weights, parts), bytes);
}

/* ---- attention ---- */

struct attention {
    int8_t q;          /* argument index of the query; key and value follow */
    int8_t causal;     /* index of the flag for a causal mask; -1: no mask; -2: any argument that is True */
    bool is_mask_type; /* the argument `causal` is a type of mask, with 1 for causal */
    bool has_heads_first, is_backward;
    int8_t lengths; /* index of an argument that exists only in calls with packed sequences; -1: no such argument */
};

static struct tp_shape add_batch_dimension(const struct tp_shape *shape, bool is_three)
{
    struct tp_shape four = *shape;
    if (is_three && shape->rank < TP_SHAPE_MAX_RANK) {
        memmove(four.sizes + 1, four.sizes, shape->rank * sizeof *four.sizes);
        four.sizes[0] = 1;
        four.rank++;
    }
    return four;
}

static bool is_causal(const struct tp_cost_arguments *a, const struct attention *form)
{
    bool is_any = false;
    if (form->causal == -2)
        for (unsigned i = 0; i < TP_COST_ARGUMENTS && !is_any; i++)
            is_any = tp_cost_is_text_true(a, i);
    if (form->causal < 0)
        return is_any;
    return form->is_mask_type ? tp_cost_integer(a, form->causal, 0) == 1 : tp_cost_is_true(a, form->causal);
}

/* Fills flops_without_masked: subtracts the operations that a causal mask omits: those between a query and later
 * keys. */
static bool subtract_masked_work(struct tp_cost *cost, int64_t queries, int64_t keys)
{
    double all = (double)queries * (double)keys;
    double left = all - (double)queries * (double)(queries - 1) / 2;
    if (queries == 0 || keys == 0)
        return false;
    cost->flops_without_masked = keys >= queries ? (int64_t)((double)cost->flops * left / all) : cost->flops / 2;
    return true;
}

static bool set_attention_cost(struct tp_cost *cost, const struct tp_cost_arguments *a, const struct attention *form,
                               bool causal)
{
    const struct tp_shape *query = tp_cost_tensor_shape(a, form->q), *key = tp_cost_tensor_shape(a, form->q + 1),
                          *value = tp_cost_tensor_shape(a, form->q + 2);
    bool is_backward = form->is_backward;
    if (!query || !key || !value || query->rank < 3)
        return false;
    struct tp_shape q = add_batch_dimension(query, query->rank == 3), k = add_batch_dimension(key, query->rank == 3),
                    v = add_batch_dimension(value, query->rank == 3);
    unsigned length_at = form->has_heads_first ? 2 : 3;
    if (k.rank < length_at)
        return false;
    int64_t queries = size_from_end(&q, length_at), keys = size_from_end(&k, length_at), size = size_from_end(&q, 1),
            value_size = size_from_end(&v, 1);
    q.rank--; /* removes the last dimension, so that only batch, heads and queries remain */
    int64_t outer = tp_cost_size_product(&q, 0);
    int64_t inner =
        is_backward ? multiply_if_known(3, size) + multiply_if_known(2, value_size) : tp_sat_add(size, value_size);
    int64_t of_result = multiply_if_known(multiply_if_known(outer, value_size), tp_cost_element_bytes(a, form->q));
    int64_t of_others = tp_sat_add(tp_cost_tensor_bytes(a, form->q + 1), tp_cost_tensor_bytes(a, form->q + 2));
    int64_t bytes = tp_sat_add(multiply_if_known(tp_cost_tensor_bytes(a, form->q), is_backward ? 3 : 1),
                               multiply_if_known(tp_sat_add(of_others, of_result), is_backward ? 2 : 1));
    bool is_claimed = set_product(cost, a, form->q, multiply_if_known(outer, keys), inner, bytes);
    return is_claimed && (!causal || subtract_masked_work(cost, queries, keys));
}

bool tp_cost_of_attention_form(struct tp_cost *cost, const struct tp_cost_arguments *a, bool causal)
{
    return set_attention_cost(cost, a, &(struct attention){.q = 0, .causal = -1, .lengths = -1}, causal);
}

/* Computes the cost of attention over packed sequences. Only the bytes are known, because the lengths of the sequences
 * are not recorded. */
static bool set_packed_attention_cost(struct tp_cost *cost, const struct tp_cost_arguments *a,
                                      const struct attention *form)
{
    int64_t bytes = tp_sat_add(multiply_if_known(tp_cost_tensor_bytes(a, form->q), 2),
                               tp_sat_add(tp_cost_tensor_bytes(a, form->q + 1), tp_cost_tensor_bytes(a, form->q + 2)));
    return tp_cost_set(cost, 0, multiply_if_known(bytes, form->is_backward ? 2 : 1), tp_cost_number_type(a, form->q));
}

/* ---- names ---- */

static const struct {
    const char *names; /* operator names separated by blanks */
    struct product form;
} PRODUCTS[] = {
    {"mm bmm mv", {0, 1, -1, 0}},
    {"addmm _addmm_activation sparse_sampled_addmm addmv baddbmm addbmm", {1, 2, 0, 0}},
    {"_scaled_mm _scaled_mm_v2", {0, 1, -1, 2}},
    {"_int_mm", {0, 1, -1, 4}},
};
static const struct {
    const char *names;
    struct convolution form;
} CONVOLUTIONS[] = {
    {"convolution _convolution convolution_overrideable", {3, 4, 5, 6, 8, 7, false, false}},
    {"cudnn_convolution", {3, 2, 4, -1, 5, -1, false, false}},
    {"miopen_convolution mkldnn_convolution miopen_depthwise_convolution", {4, 3, 5, -1, 6, -1, false, false}},
    {"cudnn_convolution_relu miopen_convolution_relu", {3, 4, 5, -1, 6, -1, false, false}},
    {"cudnn_convolution_transpose", {4, 2, 5, -1, 6, 3, true, false}},
    {"slow_conv2d_forward _slow_conv2d_forward thnn_conv2d _conv_depthwise2d conv_depthwise3d slow_conv3d_forward",
     {4, 5, 6, -1, -1, -1, false, true}},
};
static const struct {
    const char *names;
    struct backward form;
} BACKWARDS[] = {
    {"convolution_backward", {0, 1, 2, 10, 7, true, true}},
    {"convolution_backward_overrideable", {0, 1, 2, 9, 6, true, true}},
    {"cudnn_convolution_backward miopen_convolution_backward mkldnn_convolution_backward",
     {1, 0, 2, -1, -1, true, true}},
    {"cudnn_convolution_backward_weight miopen_convolution_backward_weight", {1, 2, -1, -1, -1, false, true}},
    {"cudnn_convolution_backward_input miopen_convolution_backward_input", {1, -1, 2, -1, -1, true, false}},
};
static const struct {
    const char *names;
    struct attention form;
} ATTENTIONS[] = {
    {"_scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_for_cpu", {0, 4, false, true, false, -1}},
    {"_scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention", {0, 6, false, true, false, -1}},
    {"_scaled_dot_product_fused_attention_overrideable", {0, 5, false, true, false, -1}},
    {"_flash_attention_forward", {0, 8, false, false, false, 3}},
    {"_efficient_attention_forward", {0, 9, true, false, false, -1}},
    {"_cudnn_attention_forward", {0, 9, false, true, false, -1}},
    {"_flash_attention_backward", {1, 11, false, false, true, 6}},
    {"_efficient_attention_backward", {1, 12, true, false, true, -1}},
};
/* argument indexes for all other operators whose names begin with _scaled_dot_product */
static const struct attention FORWARD = {0, -1, false, true, false, -1}, BACKWARD = {1, -2, false, true, true, -1};

bool tp_cost_is_listed_name(struct tp_str name, const char *names)
{
    while (*names) {
        size_t length = 0; /* compares characters, because a library call would cost more for such short words */
        while (names[length] && names[length] != ' ')
            length++;
        if (length == name.len && memcmp(names, name.ptr, length) == 0)
            return true;
        names += length + (names[length] == ' ');
    }
    return false;
}

static int attention_cost_by_name(struct tp_cost *cost, struct tp_str name, const struct tp_cost_arguments *a)
{
    for (size_t i = 0; i < sizeof ATTENTIONS / sizeof *ATTENTIONS; i++) {
        const struct attention *form = &ATTENTIONS[i].form;
        if (!tp_cost_is_listed_name(name, ATTENTIONS[i].names))
            continue;
        return form->lengths >= 0 && tp_cost_tensor_shape(a, form->lengths)
                   ? set_packed_attention_cost(cost, a, form)
                   : set_attention_cost(cost, a, form, is_causal(a, form));
    }
    if (!tp_str_starts(name, "_scaled_dot_product"))
        return -1;
    if (tp_str_find(name, "_backward") >= 0)
        return set_attention_cost(cost, a, &BACKWARD, is_causal(a, &BACKWARD));
    if (tp_cost_is_listed_name(name, "_scaled_dot_product_attention_math") ||
        tp_str_find(name, "fused_attention_math") >= 0)
        return 0; /* no cost, because the operators that this operator calls have the cost */
    return set_attention_cost(cost, a, &FORWARD, false);
}

int tp_cost_of_product(struct tp_cost *cost, struct tp_str name, const struct tp_cost_arguments *a)
{
    for (size_t i = 0; i < sizeof PRODUCTS / sizeof *PRODUCTS; i++)
        if (tp_cost_is_listed_name(name, PRODUCTS[i].names))
            return set_matrix_product_cost(cost, a, &PRODUCTS[i].form);
    for (size_t i = 0; i < sizeof CONVOLUTIONS / sizeof *CONVOLUTIONS; i++)
        if (tp_cost_is_listed_name(name, CONVOLUTIONS[i].names))
            return set_convolution_cost(cost, a, &CONVOLUTIONS[i].form);
    for (size_t i = 0; i < sizeof BACKWARDS / sizeof *BACKWARDS; i++)
        if (tp_cost_is_listed_name(name, BACKWARDS[i].names))
            return set_convolution_backward_cost(cost, a, &BACKWARDS[i].form);
    if (tp_cost_is_listed_name(name, "dot vdot"))
        return set_vector_product_cost(cost, a);
    if (tp_cost_is_listed_name(name, "_grouped_mm _scaled_grouped_mm _scaled_grouped_mm_v2"))
        return set_grouped_product_cost(cost, a);
    if (tp_cost_is_listed_name(name, "mkldnn_linear _mkl_linear"))
        return set_linear_cost(cost, a);
    if (tp_cost_is_listed_name(name, "mkldnn_rnn_layer conv1d conv2d conv3d") || tp_str_starts(name, "_cudnn_rnn"))
        return 0; /* recurrent layers have no formula; the convolution that convN calls has the cost of convN */
    return attention_cost_by_name(cost, name, a);
}
