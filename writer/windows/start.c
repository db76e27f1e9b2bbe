/* Starts a Windows program: converts arguments to UTF-8 for `main`, and sets the standard streams to binary. */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "writer/windows/names.h"
#include "writer/windows/system.h"

int main(int argc, char **argv);
int wmain(int argc, wchar_t **wide);

int wmain(int argc, wchar_t **wide)
{
    char **argv = calloc((size_t)argc + 1, sizeof *argv);
    for (int i = 0; i < argc; i++)
        if (!argv || !(argv[i] = tp_windows_wide_to_utf8(wide[i])))
            return 5; /* memory is short; 5 is the exit code for a reached limit */
    for (int fd = 0; fd <= 2; fd++)
        _setmode(fd, _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
    return main(argc, argv);
}
