// SPDX-License-Identifier: Apache-2.0
// Loads CSV files into a new Kùzu database, with the statements that come with the data, and says
// how long each part took, as one line of JSON.
//   node kuzu_load.js DATABASE DATA_FOLDER [--count]
"use strict";

const fs = require("fs");
const path = require("path");
const kuzu = require("kuzu");

const [database_path, data, count] = process.argv.slice(2);
const statements = (file) =>
  fs.readFileSync(path.join(data, file), "utf8").split("\n").filter((line) => line.trim() !== "");
const seconds = (from) => Number(process.hrtime.bigint() - from) / 1e9;

function one_number(connection, query) {
  const result = connection.querySync(query);
  const row = result.getNextSync();
  result.close();
  return Number(Object.values(row)[0]);
}

const database = new kuzu.Database(database_path);
database.initSync();
const connection = new kuzu.Connection(database);
connection.initSync();
const schema_start = process.hrtime.bigint();
for (const statement of statements("schema.cypher")) connection.querySync(statement).close();
const schema_s = seconds(schema_start);

const copy_start = process.hrtime.bigint();
for (const statement of statements("copy.cypher")) {
  connection.querySync(statement.replace(/"[^"]*\/([^"/]+)"/, `"${data}/$1"`)).close();
}
const copy_s = seconds(copy_start);

const answer = { version: kuzu.VERSION, schema_s, copy_s };
if (count === "--count") {
  answer.nodes = one_number(connection, "MATCH (n) RETURN count(*)");
  answer.relationships = one_number(connection, "MATCH ()-[r]->() RETURN count(*)");
}
const close_start = process.hrtime.bigint();
connection.closeSync();
database.closeSync();
answer.close_s = seconds(close_start);
console.log(JSON.stringify(answer));
