/* Reads names of matrix products and convolutions. See kernel_product.h. */
#include "writer/text/kernel_product.h"

#include "writer/text/cxx_text.h"
#include "writer/text/format.h"
#include "writer/text/kernel_type.h"

enum { MOST_PARTS = 64, MOST_SIZES = 4, VARIANT_BYTES = 48 };

struct parts {
    struct tp_str items[MOST_PARTS];
    size_t count;
};

/* Splits an identifier at its underscores. Omits empty parts. */
static struct parts split_at_underscores(struct tp_str name)
{
    struct parts parts = {.count = 0};
    while (name.len && parts.count < MOST_PARTS) {
        const char *line = memchr(name.ptr, '_', name.len);
        size_t size = line ? (size_t)(line - name.ptr) : name.len;
        if (size)
            parts.items[parts.count++] = tp_text_before(name, size);
        name = tp_text_after(name, line ? size + 1 : size);
    }
    return parts;
}

static size_t digits_at_start(struct tp_str text)
{
    size_t count = 0;
    while (count < text.len && tp_is_digit(text.ptr[count]))
        count++;
    return count;
}

/* Splits "128x64x32" into sizes. Returns their number; 0 for other texts. */
static size_t split_sizes(struct tp_str text, struct tp_str sizes[MOST_SIZES])
{
    size_t count = 0;
    while (text.len && count < MOST_SIZES) {
        size_t digits = digits_at_start(text);
        if (digits == 0 || digits > 5)
            return 0;
        sizes[count++] = tp_text_before(text, digits);
        text = tp_text_after(text, digits);
        if (text.len && (text.ptr[0] != 'x' || text.len == 1))
            return 0;
        text = tp_text_after(text, text.len != 0);
    }
    return text.len ? 0 : count;
}

static const char *text_of_sizes(struct tp_arena *arena, const struct tp_str *sizes, size_t count)
{
    const char *text = "";
    for (size_t i = 0; i < count && i < 3; i++)
        text = tp_text_printf(arena, "%s%s%.*s", text, i ? "\xc3\x97" : "", (int)sizes[i].len, sizes[i].ptr);
    return text;
}

const char *tp_kernel_tile_text(struct tp_arena *arena, struct tp_str text)
{
    struct tp_str sizes[MOST_SIZES];
    size_t count = split_sizes(text, sizes);
    return count < 2 ? NULL : text_of_sizes(arena, sizes, count);
}

/* Adds a part to a detail, after a space, unless the detail is long. */
static void add_to_detail(struct tp_kernel_meaning *meaning, struct tp_arena *arena, enum tp_kernel_detail detail,
                          struct tp_str part)
{
    const char *old = meaning->details[detail];
    if (!old || strlen(old) + part.len < VARIANT_BYTES)
        meaning->details[detail] =
            tp_text_printf(arena, "%s%s%.*s", old ? old : "", old ? " " : "", (int)part.len, part.ptr);
}

/* ---- Tensile ---- */

/* Returns the type of the data, which the first letters of "BBS" or "HHS" or "F8BS" name. */
static const char *type_of_tensile_letters(struct tp_str letters)
{
    static const char *const TYPES[][2] = {{"F8", "fp8"}, {"B8", "fp8"},      {"I8", "int8"},
                                           {"H", "fp16"}, {"B", "bf16"},      {"S", "fp32"},
                                           {"D", "fp64"}, {"C", "complex64"}, {"Z", "complex128"}};
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (tp_str_starts(letters, TYPES[i][0]))
            return TYPES[i][1];
    return NULL;
}

/* Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32_MI16x16x1_..: "Alik" is a transposed A, because "l" is the
 * index of the sum and "i" the index of the rows. */
static bool find_tensile(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str name)
{
    struct parts parts =
        split_at_underscores(tp_text_after(name, tp_str_starts(name, "Custom_") ? strlen("Custom_") : 0));
    enum { A = 1, B = 2, TYPES = 3 };
    if (parts.count <= TYPES || parts.items[A].ptr[0] != 'A' || parts.items[B].ptr[0] != 'B' ||
        parts.items[A].len < 3 || parts.items[B].len < 3)
        return false;
    meaning->action = "GEMM";
    meaning->type = type_of_tensile_letters(parts.items[TYPES]);
    meaning->details[TP_KERNEL_LAYOUT] = tp_text_printf(arena, "%c%c", parts.items[A].ptr[1] == 'l' ? 't' : 'n',
                                                        parts.items[B].ptr[1] == 'l' ? 'n' : 't');
    for (size_t i = TYPES; i < parts.count; i++) {
        struct tp_str part = parts.items[i];
        if (tp_str_starts(part, "MT") && tp_kernel_tile_text(arena, tp_text_after(part, 2))) {
            meaning->tile = tp_kernel_tile_text(arena, tp_text_after(part, 2));
            break;
        }
        add_to_detail(meaning, arena, TP_KERNEL_VARIANT, part);
    }
    return true;
}

/* ---- MIOpen ---- */

static bool find_implicit_gemm(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str name)
{
    struct parts parts = split_at_underscores(name);
    static const char *const ACTIONS[][2] = {
        {"fwd", "Convolution forward"}, {"bwd", "Convolution input gradient"}, {"wrw", "Convolution weight gradient"}};
    for (size_t i = 0; i < 3 && parts.count > 1; i++)
        if (tp_str_equal(parts.items[1], tp_str_of(ACTIONS[i][0])))
            meaning->action = ACTIONS[i][1];
    for (size_t i = 2; i < parts.count; i++) {
        struct tp_str part = parts.items[i];
        if (!meaning->type && tp_kernel_type_of_part(part))
            meaning->type = tp_kernel_type_of_part(part);
        else if (!meaning->tile && tp_str_starts(part, "bt"))
            meaning->tile = tp_kernel_tile_text(arena, tp_text_after(part, 2));
        else
            add_to_detail(meaning, arena, TP_KERNEL_VARIANT, part);
    }
    return meaning->action != NULL;
}

/* ---- nvjet ---- */

/* nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT: the letters name the types of the data, the accumulator and the result;
 * the sizes are those of the tile, the depth and the stages, and the cluster. */
static bool find_nvjet(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str name)
{
    static const char *const TYPES[][2] = {{"qq", "fp8"}, {"t", "bf16"}, {"h", "fp16"}};
    struct parts parts = split_at_underscores(name);
    struct tp_str sizes[MOST_SIZES], depth[MOST_SIZES];
    size_t at = 1;
    while (at < parts.count && tp_str_starts(parts.items[at], "sm"))
        at++;
    for (size_t i = 0; i < 3 && !meaning->type && at < parts.count; i++)
        if (tp_str_starts(parts.items[at], TYPES[i][0]))
            meaning->type = TYPES[i][1];
    if (at + 2 >= parts.count || split_sizes(parts.items[at + 1], sizes) != 2)
        return false;
    meaning->action = "GEMM";
    at += 2;
    if (split_sizes(parts.items[at], depth) == 2) {
        sizes[2] = depth[0];
        meaning->details[TP_KERNEL_STAGES] = tp_text_printf(arena, "%.*s stages", (int)depth[1].len, depth[1].ptr);
        at++;
    }
    meaning->tile = text_of_sizes(arena, sizes, meaning->details[TP_KERNEL_STAGES] ? 3 : 2);
    for (; at < parts.count; at++)
        add_to_detail(meaning, arena, TP_KERNEL_VARIANT, parts.items[at]);
    return true;
}

/* ---- cuBLAS, cuDNN, CUTLASS ---- */

static const char *const LIBRARIES[] = {"kepler", "maxwell", "pascal", "volta",   "turing", "ampere", "ada",
                                        "hopper", "cudnn",   "sm",     "cutlass", "xmma",   NULL};
static const char *const IGNORED[] = {"execute",   "kernel",   "cudnn",    "cublas",       "5x",   "infer",    "train",
                                      "g1",        "v1",       "tensorop", "tensor16x8x8", "simt", "implicit", "gemm",
                                      "optimized", "tilesize", NULL};
static const char *const IGNORED_STARTS[] = {"warpsize", "warpgroupsize", "tensor16", "tensor8", NULL};

struct reader {
    struct tp_kernel_meaning *meaning;
    struct tp_arena *arena;
    struct tp_str product;                /* part that names the product, such as "s16816gemm" */
    const char *type_before, *type_after; /* types in parts before and after the product; NULL: none */
    struct tp_str sizes[MOST_SIZES];
    size_t size_count;
    bool has_grouped, has_sparse; /* true if the name contains this part */
};

static bool is_product_part(struct tp_str part)
{
    static const char *const ENDS[] = {"gemm", "fprop", "dgrad", "wgrad", "scudnn", "hcudnn", NULL};
    for (size_t i = 0; ENDS[i]; i++)
        if (tp_str_ends(part, ENDS[i]))
            return true;
    return false;
}

/* Reads the first sizes as the tile, and "32x3" after two sizes as the depth and the number of stages. */
static bool read_sizes(struct reader *reader, struct tp_str part)
{
    struct tp_str sizes[MOST_SIZES];
    size_t count = split_sizes(part, sizes);
    if (count < 2)
        return false;
    if (!reader->size_count) {
        memcpy(reader->sizes, sizes, sizeof sizes);
        reader->size_count = count;
        return true;
    }
    if (count != 2 || reader->size_count != 2)
        return false;
    reader->sizes[reader->size_count++] = sizes[0];
    reader->meaning->details[TP_KERNEL_STAGES] =
        tp_text_printf(reader->arena, "%.*s stages", (int)sizes[1].len, sizes[1].ptr);
    return true;
}

static bool is_layout(struct tp_str part)
{
    for (size_t i = 0; i < part.len; i++)
        if (part.ptr[i] != 'n' && part.ptr[i] != 't')
            return false;
    return part.len == 2 || part.len == 3;
}

/* Reads a part after the product. */
static void read_part_after_product(struct reader *reader, struct tp_str part)
{
    struct tp_kernel_meaning *meaning = reader->meaning;
    const char *type = tp_kernel_type_of_part(part);
    if (tp_str_starts(part, "tilesize"))
        part = tp_text_after(part, strlen("tilesize"));
    if (type)
        /* "f32f32_tf32f32_f32" is a product of fp32 data that is computed in tf32 */
        reader->type_after = !reader->type_after || strcmp(type, "tf32") == 0 ? type : reader->type_after;
    else if (read_sizes(reader, part))
        return;
    else if (is_layout(part) && !meaning->details[TP_KERNEL_LAYOUT])
        meaning->details[TP_KERNEL_LAYOUT] = tp_text_printf(reader->arena, "%.*s", (int)part.len, part.ptr);
    else if (tp_str_starts(part, "align") && part.len > 5)
        meaning->details[TP_KERNEL_ALIGNMENT] =
            tp_text_printf(reader->arena, "align %.*s", (int)part.len - 5, part.ptr + 5);
    else if (tp_str_starts(part, "stage") && part.len > 5 && tp_is_digit(part.ptr[5]))
        meaning->details[TP_KERNEL_STAGES] =
            tp_text_printf(reader->arena, "%.*s stages", (int)part.len - 5, part.ptr + 5);
    else if (tp_str_equal(part, TP_STR("grouped")))
        reader->has_grouped = true;
    else if (!tp_str_is_one_of(part, IGNORED) && !tp_str_starts_with_one_of(part, IGNORED_STARTS) &&
             !tp_str_equal(part, TP_STR("stages")))
        add_to_detail(meaning, reader->arena, TP_KERNEL_VARIANT, part);
}

/* Returns the type that the letters before "gemm" imply. "s1688" without another type is a product of fp32 data in
 * tf32. The letter of other products of tensor cores is the type of the accumulator. */
static const char *type_of_product(struct tp_str product)
{
    static const char *const TYPES[][2] = {{"sgemm", "fp32"},      {"dgemm", "fp64"},       {"hgemm", "fp16"},
                                           {"cgemm", "complex64"}, {"zgemm", "complex128"}, {"gcgemm", "complex64"},
                                           {"scudnn", "fp32"},     {"hcudnn", "fp16"},      {"s1688gemm", "tf32"}};
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (tp_str_equal(product, tp_str_of(TYPES[i][0])))
            return TYPES[i][1];
    return product.len > 1 && tp_is_digit(product.ptr[1]) ? product.ptr[0] == 'h'   ? "fp16"
                                                            : product.ptr[0] == 'd' ? "fp64"
                                                                                    : NULL
                                                          : NULL;
}

static const char *action_of_product(const struct reader *reader)
{
    static const char *const ACTIONS[][2] = {{"fprop", "Convolution forward"},
                                             {"dgrad", "Convolution input gradient"},
                                             {"wgrad", "Convolution weight gradient"},
                                             {"cudnn", "Convolution"}};
    for (size_t i = 0; i < sizeof ACTIONS / sizeof *ACTIONS; i++)
        if (tp_str_ends(reader->product, ACTIONS[i][0]))
            return ACTIONS[i][1];
    return reader->has_grouped ? "Grouped GEMM" : reader->has_sparse ? "Sparse GEMM" : "GEMM";
}

static bool has_product(const struct parts *parts)
{
    size_t i = 0;
    while (i < parts->count && !is_product_part(parts->items[i]))
        i++;
    return i < parts->count;
}

static bool find_identifier(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str name)
{
    /* engines that cuDNN generates may contain "fprop" without being convolutions */
    if (tp_str_starts(name, "cudnn_generated_"))
        return false;
    struct parts parts = split_at_underscores(name);
    struct reader reader = {.meaning = meaning, .arena = arena};
    bool is_library = false;
    if (!has_product(&parts))
        return false;
    for (size_t i = 0; i < parts.count; i++) {
        struct tp_str part = parts.items[i];
        reader.has_sparse |= tp_str_equal(part, TP_STR("sparse"));
        is_library |= i < 3 && tp_str_starts_with_one_of(part, LIBRARIES);
        if (reader.product.len) {
            read_part_after_product(&reader, part);
        } else if (is_product_part(part) && (is_library || i == 0)) {
            reader.product = part;
        } else if (tp_kernel_type_of_part(part)) {
            reader.type_before = tp_kernel_type_of_part(part);
        } else if (!tp_str_equal(part, TP_STR("tensorop"))) {
            add_to_detail(meaning, arena, TP_KERNEL_LIBRARY, part);
        }
    }
    const char *implied = type_of_product(reader.product);
    /* a short name such as "gemm_a" of a program is not from a library */
    if (!reader.product.len || (!is_library && (!implied || !reader.size_count)))
        return false;
    meaning->action = action_of_product(&reader);
    meaning->type = reader.type_after ? reader.type_after : reader.type_before ? reader.type_before : implied;
    if (reader.size_count > 1)
        meaning->tile = text_of_sizes(arena, reader.sizes, reader.size_count);
    return true;
}

bool tp_kernel_product_find(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str word)
{
    static const struct {
        const char *begin;
        bool (*find)(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str name);
    } KINDS[] = {{"Cijk_", find_tensile},
                 {"Custom_Cijk_", find_tensile},
                 {"igemm_", find_implicit_gemm},
                 {"nvjet_", find_nvjet},
                 {"", find_identifier}};
    struct tp_kernel_meaning found = *meaning;
    size_t kind = 0;
    while (!tp_str_starts(word, KINDS[kind].begin))
        kind++;
    if (!KINDS[kind].find(&found, arena, word))
        return false;
    *meaning = found;
    return true;
}
