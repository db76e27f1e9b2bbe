/* locks_program: threads wait for a mutex, a read-write lock and a condition while another thread has the lock, and
 * measure their waits. Prints the nanoseconds of each wait. Then takes a free lock 200000 times. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { HOLD_US = 30000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t is_held;
static int is_signaled;

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *hold_mutex(void *unused)
{
    pthread_mutex_lock(&mutex);
    sem_post(&is_held);
    usleep(HOLD_US);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *hold_lock(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    sem_post(&is_held);
    usleep(HOLD_US);
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *tell(void *unused)
{
    usleep(HOLD_US);
    pthread_mutex_lock(&guard);
    is_signaled = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&guard);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&is_held, 0, 0);

    pthread_create(&thread, NULL, hold_mutex, NULL);
    sem_wait(&is_held);
    long long start = now();
    pthread_mutex_lock(&mutex);
    printf("%lld ", now() - start);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);

    pthread_create(&thread, NULL, hold_lock, NULL);
    sem_wait(&is_held);
    start = now();
    pthread_rwlock_rdlock(&lock);
    printf("%lld ", now() - start);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);

    pthread_create(&thread, NULL, tell, NULL);
    pthread_mutex_lock(&guard);
    start = now();
    while (!is_signaled)
        pthread_cond_wait(&condition, &guard);
    printf("%lld\n", now() - start);
    pthread_mutex_unlock(&guard);
    pthread_join(thread, NULL);

    for (int i = 0; i < 200000; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}
