# The two commands of the README, and what a contributor needs.
# PYTHON chooses the interpreter that makes the virtual environment.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test lint format generated bench gpu-check clean

demo: $(VENV)/demo.stamp
	$(BIN)/symgraph train matrix_factorization --out build/demo

test: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n auto

# Layers and types are checked on the package as it installs: its parts lie in several folders here.
lint: $(VENV)/lint.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	rm -rf build/lint && $(BIN)/python -m pip install -q --no-deps --target build/lint .
	cd build/lint && $(abspath $(BIN))/lint-imports --config ../../pyproject.toml --no-cache
	$(BIN)/pyright --pythonpath $(BIN)/python

format: $(VENV)/lint.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

generated: $(VENV)/test.stamp
	$(BIN)/python -m symgraph.symbol.stub
	$(BIN)/python docs/make.py

# On a machine with an NVIDIA GPU; CUDA=13 for the newer toolkit.
CUDA ?= 12
gpu-check: $(VENV)/test.stamp
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[cuda$(CUDA)]'
	$(BIN)/python -m pytest -m gpu

bench: $(VENV)/test.stamp
	$(BIN)/python -m benchmarks

$(VENV)/demo.stamp: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "symgraph needs Python 3.11 or newer; set PYTHON=")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[plot]'
	touch $@

$(VENV)/test.stamp: $(VENV)/demo.stamp
	$(BIN)/python -m pip install -q --disable-pip-version-check 'pip>=25.1'
	$(BIN)/python -m pip install -q --disable-pip-version-check --group test
	touch $@

$(VENV)/lint.stamp: $(VENV)/test.stamp
	$(BIN)/python -m pip install -q --disable-pip-version-check --group lint
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info
