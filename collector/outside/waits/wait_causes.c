/* Finds causes of waits from kernel functions: see wait_causes.h. */
#include "collector/outside/waits/wait_causes.h"

/* Rules in the order of their priority. A rule applies if its text is part of the name of any function in the stack. If
 * a page fault waits for the disk, the cause is the disk. */
static const struct {
    const char *part, *cause;
} rules[] = {
    {"io_schedule", "disk"},  {"folio_wait", "disk"},      {"blk_", "disk"},
    {"jbd2", "disk"},         {"futex", "lock"},           {"ep_poll", "poll"},
    {"epoll", "poll"},        {"do_poll", "poll"},         {"do_select", "poll"},
    {"do_wait", "child"},     {"wait_for_vfork", "child"}, {"kernel_clone", "child"},
    {"nanosleep", "sleep"},   {"pipe_", "pipe"},           {"unix_", "socket"},
    {"tcp_", "socket"},       {"inet_", "socket"},         {"sk_wait", "socket"},
    {"skb_", "socket"},       {"n_tty", "terminal"},       {"tty_", "terminal"},
    {"sigsuspend", "signal"}, {"sigtimedwait", "signal"},  {"do_pause", "signal"},
    {"sys_pause", "signal"},  {"ptrace_stop", "stopped"},  {"do_signal_stop", "stopped"},
    {"rwsem", "kernel lock"}, {"mutex", "kernel lock"},    {"handle_mm_fault", "page fault"},
    {"vfs_", "file"},         {"do_exit", "exit"},
};

enum { RULES = sizeof rules / sizeof *rules };

static uint8_t find_rule_of_function(struct tp_str name)
{
    uint8_t rule = 0;
    while (rule < RULES && tp_str_find(name, rules[rule].part) < 0)
        rule++;
    return rule;
}

struct tp_str tp_wait_cause_of_function(struct tp_str name)
{
    uint8_t rule = find_rule_of_function(name);
    return rule < RULES ? tp_str_of(rules[rule].cause) : (struct tp_str){0};
}

const struct tp_str *tp_wait_causes_of_stacks(const struct tp_code_places *places, const struct tp_str *kernel,
                                              struct tp_arena *arena)
{
    size_t frames = places->frames.count, nodes = places->nodes.count;
    struct tp_str *causes = tp_arena_array(arena, nodes, sizeof *causes);
    uint8_t *by_frame = tp_arena_alloc(arena, frames + 1), *by_node = tp_arena_alloc(arena, nodes);
    for (size_t i = 0; i < frames; i++)
        by_frame[i] = kernel ? find_rule_of_function(kernel[i]) : RULES;
    by_node[0] = RULES;
    for (uint32_t i = 1; i < nodes; i++) {
        const struct tp_code_node *node = tp_code_node_at(places, i);
        uint8_t own = by_frame[node->frame], outer = by_node[node->outer];
        by_node[i] = own < outer ? own : outer;
        if (by_node[i] < RULES)
            causes[i] = tp_str_of(rules[by_node[i]].cause);
    }
    return causes;
}
