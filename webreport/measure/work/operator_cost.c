/* Implements operator_cost.h: computes the costs of operators. */
#include "webreport/measure/work/operator_cost.h"

#include "webreport/trace/json/value.h"
#include "writer/base/saturate.h"
#include "writer/base/table.h"

struct tp_op_rule {
    const char *name, *family;
    bool (*cost)(struct tp_op_cost *cost, const struct tp_op_rule *rule, const struct tp_op_call *call);
    int first; /* for products and attention: index of the first operand; for other families: operations per element */
    /* for convolutions: indexes of arguments; dilation -1: always 1; transposed -1: never transposed */
    int stride, padding, dilation, transposed;
};

/* ---- formulas by family ---- */

static struct tp_shape input_shape(const struct tp_op_call *call, int index)
{
    return tp_shape_input(call->dims, (unsigned)index);
}

static int64_t multiply_if_known(int64_t a, int64_t b)
{
    return tp_sat_mul(a, b);
}

/* Broadcasts two shapes into `out`. Returns false if they do not match. */
static bool broadcast_shapes(struct tp_shape *out, const struct tp_shape *x, const struct tp_shape *y)
{
    const struct tp_shape *longer = x->rank >= y->rank ? x : y, *shorter = x->rank >= y->rank ? y : x;
    unsigned skipped = longer->rank - shorter->rank;
    *out = *longer;
    for (unsigned i = 0; i < shorter->rank; i++) {
        int64_t a = longer->sizes[skipped + i], b = shorter->sizes[i];
        if (a != b && a != 1 && b != 1)
            return false;
        out->sizes[skipped + i] = a == 1 ? b : a;
    }
    return true;
}

/* Returns the batch dimensions of a matrix product: all but the last two. */
static struct tp_shape batch_shape(const struct tp_shape *shape)
{
    struct tp_shape batch = *shape;
    batch.rank = shape->rank > 2 ? shape->rank - 2 : 0;
    return batch;
}

/* Computes the cost of a product [.., n, k] x [.., k, m]. A vector is a row if it is the left operand, and a column if
 * it is the right one. */
static bool set_product_cost(struct tp_op_cost *cost, const struct tp_op_rule *rule, const struct tp_op_call *call)
{
    struct tp_shape x = input_shape(call, rule->first), y = input_shape(call, rule->first + 1), *out = &cost->out;
    if (!x.is_known || !y.is_known || x.rank == 0 || y.rank == 0)
        return false;
    int64_t inner = x.sizes[x.rank - 1], rows = x.rank > 1 ? x.sizes[x.rank - 2] : 1;
    int64_t columns = y.rank > 1 ? y.sizes[y.rank - 1] : 1;
    struct tp_shape x_batch = batch_shape(&x), y_batch = batch_shape(&y);
    if (inner != y.sizes[y.rank > 1 ? y.rank - 2 : 0] || !broadcast_shapes(out, &x_batch, &y_batch) ||
        out->rank + 2 > TP_SHAPE_MAX_RANK)
        return false;
    cost->flops = multiply_if_known(multiply_if_known(2, tp_shape_product(out)),
                                    multiply_if_known(multiply_if_known(rows, inner), columns));
    out->is_known = true;
    if (x.rank > 1)
        out->sizes[out->rank++] = rows;
    if (y.rank > 1)
        out->sizes[out->rank++] = columns;
    return true;
}

/* Computes the cost of x [.., k] by a weight [m, k]. */
static bool set_linear_cost(struct tp_op_cost *cost, const struct tp_op_rule *rule, const struct tp_op_call *call)
{
    struct tp_shape x = input_shape(call, 0), weight = input_shape(call, 1);
    (void)rule;
    if (!x.is_known || weight.rank != 2 || x.rank == 0 || x.sizes[x.rank - 1] != weight.sizes[1])
        return false;
    cost->out = x;
    cost->out.sizes[x.rank - 1] = weight.sizes[0];
    cost->flops = multiply_if_known(multiply_if_known(2, tp_shape_product(&x)), weight.sizes[0]);
    return true;
}

/* Returns the number for dimension `index`. The list has one number for all dimensions, or one per dimension. */
static int64_t size_at_dimension(const struct tp_shape *list, unsigned index)
{
    return list->sizes[list->rank == 1 ? 0 : index];
}

static bool has_size_per_dimension(const struct tp_shape *list, unsigned dimensions)
{
    return list->is_known && (list->rank == 1 || list->rank == dimensions);
}

static bool is_json_true(struct tp_str concrete, int index)
{
    return index >= 0 && tp_str_equal(tp_shape_item(concrete, (unsigned)index), TP_STR("\"True\""));
}

static bool set_convolution_cost(struct tp_op_cost *cost, const struct tp_op_rule *rule, const struct tp_op_call *call)
{
    struct tp_shape x = input_shape(call, 0), weight = input_shape(call, 1), *out = &cost->out;
    struct tp_shape stride = tp_shape_argument(call->concrete, (unsigned)rule->stride),
                    padding = tp_shape_argument(call->concrete, (unsigned)rule->padding), dilation = {.rank = 0};
    if (rule->dilation >= 0)
        dilation = tp_shape_argument(call->concrete, (unsigned)rule->dilation);
    else
        dilation = (struct tp_shape){.sizes = {1}, .rank = 1, .is_known = true};
    if (!x.is_known || !weight.is_known || x.rank < 3 || x.rank != weight.rank ||
        is_json_true(call->concrete, rule->transposed))
        return false;
    unsigned dimensions = x.rank - 2;
    if (!has_size_per_dimension(&stride, dimensions) || !has_size_per_dimension(&padding, dimensions) ||
        !has_size_per_dimension(&dilation, dimensions))
        return false;
    *out = x;
    out->sizes[1] = weight.sizes[0];
    for (unsigned i = 0; i < dimensions; i++) {
        if (size_at_dimension(&stride, i) <= 0)
            return false;
        out->sizes[i + 2] = tp_shape_window_count(x.sizes[i + 2], weight.sizes[i + 2], size_at_dimension(&padding, i),
                                                  size_at_dimension(&dilation, i), size_at_dimension(&stride, i));
        if (out->sizes[i + 2] < 0)
            return false;
    }
    /* shape of the work per output element: input channels per group, and sizes of the kernel */
    struct tp_shape per_output = weight;
    per_output.sizes[0] = 1;
    cost->flops = multiply_if_known(multiply_if_known(2, tp_shape_product(out)), tp_shape_product(&per_output));
    return true;
}

/* Computes the cost of a convolution's backward operator. Its first argument is the gradient of the output, which has
 * the shape of the output. */
static bool set_convolution_backward_cost(struct tp_op_cost *cost, const struct tp_op_rule *rule,
                                          const struct tp_op_call *call)
{
    struct tp_shape gradient = input_shape(call, 0), weight = input_shape(call, 2);
    if (!gradient.is_known || !weight.is_known || gradient.rank < 3 || gradient.rank != weight.rank ||
        is_json_true(call->concrete, rule->transposed))
        return false;
    weight.sizes[0] = 1;
    cost->flops = multiply_if_known(multiply_if_known(4, tp_shape_product(&gradient)), tp_shape_product(&weight));
    return true; /* the output has no single shape, because it consists of several tensors */
}

/* Computes the cost of attention with queries [.., n, d], keys [.., m, d] and values [.., m, e]. */
static bool set_attention_cost(struct tp_op_cost *cost, int first, const struct tp_op_call *call)
{
    struct tp_shape q = input_shape(call, first), k = input_shape(call, first + 1), v = input_shape(call, first + 2);
    if (!q.is_known || !k.is_known || !v.is_known || q.rank < 3 || q.rank != k.rank || q.rank != v.rank ||
        q.sizes[q.rank - 1] != k.sizes[k.rank - 1] || k.sizes[k.rank - 2] != v.sizes[v.rank - 2])
        return false;
    int64_t sizes = tp_sat_add(q.sizes[q.rank - 1], v.sizes[v.rank - 1]);
    struct tp_shape batch = batch_shape(&q);
    cost->out = q;
    cost->out.sizes[q.rank - 1] = v.sizes[v.rank - 1];
    cost->flops = multiply_if_known(multiply_if_known(multiply_if_known(2, tp_shape_product(&batch)),
                                                      multiply_if_known(q.sizes[q.rank - 2], k.sizes[k.rank - 2])),
                                    sizes);
    return true;
}

static bool set_forward_attention_cost(struct tp_op_cost *cost, const struct tp_op_rule *rule,
                                       const struct tp_op_call *call)
{
    return set_attention_cost(cost, rule->first, call);
}

/* Computes the cost of attention's backward operator, which has five products; the forward operator has two. */
static bool set_backward_attention_cost(struct tp_op_cost *cost, const struct tp_op_rule *rule,
                                        const struct tp_op_call *call)
{
    if (!set_attention_cost(cost, rule->first, call))
        return false;
    cost->flops = multiply_if_known(cost->flops / 2, 5);
    cost->out.is_known = false;
    return true;
}

static bool set_elementwise_cost(struct tp_op_cost *cost, const struct tp_op_rule *rule, const struct tp_op_call *call)
{
    struct tp_shape x = input_shape(call, 0), y = input_shape(call, 1);
    if (!x.is_known)
        return false;
    cost->out = x;
    if (y.is_known && y.rank && !broadcast_shapes(&cost->out, &x, &y))
        return false;
    cost->flops = multiply_if_known(rule->first, tp_shape_product(&cost->out));
    return true;
}

/* Computes the cost of an operator whose output has the shape of its first input. */
static bool set_normalization_cost(struct tp_op_cost *cost, const struct tp_op_rule *rule,
                                   const struct tp_op_call *call)
{
    cost->out = input_shape(call, 0);
    cost->flops = multiply_if_known(rule->first, tp_shape_product(&cost->out));
    return cost->out.is_known && cost->out.rank > 0;
}

/* Computes the cost of an embedding: rows of a table [rows, d], selected by a tensor of row numbers. */
static bool set_embedding_cost(struct tp_op_cost *cost, const struct tp_op_rule *rule, const struct tp_op_call *call)
{
    struct tp_shape table = input_shape(call, 0);
    (void)rule;
    cost->out = input_shape(call, 1);
    if (!cost->out.is_known || table.rank != 2 || cost->out.rank == TP_SHAPE_MAX_RANK)
        return false;
    cost->out.sizes[cost->out.rank++] = table.sizes[1];
    return true;
}

/* ---- the list of rules ---- */

#define PRODUCT(name_, first_)                                                                                         \
    {                                                                                                                  \
        .name = "aten::" name_, .family = "matmul", .cost = set_product_cost, .first = (first_)                        \
    }
#define CONVOLUTION(name_, stride_, padding_, dilation_, transposed_)                                                  \
    {                                                                                                                  \
        .name = "aten::" name_, .family = "convolution", .cost = set_convolution_cost, .stride = (stride_),            \
        .padding = (padding_), .dilation = (dilation_), .transposed = (transposed_)                                    \
    }
#define ATTENTION(name_)                                                                                               \
    {                                                                                                                  \
        .name = "aten::" name_, .family = "attention", .cost = set_forward_attention_cost                              \
    }
#define ATTENTION_BACKWARD(name_)                                                                                      \
    {                                                                                                                  \
        .name = "aten::" name_, .family = "attention", .cost = set_backward_attention_cost, .first = 1                 \
    }
#define EACH(name_, count_)                                                                                            \
    {                                                                                                                  \
        .name = "aten::" name_, .family = "element-wise", .cost = set_elementwise_cost, .first = (count_)              \
    }
#define NORM(name_, count_)                                                                                            \
    {                                                                                                                  \
        .name = "aten::" name_, .family = "normalisation", .cost = set_normalization_cost, .first = (count_)           \
    }

static const struct tp_op_rule rules[] = {
    PRODUCT("mm", 0),
    PRODUCT("addmm", 1),
    PRODUCT("bmm", 0),
    PRODUCT("baddbmm", 1),
    PRODUCT("matmul", 0),
    PRODUCT("mv", 0),
    PRODUCT("addmv", 1),
    PRODUCT("dot", 0),
    PRODUCT("_scaled_mm", 0),
    {.name = "aten::linear", .family = "matmul", .cost = set_linear_cost},
    CONVOLUTION("conv1d", 3, 4, 5, -1),
    CONVOLUTION("conv2d", 3, 4, 5, -1),
    CONVOLUTION("conv3d", 3, 4, 5, -1),
    CONVOLUTION("convolution", 3, 4, 5, 6),
    CONVOLUTION("_convolution", 3, 4, 5, 6),
    CONVOLUTION("convolution_overrideable", 3, 4, 5, 6),
    CONVOLUTION("cudnn_convolution", 3, 2, 4, -1),
    CONVOLUTION("miopen_convolution", 4, 3, 5, -1),
    CONVOLUTION("mkldnn_convolution", 4, 3, 5, -1),
    CONVOLUTION("thnn_conv2d", 4, 5, -1, -1),
    CONVOLUTION("_slow_conv2d_forward", 4, 5, -1, -1),
    {.name = "aten::convolution_backward",
     .family = "convolution",
     .cost = set_convolution_backward_cost,
     .transposed = 7},
    ATTENTION("scaled_dot_product_attention"),
    ATTENTION("_scaled_dot_product_attention_math"),
    ATTENTION("_scaled_dot_product_flash_attention"),
    ATTENTION("_scaled_dot_product_flash_attention_for_cpu"),
    ATTENTION("_scaled_dot_product_efficient_attention"),
    ATTENTION("_scaled_dot_product_cudnn_attention"),
    ATTENTION_BACKWARD("_scaled_dot_product_flash_attention_backward"),
    ATTENTION_BACKWARD("_scaled_dot_product_flash_attention_for_cpu_backward"),
    ATTENTION_BACKWARD("_scaled_dot_product_efficient_attention_backward"),
    ATTENTION_BACKWARD("_scaled_dot_product_cudnn_attention_backward"),
    EACH("add", 1),
    EACH("add_", 1),
    EACH("sub", 1),
    EACH("sub_", 1),
    EACH("rsub", 1),
    EACH("mul", 1),
    EACH("mul_", 1),
    EACH("div", 1),
    EACH("div_", 1),
    EACH("neg", 1),
    EACH("abs", 1),
    EACH("pow", 1),
    EACH("sqrt", 1),
    EACH("rsqrt", 1),
    EACH("exp", 1),
    EACH("log", 1),
    EACH("sin", 1),
    EACH("cos", 1),
    EACH("tanh", 1),
    EACH("sigmoid", 1),
    EACH("relu", 1),
    EACH("relu_", 1),
    EACH("clamp_min", 1),
    EACH("clamp_min_", 1),
    EACH("gelu", 1),
    EACH("silu", 1),
    EACH("threshold_backward", 1),
    EACH("gelu_backward", 1),
    EACH("silu_backward", 1),
    EACH("tanh_backward", 1),
    EACH("sigmoid_backward", 1),
    EACH("copy_", 0),
    EACH("clone", 0),
    EACH("fill_", 0),
    EACH("zero_", 0),
    NORM("softmax", 5),
    NORM("_softmax", 5),
    NORM("log_softmax", 5),
    NORM("_log_softmax", 5),
    NORM("rms_norm", 4),
    NORM("_fused_rms_norm", 4),
    NORM("layer_norm", 8),
    NORM("native_layer_norm", 8),
    NORM("group_norm", 8),
    NORM("native_group_norm", 8),
    NORM("batch_norm", 8),
    NORM("native_batch_norm", 8),
    NORM("cudnn_batch_norm", 8),
    NORM("miopen_batch_norm", 8),
    {.name = "aten::embedding", .family = "embedding", .cost = set_embedding_cost},
};

const struct tp_op_rule *tp_op_rule_by_name(struct tp_str name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (tp_str_equal(name, tp_str_of(rules[i].name)))
            return &rules[i];
    return NULL;
}

const char *tp_op_rule_family(const struct tp_op_rule *rule)
{
    return rule->family;
}

/* ---- bytes ---- */

/* Returns the bytes per element of a type; 0 if the type is unknown or not a tensor type. */
static int64_t size_of_type(struct tp_str json)
{
    static const struct {
        const char *name;
        int64_t size;
    } types[] = {{"\"float\"", 4},
                 {"\"c10::Half\"", 2},
                 {"\"c10::BFloat16\"", 2},
                 {"\"double\"", 8},
                 {"\"long int\"", 8},
                 {"\"long\"", 8},
                 {"\"int\"", 4},
                 {"\"bool\"", 1},
                 {"\"unsigned char\"", 1},
                 {"\"signed char\"", 1},
                 {"\"short\"", 2},
                 {"\"short int\"", 2},
                 {"\"c10::complex<float>\"", 8},
                 {"\"c10::complex<double>\"", 16},
                 {"\"c10::Float8_e4m3fn\"", 1},
                 {"\"c10::Float8_e5m2\"", 1}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (tp_str_equal(json, tp_str_of(types[i].name)))
            return types[i].size;
    return 0;
}

/* Returns the bytes of all tensor arguments and of the output. Returns TP_NULL_INT if the type of the first argument is
 * unknown. */
static int64_t tensor_bytes(const struct tp_op_cost *cost, const struct tp_op_rule *rule, const struct tp_op_call *call)
{
    int64_t unit = size_of_type(tp_shape_item(call->types, 0)), bytes = 0;
    struct tp_str dims, type;
    size_t at = 0, type_at = 0;
    if (!unit)
        return TP_NULL_INT;
    for (unsigned i = 0;
         tp_value_next(call->dims, &at, NULL, &dims) && tp_value_next(call->types, &type_at, NULL, &type); i++) {
        struct tp_shape shape = tp_shape_input(call->dims, i);
        int64_t size = size_of_type(type);
        if (shape.is_known && size && !(rule->cost == set_embedding_cost && i == 0))
            bytes = tp_sat_add(bytes, multiply_if_known(size, tp_shape_product(&shape)));
    }
    if (cost->out.is_known)
        bytes = tp_sat_add(bytes, multiply_if_known(multiply_if_known(unit, tp_shape_product(&cost->out)),
                                                    rule->cost == set_embedding_cost ? 2 : 1));
    return bytes;
}

static bool has_negative(const struct tp_shape *shape)
{
    for (unsigned i = 0; i < shape->rank; i++)
        if (shape->sizes[i] < 0)
            return true;
    return false;
}

bool tp_op_cost(struct tp_op_cost *cost, const struct tp_op_rule *rule, const struct tp_op_call *call)
{
    *cost = (struct tp_op_cost){.bytes = TP_NULL_INT};
    for (int i = 0; i < 4; i++) {
        struct tp_shape shape = input_shape(call, i);
        if (has_negative(&shape))
            return false;
    }
    if (!rule->cost(cost, rule, call))
        return false;
    cost->bytes = tensor_bytes(cost, rule, call);
    return true;
}
