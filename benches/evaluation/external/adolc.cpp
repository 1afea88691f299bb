// ADOL-C: a trace of the loops over numbers and one reversal. Its buffers have so much room that nothing goes to files;
// what is not written takes no memory.
#include "programs.hpp"
#include <adolc/adolc.h>

struct Adolc {
  Job job;
  std::vector<double> numbers, g;
  Adolc(Job job, std::vector<double> numbers) : job(job), numbers(numbers), g(inputs(job.program, job.n)) {}
  Times run() {
    int count = g.size();
    double value = 0, start = thread_time();
    trace_on(1, 1, 1u << 29, 1u << 30, 1u << 29, 1u << 30);
    {
      std::vector<adouble> x(count);
      for (int i = 0; i < count; ++i) x[i] <<= numbers[i];
      adouble y = ::run(job, x.data(), numbers.data() + count);
      y >>= value;
    }
    trace_off();
    double middle = thread_time();
    double seed = 1;
    reverse(1, 1, count, 0, &seed, g.data());
    return {middle - start, thread_time() - middle, value};
  }
  std::vector<double> gradient() { return g; }
};

int main(int argc, char** argv) { return serve<Adolc>(argc, argv); }
