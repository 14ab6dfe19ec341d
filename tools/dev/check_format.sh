#!/usr/bin/env bash
# Checks the layout of all C++ files with clang-format 19; --fix repairs it.
set -euo pipefail
cd "$(dirname "$0")/../.."
formatter=$(command -v clang-format-19 || true)
if [ -z "$formatter" ]; then
  echo "clang-format-19 is not installed: script/test installs it" >&2
  exit 1
fi
files() { git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cc'; }
if [ "${1:-}" = --fix ]; then
  files | xargs -0 "$formatter" -i
else
  files | xargs -0 "$formatter" --dry-run -Werror
fi
