/* Reports that no Windows program has more rights than its caller: see ../README.md. */
#ifndef TP_WRITER_WINDOWS_SYS_AUXV_H
#define TP_WRITER_WINDOWS_SYS_AUXV_H

#define AT_SECURE 23

static inline unsigned long getauxval(unsigned long what)
{
    (void)what;
    return 0;
}

#endif
