// SPDX-License-Identifier: Apache-2.0
// What `braid export --format arrow` writes, read by Apache's own JavaScript library.
//
//   node export.mjs BRAID SCRATCH
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const arrow = await import('apache-arrow').catch(() => {
  console.error('export.mjs: the npm packages of tests/arrow are missing: run tools/setup');
  process.exit(1);
});

const [braid, scratch] = process.argv.slice(2);
rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });

const graph = join(scratch, 'g.braid');
const schema = join(scratch, 'schema.pg');
writeFileSync(schema, `
node Thing {
  name: String @key
  yes: Bool?
  small: I32?
  large: I64?
  total: U64?
  exact: F64?
  day: Date?
  at: DateTime?
  names: [String]?
  mood: enum(calm, wild)?
  place: Vector(3)?
}
node Nothing { name: String @key }
edge Near: Thing -> Thing { metres: I32? }
`);

// The last thing has only its key.
const things = [
  { name: 'a', yes: true, small: -7, large: '9007199254740993', total: '18446744073709551615',
    exact: 0.1, day: '2024-02-29', at: '2024-02-29T12:30:45.678Z', names: ['x', '', 'ü'],
    mood: 'wild', place: [1, -2, 0.5] },
  { name: 'b', names: [] },
  { name: 'ü' },
];
const lines = things.map((data) => {
  const text = JSON.stringify({ type: 'Thing', data });
  return text.replace('"9007199254740993"', '9007199254740993')
    .replace('"18446744073709551615"', '18446744073709551615');
});
// More rows than a batch of the writer's takes: ids in order, as an export gives them.
const many = 70_000;
const id = (i) => `t${String(i).padStart(6, '0')}`;
for (let i = 0; i < many; ++i) lines.push(`{"type":"Thing","data":{"name":"${id(i)}","small":${i}}}`);
lines.push('{"edge":"Near","from":"a","to":"b","data":{"metres":12}}');
lines.push('{"edge":"Near","from":"b","to":"b"}');

const run = (words, input) =>
  execFileSync(braid, words, { input, maxBuffer: 1 << 28, stdio: ['pipe', 'pipe', 'inherit'] });
run(['init', graph, '--schema', schema]);
run(['load', graph, '--data', '-'], lines.join('\n'));
const exported = (type) =>
  arrow.tableFromIPC(run(['export', graph, '--type', type, '--format', 'arrow'], ''));

const table = exported('Thing');
assert.deepEqual(table.schema.fields.map((field) => field.name),
  ['id', 'name', 'yes', 'small', 'large', 'total', 'exact', 'day', 'at', 'names', 'mood', 'place']);
assert.equal(table.numRows, things.length + many);
assert.ok(table.batches.length > 1);

const row = (index) => table.get(index).toJSON();
const first = row(0);
assert.equal(first.id, 'a');
assert.equal(first.name, 'a');
assert.equal(first.yes, true);
assert.equal(first.small, -7);
assert.equal(first.large, 9007199254740993n);
assert.equal(first.total, 18446744073709551615n);
assert.equal(first.exact, 0.1);
assert.equal(new Date(first.day).toISOString().slice(0, 10), '2024-02-29');
assert.equal(new Date(Number(first.at)).toISOString(), '2024-02-29T12:30:45.678Z');
assert.deepEqual([...first.names], ['x', '', 'ü']);
assert.equal(first.mood, 'wild');
assert.deepEqual([...first.place], [1, -2, 0.5]);
const second = row(1);
assert.equal(second.id, 'b');
assert.deepEqual([...second.names], []);
const last = row(table.numRows - 1);
assert.equal(last.name, 'ü');
for (const name of ['yes', 'small', 'large', 'total', 'exact', 'day', 'at', 'names', 'mood', 'place']) {
  assert.equal(last[name], null, name);
}
for (let i = 0; i < many; i += 997) {
  assert.equal(row(2 + i).id, id(i));
  assert.equal(row(2 + i).small, i);
}

const edges = exported('Near').toArray().map((edge) => edge.toJSON());
assert.equal(edges.length, 2);
assert.ok(edges[0].id < edges[1].id);
assert.deepEqual(edges.map(({ src, dst, metres }) => ({ src, dst, metres }))
  .sort((a, b) => (a.src < b.src ? -1 : 1)),
[{ src: 'a', dst: 'b', metres: 12 }, { src: 'b', dst: 'b', metres: null }]);

const none = exported('Nothing');
assert.equal(none.numRows, 0);
assert.deepEqual(none.schema.fields.map((field) => field.name), ['id', 'name']);
rmSync(scratch, { recursive: true });
