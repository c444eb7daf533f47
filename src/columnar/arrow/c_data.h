// SPDX-License-Identifier: Apache-2.0
// The Arrow C data interface: arrays handed to, and taken from, other libraries of this process
// without copying. The two structures are the interface's binary layout.
//
// A batch travels as a struct array without nulls whose children are the columns.
//
// Invariants
//   A13  What is exported stays alive until its consumer has released it, each child by itself if
//        it was moved out; releasing frees it once.
//   A14  What is imported is released once, when the last array over it is gone, also if the
//        import fails.
// Layer: columnar.
// Threads: exported and imported arrays may be used and released in any thread.
#pragma once

#include <cstdint>

#include "braid/result.h"
#include "columnar/arrow/record_batch.h"

extern "C" {

// Names and order are the interface.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
}

namespace braid::columnar::arrow {

/// Fills `out`, which the caller must release.
void export_field(const Field& field, ArrowSchema& out);
void export_schema(const Schema& schema, ArrowSchema& out);
void export_array(const ArrayPointer& array, ArrowArray& out);
void export_batch(const RecordBatch& batch, ArrowArray& out);

/// Copies what `in` says and releases it. `unsupported` for types that Braid has no column of,
/// `corrupt` for formats that mean nothing. Requires: not yet released.
Result<Field> import_field(ArrowSchema& in);
Result<Schema> import_schema(ArrowSchema& in);
/// Takes `in` over (it is marked as released), whatever comes of it. `corrupt` if numbers of rows,
/// buffers or children make no sense; the interface does not tell sizes of buffers, so these are
/// believed. Requires: not yet released; exported with a schema of `type`.
Result<ArrayPointer> import_array(ArrowArray& in, const DataType& type);
/// The same of a struct array with a child for each field.
Result<RecordBatch> import_batch(ArrowArray& in, SchemaPointer schema);

}  // namespace braid::columnar::arrow
