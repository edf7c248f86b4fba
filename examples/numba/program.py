"""Prices options along random walks. It calls functions of C and of the host, and reads a table: host addresses, all three.

    python program.py FOLDER
"""

import ctypes
import math
import sys

import numpy as np

import relo_numba

libm = ctypes.CDLL("libm.so.6")
erf = libm.erf
erf.restype, erf.argtypes = ctypes.c_double, [ctypes.c_double]

calls = 0


@ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
def discount(years):
    global calls
    calls += 1
    return math.exp(-0.03 * years)


# So large that Numba refers to it where it is.
NOISE = np.random.default_rng(7).standard_normal(1 << 18)


def value(strikes, years, paths):
    total = 0.0
    for strike in strikes:
        payoff = 0.0
        for path in range(paths):
            price = 100.0
            for step in range(64):
                price *= 1.0 + 0.01 * NOISE[(path * 64 + step) & 0x3FFFF]
            payoff += max(price - strike, 0.0)
        total += payoff / paths * (1.0 + erf((100.0 - strike) / 50.0)) / 2.0
    return total * discount(years)


if __name__ == "__main__":
    fast = relo_numba.jit("float64(float64[::1], float64, int64)", sys.argv[1])(value)
    strikes = np.array([90.0, 100.0, 110.0])
    result, wanted = fast(strikes, 2.0, 100), value(strikes, 2.0, 100)
    assert math.isclose(result, wanted, rel_tol=1e-12), (result, wanted)
    assert calls == 2, "the host's function was called by both"
    how = "compiled and loaded" if fast.compiled else "loaded"
    print(f"{how} in this process: the load took {fast.seconds:.4f} s, value {result!r}")
    print("numba was " + ("imported" if "numba" in sys.modules else "not imported"))
