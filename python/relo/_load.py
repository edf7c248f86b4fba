"""Loading: an artifact of another session in this one."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Optional, Union

from . import _loader
from ._artifact import Artifact, manifest_path
from ._errors import LoadError
from ._referents import Referent


@dataclass(frozen=True)
class Resolved:
    """A referent's word in this session, and what has to stay alive as long as code uses it."""

    word: int
    keep: object = None

    @classmethod
    def object(cls, value: object) -> Resolved:
        """An object of Python's: its address, and the object itself."""
        return cls(id(value), value)


Resolver = Callable[[Referent], Union[int, Resolved, None]]
"""A function of the host's: the word of a referent, or ``None`` where it does not know it. Addends are added by relo. A
``LookupError`` says why there is none; other exceptions end the loading and reach who called ``load``."""


class Image:
    """A loaded artifact. It is unloaded by ``unload``, at the end of a ``with``, or when nobody has it or a function of it
    any more; then what was kept for it is let go."""

    def __init__(self, image: _loader.Image) -> None:
        self._image = image

    @property
    def entries(self) -> tuple[str, ...]:
        """The functions that the manifest names."""
        return tuple(self._image.entries)

    def address(self, name: str) -> int:
        """The address of a function or datum that the artifact exports. It is valid as long as the image."""
        return self._image.address(name)

    def word(self, symbol: str, offset: int = 0) -> int:
        """The word at a datum that the artifact exports, ``offset`` bytes into it, as it is now."""
        return self._image.word(symbol, offset)

    def function(self, name: str, result: Any = None, *arguments: Any, gil: bool = False) -> Any:
        """A function, by its types in ``ctypes``: ``image.function("f", c_double, c_double)``. With ``gil`` the interpreter's
        lock is held during a call, as code has to have it that uses objects of Python's. The types have to be right:
        nobody checks."""
        make = ctypes.PYFUNCTYPE if gil else ctypes.CFUNCTYPE
        function = make(result, *arguments)(self.address(name))
        # Who has the function has the code, too.
        function.image = self  # type: ignore[attr-defined]
        return function

    def unload(self) -> None:
        """Unloads the code. None of it may be running, nor be called again."""
        self._image.unload()

    def __enter__(self) -> Image:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.unload()


def load(
    artifact: Union[Artifact, str, os.PathLike[str]],
    resolver: Union[Resolver, Iterable[Resolver], None] = None,
    *,
    allow: Iterable[str] = (),
    bound: bool = False,
) -> Image:
    """Loads a shared object that relo compiled, with the words of this session in it.

    ``artifact``: from ``compile``, or a file's path, the manifest beside it. ``resolver``: a function that says what referents
    are here, or several: the first that knows a referent answers. What none knows is looked up in the process.
    ``allow``: libraries that may be opened for that; others are looked into only where they are loaded already. ``bound``:
    load also an artifact that is valid only in the session that compiled it: the caller knows that this is the one.

    The artifact's code is trusted. Raises ``UnresolvedError`` with every referent that can't be resolved, or another
    ``LoadError``; nothing is loaded then.
    """
    if not isinstance(artifact, Artifact):
        path = artifact
        try:
            artifact, name = Artifact.open(path), str(manifest_path(path))
        except (OSError, UnicodeDecodeError) as error:
            raise LoadError(
                "relo::load::read",
                f"can't read `{os.fspath(path)}`: {error}",
                "give the file that relo wrote beside the manifest",
            ) from error
    else:
        name = "manifest"
    resolvers: list[Resolver] = []
    if resolver is not None:
        resolvers = [resolver] if callable(resolver) else list(resolver)
    host = _host(resolvers) if resolvers else None
    image = _loader.load(artifact.code, artifact.manifest_json, name, host, list(allow), bound)
    return Image(image)


def _host(resolvers: list[Resolver]) -> Callable[[Referent], Union[str, tuple[int, object]]]:
    """Resolvers in the form that the extension module asks them in: a word and what to keep, or a reason."""

    def resolve(referent: Referent) -> Union[str, tuple[int, object]]:
        reasons = []
        for resolver in resolvers:
            try:
                answer = resolver(referent)
            except LookupError as error:
                # The text of a KeyError is its key's `repr`.
                reasons.append(str(error.args[0]) if error.args else type(error).__name__)
                continue
            if answer is None:
                continue
            word, keep = (answer.word, answer.keep) if isinstance(answer, Resolved) else (answer, None)
            if not isinstance(word, int) or not 0 <= word < 1 << 64:
                raise TypeError(f"the resolver gives {word!r} for {referent}, which is no word of 64 bits")
            return word, keep
        return "; ".join(reasons) or "the host does not know it"

    return resolve
