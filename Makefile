# Two commands are enough:
#
#   make lab     JupyterLab on the tutorials  make lab PORT=9000 NOTEBOOKS=my/folder
#                                             make lab LIGHT=1    without TensorFlow: a fifth of the size
#   make test    every check, every test      make test PYTEST_ARGS="tests/plan -x"
#
# Both make .venv first, from the first Python 3.11 to 3.13 found (or PYTHON=/path/to/python), and
# install into it again only when pyproject.toml has changed. Nothing needs the network after that.

VENV ?= .venv
PYTHON ?=
PORT ?= 8888
# Where the tutorials are copied to, so that running them changes nothing that git knows.
COPIES ?= my-tutorials
NOTEBOOKS ?= $(COPIES)
# Where `make course` writes.
COURSE ?= course
# With LIGHT=1 `make lab` installs what questions need, and nothing that learns.
LIGHT ?=
LAB_ARGS ?=
PYTEST_ARGS ?=
EXPERIMENTS_ARGS ?=
# A folder with an unpacked release of Pyodide, for `make site`.
PYODIDE ?=
# A test file or a notebook stays in one process, so that its server and its kernel do too.
PARALLEL ?= --numprocesses auto --dist loadfile
TUTORIALS ?=
BENCH_ARGS ?=

# In a rule's name a blank is escaped, in a command the name is quoted.
empty :=
MADE := $(subst $(empty) $(empty),\ ,$(VENV))
IN_VENV := "$(VENV)/bin/python"
PIP := $(IN_VENV) -m pip --disable-pip-version-check --quiet --quiet
# Wanted by nobody but root, and refused by JupyterLab without it.
ROOT_FLAG := $(shell [ "$$(id -u)" != 0 ] || echo --allow-root)
# With no screen JupyterLab prints its address instead of opening a browser.
SCREEN_FLAG := $(shell [ "$$(uname)" = Darwin ] || [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || echo --no-browser)

.DEFAULT_GOAL := help
.PHONY: help lab serve test check lint format docs site tutorials course labextension bench experiments clean

help:
	@sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile
	@echo 'Also: make docs | site | lint | format | tutorials | course | bench | experiments | labextension | clean'

# --- set-up ---------------------------------------------------------------------------------------

$(MADE)/bin/python:
	@right=; found=; for candidate in $(if $(PYTHON),"$(PYTHON)",python3 python3.13 python3.12 python3.11 python); do \
	  "$$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	    2>/dev/null || continue; \
	  right=$$candidate; \
	  if "$$candidate" -c 'import venv, ensurepip' 2>/dev/null; then found=$$candidate; break; fi; \
	done; \
	if [ -z "$$right" ]; then \
	  echo 'NeuralLog needs Python 3.11, 3.12 or 3.13; $(if $(PYTHON),$(PYTHON) is not one,none was found).' >&2; \
	  echo 'Install one, or name it: make lab PYTHON=/path/to/python3.12' >&2; exit 1; \
	elif [ -z "$$found" ]; then \
	  echo "$$right cannot make virtual environments: its venv or ensurepip module is missing." >&2; \
	  echo 'On Debian and Ubuntu: sudo apt install python3-venv. Or name another Python:' >&2; \
	  echo '  make lab PYTHON=/path/to/python3.12' >&2; exit 1; \
	fi; \
	echo "Making $(VENV) with $$("$$found" --version)"; \
	"$$found" -m venv "$(VENV)"

# What a wheel would install as data files.
define jupyter_data
	@$(IN_VENV) -m neurallog_magics.install
endef

$(MADE)/.for-lab: pyproject.toml | $(MADE)/bin/python
	@echo 'Installing NeuralLog, TensorFlow and JupyterLab into $(VENV)'
	@$(IN_VENV) tutorials/installing.py '.[learning,tables,notebook]'
	$(jupyter_data)
	@touch "$@"

# No TensorFlow: tutorials 01 to 03 and 09 run, and training says what to install.
$(MADE)/.for-light: pyproject.toml | $(MADE)/bin/python
	@echo 'Installing NeuralLog and JupyterLab into $(VENV), without TensorFlow'
	@$(IN_VENV) tutorials/installing.py '.[notebook]'
	$(jupyter_data)
	@touch "$@"

# Pyright finds packages by their folders' names, so it is shown magics/ under its installed name.
$(MADE)/.for-test: pyproject.toml | $(MADE)/bin/python
	@echo 'Installing NeuralLog, TensorFlow, JupyterLab and the test tools into $(VENV)'
	@$(IN_VENV) tutorials/installing.py '.[all]'
	$(jupyter_data)
	@mkdir -p "$(VENV)/by-name" && ln -sfn "$(CURDIR)/magics" "$(VENV)/by-name/neurallog_magics"
	@touch "$@" "$(VENV)/.for-lab"

# --- the notebook ---------------------------------------------------------------------------------

lab: $(MADE)/.for-$(if $(LIGHT),light,lab)
	@$(MAKE) --no-print-directory serve

# JupyterLab from an environment that is already there. By itself it would ask whether to fetch news,
# look for newer versions, and list extensions from the network: tutorials/.jupyter switches off the
# plugin that does the first two, and its extension panel shows what is installed only.
serve: export JUPYTER_CONFIG_PATH := $(CURDIR)/tutorials/.jupyter$(if $(JUPYTER_CONFIG_PATH),:$(JUPYTER_CONFIG_PATH))
serve:
ifeq ($(NOTEBOOKS),$(COPIES))
	@$(IN_VENV) tutorials/copies.py "$(COPIES)"
	@$(IN_VENV) tutorials/welcome.py "$(COPIES)"
endif
	@exec $(IN_VENV) -m jupyterlab --port=$(PORT) --ServerApp.root_dir="$(NOTEBOOKS)" \
	  --LabApp.extension_manager=readonly \
	  $(ROOT_FLAG) $(SCREEN_FLAG) $(LAB_ARGS)

# --- the checks -----------------------------------------------------------------------------------

test: $(MADE)/.for-test
	@$(MAKE) --no-print-directory check

define read_the_code
	$(IN_VENV) -m ruff check .
	$(IN_VENV) -m ruff format --check .
	$(IN_VENV) -m pyright --pythonpath $(IN_VENV)
endef

# Every check, in an environment that is already there.
check:
	$(read_the_code)
	$(IN_VENV) -m pytest $(PARALLEL) $(PYTEST_ARGS)
	$(IN_VENV) -m pytest $(PARALLEL) --nbval --nbval-sanitize-with tests/house/nbval.cfg \
	  --nbval-kernel-startup-timeout 600 tutorials

lint: $(MADE)/.for-test
	$(read_the_code)

format: $(MADE)/.for-test
	$(IN_VENV) -m ruff check --fix .
	$(IN_VENV) -m ruff format .

# Run the tutorials and save them with what they show; TUTORIALS="02 05" for some of them.
tutorials: $(MADE)/.for-test
	$(IN_VENV) -m tests.tutorials.refresh $(TUTORIALS)
	$(IN_VENV) -m docs.reference

# The tutorials for a class: copies for students and for teachers, slides, a zip; COURSE=folder.
course: $(MADE)/.for-lab
	@$(IN_VENV) -m tutorials.course "$(COURSE)"

# The pages, with every warning an error, all read anew because parts are made from the code. The
# tutorials are shown as they are saved.
docs: $(MADE)/.for-test
	$(IN_VENV) -m sphinx -E -W --keep-going -q -b html docs docs/_build/html
	@echo 'Open docs/_build/html/index.html'

# The pages and a playground beside them: programs in the browser, nothing installed. Examples are
# recorded; PYODIDE=folder of a Pyodide release puts the engine beside the page.
site: docs
	$(IN_VENV) -m docs.playground docs/_build/html $(if $(PYODIDE),--pyodide "$(PYODIDE)")
	@echo 'Open docs/_build/html/playground/index.html'

# The colours of JupyterLab, from source; needs Node.js. The built files are part of the project, so
# that nobody else needs it.
labextension: $(MADE)/.for-lab
	core=$$($(IN_VENV) -c 'import jupyterlab; print(jupyterlab.__path__[0] + "/staging")') && \
	  cd magics/labextension && npm install --no-audit --no-fund --no-package-lock && rm -rf built && \
	  node_modules/.bin/build-labextension --core-path "$$core" .
	$(jupyter_data)

# Every figure against its target; BENCH_ARGS="epoch-cora growth", "--quick" or "--list" for less.
# The peers are installed for this alone; where one cannot be, its rows are skipped.
$(MADE)/.for-bench: $(MADE)/.for-test
	@echo 'Installing the peers of the benchmarks into $(VENV)'
	@$(PIP) install --editable '.[bench]' || echo 'Not all of them: their rows will be skipped.' >&2
	@touch "$@"

bench: $(MADE)/.for-bench
	$(IN_VENV) -m benchmarks $(BENCH_ARGS)

# The paper's experiments; EXPERIMENTS_ARGS="yelp --runs 2 --data my/folder" for less, or elsewhere.
experiments: $(MADE)/.for-test
	$(IN_VENV) -m experiments $(EXPERIMENTS_ARGS)

clean:
	rm -rf "$(VENV)" build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
	rm -rf magics/labextension/node_modules docs/_build docs/tutorials
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
