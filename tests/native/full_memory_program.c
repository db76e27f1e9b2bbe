/* Uses up its address space repeatedly, also in threads. Loads a library, forks, and frees all memory. The program does
 * not use tracepress and always exits with 5. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 100000, ROUNDS = 12, THREADS = 8 };

static void *blocks[MOST];

static size_t take_all(void **into, size_t most, size_t size)
{
    size_t count = 0;
    while (count < most && (into[count] = malloc(size + count % 3 * size * 12)) != NULL)
        count++;
    return count;
}

static void *in_thread(void *unused)
{
    void *own[500];
    size_t count = take_all(own, 500, 100000);
    usleep(3000);
    while (count)
        free(own[--count]);
    return unused;
}

static void start_threads(void)
{
    pthread_t threads[THREADS];
    int count = 0;
    while (count < THREADS && pthread_create(&threads[count], NULL, in_thread, NULL) == 0)
        count++;
    while (count)
        pthread_join(threads[--count], NULL);
}

int main(int argc, char **argv)
{
    struct rlimit limit = {(rlim_t)(argc > 1 ? atoi(argv[1]) : 200) << 20, RLIM_INFINITY};
    limit.rlim_max = limit.rlim_cur;
    setrlimit(RLIMIT_AS, &limit);
    for (int i = 0; i < ROUNDS; i++) {
        size_t count = take_all(blocks, MOST, 4000);
        usleep(15000); /* sleeps, so that the recorder's thread can run */
        void *library = dlopen("libm.so.6", RTLD_NOW);
        pid_t child = fork();
        if (child == 0) {
            usleep(5000);
            _exit(0);
        }
        if (child > 0)
            waitpid(child, NULL, 0);
        while (count)
            free(blocks[--count]);
        if (library)
            dlclose(library);
        start_threads();
    }
    puts("done");
    return 5;
}
