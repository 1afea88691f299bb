// The programs by loops over numbers, generic in the number; matrices are stored row by row.
#pragma once
#include "process.hpp"
#include <cmath>

template <class T>
using List = std::vector<T>;

template <class T>
T burgers(int n, int steps, const T* u0, const T* v0) {
  double dx = 1.0 / (n - 1), dt = 0.2 * dx * dx, cx = dt / dx, cd = dt / (dx * dx), t = 0;
  List<T> u(u0, u0 + n * n), v(v0, v0 + n * n), nu(n * n), nv(n * n);
  auto advance = [&](List<T>& out, const List<T>& w) {
    for (int j = 1; j < n - 1; ++j)
      for (int c = j * n + 1; c < (j + 1) * n - 1; ++c) {
        T ax = u[c] >= 0 ? T(u[c] * (w[c] - w[c - 1])) : T(u[c] * (w[c + 1] - w[c]));
        T ay = v[c] >= 0 ? T(v[c] * (w[c] - w[c - n])) : T(v[c] * (w[c + n] - w[c]));
        T lap = w[c + 1] + w[c - 1] + w[c + n] + w[c - n] - 4.0 * w[c];
        out[c] = w[c] - cx * (ax + ay) + cd * lap;
      }
  };
  for (int s = 0; s < steps; ++s) {
    advance(nu, u);
    advance(nv, v);
    t += dt;
    auto edge = [&](int i, int j) {
      double x = i * dx, y = j * dx, scale = 1 - 2 * t * t;
      nu[i + j * n] = (x + y - 2 * x * t) / scale;
      nv[i + j * n] = (x - y - 2 * y * t) / scale;
    };
    for (int k = 0; k < n; ++k) edge(k, 0), edge(k, n - 1), edge(0, k), edge(n - 1, k);
    u.swap(nu);
    v.swap(nv);
  }
  T sum = 0.0;
  for (int j = 1; j < n - 1; ++j)
    for (int c = j * n + 1; c < (j + 1) * n - 1; ++c) sum += u[c] * u[c] + v[c] * v[c];
  return sum;
}

/// The sum of `k` products of elements with the given distances.
template <class T>
T dot(int k, const T* a, int da, const T* b, int db) {
  T sum = a[0] * b[0];
  for (int i = 1; i < k; ++i) sum += a[i * da] * b[i * db];
  return sum;
}
template <class T>
T squares(const List<T>& x) {
  return dot((int)x.size(), x.data(), 1, x.data(), 1);
}
/// `c = a * b`, each transposed or not.
template <class T>
List<T> product(int n, const T* a, bool ta, const T* b, bool tb) {
  List<T> c(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      c[i * n + j] = dot(n, ta ? a + i : a + i * n, ta ? n : 1, tb ? b + j * n : b + j, tb ? 1 : n);
  return c;
}
template <class T>
List<T> times(int n, const T* a, bool ta, const T* x) {
  List<T> y(n);
  for (int i = 0; i < n; ++i) y[i] = dot(n, ta ? a + i : a + i * n, ta ? n : 1, x, 1);
  return y;
}
template <class T>
T weighted(const List<T>& x, const double* w) {
  T sum = x[0] * w[0];
  for (size_t i = 1; i < x.size(); ++i) sum += x[i] * w[i];
  return sum;
}

/// By reflections of Householder.
template <class T>
T solve(int n, int cols, const T* a0, const T* b, const double* weights) {
  using std::sqrt;
  List<T> a(a0, a0 + n * n), x(b, b + n * cols), v(n);
  for (int k = 0; k < n; ++k) {
    T norm = sqrt(dot(n - k, &a[k * n + k], n, &a[k * n + k], n));
    T alpha = a[k * n + k] > 0 ? T(-norm) : norm;
    for (int i = k; i < n; ++i) v[i] = a[i * n + k];
    v[k] -= alpha;
    T scale = 1.0 / (alpha * v[k]);
    a[k * n + k] = alpha;
    auto reflect = [&](T* m, int width, int j) {
      T along = dot(n - k, &v[k], 1, m + k * width + j, width) * scale;
      for (int i = k; i < n; ++i) m[i * width + j] += v[i] * along;
    };
    for (int j = k + 1; j < n; ++j) reflect(a.data(), n, j);
    for (int j = 0; j < cols; ++j) reflect(x.data(), cols, j);
  }
  for (int j = 0; j < cols; ++j)
    for (int i = n - 1; i >= 0; --i) {
      T sum = x[i * cols + j];
      for (int k = i + 1; k < n; ++k) sum -= a[i * n + k] * x[k * cols + j];
      x[i * cols + j] = sum / a[i * n + i];
    }
  return weighted(x, weights);
}

template <class T>
void cholesky(int n, List<T>& m) {
  using std::sqrt;
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      T sum = m[i * n + j];
      for (int k = 0; k < j; ++k) sum -= m[i * n + k] * m[j * n + k];
      if (i == j) m[i * n + i] = sqrt(sum);
      else m[i * n + j] = sum / m[j * n + j];
    }
}
/// `x = inverse(l) x`, or with the transposed `l`.
template <class T>
void triangular(int n, const List<T>& l, bool transposed, List<T>& x, int cols) {
  for (int j = 0; j < cols; ++j)
    for (int s = 0; s < n; ++s) {
      int i = transposed ? n - 1 - s : s;
      T sum = x[i * cols + j];
      for (int k = transposed ? i + 1 : 0; k < (transposed ? n : i); ++k)
        sum -= l[transposed ? k * n + i : i * n + k] * x[k * cols + j];
      x[i * cols + j] = sum / l[i * n + i];
    }
}
template <class T>
T kalman(int n, int steps, const T* in) {
  int m = n * n;
  const T *f = in, *b = in + m, *q = in + 2 * m, *h = in + 3 * m, *r = in + 4 * m, *u = in + 6 * m, *z = u + n;
  List<T> p(in + 5 * m, in + 6 * m), x(z + n, z + 2 * n);
  for (int s = 0; s < steps; ++s) {
    List<T> y = times(n, f, false, x.data()), bu = times(n, b, false, u);
    for (int i = 0; i < n; ++i) y[i] += bu[i];
    List<T> fp = product(n, f, false, p.data(), false), cov = product(n, fp.data(), false, f, true);
    for (int c = 0; c < m; ++c) cov[c] += q[c];
    List<T> v = times(n, h, false, y.data());
    for (int i = 0; i < n; ++i) v[i] = z[i] - v[i];
    List<T> m1 = product(n, h, false, cov.data(), false), m2 = product(n, cov.data(), false, h, true);
    List<T> l(m);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) l[i * n + j] = dot(n, &m1[i * n], 1, h + j * n, 1) + r[i * n + j];
    cholesky(n, l);
    for (bool transposed : {false, true}) {
      triangular(n, l, transposed, v, 1);
      triangular(n, l, transposed, m1, n);
    }
    List<T> k = times(n, m2.data(), false, v.data()), pm = product(n, m2.data(), false, m1.data(), false);
    for (int i = 0; i < n; ++i) x[i] = y[i] + k[i];
    for (int c = 0; c < m; ++c) p[c] = cov[c] - pm[c];
  }
  return squares(x) + squares(p);
}

template <class T>
T analysis(int n, int steps, const T* in) {
  const T *w = in, *a = in + n * n, *x0 = in + 2 * n * n, *y = x0 + n, *s = y + n;
  List<T> v1(s, s + n), z1(s + n, s + 2 * n), v2(s + 2 * n, s + 3 * n), z2(s + 3 * n, s + 4 * n);
  const T &alpha = s[4 * n], &beta = s[4 * n + 1], &tau = s[4 * n + 2];
  auto combined = [&](const List<T>& v, const List<T>& z) {
    List<T> out(n);
    for (int i = 0; i < n; ++i) out[i] = alpha * v[i] + tau * z[i];
    return out;
  };
  for (int k = 0; k < steps; ++k) {
    List<T> y1 = combined(v1, z1), y2 = combined(v2, z2);
    List<T> x = times(n, w, true, y1.data()), ay = times(n, a, true, y2.data());
    for (int i = 0; i < n; ++i) x[i] = x0[i] + beta * (x[i] - ay[i]);
    List<T> wx = times(n, w, false, x.data()), ax = times(n, a, false, x.data());
    for (int i = 0; i < n; ++i) {
      z1[i] = y1[i] - wx[i];
      z2[i] = y2[i] - (y[i] - ax[i]);
    }
    v1 = combined(v1, z1);
    v2 = combined(v2, z2);
  }
  return squares(v1) + squares(z1) + squares(v2) + squares(z2);
}

/// The objective of a mixture of Gaussians. Behind the inputs, which are weights, means and factors, stand the points, and
/// the constant.
struct Mixture {
  static constexpr int d = 3, components = 10, factor = d * (d + 1) / 2, inputs = components * (1 + d + factor);
  const double *points;
  int n;
  double constant;
  Mixture(const std::vector<double>& numbers)
      : points(numbers.data() + inputs), n((numbers.size() - inputs - 1) / d), constant(numbers.back()) {}
  template <class T>
  static T log_sum_exp(const T* x) {
    using std::exp, std::log;
    int most = 0;
    for (int k = 1; k < components; ++k)
      if (x[k] > x[most]) most = k;
    T sum = exp(x[0] - x[most]);
    for (int k = 1; k < components; ++k) sum += exp(x[k] - x[most]);
    return log(sum) + x[most];
  }
  template <class T>
  T run(const T* x) const {
    using std::exp;
    const T *means = x + components, *icf = means + components * d;
    List<T> diagonals(components * d), sums(components), terms(components), centred(d), product(d);
    for (int k = 0; k < components; ++k) {
      sums[k] = 0.0;
      for (int i = 0; i < d; ++i) {
        sums[k] += icf[k * factor + i];
        diagonals[k * d + i] = exp(icf[k * factor + i]);
      }
    }
    T sum = 0.0;
    for (int p = 0; p < n; ++p) {
      for (int k = 0; k < components; ++k) {
        for (int i = 0; i < d; ++i) {
          centred[i] = points[p * d + i] - means[k * d + i];
          product[i] = diagonals[k * d + i] * centred[i];
        }
        const T* l = icf + k * factor + d;
        for (int i = 0; i < d; ++i)
          for (int j = i + 1; j < d; ++j) product[j] += *l++ * centred[i];
        terms[k] = x[k] + sums[k] - 0.5 * squares(product);
      }
      sum += log_sum_exp(terms.data());
    }
    for (int k = 0; k < components; ++k) {
      sum += 0.5 * dot(d, &diagonals[k * d], 1, &diagonals[k * d], 1);
      sum += 0.5 * dot(factor - d, icf + k * factor + d, 1, icf + k * factor + d, 1);
    }
    return sum - double(n) * log_sum_exp(x) + constant;
  }
};

/// The price of an Asian option: the mean over its paths. The numbers are paths, steps, spot, rate, volatility, strike, and the
/// normal numbers of each path.
struct Asian {
  static constexpr int inputs = 3;
  int paths, steps;
  const double *x, *normals;
  double strike;
  Asian(const std::vector<double>& numbers)
      : paths(numbers[0]), steps(numbers[1]), x(&numbers[2]), normals(&numbers[6]), strike(numbers[5]) {}
  /// What a path adds to the mean.
  template <class T>
  T run(int path, const T* x) const {
    using std::exp;
    const T &spot = x[0], &rate = x[1], &volatility = x[2];
    double h = 1.0 / steps;
    T drift = h * (rate - 0.5 * volatility * volatility), spread = std::sqrt(h) * volatility;
    T price = spot, sum = 0.0;
    for (const double* z = normals + path * steps; z != normals + (path + 1) * steps; ++z) {
      price *= exp(drift + spread * *z);
      sum += price;
    }
    T paid = sum * h - strike;
    double share = paid > 0 ? 1.0 / paths : 0.0;
    return paid * exp(-rate) * share;
  }
};

/// How many of the job's numbers are inputs; the weights stand behind them.
inline int inputs(const std::string& program, int n) {
  if (program == "asian") return Asian::inputs;
  if (program == "t2") return n * n + n;
  if (program == "t3") return 6 * n * n + 3 * n;
  if (program == "t4") return 2 * n * n + 6 * n + 3;
  return 2 * n * n;
}
template <class T>
T run(const Job& job, const T* x, const double* weights) {
  int n = job.n;
  if (job.program == "burgers") return burgers(n, job.steps, x, x + n * n);
  if (job.program == "t1") return weighted(product(n, x, false, x + n * n, false), weights);
  if (job.program == "t2") return solve(n, 1, x, x + n * n, weights);
  if (job.program == "t2m") return solve(n, n, x, x + n * n, weights);
  if (job.program == "t3") return kalman(n, job.steps, x);
  return analysis(n, job.steps, x);
}

/// The programs by a tape of numbers. A `Tape` has the methods `begin`, which makes inputs of values, `end`, `value`, and
/// `reverse`, which fills a gradient. The option has a recording for each path.
template <class Tape>
struct Recorder {
  using T = typename Tape::Number;
  Job job;
  std::vector<double> numbers, g;
  Tape tape;
  List<T> x;
  Recorder(Job job, std::vector<double> numbers)
      : job(job), numbers(numbers), g(inputs(job.program, job.n)), x(g.size()) {}
  Times run() {
    if (job.program == "asian") return paths();
    tape.begin(numbers.data(), x);
    double start = thread_time();
    T y = ::run(job, x.data(), numbers.data() + x.size());
    tape.end(x, y);
    double middle = thread_time();
    tape.reverse(x, y, g.data());
    return {middle - start, thread_time() - middle, tape.value(y)};
  }
  Times paths() {
    Asian asian(numbers);
    double value = 0, own[Asian::inputs], start = thread_time();
    std::fill(g.begin(), g.end(), 0.0);
    for (int path = 0; path < asian.paths; ++path) {
      tape.begin(asian.x, x);
      T y = asian.run(path, x.data());
      tape.end(x, y);
      tape.reverse(x, y, own);
      for (int i = 0; i < Asian::inputs; ++i) g[i] += own[i];
      value += tape.value(y);
    }
    return {NAN, thread_time() - start, value};
  }
  std::vector<double> gradient() { return g; }
};
