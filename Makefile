# `make demo`: see it work. `make test`: everything that CI runs. `make check`: format, lint, types, the house's rules.
# `make test-gpu`, on a machine with an NVIDIA GPU and nvcc: the same kernels there, bit for bit, and compute-sanitizer.
# PYTHON chooses the interpreter (3.10 to 3.13), VENV the environment's folder.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DONE := $(VENV)/.done

.PHONY: setup setup-test demo test test-gpu check format clean help
help:
	@sed -n 's/^# //p' Makefile | head -3

setup: $(DONE)-setup
setup-test: $(DONE)-test

# The environment alone is enough for the demo; the tests' packages come on top.
$(DONE)-setup: pyproject.toml setup.py
	@echo "setting up $(VENV): a minute or so, once"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[demo]'
	@touch $@

$(DONE)-test: $(DONE)-setup
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[demo,test]'
	command -v nvcc >/dev/null || $(BIN)/python -m pip install -q --disable-pip-version-check -e '.[cuda]'
	bash scripts/other-pythons.sh
	@touch $@

demo: setup
	$(BIN)/python examples/demo.py

test: check
	$(BIN)/python -m pytest

test-gpu: setup-test
	$(BIN)/python -m pytest -m gpu
	$(BIN)/python -m tests.fuzz --device --count 2000
	$(BIN)/python -m tests.sanitize
	$(BIN)/python -m tests.exhaustive --reference 61

check: setup-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n0 tests/house

format: setup-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .ruff_cache .pytest_cache
