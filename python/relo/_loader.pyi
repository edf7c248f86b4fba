"""The extension module: relo's loader. The package makes use of it; its own names are not for users."""

from collections.abc import Callable
from typing import Union

from ._referents import Referent

class Image:
    @property
    def entries(self) -> list[str]: ...
    def address(self, name: str) -> int: ...
    def word(self, symbol: str, offset: int) -> int: ...
    def unload(self) -> None: ...

def load(
    artifact: bytes,
    manifest: str,
    name: str,
    host: Union[Callable[[Referent], Union[str, tuple[int, object]]], None],
    allow: list[str],
    bound: bool,
) -> Image: ...
