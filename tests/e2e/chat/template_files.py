"""llama.cpp's collection of chat templates, fetched once into RECKON_CACHE_DIR (default: the user's cache folder)."""

import os
import pathlib
import subprocess
import sys
import tarfile

# The source package of llama-cpp-python carries llama.cpp's collection of chat templates.
PACKAGE = "llama-cpp-python==0.3.36"
FOLDER = "/vendor/llama.cpp/models/templates/"


def templates_folder():
    base = os.environ.get("RECKON_CACHE_DIR") or pathlib.Path.home() / ".cache" / "reckon"
    folder = pathlib.Path(base) / "chat-templates" / PACKAGE.replace("==", "-")
    if not (folder / "complete").exists():
        fetch(folder)
    return folder


def fetch(folder):
    folder.mkdir(parents=True, exist_ok=True)
    # Not `--no-binary :all:`, which builds CMake from its source first, only to read the package's name.
    name = PACKAGE.partition("=")[0]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", name,
                    "--dest", str(folder), PACKAGE], check=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and FOLDER in member.name and member.name.endswith(".jinja"):
                (folder / pathlib.PurePosixPath(member.name).name).write_bytes(tar.extractfile(member).read())
    archive.unlink()
    (folder / "complete").touch()
