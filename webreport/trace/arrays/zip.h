/* Reads the directory of a zip archive (.npz): names and offsets of its entries. Extracts nothing.
 *
 * Supports stored and deflated entries, Zip64, and text before the archive. Does not support encryption and archives of
 * several parts. Format: PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16. */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_ZIP_H
#define TP_WEBREPORT_TRACE_ARRAYS_ZIP_H

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

enum tp_zip_method { TP_ZIP_STORED = 0, TP_ZIP_DEFLATED = 8 };

struct tp_zip_entry {
    struct tp_str name;
    uint64_t offset;            /* offset of the entry's local head in the file */
    uint64_t stored_size, size; /* size in the file, and size of the extracted content, bytes */
    uint32_t crc;
    unsigned method;   /* enum tp_zip_method; entries with other methods cannot be read */
    bool is_encrypted; /* true: the entry cannot be read */
};

struct tp_zip {
    struct tp_zip_entry *entries; /* in the order of the directory */
    uint32_t count;
};

/* Reads the directory of the archive that is open as `fd` into `arena`, whose guard must be set. file_size: bytes of
 * the archive. Returns 0, TP_EFORMAT or TP_EIO. Returns TP_ELIMIT for more than TP_MAX_ARCHIVE_ENTRIES entries, or for
 * contents of more than max_bytes in total. Otherwise entries that share bytes could cost unlimited time. */
int tp_zip_read(struct tp_zip *zip, struct tp_arena *arena, int fd, uint64_t file_size, uint64_t max_bytes,
                struct tp_error *err);

/* Finds the offset of an entry's first byte, after its local head. Returns 0, TP_EFORMAT or TP_EIO. */
int tp_zip_data_offset(uint64_t *offset, int fd, uint64_t file_size, const struct tp_zip_entry *entry,
                       struct tp_error *err);

/* Reads exactly `size` bytes at `offset`. Returns 0, TP_ETRUNCATED or TP_EIO. */
int tp_read_at(int fd, void *bytes, size_t size, uint64_t offset, struct tp_error *err);

#endif
