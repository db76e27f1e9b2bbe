/* Shortens names of kernels: see kernel_text.h. A C++ name is split as text: "path::word<arguments>(parameters)". If
 * the word is a known wrapper, one of its arguments names the operation. */
#include "writer/text/kernel_text.h"

#include "writer/base/limits.h"
#include "writer/text/cxx_text.h"
#include "writer/text/demangle_cxx.h"

enum { ARGUMENT_BYTES = 56, MOST_READ = 1 << 16, MAX_DEPTH = 6, MAX_SHAPES = 2, MAX_TYPES = 4 };
enum { LAST = 255 };

/* A short name that is being built. If the text is too long, an ellipsis replaces the rest. */
struct out {
    char *data;
    size_t size;
    /* types of the data in memory, if a wrapper names them; the computation may use wider types */
    const struct tp_str *types;
    size_t type_count; /* number of types; 0: the operation itself contains the types */
};

static void put_part(struct out *out, struct tp_str part)
{
    size_t room = 2 * TP_KERNEL_TEXT_BYTES - out->size, size = part.len < room ? part.len : room;
    memcpy(out->data + out->size, part.ptr, size);
    out->size += size;
}

static void put_text(struct out *out, const char *text)
{
    put_part(out, tp_str_of(text));
}

/* Writes "128x64x32" for sequence<128, 64, 32>. Returns whether the entity is a shape. */
static bool put_shape(struct out *out, const struct tp_cxx_entity *entity)
{
    static const char *const WORDS[] = {"sequence", "Sequence", "tuple", "GemmShape", "MatrixShape", "Shape"};
    bool is_shape = false;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        is_shape |= tp_str_equal(entity->word, tp_str_of(WORDS[i]));
    for (size_t i = 0; i < entity->count; i++)
        is_shape &= tp_cxx_is_number(tp_cxx_inner_value(entity->arguments[i]));
    if (!is_shape || entity->count < 2 || entity->has_more)
        return false;
    for (size_t i = 0; i < entity->count; i++) {
        put_text(out, i ? "x" : "");
        put_part(out, tp_cxx_inner_value(entity->arguments[i]));
    }
    return true;
}

/* ---- arguments ---- */

static void put_argument(struct out *out, struct tp_str text, unsigned depth);

static bool is_plain(struct tp_str text)
{
    return !memchr(text.ptr, '<', text.len) && !memchr(text.ptr, '(', text.len);
}

/* Writes up to five consecutive numbers if a class has at least four. In Composable Kernel, these are block and tile
 * sizes. Returns whether the class has such numbers. */
static bool put_numbers(struct out *out, const struct tp_cxx_entity *entity)
{
    size_t first = 0, count = 0;
    for (size_t i = 0; i < entity->count && count < 4; i++) {
        count = tp_cxx_is_number(entity->arguments[i]) ? count + 1 : 0;
        first = i + 1 - count;
    }
    if (count < 4)
        return false;
    put_text(out, first ? "\xe2\x80\xa6, " : "");
    for (size_t i = first; i < entity->count && i < first + 5 && tp_cxx_is_number(entity->arguments[i]); i++) {
        put_text(out, i > first ? ", " : "");
        put_part(out, entity->arguments[i]);
    }
    put_text(out, ", \xe2\x80\xa6");
    return true;
}

/* Writes all arguments if they are short and plain. Otherwise writes only the first ones, to keep the name readable. */
static void put_arguments(struct out *out, const struct tp_cxx_entity *entity, unsigned depth)
{
    size_t bytes = 0, start = out->size;
    for (size_t i = 0; i < entity->count; i++)
        bytes += is_plain(entity->arguments[i]) ? entity->arguments[i].len + 2 : 1000;
    if (!entity->count)
        return;
    put_text(out, "<");
    if (depth == 0 || bytes < 60) {
        for (size_t i = 0; i < entity->count && out->size < start + ARGUMENT_BYTES; i++) {
            put_text(out, i ? ", " : "");
            put_argument(out, entity->arguments[i], depth + 1);
            if (i + 1 < entity->count && out->size >= start + ARGUMENT_BYTES)
                put_text(out, ", \xe2\x80\xa6");
        }
    } else if (!put_numbers(out, entity)) {
        if (depth < 2)
            put_argument(out, entity->arguments[0], depth + 1);
        put_text(out, entity->count > 1 && depth < 2 ? ", \xe2\x80\xa6" : depth < 2 ? "" : "\xe2\x80\xa6");
    }
    put_text(out, ">");
}

/* Writes the name of a function whose address is an argument: "&(float act::silu<float>(float const&))". */
static void put_address(struct out *out, struct tp_str text)
{
    text = tp_text_before(text, tp_cxx_find_parameters(text));
    size_t space = tp_cxx_find_outside(text, ' ', 0);
    struct tp_cxx_entity entity = tp_cxx_split_name(space < text.len ? tp_text_after(text, space + 1) : text);
    put_text(out, "&");
    put_part(out, entity.word);
}

static void put_argument(struct out *out, struct tp_str text, unsigned depth)
{
    struct tp_str value = tp_cxx_inner_value(text);
    if (tp_str_starts(text, "&(") && tp_str_ends(text, ")")) {
        put_address(out, (struct tp_str){text.ptr + 2, text.len - 3});
        return;
    }
    if (tp_cxx_is_number(value) || tp_str_starts(text, "decltype(")) {
        put_part(out, tp_cxx_is_number(value) ? value : TP_STR("nullptr"));
        return;
    }
    struct tp_cxx_entity entity = tp_cxx_split_name(tp_text_before(value, tp_cxx_find_parameters(value)));
    if (put_shape(out, &entity))
        return;
    put_part(out, entity.word);
    if (depth < MAX_DEPTH)
        put_arguments(out, &entity, depth);
}

/* ---- operations ---- */

static const struct {
    const char *word;
    const char *label; /* text before the operation; NULL: none */
    const char *path;  /* beginning of the wrapper's path; NULL: any path */
    uint8_t argument;  /* index of the template argument that contains the operation */
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
    {"kentry", "ck_tile ", "ck_tile", 1},
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

static const char *find_wrapper(const struct tp_cxx_entity *entity, struct tp_str *inner)
{
    for (size_t i = 0; i < sizeof WRAPPERS / sizeof *WRAPPERS; i++) {
        size_t argument = WRAPPERS[i].argument == LAST && entity->count ? entity->count - 1 : WRAPPERS[i].argument;
        if (tp_str_equal(entity->word, tp_str_of(WRAPPERS[i].word)) && entity->count > argument &&
            (!WRAPPERS[i].path || tp_str_starts(entity->path, WRAPPERS[i].path))) {
            *inner = entity->arguments[argument];
            return WRAPPERS[i].label ? WRAPPERS[i].label : "";
        }
    }
    return NULL;
}

/* Stores the types of a wrapper's data. For example, BinaryFunctor<BFloat16, BFloat16, BFloat16, MulFunctor<float>>
 * multiplies BFloat16 numbers in single precision. For ReduceOp, stores the type that is read and the type that is
 * written. */
static void store_types_of_wrapper(struct out *out, const struct tp_cxx_entity *entity, struct tp_str *kept)
{
    enum { RESULT = 3 };
    if (out->type_count || entity->count < 2)
        return;
    if (tp_str_ends(entity->word, "BinaryFunctor") || tp_str_ends(entity->word, "UnaryFunctor")) {
        out->type_count = entity->count - 1 < MAX_TYPES ? entity->count - 1 : MAX_TYPES;
        memcpy(kept, entity->arguments, out->type_count * sizeof *kept);
    } else if (tp_str_equal(entity->word, TP_STR("ReduceOp"))) {
        out->type_count = entity->count > RESULT ? 2 : 1;
        kept[0] = entity->arguments[0];
        kept[1] = entity->arguments[entity->count > RESULT ? RESULT : 0];
    }
    out->types = kept;
}

/* Writes the operation in a name, such as "neg" for neg_kernel_cuda and "add" for CUDAFunctor_add. */
static void write_operation(struct out *out, struct tp_str word)
{
    static const char *const BEGINS[] = {"CUDAFunctorOnSelf_", "CUDAFunctorOnOther_", "CUDAFunctor_"};
    static const char *const ENDS[] = {"CUDAKernelImpl", "KernelImpl", "_kernel_impl", "_kernel_cuda",
                                       "_cuda_kernel",   "_cuda_impl", "_kernel",      "_cuda",
                                       "_functor",       "Functor",    "Ops",          "_kernel_with_scalars"};
    bool is_scalar = false;
    for (size_t i = 0; i < sizeof BEGINS / sizeof *BEGINS; i++)
        if (tp_str_starts(word, BEGINS[i]) && word.len > strlen(BEGINS[i])) {
            word = tp_text_after(word, strlen(BEGINS[i]));
            is_scalar = i < 2;
        }
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++)
        if (tp_str_ends(word, ENDS[i]) && word.len > strlen(ENDS[i]))
            word.len -= strlen(ENDS[i]);
    put_text(out, is_scalar ? "scalar " : "");
    put_part(out, word);
}

/* Writes a list of types such as "<bool, float>", with each type once. */
static void write_types(struct out *out, const struct tp_str *types, size_t count)
{
    bool is_first = true;
    if (out->type_count) {
        types = out->types;
        count = out->type_count;
    }
    for (size_t i = 0; i < count; i++) {
        bool is_said = types[i].len == 0;
        for (size_t k = 0; k < i; k++)
            is_said |= tp_str_equal(types[i], types[k]);
        if (is_said)
            continue;
        put_text(out, is_first ? "<" : ", ");
        put_argument(out, types[i], 1);
        is_first = false;
    }
    put_text(out, is_first ? "" : ">");
}

/* Returns the parameters of the last lambda in "f(..)::{lambda(..)#1}::..::{lambda(float)#2}". */
static struct tp_str text_of_last_lambda(struct tp_str text)
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

static void put_wrapped_operation(struct out *out, struct tp_str text, unsigned depth);

/* Writes the name of a function, and the lambda in the function that computes the values. */
static void write_function_and_lambda(struct out *out, struct tp_str text, size_t parameters, unsigned depth)
{
    struct tp_str function = tp_text_before(text, parameters), inner;
    if (tp_str_ends(function, "::operator()"))
        function.len -= 12;
    struct tp_cxx_entity entity = tp_cxx_split_name(function), lambda = {.count = 0};
    if (tp_str_equal(entity.word, TP_STR("operator()")) && entity.path.len > 2)
        entity = tp_cxx_split_name(tp_text_before(entity.path, entity.path.len - 2));
    const char *label = find_wrapper(&entity, &inner);
    if (label && depth < MAX_DEPTH) {
        struct tp_str kept[MAX_TYPES];
        size_t outer_count = out->type_count;
        store_types_of_wrapper(out, &entity, kept);
        put_text(out, label);
        put_wrapped_operation(out, inner, depth + 1);
        out->type_count = outer_count;
        return;
    }
    write_operation(out, entity.word);
    tp_cxx_split_arguments(&lambda, text_of_last_lambda(tp_text_after(text, parameters)));
    if (entity.count)
        write_types(out, entity.arguments, entity.count);
    else
        write_types(out, lambda.arguments, lambda.count);
}

/* Writes up to two shapes among the arguments of a class, which are its tiles. */
static void write_tile_sizes(struct out *out, struct tp_str text)
{
    static const char *const WORDS[] = {"sequence<", "tuple<", "GemmShape<"};
    unsigned count = 0;
    for (size_t i = 0; i < text.len && count < MAX_SHAPES; i++) {
        bool is_word = false;
        for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
            is_word |= text.ptr[i] == WORDS[k][0] && tp_str_starts(tp_text_after(text, i), WORDS[k]);
        if (!is_word)
            continue;
        struct tp_str rest = tp_text_after(text, i);
        size_t end = tp_cxx_find_outside(rest, ',', 0), close = tp_cxx_find_outside(rest, '>', 0);
        struct tp_cxx_entity entity = tp_cxx_split_name(tp_str_trim(tp_text_before(rest, end < close ? end : close)));
        size_t before = out->size;
        put_text(out, " ");
        if (put_shape(out, &entity))
            count++;
        else
            out->size = before;
    }
}

static bool has_template_argument(const struct tp_cxx_entity *entity)
{
    for (size_t i = 0; i < entity->count; i++)
        if (!is_plain(entity->arguments[i]))
            return true;
    return false;
}

/* Writes the operation that an argument of a wrapper names. */
static void put_wrapped_operation(struct out *out, struct tp_str text, unsigned depth)
{
    struct tp_str inner;
    size_t parameters = tp_cxx_find_parameters(text);
    if (parameters < text.len) {
        write_function_and_lambda(out, text, parameters, depth);
        return;
    }
    struct tp_cxx_entity entity = tp_cxx_split_name(text);
    const char *label = find_wrapper(&entity, &inner);
    if (label && depth < MAX_DEPTH) {
        struct tp_str kept[MAX_TYPES];
        size_t outer_count = out->type_count;
        store_types_of_wrapper(out, &entity, kept);
        put_text(out, label);
        put_wrapped_operation(out, inner, depth + 1);
        out->type_count = outer_count;
        return;
    }
    write_operation(out, entity.word);
    if (!has_template_argument(&entity)) {
        write_types(out, entity.arguments, entity.count);
        return;
    }
    put_text(out, "<");
    put_part(out, tp_cxx_split_name(entity.arguments[0]).word);
    put_text(out, entity.count > 1 ? ", \xe2\x80\xa6>" : ">");
    write_tile_sizes(out, text);
}

/* ---- whole names ---- */

/* Writes the namespaces of a path except common ones. If more than two remain, writes only the first. */
static void write_path_without_common_parts(struct out *out, struct tp_str path)
{
    static const char *const NOISE[] = {
        "(anonymous namespace)::", "at::native::", "at::detail::", "c10::", "detail::", "internal::", "at::cuda::"};
    size_t start = out->size, first = 0, words = 0;
    while (path.len) {
        size_t skip = 0;
        for (size_t i = 0; i < sizeof NOISE / sizeof *NOISE && !skip; i++)
            skip = tp_str_starts(path, NOISE[i]) ? strlen(NOISE[i]) : 0;
        if (!skip) {
            size_t colon = tp_cxx_find_outside(path, ':', 0);
            skip = colon + 2 < path.len ? colon + 2 : path.len;
            put_part(out, tp_text_before(path, skip));
            first = ++words == 1 ? out->size : first;
        }
        path = tp_text_after(path, skip);
    }
    if (words > 2 && out->size > start)
        out->size = first;
}

static void write_cxx_name(struct out *out, struct tp_str name)
{
    struct tp_str inner;
    name = tp_text_before(name, tp_cxx_find_parameters(name));
    for (size_t space; !tp_str_starts(name, "operator") && (space = tp_cxx_find_outside(name, ' ', 0)) < name.len;)
        name = tp_text_after(name, space + 1); /* removes the return type */
    struct tp_cxx_entity entity = tp_cxx_split_name(name);
    const char *label = find_wrapper(&entity, &inner);
    if (!label) {
        write_path_without_common_parts(out, entity.path);
        put_part(out, entity.word);
        put_arguments(out, &entity, 0);
        return;
    }
    put_text(out, label);
    put_wrapped_operation(out, inner, 0);
    if (tp_str_starts(entity.word, "vectorized") && tp_cxx_is_number(entity.arguments[0])) {
        put_text(out, " x");
        put_part(out, entity.arguments[0]);
    }
    if (tp_str_starts(entity.word, "multi_tensor") && entity.count > 2 && tp_str_starts(entity.arguments[2], "std::")) {
        put_text(out, " ");
        put_part(out,
                 tp_cxx_split_name(entity.arguments[2]).word); /* this argument names the type of the computation */
    }
}

/* Writes the first `keep` bytes and the last `tail` bytes of a name. Cuts the name only between words. */
static void put_abbreviated_name(struct out *out, struct tp_str name, size_t keep, size_t tail)
{
    size_t end = name.len - tail;
    while (keep && name.ptr[keep - 1] != '_')
        keep--;
    while (end < name.len && name.ptr[end] != '_')
        end++;
    put_part(out, tp_text_before(name, keep));
    put_text(out, "\xe2\x80\xa6");
    put_part(out, tp_text_after(name, end < name.len ? end : name.len - tail));
}

/* Returns the name up to and including the words that begin with one of `marks`. Returns the whole name if there is no
 * such word. */
static struct tp_str name_up_to_marked_words(struct tp_str name, const char *const *marks, size_t count)
{
    size_t end = 0;
    for (size_t i = 0; i < count; i++) {
        ptrdiff_t at = tp_str_find(name, marks[i]);
        struct tp_str rest = tp_text_after(name, at < 0 ? name.len : (size_t)at + 1);
        const char *next = rest.len ? memchr(rest.ptr, '_', rest.len) : NULL;
        size_t to = at < 0 ? 0 : next ? (size_t)(next - name.ptr) : name.len;
        end = to > end ? to : end;
    }
    return end ? tp_text_before(name, end) : name;
}

/* Returns whether the short name omits a word: the word occurs in all kernels of this kind, or only describes how a
 * tile is split further. */
static bool is_unimportant_word(struct tp_str word)
{
    static const char *const BEGINS[] = {"warpsize", "warpgroupsize", "tensor", "execute", "kernel",
                                         "cudnn",    "infer",         "train",  "cublas",  "5x"};
    for (size_t i = 0; i < sizeof BEGINS / sizeof *BEGINS; i++)
        if (tp_str_starts(word, BEGINS[i]))
            return true;
    return word.len == 0 || tp_str_equal(word, TP_STR("g1"));
}

static void write_xmma_name(struct out *out, struct tp_str name)
{
    for (size_t at = 0, end; at < name.len; at = end + 1) {
        end = tp_cxx_find_outside(name, '_', at);
        struct tp_str word = {name.ptr + at, end - at};
        if (is_unimportant_word(word))
            continue;
        put_text(out, out->size ? "_" : "");
        put_part(out, word);
    }
}

/* Writes the name of a matrix product of Tensile: layout and types, then the tile, which distinguishes the kernels,
 * then the options between them. */
static void write_tensile_name(struct out *out, struct tp_str name)
{
    /* number of words before the options; these words are the beginning, such as Cijk_Alik_Bljk_BBS */
    enum { HEAD_WORDS = 4 };
    static const char *const MARKS[] = {"_MT", "_MI"};
    struct tp_str kept = name_up_to_marked_words(name, MARKS, 2);
    ptrdiff_t tile = tp_str_find(kept, MARKS[0]);
    size_t head = 0, words = 0;
    while (head < kept.len && (kept.ptr[head] != '_' || ++words < HEAD_WORDS))
        head++;
    if (tile < 0 || (size_t)tile <= head) {
        put_part(out, kept);
        return;
    }
    put_part(out, tp_text_before(kept, head));
    put_part(out, tp_text_after(kept, (size_t)tile));
    put_text(out, " ");
    put_part(out, (struct tp_str){kept.ptr + head + 1, (size_t)tile - head - 1});
}

static void write_plain_name(struct out *out, struct tp_str name)
{
    static const char *const IGEMM[] = {"_bt", "_wt"};
    if (tp_str_starts(name, "Cijk_"))
        write_tensile_name(out, name);
    else if (tp_str_starts(name, "igemm_"))
        put_part(out, name_up_to_marked_words(name, IGEMM, 2));
    else if (tp_str_find(name, "_xmma_") > 0)
        write_xmma_name(out, name);
    else if (tp_str_starts(name, "triton_") && name.len > 96)
        put_abbreviated_name(out, name, 60, 30);
    else
        put_part(out, name);
}

struct tp_str tp_kernel_plain_name(struct tp_arena *arena, struct tp_str name)
{
    struct tp_str plain;
    return tp_demangle_cxx(name, &plain, arena) ? plain : name;
}

bool tp_is_kernel_name(struct tp_str name)
{
    static const char *const BEGINS[] = {"void ", "_Z", "Cijk_", "triton_"};
    for (size_t i = 0; i < sizeof BEGINS / sizeof *BEGINS; i++)
        if (tp_str_starts(name, BEGINS[i]))
            return true;
    return false;
}

struct tp_str tp_kernel_text(struct tp_arena *arena, struct tp_str name)
{
    struct tp_str plain = tp_str_trim(tp_kernel_plain_name(arena, name));
    /* names such as "Memcpy HtoD (Pageable -> Device)" have no parameters */
    if (tp_str_starts(plain, "Mem") || tp_str_starts(plain, "_Z") || plain.len > MOST_READ || plain.len < 2 ||
        tp_str_equal(plain, TP_STR("void")))
        return name;
    struct out out = {.data = tp_arena_alloc(arena, 2 * TP_KERNEL_TEXT_BYTES)};
    if (is_plain(plain))
        write_plain_name(&out, plain);
    else
        write_cxx_name(&out, plain);
    return out.size ? (struct tp_str){out.data, out.size} : name;
}
