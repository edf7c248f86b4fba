"""A loader on LLVM's ORC, which the C library of LLVM 22 offers to any language: loader.py OBJECT

Sites whose action is `define` are symbols that the code was left to find: each becomes an absolute symbol, the address of a
cell that holds the word. Sites whose action is `write` lie inside data of the object: their words are written once ORC has
loaded it, before anything runs.
"""
import ctypes
import json
import sys

LLVM = ctypes.CDLL("libLLVM.so.22.1")
POINTER = ctypes.c_void_p

# This session's objects. They live as long as the code.
OBJECTS = {"base": ctypes.c_int64(1000), "type of rates": ctypes.c_int64(7)}


class Pair(ctypes.Structure):
    """`LLVMOrcCSymbolMapPair`: a name, its address, and what kind of symbol it is."""

    _fields_ = [("name", POINTER), ("address", ctypes.c_uint64), ("generic", ctypes.c_uint8), ("target", ctypes.c_uint8)]


def llvm(name, result, *arguments):
    """A function of LLVM's, whose arguments are pointers and numbers."""
    function = getattr(LLVM, name)
    function.restype = result
    function.argtypes = [POINTER if argument is None or isinstance(argument, (int, bytes)) else type(argument)
                         for argument in arguments]
    return function(*arguments)


def check(error):
    """Ends the program with what LLVM says is wrong."""
    if error:
        sys.exit(ctypes.string_at(llvm("LLVMGetErrorMessage", POINTER, error)).decode())


def word_of(referent):
    """This session's word of a referent: here an object's address."""
    return ctypes.addressof(OBJECTS[referent["object"]["key"]])


def main(path):
    with open(f"{path}.reloc.json", encoding="utf-8") as file:
        manifest = json.load(file)
    # All words, before anything is loaded: a referent that nobody knows ends it here.
    words = [word_of(referent) for referent in manifest["referents"]]

    for part in ("TargetInfo", "Target", "TargetMC", "AsmPrinter"):
        llvm(f"LLVMInitializeX86{part}", None)
    jit = POINTER()
    check(llvm("LLVMOrcCreateLLJIT", POINTER, ctypes.pointer(jit), None))
    jit = jit.value
    library = llvm("LLVMOrcLLJITGetMainJITDylib", POINTER, jit)

    cells, pairs = [], []
    for site in manifest["sites"]:
        if site["action"] == "define":
            cells.append(ctypes.c_uint64(words[site["referent"]]))
            name = llvm("LLVMOrcLLJITMangleAndIntern", POINTER, jit, site["symbol"].encode())
            # An exported symbol.
            pairs.append(Pair(name, ctypes.addressof(cells[-1]), 1, 0))
    symbols = (Pair * len(pairs))(*pairs)
    unit = llvm("LLVMOrcAbsoluteSymbols", POINTER, symbols, len(pairs))
    check(llvm("LLVMOrcJITDylibDefine", POINTER, library, unit))

    buffer, message = POINTER(), POINTER()
    failed = llvm("LLVMCreateMemoryBufferWithContentsOfFile", ctypes.c_int, path.encode(), ctypes.pointer(buffer),
                  ctypes.pointer(message))
    if failed:
        sys.exit(ctypes.string_at(message).decode())
    check(llvm("LLVMOrcLLJITAddObjectFile", POINTER, jit, library, buffer.value))

    def address(name):
        found = ctypes.c_uint64()
        check(llvm("LLVMOrcLLJITLookup", POINTER, jit, ctypes.pointer(found), name.encode()))
        return found.value

    written = 0
    for site in manifest["sites"]:
        if site["action"] == "write":
            place = ctypes.c_uint64.from_address(address(site["symbol"]) + site["offset"])
            place.value = words[site["referent"]]
            written += 1
    value = ctypes.CFUNCTYPE(ctypes.c_int64)(address("value"))
    print(f"{len(pairs)} defined, {written} written: {value()}")
    # Another session's word in the cell: the code goes by it.
    OBJECTS["base"].value += 1
    print(value())
    check(llvm("LLVMOrcDisposeLLJIT", POINTER, jit))


main(sys.argv[1])
