#!/usr/bin/env python3
"""Measures the tests of the shipped rules: rules.py RELO

A run of all of them, the best of three, and how long `relo test --watch` takes from an edit to its answer: for each rule
file in turn one rule gets another condition, and loses it again. Beside each time the processor's.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = 3


def whole(relo):
    """The best time of a run of all tests, the processor's, and how many tests there are."""
    best = None
    for _ in range(RUNS):
        start, before = time.monotonic(), os.times()
        done = subprocess.run([relo, "test"], cwd=ROOT, check=True, capture_output=True, text=True)
        took, after = time.monotonic() - start, os.times()
        processor = after.children_user + after.children_system - before.children_user - before.children_system
        best = min(best or (took, processor), (took, processor))
    return *best, done.stdout.split()[0]


def processor(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def edits(relo, folder):
    """For each edit its time, the processor's, both in milliseconds, and how many tests it ran."""
    shutil.copytree(ROOT / "rules", folder / "rules")
    shutil.copytree(ROOT / "snapshots", folder / "snapshots")
    command = [relo, "--format", "json", "test", "--watch"]
    watching = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def answer():
        for line in watching.stdout:
            said = json.loads(line)
            if "summary" in said:
                return said
            assert "broken" not in said, said
        raise SystemExit("it ended")

    answer()
    found = []
    try:
        for path in sorted((folder / "rules").glob("*/*.relo")):
            good = path.read_text()
            # The first rule that asks anything asks it twice: another rule to relo, and the same to every test.
            edited, count = re.subn(r"(where\s*\{\n)(.*\n)", r"\1\2\2", good, count=1)
            if count == 0:
                edited, count = re.subn(r"(where\s*\{ )(.*)( \}\n)", r"\1\2; \2\3", good, count=1)
            if count == 0:
                continue
            for text in (edited, good):
                start, before = time.monotonic(), processor(watching.pid)
                path.write_text(text)
                ran = answer()["ran"]
                found.append((1e3 * (time.monotonic() - start), 1e3 * (processor(watching.pid) - before), ran))
    finally:
        watching.kill()
    return [sorted(column) for column in zip(*found)]


def main():
    relo = os.path.abspath(sys.argv[1])
    seconds, own, tests = whole(relo)
    with tempfile.TemporaryDirectory() as folder:
        times, processors, ran = edits(relo, Path(folder))
    middle = len(times) // 2
    print("| tests | all of them | edits | tests that an edit runs | from edit to answer | at most |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    print(f"| {tests} | {seconds:.2f} s ({own:.2f} s) | {len(times)} | {ran[middle]}, at most {ran[-1]} "
          f"| {times[middle]:.0f} ms ({processors[middle]:.0f} ms) | {times[-1]:.0f} ms ({processors[-1]:.0f} ms) |")


main()
