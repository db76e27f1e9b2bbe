/* Names kernels by their meaning. See kernel_meaning.h. This file recognizes the kind of a name, and reads names of
 * copies, collectives and CUTLASS templates. The other kinds have their own files. */
#include "writer/text/kernel_meaning.h"

#include "writer/text/cxx_text.h"
#include "writer/text/format.h"
#include "writer/text/kernel_aten.h"
#include "writer/text/kernel_product.h"
#include "writer/text/kernel_triton.h"
#include "writer/text/kernel_type.h"
#include "writer/text/kernel_words.h"
#include "writer/text/kernel_wrapper.h"

enum { MOST_READ = 1 << 16, MAX_DEPTH = 6, DETAIL_BYTES = 40 };

/* ---- copies and collectives ---- */

static bool find_copy(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str name)
{
    static const char *const COPIES[][2] = {{"Memcpy HtoD", "Copy to the GPU"},    {"Memcpy DtoH", "Copy to the CPU"},
                                            {"Memcpy DtoD", "Copy in GPU memory"}, {"Memcpy PtoP", "Copy between GPUs"},
                                            {"Memcpy HtoH", "Copy in CPU memory"}, {"Memset", "Memset"}};
    for (size_t i = 0; i < sizeof COPIES / sizeof *COPIES; i++) {
        struct tp_str rest = tp_text_after(name, name.len < strlen(COPIES[i][0]) ? name.len : strlen(COPIES[i][0]));
        if (!tp_str_starts(name, COPIES[i][0]) || (rest.len && !tp_str_starts(rest, " (")))
            continue;
        meaning->action = COPIES[i][1];
        meaning->remark = tp_str_find(rest, "Pageable") >= 0 ? "pageable"
                          : tp_str_find(rest, "Pinned") >= 0 ? "pinned"
                                                             : NULL;
        if (rest.len > strlen(" ()") && rest.len < DETAIL_BYTES)
            meaning->details[TP_KERNEL_INSTANCE] = tp_arena_copy(arena, rest.ptr + 2, rest.len - 3);
        return true;
    }
    return false;
}

/* "ncclDevKernel_AllReduce_Sum_f32_RING_LL" and, before NCCL 2.18, "ncclKernel_AllReduce_RING_LL_Sum_float". The type
 * counts only where numbers are added; otherwise NCCL names bytes. */
static bool find_collective(struct tp_kernel_meaning *meaning, struct tp_str word)
{
    static const char *const ACTIONS[][2] = {
        {"AllReduce", "NCCL all-reduce"}, {"ReduceScatter", "NCCL reduce-scatter"}, {"AllGather", "NCCL all-gather"},
        {"Broadcast", "NCCL broadcast"},  {"SendRecv", "NCCL send and receive"},    {"AllToAll", "NCCL all-to-all"},
        {"Reduce", "NCCL reduce"},        {"Generic", "NCCL communication"}};
    static const char *const TYPES[][2] = {
        {"_float", "fp32"}, {"_half", "fp16"}, {"_double", "fp64"}, {"_bfloat16", "bf16"}, {"__nv_bfloat16", "bf16"}};
    static const char *const ALGORITHMS[][2] = {
        {"TREE", "tree"}, {"RING", "ring"}, {"COLLNET", "CollNet"}, {"NVLS", "NVLS"}};
    ptrdiff_t at = tp_str_find(word, "Kernel_");
    if (!tp_str_starts(word, "nccl") || at < 0)
        return false;
    struct tp_str rest = tp_text_after(word, (size_t)at + strlen("Kernel_"));
    for (size_t i = 0; i < sizeof ACTIONS / sizeof *ACTIONS && !meaning->action; i++)
        if (tp_str_starts(rest, ACTIONS[i][0]) &&
            (rest.len == strlen(ACTIONS[i][0]) || rest.ptr[strlen(ACTIONS[i][0])] == '_'))
            meaning->action = ACTIONS[i][1];
    for (size_t i = 0; i < 4; i++)
        if (tp_str_find(rest, ALGORITHMS[i][0]) >= 0)
            meaning->details[TP_KERNEL_VARIANT] = ALGORITHMS[i][1];
    if (!meaning->action || tp_str_find(rest, "educe") < 0)
        return meaning->action != NULL;
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (tp_str_ends(rest, TYPES[i][0]))
            meaning->type = TYPES[i][1];
    for (size_t start = 0, i = 0; i <= rest.len && !meaning->type; i++)
        if (i == rest.len || rest.ptr[i] == '_') {
            meaning->type = tp_kernel_type_of_part((struct tp_str){rest.ptr + start, i - start});
            start = i + 1;
        }
    return true;
}

/* ---- CUTLASS ---- */

/* Returns the sizes of "GemmShape<128, 128, 32>" or "tuple<C<128>, C<256>, C<64>>"; NULL for other texts. */
static const char *shape_text(struct tp_arena *arena, struct tp_str text)
{
    struct tp_cxx_entity entity = tp_cxx_split_name(text);
    static const char *const SHAPES[] = {"GemmShape", "tuple", NULL};
    const char *out = "";
    if (!tp_str_is_one_of(entity.word, SHAPES) || entity.count < 2 || entity.count > 3)
        return NULL;
    for (size_t i = 0; i < entity.count; i++) {
        struct tp_str value = tp_cxx_inner_value(entity.arguments[i]);
        if (!tp_cxx_is_number(value) || value.len > 5)
            return NULL;
        out = tp_text_printf(arena, "%s%s%.*s", out, i ? "\xc3\x97" : "", (int)value.len, value.ptr);
    }
    return out;
}

/* Reads the arguments of a CUTLASS product: the main loop has a shape and the type of the first operand, either itself
 * (CUTLASS 3) or in its first iterator (CUTLASS 2). */
static void read_main_loop(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str text)
{
    struct tp_cxx_entity loop = tp_cxx_split_name(text);
    for (size_t i = 0; i < loop.count && !(meaning->tile && meaning->type); i++) {
        const char *type = tp_kernel_type_word(loop.arguments[i]);
        if (!meaning->tile && (meaning->tile = shape_text(arena, loop.arguments[i])))
            continue;
        struct tp_cxx_entity iterator = tp_cxx_split_name(loop.arguments[i]);
        if (!type && meaning->tile && iterator.count > 1 && tp_str_find(iterator.word, "Iterator") > 0)
            type = tp_kernel_type_word(iterator.arguments[1]);
        if (meaning->tile && type && tp_kernel_type_is_float(type) && !meaning->type)
            meaning->type = type;
    }
}

/* Reads "GemmUniversal<.., CollectiveMma<..>, ..>", "Gemm<MmaMultistage<..>, ..>" and "ImplicitGemmConvolution<..>". */
static bool find_cutlass_template(struct tp_kernel_meaning *meaning, struct tp_arena *arena,
                                  const struct tp_cxx_entity *entity)
{
    static const char *const GEMMS[] = {
        "GemmUniversal", "Gemm", "GemmWithKReduction", "GemmUniversalWithVisitor", "GemmUniversalStreamk", NULL};
    static const char *const CONVOLUTIONS[][2] = {{"Wgrad", "Convolution weight gradient"},
                                                  {"Dgrad", "Convolution input gradient"},
                                                  {"Fprop", "Convolution forward"}};
    if (tp_str_is_one_of(entity->word, GEMMS))
        meaning->action = "GEMM";
    else if (tp_str_equal(entity->word, TP_STR("GemmBatched")))
        meaning->action = "Batched GEMM";
    else if (tp_str_starts(entity->word, "GemmGrouped"))
        meaning->action = "Grouped GEMM";
    else if (tp_str_starts(entity->word, "ImplicitGemmConvolution") && entity->count)
        for (size_t i = 0; i < 3 && !meaning->action; i++)
            if (tp_str_find(entity->arguments[0], CONVOLUTIONS[i][0]) >= 0)
                meaning->action = CONVOLUTIONS[i][1];
    if (!meaning->action)
        return false;
    for (size_t i = 0; i < 2 && i < entity->count && !meaning->tile; i++)
        if (tp_str_find(tp_cxx_split_name(entity->arguments[i]).word, "M") >= 0)
            read_main_loop(meaning, arena, entity->arguments[i]);
    return true;
}

/* ---- whole names ---- */

/* Returns the function of a name without its parameters and type of result. */
static struct tp_cxx_entity function_of_name(struct tp_str name)
{
    name = tp_text_before(name, tp_cxx_find_parameters(name));
    for (size_t space; !tp_str_starts(name, "operator") && (space = tp_cxx_find_outside(name, ' ', 0)) < name.len;)
        name = tp_text_after(name, space + 1);
    return tp_cxx_split_name(name);
}

/* Sets the function, which distinguishes kernels with the same meaning. Omits long and general names. */
static void set_function(struct tp_kernel_meaning *meaning, struct tp_arena *arena, const struct tp_cxx_entity *entity)
{
    struct tp_str word = entity->word;
    if (!meaning->details[TP_KERNEL_FUNCTION] && word.len && word.len < DETAIL_BYTES &&
        !tp_str_equal(word, TP_STR("kernel")))
        meaning->details[TP_KERNEL_FUNCTION] = tp_arena_copy(arena, word.ptr, word.len);
}

/* Finds the meaning of a C++ function. Follows wrappers of CUTLASS and Composable Kernel, whose first argument is the
 * kernel. */
static bool find_function(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str name)
{
    struct tp_cxx_entity entity = function_of_name(name);
    struct tp_str inner;
    bool is_found = tp_kernel_aten_find(meaning, arena, &entity, name);
    for (unsigned depth = 0; depth < MAX_DEPTH && !is_found; depth++) {
        is_found = find_collective(meaning, entity.word) || tp_kernel_words_find(meaning, arena, &entity, name) ||
                   (!tp_kernel_find_wrapper(&entity, &inner) && tp_kernel_product_find(meaning, arena, entity.word)) ||
                   find_cutlass_template(meaning, arena, &entity);
        bool is_flash =
            (tp_str_starts(entity.word, "enable_sm") || tp_str_starts(entity.word, "enable_3x_")) && entity.count == 1;
        if (is_found || !(is_flash || tp_kernel_find_wrapper(&entity, &inner)))
            break;
        inner = is_flash ? entity.arguments[0] : inner;
        entity = tp_cxx_split_name(tp_text_before(inner, tp_cxx_find_parameters(inner)));
    }
    set_function(meaning, arena, &entity);
    return is_found;
}

bool tp_kernel_meaning_find(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str plain)
{
    memset(meaning, 0, sizeof *meaning);
    plain = tp_str_trim(plain);
    if (plain.len > MOST_READ || plain.len < 2 || tp_str_starts(plain, "_Z"))
        return false;
    if (tp_str_starts(plain, "Mem"))
        return find_copy(meaning, arena, plain);
    if (tp_kernel_triton_find(meaning, arena, plain))
        return true;
    struct tp_kernel_meaning found = *meaning;
    bool is_found = find_function(&found, arena, plain);
    if (is_found)
        *meaning = found;
    else
        memcpy(meaning->details, found.details, sizeof found.details);
    return is_found;
}

struct tp_str tp_kernel_meaning_text(struct tp_arena *arena, const struct tp_kernel_meaning *meaning)
{
    const char *type = meaning->type ? meaning->type : "", *tile = meaning->tile ? meaning->tile : "";
    const char *second = meaning->second_type ? meaning->second_type : "",
               *remark = meaning->remark ? meaning->remark : "";
    return tp_str_of(tp_text_printf(arena, "%s%s%s%s%s%s%s%s%s", meaning->action, *type ? " " : "", type,
                                    *second ? " \xc3\x97 " : "", second, *tile ? " " : "", tile, *remark ? ", " : "",
                                    remark));
}
