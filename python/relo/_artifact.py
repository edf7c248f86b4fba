"""What was compiled, and what a loader needs beside it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

from ._errors import Diagnostic
from ._referents import Referent, from_json


def manifest_path(path: Union[str, os.PathLike[str]]) -> Path:
    """Where an artifact's manifest lies."""
    return Path(f"{os.fspath(path)}.reloc.json")


@dataclass(frozen=True)
class Artifact:
    """Compiled code and its manifest. It holds nothing of the session that compiled it where it is ``portable``."""

    code: bytes = field(repr=False)
    """The shared object, or whatever the target emits."""
    manifest_json: str = field(repr=False)
    """The manifest, as ``docs/manifest.schema.json`` describes it."""
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)
    """What relo had to say."""

    @classmethod
    def open(cls, path: Union[str, os.PathLike[str]]) -> Artifact:
        """Reads an artifact, and its manifest from ``PATH.reloc.json``."""
        return cls(Path(path).read_bytes(), manifest_path(path).read_text("utf-8"))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes both where ``open`` finds them: each whole or not at all, the artifact last."""
        for place, data in ((manifest_path(path), self.manifest_json.encode()), (Path(path), self.code)):
            new = place.with_name(f".{place.name}.{os.getpid()}.new")
            try:
                new.write_bytes(data)
                new.replace(place)
            finally:
                new.unlink(missing_ok=True)

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest as data."""
        data: dict[str, Any] = json.loads(self.manifest_json)
        return data

    @property
    def entries(self) -> tuple[str, ...]:
        """The functions that it offers."""
        return tuple(self.manifest["entries"])

    @property
    def referents(self) -> tuple[Referent, ...]:
        """What a resolver will be asked for."""
        return tuple(from_json(one) for one in self.manifest["referents"])

    @property
    def portable(self) -> bool:
        """Whether it is valid in another session."""
        return bool(self.manifest["portable"])
