#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a commit log by docs/formats/log.md alone, checks all of it, prints its last chain hash."""
import hashlib
import pathlib
import struct
import sys

BLOCK = 4096
TABLE = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
    TABLE.append(n)


def crc32c(data, seed=0):
    crc = seed ^ 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def u(data, offset, size):
    return int.from_bytes(data[offset:offset + size], "little")


def read_record(data, position, previous):
    size, kind, count = struct.unpack_from("<IHH", data)
    assert size <= len(data)
    chained = previous + struct.pack("<QH", position, kind)
    body = 8 + 56 * count
    for i in range(count):
        tag, flags, length = struct.unpack_from("<HHI", data, 8 + 56 * i)
        salt, digest = data[16 + 56 * i:32 + 56 * i], data[32 + 56 * i:64 + 56 * i]
        chained += struct.pack("<HI", tag, length) + digest
        if flags == 0:
            assert sha256(salt, data[body:body + length]) == digest, "section digest"
            body += length
        else:
            assert flags == 1 and salt == bytes(16), "flags"
    assert body == size, "record size"
    return size, sha256(chained)


def read_segment(path, expected):
    data = path.read_bytes()
    assert data[:8] == b"BraidLog" and u(data, 8, 4) == 1, "segment magic and format"
    assert u(data, 4092, 4) == crc32c(data[:4092]), "segment checksum"
    assert not any(data[144:4092]), "segment padding"
    graph, life, salt = data[16:32], data[32:40], data[40:72]
    position, epoch, hash_ = u(data, 72, 8), u(data, 80, 8), data[112:144]
    assert path.name == f"{position:020}.seg", "name"
    assert expected is None or expected == (position, hash_), "segments line up"
    seed, offset, kinds = u(salt, 0, 4), BLOCK, []
    while data[offset:offset + 8] == b"BraidFrm":
        head = data[offset:offset + 168]
        assert u(head, 164, 4) == crc32c(head[:164], seed), "header checksum"
        assert head[144:160] == sha256(salt, head[:144])[:16], "seal"
        assert head[16:32] == graph and head[40:48] == life and u(head, 48, 8) == offset, "place"
        assert u(head, 56, 8) == position and head[72:104] == hash_, "chain"
        assert u(head, 32, 8) >= epoch, "epoch"
        kind, count, payload, epoch = u(head, 8, 2), u(head, 12, 4), u(head, 136, 4), u(head, 32, 8)
        end = offset + (168 + payload + BLOCK - 1) // BLOCK * BLOCK
        assert u(head, 140, 4) == crc32c(data[offset + 168:end], seed), "payload checksum"
        assert not any(data[offset + 168 + payload:end]), "padding"
        at = offset + 168
        for _ in range(count):
            size, hash_ = read_record(data[at:offset + 168 + payload], position, hash_)
            at, position = at + size, position + 1
        assert at == offset + 168 + (payload if count else 0), "payload size"
        assert head[104:136] == hash_, "chain after"
        kinds.append(kind)
        offset = end
    print(path.name, "frames", kinds)
    return position, hash_


if __name__ == "__main__":
    state = None
    for segment in sorted(pathlib.Path(sys.argv[1]).glob("[0-9]*.seg")):
        state = read_segment(segment, state)
    print("next position", state[0], "hash", state[1].hex())
