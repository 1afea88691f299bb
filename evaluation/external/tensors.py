"""The paper's programs in JAX and in PyTorch, as processes that the evaluation starts.

What such a process is told and what it says is described in ../worker/src/lib.rs. Solves are by LU, which is what both have
a fast adjoint for; JAX compiles before the clock starts and does the run and its reversal in one call.
"""
import json
import statistics
import sys
import time

import numpy as np

from objectives import SIZES, JaxObjective

SECONDS, MOST = 0.2, 60


def burgers(np_, where, put, loop, n, steps, fields):
    """Burgers' equations; `put` puts an interior into an array."""
    dx = 1.0 / (n - 1)
    dt = 0.2 * dx * dx
    cx, cd = dt / dx, dt / (dx * dx)
    x = np_.asarray(np.arange(n) * dx)[None, :]
    y = np_.asarray(np.arange(n) * dx)[:, None]

    def advance(w, u, v):
        inner = (slice(1, -1), slice(1, -1))
        mid, west, east = w[inner], w[1:-1, :-2], w[1:-1, 2:]
        south, north = w[:-2, 1:-1], w[2:, 1:-1]
        u, v = u[inner], v[inner]
        ax = u * where(u >= 0, mid - west, east - mid)
        ay = v * where(v >= 0, mid - south, north - mid)
        return mid - cx * (ax + ay) + cd * (east + west + north + south - 4 * mid)

    def step(k, state):
        u, v = state
        t = (k + 1) * dt
        scale = 1 - 2 * t * t
        edge_u, edge_v = (x + y - 2 * x * t) / scale, (x - y - 2 * y * t) / scale
        return put(edge_u, advance(u, u, v)), put(edge_v, advance(v, u, v))

    u, v = loop(steps, step, tuple(fields))
    return (u[1:-1, 1:-1] ** 2).sum() + (v[1:-1, 1:-1] ** 2).sum()


def kalman(cholesky, triangular, loop, steps, inputs):
    f, b, q, h, r, p, u, z, x = inputs

    def step(_, state):
        x, p = state
        y = f @ x + b @ u
        cov = f @ p @ f.T + q
        v0 = z - h @ y
        m1, m2 = h @ cov, cov @ h.T
        low = cholesky(m1 @ h.T + r)
        v2 = triangular(low.T, triangular(low, v0[:, None], False), True)[:, 0]
        m5 = triangular(low.T, triangular(low, m1, False), True)
        return y + m2 @ v2, cov - m2 @ m5

    x, p = loop(steps, step, (x, p))
    return (x**2).sum() + (p**2).sum()


def analysis(loop, steps, inputs):
    w, a, x0, y, v1, z1, v2, z2, alpha, beta, tau = inputs

    def step(_, state):
        v1, z1, v2, z2 = state
        y1, y2 = alpha * v1 + tau * z1, alpha * v2 + tau * z2
        x = x0 + beta * (w.T @ y1 - a.T @ y2)
        z1, z2 = y1 - w @ x, y2 - (y - a @ x)
        return alpha * v1 + tau * z1, z1, alpha * v2 + tau * z2, z2

    return sum((x**2).sum() for x in loop(steps, step, (v1, z1, v2, z2)))


def shapes(program, n):
    m, v, s = (n, n), (n,), ()
    return {
        "burgers": [m, m],
        "t1": [m, m],
        "t2": [m, v],
        "t2m": [m, m],
        "t3": [m] * 6 + [v] * 3,
        "t4": [m] * 2 + [v] * 6 + [s] * 3,
    }[program]


def split(numbers, shapes):
    out = []
    for shape in shapes:
        size = int(np.prod(shape))
        out.append(numbers[:size].reshape(shape))
        numbers = numbers[size:]
    return out, numbers


class Jax:
    def __init__(self, program, n, steps, inputs, weights):
        import jax

        jax.config.update("jax_enable_x64", True)
        import jax.numpy as jnp
        from jax.scipy.linalg import solve_triangular

        def loop(steps, step, state):
            return jax.lax.scan(lambda s, k: (step(k, s), None), state, jnp.arange(steps))[0]

        def cholesky(m):
            # only the lower triangle is read
            return jnp.linalg.cholesky(jnp.tril(m) + jnp.tril(m, -1).T, symmetrize_input=False)

        def output(*x):
            if program == "burgers":
                put = lambda edge, inner: edge.at[1:-1, 1:-1].set(inner)
                return burgers(jnp, jnp.where, put, loop, n, steps, x)
            if program == "t1":
                return ((x[0] @ x[1]) * weights).sum()
            if program in ("t2", "t2m"):
                return (jnp.linalg.solve(x[0], x[1]) * weights).sum()
            if program == "t3":
                lower = lambda m, b, upper: solve_triangular(m, b, lower=not upper)
                return kalman(cholesky, lower, loop, steps, x)
            return analysis(loop, steps, x)

        self.inputs = [jnp.asarray(x) for x in inputs]
        function = jax.value_and_grad(output, argnums=tuple(range(len(inputs))))
        self.call = jax.jit(function).lower(*self.inputs).compile()

    def run(self):
        start = time.process_time()
        value, gradient = self.call(*self.inputs)
        for g in gradient:
            g.block_until_ready()
        both = time.process_time() - start
        self.gradient = gradient
        return None, both, float(value)

    def numbers(self):
        return [np.asarray(g) for g in self.gradient]


class JaxHessian:
    """The Hessian of a mixture of Gaussians, compiled before the clock starts."""

    dimension, components = 3, 10

    def __init__(self, numbers):
        import jax

        jax.config.update("jax_enable_x64", True)
        import jax.numpy as jnp
        from jax.scipy.special import logsumexp

        d, c = self.dimension, self.components
        factor = d * (d + 1) // 2
        count = c * (1 + d + factor)
        x, points, constant = numbers[:count], numbers[count:-1].reshape(-1, d), numbers[-1]
        # below the diagonal, column by column
        columns, rows = np.triu_indices(d, 1)

        def output(x, points):
            alphas, means, icf = x[:c], x[c : c + c * d].reshape(c, d), x[c + c * d :].reshape(c, factor)
            diagonal, below = jnp.exp(icf[:, :d]), icf[:, d:]
            lower = jnp.zeros((c, d, d)).at[:, rows, columns].set(below)
            lower = lower + jnp.eye(d) * diagonal[:, None, :]
            product = jnp.einsum("kij,nkj->nki", lower, points[:, None, :] - means)
            terms = alphas + icf[:, :d].sum(1) - 0.5 * (product**2).sum(2)
            prior = 0.5 * ((diagonal**2).sum() + (below**2).sum())
            return logsumexp(terms, axis=1).sum() - points.shape[0] * logsumexp(alphas) + prior + constant

        self.inputs = [jnp.asarray(x), jnp.asarray(points)]
        both = lambda x, points: (output(x, points), jax.hessian(output)(x, points))
        self.call = jax.jit(both).lower(*self.inputs).compile()

    def run(self):
        start = time.process_time()
        value, self.hessian = self.call(*self.inputs)
        self.hessian.block_until_ready()
        return None, time.process_time() - start, float(value)

    def numbers(self):
        return [np.asarray(self.hessian)]


class PyTorch:
    def __init__(self, program, n, steps, inputs, weights):
        import torch

        torch.set_num_threads(1)
        self.inputs = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in inputs]
        weights = torch.tensor(weights, dtype=torch.float64)

        def loop(steps, step, state):
            for k in range(steps):
                state = step(k, state)
            return state

        def put(edge, inner):
            new = edge.clone()
            new[1:-1, 1:-1] = inner
            return new

        def cholesky(m):
            return torch.linalg.cholesky(torch.tril(m) + torch.tril(m, -1).T)

        def output():
            x = self.inputs
            if program == "burgers":
                return burgers(torch, torch.where, put, loop, n, steps, x)
            if program == "t1":
                return ((x[0] @ x[1]) * weights).sum()
            if program in ("t2", "t2m"):
                return (torch.linalg.solve(x[0], x[1]) * weights).sum()
            if program == "t3":
                lower = lambda m, b, upper: torch.linalg.solve_triangular(m, b, upper=upper)
                return kalman(cholesky, lower, loop, steps, x)
            return analysis(loop, steps, x)

        self.output = output

    def run(self):
        for x in self.inputs:
            x.grad = None
        start = time.process_time()
        value = self.output()
        middle = time.process_time()
        value.backward()
        end = time.process_time()
        return middle - start, end - middle, float(value.detach())

    def numbers(self):
        return [x.grad.numpy() for x in self.inputs]


def memory(name):
    """A line of what Linux tells of this process, in bytes."""
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith(name):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def main():
    tool, program, n, steps, rounds, numbers, gradient = sys.argv[1:]
    n, steps, rounds = int(n), int(steps), int(rounds)
    numbers = np.fromfile(numbers)
    if program == "mixture":
        run = JaxHessian(numbers)
    elif program in SIZES:
        run = JaxObjective(program, numbers)
    else:
        inputs, weights = split(numbers, shapes(program, n))
        if weights.size:
            weights = weights.reshape(inputs[1].shape)
        run = {"jax": Jax, "pytorch": PyTorch}[tool](program, n, steps, inputs, weights)
    idle = memory("VmRSS:")
    record, reverse, value = run.run()
    cold = {"record": record, "reverse": reverse}
    everything = [np.array([value])] + [g.ravel() for g in run.numbers()]
    np.concatenate(everything).astype(np.float64).tofile(gradient)
    print(json.dumps({"event": "gradient"}), flush=True)
    if sys.stdin.readline().strip() != "go":
        return
    times = []
    while len(times) < rounds or (sum(b for _, b, _ in times) < SECONDS and rounds > 1 and len(times) < MOST):
        times.append(run.run())
    record, reverse, _ = zip(*times)
    record = None if record[0] is None else statistics.median(record)
    warm = {"record": record, "reverse": statistics.median(reverse)}
    peak = memory("VmHWM:")
    peak = None if peak is None or idle is None else max(peak - idle, 0)
    both = sorted((a or 0) + b for a, b, _ in times)
    quartiles = [both[k * (len(both) - 1) // 4] for k in (1, 3)]
    measured = {"rounds": len(times), "quartiles": quartiles, "cold": cold, "warm": warm, "plain": None, "peak_bytes": peak, "tape": None}
    print(json.dumps({"event": "measured"} | measured), flush=True)


if __name__ == "__main__":
    main()
