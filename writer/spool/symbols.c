/* Converts addresses to frames: see symbols.h. */
#include "writer/spool/symbols.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "writer/base/input.h"
#include "writer/base/limits.h"
#include "writer/base/mapped.h"
#include "writer/spool/eh_frame.h"
#include "writer/spool/inlined.h"
#include "writer/spool/libdw.h"
#include "writer/spool/symbol_table.h"
#include "writer/text/format.h"

enum { MAX_INLINED = 32, MAX_FRAME_BYTES = 1024 };

/* ---- modules ---- */

struct tp_symbol_module {
    uint64_t start, end, bias, since;
    struct tp_str path;
    Dwfl *session; /* libdw's session for the file; NULL: the file was not opened, or cannot be opened */
    Dwfl_Module *file;
    struct tp_eh_frame frame; /* .eh_frame_hdr of the file: the start addresses of its functions; zeroed if it has
                               * none */
    struct tp_inlined inlined;
    struct tp_symbol_table symbols; /* symbols of the file, read when the first name is needed */
    bool was_tried, has_symbols;
};

/* The cached result for an address. */
struct tp_symbol_name {
    uint64_t key; /* hash of address, is_return and module; 0: the entry is free */
    struct tp_symbol_frames frames;
};

/* Frames that are being built. Positions are byte offsets in `text`. */
struct frames_text {
    struct tp_vec text;
    const struct tp_demangle *demangle;
    /* own_size: bytes of the frames from headers of libtracepress, which are first in `text` */
    size_t own_size, name_at, name_size;
    bool is_nameless;
};

void tp_symbols_init(struct tp_symbols *symbols, struct tp_arena *arena)
{
    *symbols = (struct tp_symbols){.arena = arena,
                                   .modules = TP_VEC(arena, struct tp_symbol_module),
                                   .known = TP_VEC(arena, struct tp_symbol_name)};
}

void tp_symbols_add(struct tp_symbols *symbols, uint64_t start, uint64_t end, uint64_t bias, uint64_t since,
                    struct tp_str path)
{
    *(struct tp_symbol_module *)tp_vec_push(&symbols->modules) =
        (struct tp_symbol_module){.start = start, .end = end, .bias = bias, .since = since, .path = path};
}

void tp_symbols_release(struct tp_symbols *symbols)
{
    tp_mapped_replace_lost_pages(symbols->modules.count > 0);
    for (size_t i = 0; i < symbols->modules.count; i++)
        if (TP_AT(&symbols->modules, struct tp_symbol_module, i)->session)
            tp_libdw()->dwfl_end(TP_AT(&symbols->modules, struct tp_symbol_module, i)->session);
    tp_mapped_replace_lost_pages(false);
    *symbols = (struct tp_symbols){0};
}

/* Returns the module that contains the address: the last one loaded before `time`, or else the first one. NULL:
 * none. */
static struct tp_symbol_module *module_at(const struct tp_symbols *symbols, uint64_t address, uint64_t time)
{
    struct tp_symbol_module *found = NULL;
    for (size_t i = 0; i < symbols->modules.count; i++) {
        struct tp_symbol_module *m = TP_AT(&symbols->modules, struct tp_symbol_module, i);
        if (address >= m->start && address < m->end && (!found || m->since <= time))
            found = m;
    }
    return found;
}

enum { MAX_ID_BYTES = 40, ID_TEXT_BYTES = 2 * MAX_ID_BYTES + 1 };

/* Writes the build-id of a file in hexadecimal. Returns false if the file has no build-id. */
static bool write_build_id(char text[ID_TEXT_BYTES], Dwfl_Module *module)
{
    const unsigned char *id;
    GElf_Addr address;
    int size = tp_libdw()->dwfl_module_build_id(module, &id, &address);
    for (int i = 0; i < size && size <= MAX_ID_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    return size >= 2 && size <= MAX_ID_BYTES;
}

struct tp_str tp_symbols_build_id(struct tp_symbols *symbols, uint64_t address, uint64_t time)
{
    const struct tp_symbol_module *m = module_at(symbols, address, time);
    char text[ID_TEXT_BYTES];
    if (!m || !m->file || !write_build_id(text, m->file))
        return (struct tp_str){NULL, 0};
    return tp_str_of(tp_text_printf(symbols->arena, "%s", text));
}

/* Finds the debug information of a file in the system folder for debug packages. Never uses the network. */
// NOLINTNEXTLINE(readability-function-size): the library defines the parameters
static int find_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                           const char *link, GElf_Word crc, char **path)
{
    char id[ID_TEXT_BYTES], text[ID_TEXT_BYTES + 64];
    (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
    if (!write_build_id(id, module))
        return -1;
    snprintf(text, sizeof text, "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
    struct tp_input input;
    if (tp_input_open(&input, text, TP_INPUT_FILE, NULL) == TP_OK)
        *path = strdup(text);
    return input.fd;
}

static int find_no_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **path, Elf **elf)
{
    (void)module, (void)data, (void)name, (void)base, (void)path, (void)elf;
    return -1;
}

/* Returns the segment of a file with the table of its functions. The result is zeroed if the file has no such
 * segment. */
static struct tp_eh_frame find_function_table(Dwfl_Module *file)
{
    GElf_Addr bias;
    GElf_Phdr table = {0}, segment, found = {0};
    size_t count = 0, ident_size = 0;
    const uint16_t one = 1;
    Elf *elf = tp_libdw()->dwfl_module_getelf(file, &bias);
    const char *ident = elf ? tp_libdw()->elf_getident(elf, &ident_size) : NULL;
    if (!ident || ident_size <= EI_DATA || (ident[EI_DATA] == ELFDATA2LSB) != (*(const char *)&one == 1) ||
        tp_libdw()->elf_getphdrnum(elf, &count) != 0)
        return (struct tp_eh_frame){0};
    for (size_t i = 0; i < count; i++)
        if (tp_libdw()->gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_GNU_EH_FRAME)
            table = segment;
    for (size_t i = 0; i < count && table.p_vaddr; i++)
        if (tp_libdw()->gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
            table.p_vaddr >= segment.p_vaddr && table.p_vaddr - segment.p_vaddr < segment.p_filesz)
            found = segment;
    Elf_Data *data = found.p_filesz
                         ? tp_libdw()->elf_getdata_rawchunk(elf, (int64_t)found.p_offset, found.p_filesz, ELF_T_BYTE)
                         : NULL;
    if (!data || !data->d_buf)
        return (struct tp_eh_frame){0};
    return (struct tp_eh_frame){
        .bytes = data->d_buf, .size = data->d_size, .address = found.p_vaddr, .header = table.p_vaddr};
}

static void open_module(struct tp_symbol_module *m, struct tp_arena *arena)
{
    static Dwfl_Callbacks callbacks = {.find_elf = find_no_file, .find_debuginfo = find_debug_file};
    char path[4096];
    m->was_tried = true;
    if (!tp_libdw() || m->path.len == 0 || m->path.ptr[0] != '/' || m->path.len >= sizeof path)
        return;
    memcpy(path, m->path.ptr, m->path.len);
    path[m->path.len] = '\0';
    struct tp_input input;
    if (tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0) /* a pipe would block libdw; tp_input_open rejects it */
        return;
    callbacks.section_address = tp_libdw()->dwfl_offline_section_address;
    m->session = tp_libdw()->dwfl_begin(&callbacks);
    if (m->session) {
        tp_libdw()->dwfl_report_begin(m->session);
        m->file = tp_libdw()->dwfl_report_elf(m->session, path, path, input.fd, m->bias, true);
        tp_libdw()->dwfl_report_end(m->session, NULL, NULL);
    }
    if (!m->file) { /* closed here only if libdw has not taken over the descriptor */
        close(input.fd);
        return;
    }
    m->frame = find_function_table(m->file);
    tp_inlined_read(&m->inlined, m->file, arena);
}

/* ---- one frame ---- */

static struct tp_str file_name(struct tp_str path)
{
    for (size_t i = path.len; i-- > 0;)
        if (path.ptr[i] == '/')
            return (struct tp_str){path.ptr + i + 1, path.len - i - 1};
    return path.len ? path : TP_STR("unknown");
}

/* Adds as much of a text as fits into a frame of MAX_FRAME_BYTES that begins at `start`. Replaces characters that
 * would otherwise end the frame. */
static void append_escaped_frame_part(struct tp_vec *text, size_t start, struct tp_str part)
{
    for (size_t i = 0; i < part.len && text->count - start < MAX_FRAME_BYTES; i++)
        *(char *)tp_vec_push(text) = part.ptr[i] == ';' ? ',' : part.ptr[i];
}

/* Returns whether the file is a header of libtracepress, whose functions the compiler put into the program. */
static bool is_header_of_tracepress(struct tp_str file)
{
    static const char *const headers[] = {"tracepress.h", "tracepress_calls.h", "tracepress_scope.h",
                                          "tracepress_task.h"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (tp_str_equal(file, tp_str_of(headers[i])))
            return true;
    return false;
}

/* Adds a frame, "FILE(LINE): NAME;" or "NAME [LIBRARY];". */
static void append_frame_text(struct frames_text *frames, const char *file, int64_t line, const char *name,
                              struct tp_str library)
{
    struct tp_vec *text = &frames->text;
    size_t start = text->count;
    char number[32];
    if (file) {
        snprintf(number, sizeof number, "(%" PRId64 "): ", line);
        append_escaped_frame_part(text, start, tp_str_of(file));
        append_escaped_frame_part(text, start, tp_str_of(number));
    }
    frames->name_at = text->count;
    append_escaped_frame_part(text, start, tp_demangle(frames->demangle, tp_str_of(name), text->arena));
    frames->name_size = text->count - frames->name_at;
    if (!file) {
        append_escaped_frame_part(text, start, TP_STR(" ["));
        append_escaped_frame_part(text, start, library);
        append_escaped_frame_part(text, start, TP_STR("]"));
    }
    *(char *)tp_vec_push(text) = ';';
    if (start == frames->own_size && file && is_header_of_tracepress(file_name(tp_str_of(file))))
        frames->own_size = text->count;
}

static const char *die_name(Dwarf_Die *die)
{
    static const unsigned ways[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
    Dwarf_Attribute attribute;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (tp_libdw()->dwarf_attr_integrate(die, ways[i], &attribute))
            return tp_libdw()->dwarf_formstring(&attribute);
    return NULL;
}

static bool read_die_number(Dwarf_Die *die, unsigned what, uint64_t *number)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (!tp_libdw()->dwarf_attr_integrate(die, what, &attribute) ||
        tp_libdw()->dwarf_formudata(&attribute, &value) != 0)
        return false;
    *number = value;
    return true;
}

/* Returns the source file of the call that was inlined. Sets *line to its line. */
static const char *source_of_inlined_call(Dwarf_Die *unit, Dwarf_Die *inlined, int64_t *line)
{
    uint64_t file, at;
    Dwarf_Files *files;
    size_t count;
    if (!read_die_number(inlined, DW_AT_call_file, &file) || !read_die_number(inlined, DW_AT_call_line, &at) ||
        tp_libdw()->dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count)
        return NULL;
    *line = (int64_t)at;
    return tp_libdw()->dwarf_filesrc(files, file, NULL, NULL);
}

/* Adds frames from debug information: the functions inlined at `pc`, then the function that contains them. Returns
 * false if there is no debug information for `pc`. */
static bool add_inlined_frames(struct frames_text *frames, struct tp_symbol_module *m, uint64_t pc,
                               struct tp_str library)
{
    Dwarf_Die *unit = NULL;
    const struct tp_inlined_function *function = tp_inlined_find(&m->inlined, pc, &unit);
    Dwarf_Line *source = function ? tp_libdw()->dwarf_getsrc_die(unit, pc - m->inlined.bias) : NULL;
    const char *file = source ? tp_libdw()->dwarf_linesrc(source, NULL, NULL) : NULL;
    int found_line = 0, shown = 0;
    if (!file || tp_libdw()->dwarf_lineno(source, &found_line) != 0)
        return false;
    int64_t line = found_line;
    for (; function && shown < MAX_INLINED; function = function->outer) {
        const char *name = die_name(function->die);
        if (!name)
            continue;
        append_frame_text(frames, file, line, name, library);
        shown++;
        file = function->outer ? source_of_inlined_call(unit, function->die, &line) : NULL;
    }
    return shown > 0;
}

/* Returns the name of the symbol at `pc`, or NULL. A symbol without a size extends to the next symbol, but is not used
 * if another function begins before `pc`. */
static const char *name_of_symbol_at(struct tp_symbol_module *m, uint64_t pc, const struct tp_eh_function *function,
                                     struct tp_arena *arena)
{
    if (!m->has_symbols)
        tp_symbol_table_read(&m->symbols, m->file, arena);
    m->has_symbols = true;
    const struct tp_function_symbol *symbol = tp_symbol_table_find(&m->symbols, pc);
    bool is_other = symbol && !symbol->has_size && function && symbol->start - m->bias < function->start;
    return symbol && !is_other ? tp_symbol_table_name(&m->symbols, symbol) : NULL;
}

static void append_frames_of_address(struct frames_text *frames, struct tp_symbol_module *m, uint64_t pc)
{
    char plain[NAME_MAX + 32];
    struct tp_eh_function function;
    struct tp_str library = m ? file_name(m->path) : TP_STR("unknown");
    if (m && !m->was_tried)
        open_module(m, frames->text.arena);
    if (m && m->file && add_inlined_frames(frames, m, pc, library))
        return;
    bool has_function = m && tp_eh_frame_find_function(&function, &m->frame, pc - m->bias);
    const char *name =
        m && m->file ? name_of_symbol_at(m, pc, has_function ? &function : NULL, frames->text.arena) : NULL;
    if (!name && has_function)
        snprintf(plain, sizeof plain, "%.*s+0x%" PRIx64, library.len < NAME_MAX ? (int)library.len : NAME_MAX,
                 library.ptr, function.start);
    else if (!name)
        snprintf(plain, sizeof plain, "+0x%" PRIx64, m ? pc - m->bias : pc);
    frames->is_nameless = !name && m && m->file;
    append_frame_text(frames, NULL, 0, name ? name : plain, library);
}

/* ---- addresses ---- */

static struct tp_symbol_name *find_slot(const struct tp_symbols *symbols, uint64_t key)
{
    size_t mask = symbols->known.count - 1, at = tp_hash_mix(key, 0x9E3779B97F4A7C15ull) & mask;
    struct tp_symbol_name *names = symbols->known.data;
    while (names[at].key && names[at].key != key)
        at = (at + 1) & mask;
    return &names[at];
}

static void grow_table_of_frames(struct tp_symbols *symbols)
{
    struct tp_vec before = symbols->known;
    size_t count = before.count ? before.count * 2 : 1024;
    if (symbols->known_count * 2 < before.count)
        return;
    symbols->known = TP_VEC(symbols->arena, struct tp_symbol_name);
    for (size_t i = 0; i < count; i++)
        tp_vec_push(&symbols->known);
    for (size_t i = 0; i < before.count; i++) {
        const struct tp_symbol_name *name = TP_AT(&before, struct tp_symbol_name, i);
        if (name->key)
            *find_slot(symbols, name->key) = *name;
    }
}

struct tp_symbol_frames tp_symbols_frames(struct tp_symbols *symbols, uint64_t address, uint64_t time, bool is_return)
{
    struct tp_symbol_module *m = module_at(symbols, address, time);
    size_t number = m ? (size_t)(m - (struct tp_symbol_module *)symbols->modules.data) + 1 : 0;
    uint64_t key = tp_hash_mix(address * 2 + is_return, number + 0xE7037ED1A0B428DBull) | 1;
    grow_table_of_frames(symbols);
    struct tp_symbol_name *name = find_slot(symbols, key);
    if (name->key)
        return name->frames;
    /* loaded only for the first address, so that a recording without stacks does not load the C++ runtime */
    if (!symbols->known_count)
        tp_demangle_init(&symbols->demangle);
    struct frames_text frames = {.text = TP_VEC(symbols->arena, char), .demangle = &symbols->demangle};
    /* makes reads of mapped files safe, because libdw maps files; tp_symbols_release ends this mode after a jump */
    tp_mapped_replace_lost_pages(true);
    append_frames_of_address(&frames, m, address - (is_return && address ? 1 : 0));
    tp_mapped_replace_lost_pages(false);
    const char *text = frames.text.data;
    bool is_own = frames.own_size == frames.text.count || (m && tp_str_starts(file_name(m->path), "libtracepress"));
    size_t left_out = is_own ? 0 : frames.own_size;
    struct tp_str rest = {text + left_out, frames.text.count - left_out};
    name->key = key;
    name->frames = (struct tp_symbol_frames){.text = rest,
                                             .first = {rest.ptr, (size_t)tp_str_find(rest, ";")},
                                             .function = {text + frames.name_at, frames.name_size},
                                             .is_nameless = frames.is_nameless,
                                             .is_own = is_own};
    symbols->known_count++;
    return name->frames;
}
