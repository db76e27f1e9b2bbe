/* Wraps the locks of the preload library, so that hooks only call the original functions while the thread has one of
 * these locks. The Makefile links the library's calls of pthread_mutex_* to the functions below; see hook.h. */
#include <pthread.h>
#include <time.h>

#include "collector/hook.h"

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __real_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    tp_cursor.inside++;
    int code = __real_pthread_mutex_lock(mutex);
    tp_cursor.inside -= code != 0;
    return code;
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    tp_cursor.inside++;
    int code = __real_pthread_mutex_trylock(mutex);
    tp_cursor.inside -= code != 0;
    return code;
}

int __wrap_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    tp_cursor.inside++;
    int code = __real_pthread_mutex_timedlock(mutex, until);
    tp_cursor.inside -= code != 0;
    return code;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    int code = __real_pthread_mutex_unlock(mutex);
    tp_cursor.inside -= code == 0;
    return code;
}
