/* Lists the operators that make a tensor: see tensor_makers.h. */
#include "webreport/model/tensor_makers.h"

bool tp_makes_tensor(struct tp_str name)
{
    static const char *const makers[] = {"aten::arange",     "aten::bernoulli_", "aten::detach",     "aten::detach_",
                                         "aten::eye",        "aten::full",       "aten::full_like",  "aten::lift_fresh",
                                         "aten::linspace",   "aten::normal_",    "aten::ones",       "aten::ones_like",
                                         "aten::pin_memory", "aten::rand",       "aten::rand_like",  "aten::randint",
                                         "aten::randn",      "aten::randn_like", "aten::random_",    "aten::randperm",
                                         "aten::uniform_",   "aten::zeros",      "aten::zeros_like", NULL};
    return tp_str_is_one_of(name, makers);
}
