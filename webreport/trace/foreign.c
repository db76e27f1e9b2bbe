/* Files of other tools: see foreign.h.
 *
 * Sources of the signs: RFC 8878 (zstd), PKWARE's APPNOTE (zip), POSIX ustar (tar), "File header" of SQLite's file
 * format, pickletools and marshal of CPython; tables of Nsight Systems 2024.6 and rocprofv3 (ROCm 6.4); profile.proto
 * of pprof, xplane.proto of XProf, trace_packet.proto of Perfetto; perf.data-file-format.txt of Linux. */
#include "webreport/trace/foreign.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "writer/base/str.h"

/* ---- by fixed bytes ---- */

#define NSYS "an Nsight Systems report: nsys stats FILE reads it, tracepress record -- PROGRAM makes a trace"
#define NSYS_SQLITE                                                                                                    \
    "a database of Nsight Systems, not a trace: nsys stats FILE reads it, tracepress record -- PROGRAM makes a trace"
#define PERF "tracepress does not read it; record the program with tracepress record -- PROGRAM"
#define SNAPSHOT                                                                                                       \
    "a pickle of Python, as torch.cuda.memory._dump_snapshot writes it, not a trace: "                                 \
    "https://pytorch.org/memory_viz shows it; memory is in traces of torch.profiler(profile_memory=True)"
#define FLIGHT                                                                                                         \
    "a dump of PyTorch's Flight Recorder, not a trace: torchfrtrace of PyTorch reads it; name a trace of "             \
    "torch.profiler"
#define PICKLE "a pickle of Python, not a trace"

struct beginning {
    size_t offset;
    const char *bytes;
    size_t size;
    const char *inside; /* a text in what follows; NULL: any */
    const char *what;
};

/* The first row that matches decides. */
static const struct beginning beginnings[] = {
    {0, "\x28\xB5\x2F\xFD", 4, NULL, "compressed by zstd: unpack it first (zstd -d FILE)"},
    {0, "PK\x03\x04", 4, "data.pkl", "a file of torch.save, not a trace"},
    {0, "PK\x03\x04", 4, NULL, "a zip archive: unpack it first (unzip FILE)"},
    {0, "PK\x05\x06", 4, NULL, "an empty zip archive"},
    {0,
     "\xFD"
     "7zXZ",
     5, NULL, "compressed by xz: unpack it first (xz -d FILE)"},
    {0, "BZh", 3, NULL, "compressed by bzip2: unpack it first (bzip2 -d FILE)"},
    {0, "\x1F\x8B", 2, NULL, "compressed by gzip twice: unpack it once (gunzip FILE)"},
    {257, "ustar", 5, NULL, "a tar archive: unpack it (tar xf FILE) and name the traces in it"},
    {0, "SQLite format 3", 16, "rocpd_",
     "a database of rocprofv3 (rocpd), not a trace; torch.profiler writes traces on AMD's GPUs too"},
    {0, "SQLite format 3", 16, "CUPTI_ACTIVITY", NSYS_SQLITE},
    {0, "SQLite format 3", 16, "TARGET_INFO", NSYS_SQLITE},
    {0, "SQLite format 3", 16, NULL, "an SQLite database, not a trace"},
    {0, "NVIDIA Tegra Profiler Report", 28, NULL, NSYS},
    {0, "NVR\0", 4, NULL, "an Nsight Compute report: open it with ncu-ui; tracepress reads timelines"},
    {0, "\001tpspool", 8, NULL, "a recording that was not finished: tracepress recover FILE makes its trace"},
    {0, "PERFILE2", 8, NULL, "perf.data of Linux perf (perf report reads it): " PERF},
    {0, "\x80", 1, "pg_config", FLIGHT},
    {0, "\x80\x02", 2, "segments", SNAPSHOT},
    {0, "\x80\x03", 2, "segments", SNAPSHOT},
    {0, "\x80\x04", 2, "segments", SNAPSHOT},
    {0, "\x80\x05", 2, "segments", SNAPSHOT},
    {0, "\x80\x02", 2, NULL, PICKLE},
    {0, "\x80\x03", 2, NULL, PICKLE},
    {0, "\x80\x04", 2, NULL, PICKLE},
    {0, "\x80\x05", 2, NULL, PICKLE},
};

static const char *by_bytes(const char *text, size_t size)
{
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        const struct beginning *row = &beginnings[i];
        if (size >= row->offset + row->size && memcmp(text + row->offset, row->bytes, row->size) == 0 &&
            (!row->inside || memmem(text, size, row->inside, strlen(row->inside))))
            return row->what;
    }
    return NULL;
}

/* Returns whether the file is a dictionary of marshal whose first key is a tuple of three: file, line and function of
 * cProfile. Marshal adds the bit 0x80 to the type of an object that it may refer to again. */
static bool is_pstats(const char *text, size_t size)
{
    if (size < 6 || (text[0] & 0x7F) != '{')
        return false;
    return ((text[1] & 0x7F) == ')' && text[2] == 3) || ((text[1] & 0x7F) == '(' && memcmp(text + 2, "\3\0\0", 4) == 0);
}

/* ---- JSON without a list of events ---- */

size_t tp_foreign_skip_space(const char *text, size_t size, size_t at)
{
    while (at < size && text[at] && strchr(" \t\r\n", text[at]))
        at++;
    return at;
}

bool tp_foreign_has_key(const char *text, size_t size, const char *key)
{
    const char *end = text + size, *at = text;
    size_t length = strlen(key);
    while ((at = memmem(at, (size_t)(end - at), key, length)) != NULL) {
        at = text + tp_foreign_skip_space(text, size, (size_t)(at - text) + length);
        if (at == end || *at == ':')
            return true;
    }
    return false;
}

/* The first row all of whose keys are there decides. */
static const struct document {
    const char *keys[3];  /* with quotes; NULL: fewer */
    const char *contains; /* a text that must be in it, too; NULL: none */
    const char *what;
} documents[] = {
    {{"\"$schema\""},
     "speedscope.app/",
     "a profile of speedscope, which tracepress writes and does not read: open it in speedscope"},
    {{"\"profiles\"", "\"shared\""},
     NULL,
     "a profile of speedscope, which tracepress writes and does not read: open it in speedscope"},
    {{"\"schema\"", "\"runs\""},
     "tracepress-views",
     "the JSON of a tracepress report, not a trace: name the trace that it was made of"},
    {{"\"schema\"", "\"nodes\""},
     NULL,
     "an execution trace of PyTorch (Chakra): it has no times; name the trace of torch.profiler of the same run"},
    {{"\"nodes\"", "\"samples\"", "\"timeDeltas\""},
     NULL,
     "a CPU profile of V8 (node, Chrome): open it in Chrome DevTools"},
    {{"\"meta\"", "\"threads\""}, NULL, "a profile of the Firefox Profiler: open it in https://profiler.firefox.com"},
    {{"\"entries\"", "\"pg_config\""}, NULL, FLIGHT},
    {{"\"segments\"", "\"device_traces\""},
     NULL,
     "a memory snapshot of torch, not a trace: https://pytorch.org/memory_viz shows it; memory is in traces of "
     "torch.profiler(profile_memory=True)"},
    {{"\"cells\"", "\"nbformat\""}, NULL, "a Jupyter notebook, not a trace"},
};

static const char *by_keys(const char *text, size_t size)
{
    if (tp_foreign_has_key(text, size, "\"traceEvents\""))
        return NULL;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        const struct document *row = &documents[i];
        bool has_all = !row->contains || memmem(text, size, row->contains, strlen(row->contains));
        for (size_t k = 0; k < sizeof row->keys / sizeof *row->keys && row->keys[k]; k++)
            has_all = has_all && tp_foreign_has_key(text, size, row->keys[k]);
        if (has_all)
            return row->what;
    }
    return NULL;
}

/* A list whose first element is no event. */
static const char *by_list(const char *text, size_t size)
{
    size_t at = tp_foreign_skip_space(text, size, 1);
    if (at < size && text[at] == '[')
        return "a memory timeline of torch (export_memory_timeline): it has sizes and no operations; name the trace of "
               "the same run";
    if (tp_foreign_has_key(text, size, "\"children\"") && tp_foreign_has_key(text, size, "\"metrics\"") &&
        !tp_foreign_has_key(text, size, "\"ph\""))
        return "a profile of Proton (Triton), a tree without times: proton-viewer reads it; name a trace of "
               "torch.profiler";
    return NULL;
}

/* ---- texts ---- */

/* Returns how long the time "seconds.fraction:" is whose dot is at `dot`, counted from the dot; 0: there is no time. */
static size_t fraction_length(struct tp_str line, size_t dot)
{
    size_t digits = 0;
    while (dot + 1 + digits < line.len && isdigit((unsigned char)line.ptr[dot + 1 + digits]))
        digits++;
    bool is_time = (digits == 6 || digits == 9) && dot + 1 + digits < line.len && line.ptr[dot + 1 + digits] == ':';
    return is_time && dot > 0 && isdigit((unsigned char)line.ptr[dot - 1]) ? digits + 2 : 0;
}

/* Returns whether a line is a sample as `perf script` prints it: "name pid [cpu] seconds.fraction: period event:", and
 * behind it nothing or, without call chains, the place. */
static bool is_perf_sample(struct tp_str line)
{
    for (size_t i = 1; i < line.len && line.ptr[i] != '{'; i++) {
        size_t length = line.ptr[i] == '.' ? fraction_length(line, i) : 0;
        if (length)
            return memchr(line.ptr + i + length, ':', line.len - i - length) != NULL;
    }
    return false;
}

/* Returns whether a line ends with a space and a count, as each folded stack does. */
static bool ends_with_count(struct tp_str line)
{
    size_t digits = 0;
    while (digits < line.len && isdigit((unsigned char)line.ptr[line.len - 1 - digits]))
        digits++;
    return digits && digits + 1 < line.len && line.ptr[line.len - 1 - digits] == ' ';
}

/* Returns whether the first lines are folded stacks: each ends with a count, and one has frames with ";" between them. */
static bool is_folded(const char *text, size_t size)
{
    enum { LINES = 16 };
    bool has_frames = false;
    for (int lines = 0; lines < LINES && size; lines++) {
        const char *end = memchr(text, '\n', size);
        struct tp_str line = {text, end ? (size_t)(end - text) : size};
        if (!end && lines)
            break; /* the line may be cut */
        if (!ends_with_count(line))
            return false;
        has_frames = has_frames || tp_str_find(line, ";") > 0;
        size -= end ? line.len + 1 : size;
        text = end ? end + 1 : text;
    }
    return has_frames;
}

/* Returns whether a line is of a log that TORCH_TRACE wrote: "V0801 12:00:00.123456 1 torch/..py:1] {..". */
static bool is_torch_log(struct tp_str line)
{
    return line.len > 20 && strchr("VIWE", line.ptr[0]) && isdigit((unsigned char)line.ptr[1]) &&
           isdigit((unsigned char)line.ptr[4]) && line.ptr[5] == ' ' && memmem(line.ptr, line.len, "] {", 3);
}

static const char *by_text(const char *text, size_t size)
{
    const char *line_end = memchr(text, '\n', size);
    struct tp_str line = {text, line_end ? (size_t)(line_end - text) : size};
    struct tp_str head = {text, size < 4096 ? size : 4096};
    if (memmem(head.ptr, head.len, "# captured on", 13) || is_perf_sample(line))
        return "text of perf script (perf report reads its data): " PERF;
    if (is_torch_log(line))
        return "a log of TORCH_TRACE, not a trace: tlparse FILE reads it";
    if (is_folded(text, size)) /* before markup: Python's first frame is "<module>" */
        return "folded stacks, which tracepress writes and does not read: flamegraph.pl or speedscope shows them";
    if (tp_str_starts(head, "<")) {
        if (tp_str_find_lower(head, "<svg") >= 0)
            return "a picture (SVG), not a trace";
        if (tp_str_find_lower(head, "<html") >= 0 || tp_str_find_lower(head, "<!doctype html") >= 0)
            return "a web page (HTML), not a trace: name the file that it was made of";
        return "XML, not a trace";
    }
    return NULL;
}

/* ---- protobuf ---- */

struct message {
    const unsigned char *at, *end;
};

/* Reads a varint. False when the text ends inside it or it has more than ten bytes. */
static bool varint(struct message *m, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 70 && m->at < m->end; shift += 7) {
        unsigned char byte = *m->at++;
        *out |= shift < 64 ? (uint64_t)(byte & 0x7F) << shift : 0;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* Reads one field: its number, and for bytes their range. False at the end and for what is no field. */
static bool field(struct message *m, unsigned *number, struct message *bytes)
{
    uint64_t tag, size;
    *bytes = (struct message){NULL, NULL};
    if (m->at >= m->end || !varint(m, &tag) || tag >> 3 == 0 || tag >> 3 > 1u << 29)
        return false;
    *number = (unsigned)(tag >> 3);
    switch (tag & 7) {
    case 0:
        return varint(m, &size);
    case 1:
        size = 8;
        break;
    case 5:
        size = 4;
        break;
    case 2:
        if (!varint(m, &size))
            return false;
        break;
    default:
        return false;
    }
    if (size > (uint64_t)(m->end - m->at))
        size = (uint64_t)(m->end - m->at); /* cut by the window */
    if ((tag & 7) == 2)
        *bytes = (struct message){m->at, m->at + size};
    m->at += size;
    return true;
}

/* Fields of a TracePacket that each file of Perfetto has in its first packets. */
static bool is_packet(struct message packet)
{
    static const unsigned char known[] = {8, 10, 11, 12, 33, 35, 36, 43, 44, 50, 52, 53, 59, 60};
    unsigned number;
    struct message bytes;
    bool is_one = false;
    while (!is_one && field(&packet, &number, &bytes))
        is_one =
            (number < 128 && memchr(known, (int)number, sizeof known)) || ((number == 1 || number == 6) && bytes.at);
    return is_one;
}

static bool starts_with_device(struct message text)
{
    struct tp_str name = {(const char *)text.at, (size_t)(text.end - text.at)};
    return text.at && (tp_str_starts(name, "/host:") || tp_str_starts(name, "/device:") ||
                       tp_str_starts(name, "Task Environment") || tp_str_starts(name, "/task:"));
}

/* An XPlane's second field is its name. */
static bool is_plane(struct message plane)
{
    unsigned number;
    struct message bytes;
    while (field(&plane, &number, &bytes))
        if (number == 2 && bytes.at)
            return starts_with_device(bytes);
    return false;
}

/* A ValueType of pprof has two numbers and nothing else. */
static bool is_value_type(struct message type)
{
    unsigned number, seen = 0;
    struct message bytes;
    if (type.end - type.at < 2 || type.end - type.at > 12)
        return false;
    while (field(&type, &number, &bytes)) {
        if (number > 2 || bytes.at)
            return false;
        seen++;
    }
    return seen > 0 && type.at == type.end;
}

static const char *by_protobuf(const char *text, size_t size)
{
    struct message file = {(const unsigned char *)text, (const unsigned char *)text + size}, first;
    unsigned number;
    if (!field(&file, &number, &first) || number != 1 || !first.at)
        return NULL;
    if (is_plane(first))
        return "an XPlane of XProf (JAX, TensorFlow, torch_xla), which tracepress writes and does not read: open it in "
               "XProf";
    if (is_value_type(first))
        return "a profile of pprof, which tracepress does not read: go tool pprof FILE";
    for (int packets = 0; packets < 3 && first.at; packets++) {
        if (is_packet(first))
            return "a Perfetto trace (protobuf), which tracepress does not read yet: write the trace as JSON "
                   "(export_chrome_trace with a name that ends in .json), or open it in https://ui.perfetto.dev";
        if (!field(&file, &number, &first) || number != 1)
            return NULL;
    }
    return NULL;
}

/* ---- by name ---- */

static const struct {
    const char *ending, *what; /* what: NULL when only the content says it */
} names[] = {
    {".nsys-rep", NSYS}, {".qdrep", NSYS},     {".qdstrm", NSYS}, {".pickle", NULL},  {".pkl", NULL},
    {".zst", NULL},      {".zip", NULL},       {".xz", NULL},     {".bz2", NULL},     {".sqlite", NULL},
    {".sqlite3", NULL},  {".rocpd", NULL},     {".db", NULL},     {".ncu-rep", NULL}, {".pftrace", NULL},
    {".rpd", NULL},      {".nvvp", NULL},      {".tar", NULL},    {".tar.gz", NULL},  {".tgz", NULL},
    {".pb", NULL},       {".pb.gz", NULL},     {".data", NULL},   {".prof", NULL},    {".perfetto-trace", NULL},
    {".folded", NULL},   {".collapsed", NULL},
};

bool tp_foreign_is_name(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tp_str_ends(tp_str_of(name), names[i].ending))
            return true;
    return false;
}

static const char *by_name(const char *name, bool is_json)
{
    if (strstr(name, ".tfevents.") && !is_json)
        return "an event file of TensorBoard, which tracepress writes and does not read: tensorboard --logdir FOLDER "
               "shows it";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].what && tp_str_ends(tp_str_of(name), names[i].ending) && !is_json)
            return names[i].what;
    return NULL;
}

/* Returns whether JSON begins here, and not a message whose length is the code of a bracket. */
static bool begins_json(const char *text, size_t size)
{
    const char *followers = *text == '{' ? "\"}" : *text == '[' ? "{[]" : "";
    size_t at = tp_foreign_skip_space(text, size, 1);
    return *followers && (at == size || (text[at] && strchr(followers, text[at])));
}

const char *tp_foreign_of_head(const void *bytes, size_t size, const char *name)
{
    const char *text = bytes, *what = size ? by_bytes(text, size) : NULL;
    size_t at = size ? tp_foreign_skip_space(text, size, 0) : 0;
    bool is_json = at < size && begins_json(text + at, size - at);
    if (!what && is_pstats(text, size))
        what = "a profile of Python's cProfile, which tracepress writes and does not read: python -m pstats FILE";
    if (!what && is_json)
        what = text[at] == '{' ? by_keys(text, size) : by_list(text + at, size - at);
    else if (!what && at < size)
        what = by_text(text + at, size - at);
    if (!what && size && text[0] == '\n' && !is_json)
        what = by_protobuf(text, size);
    return what || !name ? what : by_name(name, is_json);
}
