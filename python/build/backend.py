"""Builds the wheel: maturin's build backend, with the `relo` command put into the package first.

Settings, as in `pip wheel ./python --config-settings profile=dev`:
    profile   cargo's profile; `release` if it is not given
    command   a `relo` that is built already, to take in place of building one
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import maturin

HERE = Path(__file__).resolve().parent.parent


def _executable(profile):
    """Where cargo puts the command."""
    command = ["cargo", "build", "--package", "relo", "--bin", "relo", "--profile", profile]
    command += ["--message-format", "json-render-diagnostics"]
    lines = subprocess.run(command, cwd=HERE.parent, check=True, stdout=subprocess.PIPE, text=True).stdout
    made = [json.loads(line) for line in lines.splitlines()]
    return next(one["executable"] for one in made if one.get("executable"))


def _prepare(settings):
    """Puts the command where the package has it, and says to maturin what it can't be told otherwise."""
    settings = settings or {}
    profile = settings.get("profile", "release")
    folder = HERE / "relo" / "bin"
    folder.mkdir(exist_ok=True)
    # Another build may be reading the one that is there.
    new = folder / f".relo.{os.getpid()}"
    shutil.copy(settings.get("command") or _executable(profile), new)
    new.replace(folder / "relo")
    os.environ["MATURIN_PEP517_ARGS"] = f"--profile {profile}"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _prepare(config_settings)
    return maturin.build_wheel(wheel_directory, None, metadata_directory)


def get_requires_for_build_wheel(config_settings=None):
    return maturin.get_requires_for_build_wheel(config_settings)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, None)
