#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a Braid schema and JSON Lines of the LDBC SNB SF0.1 data in npm kuzu's package.

    python3 bench/convert_ldbc.py DATA_FOLDER OUT_FOLDER

reads schema.cypher, copy.cypher and the CSV files that they name, and writes schema.pg, nodes.jsonl
and edges.jsonl with the same types, properties, keys and multiplicities that Kùzu is given. An
empty field is null, as in Kùzu. Fails unless it finds 327,588 nodes and 1,477,965 relationships.
"""
import json
import pathlib
import re
import sys

NODES, RELATIONSHIPS = 327_588, 1_477_965
TYPES = {"INT64": "I64", "INT32": "I32", "STRING": "String"}
TABLE = re.compile(r"create (node|rel) table (\w+) \((.*)\);\s*$", re.IGNORECASE)
COPY = re.compile(r'COPY (\w+) FROM "[^"]*/([^"/]+)"', re.IGNORECASE)
ENDS = re.compile(r"FROM (\w+) TO (\w+)$")


def type_name(table):
    """Comment_hasTag -> CommentHasTag: a type begins with a capital letter."""
    return "".join(word[0].upper() + word[1:] for word in table.split("_"))


class Table:
    """One table of schema.cypher."""

    def __init__(self, kind, name, body):
        self.is_node = kind.lower() == "node"
        self.name = type_name(name)
        self.ends, self.key, self.multiplicity, self.properties = None, None, None, []
        for member in (part.strip() for part in body.split(",")):
            if ends := ENDS.match(member):
                self.ends = ends.groups()
            elif member.startswith("PRIMARY KEY"):
                self.key = member[member.index("(") + 1:member.index(")")]
            elif member in ("MANY_ONE", "ONE_MANY"):
                self.multiplicity = member
            else:
                name, kind = member.split()
                self.properties.append((name, TYPES[kind.upper()]))

    def schema(self):
        lines = [f"  {name}: {kind}" + (" @key" if name == self.key else "?")
                 for name, kind in self.properties]
        if self.is_node:
            head = f"node {self.name}"
        else:
            card = " @card(0..1)" if self.multiplicity == "MANY_ONE" else ""
            head = f"edge {self.name}: {self.ends[0]} -> {self.ends[1]}{card}"
            if self.multiplicity == "ONE_MANY":
                lines.append("  @unique(dst)")
        return head + (" {\n" + "\n".join(lines) + "\n}" if lines else "") + "\n"

    def row(self, fields):
        """The record of one line of CSV."""
        if self.is_node:
            record = {"type": self.name}
        else:
            record = {"edge": self.name, "from": fields[0], "to": fields[1]}
            fields = fields[2:]
        if len(fields) != len(self.properties):
            raise ValueError(f"{self.name}: {fields}")
        data = {name: text if kind == "String" else int(text)
                for (name, kind), text in zip(self.properties, fields) if text != ""}
        if data:
            record["data"] = data
        return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def rows_of(path):
    """The fields of each line but a header: the data has neither quotes nor line breaks in them."""
    with path.open(encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file):
            if '"' in line:
                raise ValueError(f"{path}: a quote in line {number + 1}")
            if number > 0 or not line.startswith((":START_ID", "id:ID")):
                yield line.rstrip("\n").split("|")


def convert(data, out):
    """Writes the three files; returns how many nodes and relationships they hold."""
    tables = {}
    for line in (data / "schema.cypher").read_text().splitlines():
        if table := TABLE.match(line):
            tables[table[2]] = Table(*table.groups())
    out.mkdir(parents=True, exist_ok=True)
    (out / "schema.pg").write_text("\n".join(table.schema() for table in tables.values()))
    counts = {True: 0, False: 0}
    with (out / "nodes.jsonl").open("w", encoding="utf-8") as nodes, \
            (out / "edges.jsonl").open("w", encoding="utf-8") as edges:
        for name, file in COPY.findall((data / "copy.cypher").read_text()):
            table = tables[name]
            sink = nodes if table.is_node else edges
            for fields in rows_of(data / file):
                sink.write(table.row(fields) + "\n")
                counts[table.is_node] += 1
    return counts[True], counts[False]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    counts = convert(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    print(f"{counts[0]:,} nodes, {counts[1]:,} relationships")
    if counts != (NODES, RELATIONSHIPS):
        sys.exit(f"expected {NODES:,} and {RELATIONSHIPS:,}")


if __name__ == "__main__":
    main()
