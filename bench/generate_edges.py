#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a seeded graph of users who follow each other, with string keys, as JSON Lines.

    python3 bench/generate_edges.py OUT_FOLDER [--nodes N] [--edges N] [--seed N]

makes nodes.jsonl, edges.jsonl, schema.pg (edges without a key) and schema_keyed.pg (edges with the
key (src, dst): their identities, so also the content hash, do not depend on chance). Sources and
targets come in random order. Each pair stands once: in round r, a source's target lies in the r-th
part of the ring of nodes, counted from the source.
"""
import argparse
import pathlib
import random

NODE_SCHEMA = "node User {\n  name: String @key\n}\n\n"
EDGE_SCHEMA = "edge Follows: User -> User"


def write_nodes(path, nodes):
    with path.open("w") as file:
        for start in range(0, nodes, 100_000):
            file.write("".join(f'{{"type":"User","data":{{"name":"user{i:07}"}}}}\n'
                               for i in range(start, min(start + 100_000, nodes))))


def write_edges(path, nodes, edges, seed):
    chance = random.Random(seed)
    rounds = -(-edges // nodes)
    if rounds > nodes:
        raise SystemExit("more edges than pairs")
    with path.open("w") as file:
        for turn in range(rounds):
            low, high = turn * nodes // rounds, (turn + 1) * nodes // rounds
            sources = list(range(nodes))
            chance.shuffle(sources)
            del sources[max(0, edges - turn * nodes):]
            offsets = chance.choices(range(low, high), k=len(sources))
            file.write("".join(
                f'{{"edge":"Follows","from":"user{a:07}","to":"user{(a + b) % nodes:07}"}}\n'
                for a, b in zip(sources, offsets)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "schema.pg").write_text(NODE_SCHEMA + EDGE_SCHEMA + "\n")
    (options.out / "schema_keyed.pg").write_text(
        NODE_SCHEMA + EDGE_SCHEMA + " {\n  @key(@src, @dst)\n}\n")
    write_nodes(options.out / "nodes.jsonl", options.nodes)
    write_edges(options.out / "edges.jsonl", options.nodes, options.edges, options.seed)


if __name__ == "__main__":
    main()
