"""A decorator for functions that Numba compiles but can't cache: relo keeps them for later processes."""

import ctypes
import hashlib
import inspect
import re
import time
from pathlib import Path

import relo

RUNTIME = "python"


def jit(signature, folder):
    """Compiles a function for a signature, as in `float64(float64[::1], int64)`, once: by Numba and relo, into the folder.
    Processes that find it there only load it, and don't even import Numba."""

    def decorate(function):
        start = time.perf_counter()
        source = inspect.getsource(function) + signature
        name = f"{function.__name__}-{hashlib.blake2b(source.encode(), digest_size=8).hexdigest()}.so"
        path = Path(folder) / name
        compiled = not path.exists()
        if compiled:
            _compile(function, signature).save(path)
            start = time.perf_counter()
        call = _load(function, signature, path)
        call.compiled, call.seconds = compiled, time.perf_counter() - start
        return call

    return decorate


def address(value):
    """The address that Numba writes into code for a value: of a C function, or of a large array's data."""
    if isinstance(value, ctypes._CFuncPtr):
        return ctypes.cast(value, ctypes.c_void_p).value
    if hasattr(value, "__array_interface__"):
        return value.__array_interface__["data"][0]
    return None


def _compile(function, signature):
    """Numba's code, its host addresses as relocations."""
    import numba

    start = time.perf_counter()
    # With `cache` Numba says why it does not keep the function.
    dispatcher = numba.njit(signature, cache=True, error_model="numpy")(function)
    print(f"Numba compiled it in {time.perf_counter() - start:.3f} s")
    (code,) = dispatcher.inspect_llvm().values()
    # Of its entries the one without wrappers for Python and C.
    (entry,) = re.findall(r"^define [^@\n]*@(_ZN(?!7cpython)\w+)\(", code, re.MULTILINE)
    meanings = {}
    for name in function.__code__.co_names:
        if place := address(function.__globals__.get(name)):
            meanings[place] = relo.Object(RUNTIME, f"{function.__module__}.{name}")
    return relo.compile(code, target="x86_64-linux", session=meanings, packs=["numba"], entries=[entry])


def _load(function, signature, path):
    """Numba's calling convention: a status, results through pointers, and of an array its parts."""

    def resolver(referent):
        module, _, name = referent.key.rpartition(".")
        if referent.runtime != RUNTIME or module != function.__module__:
            return None
        value = function.__globals__[name]
        return relo.Resolved(address(value), keep=value)

    image = relo.load(path, resolver)
    (entry,) = image.entries
    result, parameters = re.fullmatch(r"(\w+)\((.*)\)", signature).groups()
    kinds = {"float64": ctypes.c_double, "int64": ctypes.c_int64}
    result, parameters = kinds[result], parameters.split(", ")
    types = [ctypes.POINTER(result), ctypes.c_void_p]
    array = [ctypes.c_void_p, ctypes.c_void_p] + 2 * [ctypes.c_int64] + [ctypes.c_void_p] + 2 * [ctypes.c_int64]
    for parameter in parameters:
        types += array if parameter.endswith("[::1]") else [kinds[parameter]]
    native = image.function(entry, ctypes.c_int32, *types)

    def call(*arguments):
        flat = []
        for argument in arguments:
            if hasattr(argument, "__array_interface__"):
                size, item = len(argument), argument.itemsize
                flat += [None, None, size, item, address(argument), size, item]
            else:
                flat.append(argument)
        value, exception = result(), ctypes.c_void_p()
        status = native(ctypes.byref(value), ctypes.byref(exception), *flat)
        if status != 0:
            raise RuntimeError(f"{function.__name__} raised an exception")
        return value.value

    return call
