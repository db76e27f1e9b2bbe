/* Reads the rows of tables from the pages of a database file: see table_pages.h.
 *
 * A table is a tree of pages. The rows are in the leaves, and the pages above list their children. The end of a long
 * row is in a chain of further pages. All memory belongs to struct tp_table_pages, so a jump out of a scan loses
 * nothing. */
#include "webreport/trace/inputs/sqlite/table_pages.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "writer/base/input.h"
#include "writer/base/limits.h"

enum {
    FILE_HEAD = 100,         /* bytes before the tree in page 1 */
    LEAST_PAGE = 512,        /* smallest page, bytes */
    LEAST_USABLE = 480,      /* least number of usable bytes of a page */
    BLOCK_BYTES = 128 << 10, /* a block of pages is read at a time; at least the largest page */
    PAD = 32,                /* readable bytes after a block, so that numbers at its end can be read first */
    INNER = 5,               /* type of a page that lists other pages */
    LEAF = 13,               /* type of a page with rows */
    MOST_LEVELS = 20,        /* SQLite's own limit for the depth of a tree */
    LEAF_HEAD = 8,           /* bytes of the head of a leaf, and of an inner page */
    INNER_HEAD = 12,
    ROW_KEY_BYTES = 8
};

/* A part of the file in memory. */
struct block {
    unsigned char *bytes;
    uint64_t number; /* position of the block in the file, in blocks; UINT64_MAX before the first */
    size_t size;
};

/* A page above the leaves, and the next child to visit. */
struct level {
    unsigned char *page; /* NULL until it is needed */
    uint32_t head, next, count;
};

struct tp_table_pages {
    struct tp_input input;
    uint32_t page_bytes, usable_bytes, page_count;
    uint8_t *is_used;            /* one bit per page: the scan has used the page */
    struct block leaves, chains; /* the second block is for the ends of long rows */
    struct level levels[MOST_LEVELS];
    unsigned char *long_row;
    size_t long_row_capacity;
    unsigned char key[ROW_KEY_BYTES]; /* number of the row, as an integer of the file */
    bool is_busy;                     /* true during a scan */
};

/* A scan of one table. */
struct scan {
    struct tp_table_pages *pages;
    const struct tp_table_plan *plan;
    tp_database_use *use;
    void *context;
    struct tp_error *err;
    struct tp_database_row row;
    struct tp_database_value values[TP_DATABASE_COLUMNS];
};

/* The bytes of a row that are in memory. */
struct record {
    const unsigned char *at, *end;
    bool is_cut; /* true if the row has more bytes than this program reads */
};

int tp_table_pages_set_damage(const char *table, const char *why, struct tp_error *err)
{
    return tp_error_set(err, TP_EFORMAT, 0, "damaged SQLite database (%s: %s)", table, why);
}

static int damage(const struct scan *scan, const char *why)
{
    return tp_table_pages_set_damage(scan->plan->table, why, scan->err);
}

/* ---- numbers ---- */

static uint32_t number16(const unsigned char *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t number32(const unsigned char *at)
{
    return number16(at) << 16 | number16(at + 2);
}

/* Reads a number of 1 to 9 bytes, and returns the position after it. */
static const unsigned char *read_number(const unsigned char *at, uint64_t *number)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++) {
        value = value << 7 | (*at & 0x7F);
        if (!(*at++ & 0x80)) {
            *number = value;
            return at;
        }
    }
    *number = value << 8 | *at;
    return at + 1;
}

/* ---- pages ---- */

/* Reads the block of the file that contains the byte `at`. */
static int load_block(const struct tp_table_pages *pages, struct block *block, uint64_t at, struct tp_error *err)
{
    uint64_t number = at / BLOCK_BYTES;
    ssize_t got = 1;
    if (number == block->number)
        return TP_OK;
    block->number = UINT64_MAX;
    for (block->size = 0; got > 0 && block->size < BLOCK_BYTES; block->size += (size_t)got) {
        got = pread(pages->input.fd, block->bytes + block->size, BLOCK_BYTES - block->size,
                    (off_t)(number * BLOCK_BYTES + block->size));
        if (got < 0)
            return tp_error_set(err, TP_EIO, 0, "cannot read the database");
    }
    block->number = number;
    return TP_OK;
}

/* Finds the bytes of a page that the scan has not used yet. They are valid until the next call with this block. */
static int use_page(struct scan *scan, struct block *block, uint32_t page, const unsigned char **out)
{
    struct tp_table_pages *pages = scan->pages;
    if (page == 0 || page > pages->page_count)
        return damage(scan, "a page is not in the file");
    if (pages->is_used[page / 8] >> (page % 8) & 1)
        return damage(scan, "pages are used more than once");
    pages->is_used[page / 8] |= (uint8_t)(1u << (page % 8));
    uint64_t at = (uint64_t)(page - 1) * pages->page_bytes;
    int code = load_block(pages, block, at, scan->err);
    if (code < 0)
        return code;
    *out = block->bytes + at % BLOCK_BYTES;
    return at % BLOCK_BYTES + pages->page_bytes <= block->size ? TP_OK : damage(scan, "a page is not in the file");
}

/* ---- rows ---- */

/* Returns the number of bytes of a row that are in its leaf. size: bytes of the whole row. */
static uint32_t bytes_in_leaf(const struct tp_table_pages *pages, uint32_t size)
{
    uint32_t most = pages->usable_bytes - 35, least = (pages->usable_bytes - 12) * 32 / 255 - 23;
    if (size <= most)
        return size;
    uint32_t fitting = least + (size - least) % (pages->usable_bytes - 4);
    return fitting <= most ? fitting : least;
}

static bool reserve_long_row(struct tp_table_pages *pages, size_t size)
{
    if (size <= pages->long_row_capacity)
        return true;
    unsigned char *larger = realloc(pages->long_row, size);
    pages->long_row = larger ? larger : pages->long_row;
    pages->long_row_capacity = larger ? size : pages->long_row_capacity;
    return larger != NULL;
}

/* Copies a row whose end is in a chain of pages. start: the bytes in the leaf, followed by the number of the first page
 * of the chain. */
static int join_row(struct scan *scan, struct record *record, const unsigned char *start, uint32_t local, uint32_t size)
{
    struct tp_table_pages *pages = scan->pages;
    uint32_t wanted = size < TP_MAX_DATABASE_VALUE_BYTES ? size : TP_MAX_DATABASE_VALUE_BYTES;
    uint32_t got = local, next = number32(start + local);
    if (size / pages->page_bytes > pages->page_count)
        return damage(scan, "a row is longer than the file");
    if (!reserve_long_row(pages, (size_t)wanted + pages->page_bytes + PAD))
        return tp_error_set(scan->err, TP_ENOMEM, 0, "out of memory");
    memcpy(pages->long_row, start, local);
    while (got < wanted) {
        const unsigned char *page;
        uint32_t here = pages->usable_bytes - 4;
        int code = use_page(scan, &pages->chains, next, &page);
        if (code < 0)
            return code;
        here = here < size - got ? here : size - got;
        memcpy(pages->long_row + got, page + 4, here);
        next = number32(page);
        got += here;
    }
    memset(pages->long_row + got, 0, PAD);
    *record = (struct record){pages->long_row, pages->long_row + got, got < size};
    return TP_OK;
}

/* Finds the values of a row. Returns NULL, or the reason why the row is damaged. */
static const char *find_values(struct scan *scan, const struct record *record)
{
    static const uint8_t sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
    const struct tp_table_plan *plan = scan->plan;
    const char *const cut = record->is_cut ? "string or blob too big" : "a row is cut";
    uint64_t head, type;
    const unsigned char *at = read_number(record->at, &head);
    uint32_t i = 0;
    if (head > (uint64_t)(record->end - record->at))
        return cut;
    const unsigned char *const head_end = record->at + head, *body = head_end;
    for (; i < plan->value_count && at < head_end; i++) {
        type = *at;
        at = type < 0x80 ? at + 1 : read_number(at, &type);
        uint64_t size = type < sizeof sizes ? sizes[type] : (type - 12) / 2;
        if (size > (uint64_t)(record->end - body)) /* also for the unknown types 10 and 11 */
            return cut;
        if (plan->columns[i] >= 0)
            scan->values[plan->columns[i]] =
                (struct tp_database_value){body, (uint32_t)size, (uint8_t)(type < 12 ? type : 12 + type % 2)};
        body += size;
    }
    for (; i < plan->value_count; i++)
        if (plan->columns[i] >= 0)
            scan->values[plan->columns[i]].type = 0;
    return NULL;
}

/* Finds the row at a position of a leaf. *bytes: increased by the number of bytes of the row in the leaf. */
static int read_row(struct scan *scan, const unsigned char *page, uint32_t offset, uint32_t *bytes)
{
    struct tp_table_pages *pages = scan->pages;
    const unsigned char *at = page + offset, *const start = at;
    uint64_t size, key;
    struct record record;
    at = read_number(read_number(at, &size), &key);
    if (size > INT32_MAX)
        return damage(scan, "a row is longer than the file");
    uint32_t local = bytes_in_leaf(pages, (uint32_t)size);
    uint32_t end = (uint32_t)(at - page) + local + (local < size ? 4 : 0);
    *bytes += end - (uint32_t)(start - page);
    if (end > pages->usable_bytes || *bytes > pages->usable_bytes)
        return damage(scan, "rows exceed their page");
    record = (struct record){at, at + local, false};
    int code = local < size ? join_row(scan, &record, at, local, (uint32_t)size) : TP_OK;
    if (code < 0)
        return code;
    const char *why = find_values(scan, &record);
    if (why)
        return damage(scan, why);
    if (scan->plan->key_column >= 0 && scan->values[scan->plan->key_column].type == 0) {
        for (unsigned i = 0; i < ROW_KEY_BYTES; i++)
            pages->key[i] = (unsigned char)(key >> (56 - 8 * i));
        scan->values[scan->plan->key_column] = (struct tp_database_value){pages->key, ROW_KEY_BYTES, 6};
    }
    return TP_OK;
}

/* Passes the rows of a leaf to the user of the scan. head: offset of the head of the page. Returns a positive number if
 * the user ends the scan. */
static int read_leaf(struct scan *scan, const unsigned char *page, uint32_t head)
{
    uint32_t count = number16(page + head + 3), first = head + LEAF_HEAD, bytes = first + 2 * count;
    if (bytes > scan->pages->usable_bytes)
        return damage(scan, "rows exceed their page");
    for (uint32_t i = 0, least = bytes; i < count; i++) {
        uint32_t offset = number16(page + first + 2 * i);
        if (offset < least || offset >= scan->pages->usable_bytes)
            return damage(scan, "rows exceed their page");
        int code = read_row(scan, page, offset, &bytes);
        if (code == TP_OK)
            code = scan->use(scan->context, &scan->row, scan->err);
        if (code)
            return code;
    }
    return TP_OK;
}

/* ---- trees ---- */

/* Copies a page that lists other pages to a level. */
static int enter_level(struct scan *scan, struct level *level, const unsigned char *page, uint32_t head)
{
    struct tp_table_pages *pages = scan->pages;
    uint32_t count = number16(page + head + 3);
    if (head + INNER_HEAD + 2 * count > pages->usable_bytes)
        return damage(scan, "a list of pages exceeds its page");
    if (!level->page && !(level->page = malloc(pages->page_bytes)))
        return tp_error_set(scan->err, TP_ENOMEM, 0, "out of memory");
    memcpy(level->page, page, pages->page_bytes);
    level->head = head;
    level->next = 0;
    level->count = count;
    return TP_OK;
}

/* Reads a page: passes on the rows of a leaf, and enters any other page as a further level. Returns the codes of
 * read_leaf. */
static int visit_page(struct scan *scan, uint32_t number, uint32_t *depth)
{
    const unsigned char *page;
    uint32_t head = number == 1 ? FILE_HEAD : 0;
    int code = use_page(scan, &scan->pages->leaves, number, &page);
    if (code < 0)
        return code;
    if (page[head] == LEAF)
        return read_leaf(scan, page, head);
    if (page[head] != INNER || *depth == MOST_LEVELS)
        return damage(scan, "a page is not part of a table");
    return enter_level(scan, &scan->pages->levels[(*depth)++], page, head);
}

/* Finds the next child of a level. The last child is in the head of the page. */
static int next_child(struct scan *scan, struct level *level, uint32_t *child)
{
    uint32_t at = level->head + LEAF_HEAD;
    if (level->next < level->count)
        at = number16(level->page + level->head + INNER_HEAD + 2 * level->next);
    level->next++;
    if (at + 4 > scan->pages->usable_bytes)
        return damage(scan, "a list of pages exceeds its page");
    *child = number32(level->page + at);
    return TP_OK;
}

int tp_table_pages_scan(struct tp_table_pages *pages, const struct tp_table_plan *plan, tp_database_use *use,
                        void *context, struct tp_error *err)
{
    struct scan scan = {.pages = pages, .plan = plan, .use = use, .context = context, .err = err};
    uint32_t depth = 0, child = 0;
    scan.row.values = scan.values;
    pages->is_busy = true;
    memset(pages->is_used, 0, pages->page_count / 8 + 1);
    int code = visit_page(&scan, plan->root, &depth);
    while (code == TP_OK && depth) {
        struct level *level = &pages->levels[depth - 1];
        if (level->next > level->count) {
            depth--;
            continue;
        }
        code = next_child(&scan, level, &child);
        if (code == TP_OK)
            code = visit_page(&scan, child, &depth);
    }
    pages->is_busy = false;
    return code < 0 ? code : TP_OK;
}

/* ---- opening ---- */

/* Reads the head of the file. Returns false if this module cannot read the database. */
static bool read_head(struct tp_table_pages *pages)
{
    enum { PAGE_SIZE = 16, RESERVED = 20, ENCODING = 56, UTF8 = 1 };
    const unsigned char *head = pages->leaves.bytes;
    if (load_block(pages, &pages->leaves, 0, NULL) < 0 || pages->leaves.size < FILE_HEAD)
        return false;
    uint32_t size = number16(head + PAGE_SIZE), encoding = number32(head + ENCODING);
    pages->page_bytes = size == 1 ? 65536 : size;
    pages->usable_bytes = pages->page_bytes - head[RESERVED];
    pages->page_count = 0;
    if (pages->page_bytes < LEAST_PAGE || (size & (size - 1)) || encoding > UTF8 || pages->usable_bytes < LEAST_USABLE)
        return false;
    uint64_t count = pages->input.size / pages->page_bytes;
    pages->page_count = count < UINT32_MAX ? (uint32_t)count : 0;
    pages->is_used = calloc(pages->page_count / 8 + 1, 1);
    return pages->is_used != NULL && pages->page_count;
}

int tp_table_pages_open(struct tp_table_pages **out, const char *path, struct tp_error *err)
{
    struct tp_table_pages *pages = *out = calloc(1, sizeof *pages);
    if (!pages)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    pages->leaves = (struct block){calloc(1, BLOCK_BYTES + PAD), UINT64_MAX, 0};
    pages->chains = (struct block){calloc(1, BLOCK_BYTES + PAD), UINT64_MAX, 0};
    bool has_memory = pages->leaves.bytes && pages->chains.bytes;
    bool is_open = tp_input_open(&pages->input, path, TP_INPUT_FILE, NULL) == TP_OK;
    if (is_open && has_memory && read_head(pages))
        return TP_OK;
    tp_table_pages_close(pages);
    *out = NULL;
    return has_memory ? TP_OK : tp_error_set(err, TP_ENOMEM, 0, "out of memory");
}

void tp_table_pages_close(struct tp_table_pages *pages)
{
    if (!pages)
        return;
    for (unsigned i = 0; i < MOST_LEVELS; i++)
        free(pages->levels[i].page);
    if (pages->input.fd >= 0)
        close(pages->input.fd);
    free(pages->leaves.bytes);
    free(pages->chains.bytes);
    free(pages->is_used);
    free(pages->long_row);
    free(pages);
}

bool tp_table_pages_can_read(struct tp_table_pages *pages, uint32_t root)
{
    uint64_t at = (uint64_t)(root - 1) * pages->page_bytes;
    if (pages->is_busy || root == 0 || root > pages->page_count || load_block(pages, &pages->leaves, at, NULL) < 0)
        return false;
    size_t head = at % BLOCK_BYTES + (root == 1 ? FILE_HEAD : 0);
    return head < pages->leaves.size && (pages->leaves.bytes[head] == LEAF || pages->leaves.bytes[head] == INNER);
}
