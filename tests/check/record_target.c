/* record_target HOW [FILE]: a program for `record` that does not use tracepress and behaves as real programs do. HOW:
 *   close    closes all descriptors, then writes FILE
 *   daemon   its child runs five seconds longer than the program
 *   fork     two children
 *   rights   its child becomes another user, then allocates and frees memory
 *   jail     the same, with FILE as the child's root
 *   exec     runs `true`
 *   unset    runs `true` without LD_PRELOAD
 *   start    FILE names the function that starts a shell with an environment of one variable; the shell prints it and
 *            its arguments, and exits with 6
 *   segv, abort, kill, _exit
 *            ends in this way
 *   status   exits with FILE as its code */
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int close_all(const char *file)
{
    for (int fd = 0; fd < 4096; fd++)
        close(fd);
    for (int i = 0; i < 300; i++) /* uses up all free descriptors, including the descriptor of the spool */
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

/* Forks a child that gives up its rights before it records anything, so that it cannot write to its parent's folder. */
static int record_without_rights(const char *root)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        int code = root && (chroot(root) != 0 || chdir("/") != 0) ? 4 : 3;
        code = setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0 ? code : 4;
        for (int i = 0; i < 3000; i++) { /* makes more records than the first chunks of a spool can contain */
            char *volatile block = malloc(1 << 20);
            free(block);
            if (i == 1500)
                usleep(60000); /* runs longer than TP_TAKEOVER_SHORT_MS, because shorter processes get no trace */
        }
        exit(code);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}

static int start(const char *way)
{
    static char *const words[] = {"sh", "-c", "echo \"$OWN\" $0 $1; exit 6", "one", "two", NULL};
    static char *const only[] = {"OWN=own", NULL};
    const char *shell = "/bin/sh", *c = words[1], *text = words[2], *one = words[3], *two = words[4];
    int status;
    pid_t pid = 0;
    if (strcmp(way, "execve") == 0)
        execve(shell, words, only);
    if (strcmp(way, "execvpe") == 0)
        execvpe("sh", words, only);
    if (strcmp(way, "execle") == 0)
        execle(shell, "sh", c, text, one, two, (char *)NULL, only);
    if (strcmp(way, "fexecve") == 0)
        fexecve(open(shell, O_RDONLY | O_CLOEXEC), words, only);
    if (strncmp(way, "posix_spawn", 11) == 0) {
        int code = way[11] ? posix_spawnp(&pid, "sh", NULL, NULL, words, only)
                           : posix_spawn(&pid, shell, NULL, NULL, words, only);
        return code == 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }
    clearenv();
    setenv("OWN", "own", 1);
    if (strcmp(way, "execv") == 0)
        execv(shell, words);
    if (strcmp(way, "execvp") == 0)
        execvp("sh", words);
    if (strcmp(way, "execl") == 0)
        execl(shell, "sh", c, text, one, two, (char *)NULL);
    if (strcmp(way, "execlp") == 0)
        execlp("sh", "sh", c, text, one, two, (char *)NULL);
    return 1;
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
    if (strcmp(how, "rights") == 0)
        return record_without_rights(NULL);
    if (strcmp(how, "jail") == 0)
        return record_without_rights(file);
    if (strcmp(how, "start") == 0)
        return start(file);
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
