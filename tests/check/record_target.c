/* record_target HOW [FILE]: a program that knows nothing of recording and behaves as programs do, for `record`.
 *
 * HOW: close (closes all descriptors, then writes FILE), daemon (its child outlives it for five seconds), fork (two
 * children), exec (becomes true), unset (becomes true without LD_PRELOAD), segv, abort, kill, _exit, status (exits
 * with FILE as its code). */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int close_all(const char *file)
{
    for (int fd = 0; fd < 4096; fd++)
        close(fd);
    for (int i = 0; i < 300; i++) /* takes every number, that of the spool, too */
        if (open(file, O_WRONLY | O_CREAT, 0600) != i)
            return 1;
    return write(250, "mine\n", 5) == 5 ? 7 : 2;
}

static int outlive(void)
{
    if (fork() > 0)
        return 5;
    setsid();
    usleep(5000000);
    return 0;
}

static int fork_two(void)
{
    for (int i = 0; i < 2; i++)
        if (fork() == 0)
            exit(0);
    while (wait(NULL) > 0)
        ;
    return 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "", *file = argc > 2 ? argv[2] : "0";
    char *const words[] = {"true", NULL};
    if (strcmp(how, "close") == 0)
        return close_all(file);
    if (strcmp(how, "daemon") == 0)
        return outlive();
    if (strcmp(how, "fork") == 0)
        return fork_two();
    if (strcmp(how, "exec") == 0 || (strcmp(how, "unset") == 0 && unsetenv("LD_PRELOAD") == 0))
        execv("/bin/true", words);
    if (strcmp(how, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "_exit") == 0)
        _exit(9);
    return atoi(file);
}
