/* How files begin: see file_head.h. Magic numbers: RFC 8878 (zstd), PKWARE's APPNOTE (zip), "File header" of SQLite's
 * file format, pickletools of CPython; tables of Nsight Systems 2024.6 and rocprofv3 (ROCm 6.4) as they name them. */
#include "webreport/trace/file_head.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "webreport/trace/inflate.h"
#include "writer/base/input.h"
#include "writer/base/str.h"

enum { STORED = 1 << 18, TEXT = 1 << 20, FIRST_MEMBERS = 1 << 12 };

/* ---- other tools' files ---- */

static const struct {
    const char *bytes;
    size_t size;
    const char *inside; /* a text in what follows; NULL: any */
    const char *what;
} beginnings[] = {
    {"\x28\xB5\x2F\xFD", 4, NULL, "compressed by zstd: unpack it first (zstd -d FILE)"},
    {"PK\x03\x04", 4, "data.pkl", "a file of torch.save, not a trace"},
    {"PK\x03\x04", 4, NULL, "a zip archive: unpack it first (unzip FILE)"},
    {"PK\x05\x06", 4, NULL, "an empty zip archive"},
    {"\xFD"
     "7zXZ",
     5, NULL, "compressed by xz: unpack it first (xz -d FILE)"},
    {"BZh", 3, NULL, "compressed by bzip2: unpack it first (bzip2 -d FILE)"},
    {"SQLite format 3", 16, "rocpd_",
     "a database of rocprofv3 (rocpd), not a trace; torch.profiler writes traces on AMD's GPUs too"},
    {"SQLite format 3", 16, "CUPTI_ACTIVITY",
     "a database of Nsight Systems, not a trace: nsys stats FILE reads it, tracepress record -- PROGRAM makes a trace"},
    {"SQLite format 3", 16, "TARGET_INFO",
     "a database of Nsight Systems, not a trace: nsys stats FILE reads it, tracepress record -- PROGRAM makes a trace"},
    {"SQLite format 3", 16, NULL, "an SQLite database, not a trace"},
    {"\x80\x02", 2, NULL, NULL},
    {"\x80\x03", 2, NULL, NULL},
    {"\x80\x04", 2, NULL, NULL},
    {"\x80\x05", 2, NULL, NULL},
};

static const char pickle[] =
    "a pickle of Python, as torch.cuda.memory._dump_snapshot writes it, not a trace: https://pytorch.org/memory_viz "
    "shows it; memory is in traces of torch.profiler(profile_memory=True)";

static const char nsys[] = "a report of Nsight Systems, not a trace: nsys stats FILE reads it, "
                           "tracepress record -- PROGRAM makes a trace";

static const struct {
    const char *ending, *what;
} names[] = {
    {".nsys-rep", nsys}, {".qdrep", nsys}, {".qdstrm", nsys}, {".pickle", NULL}, {".pkl", NULL},
    {".zst", NULL},      {".zip", NULL},   {".xz", NULL},     {".bz2", NULL},    {".sqlite", NULL},
    {".sqlite3", NULL},  {".rocpd", NULL}, {".db", NULL},
};

bool tp_file_head_is_foreign_name(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tp_str_ends(tp_str_of(name), names[i].ending))
            return true;
    return false;
}

const char *tp_file_head_foreign(const void *bytes, size_t size, const char *name)
{
    const char *begin = bytes;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        const char *inside = beginnings[i].inside;
        if (size >= beginnings[i].size && memcmp(begin, beginnings[i].bytes, beginnings[i].size) == 0 &&
            (!inside || memmem(begin, size, inside, strlen(inside))))
            return beginnings[i].what ? beginnings[i].what : pickle;
    }
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (names[i].what && tp_str_ends(tp_str_of(name), names[i].ending) && (!size || !strchr("[{", *begin)))
            return names[i].what;
    return NULL;
}

/* ---- the head of a file ---- */

struct head {
    unsigned char *stored;
    char *text;
    size_t stored_size, size; /* size: of text */
};

static void inflate_head(struct head *head, size_t most)
{
    struct tp_inflate inflate;
    head->text = malloc(most);
    if (!head->text || tp_inflate_open(&inflate) < 0)
        return;
    tp_inflate_feed(&inflate, head->stored, head->stored_size);
    head->size = tp_inflate_run(&inflate, head->text, most);
    tp_inflate_close(&inflate);
}

static void release_head(struct head *head)
{
    if (head->text != (char *)head->stored)
        free(head->text);
    free(head->stored);
}

/* The first text of a regular file, `most` bytes of it; empty when there is none. */
static struct head read_head(const char *path, size_t most)
{
    struct head head = {0};
    struct tp_input input;
    size_t stored = most < STORED ? most : STORED;
    if (tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return head;
    head.stored = malloc(most);
    if (head.stored)
        tp_input_read(&head.stored_size, &input, head.stored, stored, 0, NULL);
    bool is_gzip = head.stored_size >= 2 && head.stored[0] == 0x1F && head.stored[1] == 0x8B;
    if (head.stored && !is_gzip && head.stored_size == stored && stored < most) {
        size_t more = 0;
        tp_input_read(&more, &input, head.stored + stored, most - stored, stored, NULL);
        head.stored_size += more;
    }
    close(input.fd);
    if (is_gzip) {
        inflate_head(&head, most);
    } else {
        head.text = (char *)head.stored;
        head.size = head.stored_size;
    }
    return head;
}

/* Whether the key stands there as a key, not inside another text. */
static bool has_key(const char *text, size_t size, const char *key)
{
    const char *end = text + size, *at = text;
    size_t length = strlen(key);
    while ((at = memmem(at, (size_t)(end - at), key, length)) != NULL) {
        at += length;
        while (at < end && strchr(" \t\r\n", *at))
            at++;
        if (at == end || *at == ':')
            return true;
    }
    return false;
}

static bool is_trace(const char *text, size_t size)
{
    size_t at = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < size && text[at] && strchr(" \t\r\n", text[at]))
        at++;
    if (at == size)
        return false;
    if (text[at] == '{')
        return has_key(text + at, size - at, "\"traceEvents\"");
    return text[at] == '[' && has_key(text + at, size - at, "\"ph\"");
}

bool tp_file_head_is_trace(const char *path)
{
    struct head head = read_head(path, TEXT);
    bool is_one = head.text && is_trace(head.text, head.size);
    release_head(&head);
    return is_one;
}

bool tp_file_head_is_from_outside(const char *path)
{
    static const char recorder[] = "\"tracepress_recorder\":\"outside\"";
    struct head head = read_head(path, FIRST_MEMBERS);
    bool is_one = head.size && *head.text == '{' && memmem(head.text, head.size, recorder, sizeof recorder - 1);
    release_head(&head);
    return is_one;
}

const char *tp_file_head_describe(const char *path)
{
    struct head head = read_head(path, TEXT);
    const char *what = head.text ? tp_file_head_foreign(head.text, head.size, path) : NULL;
    release_head(&head);
    return what;
}
