// SPDX-License-Identifier: Apache-2.0
// What the system refuses to RocksDB is told as what it is, and is over when the system gives in.
#include <filesystem>
#include <sys/resource.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "state/state_fixture.h"

namespace braid::state {
namespace {

/// At most so many descriptors, until the end of the scope.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t count) {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit lowered{count, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &lowered), 0);
  }
  ~DescriptorLimit() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  rlimit before_{};
};

class RocksRefusals : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = RocksState::create(machine_, directory_, graph_of(1));
    ASSERT_TRUE(made) << to_string(made.error());
    for (std::uint64_t position = 1; position <= 3; ++position) {
      ASSERT_TRUE((*made)->apply(std::vector<StateWrite>{{"r" + std::to_string(position), "value"}},
                                 applied_of(position)));
      ASSERT_TRUE((*made)->flush());
    }
    ASSERT_TRUE((*made)->close());
  }
  void expect_opens() {
    const auto opened = RocksState::open(machine_, directory_, graph_of(1));
    ASSERT_TRUE(opened) << to_string(opened.error());
    EXPECT_EQ((*opened)->applied().position, Position{3});
  }

  env::Env& machine_ = env::real_env();
  ScratchDirectory scratch_;
  const std::string directory_ = scratch_.path("state");
};

TEST_F(RocksRefusals, TooFewDescriptorsAreALimitOfTheSystem) {
  const auto used =
      static_cast<rlim_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
  int refused = 0;
  for (rlim_t more = 0; more < 64; ++more) {
    const DescriptorLimit limit(used + more);
    const auto opened = RocksState::open(machine_, directory_, graph_of(1));
    if (opened) break;
    ++refused;
    EXPECT_EQ(opened.error().code(), ErrorCode::resource_limit) << to_string(opened.error());
  }
  EXPECT_GT(refused, 2);
  expect_opens();
}

TEST_F(RocksRefusals, AFileThatMayNotBeReadIsAMatterOfPermission) {
  namespace fs = std::filesystem;
  std::string table;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    fs::permissions(entry.path(), fs::perms(0666));
    if (entry.path().extension() == ".sst") table = entry.path();
  }
  ASSERT_NE(table, "");
  fs::permissions(directory_, fs::perms(0777));
  fs::permissions(table, fs::perms(0));
  // Permissions bind all but root.
  const uid_t user = geteuid();
  constexpr uid_t kNobody = 65534;
  if (user == 0) {
    ASSERT_EQ(seteuid(kNobody), 0);
  }

  const auto opened = RocksState::open_read_only(machine_, directory_, graph_of(1));

  ASSERT_EQ(seteuid(user), 0);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::permission) << to_string(opened.error());
  fs::permissions(table, fs::perms(0600));
  expect_opens();
}

}  // namespace
}  // namespace braid::state
