#!/usr/bin/env python3
"""Measures the checks of rules: check.py RELO

`relo check` of all shipped packs, and of a pack with so many generated rules besides, the best of five, in wall time and the
processor's.
"""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 5
RULE = """rule rule_{n} {{
    match   {{ %i = llvm.add %a, (llvm.mlir.constant {{ value = {n} }}) : $T }}
    where   {{ is_word($T) }}
    reject  "{{%i}} adds {n} to {{%a}}"
}}
"""


def check(relo, *arguments):
    best = None
    for _ in range(RUNS):
        start, before = time.monotonic(), os.times()
        subprocess.run([relo, "check", *arguments], check=True, capture_output=True)
        took, after = time.monotonic() - start, os.times()
        processor = after.children_user + after.children_system - before.children_user - before.children_system
        best = min(best or (took, processor), (took, processor))
    return f"{best[0] * 1000:.0f} ms | {best[1] * 1000:.0f} ms"


def main(relo):
    relo = Path(relo).resolve()
    print("| rules besides the shipped packs' | time | processor's |\n| ---: | ---: | ---: |", flush=True)
    print(f"| none | {check(relo)} |", flush=True)
    for count in [100, 1000, 10000]:
        with tempfile.TemporaryDirectory() as folder:
            pack = Path(folder, "many")
            pack.mkdir()
            (pack / "pack.yaml").write_text("pack: many\nactive: request\n")
            rules = "".join(RULE.format(n=n) for n in range(count))
            (pack / "rules.relo").write_text(f"pack many\nphase fold\n\n{rules}")
            print(f"| {count} | {check(relo, '--rules', folder)} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
