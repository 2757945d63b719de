#!/usr/bin/env bash
# Sets up .venv-3.10 and .venv-3.13 beside .venv, where such Pythons are found, for the tests that compare them.
# Quick when they are there and the package's needs have not changed.
set -euo pipefail
cd "$(dirname "$0")/.."

# One that runs and can make environments; a shim of pyenv may be on PATH and do neither.
find_python() {
    local candidate
    for candidate in "$(command -v "python$1")" "$HOME"/.pyenv/versions/"$1".*/bin/python; do
        if [ -x "$candidate" ] && "$candidate" -c 'import venv' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

for version in 3.10 3.13; do
    venv=".venv-$version"
    if [ "$venv/.done" -nt pyproject.toml ]; then
        continue
    fi
    python=$(find_python "$version")
    if [ -z "$python" ]; then
        echo "python $version: not found, its tests are skipped"
        continue
    fi
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check -e .
    touch "$venv/.done"
done
