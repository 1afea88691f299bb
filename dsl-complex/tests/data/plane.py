"""Writes plane.txt: values and derivatives of complex functions at ordinary and extreme points, by mpmath with 1,600 digits.

    pip install mpmath
    python3 plane.py > plane.txt

With `--dense` there are all points, some 25,000 lines, in minutes.

A line has the precision (64 or 32), the function, the argument z, the value f(z), the gradient of Re f, and the derivative of this
gradient along the real axis: each of both parts, rounded to double precision. A gradient is df/dx + i df/dy, the conjugate of f'
for a holomorphic function. On a branch cut the sign of a zero tells the side: results are limits from there.
"""
import math
import random
import struct
import sys

from mpmath import mp, mpc, mpf

mp.dps = 1600
# What stands for a zero beside a cut, and below which part of a result it is taken for zero.
BESIDE = mpf(10) ** -750
NOTHING = mpf(10) ** -340


# The function, its derivative and its second derivative, of z and the value.
HOLOMORPHIC = {
    "sqrt": (mp.sqrt, lambda z, r: 1 / (2 * r), lambda z, r: -1 / (4 * r**3)),
    "cbrt": (lambda z: mp.exp(mp.log(z) / 3), lambda z, r: r / (3 * z), lambda z, r: -2 * r / (9 * z * z)),
    "recip": (lambda z: 1 / z, lambda z, r: -r * r, lambda z, r: 2 * r**3),
    "c/z": (lambda z: mpc(3, -4) / z, lambda z, r: -r / z, lambda z, r: 2 * r / (z * z)),
    "z/c": (lambda z: z / mpc(3, -4), lambda z, r: 1 / mpc(3, -4), lambda z, r: mpf(0)),
    "z/big": (lambda z: z / mpc(2.0**600, -(2.0**600)), lambda z, r: 1 / mpc(2.0**600, -(2.0**600)), lambda z, r: mpf(0)),
    "exp": (mp.exp, lambda z, r: r, lambda z, r: r),
    "exp2": (lambda z: mp.exp(z * mp.log(2)), lambda z, r: r * mp.log(2), lambda z, r: r * mp.log(2) ** 2),
    "exp_m1": (lambda z: mp.exp(z) - 1, lambda z, r: r + 1, lambda z, r: r + 1),
    "ln": (mp.log, lambda z, r: 1 / z, lambda z, r: -1 / (z * z)),
    "ln_1p": (lambda z: mp.log(1 + z), lambda z, r: 1 / (1 + z), lambda z, r: -1 / (1 + z) ** 2),
    "log2": (lambda z: mp.log(z) / mp.log(2), lambda z, r: 1 / z / mp.log(2), lambda z, r: -1 / (z * z) / mp.log(2)),
    "log10": (lambda z: mp.log(z) / mp.log(10), lambda z, r: 1 / z / mp.log(10), lambda z, r: -1 / (z * z) / mp.log(10)),
    "log(3)": (lambda z: mp.log(z) / mp.log(3), lambda z, r: 1 / z / mp.log(3), lambda z, r: -1 / (z * z) / mp.log(3)),
    "sin": (mp.sin, lambda z, r: mp.cos(z), lambda z, r: -r),
    "cos": (mp.cos, lambda z, r: -mp.sin(z), lambda z, r: -r),
    "tan": (mp.tan, lambda z, r: 1 / mp.cos(z) ** 2, lambda z, r: 2 * r / mp.cos(z) ** 2),
    "sinh": (mp.sinh, lambda z, r: mp.cosh(z), lambda z, r: r),
    "cosh": (mp.cosh, lambda z, r: mp.sinh(z), lambda z, r: r),
    "tanh": (mp.tanh, lambda z, r: 1 / mp.cosh(z) ** 2, lambda z, r: -2 * r / mp.cosh(z) ** 2),
    "asin": (mp.asin, lambda z, r: 1 / mp.cos(r), lambda z, r: z / mp.cos(r) ** 3),
    "acos": (mp.acos, lambda z, r: -1 / mp.sin(r), lambda z, r: -z / mp.sin(r) ** 3),
    "atan": (mp.atan, lambda z, r: 1 / (1 + z * z), lambda z, r: -2 * z / (1 + z * z) ** 2),
    "asinh": (mp.asinh, lambda z, r: 1 / mp.cosh(r), lambda z, r: -z / mp.cosh(r) ** 3),
    "acosh": (mp.acosh, lambda z, r: 1 / mp.sinh(r), lambda z, r: -z / mp.sinh(r) ** 3),
    "atanh": (mp.atanh, lambda z, r: 1 / (1 - z * z), lambda z, r: 2 * z / (1 - z * z) ** 2),
    "powi(3)": (lambda z: z**3, lambda z, r: 3 * z * z, lambda z, r: 6 * z),
    "powi(-2)": (lambda z: z**-2, lambda z, r: -2 * r / z, lambda z, r: 6 * r / (z * z)),
    "powf(1.75)": (
        lambda z: mp.exp(mpf(1.75) * mp.log(z)),
        lambda z, r: mpf(1.75) * r / z,
        lambda z, r: mpf(1.75 * 0.75) * r / (z * z),
    ),
    "powc": (
        lambda z: mp.exp(mpc(0.5, -0.25) * mp.log(z)),
        lambda z, r: mpc(0.5, -0.25) * r / z,
        lambda z, r: mpc(0.5, -0.25) * mpc(-0.5, -0.25) * r / (z * z),
    ),
    "expf(2.5)": (
        lambda z: mp.exp(z * mp.log(mpf(2.5))),
        lambda z, r: r * mp.log(mpf(2.5)),
        lambda z, r: r * mp.log(mpf(2.5)) ** 2,
    ),
}
# Value, gradient, and its derivative along the real axis.
REAL = {
    "norm": (abs, lambda z, r: z / r, lambda z, r: mpc(0, 1) * z / r * (1 / z).imag),
    "arg": (mp.arg, lambda z, r: mpc(0, 1) / z.conjugate(), lambda z, r: -mpc(0, 1) / (z.conjugate()) ** 2),
}
# Functions with a cut.
CUT = "sqrt cbrt ln ln_1p log2 log10 log(3) asin acos atan asinh acosh atanh powf(1.75) powc arg".split()
# Where a function has no value, or where the tests of conventions have it; and the same with other signs.
POLES = dict.fromkeys("cbrt recip c/z ln log2 log10 log(3) powi(-2) powf(1.75) powc norm arg".split(), (0, 0))
POLES |= {"ln_1p": (1, 0), "atanh": (1, 0), "atan": (0, 1)}
# Functions that grow exponentially, by the part that they grow with.
GROW = {"exp": 0, "exp2": 0, "exp_m1": 0, "sinh": 0, "cosh": 0, "tanh": 0, "expf(2.5)": 0, "sin": 1, "cos": 1, "tan": 1}


def signed(x):
    return (BESIDE if math.copysign(1, x) > 0 else -BESIDE) if x == 0 else mpf(x)


def rounded(x):
    if abs(x) < NOTHING:
        return 0.0
    # (mpmath's own conversion loses subnormal numbers)
    if abs(x) < mpf(2) ** -1022:
        return float(int(mp.nint(mp.ldexp(x, 1074)))) * 5e-324
    return float(x)


def both(z):
    return rounded(mpc(z).real), rounded(mpc(z).imag)


def line(bits, name, x, y):
    if (abs(x), abs(y)) == POLES.get(name) and (name != "ln_1p" or x < 0):
        return
    z = mpc(signed(x), signed(y)) if name in CUT else mpc(x, y)
    value, slope, change = (HOLOMORPHIC.get(name) or REAL[name])[:3]
    try:
        r = value(z)
        numbers = [r, slope(z, r), change(z, r)]
    except (ZeroDivisionError, OverflowError, ValueError):
        return
    if name in HOLOMORPHIC:
        numbers[1:] = [mpc(z).conjugate() for z in numbers[1:]]
    parts = [x, y] + [part for z in numbers for part in both(z)]
    print(bits, name, *(f"{part!r}".removesuffix(".0") for part in parts))


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def points(bits, name, count, rng):
    eps = 2.0**-52 if bits == 64 else 2.0**-23
    tiny = 5e-324 if bits == 64 else 2.0**-149
    small = 2.0**-1022 if bits == 64 else 2.0**-126
    large = 1.7e308 if bits == 64 else 3.3e38
    far = [0.8 * large, large**0.5 * 3, large**0.25, 1 / eps, 1.1e9, 0.9e9, 70000.0]
    near = [tiny, 3 * small, small**0.5, 1.1e-9, 0.9e-9, 1e-3]
    unit = [0.3, 0.9, 1 - eps / 2, 1.0, 1 + eps, 1.5, 3.0, 21.0]
    directions = [
        (1.0, 0.0), (1.0, -0.0), (-1.0, 0.0), (-1.0, -0.0), (0.0, 1.0), (-0.0, 1.0), (0.0, -1.0), (-0.0, -1.0),
        (0.6, 0.8), (-0.8, 0.6), (0.8, -0.6), (-0.28, -0.96), (-1.0, 1e-10), (1e-10, -1.0), (1.0, 1e-30), (-1e-30, 1.0), (1.0, 1.0),
    ]
    fixed = [(-1e8, 1.0), (1.0, eps), (-1.0, -tiny), (tiny, 1.0), (-5000.0, 1000.0), (0.0, 0.0), (-0.0, -0.0), (0.7, 0.3)]
    if name in GROW:
        # to the largest number and beyond, and between the zeros of sine and cosine
        most = (710.0 if bits == 64 else 89.0) / {"exp2": math.log(2), "expf(2.5)": math.log(2.5)}.get(name, 1)
        grown = [1e-9, 0.01, 0.3, 1.0, 5.0, 19.9, 20.5, 0.99 * most, 0.9999 * most, 1.002 * most, 1.02 * most, 2.5 * most]
        across = [0.0, -0.0, tiny, 1e-12, 0.4, -1.2, math.pi / 2, -math.pi, 100.0, -1e5]
        pairs = [(sign * x, y) for x in grown for y in across for sign in (1, -1)]
        pairs += [(x, y) for (x, y) in fixed if abs(x) < 2000] + [(x * m, y * m) for m in near + unit for (x, y) in directions]
        if GROW[name] == 1:
            pairs = [(y, x) for (x, y) in pairs]
        # mpmath has no exponentials of numbers like these
        pairs = [(x, y) for (x, y) in pairs if abs(x) < 1e6 and abs(y) < 1e6]
    else:
        pairs = [(x * m, y * m) for m in near + unit + far for (x, y) in directions]
    chosen = pairs if count is None else rng.sample(pairs, count)
    all_points = [] if name in GROW else list(fixed)
    for x, y in all_points + chosen:
        if bits == 32:
            try:
                x, y = single(x), single(y)
            except OverflowError:
                continue
        if math.isfinite(x) and math.isfinite(y):
            yield x, y


# Parts of very different size, and angles of many turns.
FAR_APART = [
    (64, name, x, y)
    for name in ("sqrt", "cbrt")
    for x, y in [
        (1e300, 1e-20), (1e300, -1e-160), (1e300, 5e-324), (1.7e308, 3e-308), (-1e300, 1e-20), (-1e300, -1e-160), (1e-20, 1e300),
        (-1e-160, -1e300), (1e155, 1e-160), (1e155, -1e-310), (1e-300, 5e-324), (1e9, 1.0), (1e9, 0.9), (3e-309, 5e-324),
    ]
] + [
    (bits, "exp2", x, y if bits == 64 else single(y))
    for bits in (64, 32)
    for x, y in [
        (0.0, 1.0), (0.5, -1.5), (0.0, 2.266180070913597), (2.0, 1e6), (0.0, -123456789.125), (0.0, 2.0**53 + 1), (0.5, 1e17), (-2.0, -1e20),
        (0.0, 1e25), (3.0, -3e38),
    ]
] + [(64, "exp2", x, y) for x, y in [(0.0, 1e155), (-1.0, -1e300), (0.0, 1.7976931348623157e308), (1030.0, 1e200), (-1070.0, -1e99)]]


def main():
    dense = "--dense" in sys.argv
    rng = random.Random(37)
    for name in list(HOLOMORPHIC) + list(REAL):
        for bits in (64, 32):
            if bits == 32 and name == "z/big":
                continue
            count = None if dense else (40 if bits == 64 else 16)
            seen = set()
            for x, y in points(bits, name, count, rng):
                key = (str(x), str(y))
                if key not in seen:
                    seen.add(key)
                    line(bits, name, x, y)
    for bits, name, x, y in FAR_APART:
        line(bits, name, x, y)


main()
