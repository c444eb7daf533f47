// SPDX-License-Identifier: Apache-2.0
#include "env/paged_bytes.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace braid::env {
namespace {

constexpr std::uint64_t kPage = PagedBytes::kPageSize;

bool all_zero(std::string_view bytes) {
  // A range equal to itself shifted by one is all equal to its first byte.
  return bytes.empty() ||
         (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

/// Calls visit(page, offset in page, offset in range, size) for each page of the range.
template <class Visit>
void for_each_page(std::uint64_t offset, std::uint64_t size, Visit visit) {
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t within = (offset + done) % kPage;
    const std::uint64_t part = std::min(size - done, kPage - within);
    visit(static_cast<std::size_t>((offset + done) / kPage), static_cast<std::size_t>(within),
          static_cast<std::size_t>(done), static_cast<std::size_t>(part));
    done += part;
  }
}

}  // namespace

std::size_t PagedBytes::read(std::uint64_t offset, char* out, std::size_t size) const {
  if (offset >= size_) return 0;
  size = static_cast<std::size_t>(std::min<std::uint64_t>(size, size_ - offset));
  for_each_page(offset, size,
                [&](std::size_t page, std::size_t within, std::size_t done, std::size_t part) {
                  if (pages_[page] == nullptr) {
                    std::memset(out + done, 0, part);
                  } else {
                    std::memcpy(out + done, pages_[page]->data() + within, part);
                  }
                });
  return size;
}

PagedBytes::Page& PagedBytes::own(std::size_t index) {
  std::shared_ptr<Page>& page = pages_[index];
  if (page == nullptr) {
    page = std::make_shared<Page>();
    page->fill(0);
  } else if (page.use_count() != 1) {
    page = std::make_shared<Page>(*page);
  }
  return *page;
}

void PagedBytes::write(std::uint64_t offset, std::string_view bytes) {
  if (bytes.empty()) return;
  if (offset + bytes.size() > size_) resize(offset + bytes.size());
  for_each_page(offset, bytes.size(),
                [&](std::size_t page, std::size_t within, std::size_t done, std::size_t part) {
                  const std::string_view from = bytes.substr(done, part);
                  if (all_zero(from)) {
                    if (part == kPage) pages_[page] = nullptr;
                    if (pages_[page] == nullptr) return;
                  }
                  std::memcpy(own(page).data() + within, from.data(), part);
                });
}

PagedBytes PagedBytes::pages_around(std::uint64_t offset, std::uint64_t size) const {
  PagedBytes part;
  if (size == 0 || offset >= size_) return part;
  const std::uint64_t first = offset / kPage;
  const std::uint64_t end = std::min(size_, (offset + size + kPage - 1) / kPage * kPage);
  part.size_ = end - first * kPage;
  const auto begin = pages_.begin() + static_cast<std::ptrdiff_t>(first);
  part.pages_.assign(begin, begin + static_cast<std::ptrdiff_t>((part.size_ + kPage - 1) / kPage));
  return part;
}

void PagedBytes::copy_range(const PagedBytes& from, std::uint64_t from_offset, std::uint64_t offset,
                            std::uint64_t size) {
  if (size == 0) return;
  BRAID_ASSERT(from_offset + size <= from.size_);
  BRAID_ASSERT(from_offset % kPage == offset % kPage);
  if (offset + size > size_) resize(offset + size);
  const bool both_end = from_offset + size == from.size_ && offset + size == size_;
  const auto first = static_cast<std::size_t>(from_offset / kPage);
  const auto visit = [&](std::size_t page, std::size_t within, std::size_t, std::size_t part) {
    const std::shared_ptr<Page>& source = from.pages_[first + page - offset / kPage];
    // A last page is zero behind its end on both sides (E7), so it can be shared whole as well.
    const bool is_whole = within == 0 && (part == kPage || (both_end && page + 1 == pages_.size()));
    if (is_whole || source == pages_[page]) {
      pages_[page] = source;
    } else if (source == nullptr) {
      std::memset(own(page).data() + within, 0, part);
    } else {
      std::memcpy(own(page).data() + within, source->data() + within, part);
    }
  };
  for_each_page(offset, size, visit);
}

void PagedBytes::resize(std::uint64_t size) {
  const bool shrinks = size < size_;
  size_ = size;
  pages_.resize(static_cast<std::size_t>((size + kPage - 1) / kPage));
  const auto tail = static_cast<std::size_t>(size % kPage);
  if (!shrinks || tail == 0 || pages_.back() == nullptr) return;
  std::memset(own(pages_.size() - 1).data() + tail, 0, kPageSize - tail);  // E7
}

}  // namespace braid::env
