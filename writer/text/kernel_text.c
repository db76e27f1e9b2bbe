/* Shortens names of kernels: see kernel_text.h. A C++ name is split as text: "path::word<arguments>(parameters)". If
 * the word is a known wrapper, one of its arguments names the operation. */
#include "writer/text/kernel_text.h"

#include "writer/base/limits.h"
#include "writer/text/cxx_text.h"
#include "writer/text/demangle_cxx.h"
#include "writer/text/kernel_meaning.h"
#include "writer/text/kernel_wrapper.h"

enum { ARGUMENT_BYTES = 56, MOST_READ = 1 << 16, MAX_DEPTH = 6, MAX_SHAPES = 2 };

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
    if (bytes < 60) {
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

/* Stores the types of a wrapper's data in `kept`, unless an outer wrapper has stored its types. */
static void store_types(struct out *out, const struct tp_cxx_entity *entity, struct tp_str *kept)
{
    size_t count = out->type_count ? 0 : tp_kernel_types_of_wrapper(entity, kept);
    if (count)
        out->types = kept;
    out->type_count = count ? count : out->type_count;
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
    const char *label = tp_kernel_find_wrapper(&entity, &inner);
    if (label && depth < MAX_DEPTH) {
        struct tp_str kept[TP_KERNEL_TYPES];
        size_t outer_count = out->type_count;
        store_types(out, &entity, kept);
        put_text(out, label);
        put_wrapped_operation(out, inner, depth + 1);
        out->type_count = outer_count;
        return;
    }
    write_operation(out, entity.word);
    tp_cxx_split_arguments(&lambda, tp_kernel_last_lambda(tp_text_after(text, parameters)));
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
    const char *label = tp_kernel_find_wrapper(&entity, &inner);
    if (label && depth < MAX_DEPTH) {
        struct tp_str kept[TP_KERNEL_TYPES];
        size_t outer_count = out->type_count;
        store_types(out, &entity, kept);
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

/* Writes the innermost namespace or class of a path that is not a common one. */
static void write_innermost_part(struct out *out, struct tp_str path)
{
    static const char *const NOISE[] = {
        "(anonymous namespace)", "native", "detail", "internal", "impl", "kernel", "device", "cuda", "at", NULL};
    struct tp_str innermost = {"", 0};
    while (path.len) {
        size_t colon = tp_cxx_find_outside(path, ':', 0);
        struct tp_str word = tp_cxx_split_name(tp_text_before(path, colon)).word;
        if (word.len && !tp_str_is_one_of(word, NOISE))
            innermost = word;
        path = tp_text_after(path, colon + 2 < path.len ? colon + 2 : path.len);
    }
    put_part(out, innermost);
    put_text(out, innermost.len ? "::" : "");
}

static void write_cxx_name(struct out *out, struct tp_str name)
{
    struct tp_str inner;
    name = tp_text_before(name, tp_cxx_find_parameters(name));
    for (size_t space; !tp_str_starts(name, "operator") && (space = tp_cxx_find_outside(name, ' ', 0)) < name.len;)
        name = tp_text_after(name, space + 1); /* removes the return type */
    struct tp_cxx_entity entity = tp_cxx_split_name(name);
    const char *label = tp_kernel_find_wrapper(&entity, &inner);
    if (!label) {
        write_innermost_part(out, entity.path);
        put_part(out, entity.word);
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

static void write_plain_name(struct out *out, struct tp_str name)
{
    if (tp_str_starts(name, "triton_") && name.len > 96)
        put_abbreviated_name(out, name, 60, 30);
    else
        put_part(out, name);
}

struct tp_str tp_kernel_plain_name(struct tp_arena *arena, struct tp_str name)
{
    struct tp_str plain;
    return tp_demangle_cxx(name, &plain, arena) ? plain : name;
}

/* Returns the name without noise, for kernels whose meaning is not certain. */
static struct tp_str text_without_noise(struct tp_arena *arena, struct tp_str name, struct tp_str plain)
{
    /* names such as "Memcpy (Unknown)" have no parameters */
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

struct tp_str tp_kernel_text(struct tp_arena *arena, struct tp_str name)
{
    return tp_kernel_text_of_plain(arena, name, tp_kernel_plain_name(arena, name));
}

struct tp_str tp_kernel_text_of_plain(struct tp_arena *arena, struct tp_str name, struct tp_str plain)
{
    struct tp_kernel_meaning meaning;
    plain = tp_str_trim(plain);
    if (tp_kernel_meaning_find(&meaning, arena, plain))
        return tp_kernel_meaning_text(arena, &meaning);
    return text_without_noise(arena, name, plain);
}
