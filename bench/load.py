#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads of large data: Braid beside Kùzu on LDBC SF0.1, and a generated file of many edges.

    python3 bench/load.py ldbc  [--braid P] [--repetitions N] [--nice N]
    python3 bench/load.py edges [--braid P] [--repetitions N] [--nice N] [--edges N] [--nodes N]

`ldbc` (after `npm ci` in bench/peers) alternates `braid load` of JSON Lines with the same schema,
one commit into a new graph, with Kùzu's COPY of the CSV files into a new database. Braid's time is
that of the whole process; Kùzu's is that of its COPY statements and the close alone, which favours
Kùzu. Both are durable at the end. `edges` loads nodes and edges in one commit, with all CPUs and
bound to one; then both again with keyed edges into two copies of one graph, whose content hashes
must be equal. A file larger than one commit may be is cut, and the report says so.

Printed: median (least … greatest); CPU seconds, user and system; peak resident memory, as
/usr/bin/time says it; and how much of the machine others used meanwhile. A repetition begins when
others use less than a tenth of the machine, or after --patience seconds. --nice -20 (root) keeps
the others' compilers from the CPU without touching them.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "peers/node_modules/kuzu/kuzu-source/dataset/ldbc-sf01"
LDBC_NODES, LDBC_RELATIONSHIPS = 327_588, 1_477_965
TICKS = os.sysconf("SC_CLK_TCK")
ALL_CPUS = os.sched_getaffinity(0)
ROWS_MAX = 4_194_304


def machine_busy_s():
    """CPU seconds that all processes have used since the machine started."""
    fields = [int(x) for x in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / TICKS  # all but idle and iowait


def wait_until_idle(patience_s):
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        before = machine_busy_s()
        time.sleep(0.5)
        if machine_busy_s() - before < 0.05 * len(ALL_CPUS):
            return


def prepare(cpus, nice):
    """In the child: its CPUs and priority; where sessions are ranked, it has its own."""
    os.sched_setaffinity(0, cpus)
    if nice:
        os.setsid()
        os.setpriority(os.PRIO_PROCESS, 0, nice)
        group = pathlib.Path("/proc/self/autogroup")
        if group.exists():
            group.write_text(str(nice))


class Run:
    """One process, measured from fork to exit."""

    def __init__(self, command, options, cpus=ALL_CPUS, may_fail=False):
        wait_until_idle(options.patience)
        os.sync()
        out = options.work / "stdout"
        busy, start = machine_busy_s(), time.monotonic()
        with out.open("wb") as sink:
            child = subprocess.Popen([str(word) for word in command], stdout=sink,
                                     stderr=subprocess.STDOUT,
                                     preexec_fn=lambda: prepare(cpus, options.nice))
            _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.wall_s = time.monotonic() - start
        self.cpu_s = usage.ru_utime + usage.ru_stime
        self.peak_mb = usage.ru_maxrss * 1024 / 1e6
        busy = machine_busy_s() - busy - self.cpu_s
        self.others = max(0.0, busy) / self.wall_s / len(ALL_CPUS)
        self.status, self.text = child.returncode, out.read_text(errors="replace")
        if self.status != 0 and not may_fail:
            sys.exit(f"{command}: status {self.status}\n{self.text}")
        self.seconds = self.wall_s


def spread(values, digits=2):
    return (f"{statistics.median(values):.{digits}f} "
            f"({min(values):.{digits}f} … {max(values):.{digits}f})")


def report(name, runs, rows, what):
    rates = [rows / run.seconds / 1e6 for run in runs]
    print(f"{name:<26} {spread([run.seconds for run in runs])} s  {spread(rates, 3)} M {what}/s  "
          f"CPU {spread([run.cpu_s for run in runs])} s  "
          f"peak {spread([run.peak_mb for run in runs], 0)} MB  "
          f"others {spread([100 * run.others for run in runs], 0)} %", flush=True)
    return statistics.median(run.seconds for run in runs)


def make_graph(options, name, schema):
    graph = options.work / name
    shutil.rmtree(graph, ignore_errors=True)
    subprocess.run([options.braid, "init", graph, "--schema", schema], check=True,
                   stdout=subprocess.DEVNULL)
    return graph


def load_command(options, graph, files):
    command = [options.braid, "load", graph, "--json"]
    for file in files:
        command += ["--data", file]
    return command


def expect_counts(found, nodes, edges):
    if found != (nodes, edges):
        sys.exit(f"loaded {found}, expected {(nodes, edges)}")


def load_ldbc(options, files):
    graph = make_graph(options, "ldbc.graph", options.work / "ldbc/schema.pg")
    run = Run(load_command(options, graph, files), options)
    receipt = json.loads(run.text)
    expect_counts((receipt["nodes_inserted"], receipt["edges_inserted"]), LDBC_NODES,
                  LDBC_RELATIONSHIPS)
    return run


def copy_ldbc(options, count=False):
    database = options.work / "ldbc.kuzu"
    for path in options.work.glob("ldbc.kuzu*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    command = ["node", HERE / "peers/kuzu_load.js", database, DATA]
    run = Run(command + (["--count"] if count else []), options)
    answer = json.loads(run.text)
    run.seconds = answer["copy_s"] + answer["close_s"]
    if count:
        expect_counts((answer["nodes"], answer["relationships"]), LDBC_NODES, LDBC_RELATIONSHIPS)
        print(f"Kùzu {answer['version']}, Braid "
              + subprocess.run([options.braid, "version"], capture_output=True, text=True,
                               check=True).stdout.strip())
    return run


def bench_ldbc(options):
    if not (DATA.parents[2] / "kuzu_native.js").exists():
        sys.exit("first: cd bench/peers && npm ci --ignore-scripts && npm run prepare-peers")
    subprocess.run([sys.executable, HERE / "convert_ldbc.py", DATA, options.work / "ldbc"],
                   check=True)
    files = [options.work / "ldbc/nodes.jsonl", options.work / "ldbc/edges.jsonl"]
    copy_ldbc(options, count=True)  # the warm-up: both have read their files
    load_ldbc(options, files)
    ours, theirs = [], []
    for _ in range(options.repetitions):
        ours.append(load_ldbc(options, files))
        theirs.append(copy_ldbc(options))
    rows = LDBC_NODES + LDBC_RELATIONSHIPS
    print(f"LDBC SF0.1, {rows:,} rows, {options.repetitions} repetitions, alternating")
    our_s = report("braid load, whole process", ours, rows, "rows")
    their_s = report("Kùzu COPY and close", theirs, rows, "rows")
    cpu = [statistics.median(run.cpu_s for run in runs) for runs in (ours, theirs)]
    print(f"ratio of the medians (above 1: Braid is faster): {their_s / our_s:.2f}; in CPU seconds "
          f"(Kùzu's with node's start and schema): {cpu[1] / cpu[0]:.2f}")


def content_hash(options, graph):
    log = subprocess.run([options.braid, "log", graph, "--json"], check=True, capture_output=True)
    return json.loads(log.stdout)["rows"][0]["content_hash"]


def refused(options, files):
    """The error with which one commit of all the files is refused, or None."""
    graph = make_graph(options, "edges.graph", options.work / "edges/schema.pg")
    run = Run(load_command(options, graph, files), options, may_fail=True)
    if run.status == 0:
        return None
    error = json.loads(run.text)
    if error["code"] != "resource_limit":
        sys.exit(run.text)
    return error["details"]


def cut(options, files, edges):
    """Another file with the first `edges` edges."""
    part = options.work / "edges/part.jsonl"
    with files[1].open("rb") as whole, part.open("wb") as out:
        for _, line in zip(range(edges), whole):
            out.write(line)
    return [files[0], part]


def same_hashes(options, files):
    """Loads with 2 threads and with 1 into copies of one graph: the hash is salted by graph."""
    first = make_graph(options, "keyed.graph", options.work / "edges/schema_keyed.pg")
    second = options.work / "keyed.copy"
    shutil.rmtree(second, ignore_errors=True)
    shutil.copytree(first, second)
    many = Run(load_command(options, first, files), options)
    one = Run(load_command(options, second, files), options, cpus={min(ALL_CPUS)})
    hashes = content_hash(options, first), content_hash(options, second)
    print(f"keyed edges, content hash with {len(ALL_CPUS)} threads {hashes[0]}, with 1 {hashes[1]}")
    if hashes[0] != hashes[1]:
        sys.exit("the content hashes differ")
    return many, one


def bench_edges(options):
    subprocess.run([sys.executable, HERE / "generate_edges.py", options.work / "edges", "--nodes",
                    str(options.nodes), "--edges", str(options.edges)], check=True)
    files = [options.work / "edges/nodes.jsonl", options.work / "edges/edges.jsonl"]
    edges = options.edges
    if limit := refused(options, files):
        edges = ROWS_MAX - options.nodes
        print(f"one commit of {options.nodes:,} nodes and {options.edges:,} edges is refused: "
              f"{limit}; "
              f"one commit has at most {ROWS_MAX:,} rows: cut to {edges:,} edges")
        files = cut(options, files, edges)
    runs = {len(ALL_CPUS): [], 1: []}
    for _ in range(options.repetitions):
        for threads, series in runs.items():
            graph = make_graph(options, "edges.graph", options.work / "edges/schema.pg")
            cpus = ALL_CPUS if threads > 1 else {min(ALL_CPUS)}
            run = Run(load_command(options, graph, files), options, cpus=cpus)
            receipt = json.loads(run.text)
            expect_counts((receipt["nodes_inserted"], receipt["edges_inserted"]), options.nodes,
                          edges)
            series.append(run)
    text = sum(file.stat().st_size for file in files)
    print(f"{options.nodes:,} nodes and {edges:,} edges, {text / 1e6:.0f} MB of text, "
          f"{options.repetitions} repetitions, alternating; edges per second of the whole load")
    for threads, series in runs.items():
        report(f"braid load, {threads} thread(s)", series, edges, "edges")
    many, one = same_hashes(options, files)
    report(f"keyed, {len(ALL_CPUS)} thread(s), once", [many], edges, "edges")
    report("keyed, 1 thread(s), once", [one], edges, "edges")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload", choices=["ldbc", "edges"])
    parser.add_argument("--braid", type=pathlib.Path,
                        default=HERE.parent / "build/release/bin/braid")
    parser.add_argument("--work", type=pathlib.Path, default=HERE.parent / "build/bench_load.tmp",
                        help="a scratch directory: mind which disk that is")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--nice", type=int, default=0)
    parser.add_argument("--patience", type=float, default=60)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, default=10_000_000)
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.braid = options.braid.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    if options.workload == "ldbc":
        bench_ldbc(options)
    else:
        bench_edges(options)


if __name__ == "__main__":
    main()
