"""Compiling: relo's command, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Optional, Union

from ._artifact import Artifact
from ._errors import CompileError, diagnostics
from ._referents import Referent, to_json

File = Union[str, os.PathLike[str]]

Session = Union[Mapping[Union[int, str], Referent], os.PathLike[str]]
"""What addresses of this session mean, and globals by name; or a session table's file."""

Setting = Union[bool, int, str, Iterable[str]]
"""The value of a pack's parameter."""

COMMAND = Path(__file__).parent / "bin" / "relo"
"""The command that the package comes with."""


def compile(
    source: Union[str, bytes, os.PathLike[str]],
    *,
    target: str,
    session: Optional[Session] = None,
    entries: Iterable[str] = (),
    rules: Iterable[File] = (),
    packs: Iterable[str] = (),
    settings: Mapping[str, Setting] = {},
    strategy: Optional[str] = None,
    emit: Optional[str] = None,
    optimise: Optional[int] = None,
    cpu: Optional[str] = None,
    cache: Union[bool, str] = False,
) -> Artifact:
    """Compiles a module for a target; host references stay symbolic.

    ``source``: LLVM IR as text, bitcode as bytes, or the path (a ``Path``, not a ``str``) of a file with either, or with
    MLIR. ``session``: what the host's addresses in it mean. ``entries``: the functions to keep. ``rules``: folders of packs
    beside those that come with relo. ``packs``: front ends' packs to use. ``settings``: values of packs' parameters, by
    ``PACK.PARAMETER``. ``strategy``, ``emit``, ``optimise``, ``cpu``: in place of the target's own. ``cache``: whether to keep
    what is compiled and take what is kept, in the user's folder, or where.

    Raises ``CompileError`` where relo refuses the input.
    """
    with tempfile.TemporaryDirectory(prefix="relo-") as folder:
        output = Path(folder) / "artifact"
        command = [str(COMMAND), "--format", "json", "compile", _input(source, folder), "--target", target]
        command += ["--output", str(output)]
        if session is not None:
            command += ["--session", _table(session, folder)]
        for option, values in (("--entry", entries), ("--use", packs), ("--rules", rules)):
            for value in values:
                command += [option, os.fspath(value)]
        for name, setting in settings.items():
            command += ["--set", f"{name}={_setting(setting)}"]
        for option, chosen in (("--strategy", strategy), ("--emit", emit), ("-O", optimise), ("--cpu", cpu)):
            if chosen is not None:
                command += [option, str(chosen)]
        if cache:
            command.append("--cache" if cache is True else f"--cache={cache}")
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        said = diagnostics(done.stderr)
        if done.returncode == 2:
            # The command does not know such a value: the caller's mistake.
            raise ValueError(done.stderr.strip())
        if done.returncode != 0:
            raise CompileError(said)
        made = Artifact.open(output)
        return Artifact(made.code, made.manifest_json, said)


def _input(source: Union[str, bytes, os.PathLike[str]], folder: str) -> str:
    if isinstance(source, (str, bytes)):
        path = Path(folder) / "input"
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        return str(path)
    return os.fspath(source)


def _table(session: Session, folder: str) -> str:
    if not isinstance(session, Mapping):
        return os.fspath(session)
    entries = [
        {"address": hex(place), "target": to_json(referent)}
        if isinstance(place, int)
        else {"global": place, "target": to_json(referent)}
        for place, referent in session.items()
    ]
    path = Path(folder) / "session.json"
    path.write_text(json.dumps({"entries": entries}), "utf-8")
    return str(path)


def _setting(value: Setting) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, str)):
        return str(value)
    return f"[{','.join(value)}]"
