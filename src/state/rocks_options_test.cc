// SPDX-License-Identifier: Apache-2.0
// Statuses as RocksDB 7.8 words them (env/io_posix.cc, env/fs_posix.cc, db/version_set.cc).
#include "state/rocks_options.h"

#include <gtest/gtest.h>

namespace braid::state {
namespace {

using rocksdb::Status;

ErrorCode code_of(const Status& status) { return error_of(status, "/g/state").code(); }

TEST(RocksErrors, WhatTheSystemRefusesHasItsCode) {
  const std::string doing = "While open a file for random read: /g/state/000012.sst";

  EXPECT_EQ(code_of(Status::IOError(doing, "Permission denied")), ErrorCode::permission);
  EXPECT_EQ(code_of(Status::IOError(doing, "Operation not permitted")), ErrorCode::permission);
  EXPECT_EQ(code_of(Status::IOError(doing, "Too many open files")), ErrorCode::resource_limit);
  EXPECT_EQ(code_of(Status::IOError(doing, "Too many open files in system")),
            ErrorCode::resource_limit);
  EXPECT_EQ(code_of(Status::IOError(doing, "Read-only file system")), ErrorCode::read_only);
  EXPECT_EQ(code_of(Status::IOError(doing, "Input/output error")), ErrorCode::io_error);
  EXPECT_EQ(code_of(Status::NoSpace(doing, "No space left on device")), ErrorCode::no_space);
}

TEST(RocksErrors, ARefusalQuotedAsCorruptionIsNoDamage) {
  EXPECT_EQ(code_of(Status::Corruption("Can't access /000012.sst",
                                       "IO error: while stat a file for size: /g/state/000012.sst"
                                       ": Permission denied\n")),
            ErrorCode::permission);
  EXPECT_EQ(code_of(Status::Corruption("Can't access /000012.sst",
                                       "IO error: No such file or directory: /g/000012.sst\n")),
            ErrorCode::corrupt);
}

TEST(RocksErrors, ARefusalQuotedByAStatusOfAnyKindIsTold) {
  const std::string quoted =
      "Found options incompatible with filesystem: IO error: While open a file for random read: "
      "/g/state/CURRENT: ";
  using Kind = Status (*)(const rocksdb::Slice&, const rocksdb::Slice&);
  for (const Kind kind : {Kind(&Status::InvalidArgument), Kind(&Status::NotSupported),
                          Kind(&Status::Aborted), Kind(&Status::Incomplete)}) {
    EXPECT_EQ(code_of(kind(quoted + "Too many open files", {})), ErrorCode::resource_limit);
    EXPECT_EQ(code_of(kind(quoted + "Permission denied", {})), ErrorCode::permission);
    EXPECT_EQ(code_of(kind(quoted + "No space left on device", {})), ErrorCode::no_space);
  }
  EXPECT_EQ(code_of(Status::InvalidArgument("Unknown option: other_database")), ErrorCode::corrupt);
}

TEST(RocksErrors, ThePathOfAFileSaysNothing) {
  EXPECT_EQ(code_of(Status::IOError("While fsync: /g/Permission denied/000012.sst",
                                    "Input/output error")),
            ErrorCode::io_error);
  EXPECT_EQ(code_of(Status::Corruption("block checksum mismatch in /g: Permission denied/1.sst")),
            ErrorCode::corrupt);
}

TEST(RocksErrors, TheReasonAndTheDirectoryAreDetails) {
  const Error error = error_of(Status::IOError("While x: /f", "Permission denied"), "/g/state");

  ASSERT_NE(error.detail("directory"), nullptr);
  EXPECT_EQ(*error.detail("directory"), "/g/state");
  ASSERT_NE(error.detail("reason"), nullptr);
  EXPECT_EQ(*error.detail("reason"), "IO error: While x: /f: Permission denied");
}

}  // namespace
}  // namespace braid::state
