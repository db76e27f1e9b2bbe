/* Detects Python interpreters: see python_file.h. The file may be invalid, so each offset is checked against the size
 * that was read. */
#include "collector/outside/python/python_file.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "writer/base/input.h"

enum { MOST_SECTIONS = 1024, MOST_BYTES = 32 << 20 };

/* Reads `size` bytes at file offset `at` into `part`. Returns false if the file is shorter. */
static bool load_file_part(struct tp_buf *part, int fd, uint64_t at, uint64_t size)
{
    tp_buf_init(part, MOST_BYTES);
    if (!size || size > MOST_BYTES || at > INT64_MAX - size || tp_buf_reserve(part, (size_t)size) != 0)
        return false;
    ssize_t got = pread(fd, part->data, (size_t)size, (off_t)at);
    part->size = got > 0 ? (size_t)got : 0;
    return part->size == size;
}

static const char *symbol_name(const struct tp_buf *names, uint32_t at)
{
    return at < names->size && memchr(names->data + at, '\0', names->size - at) ? names->data + at : "";
}

/* Returns the minor version of Python 3 from the constant Py_Version, such as 11 from 0x030b02f0; 0: unknown. */
static int minor_from_constant(int fd, const struct tp_buf *sections, const Elf64_Sym *symbol)
{
    Elf64_Shdr section;
    uint32_t version = 0;
    if (symbol->st_shndx >= sections->size / sizeof section)
        return 0;
    memcpy(&section, sections->data + symbol->st_shndx * sizeof section, sizeof section);
    uint64_t at = symbol->st_value - section.sh_addr + section.sh_offset;
    if (section.sh_type == SHT_NOBITS || at > INT64_MAX ||
        pread(fd, &version, sizeof version, (off_t)at) != sizeof version)
        return 0;
    return version >> 24 == 3 ? (int)(version >> 16 & 0xff) : 0;
}

static void read_python_symbols(struct tp_python_file *file, int fd, const struct tp_buf *sections,
                                const struct tp_buf *symbols, const struct tp_buf *names)
{
    for (size_t i = 0; i < symbols->size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, symbols->data + i * sizeof symbol, sizeof symbol);
        const char *name = symbol.st_shndx != SHN_UNDEF ? symbol_name(names, symbol.st_name) : "";
        if (strcmp(name, "_PyRuntime") == 0)
            file->runtime = symbol.st_value;
        else if (strcmp(name, "Py_Version") == 0)
            file->minor = minor_from_constant(fd, sections, &symbol);
        else if (strcmp(name, "_PyEval_EvalFrameDefault") == 0) {
            file->loop = symbol.st_value;
            file->loop_bytes = symbol.st_size;
        }
    }
}

static void read_exports(struct tp_python_file *file, int fd, const struct tp_buf *sections)
{
    size_t count = sections->size / sizeof(Elf64_Shdr);
    for (size_t i = 0; i < count; i++) {
        Elf64_Shdr table, texts;
        struct tp_buf symbols, names;
        memcpy(&table, sections->data + i * sizeof table, sizeof table);
        if (table.sh_type != SHT_DYNSYM || table.sh_link >= count)
            continue;
        memcpy(&texts, sections->data + table.sh_link * sizeof texts, sizeof texts);
        bool has_names = load_file_part(&names, fd, texts.sh_offset, texts.sh_size);
        if (load_file_part(&symbols, fd, table.sh_offset, table.sh_size) && has_names)
            read_python_symbols(file, fd, sections, &symbols, &names);
        tp_buf_release(&symbols);
        tp_buf_release(&names);
        return;
    }
}

static int minor_from_file_name(struct tp_str path)
{
    ptrdiff_t at = -1;
    for (struct tp_str rest = path; (at = tp_str_find(rest, "python3.")) >= 0;) {
        rest = (struct tp_str){rest.ptr + at + 8, rest.len - (size_t)at - 8};
        if (tp_str_find(rest, "/") < 0)
            return (int)strtol(rest.ptr, NULL, 10);
    }
    return 0;
}

bool tp_python_file_read(struct tp_python_file *file, struct tp_str path)
{
    struct tp_input input;
    Elf64_Ehdr head;
    struct tp_buf sections;
    *file = (struct tp_python_file){0};
    if (tp_input_open(&input, path.ptr, TP_INPUT_FILE, NULL) < 0)
        return false;
    bool is_ours = pread(input.fd, &head, sizeof head, 0) == sizeof head &&
                   memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
                   head.e_shentsize == sizeof(Elf64_Shdr) && head.e_shnum <= MOST_SECTIONS;
    if (is_ours && load_file_part(&sections, input.fd, head.e_shoff, (uint64_t)head.e_shnum * sizeof(Elf64_Shdr)))
        read_exports(file, input.fd, &sections);
    if (is_ours)
        tp_buf_release(&sections);
    close(input.fd);
    file->minor = file->minor ? file->minor : minor_from_file_name(path);
    return file->runtime != 0;
}
