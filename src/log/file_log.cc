// SPDX-License-Identifier: Apache-2.0
#include "log/file_log.h"

#include <algorithm>

#include "log/append_result.h"

namespace braid::log {
namespace {

/// A follower's view of several files is not of one moment. What it takes for damage must be there
/// when it looks again, and again.
constexpr int kSameErrorsUntilBelieved = 3;

Result<Survey> survey_beside_writer(env::FileSystem& files, const std::string& directory,
                                    const std::optional<GraphId>& graph) {
  std::string error_before;
  int same_errors_count = 0;
  while (true) {
    auto survey = survey_log(files, directory, graph);
    if (survey) return survey;
    std::string error = to_string(survey.error());
    same_errors_count = error == error_before ? same_errors_count + 1 : 1;
    if (same_errors_count == kSameErrorsUntilBelieved) return survey;
    error_before = std::move(error);
  }
}

/// `already_exists` unless the segment holds no group of records.
Status check_holds_nothing(env::FileSystem& files, const std::string& path) {
  const Error exists =
      Error(ErrorCode::already_exists, "there is a commit log already").with("file", path);
  BRAID_ASSIGN(const auto file, files.open(path, env::OpenMode::kRead));
  const auto header = read_segment_header(*file, path);
  if (!header) return exists.with("cause", to_string(header.error()));
  WindowReader reader(*file, std::size_t{1} << 20);
  for (std::uint64_t offset = kBlockBytes;; offset += kBlockBytes) {
    BRAID_ASSIGN(const std::string_view bytes, reader.view(offset, kFrameHeaderBytes));
    if (bytes.size() < kFrameHeaderBytes) return Unit{};
    if (!has_frame_magic(bytes)) continue;
    const auto frame = decode_frame_header(header->key, bytes, offset);
    if (frame && frame->kind == FrameKind::kRecords) return exists;
  }
}

/// Makes the directory, or checks that a create() may go on in it. Returns its names.
Result<std::vector<std::string>> prepare_directory(env::FileSystem& files,
                                                   const std::string& directory) {
  Status created = files.create_directory(directory);
  if (!created && created.error().code() != ErrorCode::already_exists) {
    return std::move(created).error();
  }
  BRAID_TRY(files.sync_directory(env::parent_of(directory)));
  BRAID_ASSIGN(std::vector<std::string> names, files.list(directory));
  for (const std::string& name : names) {
    const auto first = parse_segment_name(name);
    if (!first.has_value()) continue;
    const std::string path = env::join(directory, name);
    if (first->value != 1) {
      return Error(ErrorCode::already_exists, "there is a commit log already").with("file", path);
    }
    BRAID_TRY(check_holds_nothing(files, path));
  }
  return names;
}

}  // namespace

FileLog::FileLog(Key, env::Env& env, std::string directory, GraphId graph)
    : env_(env), directory_(std::move(directory)), graph_(graph), reader_(env.files) {}

FileLog::~FileLog() = default;

Result<std::unique_ptr<FileLog>> FileLog::create(env::Env& env, std::string directory,
                                                 GraphId graph, const LogOptions& options) {
  BRAID_TRY(validate(options));
  BRAID_ASSIGN(const auto names, prepare_directory(env.files, directory));
  auto log = std::make_unique<FileLog>(Key{}, env, std::move(directory), graph);
  log->writer_ = std::make_unique<LogWriter>(env, log->directory_, graph, options, log->reader_);
  BRAID_TRY(log->writer_->create(names));
  return log;
}

Result<std::unique_ptr<FileLog>> FileLog::open(env::Env& env, std::string directory,
                                               std::optional<GraphId> graph,
                                               const LogOptions& options) {
  BRAID_TRY(validate(options));
  BRAID_ASSIGN(const Survey survey, survey_log(env.files, directory, graph));
  const GraphId owner = survey.last().header.key.graph;
  auto log = std::make_unique<FileLog>(Key{}, env, std::move(directory), owner);
  log->writer_ = std::make_unique<LogWriter>(env, log->directory_, owner, options, log->reader_);
  BRAID_TRY(log->writer_->start(survey));
  return log;
}

Result<std::unique_ptr<FileLog>> FileLog::open_read_only(env::Env& env, std::string directory,
                                                         std::optional<GraphId> graph) {
  BRAID_ASSIGN(Survey survey, survey_beside_writer(env.files, directory, graph));
  auto log =
      std::make_unique<FileLog>(Key{}, env, std::move(directory), survey.last().header.key.graph);
  const env::Lock lock(log->follow_mutex_);
  log->reader_.publish(survey.table, survey.proven_tail());
  log->followed_ = std::move(survey);
  FileLog* const self = log.get();
  log->reader_.set_on_doubt([self] { static_cast<void>(self->refresh().ok()); });
  return log;
}

Result<LogTail> FileLog::refresh() {
  if (writer_ != nullptr) return tail();
  const env::Lock lock(follow_mutex_);
  const auto grown = survey_growth(env_.files, directory_, *followed_);
  const LogTail before = tail();
  if (grown && grown->has_value()) {
    followed_ = **grown;
    reader_.publish_tail(std::max(before, followed_->proven_tail(),
                                  [](const auto& a, const auto& b) { return a.last < b.last; }));
    return tail();
  }
  BRAID_ASSIGN(Survey survey, survey_beside_writer(env_.files, directory_, graph_));
  const LogTail found = survey.proven_tail();
  if (found.last < before.last || (found.last == before.last && found.hash != before.hash)) {
    return corrupt_at(survey.last().path, survey.end.offset, "durable records are gone",
                      std::to_string(before.last.value), std::to_string(found.last.value));  // L4
  }
  reader_.publish(survey.table, found);
  followed_ = std::move(survey);
  return found;
}

AppendResult FileLog::append(Position first, std::span<const RecordDraft> group,
                             std::int64_t time_ms) {
  if (writer_ == nullptr) return refused(read_only_error());
  return writer_->append(first, group, time_ms);
}

Result<LogTail> FileLog::recover() {
  return writer_ == nullptr ? Result<LogTail>(tail()) : writer_->recover();
}

std::int64_t FileLog::clock_ms() const { return std::max(tail().time_ms, env_.clock.now_ms()); }

Status FileLog::truncate_below(Position keep_from) {
  return writer_ == nullptr ? Status(read_only_error()) : writer_->truncate_below(keep_from);
}

Status FileLog::close() { return writer_ == nullptr ? Status(Unit{}) : writer_->close(); }

LogStats FileLog::stats() const { return writer_ == nullptr ? LogStats{} : writer_->stats(); }

}  // namespace braid::log
