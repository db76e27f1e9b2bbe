/* lives_program WAY: does what real programs do to a library in their process. Every way prints "done" and exits with
 * code 7. WAY:
 *   threads  hundreds of threads whose destructors still allocate memory and take locks
 *   fork     children that continue, and their children
 *   exec     runs itself again
 *   exit     constructors, atexit functions and destructors that work, in a program whose main thread ends first
 *   signals  handlers that write and wait every 200 us, during malloc and locks
 *   cancel   threads that are cancelled while they wait
 *   loader   libraries opened and closed while others allocate, and allocation inside dl_iterate_phdr
 *   close    all descriptors are closed
 *   vfork    children by vfork
 *   load     many of these ways at the same time */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static int zero;
static volatile int is_over;

static void work(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        char *small = malloc((size_t)(i % 700) + 1), *large = malloc(300000);
        char byte;
        pthread_mutex_lock(&mutex);
        if (small && large && read(zero, &byte, 1) == 1)
            small[0] = large[0] = byte;
        pthread_mutex_unlock(&mutex);
        large = realloc(large, 70000);
        free(small);
        free(large);
    }
}

static void at_thread_end(void *value)
{
    work(3);
    free(value);
}

static void *thread(void *rounds)
{
    pthread_setspecific(key, malloc(100000));
    work((int)(long)rounds);
    return NULL;
}

static void run_threads(int count, long rounds)
{
    pthread_t ids[32];
    for (int i = 0; i < count; i += 32) {
        for (int j = 0; j < 32; j++)
            pthread_create(&ids[j], NULL, thread, (void *)rounds);
        for (int j = 0; j < 32; j++)
            pthread_join(ids[j], NULL);
    }
}

static void threads(void)
{
    run_threads(320, 20);
}

static int child_ends(pid_t pid)
{
    int status;
    return pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void forks(void)
{
    pthread_t other;
    pthread_create(&other, NULL, thread, (void *)20000L); /* this thread uses locks of all kinds during the fork */
    for (int i = 0; i < 20; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            for (int j = 0; j < 100; j++)
                free(malloc(100000));
            pid_t grandchild = i % 5 == 0 ? fork() : -2;
            if (grandchild == 0)
                _exit(0);
            _exit(grandchild == -2 ? 0 : child_ends(grandchild));
        }
        if (child_ends(pid))
            exit(1);
    }
    is_over = 1;
    pthread_join(other, NULL);
}

static void execute(void)
{
    work(100);
    execl("/proc/self/exe", "lives_program", "threads", (char *)NULL);
}

static void vforks(void)
{
    for (int i = 0; i < 20; i++) {
        pid_t pid;
        char *const argv[] = {"true", NULL};
        if (posix_spawnp(&pid, "true", NULL, NULL, argv, environ) != 0 || child_ends(pid))
            exit(1);
        pid = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork): programs call it
        if (pid == 0) {
            execlp("true", "true", (char *)NULL);
            _exit(1);
        }
        if (child_ends(pid))
            exit(1);
    }
}

static void on_signal(int number)
{
    struct timespec wait = {.tv_nsec = 1000};
    int why = zero, out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    nanosleep(&wait, NULL);
    if (out >= 0 && write(out, &number, 1) == 1)
        close(out);
    zero = why;
}

static void signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 200}, {0, 200}}, never = {0};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    run_threads(32, 300);
    work(3000);
    setitimer(ITIMER_REAL, &never, NULL);
}

static void *sleeper(void *ends)
{
    char byte;
    if (ends)
        return read(*(int *)ends, &byte, 1) == 1 ? NULL : ends;
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &mutex);
    for (;;)
        pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(1);
    return NULL;
}

static void cancel(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        exit(1);
    for (int i = 0; i < 60; i++) {
        pthread_t id;
        void *result;
        pthread_create(&id, NULL, sleeper, i % 2 ? ends : NULL);
        usleep(300);
        pthread_cancel(id);
        pthread_join(id, &result);
        if (result != PTHREAD_CANCELED)
            exit(1);
    }
    work(10);
}

static int on_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)info, (void)size, (void)unused;
    for (int i = 0; i < 40; i++)
        free(malloc(200000));
    return 0;
}

static void loader(void)
{
    pthread_t other;
    pthread_create(&other, NULL, thread, (void *)4000L);
    for (int i = 0; i < 60; i++) {
        void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
        void *another = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
        dl_iterate_phdr(on_library, NULL);
        if (another)
            dlclose(another);
        if (library)
            dlclose(library);
        if (dlopen("libthere-is-none.so", RTLD_NOW))
            exit(1);
    }
    pthread_join(other, NULL);
}

static void close_all(void)
{
    work(50);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    zero = open("/dev/zero", O_RDONLY);
    run_threads(32, 200);
    work(20000);
}

static void *endless(void *unused)
{
    while (!is_over)
        work(1);
    return unused;
}

static void exits(void)
{
    pthread_t id;
    for (int i = 0; i < 4; i++)
        pthread_create(&id, NULL, endless, NULL);
    usleep(20000);
}

static void load(void)
{
    run_threads(64, 2000);
}

static void at_exit(void)
{
    work(10);
}

__attribute__((constructor)) static void first(void)
{
    zero = open("/dev/zero", O_RDONLY);
    pthread_key_create(&key, at_thread_end);
    work(10);
}

__attribute__((destructor)) static void last(void)
{
    work(10);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"threads", threads}, {"fork", forks},    {"exec", execute},    {"exit", exits},   {"signals", signals},
                {"cancel", cancel},   {"loader", loader}, {"close", close_all}, {"vfork", vforks}, {"load", load}};
    atexit(at_exit);
    for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, argv[1]) == 0) {
            ways[i].run();
            puts("done");
            return 7;
        }
    return 2;
}
