/* made_program HOW MS: generates code at run time as a JIT compiler does, runs it for MS milliseconds of CPU time, and
 * describes it in /tmp/perf-PID.map. HOW:
 *
 *      map      a map with invalid, overlapping and unrelated lines, and a later line that is valid
 *      long     a map whose valid line comes after megabytes of other lines and a line without an end
 *      none     no map
 *      fifo     the map is a pipe without a writer
 *      link     the map is a symbolic link
 *      child    a child, which is forked before the code exists, makes the code and runs it
 *      dump     no map, but jit-PID.dump in the working folder, with its first page mapped as code
 *      broken   the same as dump, but the file is truncated after a record
 *
 * Prints the process id that the map's name contains. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CODE_BYTES = 64 };

/* Counts down. The code does not depend on its address, so that it can be copied. */
__attribute__((noinline, optimize("O2"))) static void turn(volatile long *left)
{
    while (*left > 0)
        *left = *left - 1;
}

static void (*make(void))(volatile long *)
{
    char *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void (*function)(volatile long *);
    if (code == MAP_FAILED)
        exit(9);
    code += 4096 - 16; /* makes the code cross a page boundary */
    memcpy(code, (const void *)turn, CODE_BYTES);
    __builtin___clear_cache(code, code + CODE_BYTES);
    memcpy(&function, &code, sizeof function);
    return function;
}

static void put_lines(FILE *map, const char *how, const char *code)
{
    fprintf(map, "%lx %x early name\n", (unsigned long)code - 16, CODE_BYTES + 16);
    fputs("no line\n\n12 \n 10 10 \nffffffffffffffff ffffffffffffffff all of it\nzz 10 x\n0 ffffffffffffffffff too "
          "long\n",
          map);
    if (strcmp(how, "long") == 0) {
        for (int i = 0; i < 200000; i++)
            fprintf(map, "%x 10 other_%d\n", 0x1000 + i * 16, i);
        for (int i = 0; i < 300000; i++)
            fputs("7fff ", map);
        fputc('\n', map);
    }
    fprintf(map, "0x%016lx 0x%016lx made;function <b>\n", (unsigned long)code, (unsigned long)CODE_BYTES);
    fprintf(map, "%lx 10 behind it", (unsigned long)code + CODE_BYTES);
}

static void put_map(const char *how, const char *code)
{
    char path[64], other[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    snprintf(other, sizeof other, "/tmp/perf-%d.map.other", (int)getpid());
    unlink(path);
    unlink(other);
    if (strcmp(how, "fifo") == 0 && mkfifo(path, 0600) != 0)
        exit(9);
    if (strcmp(how, "fifo") == 0 || strcmp(how, "none") == 0)
        return;
    if (strcmp(how, "link") == 0 && symlink(other, path) != 0)
        exit(9);
    FILE *map = fopen(path, "w");
    if (!map)
        exit(9);
    put_lines(map, how, code);
    if (fclose(map) != 0)
        exit(9);
}

/* ---- a dump in the format of perf's jitdump-specification.txt ---- */

struct load {
    uint32_t kind, total_size;
    uint64_t time;
    uint32_t pid, tid;
    uint64_t virtual_address, address, size, index;
};

static FILE *begin_dump(void)
{
    char path[64];
    const uint32_t head[10] = {0x4A695444, 1, sizeof head, 62, 0, (uint32_t)getpid()};
    snprintf(path, sizeof path, "jit-%d.dump", (int)getpid());
    FILE *dump = fopen(path, "w+");
    if (!dump || fwrite(head, sizeof head, 1, dump) != 1 || fflush(dump) != 0 ||
        mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
        exit(9);
    return dump;
}

static void put_load(FILE *dump, const char *name, const char *code, size_t size, size_t extra)
{
    static const char bytes[70000];
    struct load load = {.total_size = (uint32_t)(sizeof load + strlen(name) + 1 + size + extra),
                        .pid = (uint32_t)getpid()};
    load.address = load.virtual_address = (uint64_t)(uintptr_t)code;
    load.size = size;
    fwrite(&load, sizeof load, 1, dump);
    fwrite(name, strlen(name) + 1, 1, dump);
    fwrite(bytes, size, 1, dump);
}

static void end_dump(FILE *dump, const char *how, const char *code)
{
    put_load(dump, "early name", code - 16, CODE_BYTES + 16, 0);
    const uint32_t other[6] = {2, sizeof other}; /* adds a record with debug information, which is ignored */
    fwrite(other, sizeof other, 1, dump);
    put_load(dump, "far and large", code + (1 << 24), 60000, 0);
    put_load(dump, "made;function <b>", code, CODE_BYTES, 0);
    put_load(dump, "", code, CODE_BYTES, 0);
    if (strcmp(how, "broken") == 0)
        put_load(dump, "cut off", code + CODE_BYTES, 16, 1 << 20);
    if (fclose(dump) != 0)
        exit(9);
}

int main(int argc, char **argv)
{
    volatile long left;
    int status = 0;
    if (argc != 3)
        return 2;
    if (strcmp(argv[1], "child") == 0 && fork() != 0)
        return wait(&status) > 0 && status == 0 ? 0 : 1;
    FILE *dump = strcmp(argv[1], "dump") == 0 || strcmp(argv[1], "broken") == 0 ? begin_dump() : NULL;
    void (*function)(volatile long *) = make();
    const char *code;
    memcpy(&code, &function, sizeof code);
    while (clock() < atol(argv[2]) * (CLOCKS_PER_SEC / 1000)) {
        left = 1000000;
        function(&left);
    }
    if (dump)
        end_dump(dump, argv[1], code);
    else
        put_map(argv[1], code);
    printf("%d\n", (int)getpid());
    return 0;
}
