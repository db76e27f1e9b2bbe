/* Computes CRC-32C: see crc32c.h. Uses a table of 16 entries, or with SSE4.2 one instruction for eight bytes. */
#include "writer/base/crc32c.h"

#include <stdbool.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

static const uint32_t nibbles[16] = {0x00000000u, 0x105EC76Fu, 0x20BD8EDEu, 0x30E349B1u, 0x417B1DBCu, 0x5125DAD3u,
                                     0x61C69362u, 0x7198540Du, 0x82F63B78u, 0x92A8FC17u, 0xA24BB5A6u, 0xB21572C9u,
                                     0xC38D26C4u, 0xD3D3E1ABu, 0xE330A81Au, 0xF36E6F75u};

uint32_t tp_crc32c_plain(const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    uint32_t crc = ~0u;
    for (; size; size--) {
        crc ^= *p++;
        crc = nibbles[crc & 15] ^ (crc >> 4);
        crc = nibbles[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2,crc32"))) static uint32_t by_instruction(const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    uint64_t crc = ~0u, word;
    for (; size >= 8; p += 8, size -= 8) {
        memcpy(&word, p, 8);
        crc = __builtin_ia32_crc32di(crc, word);
    }
    for (; size; size--)
        crc = __builtin_ia32_crc32qi((uint32_t)crc, *p++);
    return ~(uint32_t)crc;
}

/* Returns whether the processor has the CRC-32C instruction. Uses CPUID once, because __builtin_cpu_supports would
 * check many more features at every program start. */
static bool has_crc32c_instruction(void)
{
    enum { UNKNOWN, NO, YES };
    static int answer; /* stored result; needs no lock, because all threads write the same value */
    unsigned a, b, c = 0, d;
    if (__atomic_load_n(&answer, __ATOMIC_RELAXED) == UNKNOWN)
        __atomic_store_n(&answer, __get_cpuid(1, &a, &b, &c, &d) && c & bit_SSE4_2 ? YES : NO, __ATOMIC_RELAXED);
    return __atomic_load_n(&answer, __ATOMIC_RELAXED) == YES;
}

uint32_t tp_crc32c(const void *bytes, size_t size)
{
    return has_crc32c_instruction() ? by_instruction(bytes, size) : tp_crc32c_plain(bytes, size);
}
#else
uint32_t tp_crc32c(const void *bytes, size_t size)
{
    return tp_crc32c_plain(bytes, size);
}
#endif
