/* Computes CRC-32C (Castagnoli), the checksum of TFRecord files. */
#ifndef TP_WRITER_BASE_CRC32C_H
#define TP_WRITER_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Returns the checksum of `size` bytes (reflected polynomial 0x82F63B78, initial and final inversion). bytes may be
 * NULL if size is 0. Uses the processor's CRC-32C instruction if available. Thread-safe. */
uint32_t tp_crc32c(const void *bytes, size_t size);

/* Computes the checksum four bits at a time, for processors without a CRC-32C instruction, and for the test. */
uint32_t tp_crc32c_plain(const void *bytes, size_t size);

/* Returns the checksum as TFRecord files store it: rotated by 15 bits, plus a constant. Without this change, checksums
 * of data that itself contains checksums would be weak. */
static inline uint32_t tp_crc32c_masked(uint32_t crc)
{
    return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

#endif
