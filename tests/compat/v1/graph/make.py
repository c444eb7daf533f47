#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the corpus of a whole graph: graph.tar.gz, and expected.json, what must be in it.

    python3 tests/compat/v1/graph/make.py build/dev/bin/braid

runs the given program on the rows below. What is expected comes from this text alone: final rows
are folded here, values are written out by hand where a row gives them in another spelling,
pseudonyms are computed by docs/formats/records.md and the last chain hash by ../log/check.py. Only
the graph's id is read from the graph, out of FORMAT. Never run it again for a released format: the
corpus of a format is what that format's program wrote. For a next one, copy the folder to ../../v2
and run the copy.
"""
import gzip
import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GRAPH = "brain.braid"
ANN, BOB = "ann@example.org", "Bob Öztürk 🧠"
ULID = "01ARZ3NDEKTSV4RRFFQ69G5FA"  # and one digit

LONG = "".join(f"line {i % 97}: the quick brown fox jumps over the dog\n" for i in range(13000))


def node(type_name, id_, stored=None, **data):
    """A row: how the load says it; `stored` has the values whose stored form is another."""
    return {"type": type_name, "id": id_, "data": data, "stored": stored or {}}


def edge(type_name, source, target, stored=None, id_=None, **data):
    return {"edge": type_name, "from": source, "to": target, "id": id_, "data": data,
            "stored": stored or {}}


def note(digit, stored=None, **data):
    return node("Note", ULID + digit, stored, id=ULID + digit, **data)


FIRST = [
    node("Person", "ann", slug="ann", title="Ann", mood="good", born="1815-12-10", height=1.5,
         score=0.1, age=36, balance=-9223372036854775808, steps=18446744073709551615,
         offset=-2147483648, active=True, tags=["math", "", "poésie", "数学"],
         holidays=["1970-01-01", "0001-01-01", "9999-12-31"], lucky=[7, -7, 9007199254740993],
         embedding=[0.5, -0.25, 0, 1e20], photo="base64:AAEC/f7/",
         seen_at="2026-11-30T23:59:59.999+01:00",
         stored={"seen_at": "2026-11-30T22:59:59.999Z"}),
    node("Person", "bob", slug="bob", title="Bób \"the\\builder\"\n\t\u0000\u007f\u2028 🧱",
         mood="not-so-good", score="NaN", tags=[], holidays=[], active=False,
         seen_at=-1, stored={"seen_at": "1969-12-31T23:59:59.999Z"}),
    node("Person", "cleo-7", slug="cleo-7", title="", height=0.1, score="-Infinity", age=0,
         born=-719162, stored={"born": "0001-01-01"}),
    node("Place", '["TR","34"]', country="TR", number=34, name="İstanbul"),
    node("Place", '["a\\"b","-1"]', country='a"b', number=-1),
    note("A", title="On the engine", body="mentions ann", written_at="2026-01-02T03:04:05Z",
         attachment="base64:", stored={"written_at": "2026-01-02T03:04:05.000Z"}),
    edge("Knows", "ann", "bob", since="1833-06-05", how="dinner"),
    edge("Knows", "ann", "bob", since="1840-01-01"),
    edge("Knows", "bob", "bob", since="1969-12-31", how="mirror 🪞"),
    edge("Visited", "ann", '["TR","34"]', at="2026-02-03", stars=5,
         stored={"at": "2026-02-03T00:00:00.000Z"}),
    edge("Visited", "ann", '["TR","34"]'),
    edge("Mentions", ULID + "A", "ann", id_=ULID + "Z", id=ULID + "Z"),
]
MERGED = [
    node("Person", "bob", slug="bob", title="Bob", mood=None, score=-0.0, tags=["built"]),
    node("Person", "dan", slug="dan", title="Dan", embedding=[1, 2, 3, 4]),
    edge("Knows", "ann", "bob", since="1840-01-01", how="letters"),
    edge("Knows", "dan", "ann", since="2000-02-29"),
    # As it is already: no change.
    node("Place", '["TR","34"]', country="TR", number=34, name="İstanbul"),
]
LONG_ONE = [note("B", title="Long", body=LONG, written_at="2026-03-01T00:00:00.000Z")]
LONG_TWO = [note("C", title="Longer", body=LONG + "end", written_at="2026-03-02T00:00:00.000Z"),
            edge("Mentions", ULID + "C", "dan", id_=ULID + "Y", id=ULID + "Y")]
LAST = [node("Person", "ann", slug="ann", title="Ann", age=37, photo="base64:" + "/w==",
             embedding=[-0.5, 0.125, 3, 0])]

# actor, key, purpose, mode, rows; a commit whose rows change nothing leaves only a receipt.
COMMITS = [
    (ANN, "import-1", "first import", "append", FIRST),
    (BOB, "schlüssel 🔑", "Bob's own view — corrected", "merge", MERGED),
    (ANN, "long-1", "", "append", LONG_ONE),
    (BOB, "long-2", "", "append", LONG_TWO),
    (BOB, "nothing", "changes nothing", "merge", [MERGED[-1]]),
    (ANN, "last", "a birthday", "merge", LAST),
]


def load_text(rows):
    lines = []
    for row in rows:
        head = {k: row[k] for k in ("type", "edge", "from", "to") if k in row}
        lines.append(json.dumps({**head, "data": row["data"]}, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def identity(row):
    if row.get("type"):
        return (row["type"], row["id"])
    if row["edge"] == "Knows":
        return ("Knows", row["from"], row["to"], row["data"]["since"])
    return (row["edge"], row["id"] or id(row))


def apply(rows, table):
    """Folds the rows into the table; the counts of inserted and updated rows by type."""
    counts = {}
    for row in rows:
        key = identity(row)
        data = {**row["data"], **row["stored"]}
        if row.get("type") == "Note" or row.get("edge") == "Mentions":
            data.pop("id")
        old = table.get(key)
        merged = {**(old["data"] if old else {}), **data}
        merged = {name: value for name, value in merged.items() if value is not None}
        # Python takes 0 for equal to -0.0 and 1 for True; their texts differ.
        if old and json.dumps(old["data"], sort_keys=True) == json.dumps(merged, sort_keys=True):
            continue
        kind = row.get("type") or row["edge"]
        count = counts.setdefault(kind, {"inserted": 0, "updated": 0})
        count["updated" if old else "inserted"] += 1
        table[key] = {k: row[k] for k in ("type", "edge", "id", "from", "to") if k in row}
        table[key]["data"] = merged
    return counts


def principal(graph, actor):
    text = f"braid principal 1\n{graph}\n{actor}".encode()
    return "principal:sha256:" + hashlib.sha256(text).hexdigest()


def pack(folder):
    tar_bytes = io.BytesIO()
    with tarfile.open(fileobj=tar_bytes, mode="w") as tar:
        for path in sorted(folder.rglob("*")):
            info = tar.gettarinfo(path, arcname=str(path.relative_to(folder.parent)))
            info.uid = info.gid = info.mtime = 0
            info.uname = info.gname = ""
            tar.addfile(info, io.BytesIO(path.read_bytes()) if path.is_file() else None)
    (HERE / "graph.tar.gz").write_bytes(gzip.compress(tar_bytes.getvalue(), 9, mtime=0))


def main():
    braid = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / GRAPH

        def run(*words, text=""):
            subprocess.run([braid, *words], input=text.encode(), check=True,
                           stdout=subprocess.DEVNULL)

        run("init", str(folder), "--schema", str(HERE / "schema.pg"), "--as", ANN)
        graph = (folder / "FORMAT").read_text().split("graph: ")[1].split("\n")[0]
        table, commits, nothing, version = {}, [], None, 0
        for actor, key, purpose, mode, rows in COMMITS:
            words = ["load", str(folder), "--data", "-", "--as", actor, "--key", key,
                     "--mode", mode, "--purpose", purpose]
            run(*words, text=load_text(rows))
            run(*words, text=load_text(rows))  # a replay: nothing happens
            changes = apply(rows, table)
            fact = {"actor": actor, "principal": principal(graph, actor), "key": key,
                    "purpose": purpose, "mode": mode, "load": load_text(rows), "changes": changes}
            if changes:
                version += 1
                commits.append({"version": version, **fact})
            else:
                nothing = {"version": version, **fact}
        checked = subprocess.run([sys.executable, str(HERE.parent / "log" / "check.py"),
                                  str(folder / "log")], check=True, capture_output=True, text=True)
        last = checked.stdout.split("\n")[-2].split()
        segments = len(list((folder / "log").glob("[0-9]*.seg")))
        assert segments > 1, "more than one segment is wanted"
        pack(folder)
    # The long texts are not written out.
    for fact in commits:
        if len(fact["load"]) > 10000:
            del fact["load"]
    rows = list(table.values())
    for row in rows:
        body = row["data"].get("body", "")
        if len(body) > 10000:
            row["data"]["body"] = "sha256:" + hashlib.sha256(body.encode()).hexdigest()
    expected = {"graph": graph, "schema": (HERE / "schema.pg").read_text(), "segments": segments,
                "records": int(last[2]) - 1, "chain_hash": last[4], "commits": commits,
                "nothing": nothing, "rows": rows}
    text = json.dumps(expected, ensure_ascii=False, indent=1)
    (HERE / "expected.json").write_text(text + "\n", encoding="utf-8")
    print(checked.stdout, end="")


if __name__ == "__main__":
    main()
