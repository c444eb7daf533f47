// SPDX-License-Identifier: Apache-2.0
// Our half of the test against Apache's own library (interop.mjs is the other):
//   arrow_interop write DIRECTORY   writes ours-*.arrow and ours-*.arrows
//   arrow_interop check DIRECTORY   reads every theirs-*.arrow and theirs-*.arrows
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "columnar/arrow/dictionary.h"
#include "columnar/arrow/ipc_reader.h"
#include "columnar/arrow/ipc_writer.h"
#include "columnar/arrow/sink.h"
#include "env/real.h"
#include "interop_rows.h"

namespace braid::test {
namespace {

using arrow::ArrayPointer;
using arrow::Compression;
using arrow::Container;
using arrow::RecordBatch;

struct Job {
  std::string name;
  std::vector<std::uint64_t> batches;  ///< rows
  Compression compression = Compression::none;
  std::vector<std::string> columns = {};  ///< all if empty
};

const std::vector<std::uint64_t> kBatches = {5, 0, 1000, 3};
constexpr std::uint64_t kHugeRows = 1'000'000;

std::vector<Job> jobs() {
  return {{.name = "plain", .batches = kBatches},
          {.name = "lz4", .batches = kBatches, .compression = Compression::lz4_frame},
          {.name = "zstd", .batches = kBatches, .compression = Compression::zstd},
          {.name = "empty", .batches = {}},
          {.name = "zero", .batches = {0}},
          {.name = "huge", .batches = {kHugeRows}, .columns = {"i64", "f64", "utf8", "word"}}};
}

bool has(const Job& job, const std::string& column) {
  return job.columns.empty() ||
         std::find(job.columns.begin(), job.columns.end(), column) != job.columns.end();
}

/// What one file is made of: the columns of the job, the word as a dictionary.
class Maker {
 public:
  explicit Maker(const Job& job) {
    auto schema = std::make_shared<arrow::Schema>();
    arrow::Schema all = interop_schema();
    schema->metadata = all.metadata;
    for (std::uint64_t number = 0; number < all.fields.size(); ++number) {
      arrow::Field& field = all.fields[number];
      if (!has(job, field.name)) continue;
      numbers_.push_back(number);
      plain_types_.push_back(field.type);
      if (field.name == "word") field.type = words_.type();
      schema->fields.push_back(std::move(field));
    }
    schema_ = std::move(schema);
  }

  const arrow::SchemaPointer& schema() const { return schema_; }

  Result<RecordBatch> batch(std::uint64_t begin, std::uint64_t count) {
    std::vector<ArrayPointer> columns;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const bool is_word = schema_->fields[i].name == "word";
      BRAID_ASSIGN(ArrayPointer column,
                   column_of(plain_types_[i], numbers_[i], begin, count, is_word));
      if (is_word) {
        BRAID_ASSIGN(column, words_.encode(*column));
      }
      columns.push_back(std::move(column));
    }
    return RecordBatch::make(schema_, count, std::move(columns));
  }

 private:
  arrow::SchemaPointer schema_;
  std::vector<std::uint64_t> numbers_;
  std::vector<arrow::DataType> plain_types_;
  arrow::DictionaryEncoder words_{arrow::TypeId::utf8};
};

Status write(const std::string& directory, const Job& job, Container container) {
  const std::string name =
      "ours-" + job.name + (container == Container::file ? ".arrow" : ".arrows");
  BRAID_ASSIGN(const auto file, env::posix_file_system().open(env::join(directory, name),
                                                              env::OpenMode::kCreateNew));
  arrow::FileSink sink(*file);
  Maker maker(job);
  BRAID_ASSIGN(const auto writer,
               arrow::IpcWriter::begin(sink, maker.schema(),
                                       {.container = container, .compression = job.compression}));
  std::uint64_t begin = 0;
  for (const std::uint64_t count : job.batches) {
    BRAID_ASSIGN(const RecordBatch batch, maker.batch(begin, count));
    BRAID_TRY(writer->append(batch));
    begin += count;
  }
  BRAID_TRY(writer->finish({{"written by", "Braid"}}));
  return sink.flush();
}

Status write_all(const std::string& directory) {
  for (const Job& job : jobs()) {
    for (const Container container : {Container::file, Container::stream}) {
      BRAID_TRY(write(directory, job, container));
    }
  }
  return Unit{};
}

Error differs(const std::string& what) { return Error(ErrorCode::corrupt, "differs: " + what); }

/// Compares what was read with what the rule says.
Status check_batch(const RecordBatch& batch, std::uint64_t begin) {
  const arrow::Schema expected = interop_schema();
  for (std::size_t i = 0; i < batch.columns().size(); ++i) {
    const arrow::Field& field = batch.schema().fields[i];
    const auto number = expected.find(field.name);
    if (!number) return differs("column " + field.name);
    BRAID_ASSIGN(const ArrayPointer column, column_of(expected.fields[*number].type, *number, begin,
                                                      batch.length(), field.name == "word"));
    if (!same_values(*column, batch.column(i))) {
      return differs(field.name + " of type " + to_string(field.type));
    }
    if (const auto said = arrow::find(field.metadata, "number");
        said == nullptr || *said != std::to_string(*number)) {
      return differs("metadata of " + field.name);
    }
  }
  return Unit{};
}

Result<std::uint64_t> check_file(const std::shared_ptr<const env::MappedFile>& mapped) {
  BRAID_ASSIGN(const auto reader, arrow::FileReader::open(mapped->bytes(), mapped));
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < reader->batch_count(); ++i) {
    BRAID_ASSIGN(const RecordBatch batch, reader->read(i));
    BRAID_TRY(check_batch(batch, rows));
    rows += batch.length();
  }
  return rows;
}

Result<std::uint64_t> check_stream(const std::shared_ptr<const env::MappedFile>& mapped) {
  BRAID_ASSIGN(const auto reader, arrow::StreamReader::open(mapped->bytes(), mapped));
  std::uint64_t rows = 0;
  while (true) {
    BRAID_ASSIGN(const std::optional<RecordBatch> batch, reader->next());
    if (!batch) return rows;
    BRAID_TRY(check_batch(*batch, rows));
    rows += batch->length();
  }
}

/// A name tells how many rows there are: theirs-<name>-<rows>.arrow.
Status check_all(const std::string& directory) {
  BRAID_ASSIGN(const auto names, env::posix_file_system().list(directory));
  std::size_t checked = 0;
  for (const std::string& name : names) {
    if (!name.starts_with("theirs-")) continue;
    BRAID_ASSIGN(const auto mapped, env::posix_file_system().map(env::join(directory, name)));
    const Result<std::uint64_t> rows =
        name.ends_with(".arrow") ? check_file(mapped) : check_stream(mapped);
    if (!rows) return rows.error().prefixed(name);
    if (name.find("-" + std::to_string(*rows) + ".arrow") == std::string::npos) {
      return differs(name + " has " + std::to_string(*rows) + " rows");
    }
    ++checked;
  }
  if (checked == 0) return differs("no file was there");
  std::printf("arrow_interop: %zu files of theirs are right\n", checked);
  return Unit{};
}

}  // namespace
}  // namespace braid::test

int main(int count, char** arguments) {
  const std::string mode = count == 3 ? arguments[1] : "";
  if (mode != "write" && mode != "check") {
    std::fprintf(stderr, "arrow_interop write|check DIRECTORY\n");
    return 2;
  }
  const braid::Status status =
      mode == "write" ? braid::test::write_all(arguments[2]) : braid::test::check_all(arguments[2]);
  if (status) return 0;
  std::fprintf(stderr, "arrow_interop: %s\n", to_string(status.error()).c_str());
  return 1;
}
