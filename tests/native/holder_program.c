/* holder_program: the thread "holder" computes under a lock, twelve times for 40 ms of CPU time. The thread "wanter"
 * waits for the lock each time, after 4 ms of computing. The thread "other" sleeps all the time. */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t begun, done;
static volatile unsigned long sink;
static volatile int is_over;
enum { TURNS = 12 };

static long used_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void compute(long ms)
{
    for (long until = used_ms() + ms; used_ms() < until;)
        for (unsigned long i = 0; i < 100000; i++)
            sink += i;
}

__attribute__((noinline)) static void compute_under_lock(void)
{
    compute(40);
    sink++;
}

__attribute__((noinline)) static void want_lock(void)
{
    pthread_mutex_lock(&lock);
    sink++;
    pthread_mutex_unlock(&lock);
}

static void *hold(void *unused)
{
    pthread_setname_np(pthread_self(), "holder");
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&lock);
        pthread_barrier_wait(&begun);
        compute_under_lock();
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&done);
    }
    return unused;
}

static void *want(void *unused)
{
    pthread_setname_np(pthread_self(), "wanter");
    for (int i = 0; i < TURNS; i++) {
        compute(4);
        pthread_barrier_wait(&begun);
        want_lock();
        pthread_barrier_wait(&done);
    }
    return unused;
}

static void *nap(void *unused)
{
    pthread_setname_np(pthread_self(), "other");
    while (!is_over)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_barrier_init(&begun, NULL, 2);
    pthread_barrier_init(&done, NULL, 2);
    if (pthread_create(&threads[0], NULL, hold, NULL) || pthread_create(&threads[1], NULL, want, NULL) ||
        pthread_create(&threads[2], NULL, nap, NULL))
        return 1;
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    is_over = 1;
    pthread_join(threads[2], NULL);
    return 0;
}
