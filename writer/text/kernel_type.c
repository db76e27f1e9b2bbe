/* Names data types. See kernel_type.h. */
#include "writer/text/kernel_type.h"

#include "writer/text/cxx_text.h"

struct spelling {
    const char *text;
    const char *word;
};

static const struct spelling CXX_TYPES[] = {
    {"float", "fp32"},
    {"double", "fp64"},
    {"BFloat16", "bf16"},
    {"__nv_bfloat16", "bf16"},
    {"__hip_bfloat16", "bf16"},
    {"hip_bfloat16", "bf16"},
    {"bfloat16_t", "bf16"},
    {"__bf16", "bf16"},
    {"nv_bfloat16", "bf16"},
    {"bhalf_t", "bf16"},
    {"Half", "fp16"},
    {"__half", "fp16"},
    {"half", "fp16"},
    {"half_t", "fp16"},
    {"_Float16", "fp16"},
    {"tfloat32_t", "tf32"},
    {"Float8_e4m3fn", "fp8"},
    {"Float8_e5m2", "fp8"},
    {"Float8_e4m3fnuz", "fp8"},
    {"Float8_e5m2fnuz", "fp8"},
    {"__nv_fp8_e4m3", "fp8"},
    {"__nv_fp8_e5m2", "fp8"},
    {"float_e4m3_t", "fp8"},
    {"float_e5m2_t", "fp8"},
    {"f8_t", "fp8"},
    {"bf8_t", "fp8"},
    {"fp8_t", "fp8"},
    {"f8_fnuz_t", "fp8"},
    {"bf8_fnuz_t", "fp8"},
    {"f8_ocp_t", "fp8"},
    {"bf8_ocp_t", "fp8"},
    {"complex<float>", "complex64"},
    {"complex<double>", "complex128"},
    {"long", "int64"},
    {"long long", "int64"},
    {"int64_t", "int64"},
    {"int", "int32"},
    {"short", "int16"},
    {"signed char", "int8"},
    {"int8_t", "int8"},
    {"unsigned char", "uint8"},
    {"uint8_t", "uint8"},
    {"bool", "bool"},
    {"OpaqueType<1>", "8-bit data"},
    {"OpaqueType<1u>", "8-bit data"},
    {"OpaqueType<2>", "16-bit data"},
    {"OpaqueType<2u>", "16-bit data"},
    {"OpaqueType<4>", "32-bit data"},
    {"OpaqueType<4u>", "32-bit data"},
    {"OpaqueType<8>", "64-bit data"},
    {"OpaqueType<8u>", "64-bit data"},
    {"OpaqueType<16>", "128-bit data"},
    {"OpaqueType<16u>", "128-bit data"},
};

/* longer spellings first */
static const struct spelling PARTS[] = {
    {"mxfp4", "mxfp4"}, {"tf32", "tf32"}, {"bf16", "bf16"}, {"fp16", "fp16"}, {"fp32", "fp32"},
    {"fp64", "fp64"},   {"e4m3", "fp8"},  {"e5m2", "fp8"},  {"ue8m0", "fp8"}, {"fp8", "fp8"},
    {"f16", "fp16"},    {"f32", "fp32"},  {"f64", "fp64"},  {"int8", "int8"}, {"s32", "int32"},
    {"i32", "int32"},   {"s8", "int8"},   {"i8", "int8"},   {"u8", "uint8"},
};

const char *tp_kernel_type_word(struct tp_str type)
{
    type = tp_str_trim(type);
    while (type.len && (type.ptr[type.len - 1] == '*' || type.ptr[type.len - 1] == '&' || tp_str_ends(type, " const")))
        type.len -= tp_str_ends(type, " const") ? strlen(" const") : 1;
    if (tp_str_starts(type, "const "))
        type = tp_text_after(type, strlen("const "));
    struct tp_cxx_entity entity = tp_cxx_split_name(type);
    type = tp_text_after(type, (size_t)(entity.word.ptr - type.ptr));
    for (size_t i = 0; i < sizeof CXX_TYPES / sizeof *CXX_TYPES; i++)
        if (type.len && *type.ptr == *CXX_TYPES[i].text && tp_str_equal(type, tp_str_of(CXX_TYPES[i].text)))
            return CXX_TYPES[i].word;
    return NULL;
}

const char *tp_kernel_type_of_part(struct tp_str part)
{
    const char *first = NULL;
    while (part.len) {
        size_t i = 0;
        while (i < sizeof PARTS / sizeof *PARTS && (*part.ptr != *PARTS[i].text || !tp_str_starts(part, PARTS[i].text)))
            i++;
        if (i == sizeof PARTS / sizeof *PARTS)
            return NULL;
        first = first ? first : PARTS[i].word;
        part = tp_text_after(part, strlen(PARTS[i].text));
    }
    return first;
}

bool tp_kernel_type_is_float(const char *word)
{
    static const char *const OTHERS[] = {"int", "uint", "bool", NULL};
    return !tp_str_starts_with_one_of(tp_str_of(word), OTHERS) && !tp_str_ends(tp_str_of(word), " data");
}
