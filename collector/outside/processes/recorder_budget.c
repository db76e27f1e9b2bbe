/* Limits the recorder's processor time: see recorder_budget.h. */
#include "collector/outside/processes/recorder_budget.h"

enum { SHARE = 20, FREE_NS = 50000000, PAUSE_NS = 200000000, MOST_LEVELS = 7 };

static int64_t allowed_recorder_ns(int64_t program_ns)
{
    return program_ns / SHARE + FREE_NS;
}

bool tp_recorder_budget_has_room(const struct tp_recorder_budget *budget, int64_t own_ns, int64_t program_ns)
{
    return budget->level == 0 && own_ns - budget->begin_ns < allowed_recorder_ns(program_ns) / 2;
}

bool tp_recorder_budget_is_spent(const struct tp_recorder_budget *budget, int64_t own_ns, int64_t program_ns)
{
    return own_ns - budget->begin_ns > allowed_recorder_ns(program_ns);
}

bool tp_recorder_budget_update(struct tp_recorder_budget *budget, int64_t own_ns, int64_t program_ns, int64_t time_ns)
{
    bool is_over = tp_recorder_budget_is_spent(budget, own_ns, program_ns);
    if (budget->level ? time_ns - budget->last_check_ns < PAUSE_NS : !is_over)
        return false;
    bool is_dear = own_ns - budget->own_ns > (program_ns - budget->program_ns) / SHARE;
    bool is_ample = own_ns - budget->begin_ns < allowed_recorder_ns(program_ns) / 4 * 3;
    bool goes_on = !budget->level || (budget->level < MOST_LEVELS && is_dear);
    budget->last_check_ns = time_ns;
    budget->own_ns = own_ns;
    budget->program_ns = program_ns;
    if (is_over && goes_on)
        budget->level++;
    else if (!is_over && (budget->level > 1 || is_ample))
        budget->level--;
    budget->highest_level = budget->level > budget->highest_level ? budget->level : budget->highest_level;
    return is_over && goes_on;
}

bool tp_recorder_budget_reads_sample(struct tp_recorder_budget *budget)
{
    uint32_t one_of = budget->level > 1 ? 1u << (budget->level - 1) : 1;
    return budget->number++ % one_of == 0;
}
