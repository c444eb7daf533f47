// SPDX-License-Identifier: Apache-2.0
#include "engine/fragment_store.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/hash.h"

namespace braid::engine {
namespace {

namespace arrow = columnar::arrow;

constexpr std::string_view kSuffix = ".arrow";
// A name that no record can pin: the file is not finished.
constexpr std::string_view kUnfinishedSuffix = ".arrow.tmp";

std::string object_name(const Ulid& operation, std::size_t ordinal) {
  return fmt::format("{}-{}{}", operation.to_string(), ordinal, kSuffix);
}

// Spread by hash: the ULIDs of one time begin alike.
std::string shard_of(std::string_view object) {
  return fmt::format("{:02x}", base::xxh3_128(object).low & 0xFF);
}

// Hands on to a file, and sums what goes by.
class DigestSink final : public arrow::Sink {
 public:
  explicit DigestSink(env::File& file) : sink_(file) {}
  Status append(std::string_view bytes) override {
    sum_.update(bytes);
    return sink_.append(bytes);
  }
  Status flush() { return sink_.flush(); }
  std::uint64_t size_bytes() const { return sink_.size_bytes(); }
  base::Digest digest() { return sum_.finish(); }

 private:
  arrow::FileSink sink_;
  base::Sha256 sum_;
};

Error wrong_file(std::string_view path, std::string_view what) {
  return Error(ErrorCode::corrupt, fmt::format("a fragment is {}", what))
      .with("file", std::string(path));
}

Error in_file(const Error& error, std::string_view path) {
  return error.with("file", std::string(path));
}

}  // namespace

FragmentStore::FragmentStore(env::FileSystem& files, std::string directory)
    : files_(files),
      directory_(std::move(directory)),
      fragments_(env::join(directory_, "fragments")) {}

std::string FragmentStore::path_of(std::string_view object) const {
  return env::join(env::join(fragments_, shard_of(object)), object);
}

Result<std::shared_ptr<const env::MappedFile>> FragmentStore::map(const table::Pin& pin) const {
  // What a record names is a name, never a path to somewhere else.
  if (pin.object.find('/') != std::string::npos || !pin.object.ends_with(kSuffix)) {
    return wrong_file(pin.object, "named as none is");
  }
  const std::string path = path_of(pin.object);
  auto mapped = files_.map(path);
  if (!mapped) {
    if (mapped.error().code() == ErrorCode::not_found) return wrong_file(path, "missing");
    return mapped.error();
  }
  if ((*mapped)->bytes().size() != pin.size_bytes) {
    return wrong_file(path, "of another size than its pin says")
        .with("expected", pin.size_bytes)
        .with("actual", (*mapped)->bytes().size());
  }
  return mapped;
}

Result<std::shared_ptr<const table::Fragment>> FragmentStore::fragment(
    const table::Pin& pin, const std::shared_ptr<const schema::RecordType>& type,
    bool is_edge) const {
  {
    const env::Lock lock(mutex_);
    const auto found = open_.find(pin.object);
    if (found != open_.end()) return found->second;
  }
  BRAID_ASSIGN(const auto mapped, map(pin));
  auto fragment = table::Fragment::open(mapped->bytes(), mapped, type, is_edge);
  if (!fragment) return in_file(fragment.error(), path_of(pin.object));
  if ((*fragment)->rows() != pin.summary.rows) {
    return wrong_file(path_of(pin.object), "of another number of rows than its pin says");
  }
  const env::Lock lock(mutex_);
  return open_.emplace(pin.object, *std::move(fragment)).first->second;
}

// A directory that is there may be so in the cache only, of an attempt that failed: its name is
// durable once this process has synced it (env E1).
Status FragmentStore::make_directory(const std::string& path) {
  {
    const env::Lock lock(mutex_);
    if (durable_directories_.contains(path)) return Unit{};
  }
  Status made = files_.create_directory(path);
  if (!made && made.error().code() != ErrorCode::already_exists) return made;
  BRAID_TRY(files_.sync_directory(env::parent_of(path)));
  const env::Lock lock(mutex_);
  durable_directories_.insert(path);
  return Unit{};
}

Result<table::Pin> FragmentStore::write(std::string object, const table::TableChanges& changes,
                                        const schema::Schema& schema) {
  const schema::RecordType* type = table::type_of(schema, changes.table);
  BRAID_ASSERT(type != nullptr);
  const std::string path = path_of(object);
  const std::string unfinished =
      path.substr(0, path.size() - kSuffix.size()) + std::string(kUnfinishedSuffix);
  BRAID_TRY(make_directory(env::parent_of(path)));
  BRAID_ASSIGN(const auto file, files_.open(unfinished, env::OpenMode::kCreateNew));
  DigestSink sink(*file);
  table::FragmentOptions options;
  options.with_previous =
      std::any_of(changes.rows.begin(), changes.rows.end(),
                  [](const table::RowChange& change) { return change.previous != Position{}; });
  BRAID_ASSIGN(const auto writer,
               table::FragmentWriter::begin(sink, *type, schema.edge_type(changes.table) != nullptr,
                                            options));
  for (const table::RowChange& change : changes.rows) {
    BRAID_ASSERT(change.kind != table::ChangeKind::remove);
    BRAID_TRY(writer->append({change.row, change.previous, {}}));
  }
  table::Pin pin;
  BRAID_ASSIGN(pin.summary, writer->finish());
  BRAID_TRY(sink.flush());
  BRAID_TRY(file->sync());
  BRAID_TRY(files_.rename(unfinished, path));
  pin.table = changes.table;
  pin.object = std::move(object);
  pin.size_bytes = sink.size_bytes();
  pin.digest = sink.digest();
  return pin;
}

Result<std::vector<table::Pin>> FragmentStore::stage(
    const Ulid& operation, const std::vector<table::TableChanges>& changes,
    const schema::Schema& schema) {
  BRAID_TRY(env::refuse_link(files_, directory_));
  BRAID_TRY(env::refuse_link(files_, fragments_));
  BRAID_TRY(make_directory(directory_));
  BRAID_TRY(make_directory(fragments_));
  std::vector<table::Pin> pins;
  std::set<std::string> shards;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::string object = object_name(operation, i);
    BRAID_ASSIGN(table::Pin pin, write(object, changes[i], schema));
    shards.insert(env::parent_of(path_of(object)));
    pins.push_back(std::move(pin));
  }
  for (const std::string& shard : shards) BRAID_TRY(files_.sync_directory(shard));  // G3
  return pins;
}

// A file that stays is removed when the graph is opened next.
void FragmentStore::discard(const std::vector<table::Pin>& pins) {
  for (const table::Pin& pin : pins) static_cast<void>(files_.remove(path_of(pin.object)).ok());
}

void FragmentStore::discard(const Ulid& operation) {
  const std::string prefix = operation.to_string() + '-';
  static_cast<void>(for_each_file([&](const std::string& path, const std::string& name) -> Status {
                      if (name.starts_with(prefix)) static_cast<void>(files_.remove(path).ok());
                      return Unit{};
                    }).ok());
}

template <class Visit>
Status FragmentStore::for_each_file(const Visit& visit) {
  const auto shards = files_.list(fragments_);
  if (!shards) {
    if (shards.error().code() == ErrorCode::not_found) return Unit{};
    return shards.error();
  }
  for (const std::string& shard : *shards) {
    const std::string directory = env::join(fragments_, shard);
    // What a link leads to is not ours to delete.
    if (!env::refuse_link(files_, directory)) continue;
    BRAID_ASSIGN(const auto info, files_.stat(directory));
    if (!info.is_directory) continue;
    BRAID_ASSIGN(const auto names, files_.list(directory));
    for (const std::string& name : names) BRAID_TRY(visit(env::join(directory, name), name));
  }
  return Unit{};
}

Result<std::uint64_t> FragmentStore::sweep(const table::Layers& live) {
  BRAID_TRY(env::refuse_link(files_, directory_));
  BRAID_TRY(env::refuse_link(files_, fragments_));
  std::set<std::string, std::less<>> pinned;
  for (const table::PinnedFragment& fragment : live.all()) pinned.insert(fragment.pin->object);
  std::uint64_t removed = 0;
  BRAID_TRY(for_each_file([&](const std::string& path, const std::string& name) -> Status {
    const bool ours = name.ends_with(kSuffix) || name.ends_with(kUnfinishedSuffix);
    if (!ours || pinned.contains(name)) return Unit{};  // G4
    ++removed;
    return files_.remove(path);
  }));
  return removed;
}

Status FragmentStore::verify(const table::Pin& pin,
                             const std::shared_ptr<const schema::RecordType>& type,
                             bool is_edge) const {
  BRAID_ASSIGN(const auto mapped, map(pin));
  const std::string path = path_of(pin.object);
  const base::Digest digest = base::sha256(mapped->bytes());
  if (digest != pin.digest) {
    return wrong_file(path, "not what was written")
        .with("expected", base::hex_of(pin.digest))
        .with("actual", base::hex_of(digest));
  }
  BRAID_ASSIGN(const auto opened, fragment(pin, type, is_edge));
  const Status checked = opened->check();
  return checked ? checked : Status(in_file(checked.error(), path));
}

}  // namespace braid::engine
