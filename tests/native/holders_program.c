/* holders_program: allocates memory so that the owners of the peak are known: a table of 40 MiB, and three rows of 5
 * MiB each allocated in a qsort callback. A block of 30 MiB is freed before the peak. holders_program storm: threads
 * allocate and free blocks while others load libraries and fork; it exits with 0. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20, ROWS = 3, THREADS = 3, TURNS = 3000 };

static char *volatile kept[16];
static int kept_count;

__attribute__((noinline)) static char *take(size_t size)
{
    char *block = malloc(size);
    if (block)
        memset(block, 1, size);
    return block;
}

__attribute__((noinline)) static void scratch(void)
{
    char *block = take(30 * MIB);
    kept[15] = block;
    free(block);
}

__attribute__((noinline)) static void table(void)
{
    kept[kept_count++] = take(40 * MIB);
}

static int row(const void *a, const void *b)
{
    if (kept_count <= ROWS)
        kept[kept_count++] = take(5 * MIB);
    return *(const int *)a - *(const int *)b;
}

static void *storm(void *unused)
{
    for (int i = 0; i < TURNS; i++) {
        char *block = malloc(70000 + (size_t)i);
        if (block)
            block[i] = 1;
        kept[14] = block;
        free(block);
    }
    return unused;
}

static void *load(void *unused)
{
    for (int i = 0; i < 200; i++) {
        void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
        if (library)
            dlclose(library);
    }
    return unused;
}

static int run_storm(void)
{
    pthread_t threads[THREADS + 1];
    int bad = 0;
    for (int i = 0; i <= THREADS; i++)
        bad |= pthread_create(&threads[i], NULL, i < THREADS ? storm : load, NULL);
    for (int i = 0; i < 20; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            storm(NULL);
            _exit(3);
        }
        bad |= child < 0 || waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3;
    }
    for (int i = 0; i <= THREADS; i++)
        pthread_join(threads[i], NULL);
    return bad;
}

int main(int count, char **words)
{
    int numbers[] = {3, 1, 2, 5, 4};
    (void)words;
    if (count > 1)
        return run_storm();
    scratch();
    table();
    qsort(numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, row);
    while (kept_count > 0)
        free(kept[--kept_count]);
    return 0;
}
