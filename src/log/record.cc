// SPDX-License-Identifier: Apache-2.0
#include "log/record.h"

#include "base/assert.h"
#include "base/coding.h"
#include "log/record_codec.h"

namespace braid::log {
namespace {

constexpr std::string_view kGenesis = "braid commit log genesis 1";

std::string_view as_view(const SectionSalt& salt) {
  return {reinterpret_cast<const char*>(salt.data()), salt.size()};
}

}  // namespace

Section make_section(std::uint16_t tag, std::string body, env::Random& random) {
  BRAID_ASSERT(body.size() <= UINT32_MAX);
  Section section;
  section.tag = tag;
  section.body = std::move(body);
  section.size_bytes = static_cast<std::uint32_t>(section.body.size());
  random.fill(section.salt.data(), section.salt.size());
  section.digest = section_digest(section.salt, section.body);
  return section;
}

base::Digest section_digest(const SectionSalt& salt, std::string_view body) {
  return base::sha256({as_view(salt), body});  // L2
}

bool digest_matches(const Section& section) {
  return section.erased || section_digest(section.salt, section.body) == section.digest;
}

const std::string* Record::section(std::uint16_t tag) const {
  for (const Section& section : sections) {
    if (section.tag == tag) return section.erased ? nullptr : &section.body;
  }
  return nullptr;
}

base::Digest genesis_hash(const GraphId& graph) {
  return base::sha256(
      {kGenesis,
       {reinterpret_cast<const char*>(graph.ulid.bytes.data()), graph.ulid.bytes.size()}});
}

base::Digest chain_hash(const base::Digest& previous, Position position, std::uint16_t type,
                        const std::vector<Section>& sections) {
  base::ByteWriter covered;  // L1: headers and salted digests, never bodies
  covered.reserve(32 + 8 + 2 + 38 * sections.size());
  covered.array(previous);
  covered.u64(position.value);
  covered.u16(type);
  for (const Section& section : sections) {
    covered.u16(section.tag);
    covered.u32(section.size_bytes);
    covered.array(section.digest);
  }
  return base::sha256(covered.view());
}

std::size_t encoded_size(const RecordDraft& draft) {
  std::size_t size = kRecordHeaderBytes + kSectionHeaderBytes * draft.sections.size();
  for (const Section& section : draft.sections) {
    if (!section.erased) size += section.body.size();
  }
  return size;
}

void encode_record(base::ByteWriter& out, const RecordDraft& draft) {
  BRAID_ASSERT(draft.sections.size() <= kRecordSectionsMax);
  out.u32(static_cast<std::uint32_t>(encoded_size(draft)));
  out.u16(draft.type);
  out.u16(static_cast<std::uint16_t>(draft.sections.size()));
  for (const Section& section : draft.sections) {
    out.u16(section.tag);
    out.u16(section.erased ? kSectionErased : 0);
    out.u32(section.size_bytes);
    out.array(section.erased ? SectionSalt{} : section.salt);
    out.array(section.digest);
  }
  for (const Section& section : draft.sections) {
    if (section.erased) continue;
    BRAID_ASSERT(section.body.size() == section.size_bytes);
    out.raw(section.body);
  }
}

Result<RecordDraft> decode_record(base::ByteReader& from) {
  const std::uint32_t record_bytes = from.u32();
  if (record_bytes < kRecordHeaderBytes) from.fail();
  base::ByteReader in(from.raw(record_bytes - 4));
  if (from.failed()) return Error(ErrorCode::corrupt, "a record is cut short");
  RecordDraft draft;
  draft.type = in.u16();
  const std::size_t section_count = in.u16();
  if (section_count * kSectionHeaderBytes > in.remaining()) in.fail();
  if (!in.failed()) draft.sections.resize(section_count);
  for (Section& section : draft.sections) {
    section.tag = in.u16();
    const std::uint16_t flags = in.u16();
    section.size_bytes = in.u32();
    section.salt = in.array<SectionSalt>();
    section.digest = in.array<base::Digest>();
    section.erased = flags == kSectionErased;
    if (flags > kSectionErased) in.fail();
    if (section.erased && section.salt != SectionSalt{}) in.fail();
  }
  for (Section& section : draft.sections) {
    if (!section.erased) section.body = std::string(in.raw(section.size_bytes));
  }
  BRAID_TRY(in.finish("a record"));
  return draft;
}

}  // namespace braid::log
