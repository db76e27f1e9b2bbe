/* Implements operator_samples.h: finds the number of samples in a call of an operator. */
#include "webreport/measure/work/operator_samples.h"

#include "webreport/model/numbers.h"
#include "writer/base/saturate.h"

/* An operator, and the index of the argument whose first size is the number of samples. For recurrent layers, the
 * number is the smaller of the first two sizes, because their order varies. */
struct batched {
    struct tp_str name;
    unsigned argument, min_rank;
    bool is_recurrent, is_of_words;
};

static const struct batched *find_batched_operator(struct tp_str name)
{
    static const struct batched operators[] = {
        {TP_STR("aten::linear"), 0, 2, false, false},
        {TP_STR("aten::addmm"), 1, 2, false, false},
        {TP_STR("aten::mm"), 0, 2, false, false},
        {TP_STR("aten::conv1d"), 0, 3, false, false},
        {TP_STR("aten::conv2d"), 0, 4, false, false},
        {TP_STR("aten::conv3d"), 0, 5, false, false},
        {TP_STR("aten::embedding"), 1, 2, false, true},
        {TP_STR("aten::convolution"), 0, 3, false, false},
        {TP_STR("aten::gru"), 0, 3, true, false},
        {TP_STR("aten::lstm"), 0, 3, true, false},
        {TP_STR("aten::rnn_tanh"), 0, 3, true, false},
        {TP_STR("aten::rnn_relu"), 0, 3, true, false},
        {TP_STR("aten::_addmm_activation"), 1, 2, false, false},
    };
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (tp_str_equal(name, operators[i].name))
            return &operators[i];
    return NULL;
}

struct tp_shape tp_operand_shape(const struct tp_model *model, uint32_t op, unsigned argument)
{
    uint32_t dims = model->trace->hosts[tp_operator_event(model, op)->detail].dims;
    return tp_shape_input(tp_strings_get(&model->trace->values, dims), argument);
}

/* Returns the number of rows of a tensor: the product of all sizes but the last one. */
static int64_t row_count(const struct tp_shape *shape)
{
    int64_t rows = 1;
    for (unsigned i = 0; i + 1 < shape->rank; i++)
        rows = tp_sat_mul(rows, shape->sizes[i]);
    return rows;
}

unsigned tp_samples_operand_index(struct tp_str name)
{
    const struct batched *batched = find_batched_operator(name);
    return batched ? batched->argument : 0;
}

bool tp_is_batched_product(struct tp_str name)
{
    return tp_str_equal(name, TP_STR("aten::bmm")) || tp_str_equal(name, TP_STR("aten::baddbmm")) ||
           tp_str_starts(name, "aten::_scaled_dot_product");
}

struct tp_samples tp_samples_of_operator(const struct tp_model *model, uint32_t op)
{
    const struct batched *batched =
        find_batched_operator(tp_trace_event_name(model->trace, tp_operator_event(model, op)));
    if (!batched)
        return (struct tp_samples){0};
    struct tp_shape shape = tp_operand_shape(model, op, batched->argument);
    if (!shape.is_known)
        return (struct tp_samples){.is_unknown = !batched->is_of_words};
    if (shape.rank < batched->min_rank)
        return (struct tp_samples){0};
    int64_t first = shape.sizes[0], second = shape.sizes[1];
    if (batched->is_recurrent)
        return (struct tp_samples){
            .count = tp_ns_min(first, second), .length = tp_ns_max(first, second), .is_recurrent = true};
    bool is_sequence = shape.rank == 3 || batched->is_of_words, is_product = batched->min_rank == 2;
    return (struct tp_samples){
        .count = first,
        .length = is_sequence ? second : 0,
        .rows = is_product && !batched->is_of_words ? row_count(&shape) : 0,
        .is_length_first = is_product && shape.rank == 3 && second == 1,
        .is_of_words = batched->is_of_words,
    };
}
