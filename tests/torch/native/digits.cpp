// digits FORM STEPS: trains two layers as tiny-dnn does. For each batch, each layer starts a std::async for each part
// of the batch. FORM is "written", or "one": one thread does the work, without std::async.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <vector>

namespace {
constexpr int PARTS = 4, BATCH = 16, IN = 784, HIDDEN = 20;
bool is_one;

template <typename F> void for_each_part(F work)
{
    std::vector<std::future<void>> parts;
    for (int part = 0; part < PARTS; part++) {
        auto run = [=] {
            for (int i = part * BATCH / PARTS; i < (part + 1) * BATCH / PARTS; i++)
                work(i);
        };
        if (is_one)
            run();
        else
            parts.push_back(std::async(std::launch::async, run));
    }
    for (auto &part : parts)
        part.wait();
}

struct layer {
    int in, out;
    std::vector<float> weights, outputs;
    layer(int in, int out) : in(in), out(out), weights(in * out, 0.01f), outputs(BATCH * out) {}

    void forward(const float *x)
    {
        for_each_part([this, x](int i) {
            for (int o = 0; o < out; o++) {
                float sum = 0;
                for (int k = 0; k < in; k++)
                    sum += weights[o * in + k] * x[i * in + k];
                outputs[i * out + o] = sum > 0 ? sum : 0;
            }
        });
    }
};
} // namespace

int main(int argc, char **argv)
{
    is_one = argc > 1 && std::strcmp(argv[1], "one") == 0;
    layer first(IN, HIDDEN), second(HIDDEN, 10);
    std::vector<float> x(BATCH * IN, 0.5f);
    for (int step = argc > 2 ? std::atoi(argv[2]) : 1000; step > 0; step--) {
        first.forward(x.data());
        second.forward(first.outputs.data());
        for (auto &w : first.weights)
            w -= 1e-6f * second.outputs[0];
    }
    std::printf("%g\n", static_cast<double>(second.outputs[0]));
}
