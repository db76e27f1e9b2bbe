/* Loads elfutils' libdw when the first address is looked up, and declares those of its functions that tracepress
 * calls. */
#ifndef TP_WRITER_SPOOL_LIBDW_H
#define TP_WRITER_SPOOL_LIBDW_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#define TP_LIBDW_FUNCTIONS(X)                                                                                          \
    X(dwfl_begin)                                                                                                      \
    X(dwfl_end)                                                                                                        \
    X(dwfl_report_begin)                                                                                               \
    X(dwfl_report_end)                                                                                                 \
    X(dwfl_report_elf)                                                                                                 \
    X(dwfl_module_getsymtab)                                                                                           \
    X(dwfl_module_getsym_info)                                                                                         \
    X(dwfl_module_address_section)                                                                                     \
    X(dwfl_module_nextcu)                                                                                              \
    X(dwfl_module_getelf)                                                                                              \
    X(elf_getphdrnum)                                                                                                  \
    X(elf_getdata_rawchunk)                                                                                            \
    X(elf_getident)                                                                                                    \
    X(elf_ndxscn)                                                                                                      \
    X(gelf_getphdr)                                                                                                    \
    X(dwfl_module_build_id)                                                                                            \
    X(dwfl_report_begin_add)                                                                                           \
    X(dwfl_attach_state)                                                                                               \
    X(dwfl_getthread_frames)                                                                                           \
    X(dwfl_frame_pc)                                                                                                   \
    X(dwfl_thread_state_registers)                                                                                     \
    X(dwfl_thread_state_register_pc)                                                                                   \
    X(dwfl_offline_section_address)                                                                                    \
    X(dwarf_child)                                                                                                     \
    X(dwarf_siblingof)                                                                                                 \
    X(dwarf_ranges)                                                                                                    \
    X(dwarf_getsrc_die)                                                                                                \
    X(dwarf_linesrc)                                                                                                   \
    X(dwarf_lineno)                                                                                                    \
    X(dwarf_tag)                                                                                                       \
    X(dwarf_attr_integrate)                                                                                            \
    X(dwarf_formstring)                                                                                                \
    X(dwarf_formudata)                                                                                                 \
    X(dwarf_getsrcfiles)                                                                                               \
    X(dwarf_filesrc)

struct tp_libdw {
#define TP_LIBDW_MEMBER(name) __typeof__(name) *name; // NOLINT(bugprone-macro-parentheses): a declaration
    TP_LIBDW_FUNCTIONS(TP_LIBDW_MEMBER)
};

/* Returns the functions of libdw as members with the same names. Returns NULL if the library is not installed, or if
 * the address space is limited to less than 2 GiB (ulimit -v). The library stays loaded. Any thread may call this
 * function. */
const struct tp_libdw *tp_libdw(void);

#endif
