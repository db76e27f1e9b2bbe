/* Runs four threads that take one lock with a timeout, one after the other, and keep it for 5 ms each. */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    const struct timespec pause = {0, 5000000};
    for (int turn = 0; turn < 20; turn++) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 60;
        if (pthread_mutex_timedlock(&mutex, &until) != 0)
            continue;
        nanosleep(&pause, NULL);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
