// SPDX-License-Identifier: Apache-2.0
// The bytes of a record inside a frame (docs/formats/log.md, "Record").
// Threads: functions of their arguments.
#pragma once

#include "base/coding.h"
#include "log/record.h"

namespace braid::log {

/// u32 size, u16 type, u16 section count.
inline constexpr std::size_t kRecordHeaderBytes = 8;
/// u16 tag, u16 flags, u32 size, salt, digest.
inline constexpr std::size_t kSectionHeaderBytes = 8 + 16 + 32;
inline constexpr std::size_t kRecordSectionsMax = 65'535;
/// The flag of a section whose salt and body are gone.
inline constexpr std::uint16_t kSectionErased = 1;

/// SHA-256(salt, body) (L2).
base::Digest section_digest(const SectionSalt& salt, std::string_view body);
/// Whether the body still is what the digest says; an erased section always matches.
bool digest_matches(const Section& section);

/// Appends exactly encoded_size(draft) bytes.
void encode_record(base::ByteWriter& out, const RecordDraft& draft);
/// Reads one record; `corrupt` unless the bytes are exactly what encode_record writes. Digests are
/// not compared here.
Result<RecordDraft> decode_record(base::ByteReader& from);

}  // namespace braid::log
