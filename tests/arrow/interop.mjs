// SPDX-License-Identifier: Apache-2.0
// Braid's Arrow files and streams against Apache's own JavaScript library.
//
//   node interop.mjs PROGRAM SCRATCH
//
// PROGRAM (interop.cc) writes files, which the library reads here; the library writes files, which
// PROGRAM reads. Both sides work out the expected values for themselves, by the rule in
// interop_rows.h. What the library compresses is left out: up to 21.2.0 it writes the compressed
// size where the format has the uncompressed one, and no reader but itself can open that.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const arrow = await import('apache-arrow').catch(() => {
  console.error('interop.mjs: the npm packages of tests/arrow are missing: run tools/setup');
  process.exit(1);
});
const lz4 = (await import('lz4js')).default;
const { decompress: zstdDecode } = await import('fzstd');

// Copies: what the codecs return may begin anywhere, and the library wants it aligned.
arrow.compressionRegistry.set(arrow.CompressionType.LZ4_FRAME, {
  decode: (bytes) => Uint8Array.from(lz4.decompress(bytes)),
});
arrow.compressionRegistry.set(arrow.CompressionType.ZSTD, {
  decode: (bytes) => Uint8Array.from(zstdDecode(bytes)),
});

// The rule, again.
const U64 = (1n << 64n) - 1n;
function mix(x) {
  x = (x + 0x9e3779b97f4a7c15n) & U64;
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & U64;
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & U64;
  return x ^ (x >> 31n);
}
const i32 = (g) => Number(BigInt.asIntN(32, g));
const f32 = (g) => Math.fround(i32(g) / 1024);
const PIECES = ['', 'a', 'ß', '€', '😀', 'line\n', '\0'];
const range = (count) => Array.from({ length: Number(count) }, (_, index) => BigInt(index));
const text = (g) => range((g >> 8n) % 5n)
  .map((k) => PIECES[Number((g >> (12n + 3n * k)) % 7n)]).join('');
const bytes = (g, size, differs) => Uint8Array.from(range(size),
  (j) => Number(((g >> (8n * (j % 8n))) & 255n) ^ (differs ? j : 0n)));
function f64(g) {
  switch (g % 16n) {
    case 0n: return NaN;
    case 1n: return -0;
    case 2n: return -Infinity;
    default: return i32(g) / 1000;
  }
}
function nested(g) {
  return range(g % 3n).map((j) => {
    const inner = mix(g + j);
    return inner % 7n === 0n ? null : range(inner % 3n).map((k) => i32(mix(g + j * 10n + k)));
  });
}

const item = (type) => new arrow.Field('item', type, true);
// In the order of their numbers. `plain` turns what the library returns into what the rule says.
const list = (vector, plain = (x) => x) => Array.from(vector, (x) => (x === null ? null : plain(x)));
const COLUMNS = [
  { name: 'bool', type: new arrow.Bool(), value: (g) => (g & 1n) === 1n },
  { name: 'i32', type: new arrow.Int32(), value: i32 },
  { name: 'u32', type: new arrow.Uint32(), value: (g) => Number(g & 0xffffffffn) },
  { name: 'i64', type: new arrow.Int64(), value: (g) => BigInt.asIntN(64, g) },
  { name: 'u64', type: new arrow.Uint64(), value: (g) => g },
  { name: 'f32', type: new arrow.Float32(), value: f32 },
  { name: 'f64', type: new arrow.Float64(), value: f64 },
  { name: 'utf8', type: new arrow.Utf8(), value: text },
  { name: 'binary', type: new arrow.Binary(), value: (g) => bytes(g, g % 9n, false) },
  { name: 'date', type: new arrow.DateDay(),
    value: (g) => (Number(g % 40000n) - 10000) * 86400000, plain: Number },
  { name: 'time', type: new arrow.Timestamp(arrow.TimeUnit.MILLISECOND, 'UTC'),
    value: (g) => Number(g % 4000000000000n) - 1000000000000, plain: Number },
  { name: 'id', type: new arrow.FixedSizeBinary(16), value: (g) => bytes(g, 16, true) },
  { name: 'list', type: new arrow.List(item(new arrow.Int64())), plain: list,
    value: (g) => range(g % 4n).map((j) => BigInt.asIntN(64, mix(g + j))) },
  { name: 'texts', type: new arrow.List(item(new arrow.Utf8())), plain: list,
    value: (g) => range(g % 4n).map((j) => text(mix(g + j))) },
  { name: 'nested', type: new arrow.List(item(new arrow.List(item(new arrow.Int32())))),
    value: nested, plain: (outer) => list(outer, (inner) => list(inner)) },
  { name: 'vector', type: new arrow.FixedSizeList(3, item(new arrow.Float32())), plain: list,
    value: (g) => range(3).map((j) => f32(mix(g + j))) },
  { name: 'word', type: new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32()),
    value: (g) => `word${g % 20n}` },
];
COLUMNS.forEach((column, number) => { column.number = number; });

function expected(column, row) {
  const h = mix((BigInt(column.number) << 32n) + BigInt(row));
  return h % 5n === 0n ? null : column.value(mix(h));
}

function checkColumn(vector, column, name) {
  for (let row = 0; row < vector.length; ++row) {
    const got = vector.get(row);
    const plain = got === null || !column.plain ? got : column.plain(got);
    const want = expected(column, row);
    if (typeof want === 'object' && want !== null) {
      assert.deepEqual(plain, want, `${name}, ${column.name}, row ${row}`);
    } else if (!Object.is(plain, want)) {
      assert.fail(`${name}, ${column.name}, row ${row}: ${String(plain)} is not ${String(want)}`);
    }
  }
}

function checkOurs(scratch, name, batches, columns) {
  for (const suffix of ['arrow', 'arrows']) {
    const file = `ours-${name}.${suffix}`;
    const content = readFileSync(join(scratch, file));
    const table = arrow.tableFromIPC(content);
    const rows = batches.reduce((sum, count) => sum + count, 0);
    assert.equal(table.numRows, rows, file);
    assert.deepEqual(table.schema.fields.map((field) => field.name), columns.map((c) => c.name));
    assert.equal(table.schema.metadata.get('braid.table'), '7');
    for (const column of columns) {
      const field = table.schema.fields.find((one) => one.name === column.name);
      assert.equal(String(field.type), String(column.type), file);
      assert.equal(field.nullable, true);
      assert.equal(field.metadata.get('number'), String(column.number));
      if (rows > 0) checkColumn(table.getChild(column.name), column, file);
    }
    const reader = arrow.RecordBatchReader.from(content);
    reader.open();
    const counts = [...reader].map((batch) => batch.numRows);
    // For the library a table has a batch of no rows if the file has none.
    if (batches.length > 0) assert.deepEqual(counts, batches, file);
  }
}

function tableOf(columns, batches) {
  const schema = new arrow.Schema(columns.map((column) => new arrow.Field(column.name, column.type,
    true, new Map([['number', String(column.number)]]))));
  // One builder a column for all batches: its dictionary grows, and is written in parts.
  const builders = columns.map((column) =>
    arrow.makeBuilder({ type: column.type, nullValues: [null] }));
  let begin = 0;
  const built = batches.map((count) => {
    const children = columns.map((column, index) => {
      const builder = builders[index];
      for (let row = begin; row < begin + count; ++row) {
        const value = expected(column, row);
        const isDate = column.name === 'date' && value !== null;
        builder.append(isDate ? new Date(value) : value);
      }
      return builder.flush();
    });
    begin += count;
    const data = arrow.makeData({ type: new arrow.Struct(schema.fields), length: count, children });
    return new arrow.RecordBatch(schema, data);
  });
  return new arrow.Table(schema, built);
}

function writeTheirs(scratch, name, table) {
  for (const [suffix, kind] of [['arrow', 'file'], ['arrows', 'stream']]) {
    writeFileSync(join(scratch, `theirs-${name}-${table.numRows}.${suffix}`),
      arrow.tableToIPC(table, kind));
  }
}

const [program, scratch] = process.argv.slice(2);
rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });

execFileSync(program, ['write', scratch], { stdio: 'inherit' });
const batches = [5, 0, 1000, 3];
const wide = ['i64', 'f64', 'utf8', 'word'];
const narrow = COLUMNS.filter((column) => wide.includes(column.name));
checkOurs(scratch, 'plain', batches, COLUMNS);
checkOurs(scratch, 'lz4', batches, COLUMNS);
checkOurs(scratch, 'zstd', batches, COLUMNS);
checkOurs(scratch, 'empty', [], COLUMNS);
checkOurs(scratch, 'zero', [0], COLUMNS);
checkOurs(scratch, 'huge', [1000000], narrow);
console.log('interop.mjs: 12 files of ours are right');

writeTheirs(scratch, 'one', tableOf(COLUMNS, [1000]));
writeTheirs(scratch, 'none', tableOf(COLUMNS, [0]));
writeTheirs(scratch, 'huge', tableOf(narrow, [1000000]));
writeTheirs(scratch, 'many', tableOf(COLUMNS, [5, 1, 700, 3]));
execFileSync(program, ['check', scratch], { stdio: 'inherit' });
rmSync(scratch, { recursive: true, force: true });
