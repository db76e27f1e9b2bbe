/* Names operations of ATen. See kernel_aten.h. */
#include "writer/text/kernel_aten.h"

#include "writer/text/format.h"
#include "writer/text/kernel_type.h"
#include "writer/text/kernel_wrapper.h"

enum { MAX_DEPTH = 6, MOST_WORD_BYTES = 48 };

/* The operation in the arguments of a wrapper. */
struct operation {
    struct tp_str word;  /* function or class, such as "direct_copy_kernel_cuda" */
    struct tp_str first; /* outermost function or class, such as "AUnaryFunctor" */
    struct tp_str types[TP_KERNEL_TYPES];
    size_t type_count;
    bool is_scalar;  /* true if one operand is a scalar */
    bool is_foreach; /* true if one kernel computes the operation for many tensors */
};

/* ---- words of operations ---- */

/* Operations in lower case without affixes. Other operations are shown by their own name. */
static const struct {
    const char *name;
    const char *action;
    const char *variant; /* detail; NULL: none */
} ACTIONS[] = {
    {"add", "Add", NULL},
    {"sub", "Subtract", NULL},
    {"mul", "Multiply", NULL},
    {"mulscalar", "Multiply", "with a scalar"},
    {"div", "Divide", NULL},
    {"div_true", "Divide", NULL},
    {"div_floor", "Divide and round down", NULL},
    {"fill", "Fill", NULL},
    {"zero", "Fill", NULL},
    {"direct_copy", "Copy", NULL},
    {"copy", "Copy", NULL},
    {"float8_copy", "Copy", NULL},
    {"copy_device_to_device", "Copy", NULL},
    {"neg", "Negate", NULL},
    {"abs", "Absolute value", NULL},
    {"sqrt", "Square root", NULL},
    {"rsqrt", "Reciprocal square root", NULL},
    {"exp", "Exponential", NULL},
    {"log", "Logarithm", NULL},
    {"log2", "Logarithm", "base 2"},
    {"log10", "Logarithm", "base 10"},
    {"log1p", "Logarithm", "of 1 + x"},
    {"sin", "Sine", NULL},
    {"cos", "Cosine", NULL},
    {"tanh", "Tanh", NULL},
    {"sigmoid", "Sigmoid", NULL},
    {"silu", "SiLU", NULL},
    {"gelu", "GELU", NULL},
    {"relu", "ReLU", NULL},
    {"elu", "ELU", NULL},
    {"leaky_relu", "Leaky ReLU", NULL},
    {"pow_tensor_scalar", "Power", "scalar exponent"},
    {"pow_tensor_tensor", "Power", NULL},
    {"pow_scalar_tensor", "Power", "scalar base"},
    {"clamp", "Clamp", NULL},
    {"clamp_scalar", "Clamp", NULL},
    {"launch_clamp_scalar", "Clamp", NULL},
    {"clamp_min_scalar", "Clamp", "minimum"},
    {"clamp_max_scalar", "Clamp", "maximum"},
    {"compare", "Compare", NULL},
    {"compare_scalar", "Compare", "with a scalar"},
    {"compareeq", "Compare", "equal"},
    {"where", "Select by a mask", NULL},
    {"masked_fill", "Masked fill", NULL},
    {"nan_to_num", "Replace NaN", NULL},
    {"mse", "MSE loss", NULL},
    {"smooth_l1", "Smooth L1 loss", NULL},
    {"binary_cross_entropy", "Binary cross entropy", NULL},
    {"sum", "Sum", NULL},
    {"nansum", "Sum", "without NaN"},
    {"mean", "Mean", NULL},
    {"max", "Maximum", NULL},
    {"maxnan", "Maximum", NULL},
    {"min", "Minimum", NULL},
    {"minnan", "Minimum", NULL},
    {"minmax", "Minimum and maximum", NULL},
    {"argmax", "Argmax", NULL},
    {"argmin", "Argmin", NULL},
    {"prod", "Product of all elements", NULL},
    {"and", "All true", NULL},
    {"or", "Any true", NULL},
    {"normtwo", "Vector norm", NULL},
    {"normone", "Vector norm", "1"},
    {"lpnorm", "Vector norm", NULL},
    {"l2norm", "Vector norm", NULL},
    {"welford", "Variance", NULL},
    {"arange_cuda_out", "Arange", NULL},
    {"linspace_cuda_out", "Linspace", NULL},
    {"uniform_and_transform", "Random numbers", "uniform"},
    {"normal_and_transform", "Random numbers", "normal"},
    {"bernoulli_tensor", "Random numbers", "Bernoulli"},
    {"random_from_to", "Random numbers", "integer"},
    {"index_kernel_impl", "Gather", "index"},
    {"index_put_kernel_impl", "Scatter", "index put"},
    {"index_copy", "Scatter", "index copy"},
    {"index_fill", "Masked fill", "index fill"},
    {"take", "Gather", "take"},
    {"put", "Scatter", "put"},
    {"plus", "Add", NULL},
    {"minus", "Subtract", NULL},
    {"multiplies", "Multiply", NULL},
    {"divides", "Divide", NULL},
    {"adam", "Adam step", NULL},
    {"fusedadammath", "Adam step", "fused"},
    {"sgd", "SGD step", NULL},
    {"fusedsgdmath", "SGD step", "fused"},
    {"lambstage1", "LAMB step", "1"},
    {"lambstage2", "LAMB step", "2"},
    {"scale", "Multiply", "with a scalar"},
    {"axpby", "Add", "with factors"},
};

/* Copies a text in lower case into `out` and returns its length; 0 if the text is no identifier or too long. */
static size_t lower_identifier(char out[MOST_WORD_BYTES], struct tp_str word)
{
    if (word.len >= MOST_WORD_BYTES)
        return 0;
    for (size_t i = 0; i < word.len; i++) {
        if (!tp_is_word_character(word.ptr[i]))
            return 0;
        out[i] = (char)(word.ptr[i] >= 'A' && word.ptr[i] <= 'Z' ? word.ptr[i] + 'a' - 'A' : word.ptr[i]);
    }
    return word.len;
}

/* Returns "Addr" for "addr", "Bitwise and" for "bitwise_and" and "Compare eq" for "CompareEq". */
static const char *text_of_own_name(struct tp_arena *arena, struct tp_str word)
{
    char *text = tp_arena_alloc(arena, 2 * MOST_WORD_BYTES + 1);
    size_t size = 0;
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i], before = i ? word.ptr[i - 1] : '_';
        bool is_upper = c >= 'A' && c <= 'Z', is_lower = c >= 'a' && c <= 'z';
        if (size && (c == '_' || (is_upper && before >= 'a' && before <= 'z')))
            text[size++] = ' ';
        if (c == '_')
            continue;
        if (size == 0 && is_lower)
            c = (char)(c - 'a' + 'A');
        else if (size && is_upper)
            c = (char)(c - 'A' + 'a');
        text[size++] = c;
    }
    text[size] = 0;
    return text;
}

/* Sets action and variant of an operation without affixes. Returns false if the word is no identifier. */
static bool set_action(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str word)
{
    static const char *const BACKWARD[] = {"_backward", "Backward", "_backward_grad_input"};
    char lower[MOST_WORD_BYTES];
    bool is_backward = false;
    for (size_t i = 0; i < 3; i++)
        if (tp_str_ends(word, BACKWARD[i]) && word.len > strlen(BACKWARD[i])) {
            word.len -= strlen(BACKWARD[i]);
            is_backward = true;
        }
    struct tp_str name = {lower, lower_identifier(lower, word)};
    if (!name.len || name.len < 2 || lower[0] == '_')
        return false;
    meaning->action = NULL;
    for (size_t i = 0; i < sizeof ACTIONS / sizeof *ACTIONS && !meaning->action; i++)
        if (tp_str_equal(name, tp_str_of(ACTIONS[i].name))) {
            meaning->action = ACTIONS[i].action;
            meaning->details[TP_KERNEL_VARIANT] = ACTIONS[i].variant;
        }
    meaning->action = meaning->action ? meaning->action : text_of_own_name(arena, word);
    if (is_backward)
        meaning->action = tp_text_printf(arena, "%s backward", meaning->action);
    return true;
}

/* ---- operations in names ---- */

/* Removes affixes such as "CUDAFunctor_" and "_kernel_cuda". */
static void remove_affixes(struct operation *operation)
{
    static const char *const BEGINS[] = {"CUDAFunctorOnSelf_", "CUDAFunctorOnOther_", "CUDAFunctor_"};
    static const char *const ENDS[] = {"CUDAKernelImpl",
                                       "KernelImpl",
                                       "_kernel_impl",
                                       "_kernel_cuda",
                                       "_cuda_kernel",
                                       "_cuda_impl",
                                       "_kernel_with_scalars",
                                       "_kernel",
                                       "_cuda",
                                       "ListAlphaFunctor",
                                       "_functor",
                                       "Functor",
                                       "Ops"};
    static const char *const KEPT[] = {"index_kernel_impl", "index_put_kernel_impl", NULL};
    if (tp_str_is_one_of(operation->word, KEPT))
        return;
    for (size_t i = 0; i < 3; i++)
        if (tp_str_starts(operation->word, BEGINS[i]) && operation->word.len > strlen(BEGINS[i])) {
            operation->word = tp_text_after(operation->word, strlen(BEGINS[i]));
            operation->is_scalar |= i < 2;
        }
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++)
        if (tp_str_ends(operation->word, ENDS[i]) && operation->word.len > strlen(ENDS[i]))
            operation->word.len -= strlen(ENDS[i]);
}

/* Splits an argument that names a function or class, with or without parameters. Sets `rest` to the text from the
 * parameters on, which names lambdas. */
static struct tp_cxx_entity split_operation(struct tp_str text, struct tp_str *rest)
{
    size_t parameters = tp_cxx_find_parameters(text);
    struct tp_str function = tp_text_before(text, parameters);
    *rest = tp_text_after(text, parameters);
    if (tp_str_ends(function, "::operator()"))
        function.len -= strlen("::operator()");
    struct tp_cxx_entity entity = tp_cxx_split_name(function);
    if (tp_str_starts(entity.word, "operator()") && entity.path.len > 2)
        entity = tp_cxx_split_name(tp_text_before(entity.path, entity.path.len - 2));
    return entity;
}

/* Follows wrappers inside of wrappers, such as gpu_kernel_impl<BinaryFunctor<float, float, float, MulFunctor<float>>>,
 * to the operation. */
static bool find_operation(struct operation *operation, struct tp_str text)
{
    struct tp_str rest;
    for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
        struct tp_str inner;
        struct tp_cxx_entity entity = split_operation(text, &rest), lambda = {.count = 0};
        const char *label = tp_kernel_find_wrapper(&entity, &inner);
        bool is_neutral = label && !*label; /* gpu_kernel_impl and others */
        if (!operation->first.len && !is_neutral)
            operation->first = entity.word;
        if (!label && tp_str_equal(entity.word, TP_STR("gpu_index_kernel")) && entity.count) {
            label = "";
            inner = entity.arguments[0];
        }
        if (label) {
            operation->is_scalar |= strcmp(label, "scalar ") == 0;
            if (!operation->type_count)
                operation->type_count = tp_kernel_types_of_wrapper(&entity, operation->types);
            text = inner;
            continue;
        }
        operation->word = entity.word;
        tp_cxx_split_arguments(&lambda, tp_kernel_last_lambda(rest));
        const struct tp_cxx_entity *types = entity.count ? &entity : &lambda;
        if (!operation->type_count) {
            operation->type_count = types->count < TP_KERNEL_TYPES ? types->count : TP_KERNEL_TYPES;
            memcpy(operation->types, types->arguments, operation->type_count * sizeof *operation->types);
        }
        return true;
    }
    return false;
}

/* Returns the word for the type of the data: the first type that is not bool, which is often a mask, else bool. */
static const char *type_of_operation(const struct operation *operation)
{
    const char *type = NULL;
    for (size_t i = 0; i < operation->type_count; i++) {
        const char *word = tp_kernel_type_word(operation->types[i]);
        if (word && (!type || strcmp(type, "bool") == 0))
            type = word;
    }
    return type;
}

/* ---- kinds of wrappers ---- */

/* Finds the operation of "multi_tensor_apply_kernel<TensorListMetadata<2>, BinaryOpListAlphaFunctor<float, 2, 2, 0>,
 * std::plus<float>, ..>": the functor names the operation, or the argument after it does. */
static void find_foreach_operation(struct operation *operation, const struct tp_cxx_entity *entity)
{
    static const char *const GENERAL[] = {"BinaryOp", "PointwiseOp", "UnaryOp", "TernaryOp", NULL};
    operation->is_foreach = true;
    if (!tp_str_starts_with_one_of(operation->word, GENERAL))
        return;
    struct tp_cxx_entity inner = entity->count > 2 ? tp_cxx_split_name(entity->arguments[2]) : *entity;
    bool is_pointwise = tp_str_starts(operation->word, "PointwiseOp");
    operation->is_scalar |= tp_str_find(operation->word, "Scalar") > 0 && !is_pointwise;
    operation->word = entity->count > 2 ? inner.word : (struct tp_str){"", 0};
    if (is_pointwise)
        operation->word = tp_str_equal(inner.word, TP_STR("multiplies")) ? TP_STR("addcmul")
                          : tp_str_equal(inner.word, TP_STR("divides"))  ? TP_STR("addcdiv")
                                                                         : (struct tp_str){"", 0};
}

/* "_cuda_scatter_gather_internal_kernel<true, float>::operator()<ReduceAdd>": true is for scatter. */
static bool set_scatter_or_gather(struct tp_kernel_meaning *meaning, const struct operation *operation,
                                  struct tp_str name)
{
    static const char *const REDUCTIONS[][2] = {{"ReduceAdd>", "Scatter add"},
                                                {"TensorAssign>", "Scatter"},
                                                {"ReduceMultiply>", "Scatter multiply"},
                                                {"ReduceMaximum>", "Scatter maximum"},
                                                {"ReduceMinimum>", "Scatter minimum"}};
    if (operation->type_count && tp_str_equal(operation->types[0], TP_STR("false")))
        meaning->action = "Gather";
    for (size_t i = 0; i < sizeof REDUCTIONS / sizeof *REDUCTIONS && !meaning->action; i++)
        if (tp_str_find(name, REDUCTIONS[i][0]) > 0)
            meaning->action = REDUCTIONS[i][1];
    return meaning->action != NULL;
}

/* Copies that convert the data: the functor's type is the type that is written. */
static void set_conversion(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str word,
                           bool has_casts)
{
    static const char *const COPIES[][2] = {
        {"bfloat16_copy", "Convert fp32 to bf16"},
        {"float16_copy", "Convert fp32 to fp16"},
        {"bfloat16tofloat32_copy", "Convert bf16 to fp32"},
        {"float16tofloat32_copy", "Convert fp16 to fp32"},
    };
    if (tp_str_equal(word, TP_STR("float8_copy")) && meaning->type && strcmp(meaning->type, "fp8") != 0) {
        meaning->action = tp_text_printf(arena, "Convert %s to fp8", meaning->type);
        meaning->type = NULL;
    }
    for (size_t i = 0; i < sizeof COPIES / sizeof *COPIES; i++)
        if (tp_str_equal(word, tp_str_of(COPIES[i][0]))) {
            meaning->action = COPIES[i][1];
            meaning->type = NULL;
        }
    if (has_casts && strcmp(meaning->action, "Copy") == 0 && meaning->type)
        meaning->action = "Convert to";
    else if (has_casts) {
        meaning->type = NULL;
        meaning->remark = "mixed types";
    }
}

/* Sets how the kernel reads memory. Only elementwise_kernel handles tensors that are not contiguous. */
static void set_access(struct tp_kernel_meaning *meaning, struct tp_arena *arena, const struct tp_cxx_entity *entity,
                       struct tp_str name)
{
    const char **access = &meaning->details[TP_KERNEL_ACCESS];
    if (tp_str_starts(entity->word, "vectorized") && tp_cxx_is_number(entity->arguments[0]))
        *access =
            tp_text_printf(arena, "%.*s at a time", (int)(entity->arguments[0].len < 6 ? entity->arguments[0].len : 6),
                           entity->arguments[0].ptr);
    else if (tp_str_starts(entity->word, "unrolled"))
        *access = "unrolled";
    else if (tp_str_starts(entity->word, "elementwise_kernel_manual"))
        *access = "strided, unrolled";
    else if (tp_str_starts(entity->word, "elementwise_kernel"))
        *access = "strided";
    if (strcmp(meaning->action, "Copy") != 0 || !*access || !tp_str_starts(tp_str_of(*access), "strided"))
        return;
    meaning->remark = "strided";
    /* without "_nocast", the copy may also convert the data to the type of the functor */
    if (tp_str_find(name, "gpu_kernel_impl<") >= 0 && meaning->type)
        meaning->action = "Copy to";
}

bool tp_kernel_aten_find(struct tp_kernel_meaning *meaning, struct tp_arena *arena, const struct tp_cxx_entity *entity,
                         struct tp_str name)
{
    static const char *const OTHERS[] = {"device_kernel", "Kernel", "Kernel2", "kentry", "_kernel_agent", NULL};
    struct operation operation = {.type_count = 0};
    struct tp_str inner;
    const char *label = tp_kernel_find_wrapper(entity, &inner);
    if (!label || tp_str_is_one_of(entity->word, OTHERS) || !find_operation(&operation, inner))
        return false;
    bool has_casts =
        tp_str_find(name, "LoadWithCast<") > 0 || tp_str_find(name, "StoreWithCast<") > 0 ||
        (tp_str_starts(entity->word, "elementwise_kernel_manual") && tp_str_find(name, "gpu_kernel_impl<") > 0);
    if (tp_str_starts(entity->word, "multi_tensor"))
        find_foreach_operation(&operation, entity);
    meaning->type = type_of_operation(&operation);
    if (tp_str_starts(operation.word, "_cuda_scatter_gather"))
        return set_scatter_or_gather(meaning, &operation, name);
    size_t size = operation.first.len < MOST_WORD_BYTES ? operation.first.len : 0;
    if (size)
        meaning->details[TP_KERNEL_FUNCTION] = tp_arena_copy(arena, operation.first.ptr, size);
    remove_affixes(&operation);
    if (!set_action(meaning, arena, operation.word))
        return false;
    if (operation.is_scalar && !meaning->details[TP_KERNEL_VARIANT])
        meaning->details[TP_KERNEL_VARIANT] = "with a scalar";
    meaning->remark = operation.is_foreach && !tp_str_ends(tp_str_of(meaning->action), " step") ? "many tensors" : NULL;
    set_conversion(meaning, arena, operation.word, has_casts);
    set_access(meaning, arena, entity, name);
    return true;
}
