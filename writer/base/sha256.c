/* Computes SHA-256 in plain C, or with x86 SHA instructions, selected at run time. See sha256.h. */
#include "writer/base/sha256.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t k[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint32_t read_big_endian(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void hash_block_plain(uint32_t state[8], const uint8_t *p)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = read_big_endian(p + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t e1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        uint32_t t1 = s[7] + e1 + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
        uint32_t e0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        uint32_t t2 = e0 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

static void hash_blocks_plain(uint32_t state[8], const uint8_t *p, size_t count)
{
    for (; count; count--, p += 64)
        hash_block_plain(state, p);
}

#if defined(__x86_64__)
/* Hashes `count` blocks of 64 bytes with SHA instructions, which need the state as (a b e f) and (c d g h). Each
 * instruction does two rounds. */
__attribute__((target("sha,sse4.1,ssse3"))) static void
hash_blocks_with_sha_instructions(uint32_t state[8], const uint8_t *p, size_t count)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bll, 0x0405060700010203ll);
    __m128i dcba = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
    __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);
    __m128i abef = _mm_alignr_epi8(dcba, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, dcba, 0xF0);
    for (; count; count--, p += 64) {
        __m128i w[4], abef_before = abef, cdgh_before = cdgh;
#pragma GCC unroll 16 /* unrolled, so that the compiler keeps w[] in four registers */
        for (int i = 0; i < 16; i++) {
            __m128i next;
            if (i < 4) {
                next = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(p + 16 * i)), swap);
            } else {
                next = _mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]);
                next = _mm_add_epi32(next, _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4));
                next = _mm_sha256msg2_epu32(next, w[(i + 3) & 3]);
            }
            w[i & 3] = next;
            __m128i sum = _mm_add_epi32(next, _mm_load_si128((const __m128i *)(k + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static bool has_sha_instructions(void)
{
    unsigned a, b = 0, c = 0, d;
    bool has_extension = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA;
    return has_extension && __get_cpuid(1, &a, &b, &c, &d) && c & bit_SSE4_1;
}

static void hash_blocks(struct tp_sha256 *sha, const uint8_t *p, size_t count)
{
    /* only for large inputs, because checking the processor is slow in virtual machines */
    if (count >= 16 && !sha->has_checked_processor) {
        sha->has_checked_processor = true;
        sha->has_instructions = has_sha_instructions();
    }
    (sha->has_instructions ? hash_blocks_with_sha_instructions : hash_blocks_plain)(sha->state, p, count);
}
#else
static void hash_blocks(struct tp_sha256 *sha, const uint8_t *p, size_t count)
{
    hash_blocks_plain(sha->state, p, count);
}
#endif

void tp_sha256_init(struct tp_sha256 *sha)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    *sha = (struct tp_sha256){.size = 0};
    memcpy(sha->state, first, sizeof first);
}

void tp_sha256_add(struct tp_sha256 *sha, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    size_t held = sha->size % 64;
    sha->size += size;
    if (held) {
        size_t take = size < 64 - held ? size : 64 - held;
        if (take)
            memcpy(sha->block + held, p, take);
        if (held + take < 64)
            return;
        hash_blocks(sha, sha->block, 1);
        p += take;
        size -= take;
    }
    hash_blocks(sha, p, size / 64);
    if (size % 64)
        memcpy(sha->block, p + size / 64 * 64, size % 64);
}

void tp_sha256_end(struct tp_sha256 *sha, uint8_t digest[32])
{
    uint8_t tail[72] = {0x80};
    uint64_t bits = sha->size * 8;
    size_t pad = 64 - (sha->size + 8) % 64;
    for (int i = 0; i < 8; i++)
        tail[pad + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
    tp_sha256_add(sha, tail, pad + 8);
    for (int i = 0; i < 32; i++)
        digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - i % 4 * 8));
}

void tp_sha256_digest(const void *bytes, size_t size, uint8_t digest[32])
{
    struct tp_sha256 sha;
    tp_sha256_init(&sha);
    tp_sha256_add(&sha, bytes, size);
    tp_sha256_end(&sha, digest);
}

void tp_sha256_hex(const uint8_t digest[32], char hex[65])
{
    for (int i = 0; i < 32; i++) {
        hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    hex[64] = '\0';
}
