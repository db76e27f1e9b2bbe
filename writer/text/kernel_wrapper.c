/* Finds the operation in the template arguments of a wrapper. See kernel_wrapper.h. */
#include "writer/text/kernel_wrapper.h"

enum { FIRST_CLASS = 254, LAST = 255 };

static const struct {
    const char *word;
    const char *label; /* text before the operation; NULL: none */
    const char *path;  /* beginning of the wrapper's path; NULL: any path */
    uint8_t argument;  /* index of the template argument that contains the operation, FIRST_CLASS or LAST */
} WRAPPERS[] = {
    {"vectorized_elementwise_kernel", "vectorized_elementwise ", NULL, 1},
    {"vectorized_templated_elementwise_kernel", "vectorized_elementwise ", NULL, 1},
    {"unrolled_elementwise_kernel", "unrolled_elementwise ", NULL, 0},
    {"unrolled_elementwise_kernel_for_multi_outputs", "unrolled_elementwise ", NULL, 1},
    {"elementwise_kernel", "elementwise ", NULL, 2},
    {"elementwise_kernel_manual_unroll", "elementwise ", NULL, 2},
    {"elementwise_kernel_with_index", "elementwise_with_index ", NULL, 1},
    {"legacy_elementwise_kernel", "elementwise ", NULL, 2},
    {"index_elementwise_kernel", "index_elementwise ", NULL, 2},
    {"_scatter_gather_elementwise_kernel", "scatter_gather ", NULL, 2},
    {"distribution_elementwise_grid_stride_kernel", "distribution ", NULL, 2},
    {"reduce_kernel", "reduce ", NULL, 2},
    {"multi_tensor_apply_kernel", "multi_tensor_apply ", NULL, 1},
    {"_kernel_agent", NULL, NULL, 0},
    {"device_kernel", NULL, "cutlass", 0},
    {"Kernel", NULL, "cutlass", 0},
    {"Kernel2", NULL, "cutlass", 0},
    {"kentry", "ck_tile ", "ck_tile", FIRST_CLASS},
    {"gpu_kernel_impl", NULL, NULL, 0},
    {"gpu_kernel_impl_nocast", NULL, NULL, 0},
    {"ReduceOp", NULL, NULL, 1},
    {"func_wrapper_t", NULL, NULL, 1},
    {"BinaryFunctor", NULL, NULL, LAST},
    {"AUnaryFunctor", "scalar ", NULL, LAST},
    {"BUnaryFunctor", "scalar ", NULL, LAST},
    {"enable_3x_kernel_for_sm9x", NULL, NULL, 0},
    {"enable_3x_kernel_for_sm10", NULL, NULL, 0},
};

/* Returns the index of the argument that contains the operation. */
static size_t index_of_argument(const struct tp_cxx_entity *entity, uint8_t argument)
{
    size_t first = 0;
    if (argument == LAST)
        return entity->count ? entity->count - 1 : 0;
    while (argument == FIRST_CLASS && first < entity->count && tp_cxx_is_number(entity->arguments[first]))
        first++;
    return argument == FIRST_CLASS ? first : argument;
}

const char *tp_kernel_find_wrapper(const struct tp_cxx_entity *entity, struct tp_str *inner)
{
    for (size_t i = 0; i < sizeof WRAPPERS / sizeof *WRAPPERS; i++) {
        if (!entity->word.len || *entity->word.ptr != *WRAPPERS[i].word) /* usual case */
            continue;
        size_t argument = index_of_argument(entity, WRAPPERS[i].argument);
        if (tp_str_equal(entity->word, tp_str_of(WRAPPERS[i].word)) && entity->count > argument &&
            (!WRAPPERS[i].path || tp_str_starts(entity->path, WRAPPERS[i].path))) {
            *inner = entity->arguments[argument];
            return WRAPPERS[i].label ? WRAPPERS[i].label : "";
        }
    }
    return NULL;
}

size_t tp_kernel_types_of_wrapper(const struct tp_cxx_entity *entity, struct tp_str types[TP_KERNEL_TYPES])
{
    enum { RESULT = 3 };
    if (entity->count < 2)
        return 0;
    if (tp_str_ends(entity->word, "BinaryFunctor") || tp_str_ends(entity->word, "UnaryFunctor")) {
        size_t count = entity->count - 1 < TP_KERNEL_TYPES ? entity->count - 1 : TP_KERNEL_TYPES;
        memcpy(types, entity->arguments, count * sizeof *types);
        return count;
    }
    if (!tp_str_equal(entity->word, TP_STR("ReduceOp")))
        return 0;
    types[0] = entity->arguments[0];
    types[1] = entity->arguments[entity->count > RESULT ? RESULT : 0];
    return entity->count > RESULT ? 2 : 1;
}

struct tp_str tp_kernel_last_lambda(struct tp_str text)
{
    struct tp_str taken = {NULL, 0};
    for (ptrdiff_t at; (at = tp_str_find(text, "lambda")) >= 0;) {
        text = tp_text_after(text, (size_t)at + 6);
        while (text.len && (text.ptr[0] == '\'' || tp_is_digit(text.ptr[0])))
            text = tp_text_after(text, 1);
        if (!text.len || text.ptr[0] != '(')
            continue;
        size_t end = 0, depth = 0;
        do
            depth = tp_cxx_depth_after(text, end++, depth);
        while (end < text.len && depth);
        taken = (struct tp_str){text.ptr + 1, end < 2 ? 0 : end - 2};
    }
    return taken;
}
