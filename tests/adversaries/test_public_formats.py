"""Logs and traces as their publishers document them: a few lines of each are read as what they say, or refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from disttrack.adversaries import Trace
from disttrack.adversaries.rows import COST, COUNT, LABEL, MOMENT

pytestmark = pytest.mark.usefixtures("folder")
NGINX = r'''203.0.113.7 - - [30/Nov/2025:06:25:01 +0000] "GET /a?x=1 HTTP/1.1" 200 612 "-" "Mozilla/5.0 (X11)" 0.005 "-"
203.0.113.8 - bob [30/Nov/2025:06:25:03 +0000] "\x16\x03\"" 400 157 "-" "-" 0.000 "10.0.0.1, 10.0.0.2"
'''
BALANCER = '''http 2018-07-02T22:23:00.186641Z app/lb/50dc 10.2.2.2:28 10.0.0.1:80 200 "GET http://a:80/ HTTP/1.1" "c" -
h2 2018-07-02T22:23:02.186641Z app/lb/50dc 10.2.2.2:28 - 503 "GET https://a:443/ HTTP/2.0" "Mozilla/5.0 (X11)" T
'''
CLOUD_FRONT = """#Version: 1.0
#Fields: date time x-edge-location sc-bytes c-ip cs(User-Agent)
2019-12-04\t21:02:31\tLAX1\t392\t192.0.2.100\tMozilla/5.0%20(Windows)
2019-12-04\t21:02:33\tLAX1\t0\t192.0.2.101\t-
"""
CADDY = """{"ts":1646861401.5241024,"request":{"remote_ip":"127.0.0.1","headers":{"User-Agent":["curl"]}},"size":9}
{"ts":1646861402.5241024,"request":{"remote_ip":"127.0.0.2"},"size":1}
"""
ENVOY = """[2016-04-15T20:17:00.310Z] "POST /api/v1/locations HTTP/2" 204 - 154 0 226 100 "-" "curl" "cc21" "tcp://10.0.2.1:80"
[2016-04-15T20:17:01.310Z] "GET / HTTP/1.1" 200 - 0 5 2 1 "-" "a b" "cc22" "10.0.2.2:80"
"""
HAPROXY = """Feb  6 12:14:14 lb haproxy[1]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] web static/srv1 10/0/30/69/109 \
200 2750 - - ---- 1/1/1/1/0 0/0 {1wt|Mozilla/5.0 (X11)} {} "GET /index.html HTTP/1.1"
Feb  6 12:14:15 lb haproxy[1]: 10.0.1.3:33318 [06/Feb/2009:12:14:15.655] web~ static/srv2 10/0/30/69/109 \
503 2750 - - SC-- 1/1/1/1/0 0/0 {|} {} "<BADREQ>"
"""
PAGES = 'en Main_Page 242332 4737756101\nde Wikipedia:Hauptseite 2 0\nen "Heroes" 1 0\n'
FLOWS = """ts,te,sa,da,pr,ipkt,ibyt
2010-09-01 00:00:00,2010-09-01 00:00:05,10.0.0.1,10.0.0.2,TCP,3,120
2010-09-01 00:00:01,2010-09-01 00:00:05,10.0.0.2,10.0.0.2,TCP,1,40
Summary
flows,bytes,packets,avg_bps,avg_pps,avg_bpp
2,160,4,256,0,40
"""
TASKS = "0,,62,0,41,0,,x==,3,9,0.06,0.07,0,0\n600026907,,63,0,,0,,y,0,0,,,,\n600026909,,63,0,32,1,,y,0,0,,,,0\n"
TASK_COLUMNS = "time,missing,job,task,machine,event,user,class,priority,cpu,ram,disk,constraint,last"
CACHE = "0,q:q:1:8WT,17,213,4,get,0\n0,yDqF:3q:1A,17,27,6,get,0\n1,x,17,0,6,set,86400\n"
MODELS = "TIMESTAMP,ContextTokens,GeneratedTokens\n"
MODELS += "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,9\n"
BURST = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n"
BURST += "45,GPT-4,0,0,0,API log\n1106,ChatGPT,37,1656,1693.0,Conversation log\n"
PROXY = "month,day,clock,machine,process,client,at,frontend,server,timers,status,bytes,request_cookie,response_cookie,"
PROXY += "state,connections,queues,request_headers,response_headers,request"
TARGETS = "type,at,elb,client,target,status,request,agent,cipher"
MESH = "at,request,status,flags,received,sent,duration,upstream_time,forwarded,agent,id,upstream"

Case = tuple[str, dict[str, Any], list[str], dict[str, list[int]]]
CASES: dict[str, Case] = {
    "nginx-host": (NGINX, {"format": "combined", "site": "host"}, ["203.0.113.7", "203.0.113.8"], {MOMENT: [0, 2]}),
    "nginx-after": (NGINX, {"format": "combined", "site": "after-2"}, ["10.0.0.1, 10.0.0.2"], {MOMENT: [0]}),
    "nginx-vhost": (
        NGINX.replace("203.", "a.example:443 203."), {"format": "combined", "site": "host"},
        ["203.0.113.7", "203.0.113.8"], {},
    ),
    "balancer": (
        BALANCER, {"format": "words", "columns": TARGETS, "site": "target", "time": "at"},
        ["10.0.0.1:80"], {MOMENT: [0]},
    ),
    "cloud-front": (
        CLOUD_FRONT, {"format": "words", "site": "c-ip", "time": "date-time", "cost": "sc-bytes"},
        ["192.0.2.100"], {MOMENT: [0], COST: [392]},
    ),
    "caddy": (
        CADDY, {"format": "jsonl", "site": "request.remote_ip", "time": "ts"},
        ["127.0.0.1", "127.0.0.2"], {MOMENT: [0, 1]},
    ),
    "envoy": (
        ENVOY, {"format": "words", "columns": MESH, "site": "upstream", "time": "at"},
        ["tcp://10.0.2.1:80", "10.0.2.2:80"], {MOMENT: [0, 1]},
    ),
    "haproxy": (
        HAPROXY, {"format": "words", "columns": PROXY, "site": "server", "time": "at"},
        ["static/srv1", "static/srv2"], {MOMENT: [0, 1]},
    ),
    "pageviews": (
        PAGES, {"format": "spaces", "columns": "project,page,views,bytes", "site": "page", "count": "views"},
        ["Main_Page", "Wikipedia:Hauptseite", '"Heroes"'], {COUNT: [242332, 2, 1]},
    ),
    "flows": (
        FLOWS, {"site": "sa", "time": "ts", "count": "ipkt", "broken": "skip"},
        ["10.0.0.1", "10.0.0.2"], {MOMENT: [0, 1], COUNT: [3, 1]},
    ),
    "cluster": (
        TASKS, {"columns": TASK_COLUMNS, "site": "job", "time": "time", "unit": "1us", "step": "1ms"},
        ["62", "63"], {MOMENT: [0, 600_026, 600_026]},
    ),
    "cache": (
        CACHE, {"columns": "time,key,key_size,value_size,client,operation,ttl", "site": "client", "time": "time"},
        ["4", "6"], {MOMENT: [0, 0, 1], LABEL: [0, 1, 1]},
    ),
    "models": (
        MODELS, {"deal": "round-robin", "time": "TIMESTAMP", "cost": "ContextTokens", "step": "1ms"},
        [], {MOMENT: [0, 4314], COST: [374, 396]},
    ),
    "burst": (
        BURST, {"site": "Model", "time": "Timestamp", "cost": "Total tokens"},
        ["ChatGPT"], {MOMENT: [0, 1101], COST: [490, 1693]},
    ),
}  # fmt: skip


def trace_of(content: str, given: dict[str, Any]) -> Trace:
    Path("log").write_text(content)
    timed = "time" in given or given.get("format") == "combined"
    return Trace("log", **{"format": "csv", **({"step": "1s"} if timed else {}), **given})


@pytest.mark.parametrize("name", CASES)
def test_a_public_format_is_read_as_it_is_documented(name: str) -> None:
    content, given, sites, columns = CASES[name]
    trace = trace_of(content, given)
    trace.check()
    rows = trace.stream().rows
    assert (list(trace.names), {kept: rows.column(kept).tolist() for kept in columns}) == (sites, columns)


@pytest.mark.parametrize(
    ("name", "change", "more", "says"),
    [
        ("nginx-host", ("203.0.113.7", "203.0.113.7, 10.1.1.1"), {}, "line 1: no ident in ', 10.1.1.1 - - "),
        ("nginx-host", ("203.0.113.8 -", "203.0.113.8 10.2.2.2 -"), {}, r"line 2: no user \[time\] in '- bob "),
        ("nginx-host", ("\n203", "\ncut\n203"), {}, "line 2: no ident after 'cut'; accepted: .*; to leave such lines"),
        ("nginx-host", (" 0.000", ""), {}, "line 2: fields after the agent are 1, before 2"),
        ("balancer", ('"c"', '"c'), {}, "line 1: no word begins with '\"c -'"),
        ("balancer", (" -\n", "\n"), {}, "line 1: its number of fields is 8, that of columns 9"),
        ("balancer", ("", ""), {"columns": None}, "name its columns in order by columns: it does not begin with"),
        ("balancer", ("", ""), {"format": "csv"}, "its number of fields is 1, that of columns 9; fields are"),
        ("cloud-front", ("#Version: 1.0", "#Fields: time date"), {}, "line 2: other names of columns than before"),
        ("cloud-front", ("", ""), {"format": "tsv"}, "has no column 'c-ip'; it has #Version: 1.0; fields are"),
        ("flows", ("", ""), {"broken": "refuse"}, "line 4: its number of fields is 1, the header's 7; to leave such"),
        ("cluster", ("600026909", str(2**63 - 1)), {}, r"column 'time' has 2\^63 - 1, no time, in line 3"),
        ("burst", ("490", "490.5"), {}, "cost: column 'Total tokens' has '490.5' in line 2"),
        ("burst", (",490,", ",0,"), {"cost": "Response tokens", "broken": "skip", "site": "x"}, "has no column 'x'"),
    ],
)
def test_what_is_not_as_documented_is_refused_in_its_place(
    name: str, change: tuple[str, str], more: dict[str, Any], says: str
) -> None:
    content, given, *_ = CASES[name]
    trace = trace_of(content.replace(*change) if change[0] else content, {**given, **more})
    with pytest.raises(ValueError, match=says):
        trace.stream()  # which checks it first


def test_broken_lines_are_left_out_and_counted() -> None:
    for name, cut in (("nginx-host", "203.0.113"), ("caddy", '{"ts":16'), ("balancer", "http x"), ("cache", "1,x,17")):
        content, given, sites, columns = CASES[name]
        lines = content.splitlines(keepends=True)
        trace = trace_of(f"{lines[0]}{cut}\n{''.join(lines[1:])}{cut}", {**given, "broken": "skip"})
        rows = trace.stream().rows
        assert (list(trace.names), {kept: rows.column(kept).tolist() for kept in columns}) == (sites, columns)
        assert "2 broken, the first in line 2" in trace.remark
    with pytest.raises(ValueError, match=r"no row that is played \(1 broken, the first in line 3, 1 with"):
        trace_of("a,c\nx,0\ny\n", {"site": "a", "cost": "c", "broken": "skip"}).stream()


@pytest.mark.parametrize("name", ["nginx-host", "caddy", "balancer", "cache", "flows"])
@pytest.mark.parametrize("cut", [b"M\xfcnchen\n", b"\0\0\0\n", b'"M\xfcnchen\n'])
def test_lines_that_are_no_text_are_left_out_and_counted(name: str, cut: bytes) -> None:
    """They end a log after a crash, or are of a client in another encoding; their neighbours are as they were."""
    content, given, sites, columns = CASES[name]
    lines = content.encode().splitlines(keepends=True)
    trace = trace_of(content, {**given, "broken": "skip"})
    before = trace.stream().rows
    known = trace.remark
    Path("log").write_bytes(lines[0] + cut + b"".join(lines[1:]) + cut)
    trace = Trace("log", **{"format": "csv", "step": "1s", **given, "broken": "skip"})
    rows = trace.stream().rows
    assert trace.names == tuple(sites)
    assert {kept: rows.column(kept).tolist() for kept in columns} == {
        kept: before.column(kept).tolist() for kept in columns
    }
    broken = int(re.search(r"(\d+) broken|$", known)[1] or 0)  # type: ignore[index]
    assert f"{broken + 2} broken, the first in line 2" in trace.remark
    with pytest.raises(ValueError, match=r"line 2: (not UTF-8|a NUL character).*; to leave such lines out, give"):
        Trace("log", **{"format": "csv", "step": "1s", **given, "broken": "refuse"}).stream()


def test_a_line_of_brackets_that_do_not_close_takes_no_square_of_its_length() -> None:
    """Seen: each bracket was looked after to the end of the line, hours for a megabyte; now 1,024 letters."""
    for form, line in (("words", "[ " * 20_000), ("words", "{ " * 20_000), ("combined", "a b c" + " [x] [" * 20_000)):
        trace = trace_of(line, {"format": form, "site": "host", **({"columns": "host"} if form == "words" else {})})
        with pytest.raises(ValueError, match=r"line 1: (its number of fields is 20000|no request in)"):
            trace.stream()
