/* Tests the search for the source line of an operator call. The test writes the source files, and their lines are
 * counted by hand. */
#include "webreport/session/source_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/one_arena.h"

static const char source[] = "import torch\n"
                             "from torch import nn\n"
                             "\n"
                             "class Net(nn.Module):\n"
                             "    def __init__(self):\n"
                             "        self.fc1 = nn.Linear(8, 8)\n"
                             "        self.fc2 = nn.Linear(8, 2)\n"
                             "        self.head = nn.Sequential(\n"
                             "            nn.LayerNorm(2),\n"
                             "            nn.GELU(),\n"
                             "        )\n"
                             "\n"
                             "    def forward(self, x):\n"
                             "        x = torch.relu(self.fc1(x))  # self.fc1( of a comment\n"
                             "        x = self.fc2(x.double().float())\n"
                             "        return self.head(x)\n"
                             "\n"
                             "\n"
                             "def train(model, loader,\n"
                             "          optimizer):\n"
                             "    for i, x in enumerate(loader):\n"
                             "        # loss.item() is for the log\n"
                             "        x = x.to('cpu')\n"
                             "        loss = model(x).sum()\n"
                             "        total = loss.item()\n"
                             "        optimizer.step()\n"
                             "        if i % 10 == 0:\n"
                             "            print(loss.item())\n"
                             "\n"
                             "\n"
                             "def test(model, x):\n"
                             "    return model(x).sum().item()\n";

static char folder[] = "/tmp/tp-source-lines-XXXXXX";

static int make_source(void **state)
{
    char path[64];
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/net.py", folder);
    FILE *file = fopen(path, "w");
    return file && fputs(source, file) >= 0 && fclose(file) == 0 ? 0 : -1;
}

static int remove_source(void **state)
{
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "%s/net.py", folder);
    return remove(path) || rmdir(folder);
}

static int32_t find_source_line(const char *place, const char *operator, uint32_t nth, uint32_t count)
{
    const struct tp_source_call call = {tp_str_of(place), tp_str_of(operator), nth, count};
    struct tp_str file;
    int32_t line = tp_source_find_line(&file, folder, &call, &arena);
    if (line)
        assert_memory_equal(file.ptr, "net.py", file.len);
    return line;
}

static void only_call_gives_the_line(void **state)
{
    GUARD;
    assert_int_equal(find_source_line("net.py(13): forward", "aten::relu", 0, 0), 14);
    assert_int_equal(find_source_line("/home/x/project/net.py(31): test", "aten::item", 0, 0), 32);
    assert_int_equal(find_source_line("net.py(19): train", "aten::add", 0, 1), 0);
    assert_int_equal(find_source_line("other.py(19): train", "aten::item", 0, 1), 0);
    /* the path leads out of the folder, but the file is found */
    assert_int_equal(find_source_line("../net.py(31): test", "aten::item", 0, 0), 32);
}

static void line_is_inside_of_the_running_function(void **state)
{
    GUARD;
    assert_int_equal(find_source_line("net.py(26): train", "aten::to", 0, 1), 23);
    assert_int_equal(find_source_line("net.py(26): train", "aten::sum", 0, 0), 24);
    assert_int_equal(find_source_line("net.py(26): train", "aten::add", 0, 1), 19); /* the exact line is unknown, so the
                                                                                     * result is the line of `def` */
    assert_int_equal(find_source_line("net.py(20): train", "aten::to", 0, 1), 23);
    /* the line of the frame is after the function's end, so it is returned unchanged */
    assert_int_equal(find_source_line("net.py(32): train", "aten::item", 0, 1), 32);
}

static void number_selects_among_several_calls(void **state)
{
    GUARD;
    assert_int_equal(find_source_line("net.py(26): train", "aten::item", 0, 1),
                     25); /* line 26 does not run in every step */
    assert_int_equal(find_source_line("net.py(26): train", "aten::item", 1, 2), 28);
    assert_int_equal(find_source_line("net.py(19): train", "aten::item", 0, 3), 0); /* the line is unknown */
    assert_int_equal(find_source_line("net.py(19): train", "aten::item", 0, 0), 0);
    assert_int_equal(find_source_line("net.py(13): forward", "aten::to", 1, 2), 15);
}

static void calls_of_modules_run_operators(void **state)
{
    GUARD;
    assert_int_equal(find_source_line("net.py(13): forward", "aten::linear", 0, 2), 14);
    assert_int_equal(find_source_line("net.py(13): forward", "aten::linear", 1, 2), 15);
    assert_int_equal(find_source_line("net.py(13): forward", "aten::gelu", 0, 1), 16);
    assert_int_equal(find_source_line("net.py(13): forward", "aten::layer_norm", 0, 1), 16);
    assert_int_equal(find_source_line("net.py(13): forward", "aten::silu", 0, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_call_gives_the_line, begin, end),
        cmocka_unit_test_setup_teardown(line_is_inside_of_the_running_function, begin, end),
        cmocka_unit_test_setup_teardown(number_selects_among_several_calls, begin, end),
        cmocka_unit_test_setup_teardown(calls_of_modules_run_operators, begin, end),
    };
    return cmocka_run_group_tests(tests, make_source, remove_source);
}
