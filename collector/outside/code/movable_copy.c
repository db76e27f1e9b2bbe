/* Copies programs with fixed addresses: see movable_copy.h. */
#include "collector/outside/code/movable_copy.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_PARTS = 64, PIECE_BYTES = 1 << 16, MOST_BYTES = 256 << 20, MOST_WHOLE_BYTES = 64 << 20 };

static bool copy_bytes(int to, int from, uint64_t at, uint64_t size)
{
    char piece[PIECE_BYTES];
    for (uint64_t done = 0; done < size;) {
        size_t wanted = size - done < sizeof piece ? (size_t)(size - done) : sizeof piece;
        ssize_t got = pread(from, piece, wanted, (off_t)(at + done));
        if (got <= 0 || pwrite(to, piece, (size_t)got, (off_t)(at + done)) != got)
            return false;
        done += (uint64_t)got;
    }
    return true;
}

/* Returns the loaded segment that contains the call frame information. The segment's size is 0 if the file has no such
 * segment. */
static Elf64_Phdr find_unwind_segment(const Elf64_Phdr *parts, size_t count)
{
    const Elf64_Phdr *table = NULL;
    for (size_t i = 0; i < count; i++)
        table = parts[i].p_type == PT_GNU_EH_FRAME ? &parts[i] : table;
    for (size_t i = 0; i < count && table; i++)
        if (parts[i].p_type == PT_LOAD && table->p_offset >= parts[i].p_offset &&
            table->p_offset - parts[i].p_offset < parts[i].p_filesz && parts[i].p_filesz <= MOST_BYTES &&
            parts[i].p_offset <= MOST_BYTES)
            return parts[i];
    return (Elf64_Phdr){0};
}

static bool copy_needed_parts(int to, int from, Elf64_Ehdr *head, const Elf64_Phdr *parts)
{
    const Elf64_Phdr part = find_unwind_segment(parts, head->e_phnum);
    size_t size = head->e_phnum * sizeof *parts;
    off_t all = lseek(from, 0, SEEK_END);
    bool is_whole = !part.p_filesz; /* copies the whole file, because without a segment only the sections show where the
                                     * information is */
    if (is_whole && (all <= 0 || all > MOST_WHOLE_BYTES))
        return false;
    if (!copy_bytes(to, from, part.p_offset, is_whole ? (uint64_t)all : part.p_filesz))
        return false;
    head->e_type = ET_DYN;
    if (!is_whole)
        head->e_shoff = head->e_shnum = head->e_shstrndx = 0;
    return pwrite(to, head, sizeof *head, 0) == sizeof *head &&
           pwrite(to, parts, size, (off_t)head->e_phoff) == (ssize_t)size;
}

int tp_movable_copy_make(int fd)
{
    Elf64_Ehdr head;
    Elf64_Phdr parts[MOST_PARTS];
    if (pread(fd, &head, sizeof head, 0) != sizeof head || head.e_phnum > MOST_PARTS || head.e_phoff > MOST_BYTES ||
        head.e_phentsize != sizeof *parts)
        return -1;
    size_t size = head.e_phnum * sizeof *parts;
    if (pread(fd, parts, size, (off_t)head.e_phoff) != (ssize_t)size)
        return -1;
    int copy = memfd_create("tracepress", MFD_CLOEXEC);
    if (copy >= 0 && copy_needed_parts(copy, fd, &head, parts))
        return copy;
    if (copy >= 0)
        close(copy);
    return -1;
}
