// SPDX-License-Identifier: Apache-2.0
// The public handles: thin, on the real machine.
#include "braid/graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/graph_core.h"
#include "engine/snapshot_core.h"
#include "env/real.h"

namespace braid {

LoadSource LoadSource::from_text(std::string name, std::string text) {
  const auto left = std::make_shared<std::pair<std::string, std::size_t>>(std::move(text), 0);
  return {std::move(name), [left](char* out, std::size_t size) -> Result<std::size_t> {
            const std::size_t part = std::min(size, left->first.size() - left->second);
            std::copy_n(left->first.data() + left->second, part, out);
            left->second += part;
            return part;
          }};
}

LoadSource LoadSource::from_file(std::string path) {
  struct Open {
    std::unique_ptr<env::File> file;
    std::uint64_t offset = 0;
  };
  const auto state = std::make_shared<Open>();
  std::string name = path;
  return {std::move(name),
          [state, path = std::move(path)](char* out, std::size_t size) -> Result<std::size_t> {
            if (state->file == nullptr) {
              BRAID_ASSIGN(state->file, env::real_env().files.open(path, env::OpenMode::kRead));
            }
            BRAID_ASSIGN(const std::size_t read, state->file->read_at(state->offset, out, size));
            state->offset += read;
            return read;
          }};
}

Snapshot::Snapshot(std::shared_ptr<const engine::SnapshotCore> core) : core_(std::move(core)) {}

CommitId Snapshot::commit() const {
  const auto& head = core_->branch().head;
  return head ? head->id : CommitId{};
}

Version Snapshot::version() const { return core_->branch().version; }

Result<QueryResult> Snapshot::query(std::string_view text, const Parameters& parameters,
                                    std::string_view name) const {
  return core_->query(text, parameters, name);
}

std::string Snapshot::schema() const { return core_->root().catalog->text(); }

Status Snapshot::export_jsonl(const ExportOptions& options, const ExportSink& sink) const {
  return core_->export_jsonl(options, sink);
}

Status Snapshot::export_arrow(std::string_view type, const ExportSink& sink) const {
  return core_->export_arrow(type, sink);
}

namespace {

// Whoever waits for this process wants to know which one it is.
engine::CoreOptions core_options(const OpenOptions& options) {
  engine::CoreOptions core;
  core.open = options;
  core.open.process_name =
      fmt::format("{} (process {})", options.process_name, env::process_number());
  return core;
}

}  // namespace

Graph::Graph(std::shared_ptr<engine::GraphCore> core) : core_(std::move(core)) {}

Result<Graph> Graph::init(std::string_view path, std::string_view schema,
                          const InitOptions& init_options, const OpenOptions& options) {
  BRAID_ASSIGN(auto core, engine::GraphCore::init(env::real_env(), path, schema, init_options,
                                                  core_options(options)));
  return Graph(std::move(core));
}

Result<Graph> Graph::open(std::string_view path, const OpenOptions& options) {
  BRAID_ASSIGN(auto core, engine::GraphCore::open(env::real_env(), path, core_options(options)));
  return Graph(std::move(core));
}

Result<Graph> Graph::in_memory(std::string_view schema, const OpenOptions& options) {
  BRAID_ASSIGN(auto core,
               engine::GraphCore::in_memory(env::real_env(), schema, core_options(options)));
  return Graph(std::move(core));
}

Result<Snapshot> Graph::read(std::string_view branch) const {
  BRAID_ASSIGN(auto core, core_->snapshot(branch));
  return Snapshot(std::move(core));
}

Result<Receipt> Graph::load(std::vector<LoadSource> sources, const LoadOptions& options) {
  return core_->load(std::move(sources), options);
}

Result<std::vector<CommitInfo>> Graph::log(std::string_view branch, std::uint64_t limit) const {
  return core_->history(branch, limit);
}

Result<CommitDetail> Graph::show(std::string_view commit) const { return core_->show(commit); }

Result<VerifyReport> Graph::verify() const { return core_->verify(); }

Status Graph::close() { return core_->close(); }

}  // namespace braid
