/* Reads the directory of a zip archive (.npz): names and offsets of its entries. Nothing is extracted.
 *
 * Read: stored and deflated entries, Zip64, text before the archive. Not read: encryption, archives of several parts.
 * Format: PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16. */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_ZIP_H
#define TP_WEBREPORT_TRACE_ARRAYS_ZIP_H

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

enum tp_zip_method { TP_ZIP_STORED = 0, TP_ZIP_DEFLATED = 8 };

struct tp_zip_entry {
    struct tp_str name;
    uint64_t offset;            /* offset of its local head in the file */
    uint64_t stored_size, size; /* bytes in the file; bytes of the content */
    uint32_t crc;
    unsigned method;   /* enum tp_zip_method; other methods are not readable */
    bool is_encrypted; /* then not readable */
};

struct tp_zip {
    struct tp_zip_entry *entries; /* in order of the directory */
    uint32_t count;
};

/* Reads the directory of the archive open as `fd`, `file_size` bytes, into `arena` (guard set by the caller). Returns
 * 0; TP_EFORMAT; TP_ELIMIT beyond TP_MAX_ARCHIVE_ENTRIES, or when the contents add up to more than max_bytes (entries
 * that share bytes could otherwise cost unlimited time); TP_EIO. */
int tp_zip_read(struct tp_zip *zip, struct tp_arena *arena, int fd, uint64_t file_size, uint64_t max_bytes,
                struct tp_error *err);

/* Finds the offset of an entry's first byte, after its local head. Returns 0; TP_EFORMAT; TP_EIO. */
int tp_zip_data_offset(uint64_t *offset, int fd, uint64_t file_size, const struct tp_zip_entry *entry,
                       struct tp_error *err);

/* Reads exactly `size` bytes at `offset`. Returns 0; TP_ETRUNCATED; TP_EIO. */
int tp_read_at(int fd, void *bytes, size_t size, uint64_t offset, struct tp_error *err);

#endif
