#!/usr/bin/env bash
# Installs what the tests compile with, on Debian or Ubuntu, as root: g++ and clang++ for the C++ target, hipcc for HIP;
# and qemu-user, which stands in for older processors.
# nvcc comes from PyPI (the extra `cuda`), into the virtual environment, where the machine has none: see the Makefile.
# Quick when everything is there. `make demo` needs g++ alone.
set -euo pipefail

packages=(g++ make git clang cmake ninja-build hipcc libamdhip64-dev rocm-device-libs qemu-user)
missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if [ "${#missing[@]}" -eq 0 ]; then
    echo "system packages: all installed"
    exit 0
fi

if [ "$(id -u)" -ne 0 ]; then
    echo "system packages: run as root to install ${missing[*]}" >&2
    exit 1
fi
echo "system packages: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}"
