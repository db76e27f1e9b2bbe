/* invariants: checks the relations between the numbers of one document (docs/definitions.md section 16). It shares no
 * code with tracepress.
 *
 *   invariants FILE...   status 0: all relations are true; 1: prints the first broken relations of each file; 2: not
 *                        JSON
 *
 * Times are compared as integers of nanoseconds, quotients with a tolerance of 1e-9. */
#include <stdarg.h>

#include "tests/check/json_node.h"

enum { MAX_SHOWN = 8, ROLE_COUNT = 8 };

static const char *const step_parts[ROLE_COUNT] = {"kernel_us",  "memcpy_us",     "memset_us",   "communication_us",
                                                   "runtime_us", "dataloader_us", "cpu_exec_us", "other_us"};
static const char *const idle_parts[] = {"host_us", "launch_us", "queue_us", "outside_us", "unknown_us"};

struct check {
    const char *file;
    size_t held, broken;
};

/* ---- numbers of a document -------------------------------------------------------------------------------------- */

static const struct node *member_at(const struct node *node, const char *key)
{
    const struct node *found = node && node->type == '{' ? find_member(node, key) : NULL;
    return found && found->type != 'n' ? found : NULL;
}

static const struct node *array_items(const struct node *node, const char *key)
{
    const struct node *found = member_at(node, key);
    return found ? found->first : NULL;
}

static const char *member_text(const struct node *node, const char *key)
{
    const struct node *found = member_at(node, key);
    return found && found->text ? found->text : "";
}

static double member_real(const struct node *node, const char *key)
{
    const struct node *found = member_at(node, key);
    return found && found->text ? strtod(found->text, NULL) : 0;
}

/* Returns a time of the file, in microseconds with at most three decimals, as nanoseconds. Also multiplies other
 * integers by 1000, so that all numbers have the same scale. */
static __int128 member_ns(const struct node *node, const char *key)
{
    const char *p = member_text(node, key);
    __int128 value = 0;
    bool is_negative = *p == '-';
    int decimals = -1;
    for (p += is_negative; *p && decimals < 3; p++) {
        if (*p == '.') {
            decimals = 0;
            continue;
        }
        value = value * 10 + (*p - '0');
        decimals += decimals >= 0;
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 3; decimals++)
        value *= 10;
    return is_negative ? -value : value;
}

static __int128 member_count(const struct node *node, const char *key)
{
    return member_ns(node, key) / 1000;
}

static __int128 sum_member(const struct node *first, const char *key)
{
    __int128 total = 0;
    for (const struct node *row = first; row; row = row->next)
        total += member_ns(row, key);
    return total;
}

/* ---- equations -------------------------------------------------------------------------------------------------- */

static void check_condition(struct check *c, bool is_true, double a, double b, const char *what, va_list more)
{
    char name[256];
    if (is_true) {
        c->held++;
        return;
    }
    vsnprintf(name, sizeof name, what, more);
    if (c->broken++ < MAX_SHOWN)
        printf("%s: %s: %.17g is not %.17g\n", c->file, name, a, b);
}

__attribute__((format(printf, 4, 5))) static void check_equal(struct check *c, __int128 a, __int128 b, const char *what,
                                                              ...)
{
    va_list more;
    va_start(more, what);
    check_condition(c, a == b, (double)a, (double)b, what, more);
    va_end(more);
}

__attribute__((format(printf, 4, 5))) static void check_nearly_equal(struct check *c, double a, double b,
                                                                     const char *what, ...)
{
    va_list more;
    va_start(more, what);
    check_condition(c, fabs(a - b) <= fmax(1e-9 * fmax(fabs(a), fabs(b)), 1e-6), a, b, what, more);
    va_end(more);
}

__attribute__((format(printf, 4, 5))) static void check_at_most(struct check *c, double a, double b, const char *what,
                                                                ...)
{
    va_list more;
    va_start(more, what);
    check_condition(c, a <= b * (1 + 1e-9), a, b, what, more);
    va_end(more);
}

static void check_overview(struct check *c, const struct node *overview)
{
    __int128 used_ns = 0, window = member_ns(overview, "window_us");
    double steps = member_real(overview, "steps_used");
    for (const struct node *step = array_items(overview, "steps"); step; step = step->next) {
        __int128 parts = 0;
        for (int i = 0; i < ROLE_COUNT; i++)
            parts += member_ns(step, step_parts[i]);
        check_equal(c, parts, member_ns(step, "total_us"), "categories of step %s", member_text(step, "name"));
        used_ns += member_at(step, "used")->type == 't' ? member_ns(step, "total_us") : 0;
    }
    check_equal(c, used_ns, window, "analysed steps fill the window");
    check_nearly_equal(c, member_real(member_at(overview, "average"), "total_us"), (double)window / 1000 / steps,
                       "mean step");
    check_nearly_equal(c, member_real(member_at(overview, "average"), "device_busy_us"),
                       (double)member_ns(overview, "device_busy_us") / 1000 / steps, "mean busy time");
}

static const struct node *next_used_step(const struct node *step)
{
    while (step && member_at(step, "used")->type != 't')
        step = step->next;
    return step;
}

static void check_device_steps(struct check *c, const struct node *device, const struct node *overview)
{
    __int128 idle = 0;
    const struct node *step = next_used_step(array_items(overview, "steps"));
    for (const struct node *own = array_items(device, "steps"); own && step; own = own->next) {
        check_equal(c, member_ns(own, "busy_us"),
                    member_ns(member_at(step, "device_busy_by_gpu_us"), member_text(device, "device")),
                    "busy time of step %s", member_text(step, "name"));
        check_equal(c, member_ns(own, "total_us"), member_ns(step, "total_us"), "length of step %s",
                    member_text(step, "name"));
        idle += member_ns(member_at(own, "idle"), "total_us");
        step = next_used_step(step->next);
    }
    check_equal(c, idle, member_ns(member_at(device, "idle"), "total_us"), "steps of the idle view");
}

static void check_device(struct check *c, const struct node *device, const struct node *overview)
{
    const struct node *idle = member_at(device, "idle"), *gpu = array_items(overview, "gpu_summary");
    const struct node *lines = array_items(device, "idle_by_line"), *flame = member_at(device, "idle_flame");
    const char *id = member_text(device, "device");
    __int128 parts = 0, busy = member_ns(device, "busy_us"), total = member_ns(idle, "total_us");
    for (size_t i = 0; i < sizeof idle_parts / sizeof *idle_parts; i++)
        parts += member_ns(idle, idle_parts[i]);
    while (gpu && strcmp(member_text(gpu, "gpu_id"), id) != 0)
        gpu = gpu->next;
    check_equal(c, busy + total, member_ns(overview, "window_us"), "busy and idle time of device %s", id);
    check_equal(c, parts, total, "parts of idle time of device %s", id);
    check_equal(c,
                member_ns(device, "compute_us") + member_ns(device, "exposed_communication_us") +
                    member_ns(device, "exposed_copy_us"),
                busy, "parts of busy time of device %s", id);
    check_equal(c, member_ns(gpu, "busy_us"), busy, "busy time of gpu_summary, device %s", id);
    check_nearly_equal(c, 100 * member_real(gpu, "busy_ratio"), member_real(device, "busy_percent"),
                       "busy share of device %s", id);
    check_equal(c, member_count(flame, "total_ns"), total, "flame of device %s", id);
    check_equal(c, sum_member(array_items(flame, "frames"), "self_ns") / 1000, total,
                "frames of the flame of device %s", id);
    check_equal(c, sum_member(lines, "ns") / 1000, total, "lines of device %s", id);
    check_equal(c, sum_member(lines, "starved_ns") / 1000, member_ns(idle, "host_us") + member_ns(idle, "launch_us"),
                "starved lines of device %s", id);
    check_device_steps(c, device, overview);
}

/* Returns the time of the children with this name, ns. */
static __int128 child_time(const struct node *node, const char *name)
{
    __int128 total = 0;
    for (const struct node *child = array_items(node, "children"); child; child = child->next)
        if (strcmp(member_text(child, "name"), name) == 0)
            total += member_count(child, "time_ns");
    return total;
}

static void check_tree_node(struct check *c, const struct node *node)
{
    const struct node *children = array_items(node, "children");
    if (children)
        check_equal(c, sum_member(children, "time_ns") / 1000, member_count(node, "time_ns"),
                    "children of %s in the tree of time", member_text(node, "name"));
    check_at_most(c, member_real(node, "floor_ns"), member_real(node, "costed_ns") * (1 + 1e-9), "floor of %s",
                  member_text(node, "name"));
    for (const struct node *child = children; child; child = child->next)
        check_tree_node(c, child);
}

/* Compares the tree of a device's time with the idle view of the same device. */
static void check_tree(struct check *c, const struct node *tree, const struct node *profile)
{
    const struct node *root = member_at(tree, "tree"), *device = array_items(profile, "idle_view");
    const char *id = member_text(tree, "device");
    while (device && strcmp(member_text(device, "device"), id) != 0)
        device = device->next;
    const struct node *idle = member_at(device, "idle");
    check_tree_node(c, root);
    check_equal(c, member_count(root, "time_ns"), member_ns(member_at(profile, "overview"), "window_us"),
                "tree of device %s", id);
    check_equal(c, child_time(root, "host"), member_ns(idle, "host_us"), "host in the tree of device %s", id);
    check_equal(c, child_time(root, "launch"), member_ns(idle, "launch_us"), "launch in the tree of device %s", id);
    check_equal(c, child_time(root, "outside"), member_ns(idle, "outside_us"), "outside in the tree of device %s", id);
    check_equal(c, child_time(root, "queue") + child_time(root, "unknown"),
                member_ns(idle, "queue_us") + member_ns(idle, "unknown_us"), "queue in the tree of device %s", id);
    /* only the sum is compared, because the tree includes more collectives than section 12 of docs/definitions.md */
    check_equal(
        c, child_time(root, "compute") + child_time(root, "device wait") + child_time(root, "exposed communication"),
        member_ns(device, "compute_us") + member_ns(device, "exposed_communication_us"),
        "compute and communication in the tree of device %s", id);
    check_equal(c, child_time(root, "exposed copy"), member_ns(device, "exposed_copy_us"),
                "exposed copies in the tree of device %s", id);
}

static void check_verdict(struct check *c, const struct node *profile)
{
    const struct node *verdict = member_at(profile, "verdict"), *causes = member_at(verdict, "causes");
    const struct node *device = array_items(profile, "idle_view");
    check_nearly_equal(c, member_real(verdict, "step_us"),
                       member_real(member_at(profile, "recommendations"), "step_us"), "step of the verdict");
    if (!member_at(verdict, "device"))
        return;
    while (device && strcmp(member_text(device, "device"), member_text(verdict, "device")) != 0)
        device = device->next;
    const struct node *idle = member_at(device, "idle");
    __int128 all = 0;
    for (const struct node *cause = causes ? causes->first : NULL; cause; cause = cause->next)
        all += member_ns(causes, cause->key);
    check_equal(c, all, member_ns(member_at(profile, "overview"), "window_us"), "causes fill the window");
    check_equal(c, member_ns(causes, "compute"), member_ns(device, "compute_us"), "compute of the verdict");
    check_equal(c, member_ns(causes, "queue"), member_ns(idle, "queue_us"), "queue of the verdict");
    check_equal(c, member_ns(causes, "outside"), member_ns(idle, "outside_us"), "outside of the verdict");
    check_equal(c, member_ns(causes, "unknown"), member_ns(idle, "unknown_us"), "unknown of the verdict");
    check_equal(c, member_ns(causes, "input") + member_ns(causes, "sync") + member_ns(causes, "launch"),
                member_ns(idle, "host_us") + member_ns(idle, "launch_us"), "starved time of the verdict");
}

static void check_findings(struct check *c, const struct node *found, const struct node *overview)
{
    double step_us = member_real(found, "step_us"), total = member_real(found, "total_ceiling_us_per_step");
    double window = member_real(found, "judged_us"), gains = 0;
    if (member_real(found, "steps") > 0 && member_real(overview, "window_us") > 0)
        check_nearly_equal(c, step_us, member_real(member_at(overview, "average"), "total_us"),
                           "step of the recommendations");
    for (const struct node *f = array_items(found, "findings"); f; f = f->next) {
        double ceiling = member_real(f, "ceiling_us_per_step");
        const char *id = member_text(f, "id");
        if (!member_at(f, "ceiling_us_per_step"))
            continue;
        check_nearly_equal(c, member_real(f, "share_of_step_percent"),
                           100 * ceiling * member_real(found, "steps") / window, "share of %s", id);
        check_at_most(c, ceiling, step_us, "%s is no longer than the step", id);
        check_at_most(c, ceiling, total, "%s is within the total", id);
        check_at_most(c, 0, member_real(f, "low_percent"), "least estimate of %s is not negative", id);
        check_at_most(c, member_real(f, "low_percent"), member_real(f, "high_percent"),
                      "least and most of the estimate of %s", id);
        /* a wait can have a lower gain in the total than its own estimate, because other findings can contain its
         * time */
        bool is_counted_less = member_at(f, "counted_percent") != NULL;
        double counted = member_real(f, is_counted_less ? "counted_percent" : "high_percent");
        if (!member_at(f, "replay")) /* a replay may show that a fix also shortens other time */
            check_at_most(c, counted, member_real(f, "share_of_step_percent"), "the estimate of %s is about its time",
                          id);
        check_at_most(c, counted, member_real(f, "high_percent"), "%s counts for no more than its estimate", id);
        check_at_most(c, member_real(f, "high_percent"), 100, "%s gains no more than the step", id);
        gains += counted;
    }
    check_at_most(c, gains, 100, "all estimates together");
    check_at_most(c, member_real(found, "total_ceiling_percent"), 100, "all findings together");
}

static void check_tables(struct check *c, const struct node *profile)
{
    const struct node *facts = member_at(profile, "trace_facts"), *operators = member_at(profile, "operator_view");
    const struct node *kernels = member_at(profile, "kernel_view"), *memory = member_at(profile, "memory_view");
    __int128 unlinked = member_ns(facts, "device_time_unlinked_us"), device = member_ns(facts, "device_time_us");
    check_equal(c, sum_member(array_items(operators, "by_name"), "device_self_time_us") + unlinked, device,
                "device time");
    check_equal(c, sum_member(array_items(operators, "by_name_and_input_shape"), "device_self_time_us") + unlinked,
                device, "device time by shape");
    if (kernels) {
        const struct node *names = array_items(kernels, "by_name"), *copies = array_items(kernels, "copies_by_name");
        check_equal(c, sum_member(names, "total_us"), member_ns(facts, "kernel_time_us"), "kernel time");
        check_equal(c, sum_member(array_items(kernels, "by_name_properties_and_operator"), "total_us"),
                    member_ns(facts, "kernel_time_us"), "kernel time by operator");
        check_equal(c, sum_member(names, "in_steps_us") + sum_member(copies, "in_steps_us"),
                    sum_member(array_items(profile, "idle_view"), "sum_us"), "time in steps");
        const struct node *works = array_items(member_at(profile, "work_view"), "devices");
        check_equal(c, sum_member(works, "total_us"), sum_member(names, "total_us") + sum_member(copies, "total_us"),
                    "kinds of work");
        check_equal(c, sum_member(works, "in_steps_us"),
                    sum_member(names, "in_steps_us") + sum_member(copies, "in_steps_us"), "kinds in steps");
    }
    for (const struct node *d = array_items(memory, "device_information"); d; d = d->next) {
        const char *name = member_text(d, "device");
        __int128 own = sum_member(array_items(member_at(memory, "operator_stats"), name), "self_size_increase_bytes");
        check_equal(c, own + member_ns(d, "unattributed_size_increase_bytes"),
                    member_ns(d, "allocated_bytes") - member_ns(d, "released_bytes"), "bytes of %s", name);
    }
}

static void check_profile(struct check *c, const struct node *profile)
{
    const struct node *overview = member_at(profile, "overview"), *quality = member_at(profile, "trace_quality");
    if (strcmp(member_text(profile, "status"), "ok") != 0)
        return;
    check_overview(c, overview);
    for (const struct node *device = array_items(profile, "idle_view"); device; device = device->next)
        check_device(c, device, overview);
    for (const struct node *tree = array_items(profile, "time_trees"); tree; tree = tree->next)
        check_tree(c, tree, profile);
    check_verdict(c, profile);
    check_findings(c, member_at(profile, "recommendations"), overview);
    check_tables(c, profile);
    check_equal(c, member_ns(quality, "read_total") + member_ns(quality, "skipped_total"),
                member_ns(quality, "events_total"), "events read and skipped");
}

int main(int argc, char **argv)
{
    size_t held = 0, broken = 0;
    for (int i = 1; i < argc; i++) {
        struct check c = {.file = argv[i]};
        struct node root;
        if (!load_json_file(argv[i], &root))
            return 2;
        for (const struct node *run = array_items(&root, "runs"); run; run = run->next)
            for (const struct node *profile = array_items(run, "profiles"); profile; profile = profile->next)
                check_profile(&c, profile);
        held += c.held;
        broken += c.broken;
    }
    printf("%zu equations hold, %zu are broken\n", held, broken);
    return broken > 0 || held == 0;
}
