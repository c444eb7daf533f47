// SPDX-License-Identifier: Apache-2.0
#include "table/fragment.h"

#include <algorithm>
#include <map>

#include "env/manual.h"
#include "table/fragment_columns.h"
#include "table/table_fixture.h"

namespace braid::table {
namespace {

namespace arrow = columnar::arrow;

constexpr std::string_view kAllTypes = R"(
node Thing {
  text: String?
  blob: Blob?
  yes: Bool?
  small: I32?
  large: I64?
  count: U32?
  total: U64?
  ratio: F32?
  exact: F64?
  day: Date?
  at: DateTime?
  names: [String]?
  days: [Date]?
  mood: enum(calm, wild)?
  place: Vector(3)?
}
)";

const schema::RecordType& person_type() { return *test_schema()->node_type("Person"); }
const schema::RecordType& knows_type() { return *test_schema()->edge_type("Knows"); }

struct Written {
  std::string bytes;
  FragmentSummary summary;
};

Written write(const std::vector<FragmentRow>& rows, const schema::RecordType& type,
              bool is_edge = false, const FragmentOptions& options = {}) {
  arrow::StringSink sink;
  auto writer = FragmentWriter::begin(sink, type, is_edge, options);
  EXPECT_TRUE(writer.ok()) << to_string(writer.error());
  for (const FragmentRow& row : rows) EXPECT_TRUE((*writer)->append(row).ok());
  auto summary = (*writer)->finish();
  EXPECT_TRUE(summary.ok()) << to_string(summary.error());
  return {std::move(sink).take(), *summary};
}

Result<std::shared_ptr<const Fragment>> open(const std::string& bytes,
                                             const schema::RecordType& type, bool is_edge = false) {
  const arrow::Buffer copy = arrow::Buffer::copy_of(bytes);
  // The tests keep their types.
  const std::shared_ptr<const schema::RecordType> borrowed(std::shared_ptr<const void>(), &type);
  return Fragment::open(copy.bytes(), copy.owner(), borrowed, is_edge);
}

FragmentRow person(std::string_view email, std::int32_t age) {
  FragmentRow row;
  row.row = person_row(email);
  row.row.values[kAgeAt] = age;
  return row;
}

std::vector<FragmentRow> persons(const std::vector<std::string>& ids) {
  std::vector<FragmentRow> rows;
  for (const std::string& id : ids) {
    rows.push_back(person(id, static_cast<std::int32_t>(rows.size())));
  }
  return rows;
}

std::vector<FragmentRow> scanned(const std::shared_ptr<const Fragment>& fragment,
                                 std::string_view from = "") {
  std::vector<FragmentRow> rows;
  FragmentCursor cursor(fragment);
  EXPECT_TRUE(cursor.seek(from).ok());
  while (cursor.valid()) {
    auto row = cursor.row();
    EXPECT_TRUE(row.ok());
    EXPECT_EQ(cursor.id(), row->row.id);
    EXPECT_EQ(*cursor.stamp(), row->stamp);
    rows.push_back(*std::move(row));
    EXPECT_TRUE(cursor.next().ok());
  }
  return rows;
}

template <class T>
std::string code(const Result<T>& result) {
  return result.ok() ? "ok" : std::string(name_of(result.error().code()));
}

// Written with the columns of a fragment, but not by its writer.
std::string raw_file(const std::vector<std::string>& ids, const arrow::Metadata& metadata) {
  arrow::StringSink sink;
  const auto schema = std::make_shared<const arrow::Schema>(
      fragment_schema(*test_schema()->node_type("Doc"), false, {}));
  auto writer = *arrow::IpcWriter::begin(sink, schema);
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders;
  for (const arrow::Field& field : schema->fields) {
    builders.push_back(arrow::make_builder(field.type));
  }
  for (const std::string& id : ids) {
    for (const auto& builder : builders) {
      EXPECT_TRUE(static_cast<arrow::BytesBuilder&>(*builder).append(id).ok());
    }
  }
  std::vector<arrow::ArrayPointer> columns;
  for (const auto& builder : builders) columns.push_back(builder->finish());
  EXPECT_TRUE(
      writer->append(*arrow::RecordBatch::make(schema, ids.size(), std::move(columns))).ok());
  EXPECT_TRUE(writer->finish(metadata).ok());
  return std::move(sink).take();
}

arrow::Metadata footer(std::string format, std::string rows) {
  return {{std::string(kFragmentFormatKey), std::move(format)},
          {std::string(kFragmentRowsKey), std::move(rows)}};
}

// T8 T9
TEST(Fragment, RowsReadBackByIdAndInOrderWhateverTheBatches) {
  const std::vector<std::string> ids = {"",  "a", std::string("a\0", 2), "ab", "b",
                                        "z", "ä", "\xf0\x9f\x90\x9f"};
  const std::vector<FragmentRow> rows = persons(ids);
  for (const std::size_t batch_rows : {1U, 2U, 3U, 7U, 8U, 100U}) {
    const Written written = write(rows, person_type(), false, {.batch_rows = batch_rows});
    const auto fragment = open(written.bytes, person_type());
    ASSERT_TRUE(fragment.ok()) << to_string(fragment.error());

    EXPECT_EQ((*fragment)->batch_count(), (ids.size() + batch_rows - 1) / batch_rows);
    EXPECT_EQ((*fragment)->rows(), ids.size());
    EXPECT_EQ(written.summary, (FragmentSummary{ids.size(), ids.front(), ids.back()}));
    EXPECT_EQ(scanned(*fragment), rows);
    for (const FragmentRow& row : rows) {
      const auto place = (*fragment)->find(row.row.id);
      ASSERT_TRUE(place.ok() && place->has_value()) << row.row.id;
      EXPECT_EQ(*(*fragment)->read(**place), row);
    }
    EXPECT_TRUE((*fragment)->check().ok());
  }
}

// T9
TEST(Fragment, IdsThatAreNotThereAreNotFound) {
  const std::vector<FragmentRow> rows = persons({"b", "d", "f"});
  for (const std::size_t batch_rows : {1U, 2U, 3U}) {
    const Written written = write(rows, person_type(), false, {.batch_rows = batch_rows});
    const auto fragment = *open(written.bytes, person_type());
    for (const std::string_view id : {"", "a", "bb", "c", "d ", "e", "g"}) {
      const auto place = fragment->find(id);
      ASSERT_TRUE(place.ok());
      EXPECT_FALSE(place->has_value()) << id;
    }
  }
}

TEST(Fragment, CursorBeginsAtTheFirstIdThatIsNotBelow) {
  const std::vector<FragmentRow> rows = persons({"b", "d", "f"});
  for (const std::size_t batch_rows : {1U, 2U, 3U}) {
    const Written written = write(rows, person_type(), false, {.batch_rows = batch_rows});
    const auto fragment = *open(written.bytes, person_type());
    EXPECT_EQ(scanned(fragment, "a").size(), 3U);
    EXPECT_EQ(scanned(fragment, "b").size(), 3U);
    EXPECT_EQ(scanned(fragment, "c").size(), 2U);
    EXPECT_EQ(scanned(fragment, "f").size(), 1U);
    EXPECT_EQ(scanned(fragment, "g").size(), 0U);
  }
}

TEST(Fragment, EdgesKeepTheirEnds) {
  std::vector<FragmentRow> rows(2);
  rows[0].row = {"a-b", "a", "b", {Date{7}}};
  rows[1].row = {"b-a", "b", "a", {Value()}};
  const Written written = write(rows, knows_type(), true);
  EXPECT_EQ(scanned(*open(written.bytes, knows_type(), true)), rows);
}

TEST(Fragment, RowsMayReplaceOthersAndCarryStamps) {
  std::vector<FragmentRow> rows = persons({"a", "b"});
  rows[0].previous = Position{5};
  rows[0].stamp = Position{9};
  rows[1].stamp = Position{UINT64_MAX};
  const Written written =
      write(rows, person_type(), false, {.with_previous = true, .with_stamps = true});
  EXPECT_EQ(scanned(*open(written.bytes, person_type())), rows);
}

TEST(Fragment, EveryTypeAtItsLimitsReadsBack) {
  const auto catalog = *schema::make_catalog(kAllTypes);
  const schema::RecordType& type = *catalog.schema().node_type("Thing");
  const std::vector<std::vector<Value>> columns = {
      {"", "text", std::string("\0x", 2)},
      {Blob{""}, Blob{std::string("\xff\0", 2)}},
      {true, false},
      {INT32_MIN, INT32_MAX},
      {INT64_MIN, INT64_MAX},
      {std::uint32_t{0}, UINT32_MAX},
      {std::uint64_t{0}, UINT64_MAX},
      {-0.0F, 3.4028235e38F},
      {-0.0, 5e-324},
      {Date{-719'162}, Date{2'932'896}},
      {DateTime{-62'135'596'800'000}, DateTime{253'402'300'799'999}},
      {Value::List{}, Value::List{"a", ""}},
      {Value::List{Date{1}}, Value::List{}},
      {"calm", "wild"},
      {Value::Vector{1, -0.0F, 3}, Value::Vector{0, 0, 0}},
  };
  ASSERT_EQ(columns.size(), type.properties.size());
  env::Xoshiro256 chance(3);
  std::vector<FragmentRow> rows;
  for (int i = 0; i < 200; ++i) {
    FragmentRow row;
    row.row.id = std::to_string(1000 + i);
    for (const auto& values : columns) {
      const std::uint64_t pick = chance.below(values.size() + 1);
      row.row.values.push_back(pick == values.size() ? Value() : values[pick]);
    }
    rows.push_back(std::move(row));
  }
  for (const auto compression :
       {arrow::Compression::none, arrow::Compression::lz4_frame, arrow::Compression::zstd}) {
    const Written written =
        write(rows, type, false, {.batch_rows = 64, .compression = compression});
    const auto fragment = open(written.bytes, type);
    ASSERT_TRUE(fragment.ok()) << to_string(fragment.error());
    EXPECT_EQ(scanned(*fragment), rows);
    EXPECT_TRUE((*fragment)->check().ok());
  }
}

TEST(Fragment, BatchEndsWithItsBytesToo) {
  std::vector<FragmentRow> rows = persons({"a", "b", "c"});
  for (FragmentRow& row : rows) row.row.values[kCodeAt] = std::string(100'000, 'x');
  const Written written = write(rows, person_type(), false, {.batch_bytes = 150'000});
  const auto fragment = *open(written.bytes, person_type());
  EXPECT_GT(fragment->batch_count(), 1U);
  EXPECT_EQ(scanned(fragment), rows);
}

TEST(Fragment, IsReadUnderALaterSchemaByTheIdentityOfProperties) {
  const std::vector<FragmentRow> rows = persons({"a"});
  const Written written = write(rows, person_type());
  const auto* now = test_schema()->node_type("Person");
  schema::NodeType later = *now;
  later.properties.erase(later.properties.begin() + kCodeAt);  // dropped
  later.properties[kAgeAt].name = "years";                     // renamed
  schema::Property added = later.properties[kAgeAt];
  added.id = PropertyId{900};
  added.name = "age";  // another property under the old name
  later.properties.insert(later.properties.begin(), added);
  later.rebuild_lookups();

  const auto read = scanned(*open(written.bytes, later));

  ASSERT_EQ(read.size(), 1U);
  EXPECT_TRUE(read[0].row.values[0].is_null());
  EXPECT_EQ(read[0].row.values[1], rows[0].row.values[kEmailAt]);
  EXPECT_EQ(read[0].row.values[2], rows[0].row.values[kAgeAt]);
}

// T14
TEST(Fragment, OfBeforeThereWereChecksumsIsStillRead) {
  const schema::RecordType& doc = *test_schema()->node_type("Doc");
  const auto fragment = *open(raw_file({"a", "b"}, footer("1", "2")), doc);
  EXPECT_TRUE((*fragment->find("b")).has_value());
  EXPECT_EQ(scanned(fragment).size(), 2U);
}

// T14: whichever bit of the file is flipped, no id goes missing, and no edge gets another end.
TEST(Fragment, OneFlippedBitHidesNoRowAndMovesNoEdge) {
  std::vector<FragmentRow> rows(3);
  rows[0].row = {"a-b", "a", "b", {Date{7}}};
  rows[1].row = {"b-a", "b", "a", {Value()}};
  rows[2].row = {"c-a", "c", "a", {Date{8}}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].previous = Position{i};
    rows[i].stamp = Position{i + 4};
  }
  const FragmentOptions options{.batch_rows = 2, .with_previous = true, .with_stamps = true};
  const Written written = write(rows, knows_type(), true, options);
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < written.bytes.size() * 8; bit += 3) {
    std::string bytes = written.bytes;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    const auto fragment = open(bytes, knows_type(), true);
    if (!fragment || (*fragment)->rows() != written.summary.rows) continue;  // its pin tells
    for (const FragmentRow& row : rows) {
      const auto place = (*fragment)->find(row.row.id);
      if (!place) {
        ++refused;
        continue;
      }
      ASSERT_TRUE(place->has_value()) << bit;
      const auto read = (*fragment)->read(**place);
      if (!read) continue;
      EXPECT_EQ(read->row.src + read->row.dst, row.row.src + row.row.dst) << bit;
      EXPECT_EQ(read->previous, row.previous) << bit;
      EXPECT_EQ(read->stamp, row.stamp) << bit;
    }
  }
  EXPECT_GT(refused, 500U);
}

// ---- what is not a fragment ---------------------------------------------------------------------

TEST(BadFragment, OfAnotherTableOrKindIsCorrupt) {
  const Written person = write(persons({"a"}), person_type());
  EXPECT_EQ(code(open(person.bytes, *test_schema()->node_type("Doc"))), "corrupt");
  EXPECT_EQ(code(open(person.bytes, knows_type(), true)), "corrupt");
}

TEST(BadFragment, WhosePropertyHasAnotherTypeIsCorrupt) {
  const Written written = write(persons({"a"}), person_type());
  schema::NodeType other = *test_schema()->node_type("Person");
  other.properties[kAgeAt].type = other.properties[kBadgeAt].type;
  EXPECT_EQ(code(open(written.bytes, other)), "corrupt");
}

TEST(BadFragment, CutAnywhereIsCorruptOrNeverReadsOutside) {
  const Written written = write(persons({"a", "b", "c"}), person_type(), false, {.batch_rows = 2});
  for (std::size_t size = 0; size < written.bytes.size(); ++size) {
    EXPECT_EQ(code(open(written.bytes.substr(0, size), person_type())), "corrupt") << size;
  }
}

TEST(BadFragment, OneFlippedBitIsCorruptOrGivesRowsButNeverReadsOutside) {
  const Written written = write(persons({"a", "b", "c"}), person_type(), false, {.batch_rows = 2});
  std::size_t refused = 0;
  for (std::size_t at = 0; at < written.bytes.size(); ++at) {
    std::string bytes = written.bytes;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    const auto fragment = open(bytes, person_type());
    if (!fragment || !(*fragment)->check()) {
      ++refused;
      continue;
    }
    static_cast<void>((*fragment)->find("b"));
    scanned(*fragment);
  }
  EXPECT_GT(refused, written.bytes.size() / 4);
}

// One row of a Doc, and these columns behind it.
std::string file_with(const std::vector<std::pair<arrow::Field, arrow::ArrayPointer>>& more) {
  arrow::Schema fields = fragment_schema(*test_schema()->node_type("Doc"), false, {});
  std::vector<arrow::ArrayPointer> columns;
  for (const arrow::Field& field : fields.fields) {
    const auto builder = arrow::make_builder(field.type);
    EXPECT_TRUE(static_cast<arrow::BytesBuilder&>(*builder).append("a").ok());
    columns.push_back(builder->finish());
  }
  for (const auto& [field, column] : more) {
    fields.fields.push_back(field);
    columns.push_back(column);
  }
  arrow::StringSink sink;
  const auto schema = std::make_shared<const arrow::Schema>(std::move(fields));
  auto writer = *arrow::IpcWriter::begin(sink, schema);
  EXPECT_TRUE(writer->append(*arrow::RecordBatch::make(schema, 1, std::move(columns))).ok());
  EXPECT_TRUE(writer->finish(footer("1", "1")).ok());
  return std::move(sink).take();
}

// One row, 7.
arrow::ArrayPointer sevens(arrow::TypeId type = arrow::TypeId::u64) {
  const std::string seven("\7\0\0\0\0\0\0\0", 8);
  return *arrow::Array::make({.type = type, .length = 1, .values = arrow::Buffer::copy_of(seven)});
}

// One row, entry 0, which is 7.
arrow::ArrayPointer seven_by_number(arrow::TypeId index) {
  return *arrow::Array::make({.type = arrow::DataType::dictionary(index, arrow::TypeId::u64),
                              .length = 1,
                              .values = arrow::Buffer::copy_of(std::string(8, '\0')),
                              .child = sevens()});
}

TEST(BadFragment, WhosePositionsAreNotPlainNumbersIsCorrupt) {
  const schema::RecordType& doc = *test_schema()->node_type("Doc");
  for (const std::string_view name : {kPreviousField, kStampField}) {
    const auto column = [&](const arrow::ArrayPointer& array, bool nullable = false) {
      const arrow::Field field{
          .name = std::string(name), .type = array->type(), .nullable = nullable};
      return std::pair(field, array);
    };
    const auto good = open(file_with({column(sevens())}), doc);
    ASSERT_TRUE(good.ok()) << to_string(good.error());
    const FragmentRow row = scanned(*good).at(0);
    EXPECT_EQ(name == kStampField ? row.stamp : row.previous, Position{7});
    for (const auto& columns :
         std::vector<std::vector<std::pair<arrow::Field, arrow::ArrayPointer>>>{
             {column(sevens(), true)},
             {column(sevens(arrow::TypeId::i64))},
             {column(seven_by_number(arrow::TypeId::u64))},
             {column(seven_by_number(arrow::TypeId::i32))},
             {column(sevens()), column(sevens())}}) {
      EXPECT_EQ(code(open(file_with(columns), doc)), "corrupt")
          << to_string(columns.back().first.type) << columns.size();
    }
  }
}

TEST(BadFragment, FooterMustSayWhatItIs) {
  const schema::RecordType& doc = *test_schema()->node_type("Doc");
  EXPECT_EQ(code(open(raw_file({"a"}, footer("1", "1")), doc)), "ok");
  EXPECT_EQ(code(open(raw_file({"a"}, {}), doc)), "corrupt");
  EXPECT_EQ(code(open(raw_file({"a"}, footer("2", "1")), doc)), "format_mismatch");
  for (const char* rows : {"", "0", "-1", "1x", "18446744073709551616"}) {
    EXPECT_EQ(code(open(raw_file({"a"}, footer("1", rows)), doc)), "corrupt") << rows;
  }
}

// T8
TEST(BadFragment, IdsThatDoNotAscendAreFoundByTheCheck) {
  const schema::RecordType& doc = *test_schema()->node_type("Doc");
  for (const auto& ids : {std::vector<std::string>{"b", "a"}, {"a", "a"}, {"a", "c", "b"}}) {
    const auto fragment = open(raw_file(ids, footer("1", std::to_string(ids.size()))), doc);
    ASSERT_TRUE(fragment.ok());
    EXPECT_EQ(code((*fragment)->check()), "corrupt");
  }
  const auto more = open(raw_file({"a", "b"}, footer("1", "3")), doc);
  EXPECT_EQ(code((*more)->check()), "corrupt");
}

}  // namespace
}  // namespace braid::table
