"""What goes wrong, as data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence

from ._referents import Referent


@dataclass(frozen=True)
class Label:
    """A place in a text, in bytes from its start, and what is there."""

    text: str
    offset: int
    length: int


@dataclass(frozen=True)
class Diagnostic:
    """What relo has to say: the code is stable, and ``relo explain CODE`` tells more."""

    code: Optional[str]
    severity: str
    message: str
    help: Optional[str] = None
    filename: Optional[str] = None
    labels: tuple[Label, ...] = ()
    related: tuple[Diagnostic, ...] = ()

    @classmethod
    def _of(cls, data: Mapping[str, Any]) -> Diagnostic:
        def label(data: Mapping[str, Any]) -> Label:
            return Label(data.get("label") or "", data["span"]["offset"], data["span"]["length"])

        return cls(
            data.get("code"),
            data.get("severity", "error"),
            data["message"],
            data.get("help"),
            data.get("filename") or None,
            tuple(label(one) for one in data.get("labels", ())),
            tuple(cls._of(one) for one in data.get("related", ())),
        )


def diagnostics(text: str) -> tuple[Diagnostic, ...]:
    """The diagnostics that the command wrote, one a line. A line that is none is told as it is."""

    def read(line: str) -> Diagnostic:
        try:
            data = json.loads(line)
        except ValueError:
            data = None
        return Diagnostic._of(data) if isinstance(data, dict) else Diagnostic(None, "error", line)

    return tuple(read(line) for line in text.splitlines() if line.strip())


class Error(Exception):
    """Something that relo refuses."""

    code: Optional[str]
    """What kind of error it is, as in ``relo::load::unresolved``: stable, for programs."""
    message: str
    """What is wrong, in a sentence."""
    help: Optional[str]
    """What to do about it."""

    def __init__(self, code: Optional[str], message: str, help: Optional[str] = None) -> None:
        super().__init__(code, message, help)
        self.code, self.message, self.help = code, message, help

    def _details(self) -> Sequence[str]:
        return ()

    def __str__(self) -> str:
        lines = [self.message, *(f"  {detail}" for detail in self._details())]
        if self.help:
            lines.append(f"help: {self.help}")
        if self.code:
            lines.append(f"for more: relo explain {self.code}")
        return "\n".join(lines)


class CompileError(Error):
    """The input was refused; nothing was written."""

    diagnostics: tuple[Diagnostic, ...]
    """Everything that relo said, warnings too."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        errors = [one for one in diagnostics if one.severity == "error"]
        first = errors[0] if errors else Diagnostic(None, "error", "relo failed without a word")
        super().__init__(first.code, first.message, first.help)
        self.args = (diagnostics,)
        self.diagnostics = diagnostics

    def _details(self) -> Sequence[str]:
        inner = [related.message for one in self.diagnostics for related in one.related]
        return [*inner, *(one.message for one in self.diagnostics if one.message != self.message)]


class LoadError(Error):
    """The artifact can't be loaded, or has no such function. Nothing of it stays in the process where loading fails."""


class ManifestError(LoadError):
    """The manifest can't be used."""

    problems: tuple[str, ...]
    """What contradicts itself, each with a path into the JSON."""

    def __init__(
        self, code: Optional[str], message: str, help: Optional[str] = None, problems: Sequence[str] = ()
    ) -> None:
        super().__init__(code, message, help)
        self.args = (code, message, help, problems)
        self.problems = tuple(problems)

    def _details(self) -> Sequence[str]:
        return self.problems


@dataclass(frozen=True)
class Unresolved:
    """A referent that no resolver knows, and why."""

    referent: Referent
    reason: str


class UnresolvedError(LoadError):
    """Referents that this session does not know: all of them."""

    unresolved: tuple[Unresolved, ...]

    def __init__(
        self, code: Optional[str], message: str, help: Optional[str], unresolved: Sequence[Unresolved]
    ) -> None:
        super().__init__(code, message, help)
        self.args = (code, message, help, unresolved)
        self.unresolved = tuple(unresolved)

    def _details(self) -> Sequence[str]:
        return [f"{one.referent}: {one.reason}" for one in self.unresolved]


def unresolved_error(
    code: Optional[str], message: str, help: Optional[str], details: Sequence[tuple[Referent, str]]
) -> UnresolvedError:
    """What the extension module raises."""
    return UnresolvedError(code, message, help, [Unresolved(*detail) for detail in details])
