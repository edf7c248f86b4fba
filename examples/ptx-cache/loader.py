"""The loader's half for PTX: loader.py PTX WORDS, with this session's words as KEY=NUMBER.

Each site is found by its symbol, and its word written there. A driver does that with `cuModuleGetGlobal` and a copy to the
device; what is written here is a module of PTX that defines the same symbols, with the words in them, for the linker.
"""
import json
import sys

artifact, output, *objects = sys.argv[1:]
known = dict(word.split("=", 1) for word in objects)
with open(f"{artifact}.reloc.json", encoding="utf-8") as file:
    manifest = json.load(file)
with open(artifact, encoding="utf-8") as file:
    head = [line for line in file if line.startswith((".version", ".target", ".address_size"))]

lines, missing = [], []
for site in manifest["sites"]:
    key = manifest["referents"][site["referent"]]["object"]["key"]
    if key not in known:
        missing.append(key)
        continue
    assert (site["action"], site["offset"], site["width"]) == ("write", 0, 64), site
    lines.append(f".visible .global .align 8 .u64 {site['symbol']} = {int(known[key], 0)};\n")
if missing:
    sys.exit(f"this session has no {', '.join(missing)}")
with open(output, "w", encoding="utf-8") as file:
    file.writelines(head + ["\n"] + lines)
