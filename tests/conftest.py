"""Fixtures that more than one folder of tests uses."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
import redis
from hypothesis import settings

# A busy machine is no reason to fail: properties are bounded by their number of examples, not by the clock.
settings.register_profile("naoshi", deadline=None)
settings.load_profile("naoshi")

ROOT = Path(__file__).resolve().parent.parent
_START_SECONDS = 30.0


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of data that lies beside the repository and is no part of it."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("there is no folder ../shared/data beside the repository")
    return folder


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of a PostgreSQL server of our own, in a temporary folder and on a free port, without its database."""
    programs = _postgres_programs()
    if programs is None:
        pytest.skip("the Debian package postgresql is not installed")
    folder = Path(tempfile.mkdtemp(prefix="naoshi-postgres-"))
    try:
        user = _own(folder)
        _run([*user, str(programs / "initdb"), "-D", str(folder / "data"), "-A", "trust", "-U", "naoshi", "-E", "UTF8",
              "--locale=C", "--no-sync"])  # fmt: skip
        port = _free_port()
        words = [*user, str(programs / "postgres"), "-D", str(folder / "data"), "-p", str(port), "-F",
                 "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}",
                 "-c", "max_connections=150"]  # fmt: skip
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(words, stdout=log, stderr=log, cwd=folder, start_new_session=True)
        try:
            _wait_for_server(programs, port, server, folder)
            _run([str(programs / "createdb"), "-h", "127.0.0.1", "-p", str(port), "-U", "naoshi", "contract"])
            yield f"postgresql://naoshi@127.0.0.1:{port}"
        finally:
            _stop_server(user, programs, folder, server)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The URL of a Redis server of our own that syncs each change, in a temporary folder and on a free port."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("the Debian package redis-server is not installed")
    folder = Path(tempfile.mkdtemp(prefix="naoshi-redis-"))
    port = _free_port()
    words = [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "",
             "--appendonly", "yes", "--appendfsync", "always"]  # fmt: skip
    try:
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(words, stdout=log, stderr=log, cwd=folder, start_new_session=True)
        try:
            _wait_for_redis(port, server, folder)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()
            server.wait(10)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def fresh_redis(redis_url: str) -> str:
    """The URL of an empty Redis: what the test before left there is dropped."""
    with closing(redis.Redis.from_url(redis_url)) as client:
        client.flushall()
    return redis_url


@pytest.fixture
def fresh_postgres(postgres_url: str) -> str:
    """The URL of an empty PostgreSQL database: what the test before left there is dropped."""
    url = f"{postgres_url}/postgres"
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        connection.execute("SET lock_timeout = '10s'")
        connection.execute("SET client_min_messages = warning")
        connection.execute("DROP SCHEMA IF EXISTS naoshi, dbos CASCADE")
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new, empty database, once of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'naoshi.db'}"
    return request.getfixturevalue("fresh_postgres")


def _postgres_programs() -> Path | None:
    folders = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    named = shutil.which("postgres")
    if named:
        folders.insert(0, Path(named).resolve().parent)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def _own(folder: Path) -> list[str]:
    """Give *folder* to the user that runs the server, and return the words that run a program as that user."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, "postgres", "postgres")
    return ["runuser", "-u", "postgres", "--"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _run(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd="/", check=False)
    assert done.returncode == 0, f"{words} ended with {done.returncode}: {done.stderr}"


def _wait_for_redis(port: int, server: subprocess.Popen[bytes], folder: Path) -> None:
    last = time.monotonic() + _START_SECONDS
    with closing(redis.Redis(port=port)) as client:
        while True:
            log = (folder / "log").read_text(errors="replace")
            assert server.poll() is None, f"Redis did not start: {log}"
            assert time.monotonic() < last, f"Redis did not answer in {_START_SECONDS} s: {log}"
            try:
                client.ping()
            except redis.ConnectionError:
                time.sleep(0.05)
            else:
                return


def _wait_for_server(programs: Path, port: int, server: subprocess.Popen[bytes], folder: Path) -> None:
    last = time.monotonic() + _START_SECONDS
    ask = [str(programs / "pg_isready"), "-h", "127.0.0.1", "-p", str(port), "-q"]
    while subprocess.run(ask, timeout=10, check=False).returncode != 0:
        log = (folder / "log").read_text(errors="replace")
        assert server.poll() is None, f"PostgreSQL did not start: {log}"
        assert time.monotonic() < last, f"PostgreSQL did not answer in {_START_SECONDS} s: {log}"
        time.sleep(0.1)


def _stop_server(user: list[str], programs: Path, folder: Path, server: subprocess.Popen[bytes]) -> None:
    stop = [*user, str(programs / "pg_ctl"), "-D", str(folder / "data"), "-m", "immediate", "-t", "10", "stop"]
    subprocess.run(stop, capture_output=True, timeout=20, cwd="/", check=False)
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait(10)
