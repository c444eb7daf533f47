// SPDX-License-Identifier: Apache-2.0
#include "engine/fragment_store.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/hash.h"
#include "index/adjacency_builder.h"

namespace braid::engine {
namespace {

namespace arrow = columnar::arrow;

constexpr std::string_view kSuffix = ".arrow";
// A name that no record can pin: the file is not finished.
constexpr std::string_view kUnfinishedSuffix = ".arrow.tmp";

constexpr std::string_view kIndexSuffix = ".adj";
constexpr std::string_view kUnfinishedIndexSuffix = ".adj.tmp";
constexpr const char* kIndexRemedy = "delete this file: it is made from the rows when needed";

// The name without its ending; nullopt if it has another one.
std::optional<std::string_view> without(std::string_view name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return std::nullopt;
  return name.substr(0, name.size() - suffix.size());
}

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
      fragments_(env::join(directory_, "fragments")),
      indexes_(env::join(directory_, "index")) {}

std::string FragmentStore::path_of(std::string_view object) const {
  return env::join(env::join(fragments_, shard_of(object)), object);
}

// In the folder of the same two digits.
std::string FragmentStore::index_path_of(std::string_view object) const {
  const std::string_view base = object.substr(0, object.size() - kSuffix.size());
  return env::join(env::join(indexes_, shard_of(object)),
                   std::string(base) + std::string(kIndexSuffix));
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
  auto fragment =
      table::Fragment::open(mapped->bytes(), mapped, type, is_edge, path_of(pin.object));
  if (!fragment) return in_file(fragment.error(), path_of(pin.object));
  if ((*fragment)->rows() != pin.summary.rows) {
    return wrong_file(path_of(pin.object), "of another number of rows than its pin says");
  }
  const env::Lock lock(mutex_);
  return open_.emplace(pin.object, *std::move(fragment)).first->second;
}

Result<std::shared_ptr<const index::Adjacency>> FragmentStore::open_index(
    const table::Pin& pin) const {
  const auto mapped = files_.map(index_path_of(pin.object));
  if (!mapped) {
    if (mapped.error().code() != ErrorCode::not_found) return mapped.error();
    return std::shared_ptr<const index::Adjacency>();
  }
  return index::Adjacency::open(arrow::Buffer((*mapped)->bytes(), *mapped), pin);
}

Result<std::shared_ptr<const table::FragmentEdges>> FragmentStore::edges(
    const table::Pin& pin, const std::shared_ptr<const schema::RecordType>& type) const {
  {
    const env::Lock lock(mutex_);
    const auto found = open_indexes_.find(pin.object);
    if (found != open_indexes_.end()) {
      return std::shared_ptr<const table::FragmentEdges>(found->second);
    }
  }
  BRAID_ASSIGN(const auto rows, fragment(pin, type, true));
  auto index = open_index(pin);
  // G5: whatever is wrong with it. All of it is read, once, so that no damage gives other edges.
  if (!index || *index == nullptr || !(*index)->check()) {
    auto built = index::build_adjacency(*rows, pin);
    if (!built) return in_file(built.error(), path_of(pin.object));
    index = index::Adjacency::open(*std::move(built), pin);
    BRAID_ASSERT(index.ok());
  }
  const env::Lock lock(mutex_);
  return std::shared_ptr<const table::FragmentEdges>(
      open_indexes_.emplace(pin.object, *std::move(index)).first->second);
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

Status FragmentStore::write_index(const table::Pin& pin, const schema::Schema& schema) {
  // Of the caller's schema, which lives as long as this call.
  const std::shared_ptr<const schema::RecordType> type(std::shared_ptr<const void>(),
                                                       table::type_of(schema, pin.table));
  BRAID_ASSIGN(const auto mapped, map(pin));
  BRAID_ASSIGN(const auto rows, table::Fragment::open(mapped->bytes(), mapped, type, true));
  BRAID_ASSIGN(const arrow::Buffer bytes, index::build_adjacency(*rows, pin));
  const std::string path = index_path_of(pin.object);
  const std::string unfinished =
      std::string(*without(path, kIndexSuffix)) + std::string(kUnfinishedIndexSuffix);
  BRAID_TRY(env::refuse_link(files_, indexes_));
  BRAID_TRY(make_directory(indexes_));
  BRAID_TRY(make_directory(env::parent_of(path)));
  Status written = Unit{};
  {
    BRAID_ASSIGN(const auto file, files_.open(unfinished, env::OpenMode::kCreateNew));
    written = file->write_at(0, bytes.bytes());
    if (written) written = file->sync();
  }
  if (written) written = files_.rename(unfinished, path);  // G5
  if (!written) static_cast<void>(files_.remove(unfinished).ok());
  return written;
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
  for (const table::Pin& pin : pins) {
    if (schema.edge_type(pin.table) == nullptr) continue;
    static_cast<void>(write_index(pin, schema).ok());  // G5: and its name may be lost, too
  }
  return pins;
}

std::size_t FragmentStore::open_count() const {
  const env::Lock lock(mutex_);
  return open_.size() + open_indexes_.size();
}

// A file that stays is removed when the graph is opened next. Whoever reads a fragment keeps it.
void FragmentStore::discard(const std::vector<table::Pin>& pins) {
  for (const table::Pin& pin : pins) {
    {
      const env::Lock lock(mutex_);
      open_.erase(pin.object);
      open_indexes_.erase(pin.object);
    }
    static_cast<void>(files_.remove(index_path_of(pin.object)).ok());
    static_cast<void>(files_.remove(path_of(pin.object)).ok());
  }
}

void FragmentStore::discard(const Ulid& operation) {
  const std::string prefix = operation.to_string() + '-';
  const auto is_its = [&](std::string_view name, bool) { return name.starts_with(prefix); };
  {
    const env::Lock lock(mutex_);
    const auto is_open = [&](const auto& entry) { return is_its(entry.first, false); };
    std::erase_if(open_, is_open);
    std::erase_if(open_indexes_, is_open);
  }
  static_cast<void>(remove_files(is_its).ok());
}

template <class Visit>
Status FragmentStore::for_each_file(const std::string& root, const Visit& visit) {
  const auto shards = files_.list(root);
  if (!shards) {
    if (shards.error().code() == ErrorCode::not_found) return Unit{};
    return shards.error();
  }
  for (const std::string& shard : *shards) {
    const std::string directory = env::join(root, shard);
    // What a link leads to is not ours to delete.
    if (!env::refuse_link(files_, directory)) continue;
    BRAID_ASSIGN(const auto info, files_.stat(directory));
    if (!info.is_directory) continue;
    BRAID_ASSIGN(const auto names, files_.list(directory));
    for (const std::string& name : names) BRAID_TRY(visit(env::join(directory, name), name));
  }
  return Unit{};
}

template <class IsDead>
Result<std::uint64_t> FragmentStore::remove_files(const IsDead& is_dead) {
  BRAID_TRY(env::refuse_link(files_, directory_));
  BRAID_TRY(env::refuse_link(files_, fragments_));
  BRAID_TRY(env::refuse_link(files_, indexes_));
  // The fragment that a file is, or belongs to; "": no file of ours.
  const auto owner_of = [](std::string_view name) {
    for (const auto suffix : {kSuffix, kUnfinishedSuffix, kIndexSuffix, kUnfinishedIndexSuffix}) {
      if (const auto base = without(name, suffix)) return std::string(*base) + std::string(kSuffix);
    }
    return std::string();
  };
  std::uint64_t removed = 0;
  for (const std::string* root : {&fragments_, &indexes_}) {
    BRAID_TRY(for_each_file(*root, [&](const std::string& path, const std::string& name) -> Status {
      const std::string owner = owner_of(name);
      if (owner.empty() || !is_dead(owner, name.ends_with(".tmp"))) return Unit{};  // G4
      removed += root == &fragments_ ? 1 : 0;
      return files_.remove(path);
    }));
  }
  return removed;
}

Result<std::uint64_t> FragmentStore::sweep(const table::Layers& live) {
  std::set<std::string, std::less<>> pinned;
  for (const table::PinnedFragment& fragment : live.all()) pinned.insert(fragment.pin->object);
  return remove_files([&](std::string_view name, bool is_unfinished) {
    return is_unfinished || !pinned.contains(name);
  });
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

Status FragmentStore::verify_index(const table::Pin& pin,
                                   const std::shared_ptr<const schema::RecordType>& type) const {
  const std::string path = index_path_of(pin.object);
  const auto index = open_index(pin);
  const auto finding = [&](const Error& error) {
    return in_file(error, path).with("remedy", kIndexRemedy);
  };
  if (!index) return finding(index.error());
  if (*index == nullptr) return Unit{};
  if (const Status whole = (*index)->check(); !whole) return finding(whole.error());
  BRAID_ASSIGN(const auto rows, fragment(pin, type, true));
  BRAID_ASSIGN(const arrow::Buffer built, index::build_adjacency(*rows, pin));
  if ((*index)->bytes() == built.bytes()) return Unit{};
  return finding(Error(ErrorCode::corrupt, "an adjacency index is not that of its fragment"));
}

}  // namespace braid::engine
