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

/// The Hessian of a mixture of Gaussians: a trace, and the driver for products of the Hessian with all directions.
struct Hessian {
  std::vector<double> numbers, h;
  std::vector<double> unit, products;
  std::vector<double*> units, rows;
  Hessian(Job, std::vector<double> numbers)
      : numbers(numbers), h(Mixture::inputs * Mixture::inputs), unit(h.size()), products(h.size()) {
    int n = Mixture::inputs;
    for (int i = 0; i < n; ++i) {
      unit[i * n + i] = 1;
      units.push_back(&unit[i * n]);
      rows.push_back(&products[i * n]);
    }
  }
  /// Records; the value.
  double trace() {
    int n = Mixture::inputs;
    double value = 0;
    trace_on(2, 1, 1u << 29, 1u << 30, 1u << 29, 1u << 30);
    {
      std::vector<adouble> x(n);
      for (int i = 0; i < n; ++i) x[i] <<= numbers[i];
      adouble y = Mixture(numbers).run(x.data());
      y >>= value;
    }
    trace_off();
    return value;
  }
  Times run() {
    int n = Mixture::inputs;
    double start = thread_time(), value = trace();
    double middle = thread_time();
    hess_mat(2, n, n, numbers.data(), units.data(), rows.data());
    h = products;
    return {middle - start, thread_time() - middle, value};
  }
  std::vector<double> gradient() { return h; }
};
/// The same with the driver for the lower triangle, a product for each row.
struct HessianByRows : Hessian {
  using Hessian::Hessian;
  Times run() {
    int n = Mixture::inputs;
    double start = thread_time(), value = trace();
    double middle = thread_time();
    ::hessian(2, n, numbers.data(), rows.data());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) h[i * n + j] = h[j * n + i] = rows[i][j];
    return {middle - start, thread_time() - middle, value};
  }
};

int main(int argc, char** argv) {
  if (argc > 2 && std::string(argv[2]) == "mixture")
    return std::string(argv[1]) == "adolc" ? serve<HessianByRows>(argc, argv) : serve<Hessian>(argc, argv);
  return serve<Adolc>(argc, argv);
}
