/* Classifies operators by name as .item(), copy, cast, wait, allocation or other. See work_parts.h. */
#include "webreport/compare/work/work_parts.h"

enum tp_work_change_kind tp_work_kind_of_operator(struct tp_str name)
{
    static const char *const items[] = {"aten::item", "aten::_local_scalar_dense", NULL};
    static const char *const copies[] = {"aten::clone",           "aten::contiguous",
                                         "aten::copy_",           "aten::copy",
                                         "aten::_copy_from",      "aten::_copy_from_and_resize",
                                         "aten::pin_memory",      "aten::_pin_memory",
                                         "aten::detach_copy",     "aten::alias_copy",
                                         "aten::view_copy",       "aten::expand_copy",
                                         "aten::lift_fresh_copy", NULL};
    static const char *const casts[] = {"aten::to",
                                        "aten::_to_copy",
                                        "aten::type_as",
                                        "aten::_autocast_to_full_precision",
                                        "aten::_to_cpu",
                                        "aten::_autocast_to_reduced_precision",
                                        NULL};
    static const char *const waits[] = {"aten::nonzero",    "aten::is_nonzero",         "aten::equal",
                                        "aten::allclose",   "aten::masked_select",      "aten::_unique2",
                                        "aten::unique_dim", "aten::unique_consecutive", NULL};
    static const char *const allocations[] = {"aten::empty", "aten::zeros",         "aten::ones",
                                              "aten::full",  "aten::empty_strided", NULL};
    return tp_str_is_one_of(name, items)                                              ? TP_WORK_CHANGE_ITEM
           : tp_str_is_one_of(name, copies)                                           ? TP_WORK_CHANGE_COPY
           : tp_str_is_one_of(name, casts)                                            ? TP_WORK_CHANGE_CAST
           : tp_str_is_one_of(name, waits)                                            ? TP_WORK_CHANGE_HOST_WAIT
           : tp_str_is_one_of(name, allocations) || tp_str_starts(name, "aten::new_") ? TP_WORK_CHANGE_ALLOCATION
                                                                                      : TP_WORK_CHANGE_OPERATOR;
}
