/* Tests demangled names of Rust functions, by the grammar of RFC 2603 and from rustc's output. Punycode is tested by
 * the examples of RFC 3492. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/one_arena.h"
#include "writer/text/demangle.h"
#include "writer/text/demangle_cxx.h"
#include "writer/text/demangle_rust.h"
#include "writer/text/punycode.h"

static const char *plain(const char *mangled)
{
    struct tp_demangle demangle;
    if (setjmp(arena.guard))
        fail();
    tp_demangle_init(&demangle);
    struct tp_str name = tp_demangle(&demangle, tp_str_of(mangled), &arena);
    char *text = tp_arena_alloc(&arena, name.len + 1);
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    return text;
}

struct pair {
    const char *mangled, *plain;
};

static void assert_demangled(const struct pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_string_equal(plain(pairs[i].mangled), pairs[i].plain);
}
#define EXPECT(pairs) assert_demangled(pairs, sizeof(pairs) / sizeof *(pairs))

static void paths_are_demangled_as_in_the_source(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
        {"_RNvNtCs1234_7mycrate6module8function", "mycrate::module::function"},
        {"_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_7Example3foo", "<mycrate::Example>::foo"},
        {"_RNvXs_Cs1_1aNtB4_1SNtB4_1T1f", "<a::S as a::T>::f"},
        {"_RNvYNtCs1_1a1SNtB4_1T1f", "<a::S as a::T>::f"},
        {"_RNCNvCs1_1a4main0", "a::main::{closure#0}"},
        {"_RNCNvCs1_1a4mains0_0", "a::main::{closure#2}"},
        {"_RNSNvCs1_1a1f6vtableB5_", "a::f::{shim:vtable#0}"},
        {"_RNvCs1_1a1f.llvm.123", "a::f"},
        {"_RINvCs1_1a1flECs2_1b", "a::f::<i32>"},
    };
    EXPECT(pairs);
}

static void types_and_constants_are_demangled(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"_RINvC1a1fabcdefhijlmnopstuvxyzE", "a::f::<i8, bool, char, f64, str, f32, u8, isize, usize, i32, u32, i128, "
                                             "u128, _, i16, u16, (), ..., i64, u64, !>"},
        {"_RINvC1a1fRhQhPhOhShAhj8_ThEThlEE",
         "a::f::<&u8, &mut u8, *const u8, *mut u8, [u8], [u8; 8], (u8,), (u8, i32)>"},
        {"_RINvC1a1fTEE", "a::f::<()>"},
        {"_RINvC1a1fFEuFhElFUKCaEzFK9rust_callEuE",
         "a::f::<fn(), fn(u8) -> i32, unsafe extern \"C\" fn(i8) -> !, extern \"rust-call\" fn()>"},
        {"_RINvC1a1fFG_RL0_hERL0_hE", "a::f::<for<'a> fn(&'a u8) -> &'a u8>"},
        {"_RINvC1a1fDNtC1b1TEL_E", "a::f::<dyn b::T>"},
        {"_RINvC1a1fDINtC1b1ThEp4ItemlNtBb_4SendEL_E", "a::f::<dyn b::T<u8, Item = i32> + b::Send>"},
        {"_RINvC1a1fDNtC1b1Tp4ItemlEL_E", "a::f::<dyn b::T<Item = i32>>"},
    };
    EXPECT(pairs);
    static const struct pair constants[] = {
        {"_RINvC1a1fKj7_Kb1_Kb0_Kc78_Kln5_KpE", "a::f::<7, true, false, 'x', -5, _>"},
        {"_RINvC1a1fKce9_Kca_Kc27_Kc1_E", "a::f::<'\xc3\xa9', '\\n', '\\'', '\\u{1}'>"},
        {"_RINvC1a1fKn7fffffffffffffffffffffffffffffff_E", "a::f::<0x7fffffffffffffffffffffffffffffff>"},
    };
    EXPECT(constants);
}

static void hash_of_older_mangling_is_removed(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"_ZN4core3fmt5Write10write_char17h0123456789abcdefE", "core::fmt::Write::write_char"},
        {"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
         "<Test + 'static as foo::Bar<Test>>::bar"},
        {"_ZN3foo17h0123456789abcdefE.llvm.9D1C9369", "foo"},
        {"_ZN3foo17h1111111111111111E", "foo::h1111111111111111"}, /* not a hash of rustc, so the name can be C++ */
        {"_ZN3foo3barEv", "foo::bar()"},
    };
    EXPECT(pairs);
}

static void punycode_is_decoded(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"_RNvC1au8gdel_5qa", "a::g\xc3\xb6"
                              "del"},
    };
    uint32_t text[64];
    /* examples (B) and (L) of RFC 3492, 7.1: simplified Chinese; 3<nen>B<gumi><kinpachi><sensei> */
    static const uint32_t chinese[] = {0x4ED6, 0x4EEC, 0x4E3A, 0x4EC0, 0x4E48, 0x4E0D, 0x8BF4, 0x4E2D, 0x6587};
    static const uint32_t mixed[] = {0x33, 0x5E74, 0x42, 0x7D44, 0x91D1, 0x516B, 0x5148, 0x751F};
    assert_int_equal(tp_punycode(text, 64, (struct tp_str){0}, TP_STR("ihqwcrb4cv8a8dqg056pqjye")), 9);
    assert_memory_equal(text, chinese, sizeof chinese);
    assert_int_equal(tp_punycode(text, 64, TP_STR("3B"), TP_STR("ww4c5e180e575a65lsy2b")), 8);
    assert_memory_equal(text, mixed, sizeof mixed);
    assert_int_equal(tp_punycode(text, 4, TP_STR("3B"), TP_STR("ww4c5e180e575a65lsy2b")), 0);
    assert_int_equal(tp_punycode(text, 64, TP_STR("a"), TP_STR("99999999")), 0);
    assert_int_equal(tp_punycode(text, 64, TP_STR("a"), TP_STR("A")), 0);
    assert_string_equal(plain(pairs[0].mangled), pairs[0].plain);
}

/* Tests that names that cannot be demangled stay unchanged: truncated names, forward and circular references, endless
 * nesting. */
static void invalid_names_stay_unchanged(void **state)
{
    (void)state;
    static const char whole[] = "_RINvNtC1a1b1fRDINtC1b1ThEp4ItemFG_RL0_hEuEL_Aj7_Kj8_E";
    char name[sizeof whole], deep[4096] = "_RINvC1a1f";
    static const char *const wrong[] = {"_R",
                                        "_RC",
                                        "_RB_",
                                        "_RNvB0_1f",
                                        "_RNvC1a9f",
                                        "_RNvC1a1fX",
                                        "_R1NvC1a1f",
                                        "_RINvC1a1fKlx_E",
                                        "_RNvC1a1f\x01",
                                        "_RINvC1a1fRL0_hE",
                                        "_ZN",
                                        "",
                                        "_Z"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_string_equal(plain(wrong[i]), wrong[i]);
    for (size_t size = 3; size < sizeof whole - 1; size++) {
        memcpy(name, whole, size);
        name[size] = '\0';
        struct tp_str text;
        assert_false(tp_demangle_rust(tp_str_of(name), &text, &arena));
    }
    size_t count = strlen(deep);
    memset(deep + count, 'S', 3000); /* a slice of a slice of a slice, 3,000 deep */
    deep[count + 3000] = 'h';
    deep[count + 3001] = 'E';
    assert_string_equal(plain(deep), deep);
    strcpy(deep, "_RINvC1a1fThhhhhhhhE"); /* each pair refers to the pair before it twice, so the name doubles in
                                           * length */
    for (int i = 0; i < 40; i++)
        strcat(deep, "TB9_B9_E");
    strcat(deep, "E");
    assert_non_null(plain(deep));
}

/* ---- C++ names, demangled by tracepress; expected results are from c++filt of binutils ---- */

static const char *demangle_without_runtime(const char *mangled)
{
    struct tp_str text = tp_str_of(mangled);
    if (setjmp(arena.guard))
        fail();
    bool is_read = tp_demangle_cxx(tp_str_of(mangled), &text, &arena);
    assert_true(is_read || text.ptr == mangled);
    return tp_arena_copy(&arena, text.ptr, text.len);
}

static void assert_demangled_without_runtime(const struct pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_string_equal(demangle_without_runtime(pairs[i].mangled), pairs[i].plain);
}
#define EXPECT_OWN(pairs) assert_demangled_without_runtime(pairs, sizeof(pairs) / sizeof *(pairs))

#define GRID                                                                                                           \
    "ck::(anonymous namespace)::Grid<64, unsigned short, float, (ck::Enum)1, ck::Tuple<int, ck::Tuple<> >, "           \
    "ck::Sequence<1, 4, 8> >"

static void kernels_are_demangled_without_a_runtime(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8ELb0ELb1EEEvPT0_PT_PfS4_S4_S4_diib",
         "void aiter::add_rmsnorm_quant_kernel<std::bfloat16_t, std::bfloat16_t, 64, 8, false, true>(std::bfloat16_t*, "
         "std::bfloat16_t*, float*, std::bfloat16_t*, std::bfloat16_t*, std::bfloat16_t*, double, int, int, bool)"},
        {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_",
         "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> "
         ">(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"},
        {"_ZN2ck11kernel_gemmINS_12_GLOBAL__N_14GridILi64EtfLNS_4EnumE1ENS_5TupleIJiNS4_IJEEEEEENS_8SequenceIJLi1ELi4E"
         "Li8EEEEEELb1EEEvPKNT_4ArgsESA_PNS4_IJSA_iEEE",
         "void ck::kernel_gemm<" GRID ", true>(" GRID "::Args const*, " GRID ", ck::Tuple<" GRID ", int>*)"},
        {"_ZN2ck6kentryILi2ENS_8SequenceIJLi128ELi64ELi32EEEEJiPfEEEvDpT1_",
         "void ck::kentry<2, ck::Sequence<128, 64, 32>, int, float*>(int, float*)"},
        {"_Z3fooPFvRKiE.kd", "foo(void (*)(int const&)) [clone .kd]"},
        {"_Z1fIJidfEEvDpRKT_", "void f<int, double, float>(int const&, double const&, float const&)"},
        {"_Z1fIJEEvDpT_", "void f<>()"},
        {"_Z1fIabcdefghijlmEvT8_T9_T10_",
         "void f<signed char, bool, char, double, long double, float, __float128, unsigned char, int, unsigned int, "
         /* the numbers of template parameters are decimal, but those of substitutions (S_) have base 36 */
         "long, unsigned long>(unsigned int, long, unsigned long)"},
    };
    EXPECT_OWN(pairs);
}

static void declarators_lambdas_and_literals_are_demangled(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"_Z1fM1AKFvvE", "f(void (A::*)() const)"},
        {"_Z1fRA10_Ki", "f(int const (&) [10])"},
        {"_Z1fIXadL_Z4siluIiEvT_EEEvv", "void f<&(void silu<int>(int))>()"},
        {"_Z1fILb1ELc97ELs3ELin1ELm3EEvv", "void f<true, (char)97, (short)3, -1, 3ul>()"},
        {"_ZZ4mainENKUlvE0_clEv", "main::{lambda()#2}::operator()() const"},
        {"_ZNSaIcEC1ERKS_", "std::allocator<char>::allocator(std::allocator<char> const&)"},
        {"_ZNSt9enable_ifIXntLb0EEvE4typeE", "std::enable_if<!(false), void>::type"},
        /* A template argument with its type. Written by hand, because c++filt does not support it yet. */
        {"_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EXadL_Z4siluIS2_ES3_S5_EEEEvPS3_PS4_i",
         "void sgl_hip::activation::act_and_mul_kernel<__hip_bfloat16, &(__hip_bfloat16 silu<__hip_bfloat16>("
         "__hip_bfloat16 const&))>(__hip_bfloat16*, __hip_bfloat16 const*, int)"},
    };
    EXPECT_OWN(pairs);
}

static void invalid_cxx_names_stay_unchanged(void **state)
{
    (void)state;
    static const char *const names[] = {"_Z",
                                        "_ZN",
                                        "_ZN3fooE1",
                                        "_Z9foo",
                                        "_Z3foo!",
                                        "foo",
                                        "_ZTV3foo",
                                        "_Z1fIT_Evv",
                                        "_Z1fS0_",
                                        "_Z1fIiEDTcl1gEEv",
                                        "_ZN2ck6kernelINS_5GridI",
                                        "_Z1fv."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(demangle_without_runtime(names[i]), names[i]);
}

/* Tests names of n letters that would expand to 2^n letters, or nest n levels deep. */
static void exponential_names_stay_unchanged(void **state)
{
    (void)state;
    char name[8000], *at = name + sprintf(name, "_Z1fI1aEv");
    at += sprintf(at, "1TIS0_S0_E"); /* defines the substitutions S0_ (f<a>), S1_ (T) and S2_ (T<..>) */
    for (int i = 0; i < 40; i++) {
        int last = i + 2 < 10 ? '0' + i + 2 - 1 : 'A' + i + 2 - 11;
        if (last <= 'Z')
            at += sprintf(at, "S1_IS%c_S%c_E", last, last);
    }
    assert_string_equal(demangle_without_runtime(name), name);
    memset(name, 'P', sizeof name);
    memcpy(name, "_Z1f", 4);
    name[sizeof name - 2] = 'i';
    name[sizeof name - 1] = 0;
    assert_string_equal(demangle_without_runtime(name), name);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(paths_are_demangled_as_in_the_source, begin, end),
        cmocka_unit_test_setup_teardown(types_and_constants_are_demangled, begin, end),
        cmocka_unit_test_setup_teardown(hash_of_older_mangling_is_removed, begin, end),
        cmocka_unit_test_setup_teardown(punycode_is_decoded, begin, end),
        cmocka_unit_test_setup_teardown(invalid_names_stay_unchanged, begin, end),
        cmocka_unit_test_setup_teardown(kernels_are_demangled_without_a_runtime, begin, end),
        cmocka_unit_test_setup_teardown(declarators_lambdas_and_literals_are_demangled, begin, end),
        cmocka_unit_test_setup_teardown(invalid_cxx_names_stay_unchanged, begin, end),
        cmocka_unit_test_setup_teardown(exponential_names_stay_unchanged, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
