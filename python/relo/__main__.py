"""The ``relo`` command that the package comes with."""

import os
import sys

from ._compile import COMMAND


def main() -> None:
    """Becomes the command."""
    os.execv(COMMAND, ["relo", *sys.argv[1:]])


if __name__ == "__main__":
    main()
