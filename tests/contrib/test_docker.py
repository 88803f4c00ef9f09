"""The Dockerfile of contrib/docker, its steps carried out below a directory of this machine: there is no docker here.

What a step does to a root of its own it does here to that directory; what only means something as root is named, with the
reason. The libraries are those of the tests, at the versions that the image pins, and nothing is downloaded. A step of a kind
that is not known here fails.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from string import Template

import pytest

from tests.support import ROOT, memd, until

pytestmark = pytest.mark.timeout(300)  # pip and a whole start, also where the machine has other work
DOCKERFILE = ROOT / "contrib/docker/Dockerfile"
IMAGE_PATH = re.compile(r"(?<![\w.$/-])/(?=[a-z])")  # where an absolute path of the image begins
NOT_HERE = {"useradd": "this machine gets no user; USER is looked at"}
OWNERS = re.compile(r" --(owner|group) \w+")  # nor anything that belongs to that user
RUN_HERE = ("python", "/opt/memd/bin/python", "install")


def steps_of(text: str) -> list[tuple[str, str]]:
    """Return the steps of a Dockerfile: what each is, and what stands behind that."""
    whole = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in whole.splitlines() if line.strip()]


@dataclass
class Image:
    """What the steps so far have made below `root`, and how its container is started."""

    root: Path
    given: dict[str, str] = field(default_factory=dict)  # by --build-arg
    env: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    cwd: Path = Path()
    user: str = "root"
    stages: dict[str, Path] = field(default_factory=dict)
    volumes: list[Path] = field(default_factory=list)
    health: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)

    @property
    def here(self) -> Path:
        return self.root / "here"

    @property
    def around(self) -> dict[str, str]:
        """The environment of a step; HOME is where USER has it."""
        outside = {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "LC_ALL": "C.UTF-8"}
        return {
            "PATH": f"{os.environ['PATH']}:{Path(sys.executable).parent}",  # not every machine calls it `python`
            "HOME": str(self.here / "home/memd"),
            **outside,
            **self.arguments,
            **self.env,
        }

    def mapped(self, text: str) -> str:
        """Return a text with the image's absolute paths as they are here."""
        return IMAGE_PATH.sub(f"{self.here}/", text)

    def carry_out(self, step: str, rest: str) -> None:
        known = getattr(self, f"_{step.lower()}", None) if step.isupper() else None
        assert known, f"{step} {rest}: nobody knows this step"
        known(rest)

    def _from(self, rest: str) -> None:
        name = re.fullmatch(r"python:3\.1[1-4]-slim(?: AS (\w+))?", rest)
        assert name, f"FROM {rest}: not the Python that memd asks for"
        if self.here.exists():  # what the stage before made is out of sight, but for COPY --from
            before = self.root / f"stage-{len(self.stages)}"
            self.here.rename(before)
            self.stages |= dict.fromkeys([one for one, path in self.stages.items() if path == self.here], before)
        if name[1]:
            self.stages[name[1]] = self.here
        (self.here / "home/memd").mkdir(parents=True)
        self.env, self.arguments, self.cwd, self.user = {}, {}, self.here, "root"

    def _arg(self, rest: str) -> None:
        name, _, usual = rest.partition("=")
        self.arguments[name] = self.given.get(name, usual)

    def _env(self, rest: str) -> None:
        for word in shlex.split(rest):
            name, equals, value = word.partition("=")
            assert equals, f"ENV {rest}: not NAME=VALUE"
            self.env[name] = Template(self.mapped(value)).substitute(self.around)

    def _workdir(self, rest: str) -> None:
        self.cwd = Path(self.mapped(rest))
        self.cwd.mkdir(parents=True, exist_ok=True)

    def _user(self, rest: str) -> None:
        self.user = Template(rest).substitute(self.around)

    def _volume(self, rest: str) -> None:
        self.volumes = [Path(self.mapped(one)) for one in json.loads(rest)]
        for one in self.volumes:
            one.mkdir(parents=True, exist_ok=True)

    def _copy(self, rest: str) -> None:
        *sources, target = rest.split()
        above = ROOT
        if sources[0].startswith("--from="):
            above = self.stages[sources.pop(0).removeprefix("--from=")]
        for one in sources:
            source, into = above / one.removeprefix("/"), self.cwd / self.mapped(target)
            assert source.exists(), f"COPY {rest}: there is no {one}"
            if source.is_dir():
                shutil.copytree(source, into, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                assert target.endswith("/"), f"COPY {rest}: a file goes into a directory"
                into.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, into)

    def _run(self, rest: str) -> None:
        for command in rest.split("&&"):
            program = command.split()[0]
            if program in NOT_HERE:
                continue
            assert program in RUN_HERE, f"RUN {command}: nobody knows what {program} does"
            self.does(["sh", "-ec", self.mapped(OWNERS.sub("", command))])
            if "-m venv" in command:  # in it are the libraries of the tests, and nothing is fetched
                (site,) = self.here.glob("opt/memd/lib/python*/site-packages")
                (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def _healthcheck(self, rest: str) -> None:
        options, _, command = rest.partition("CMD ")
        assert all(re.fullmatch(r"--(start-period|timeout|interval)=\d+s", one) for one in options.split())
        self.health = [self.mapped(one) for one in json.loads(command)]

    def _cmd(self, rest: str) -> None:
        self.command = [self.mapped(one) for one in json.loads(rest)]  # a shell in between would keep signals to itself

    def does(self, words: list[str]) -> str:
        """Run something in it, and return what it prints; it must succeed."""
        ran = subprocess.run(words, cwd=self.cwd, env=self.around, capture_output=True, text=True, check=False)
        assert not ran.returncode, f"{words}: {ran.stdout}{ran.stderr}"
        return ran.stdout

    def is_healthy(self) -> bool:
        return not subprocess.run(self.health, env=self.around, capture_output=True, check=False).returncode

    @contextmanager
    def started(self) -> Iterator[subprocess.Popen[bytes]]:
        """A container of it, until docker would stop it."""
        with subprocess.Popen(self.command, cwd=self.cwd, env=self.around, stderr=subprocess.PIPE) as process:
            try:
                until(lambda: process.poll() is not None or self.is_healthy(), 60, "it is healthy")
                assert process.poll() is None, process.communicate()[1].decode()
                yield process
            finally:
                process.terminate()
                process.communicate(timeout=30)


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    root = Path(tempfile.mkdtemp(prefix="memd-i"))  # short enough for a socket
    made = Image(root, given={"UID": "1234"})
    for step, rest in steps_of(DOCKERFILE.read_text("utf-8")):
        made.carry_out(step, rest)
    yield made
    shutil.rmtree(root)


@pytest.mark.slice
def test_a_container_is_healthy_remembers_and_is_reached_from_outside(image: Image) -> None:
    assert not image.is_healthy(), "nothing runs yet"
    socket, (workspace,) = image.env["MEMD_SOCKET"], image.volumes
    outside = partial(memd, env={"MEMD_SOCKET": socket}, cwd=workspace)
    with image.started() as process:
        assert (workspace / "memd.toml").is_file(), "the first start made a workspace in the volume"
        assert str(process.pid) in outside("status").stdout
        outside("remember", "main", "My sourdough starter is called Bertil.", "--source", "user")
    assert process.returncode == 0
    assert not image.is_healthy()
    with image.started():
        assert "Bertil" in outside("trigger", "main", "What is my sourdough starter called?").stdout
        assert "Bertil" in image.does(["memd", "list", "main"])
    assert process.returncode == 0


@pytest.mark.slice
def test_the_image_has_memd_alone_from_the_checkout_and_does_not_run_as_root(image: Image) -> None:
    assert image.user == "1234"
    lies = image.does(["python", "-c", "import memd, sys; print(memd.__file__, sys.prefix)"])
    assert lies.split()[0].startswith(f"{image.here}/opt/memd/lib/")
    assert lies.split()[1] == f"{image.here}/opt/memd"
    assert not (image.here / "src").exists(), "what it was built from stays in the first stage"
    assert image.does(["memd", "--version"]) == memd("--version").stdout


def test_who_builds_without_a_word_has_the_usual_first_user() -> None:
    (usual,) = [rest for step, rest in steps_of(DOCKERFILE.read_text("utf-8")) if step == "ARG"]
    assert usual == "UID=1000"


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("ADD . /src", "nobody knows this step"),
        ("RUN python --version && curl example.com", "nobody knows what curl does"),
        ("RUN python -c 'raise SystemExit(3)'", "SystemExit"),
        ("COPY nothing-here ./", "there is no nothing-here"),
        ("FROM alpine", "not the Python"),
        ("ENV A B", "not NAME=VALUE"),
    ],
)
def test_a_step_that_is_not_true_or_not_known_is_caught(step: str, said: str, tmp_path: Path) -> None:
    made = Image(tmp_path)
    made.carry_out("FROM", "python:3.13-slim")
    with pytest.raises(AssertionError, match=said):
        made.carry_out(*steps_of(step)[0])
