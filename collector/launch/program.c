/* Examines the program before it runs: see program.h. */
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
#include "writer/base/preload_fit.h"

enum { HEAD_BYTES = 8192 };

/* Returns the reason why the loader would ignore LD_PRELOAD: the file gives the program additional rights. Returns
 * NULL if the file does not. */
static const char *find_rights_refusal(const char *path, const struct stat *status)
{
    if ((status->st_mode & S_ISUID && status->st_uid != getuid()) ||
        (status->st_mode & S_ISGID && status->st_gid != getgid()))
        return "it runs with the rights of another user (setuid)";
    if (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
        return "its file has capabilities";
    return NULL;
}

static const char *find_elf_refusal(const char *path, int fd, const struct stat *status, const unsigned char *bytes,
                                    size_t n)
{
    const char *why = find_rights_refusal(path, status);
    why = why ? why : tp_preload_check_elf(bytes, (unsigned long)n);
    return why ? why : tp_preload_check_sanitizer(fd, bytes, (unsigned long)n);
}

static const char *check_program_file(struct tp_program *program, const char *path, unsigned depth)
{
    unsigned char bytes[HEAD_BYTES + 1];
    struct stat status;
    struct tp_input input;
    size_t n = 0;
    const char *why = NULL;
    if (tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return NULL;
    tp_input_read(&n, &input, bytes, HEAD_BYTES, 0, NULL);
    int code = fstat(input.fd, &status);
    bytes[n] = '\0';
    bool is_elf = n >= 4 && code == 0 && memcmp(bytes, ELFMAG, SELFMAG) == 0;
    if (is_elf)
        why = find_elf_refusal(path, input.fd, &status, bytes, n);
    close(input.fd);
    program->is_elf |= is_elf && depth == 0;
    if (is_elf || n < 4 || code != 0)
        return why;
    if (bytes[0] != '#' || bytes[1] != '!' || depth > 3)
        return NULL;
    char *interpreter = (char *)bytes + 2 + strspn((char *)bytes + 2, " \t");
    interpreter[strcspn(interpreter, " \t\r\n")] = '\0';
    return check_program_file(program, interpreter, depth + 1);
}

static int check_executable(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno;
    if (S_ISDIR(status.st_mode))
        return EACCES;
    return access(path, X_OK) == 0 ? 0 : errno;
}

/* Searches PATH for the program. If a file is not executable, stores the path of this file and continues to search, as
 * exec does. */
static void search_path(struct tp_program *program, const char *name)
{
    const char *path = tp_environment("PATH");
    program->error = ENOENT;
    for (path = path ? path : "/bin:/usr/bin"; path;) {
        char candidate[sizeof program->path];
        size_t n = strcspn(path, ":");
        int len = snprintf(candidate, sizeof candidate, "%.*s%s%s", (int)n, path, n ? "/" : "", name);
        int error = len > 0 && (size_t)len < sizeof candidate ? check_executable(candidate) : ENAMETOOLONG;
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
        program->error = n > 0 && (size_t)n < sizeof program->path ? check_executable(name) : ENOENT;
    }
    if (program->error == 0)
        program->why_plain = check_program_file(program, program->path, 0);
    program->can_children_preload = program->why_plain == tp_preload_static;
}
