/* Determines whether a repeated sequence is a loop or the layers of one call: see loop_body.h. Uses the names and
 * shapes of the items of the main thread. */
#include "webreport/model/loop_body.h"

#include "webreport/model/operator_shapes.h"
#include "webreport/trace/json/value.h"

static struct tp_str name_of_loop_item(const struct tp_model *model, const struct tp_loop_item *item)
{
    return item->name == tp_loop_backward_name(model) ? TP_STR("") : model->trace->names.items[item->name];
}

static uint64_t item_marks(const struct tp_model *model, const struct tp_loop_item *item)
{
    return item->name == tp_loop_backward_name(model) ? 0 : model->marks[item->name];
}

bool tp_loop_has_two_operators(const struct tp_loop_body *body)
{
    for (uint32_t k = 1; k < body->length; k++)
        if (body->items[body->first + k].name != body->items[body->first].name)
            return true;
    return false;
}

/* ---- decision by names ---- */

/* Returns true for operators of the first or last layer of a network. Operators of the first layer look up indexes.
 * Operators of the last layer compute a loss or choose an element. */
static bool is_first_or_last_layer(struct tp_str name)
{
    static const char *const ends[] = {"aten::argmax",
                                       "aten::argmin",
                                       "aten::embedding",
                                       "aten::embedding_bag",
                                       "aten::multinomial",
                                       "aten::topk",
                                       NULL};
    return tp_str_is_one_of(name, ends) || (tp_str_starts(name, "aten::") && tp_str_ends(name, "_loss"));
}

static bool is_convolution(struct tp_str name)
{
    static const char *const convolutions[] = {"aten::conv1d", "aten::conv2d", "aten::conv3d", "aten::convolution",
                                               NULL};
    return tp_str_is_one_of(name, convolutions);
}

static bool is_product_operator(struct tp_str name)
{
    static const char *const products[] = {"aten::addmm", "aten::linear", "aten::matmul", "aten::mm", NULL};
    return tp_str_is_one_of(name, products);
}

static bool is_view_operator(struct tp_str name)
{
    static const char *const views[] = {"aten::expand",
                                        "aten::index",
                                        "aten::movedim",
                                        "aten::permute",
                                        "aten::reshape",
                                        "aten::transpose",
                                        "aten::unflatten",
                                        "aten::unsqueeze",
                                        "aten::view",
                                        "aten::view_as",
                                        NULL};
    return tp_str_is_one_of(name, views);
}

/* Returns true if an iteration ends with vectors but starts with images or other tensors. Such an iteration flattens
 * tensors and has no view that turns vectors into images. In a network with convolutions, only the items after the last
 * convolution are examined. After the last convolution, a mean followed by a matrix product is treated as
 * flattening. */
static bool is_flattened_to_vectors(const struct tp_model *model, const struct tp_loop_body *body)
{
    bool has_images = false, has_view = false, has_mean = false, has_flatten = false, has_vector = false;
    for (uint32_t k = 0; k < body->length; k++) {
        struct tp_str name = name_of_loop_item(model, &body->items[body->first + k]);
        has_images |= is_convolution(name);
        has_view |= is_view_operator(name);
        if (is_convolution(name) || is_view_operator(name))
            has_mean = has_flatten = has_vector = false;
        has_mean |= tp_str_equal(name, TP_STR("aten::mean"));
        has_flatten |= tp_str_equal(name, TP_STR("aten::flatten"));
        has_vector |= has_mean && is_product_operator(name);
    }
    return has_images ? has_flatten || has_vector : has_flatten && !has_view;
}

/* Returns true if an operator makes the same values in each call. A layer may make such constants for a mask or a
 * buffer. */
static bool is_constant_maker(struct tp_str name)
{
    static const char *const makers[] = {"aten::arange",     "aten::eye",  "aten::full",      "aten::full_like",
                                         "aten::linspace",   "aten::ones", "aten::ones_like", "aten::zeros",
                                         "aten::zeros_like", NULL};
    return tp_str_is_one_of(name, makers);
}

/* Returns true if names of operators show that each iteration starts from new data. Operators that make tensors show
 * this. An exception is an iteration with exactly one attention, because its layer makes masks and positions.
 * is_chained: true if the shapes suggest that an iteration uses the output of the previous iteration. */
static bool is_independent_by_names(const struct tp_model *model, const struct tp_loop_body *body, bool is_chained)
{
    bool is_making = false;
    uint32_t attentions = 0;
    for (uint32_t k = 0; k < body->length; k++) {
        const struct tp_loop_item *item = &body->items[body->first + k];
        struct tp_str name = name_of_loop_item(model, item);
        uint64_t marks = item_marks(model, item);
        if (item->name == tp_loop_backward_name(model) || marks & TP_MARK_LOADER || is_first_or_last_layer(name))
            return true;
        is_making |=
            marks & TP_MARK_SCALAR_OP || (marks & TP_MARK_MAKES_TENSOR && !tp_str_starts(name, "aten::detach") &&
                                          !(is_chained && is_constant_maker(name)));
        attentions += tp_str_find(name, "attention") >= 0 || tp_str_find(name, "softmax") >= 0;
    }
    return (is_making && attentions != 1) || is_flattened_to_vectors(model, body);
}

/* ---- decision by shapes ---- */

static struct tp_str item_dims(const struct tp_model *model, const struct tp_loop_item *item)
{
    const struct tp_event *e = &model->trace->events[item->event];
    if (e->kind != TP_KIND_OPERATOR || e->detail == TP_NO_ID || e->flags & TP_EVENT_OLD_DIMS ||
        model->trace->hosts[e->detail].dims == TP_NO_ID)
        return TP_STR("");
    return tp_strings_get(&model->trace->values, model->trace->hosts[e->detail].dims);
}

static bool is_same_shape(const struct tp_shape *a, const struct tp_shape *b)
{
    return a->is_known && b->is_known && a->rank == b->rank && !memcmp(a->sizes, b->sizes, a->rank * sizeof *a->sizes);
}

static bool has_input_of_shape(struct tp_str dims, const struct tp_shape *shape)
{
    struct tp_str item;
    for (size_t at = 0; tp_value_next(dims, &at, NULL, &item);) {
        struct tp_shape input = tp_shape_parse(item);
        if (is_same_shape(&input, shape))
            return true;
    }
    return false;
}

/* Returns true if the output of the operator always has the shape of its first input. */
static bool does_operator_keep_shape(struct tp_str name)
{
    static const char *const keepers[] = {"aten::batch_norm",  "aten::clamp",
                                          "aten::dropout",     "aten::elu",
                                          "aten::exp",         "aten::gelu",
                                          "aten::hardswish",   "aten::hardtanh",
                                          "aten::layer_norm",  "aten::leaky_relu",
                                          "aten::log_softmax", "aten::mish",
                                          "aten::relu",        "aten::relu6",
                                          "aten::relu_",       "aten::rms_norm",
                                          "aten::selu",        "aten::sigmoid",
                                          "aten::sigmoid_",    "aten::silu",
                                          "aten::silu_",       "aten::softmax",
                                          "aten::softplus",    "aten::tanh",
                                          "aten::tanh_",       NULL};
    return tp_str_is_one_of(name, keepers);
}

/* Returns true if the operator reduces a whole tensor to one number. Such a call has no argument for dimensions. */
static bool reduces_to_scalar(struct tp_str name, struct tp_str dims)
{
    static const char *const reductions[] = {"aten::mean", "aten::sum", NULL};
    return tp_str_is_one_of(name, reductions) && !tp_shape_item(dims, 2).len;
}

/* Returns the shape of the output of an operator call; the shape is unknown for most operators. dims: "Input Dims" of
 * the call. */
static struct tp_shape output_shape(struct tp_str name, struct tp_str dims)
{
    struct tp_shape x = tp_shape_input(dims, 0), w = tp_shape_input(dims, 1);
    if (does_operator_keep_shape(name))
        return x;
    if (reduces_to_scalar(name, dims)) {
        x.rank = 0;
        return x;
    }
    if (tp_str_equal(name, TP_STR("aten::addmm"))) {
        x = w;
        w = tp_shape_input(dims, 2);
    }
    bool is_linear = tp_str_equal(name, TP_STR("aten::linear"));
    x.is_known = x.is_known && w.is_known && is_product_operator(name) && x.rank >= 1 && w.rank == 2;
    if (x.is_known)
        x.sizes[x.rank - 1] = w.sizes[is_linear ? 0 : 1];
    return x;
}

/* Returns true if the iteration from item `next` to item `end` cannot use the output of the item before `next`. This is
 * known if the output is a single number, or if no operator of the iteration has an input with the output's shape.
 * Ignores operators at the end of the iteration that keep the shape, because their input comes from the same
 * iteration. */
static bool ignores_previous_iteration(const struct tp_model *model, const struct tp_loop_body *body, uint32_t next,
                                       uint32_t end)
{
    const struct tp_loop_item *last = &body->items[next - 1];
    struct tp_shape output = output_shape(name_of_loop_item(model, last), item_dims(model, last));
    if (!output.is_known || !output.rank)
        return output.is_known;
    while (end > next + 1 && does_operator_keep_shape(name_of_loop_item(model, &body->items[end - 1])))
        end--;
    for (uint32_t k = next; k < end; k++) {
        struct tp_str dims = item_dims(model, &body->items[k]);
        if (!dims.len || has_input_of_shape(dims, &output))
            return false;
    }
    return true;
}

/* Returns true if a concatenation follows the iterations. The iterations may then be branches of one call, and the
 * concatenation joins their outputs. */
static bool is_followed_by_concatenation(const struct tp_model *model, const struct tp_loop_body *body)
{
    for (uint32_t k = body->end; k < body->item_count; k++) {
        struct tp_str name = name_of_loop_item(model, &body->items[k]);
        if (tp_str_equal(name, TP_STR("aten::cat")) || tp_str_equal(name, TP_STR("aten::stack")))
            return true;
    }
    return false;
}

/* Returns the index after the last item of iteration i. */
static uint32_t iteration_end(const struct tp_loop_body *body, uint32_t i)
{
    return i + 1 < body->count ? body->start[i + 1] - body->shift : body->end;
}

static bool is_independent_by_shapes(const struct tp_model *model, const struct tp_loop_body *body)
{
    for (uint32_t i = 1; i < body->count; i++) {
        if (!ignores_previous_iteration(model, body, body->start[i] - body->shift, iteration_end(body, i)))
            return false;
    }
    return !is_followed_by_concatenation(model, body);
}

/* Returns the likely shape of an operator's output. For element-wise sums and products, this is the shape of the first
 * input; otherwise it is the result of output_shape. */
static struct tp_shape likely_output_shape(struct tp_str name, struct tp_str dims)
{
    static const char *const elementwise[] = {"aten::add",  "aten::add_", "aten::sub",  "aten::sub_", "aten::mul",
                                              "aten::mul_", "aten::div",  "aten::div_", NULL};
    return tp_str_is_one_of(name, elementwise) ? tp_shape_input(dims, 0) : output_shape(name, dims);
}

/* Returns true if each iteration has an input with the same shape as the output of the last operator in the previous
 * iteration. */
static bool is_chained(const struct tp_model *model, const struct tp_loop_body *body)
{
    bool is_any = false;
    for (uint32_t i = 1; i < body->count; i++) {
        uint32_t next = body->start[i] - body->shift, end = iteration_end(body, i);
        const struct tp_loop_item *last = &body->items[next - 1];
        struct tp_shape output = likely_output_shape(name_of_loop_item(model, last), item_dims(model, last));
        is_any = false;
        for (uint32_t k = next; k < end && output.is_known && output.rank; k++)
            is_any |= has_input_of_shape(item_dims(model, &body->items[k]), &output);
        if (!is_any)
            return false;
    }
    return is_any;
}

bool tp_loop_has_independent_iterations(const struct tp_model *model, const struct tp_loop_body *body)
{
    return is_independent_by_names(model, body, is_chained(model, body)) || is_independent_by_shapes(model, body);
}
