/* Reads the directories of zip archives: see zip.h. Numbers in archives are little endian and not aligned. */
#include "webreport/trace/arrays/zip.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "writer/base/limits.h"

enum {
    END_SIZE = 22,
    END64_LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30,
    /* the comment at the end of an archive has at most 65535 bytes */
    TAIL_SIZE = END_SIZE + 65535 + END64_LOCATOR_SIZE,
    ZIP64_EXTRA = 1
};

static uint32_t read_u16(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t read_u32(const unsigned char *p)
{
    return read_u16(p) | read_u16(p + 2) << 16;
}

static uint64_t read_u64(const unsigned char *p)
{
    return read_u32(p) | (uint64_t)read_u32(p + 4) << 32;
}

int tp_read_at(int fd, void *bytes, size_t size, uint64_t offset, struct tp_error *err)
{
    char *to = bytes;
    while (size) {
        ssize_t n = offset > INT64_MAX ? 0 : pread(fd, to, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tp_error_set(err, TP_EIO, offset, "cannot read: %s", strerror(errno));
        if (n == 0)
            return tp_error_set(err, TP_ETRUNCATED, offset, "the file ends early");
        to += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return TP_OK;
}

/* Position and size of an archive's directory in the file. */
struct directory {
    uint64_t offset, size, count;
    uint64_t end;    /* offset of the end of the directory in the file, bytes */
    uint64_t before; /* number of bytes before the archive in the file, to be added to each offset */
};

static int set_archive_error(struct tp_error *err, const char *what)
{
    return tp_error_set(err, TP_EFORMAT, 0, "the archive %s", what);
}

/* Reads the Zip64 end record, whose offset is in the locator. Archives with more than 65535 entries or 4 GB have
 * this record. */
static int find_zip64_end(struct directory *d, int fd, const unsigned char *locator, uint64_t locator_at,
                          struct tp_error *err)
{
    unsigned char end[END64_SIZE];
    uint64_t at = read_u64(locator + 8);
    if (locator_at < END64_SIZE || at > locator_at - END64_SIZE)
        return set_archive_error(err, "points to a directory beyond its end");
    int code = tp_read_at(fd, end, sizeof end, at, err);
    if (code < 0)
        return code;
    if (memcmp(end, "PK\6\6", 4) != 0)
        return set_archive_error(err, "has no directory at the recorded position");
    d->count = read_u64(end + 32);
    d->size = read_u64(end + 40);
    d->offset = read_u64(end + 48);
    d->end = at;
    return TP_OK;
}

static int find_directory(struct directory *d, int fd, uint64_t file_size, struct tp_arena *arena, struct tp_error *err)
{
    size_t size = file_size < TAIL_SIZE ? (size_t)file_size : TAIL_SIZE;
    unsigned char *tail = tp_arena_alloc(arena, size + 1);
    int code = tp_read_at(fd, tail, size, file_size - size, err);
    size_t at = size < END_SIZE ? 0 : size - END_SIZE + 1;
    while (at > 0 && memcmp(tail + at - 1, "PK\5\6", 4) != 0)
        at--;
    if (code < 0)
        return code;
    if (at-- == 0)
        return set_archive_error(err, "has no end record: it was cut, or it is not a zip archive");
    const unsigned char *end = tail + at;
    *d = (struct directory){.count = read_u16(end + 10),
                            .size = read_u32(end + 12),
                            .offset = read_u32(end + 16),
                            .end = file_size - size + at};
    if (at >= END64_LOCATOR_SIZE && memcmp(end - END64_LOCATOR_SIZE, "PK\6\7", 4) == 0)
        code = find_zip64_end(d, fd, end - END64_LOCATOR_SIZE, d->end - END64_LOCATOR_SIZE, err);
    if (code < 0)
        return code;
    if (d->size > d->end || d->offset > d->end - d->size)
        return set_archive_error(err, "points to a directory beyond its end");
    d->before = d->end - d->size - d->offset;
    if (d->count > TP_MAX_ARCHIVE_ENTRIES || d->size > TP_MAX_ARCHIVE_DIRECTORY_BYTES)
        return tp_error_set(err, TP_ELIMIT, 0,
                            "the archive has more than %u entries, or a directory of more than %u bytes",
                            TP_MAX_ARCHIVE_ENTRIES, TP_MAX_ARCHIVE_DIRECTORY_BYTES);
    return TP_OK;
}

/* Reads the 64-bit sizes and offset of an entry from its extra fields, if the 32-bit fields are too small for them.
 * Returns false if the extra fields are too short. */
static bool read_extra_field(struct tp_zip_entry *entry, const unsigned char *extra, size_t size)
{
    uint64_t *fields[] = {&entry->size, &entry->stored_size, &entry->offset};
    for (size_t at = 0; at + 4 <= size;) {
        size_t length = read_u16(extra + at + 2), from = at + 4;
        if (length > size - from)
            return false;
        for (size_t i = 0; read_u16(extra + at) == ZIP64_EXTRA && i < 3; i++) {
            if (*fields[i] != UINT32_MAX)
                continue;
            if (length < 8)
                return false;
            *fields[i] = read_u64(extra + from);
            from += 8;
            length -= 8;
        }
        at += 4 + read_u16(extra + at + 2);
    }
    return true;
}

/* Reads the directory entry at p. Sets *used to the size of the entry in the directory, bytes. Returns 0, or -1 for
 * a broken entry. */
static int read_entry(struct tp_zip_entry *entry, const unsigned char *p, size_t left, const struct directory *d,
                      size_t *used)
{
    if (left < ENTRY_SIZE || memcmp(p, "PK\1\2", 4) != 0)
        return -1;
    size_t name = read_u16(p + 28), extra = read_u16(p + 30), comment = read_u16(p + 32);
    *used = ENTRY_SIZE + name + extra + comment;
    if (*used > left)
        return -1;
    *entry = (struct tp_zip_entry){.name = {(const char *)p + ENTRY_SIZE, name},
                                   .is_encrypted = read_u16(p + 8) & 1,
                                   .method = read_u16(p + 10),
                                   .crc = read_u32(p + 16),
                                   .stored_size = read_u32(p + 20),
                                   .size = read_u32(p + 24),
                                   .offset = read_u32(p + 42)};
    if (!read_extra_field(entry, p + ENTRY_SIZE + name, extra))
        return -1;
    return __builtin_add_overflow(entry->offset, d->before, &entry->offset) ? -1 : 0;
}

int tp_zip_read(struct tp_zip *zip, struct tp_arena *arena, int fd, uint64_t file_size, uint64_t max_bytes,
                struct tp_error *err)
{
    struct directory d = {0};
    size_t used = 0;
    uint64_t total = 0;
    *zip = (struct tp_zip){NULL, 0};
    int code = find_directory(&d, fd, file_size, arena, err);
    if (code < 0)
        return code;
    if (d.count > d.size / ENTRY_SIZE)
        return set_archive_error(err, "has a directory that is too short");
    unsigned char *p = tp_arena_alloc(arena, (size_t)d.size + 1), *end = p + d.size;
    zip->entries = tp_arena_array(arena, (size_t)d.count, sizeof *zip->entries);
    code = tp_read_at(fd, p, (size_t)d.size, d.end - d.size, err);
    for (; code == TP_OK && zip->count < d.count; p += used, zip->count++) {
        struct tp_zip_entry *entry = &zip->entries[zip->count];
        if (read_entry(entry, p, (size_t)(end - p), &d, &used) < 0)
            return set_archive_error(err, "has a broken directory");
        if (__builtin_add_overflow(total, entry->size, &total) || total > max_bytes)
            return tp_error_set(err, TP_ELIMIT, 0, "the archive contains more than %llu bytes",
                                (unsigned long long)max_bytes);
    }
    return code;
}

int tp_zip_data_offset(uint64_t *offset, int fd, uint64_t file_size, const struct tp_zip_entry *entry,
                       struct tp_error *err)
{
    unsigned char local[LOCAL_SIZE] = {0};
    if (entry->is_encrypted || (entry->method != TP_ZIP_STORED && entry->method != TP_ZIP_DEFLATED))
        return tp_error_set(err, TP_EUNSUPPORTED, 0, "compressed by method %u%s", entry->method,
                            entry->is_encrypted ? ", encrypted" : "");
    int code = tp_read_at(fd, local, sizeof local, entry->offset, err);
    if (code < 0)
        return code;
    if (memcmp(local, "PK\3\4", 4) != 0)
        return set_archive_error(err, "has no entry at a recorded position");
    *offset = entry->offset + LOCAL_SIZE + read_u16(local + 26) + read_u16(local + 28);
    if (*offset > file_size || entry->stored_size > file_size - *offset)
        return set_archive_error(err, "has an entry that extends beyond its end");
    if (entry->method == TP_ZIP_STORED && entry->stored_size != entry->size)
        return set_archive_error(err, "has an entry with two different sizes");
    return TP_OK;
}
