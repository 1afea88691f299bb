// Stan Math: matrix variables (varmat) for T1 to T4, and variables for the programs of numbers.
#include "programs.hpp"
#include <stan/math.hpp>

using namespace stan::math;
using Matrix = Eigen::MatrixXd;
using M = var_value<Matrix>;
using V = var_value<Eigen::VectorXd>;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Vars {
  using Number = var;
  void begin(const double* values, List<var>& x) {
    recover_memory();
    for (auto& x : x) x = *values++;
  }
  void end(List<var>&, var&) {}
  double value(const var& y) { return y.val(); }
  void reverse(List<var>& x, var& y, double* g) {
    y.grad();
    for (auto& x : x) *g++ = x.adj();
  }
};
struct Stan {
  Job job;
  std::vector<double> numbers, out;
  std::vector<Matrix> given;
  Stan(Job job, std::vector<double> numbers) : job(job), numbers(numbers) {
    int n = job.n;
    const double* next = this->numbers.data();
    auto take = [&](int rows, int cols) {
      given.push_back(Eigen::Map<const Rows>(next, rows, cols));
      next += rows * cols;
    };
    auto many = [&](int count, int rows, int cols) {
      while (count-- > 0) take(rows, cols);
    };
    if (job.program == "t1" || job.program == "t2m") many(3, n, n);
    if (job.program == "t2") take(n, n), take(n, 1), take(n, 1);
    if (job.program == "t3") many(6, n, n), many(3, n, 1);
    if (job.program == "t4") many(2, n, n), many(6, n, 1), many(3, 1, 1);
  }
  Times run() {
    out.clear();
    recover_memory();
    std::vector<M> m;
    std::vector<V> v;
    std::vector<var> s;
    for (auto& x : given) {
      if (x.size() == 1 && job.program == "t4") s.emplace_back(x(0, 0));
      else if (x.cols() == 1) v.emplace_back(Eigen::VectorXd(x.col(0)));
      else m.emplace_back(x);
    }
    double start = thread_time();
    var y = output(m, v, s);
    double middle = thread_time();
    y.grad();
    double end = thread_time();
    // the last matrix or vector of T1 and T2 are weights
    bool weights = job.program == "t1" || job.program == "t2m";
    for (size_t i = 0; i < m.size() - weights; ++i) {
      Rows g = m[i].adj();
      out.insert(out.end(), g.data(), g.data() + g.size());
    }
    for (size_t i = 0; i < v.size() - (job.program == "t2"); ++i)
      out.insert(out.end(), v[i].adj().data(), v[i].adj().data() + v[i].size());
    for (auto& x : s) out.push_back(x.adj());
    return {middle - start, end - middle, y.val()};
  }
  var output(const std::vector<M>& m, const std::vector<V>& v, const std::vector<var>& s) {
    if (job.program == "t1") return sum(elt_multiply(multiply(m[0], m[1]), given.back()));
    if (job.program == "t2") return dot_product(V(mdivide_left(m[0], v[0])), Eigen::VectorXd(given.back().col(0)));
    if (job.program == "t2m") return sum(elt_multiply(M(mdivide_left(m[0], m[1])), given.back()));
    return job.program == "t3" ? filter(m, v) : relaxed(m, v, s);
  }
  var filter(const std::vector<M>& m, const std::vector<V>& given) {
    const M &f = m[0], &b = m[1], &q = m[2], &h = m[3], &r = m[4];
    M p = m[5];
    V x = given[2];
    for (int k = 0; k < job.steps; ++k) {
      V y = add(V(multiply(f, x)), V(multiply(b, given[0])));
      M cov = add(M(multiply(M(multiply(f, p)), M(transpose(f)))), q);
      V v0 = subtract(given[1], V(multiply(h, y)));
      M m1 = multiply(h, cov), m2 = multiply(cov, M(transpose(h)));
      M m3 = add(M(multiply(m1, M(transpose(h)))), r);
      M l = cholesky_decompose(m3), u = transpose(l);
      V v1 = mdivide_left_tri<Eigen::Lower>(l, v0), v2 = mdivide_left_tri<Eigen::Upper>(u, v1);
      M m4 = mdivide_left_tri<Eigen::Lower>(l, m1), m5 = mdivide_left_tri<Eigen::Upper>(u, m4);
      x = V(add(y, V(multiply(m2, v2))));
      p = M(subtract(cov, M(multiply(m2, m5))));
    }
    return dot_self(x) + sum(elt_multiply(p, p));
  }
  var relaxed(const std::vector<M>& m, const std::vector<V>& g, const std::vector<var>& s) {
    const M &w = m[0], &a = m[1];
    V v1 = g[2], z1 = g[3], v2 = g[4], z2 = g[5];
    const var &alpha = s[0], &beta = s[1], &tau = s[2];
    M wt = transpose(w), at = transpose(a);
    auto combined = [&](const V& v, const V& z) { return V(add(V(multiply(alpha, v)), V(multiply(tau, z)))); };
    for (int k = 0; k < job.steps; ++k) {
      V y1 = combined(v1, z1), y2 = combined(v2, z2);
      V x1 = subtract(V(multiply(wt, y1)), V(multiply(at, y2)));
      V x = add(g[0], V(multiply(beta, x1)));
      z1 = V(subtract(y1, V(multiply(w, x))));
      z2 = V(subtract(y2, V(subtract(g[1], V(multiply(a, x))))));
      v1 = combined(v1, z1);
      v2 = combined(v2, z2);
    }
    return dot_self(v1) + dot_self(z1) + dot_self(v2) + dot_self(z2);
  }
  std::vector<double> gradient() { return out; }
};

int main(int argc, char** argv) {
  std::string program = argc > 2 ? argv[2] : "";
  if (program == "burgers" || program == "asian") return serve<Recorder<Vars>>(argc, argv);
  return serve<Stan>(argc, argv);
}
