#!/usr/bin/env python3
"""Measures relo on a large module, beside LLVM's and MLIR's own tools: large.py RELO [MEGABYTES...]

The module is the corpus of Julia's images, linked to itself under other names until its bitcode is as large as asked for.
What is compared is time and memory of `relo compile -O0` to bitcode with those of `opt -O0`, `mlir-translate --import-llvm`
and `mlir-translate --mlir-to-llvmir` one after the other, the larger of the three's memory being theirs.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LLVM = Path("/usr/lib/llvm-22/bin")
IMAGES = ROOT / "examples/corpus/julia/image"
NAME = re.compile(r'@(?:"((?:[^"\\]|\\.)*)"|([-\w.$]+))')


def tool(name, *arguments):
    subprocess.run([str(LLVM / name), *map(str, arguments)], check=True, stderr=subprocess.DEVNULL)


def unit(folder):
    """All images as one module, with the session table of its globals."""
    parts, table = [], {}
    for number, image in enumerate(sorted(IMAGES.glob("*.bc"))):
        text = folder / f"{number}.ll"
        tool("llvm-dis", image, "-o", text)
        entries = json.loads(image.with_suffix(".session.json").read_text())["entries"]
        # LLVM's linker leaves out internal functions that nothing calls.
        visible = text.read_text().replace("\ndefine internal ", "\ndefine ")
        renamed, globals_ = suffixed(visible, f".{number}", {entry["global"] for entry in entries})
        table.update({globals_[entry["global"]]: entry["target"] for entry in entries if entry["global"] in globals_})
        text.write_text(renamed)
        parts.append(text)
    tool("llvm-link", "-S", *parts, "-o", folder / "unit.ll")
    return (folder / "unit.ll").read_text(), table


def suffixed(text, suffix, names):
    """A module whose definitions have other names; and how the names asked for are spelt in it."""
    defined = {a or b for a, b in re.findall(r'^(?:define [^@\n]*)?@(?:"((?:[^"\\]|\\.)*)"|([-\w.$]+))(?: = (?!external|.*appending)|\()',
                                             text, re.MULTILINE)}
    defined = {name for name in defined if not name.startswith("llvm.")}

    def rename(found):
        name = found[1] or found[2]
        return f'@"{name}{suffix}"' if name in defined else found[0]

    return NAME.sub(rename, text), {name: name + suffix for name in names & defined}


def module(folder, text, table, megabytes):
    """The unit linked to itself until it is large enough; the number of copies."""
    parts, size, entries = [], 0, []
    copies = 0
    while size < megabytes << 20:
        suffix = f".c{copies}"
        renamed, globals_ = suffixed(text, suffix, set(table))
        entries += [{"global": globals_[name], "target": target} for name, target in table.items() if name in globals_]
        (folder / "copy.ll").write_text(renamed)
        part = folder / f"copy{copies}.bc"
        tool("llvm-as", folder / "copy.ll", "-o", part)
        parts.append(part)
        copies += 1
        # Bitcode of many is about as large as many of one.
        size += part.stat().st_size
    big, session = folder / f"big{megabytes}.bc", folder / f"big{megabytes}.json"
    tool("llvm-link", *parts, "-o", big)
    session.write_text(json.dumps({"entries": entries}))
    for part in parts:
        part.unlink()
    return big, session, copies


def measured(*command):
    """The processor's seconds and the megabytes that a command took."""
    child = subprocess.Popen(list(map(str, command)), stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command}: status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    relo, sizes = sys.argv[1], [int(size) for size in sys.argv[2:]] or [52]
    print("| bitcode | copies of the corpus | referents | relo | memory | `opt` and `mlir-translate` | memory | ratios |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text, table = unit(folder)
        for size in sizes:
            big, session, copies = module(folder, text, table, size)
            steps = [
                measured(LLVM / "opt", "-O0", big, "-o", folder / "opt.bc"),
                measured(LLVM / "mlir-translate", "--import-llvm", big, "-o", folder / "big.mlir"),
                measured(LLVM / "mlir-translate", "--mlir-to-llvmir", folder / "big.mlir", "-o", folder / "back.ll"),
            ]
            for left in ("opt.bc", "big.mlir", "back.ll"):
                (folder / left).unlink()
            seconds, memory = sum(step[0] for step in steps), max(step[1] for step in steps)
            output = folder / "out.bc"
            mine = measured(relo, "compile", big, "--session", session, "-t", "x86_64-linux", "--emit", "bitcode",
                            "--strategy", "defer", "-O0", "-o", output)
            sites = len(json.loads(Path(f"{output}.reloc.json").read_text())["sites"])
            print(f"| {big.stat().st_size / 2**20:.1f} MB | {copies} | {sites} | {mine[0]:.1f} s | {mine[1]:.0f} MB | {seconds:.1f} s | "
                  f"{memory:.0f} MB | {mine[0] / seconds:.1f}, {mine[1] / memory:.1f} |", flush=True)
            big.unlink()
            output.unlink()


main()
