"""The objectives of ADBench and gradbench by whole arrays, for NumPy and for JAX; what they are is said in ../worker/src/objectives.

`objective(np, name, sizes, data)` gives functions of the inputs: all outputs, and in JAX the derivatives in the order in which
tools hand them over. The formulas are written for arrays and share nothing with the Rust programs.
"""
import numpy

BONES, THETA = 22, 26
SIZES = {"gmm": 3, "ba": 3, "lstm": 3, "hand": 2, "hand-surface": 2, "ode": 2, "kmeans": 3, "kmeans-newton": 3, "asian": 2}


def inputs(name, sizes):
    """How many inputs there are."""
    if name == "gmm":
        d, k, _ = sizes
        return k * (1 + d + d * (d + 1) // 2)
    if name == "ba":
        return 11 * sizes[0] + 3 * sizes[1] + sizes[2]
    if name == "lstm":
        return sizes[2] * (8 * sizes[0] + 3)
    if name == "hand":
        return THETA
    if name == "hand-surface":
        return THETA + 2 * sizes[1]
    if name == "ode":
        return sizes[0]
    if name == "asian":
        return 3
    return sizes[0] * sizes[1]


def log_gamma(x):
    import math

    return math.lgamma(x)


def logsumexp(np, x, axis):
    top = x.max(axis=axis, keepdims=True)
    return (np.log(np.exp(x - top).sum(axis=axis, keepdims=True)) + top).squeeze(axis)


def gmm(np, sizes, data):
    d, k, n = sizes
    points, gamma, m = data[: n * d].reshape(n, d), data[n * d], data[n * d + 1]
    freedom = d + m + 1
    multivariate = d * (d - 1) / 4 * numpy.log(numpy.pi) + sum(log_gamma((freedom - j) / 2) for j in range(d))
    prior = freedom * d * (numpy.log(gamma) - numpy.log(2) / 2) - multivariate
    constant = -n * d * numpy.log(2 * numpy.pi) / 2 - k * prior
    columns, rows = numpy.triu_indices(d, 1)
    # place (i, j) of each factor in the list of its numbers
    place = numpy.full((d, d), 0)
    place[rows, columns] = d + numpy.arange(len(rows))
    mask = numpy.tril(numpy.ones((d, d)), -1)

    def outputs(x):
        alphas, means = x[:k], x[k : k + k * d].reshape(k, d)
        icf = x[k + k * d :].reshape(k, -1)
        q, below = icf[:, :d], icf[:, d:]
        lower = icf[:, place] * mask + np.exp(q)[:, :, None] * numpy.eye(d)
        centred = points[:, None, :] - means
        product = np.einsum("kij,nkj->nki", lower, centred)
        terms = alphas + q.sum(1) - 0.5 * (product**2).sum(2)
        prior = (0.5 * gamma**2 * ((np.exp(q) ** 2).sum() + (below**2).sum())) - m * q.sum()
        total = logsumexp(np, terms, 1).sum() - n * logsumexp(np, alphas, 0) + prior + constant
        return np.reshape(total, (1,))

    return outputs


def observation(np, x, seen):
    """The errors of one observation, of its fifteen inputs."""
    r, c, f, u, k, p, w = x[:3], x[3:6], x[6], x[7:9], x[9:11], x[11:14], x[14]
    angle = np.sqrt((r**2).sum())
    axis, o = r / angle, p - c
    turned = o * np.cos(angle) + np.cross(axis, o) * np.sin(angle) + axis * (axis @ o) * (1 - np.cos(angle))
    q = turned[:2] / turned[2]
    square = (q**2).sum()
    seen_at = f * (1 + k[0] * square + k[1] * square**2) * q + u
    return np.concatenate([w * (seen_at - seen), np.reshape(1 - w**2, (1,))])


def observed(sizes, data):
    """The inputs of each observation, and what was seen."""
    cameras, points, count = sizes
    of = data[: 2 * count].reshape(-1, 2).astype(int)
    camera = 11 * of[:, :1] + numpy.arange(11)
    point = 11 * cameras + 3 * of[:, 1:] + numpy.arange(3)
    weight = 11 * cameras + 3 * points + numpy.arange(count)[:, None]
    return numpy.hstack([camera, point, weight]), data[2 * count :].reshape(-1, 2)


def ba(np, sizes, data):
    index, seen = observed(sizes, data)

    def outputs(x):
        if np is numpy:
            return numpy.concatenate([observation(np, x[i], s) for i, s in zip(index, seen)])
        import jax

        return jax.vmap(lambda x, s: observation(np, x, s))(x[index], seen).ravel()

    return outputs


def lstm(np, sizes, data):
    layers, count, n = sizes
    state = data[: 2 * layers * n].reshape(layers, 2, n)
    sequence = data[2 * layers * n :].reshape(count, n)
    logistic = lambda x: 1 / (1 + np.exp(-x))

    def outputs(x):
        gates = x[: 8 * n * layers].reshape(layers, 2, 4, n)
        first, out, bias = x[8 * n * layers :].reshape(3, n)

        def step(state, both):
            now, after = both
            below, new = now * first, []
            for layer in range(layers):
                (w, b), (hidden, cell) = gates[layer], state[layer]
                f, i = logistic(below * w[0] + b[0]), logistic(hidden * w[1] + b[1])
                o, c = logistic(below * w[2] + b[2]), np.tanh(hidden * w[3] + b[3])
                cell = cell * f + i * c
                below = o * np.tanh(cell)
                new.append(np.stack([below, cell]))
            y = below * out + bias
            return np.stack(new), (after * (y - np.log(2 + np.exp(y).sum()))).sum()

        if np is numpy:
            now, total = state, 0.0
            for both in zip(sequence, sequence[1:]):
                now, term = step(now, both)
                total += term
        else:
            import jax

            total = jax.lax.scan(step, np.asarray(state), (sequence[:-1], sequence[1:]))[1].sum()
        return np.reshape(-total / ((count - 1) * n), (1,))

    return outputs


def parent(bone):
    if bone == 0:
        return None
    return 0 if bone == BONES - 1 or (bone - 1) % 4 == 0 else bone - 1


def rows(np, numbers):
    """Transforms of four rows, of which three are given."""
    given = numbers.reshape(-1, 3, 4)
    last = numpy.broadcast_to(numpy.array([0.0, 0.0, 0.0, 1.0]), (len(given), 1, 4))
    return np.concatenate([given, last], axis=1)


def about(np, axis, angle):
    """The rotation about the x or the z axis, four by four."""
    c, s, o, z = np.cos(angle), np.sin(angle), 1.0, 0.0
    if axis == "x":
        table = [[o, z, z, z], [z, c, -s, z], [z, s, c, z], [z, z, z, o]]
    else:
        table = [[c, -s, z, z], [s, c, z, z], [z, z, o, z], [z, z, z, o]]
    return np.stack([np.stack([np.asarray(x) for x in row]) for row in table])


def hand(np, sizes, data, surface):
    vertices, count = sizes
    relative, inverse = rows(numpy, data[: 12 * BONES]), rows(numpy, data[12 * BONES : 24 * BONES])
    data = data[24 * BONES :]
    near = data[: 20 * vertices].reshape(vertices, 4, 5)
    data = data[20 * vertices :]
    corners, measured = data[: 3 * count].reshape(-1, 3).astype(int), data[3 * count :].reshape(-1, 3)
    bones, places = near[:, :, 0].astype(int), near[:, :, 1:]

    def outputs(x):
        absolute = []
        for bone in range(BONES):
            m = relative[bone]
            finger, joint = divmod(bone - 1, 4)
            if bone not in (0, BONES - 1) and joint > 0:
                first = 6 + 4 * finger
                if joint == 1:
                    m = m @ about(np, "z", x[first + 1]) @ about(np, "x", x[first])
                else:
                    m = m @ about(np, "x", x[first + joint])
            absolute.append(m if parent(bone) is None else absolute[parent(bone)] @ m)
        transforms = np.stack(absolute) @ inverse
        at = lambda v: np.einsum("vbij,vbj->vi", transforms[bones[v]], places[v])[:, :3]
        place = at(corners[:, 0])
        if surface:
            own = x[THETA:].reshape(-1, 2)
            u, v = own[:, :1], own[:, 1:]
            place = u * place + v * at(corners[:, 1]) + (1 - u - v) * at(corners[:, 2])
        r = x[:3]
        angle = np.sqrt((r**2).sum())
        axis = r / angle
        moved = place * np.cos(angle) + np.cross(axis, place) * np.sin(angle)
        moved = moved + (place @ axis)[:, None] * axis * (1 - np.cos(angle))
        return (measured - moved - x[3:6]).ravel()

    return outputs


def ode(np, sizes, _):
    n, steps = sizes
    h = 2.0 / steps

    def outputs(x):
        slope = lambda y: x * np.concatenate([np.ones(1), y[:-1]])

        def step(y, _):
            a = slope(y)
            b = slope(y + h / 2 * a)
            c = slope(y + h / 2 * b)
            d = slope(y + h * c)
            return y + h / 6 * (a + 2 * b + 2 * c + d), None

        y = np.zeros(n)
        if np is numpy:
            for _ in range(steps):
                y, _ = step(y, None)
        else:
            import jax

            y = jax.lax.scan(step, y, None, steps)[0]
        return y[-1:]

    return outputs


def kmeans(np, sizes, data):
    d, k, n = sizes
    points = data.reshape(n, d)

    def outputs(x):
        means = x.reshape(k, d)
        # the distances, without an array of all differences
        distances = (points**2).sum(1)[:, None] - 2 * points @ means.T + (means**2).sum(1)
        nearest = means[distances.argmin(1)]
        return np.reshape(((nearest - points) ** 2).sum(), (1,))

    return outputs


def asian(np, sizes, data):
    paths, steps = sizes
    strike, normals, h = data[0], data[1:].reshape(paths, steps), 1 / steps

    def outputs(x):
        spot, rate, volatility = x
        logarithms = (rate - volatility**2 / 2) * h + volatility * np.sqrt(h) * normals
        prices = spot * np.exp(np.cumsum(logarithms, axis=1))
        return np.reshape(np.exp(-rate) * np.maximum(prices.mean(1) - strike, 0).mean(), (1,))

    return outputs


def objective(np, name, sizes, data):
    if name in ("hand", "hand-surface"):
        return hand(np, sizes, data, name == "hand-surface")
    if name.startswith("kmeans"):
        return kmeans(np, sizes, data)
    return {"gmm": gmm, "ba": ba, "lstm": lstm, "ode": ode, "asian": asian}[name](np, sizes, data)


def summary(np, outputs):
    return outputs[0] if outputs.shape == (1,) else (outputs**2).sum()


def derivatives(name, sizes, data):
    """A function of the inputs: what is told of the outputs, and the derivatives in the order in which they are handed over."""
    import jax
    import jax.numpy as jnp

    f = objective(jnp, name, sizes, data)
    if name == "ba":
        index, seen = observed(sizes, data)
        one = lambda x, s: (lambda e: (e, e))(observation(jnp, x, s))
        block = jax.vmap(jax.jacrev(one, has_aux=True))

        def run(x):
            jacobian, errors = block(x[index], seen)
            # the error of the weight depends on the weight alone
            parts = [jacobian[:, :2].reshape(len(index), -1), jacobian[:, 2, -1:]]
            return summary(jnp, errors.ravel()), jnp.concatenate(parts, axis=1).ravel()

        return run
    if name in ("hand", "hand-surface"):
        count = inputs(name, sizes)
        seeds = numpy.zeros((THETA + 2 * (count > THETA), count))
        seeds[numpy.arange(THETA), numpy.arange(THETA)] = 1
        for i in range(THETA, count):
            # coordinates of different points go together
            seeds[THETA + (i - THETA) % 2, i] = 1

        def run(x):
            y, along = jax.linearize(f, x)
            return summary(jnp, y), jax.vmap(along)(jnp.asarray(seeds)).T.ravel()

        return run
    scalar = lambda x: f(x)[0]
    if name == "kmeans-newton":

        def run(x):
            both = lambda x: jax.value_and_grad(scalar)(x)
            # the Hessian has a diagonal and nothing else
            (y, gradient), (_, diagonal) = jax.jvp(both, (x,), (jnp.ones_like(x),))
            return y, jnp.concatenate([gradient, diagonal])

        return run
    return jax.value_and_grad(scalar)


def split(name, numbers):
    """Sizes, inputs and data from the numbers of a file."""
    count = SIZES[name]
    sizes = [int(n) for n in numbers[:count]]
    last = count + inputs(name, sizes)
    return sizes, numbers[count:last], numbers[last:]


class JaxObjective:
    """Compiled before the clock starts."""

    def __init__(self, name, numbers):
        import jax

        jax.config.update("jax_enable_x64", True)
        import jax.numpy as jnp

        sizes, x, data = split(name, numbers)
        self.x = jnp.asarray(x)
        self.call = jax.jit(derivatives(name, sizes, data)).lower(self.x).compile()

    def run(self):
        import time

        start = time.process_time()
        value, self.all = self.call(self.x)
        self.all.block_until_ready()
        return None, time.process_time() - start, float(value)

    def numbers(self):
        return [numpy.asarray(self.all)]
