/* Reads an array as a stream of numbers: see array.h. */
#include "webreport/trace/arrays/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "writer/base/input.h"

enum {
    BLOCK_BYTES = 1 << 16, /* size of one read from the file, bytes */
    TILE_BYTES = 64 << 20, /* maximum size of a tile, bytes */
    LARGEST_ELEMENT = 8
};

/* A part of an array whose elements are in C order (last dimension fastest). Used for files in Fortran order. */
struct tile {
    bool is_on;
    unsigned char *bytes; /* the elements, at most TILE_BYTES bytes */
    uint64_t next;        /* index in C order of the first element of the next tile */
    size_t size, at;      /* size of the tile, and number of its bytes that were already read, bytes */
};

struct tp_array {
    int fd;
    /* temporary file with the inflated elements, open as fd; NULL unless the elements are needed in another order */
    FILE *inflated_file;
    uint64_t start; /* offset of the .npy in the file, bytes */
    uint64_t end;   /* offset of the end of the stored bytes, bytes */
    uint64_t at;    /* offset of the next stored byte to read, bytes */
    /* is_whole: true if the array has no bytes after its elements, so that its checksum can be compared */
    bool is_deflated, has_crc, is_whole;
    uint32_t crc, wanted_crc;
    z_stream z;
    struct tp_npy npy;
    uint64_t left; /* number of elements not yet read */
    struct tile tile;
    unsigned char in[BLOCK_BYTES], block[BLOCK_BYTES], head[TP_NPY_HEAD_BYTES];
};

int tp_array_open_file(const char *path, uint64_t *size, struct tp_error *err)
{
    struct tp_input input;
    if (tp_input_open(&input, path, TP_INPUT_FILE, err) < 0)
        return TP_EIO;
    *size = input.size;
    return input.fd;
}

/* ---- reading of bytes ---- */

static int inflate_bytes(struct tp_array *a, unsigned char *to, size_t size, size_t *got, struct tp_error *err)
{
    a->z.next_out = to;
    a->z.avail_out = (unsigned)size;
    while (a->z.avail_out) {
        if (a->z.avail_in == 0 && a->at < a->end) {
            size_t n = a->end - a->at < sizeof a->in ? (size_t)(a->end - a->at) : sizeof a->in;
            int code = tp_read_at(a->fd, a->in, n, a->at, err);
            if (code < 0)
                return code;
            a->at += n;
            a->z.next_in = a->in;
            a->z.avail_in = (unsigned)n;
        }
        int result = inflate(&a->z, Z_NO_FLUSH);
        if (result == Z_STREAM_END || (result == Z_BUF_ERROR && a->z.avail_in == 0))
            break;
        if (result != Z_OK)
            return tp_error_set(err, TP_EFORMAT, a->at, "the compressed data is damaged");
    }
    *got = size - a->z.avail_out;
    return TP_OK;
}

/* Reads up to `size` bytes of the .npy, at most BLOCK_BYTES. Sets *got to the number of bytes read, which is below
 * `size` only at the end of the .npy. */
static int read_bytes(struct tp_array *a, unsigned char *to, size_t size, size_t *got, struct tp_error *err)
{
    int code = TP_OK;
    if (a->is_deflated) {
        code = inflate_bytes(a, to, size, got, err);
    } else {
        *got = a->end - a->at < size ? (size_t)(a->end - a->at) : size;
        code = tp_read_at(a->fd, to, *got, a->at, err);
        a->at += *got;
    }
    if (code == TP_OK && a->has_crc)
        a->crc = (uint32_t)crc32(a->crc, to, (unsigned)*got);
    return code;
}

static int read_exactly(struct tp_array *a, unsigned char *to, size_t size, struct tp_error *err)
{
    size_t got = 0;
    int code = read_bytes(a, to, size, &got, err);
    return code == TP_OK && got < size ? tp_error_set(err, TP_ETRUNCATED, a->at, "the array ends early") : code;
}

/* ---- opening and closing ---- */

static int open_file_and_find_data(struct tp_array *a, const struct tp_array_place *place, struct tp_error *err)
{
    uint64_t size = 0;
    a->fd = tp_array_open_file(place->path, &size, err);
    if (a->fd < 0)
        return a->fd;
    a->end = size;
    if (!place->entry)
        return TP_OK;
    int code = tp_zip_data_offset(&a->start, a->fd, size, place->entry, err);
    if (code < 0)
        return code;
    a->at = a->start;
    a->end = a->start + place->entry->stored_size;
    a->has_crc = true;
    a->wanted_crc = place->entry->crc;
    if (place->entry->method != TP_ZIP_DEFLATED)
        return TP_OK;
    a->is_deflated = true;
    return inflateInit2(&a->z, -MAX_WBITS) == Z_OK ? TP_OK : tp_error_set(err, TP_ENOMEM, 0, "out of memory");
}

/* Reads the header of the .npy and no more, so that the next read returns elements. */
static int parse_npy_header(struct tp_array *a, struct tp_error *err)
{
    enum { FIXED = 12 };
    size_t got = 0, more = 0, length;
    int code = read_bytes(a, a->head, FIXED, &got, err);
    if (code < 0)
        return code;
    length = got < FIXED ? 0 : a->head[8] | (size_t)a->head[9] << 8;
    if (got == FIXED && a->head[6] > 1)
        length = length + 2 + ((size_t)a->head[10] << 16) + ((size_t)a->head[11] << 24);
    if (length >= 2 && length - 2 <= sizeof a->head - FIXED)
        code = read_bytes(a, a->head + FIXED, length - 2, &more, err);
    return code < 0 ? code : tp_npy_parse(&a->npy, a->head, got + more, err);
}

static int open_array(struct tp_array *a, const struct tp_array_place *place, struct tp_error *err)
{
    int code = open_file_and_find_data(a, place, err);
    if (code == TP_OK)
        code = parse_npy_header(a, err);
    if (code < 0)
        return code;
    uint64_t bytes = a->npy.count * tp_npy_type_size(a->npy.type), size = place->entry ? place->entry->size : a->end;
    if (size < a->npy.data_offset || size - a->npy.data_offset < bytes)
        return tp_error_set(err, TP_ETRUNCATED, size, "the array ends early");
    a->left = a->npy.count;
    a->is_whole = size - a->npy.data_offset == bytes;
    return TP_OK;
}

int tp_array_open(struct tp_array **out, struct tp_npy *npy, const struct tp_array_place *place, struct tp_error *err)
{
    struct tp_array *a = calloc(1, sizeof *a);
    *out = NULL;
    memset(npy, 0, sizeof *npy);
    if (!a)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    a->fd = -1;
    int code = open_array(a, place, err);
    *npy = a->npy;
    if (code < 0) {
        tp_array_close(a);
        return code;
    }
    *out = a;
    return TP_OK;
}

void tp_array_close(struct tp_array *a)
{
    if (!a)
        return;
    if (a->is_deflated)
        inflateEnd(&a->z);
    if (a->inflated_file)
        fclose(a->inflated_file); /* closes a->fd as well */
    else if (a->fd >= 0)
        close(a->fd);
    free(a->tile.bytes);
    free(a);
}

/* ---- conversion to C order ---- */

/* Inflates the elements into a temporary file without a name, so that the offset of each element is known. */
static int inflate_to_temporary_file(struct tp_array *a, struct tp_error *err)
{
    FILE *file = tmpfile();
    uint64_t left = a->npy.count * tp_npy_type_size(a->npy.type);
    int code = file ? TP_OK : tp_error_set(err, TP_EIO, 0, "no temporary file: %s", strerror(errno));
    while (code == TP_OK && left) {
        size_t size = left < sizeof a->block ? (size_t)left : sizeof a->block;
        code = read_exactly(a, a->block, size, err);
        if (code == TP_OK && fwrite(a->block, 1, size, file) != size)
            code = tp_error_set(err, TP_EIO, 0, "temporary file: %s", strerror(errno));
        left -= size;
    }
    if (code == TP_OK && fflush(file) != 0)
        code = tp_error_set(err, TP_EIO, 0, "temporary file: %s", strerror(errno));
    if (code == TP_OK && a->is_whole && a->crc != a->wanted_crc)
        code = tp_error_set(err, TP_EFORMAT, 0, "the checksum of the archive differs");
    if (!file)
        return code;
    close(a->fd);
    inflateEnd(&a->z);
    a->is_deflated = false;
    a->inflated_file = file;
    a->fd = fileno(file);
    a->start = 0;
    a->npy.data_offset = 0;
    return code;
}

int tp_array_convert_to_c_order(struct tp_array *a, struct tp_error *err)
{
    if (!a->npy.is_fortran || a->npy.rank < 2 || a->npy.count == 0)
        return TP_OK;
    int code = a->is_deflated ? inflate_to_temporary_file(a, err) : TP_OK;
    if (code < 0)
        return code;
    a->has_crc = false;
    a->tile.is_on = true;
    a->tile.bytes = malloc(TILE_BYTES);
    return a->tile.bytes ? TP_OK : tp_error_set(err, TP_ENOMEM, 0, "out of memory");
}

/* Returns the index in Fortran order of the element with the index `at` in C order. first: first dimension to use;
 * earlier dimensions are ignored. */
static uint64_t fortran_index(const struct tp_npy *npy, uint32_t first, uint64_t at)
{
    uint64_t place = 0;
    for (uint32_t i = npy->rank; i-- > first;) {
        uint64_t dim = (uint64_t)npy->dims[i], scale = 1;
        for (uint32_t k = first; k < i; k++)
            scale *= (uint64_t)npy->dims[k];
        place += at % dim * scale;
        at /= dim;
    }
    return place;
}

/* Fills the tile with `rows` rows of the first dimension, from row `first` on. In Fortran order, the file stores the
 * first dimension without gaps, so one read covers many rows. rest: number of elements per row. */
static int fill_tile_with_rows(struct tp_array *a, uint64_t first, size_t rows, size_t rest, struct tp_error *err)
{
    size_t size = tp_npy_type_size(a->npy.type);
    uint64_t height = (uint64_t)a->npy.dims[0];
    for (size_t i = 0; i < rest; i++) {
        uint64_t place = first + height * fortran_index(&a->npy, 1, i);
        for (size_t done = 0; done < rows;) {
            size_t n = rows - done < sizeof a->block / size ? rows - done : sizeof a->block / size;
            int code =
                tp_read_at(a->fd, a->block, n * size, a->start + a->npy.data_offset + (place + done) * size, err);
            if (code < 0)
                return code;
            for (size_t k = 0; k < n; k++)
                memcpy(a->tile.bytes + ((done + k) * rest + i) * size, a->block + k * size, size);
            done += n;
        }
    }
    return TP_OK;
}

/* Fills the tile element by element with a part of a row that is larger than a tile. */
static int fill_elements(struct tp_array *a, size_t count, struct tp_error *err)
{
    size_t size = tp_npy_type_size(a->npy.type);
    int code = TP_OK;
    for (size_t i = 0; i < count && code == TP_OK; i++)
        code = tp_read_at(a->fd, a->tile.bytes + i * size, size,
                          a->start + a->npy.data_offset + fortran_index(&a->npy, 0, a->tile.next + i) * size, err);
    return code;
}

static int fill_tile_in_c_order(struct tp_array *a, struct tp_error *err)
{
    size_t size = tp_npy_type_size(a->npy.type), room = TILE_BYTES / size, count;
    uint64_t height = (uint64_t)a->npy.dims[0], rest = a->npy.count / height;
    int code;
    if (rest <= room) {
        uint64_t first = a->tile.next / rest, rows = room / rest;
        rows = rows < height - first ? rows : height - first;
        count = (size_t)(rows * rest);
        code = fill_tile_with_rows(a, first, (size_t)rows, (size_t)rest, err);
    } else {
        count = a->left < room ? (size_t)a->left : room;
        code = fill_elements(a, count, err);
    }
    a->tile.next += count;
    a->tile.size = count * size;
    a->tile.at = 0;
    return code;
}

/* ---- reading of elements ---- */

static int read_block(struct tp_array *a, unsigned char *to, size_t size, struct tp_error *err)
{
    if (!a->tile.is_on)
        return read_exactly(a, to, size, err);
    while (size) {
        int code = a->tile.at == a->tile.size ? fill_tile_in_c_order(a, err) : TP_OK;
        if (code < 0)
            return code;
        size_t n = a->tile.size - a->tile.at < size ? a->tile.size - a->tile.at : size;
        memcpy(to, a->tile.bytes + a->tile.at, n);
        a->tile.at += n;
        to += n;
        size -= n;
    }
    return TP_OK;
}

int tp_array_read(struct tp_array *a, const struct tp_npy *npy, size_t count, double *values, uint64_t *wide,
                  struct tp_error *err)
{
    size_t size = tp_npy_type_size(a->npy.type);
    for (size_t done = 0; done < count;) {
        size_t n = count - done < BLOCK_BYTES / LARGEST_ELEMENT ? count - done : BLOCK_BYTES / LARGEST_ELEMENT;
        int code = n <= a->left ? read_block(a, a->block, n * size, err)
                                : tp_error_set(err, TP_ETRUNCATED, a->at, "the array ends early");
        if (code < 0)
            return code;
        tp_npy_decode(npy, a->block, n, values + done, wide ? wide + done : NULL);
        a->left -= n;
        done += n;
    }
    if (a->left == 0 && a->has_crc && a->is_whole && a->crc != a->wanted_crc)
        return tp_error_set(err, TP_EFORMAT, a->at, "the checksum of the archive differs");
    return TP_OK;
}
