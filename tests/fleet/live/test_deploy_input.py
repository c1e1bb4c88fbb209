"""What serve, feed and live refuse: one line, before anything starts."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from commands import refused

from disttrack.fleet import COMMANDS

SERVE = ("serve", "--protocol", "deterministic alpha=0.1", "--sites", "2")


def test_a_port_that_is_taken_and_a_journal_of_another_server_are_one_line(tmp_path: Path) -> None:
    journal = ("--journal", str(tmp_path / "journal"))
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = f":{taken.getsockname()[1]}"
        said = refused(*SERVE, *journal, "--listen", port, status=1)
        assert "cannot listen: " in said
        assert "if it is taken, name another by --listen or --http" in said
    other = ("serve", "--protocol", "deterministic alpha=0.2", "--sites", "2", *journal)
    said = "is that of a server with alpha 0.1 (now 0.2); name another --journal, or start the server as before"
    assert said in refused(*other)
    assert "with protocol deterministic (now exact);" in refused("serve", "--protocol", "exact", *other[3:])
    assert "with sites 2 (now 3);" in refused(*SERVE[:-1], "3", *journal)
    assert "no journal of this version" in refused(
        "feed", "--site", "0", "--http", ":0", "--journal", __file__, status=1
    )


WITHOUT = """
import json, sys

class Absent:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in ("aiohttp", "msgpack", "prometheus_client"):
            raise ModuleNotFoundError(name, name=name.partition(".")[0])

sys.meta_path.insert(0, Absent())
from click.testing import CliRunner
from disttrack.simulator.cli import main
done = [CliRunner().invoke(main, words) for words in json.loads(sys.argv[1])]
print(json.dumps([(one.exit_code, one.output) for one in done]))
"""


def test_without_its_extra_a_command_shows_its_help_and_says_what_it_needs(tmp_path: Path) -> None:
    given = {"live": ["headline"], "serve": list(SERVE[1:]), "feed": ["--site", "0", "--http", "127.0.0.1:0"]}
    assert given.keys() == set(COMMANDS)
    words = json.dumps([[name, *more] for name in given for more in (["--help"], given[name])])
    command = [sys.executable, "-c", WITHOUT, words]
    outcomes = iter(json.loads(subprocess.check_output(command, cwd=tmp_path, text=True)))
    for name in given:
        for status, said in (
            (0, f" {name} [OPTIONS]"),
            (2, f"{name} needs msgpack, which is not installed: pip install 'disttrack[live]'"),
        ):
            left, text = next(outcomes)
            assert (left, said in text) == (status, True), text
