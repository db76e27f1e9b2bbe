/* hooked_program: spends half a second of CPU time in calls that the recorder wraps: locks and memory allocation. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void hooked_calls(void)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&mutex);
        char *volatile block = malloc(64 + (size_t)i);
        free(block);
        pthread_mutex_unlock(&mutex);
    }
}

int main(void)
{
    while (clock() < CLOCKS_PER_SEC / 2)
        hooked_calls();
    puts("done");
    return 0;
}
