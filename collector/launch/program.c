/* What PROGRAM is: see program.h. */
#include "collector/launch/program.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "writer/base/environment.h"
#include "writer/base/input.h"

enum { HEAD_BYTES = 8192 };

const char tp_program_is_static[] = "it is statically linked";

#if defined(__x86_64__)
static const unsigned our_machine = EM_X86_64;
#elif defined(__aarch64__)
static const unsigned our_machine = EM_AARCH64;
#else
static const unsigned our_machine = EM_NONE;
#endif

/* The text of the interpreter when it stands in what was read, "" when it is elsewhere; NULL: there is none. */
static const char *loader_of(const unsigned char *bytes, unsigned long size)
{
    Elf64_Ehdr head;
    memcpy(&head, bytes, sizeof head);
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr part;
        unsigned long at = head.e_phoff + (unsigned long)i * sizeof part;
        if (head.e_phoff > size || at + sizeof part > size)
            return "";
        memcpy(&part, bytes + at, sizeof part);
        if (part.p_type != PT_INTERP)
            continue;
        bool is_here = part.p_filesz > 0 && part.p_offset < size && part.p_filesz <= size - part.p_offset &&
                       bytes[part.p_offset + part.p_filesz - 1] == '\0';
        return is_here ? (const char *)bytes + part.p_offset : "";
    }
    return NULL;
}

const char *tp_program_check_elf(const unsigned char *bytes, unsigned long size)
{
    Elf64_Ehdr head;
    if (size < sizeof head)
        return NULL;
    memcpy(&head, bytes, sizeof head);
    if (bytes[EI_CLASS] != ELFCLASS64)
        return "it is a 32-bit program";
    if (our_machine != EM_NONE && head.e_machine != our_machine)
        return "it was built for another processor";
    const char *loader = loader_of(bytes, size);
    if (!loader)
        return tp_program_is_static;
    return strstr(loader, "ld-musl") ? "it was built for another C library (musl)" : NULL;
}

/* The loader of a program that gets rights from its file ignores LD_PRELOAD. */
static const char *check_rights(const char *path, const struct stat *status)
{
    if ((status->st_mode & S_ISUID && status->st_uid != getuid()) ||
        (status->st_mode & S_ISGID && status->st_gid != getgid()))
        return "it runs with the rights of another user (setuid)";
    if (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
        return "its file gives it capabilities";
    return NULL;
}

static const char *look_at(struct tp_program *program, const char *path, unsigned depth)
{
    unsigned char bytes[HEAD_BYTES + 1];
    struct stat status;
    struct tp_input input;
    size_t n = 0;
    if (tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return NULL;
    tp_input_read(&n, &input, bytes, HEAD_BYTES, 0, NULL);
    int code = fstat(input.fd, &status);
    close(input.fd);
    if (n < 4 || code != 0)
        return NULL;
    bytes[n] = '\0';
    if (memcmp(bytes, ELFMAG, SELFMAG) == 0) {
        program->is_elf |= depth == 0;
        const char *why = check_rights(path, &status);
        return why ? why : tp_program_check_elf(bytes, (unsigned long)n);
    }
    if (bytes[0] != '#' || bytes[1] != '!' || depth > 3)
        return NULL;
    char *interpreter = (char *)bytes + 2 + strspn((char *)bytes + 2, " \t");
    interpreter[strcspn(interpreter, " \t\r\n")] = '\0';
    return look_at(program, interpreter, depth + 1);
}

static int try_path(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno;
    if (S_ISDIR(status.st_mode))
        return EACCES;
    return access(path, X_OK) == 0 ? 0 : errno;
}

/* Looks through PATH. Something that may not be run is remembered, as exec does, while the search goes on. */
static void search_path(struct tp_program *program, const char *name)
{
    const char *path = tp_environment("PATH");
    program->error = ENOENT;
    for (path = path ? path : "/bin:/usr/bin"; path;) {
        char candidate[sizeof program->path];
        size_t n = strcspn(path, ":");
        int len = snprintf(candidate, sizeof candidate, "%.*s%s%s", (int)n, path, n ? "/" : "", name);
        int error = len > 0 && (size_t)len < sizeof candidate ? try_path(candidate) : ENAMETOOLONG;
        if (error == 0 || (error == EACCES && program->error != EACCES)) {
            memcpy(program->path, candidate, (size_t)len + 1);
            program->error = error;
        }
        if (error == 0)
            return;
        path = path[n] ? path + n + 1 : NULL;
    }
}

void tp_program_find(struct tp_program *program, const char *name)
{
    memset(program, 0, sizeof *program);
    if (*name && !strchr(name, '/')) {
        search_path(program, name);
    } else {
        int n = snprintf(program->path, sizeof program->path, "%s", name);
        program->error = n > 0 && (size_t)n < sizeof program->path ? try_path(name) : ENOENT;
    }
    if (program->error == 0)
        program->why_plain = look_at(program, program->path, 0);
    program->passes_on = program->why_plain == tp_program_is_static;
}
