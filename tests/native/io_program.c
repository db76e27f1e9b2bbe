/* io_program: reads from a pipe, a socket and a stream that have no data at first. Polls one of them, and sends 100000
 * bytes without waiting. Meanwhile a signal handler writes every millisecond. Prints the time in read, recv, poll and
 * fread, ns. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SILENCE_US = 20000 };

static int nowhere[2];

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void on_alarm(int number)
{
    if (write(nowhere[1], &number, 1) < 0)
        abort();
}

/* Forks a child that writes 1000 bytes to `fd` after a pause. Returns only in the parent. */
static void write_later(int fd)
{
    static char bytes[1000];
    if (fork() == 0) {
        struct itimerval none = {0};
        setitimer(ITIMER_REAL, &none, NULL);
        struct timespec wait = {.tv_nsec = SILENCE_US * 1000};
        nanosleep(&wait, NULL);
        _exit(write(fd, bytes, sizeof bytes) != sizeof bytes);
    }
}

static void check(long got)
{
    int status;
    if (got != 1000 || wait(&status) < 0 || status != 0)
        exit(1);
}

int main(void)
{
    char bytes[1000];
    int ends[2], sockets[2];
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 1000}, {0, 1000}};
    if (pipe(ends) != 0 || pipe(nowhere) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
        return 2;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);

    write_later(ends[1]);
    long long start = now();
    long got = read(ends[0], bytes, sizeof bytes);
    printf("%lld ", now() - start);
    check(got);

    write_later(sockets[1]);
    start = now();
    got = recv(sockets[0], bytes, sizeof bytes, 0);
    printf("%lld ", now() - start);
    check(got);

    memset(&often, 0, sizeof often);
    setitimer(ITIMER_REAL, &often, NULL); /* stops the timer, because its signal would interrupt poll */
    write_later(ends[1]);
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    start = now();
    int count = poll(&one, 1, 5000);
    printf("%lld ", now() - start);
    check(count == 1 ? read(ends[0], bytes, sizeof bytes) : 0);

    FILE *stream = fdopen(ends[0], "r");
    write_later(ends[1]);
    start = now();
    got = (long)fread(bytes, 1, sizeof bytes, stream);
    printf("%lld\n", now() - start);
    check(got);
    return 0;
}
