// SPDX-License-Identifier: Apache-2.0
// Which column of a fragment is what (docs/formats/fragments.md). Within table only.
#pragma once

#include <cstddef>
#include <string_view>

#include "columnar/arrow/data_type.h"
#include "schema/schema.h"
#include "table/fragment.h"

namespace braid::table {

inline constexpr std::size_t kIdColumn = 0;
inline constexpr std::size_t kSourceColumn = 1;  // of edges
inline constexpr std::size_t kTargetColumn = 2;
/// How many columns stand before the first property.
constexpr std::size_t leading_columns(bool is_edge) { return is_edge ? 3 : 1; }

inline constexpr std::string_view kPreviousField = "_previous";
inline constexpr std::string_view kStampField = "_stamp";

/// Metadata of the footer.
inline constexpr std::string_view kFragmentFormatKey = "braid.fragment";
inline constexpr std::string_view kFragmentFormat = "1";
inline constexpr std::string_view kFragmentRowsKey = "braid.rows";
inline constexpr std::string_view kFragmentSumsKey = "braid.sums";

columnar::arrow::Schema fragment_schema(const schema::RecordType& type, bool is_edge,
                                        const FragmentOptions& options);

}  // namespace braid::table
