/* Computes in two threads, forks a child that computes, prints a line and exits with 7. With arguments, only runs them
 * as a command and exits with the command's exit code. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *unused)
{
    volatile double sum = 0;
    for (int i = 0; i < 6000000; i++)
        sum = sum + i * 0.5;
    return unused;
}

static int run(char **argv)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execv(argv[0], argv);
        _exit(126);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc > 1)
        return run(argv + 1);
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    work(NULL);
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        work(NULL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    char *block = malloc(100);
    puts("done");
    free(block);
    return 7;
}
