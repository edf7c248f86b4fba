"""relo: compiled code that survives the session that compiled it.

``compile`` runs relo's compiler on LLVM IR or MLIR and gives an ``Artifact``; ``load`` brings one into this process, with
the words of this session in it, and gives an ``Image`` whose functions can be called. What code of one session refers to
is an ``Object``, a ``Symbol`` or a ``Word``. What goes wrong is an ``Error``, as data.
"""

from ._artifact import Artifact
from ._compile import Session, Setting, compile
from ._errors import (
    CompileError,
    Diagnostic,
    Error,
    Label,
    LoadError,
    ManifestError,
    Unresolved,
    UnresolvedError,
)
from ._load import Image, Resolved, Resolver, load
from ._referents import Object, Referent, Symbol, Word

__all__ = [
    "Artifact",
    "CompileError",
    "Diagnostic",
    "Error",
    "Image",
    "Label",
    "LoadError",
    "ManifestError",
    "Object",
    "Referent",
    "Resolved",
    "Resolver",
    "Session",
    "Setting",
    "Symbol",
    "Unresolved",
    "UnresolvedError",
    "Word",
    "compile",
    "load",
]
