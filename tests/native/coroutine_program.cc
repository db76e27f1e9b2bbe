/* coroutine_program FOLDER HOW: records coroutines that four threads suspend and resume. HOW is one of
 *
 *   tasks  each coroutine is a task, its waits are parts; ranges are open only between two waits
 *   runs   like tasks, and the runs of each coroutine are recorded, too
 *   late   like tasks; the recording begins when each coroutine waits for the first time
 *   die    like tasks; SIGKILL ends the program while coroutines work
 *   scope  a TRACEPRESS_SCOPE across co_await, which tracepress_task.h forbids
 *
 * Prints the program's own counts and times as lines KEY VALUE. Each thread has a range "turn" around each resumption.
 * If the end of a range closes another range by mistake, a turn has the wrong length. */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <tracepress.h>

namespace
{

enum { THREADS = 4, REQUESTS = 200, HOPS = 3 };

std::atomic<long> turns, steps, moved, finished, destroyed, caught, ready_waits, life_ns;

int64_t now_ns()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/* ---- coroutines that are waiting for a thread ---- */

std::mutex lock;
std::condition_variable change;
std::deque<std::coroutine_handle<>> queue;
bool is_over;

void put(std::coroutine_handle<> waiting)
{
    std::lock_guard<std::mutex> guard(lock);
    queue.push_back(waiting);
    change.notify_one();
}

void work()
{
    tracepress_begin_text("worker");
    for (;;) {
        std::coroutine_handle<> next;
        {
            std::unique_lock<std::mutex> guard(lock);
            change.wait(guard, [] { return is_over || !queue.empty(); });
            if (queue.empty())
                break;
            next = queue.front();
            queue.pop_front();
        }
        TRACEPRESS_SCOPE("turn");
        turns++;
        next.resume();
    }
    tracepress_end();
}

/* ---- awaitable objects ---- */

/* Suspends the coroutine. Another thread may resume it. */
struct hop {
    std::thread::id from = std::this_thread::get_id();
    bool is_failure = false;
    bool await_ready() const noexcept
    {
        return false;
    }
    void await_suspend(std::coroutine_handle<> waiting)
    {
        put(waiting); /* after this, the coroutine may run on another thread, and may already have ended */
    }
    int await_resume()
    {
        moved += std::this_thread::get_id() != from;
        if (is_failure)
            throw std::runtime_error("planted");
        return 7;
    }
};

/* Continues without suspending. */
struct ready {
    bool await_ready() const noexcept
    {
        return true;
    }
    void await_suspend(std::coroutine_handle<>) const noexcept
    {
    }
    int &await_resume() const noexcept
    {
        static int value;
        ready_waits++;
        return value;
    }
};

/* Suspends the coroutine forever. It is destroyed while it is suspended. */
struct never {
    bool await_ready() const noexcept
    {
        return false;
    }
    void await_suspend(std::coroutine_handle<> waiting) const
    {
        destroyed++;
        waiting.destroy();
    }
    void await_resume() const noexcept
    {
    }
};

/* ---- coroutines ---- */

/* A coroutine without a waiting caller. It is destroyed at its end. */
struct detached {
    struct promise_type {
        detached get_return_object() const noexcept
        {
            return {};
        }
        hop initial_suspend() const noexcept
        {
            return {};
        }
        std::suspend_never final_suspend() const noexcept
        {
            return {};
        }
        void return_void()
        {
            finished++;
        }
        void unhandled_exception()
        {
            std::terminate();
        }
    };
};

/* A coroutine whose caller waits for it. At its end, the caller is resumed (symmetric transfer). */
struct child {
    struct promise_type {
        std::coroutine_handle<> caller;
        child get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() const noexcept
        {
            return {};
        }
        struct back {
            bool await_ready() const noexcept
            {
                return false;
            }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) const noexcept
            {
                return ended.promise().caller;
            }
            void await_resume() const noexcept
            {
            }
        };
        back final_suspend() const noexcept
        {
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
            std::terminate();
        }
    };
    std::coroutine_handle<promise_type> handle;
    bool await_ready() const noexcept
    {
        return false;
    }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting)
    {
        handle.promise().caller = waiting;
        return handle;
    }
    void await_resume() const noexcept
    {
    }
    child(std::coroutine_handle<promise_type> of) : handle(of)
    {
    }
    child(const child &) = delete;
    child &operator=(const child &) = delete;
    ~child()
    {
        handle.destroy();
    }
};

void compute()
{
    TRACEPRESS_SCOPE("step");
    steps++;
    const int64_t until = now_ns() + 20000;
    while (now_ns() < until)
        ;
}

child query(int i)
{
    TRACEPRESS_TASK(task, "query");
    compute();
    TRACEPRESS_AWAIT(task, "disk", hop{});
    if (i % 2)
        TRACEPRESS_AWAIT(task, "disk", hop{});
    compute();
}

detached request(int i)
{
    TRACEPRESS_TASK(task, "request");
    const int64_t begin = now_ns();
    int sum = 0;
    for (int k = 0; k < HOPS; k++) {
        compute();
        sum += TRACEPRESS_AWAIT(task, "network", hop{});
    }
    {
        TRACEPRESS_PART(task, "answer");
        TRACEPRESS_AWAIT(task, "query waits", query(i));
        TRACEPRESS_AWAIT(task, "cache", ready{}) += sum - sum; /* `ready` returns a reference */
        compute();
    }
    try {
        TRACEPRESS_AWAIT(task, "failure", hop{.is_failure = true});
    } catch (const std::runtime_error &) {
        caught++;
    }
    if (i % 10 == 0)
        TRACEPRESS_AWAIT(task, "never", never{});
    if (sum != 7 * HOPS)
        std::terminate();
    life_ns += now_ns() - begin;
}

detached told(int)
{
    TRACEPRESS_TASK_RUNS(task, "request");
    for (int k = 0; k < HOPS; k++) {
        compute();
        TRACEPRESS_AWAIT(task, "network", hop{});
    }
    compute();
}

detached wrong(int)
{
    TRACEPRESS_SCOPE("request");
    for (int k = 0; k < HOPS; k++) {
        compute();
        co_await hop{};
    }
}

detached late(int)
{
    TRACEPRESS_TASK(task, "request");
    co_await hop{};
    for (int k = 0; k < HOPS; k++) {
        compute();
        TRACEPRESS_AWAIT(task, "network", hop{});
    }
}

/* ---- the recording ---- */

char path[4096];

void keep(const struct tracepress_trace *trace, void *)
{
    if (tracepress_export_chrome_trace(trace, path) != 0)
        std::terminate();
}

void start(const char *folder)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = folder;
    options.handler = keep;
    std::snprintf(path, sizeof path, "%s/trace.json", folder);
    if (tracepress_start(&options) != 0)
        std::exit(3);
}

/* Resumes each coroutine once, on this thread. */
void resume_all()
{
    std::deque<std::coroutine_handle<>> waiting;
    std::swap(waiting, queue);
    for (std::coroutine_handle<> next : waiting)
        next.resume();
}

void print_counts()
{
    const std::pair<const char *, long> counts[] = {
        {"requests", REQUESTS}, {"hops_of_each", HOPS}, {"threads", THREADS},   {"turns", turns},
        {"steps", steps},       {"moved", moved},       {"finished", finished}, {"destroyed", destroyed},
        {"caught", caught},     {"ready", ready_waits}, {"life_ns", life_ns}};
    for (const auto &count : counts)
        std::printf("%s %ld\n", count.first, count.second);
    std::fflush(stdout);
}

void run(bool is_killed)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back(work);
    while (finished + destroyed < (is_killed ? REQUESTS / 4 : REQUESTS))
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    if (is_killed) {
        print_counts();
        raise(SIGKILL);
    }
    {
        std::lock_guard<std::mutex> guard(lock);
        is_over = true;
        change.notify_all();
    }
    for (std::thread &thread : threads)
        thread.join();
}

} // namespace

int main(int argc, char **argv)
{
    static const struct {
        const char *how;
        detached (*begin)(int);
    } ways[] = {{"tasks", request}, {"die", request}, {"runs", told}, {"late", late}, {"scope", wrong}};
    for (const auto &way : ways) {
        if (argc != 3 || std::strcmp(argv[2], way.how) != 0)
            continue;
        const bool is_late = way.begin == late;
        if (!is_late)
            start(argv[1]);
        for (int i = 0; i < REQUESTS; i++)
            way.begin(i);
        if (is_late) {
            resume_all();
            start(argv[1]);
        }
        run(std::strcmp(way.how, "die") == 0);
        tracepress_stop();
        print_counts();
        return 0;
    }
    return 2;
}
