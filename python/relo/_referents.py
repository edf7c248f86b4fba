"""What a host reference means, in terms that outlive the session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Union


@dataclass(frozen=True)
class Object:
    """An object that the host knows by a key. ``addend`` bytes inside it, where it is in a session table."""

    runtime: str
    key: str
    addend: int = 0


@dataclass(frozen=True)
class Symbol:
    """The address of a function or datum: of a library, or of whichever in the process has it."""

    name: str
    library: Optional[str] = None
    addend: int = 0


@dataclass(frozen=True)
class Word:
    """The word that is stored at a symbol, ``offset`` bytes into it."""

    symbol: str
    library: Optional[str] = None
    offset: int = 0


Referent = Union[Object, Symbol, Word]


def to_json(referent: Referent) -> dict[str, Any]:
    """A referent as session tables and manifests have it."""
    if isinstance(referent, Object):
        kind, fields = "object", {"runtime": referent.runtime, "key": referent.key, "addend": referent.addend}
    elif isinstance(referent, Symbol):
        kind, fields = "symbol", {"name": referent.name, "library": referent.library, "addend": referent.addend}
    elif isinstance(referent, Word):
        kind, fields = "word", {"symbol": referent.symbol, "library": referent.library, "offset": referent.offset}
    else:
        raise TypeError(f"{referent!r} is no Object, Symbol or Word")
    return {kind: {name: value for name, value in fields.items() if value not in (None, 0)}}


def from_json(value: Mapping[str, Any]) -> Referent:
    """A referent of a manifest."""
    ((kind, fields),) = value.items()
    kinds: dict[str, type[Referent]] = {"object": Object, "symbol": Symbol, "word": Word}
    return kinds[kind](**fields)
