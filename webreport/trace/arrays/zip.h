/* Reads the directory of a zip archive (.npz): names and offsets of its entries. Does not extract entries.
 *
 * Supports stored and deflated entries, Zip64, and other bytes before the archive. Encryption and archives of
 * several parts are unsupported. Format: PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16. */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_ZIP_H
#define TP_WEBREPORT_TRACE_ARRAYS_ZIP_H

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

enum tp_zip_method { TP_ZIP_STORED = 0, TP_ZIP_DEFLATED = 8 };

struct tp_zip_entry {
    struct tp_str name;
    uint64_t offset;            /* offset of the entry's local header in the file, bytes */
    uint64_t stored_size, size; /* size of the entry in the file, and size of its extracted content, bytes */
    uint32_t crc;
    unsigned method;   /* compression method; only those in enum tp_zip_method can be read */
    bool is_encrypted; /* true if the entry is encrypted and cannot be read */
};

struct tp_zip {
    struct tp_zip_entry *entries; /* entries in the order of the directory */
    uint32_t count;
};

/* Reads the directory of an archive into `arena`, whose guard must be set. fd: the open archive. file_size: its size,
 * bytes. Returns 0, TP_EFORMAT or TP_EIO. Returns TP_ELIMIT for more than TP_MAX_ARCHIVE_ENTRIES entries, or for total
 * contents above max_bytes, because overlapping entries could expand to unlimited data. */
int tp_zip_read(struct tp_zip *zip, struct tp_arena *arena, int fd, uint64_t file_size, uint64_t max_bytes,
                struct tp_error *err);

/* Sets *offset to the offset of an entry's first byte, after its local header. Returns 0, TP_EFORMAT or TP_EIO. */
int tp_zip_data_offset(uint64_t *offset, int fd, uint64_t file_size, const struct tp_zip_entry *entry,
                       struct tp_error *err);

/* Reads exactly `size` bytes at `offset` of an open file. Returns 0, TP_ETRUNCATED or TP_EIO. */
int tp_read_at(int fd, void *bytes, size_t size, uint64_t offset, struct tp_error *err);

#endif
