/* Computes SHA-256 (FIPS 180-4), for the Content-Security-Policy of the page and the identity of an input file.
 *
 * Not suitable for secrets. Uses the processor's SHA instructions if available. */
#ifndef TP_WRITER_BASE_SHA256_H
#define TP_WRITER_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tp_sha256 {
    uint32_t state[8];
    uint64_t size; /* number of bytes hashed so far */
    uint8_t block[64];
    /* has_checked_processor: the processor was checked for SHA instructions; has_instructions: the result */
    bool has_checked_processor, has_instructions;
};

void tp_sha256_init(struct tp_sha256 *sha);
void tp_sha256_add(struct tp_sha256 *sha, const void *bytes, size_t size);
/* Writes the digest. Afterwards the state must be initialized again before use. */
void tp_sha256_end(struct tp_sha256 *sha, uint8_t digest[32]);

/* Computes the digest of `size` bytes in one call. */
void tp_sha256_digest(const void *bytes, size_t size, uint8_t digest[32]);

/* Writes a digest as 64 lower-case hexadecimal digits and NUL. */
void tp_sha256_hex(const uint8_t digest[32], char hex[65]);

#endif
