"""Which files the checks look at: those that git knows or would add, or all outside of build folders where there is no git."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED_FOLDERS = {"build", ".git", ".venv", "models", "__pycache__"}


def project_files(*suffixes):
    """Paths relative to ROOT, sorted; all files where no suffix is given."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        names = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split("\0")
        paths = [pathlib.Path(name) for name in names if name]
    except (OSError, subprocess.CalledProcessError):
        paths = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        paths = [path for path in paths if not SKIPPED_FOLDERS & set(path.parts)]
    return sorted(path for path in paths if (ROOT / path).is_file() and (not suffixes or path.suffix in suffixes))


def finish(problems, good):
    """Prints the problems, one a line, or the good news; returns the exit code."""
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" if problems else good)
    return 1 if problems else 0
