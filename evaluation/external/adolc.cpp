// ADOL-C: a trace of the loops over numbers and one reversal. Its buffers have so much room that nothing goes to files;
// what is not written takes no memory.
#include "programs.hpp"
#include <adolc/adolc.h>

void trace_on_in_memory(int tag, unsigned size = 1u << 29) { trace_on(tag, 1, size, 2 * size, size, 2 * size); }

struct Adolc {
  using Number = adouble;
  double last = 0;
  void begin(const double* values, List<adouble>& x) {
    // a recording for each path is small
    if (x.size() == Asian::inputs) trace_on_in_memory(1, 1u << 16);
    else trace_on_in_memory(1);
    for (auto& x : x) x <<= *values++;
  }
  void end(List<adouble>&, adouble& y) {
    y >>= last;
    trace_off();
  }
  double value(const adouble&) { return last; }
  void reverse(List<adouble>& x, adouble&, double* g) {
    double seed = 1;
    ::reverse(1, 1, x.size(), 0, &seed, g);
  }
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
    trace_on_in_memory(2);
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
  return serve<Recorder<Adolc>>(argc, argv);
}
