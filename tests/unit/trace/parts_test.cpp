// The codec's small parts: hashes, element types, ranks, ops as numbers, wire forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/rng.h"
#include "trace/chunk_model.h"
#include "trace/columns.h"
#include "trace/dtype.h"
#include "trace/hash.h"
#include "trace/in_flight.h"
#include "trace/op_fields.h"
#include "trace/row_limits.h"
#include "trace/seek_table.h"
#include "trace/trace.pb.h"
#include "trace/trace_writer.h"
#include "trace/wire_ops.h"

namespace replait {
namespace {

// Known answers of XXH3 [xxHash's own test vectors].
TEST(Hash, IsXxh3) {
  EXPECT_EQ(hash64(std::string_view()), 0x2d06800538d394c2u);
  const std::array<std::uint64_t, 2> empty = hash128({});
  EXPECT_EQ(empty[0], 0x6001c324468d497fu);
  EXPECT_EQ(empty[1], 0x99aa06d3014798d8u);
}

TEST(Hasher, GivesTheHashOfTheStream) {
  Hasher hasher;
  hasher.add(0x0102030405060708u);
  hasher.add("ab");
  std::string stream("\x08\x07\x06\x05\x04\x03\x02\x01\x02\0\0\0\0\0\0\0ab", 18);
  EXPECT_EQ(hasher.digest64(), hash64(stream));
  EXPECT_EQ(hasher.digest128(), hash128(std::as_bytes(std::span(stream.data(), stream.size()))));
}

TEST(Hasher, ValueHashTellsDtypeAndShapeApart) {
  const std::vector<std::byte> bytes(8);
  const std::vector<std::int64_t> flat = {8};
  const std::vector<std::int64_t> square = {2, 4};
  EXPECT_EQ(value_hash(DType::kU8, flat, bytes), value_hash(DType::kU8, flat, bytes));
  EXPECT_NE(value_hash(DType::kU8, flat, bytes), value_hash(DType::kI8, flat, bytes));
  EXPECT_NE(value_hash(DType::kU8, flat, bytes), value_hash(DType::kU8, square, bytes));
}

TEST(DType, NamesReadBack) {
  for (unsigned i = 0; i <= static_cast<unsigned>(kLastDType); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(dtype_name(dtype)), dtype);
    EXPECT_EQ(parse_dtype(short_name(dtype)), dtype);
    EXPECT_GE(item_bytes(dtype), 1u);
  }
  EXPECT_EQ(dtype_name(DType::kBF16), "bfloat16");
  EXPECT_EQ(short_name(DType::kF8E4M3FN), "f8_e4m3fn");
  EXPECT_EQ(item_bytes(DType::kI4), 1u);
  EXPECT_EQ(item_bytes(DType::kC128), 16u);
  EXPECT_EQ(parse_dtype("float31"), std::nullopt);
}

TEST(RunId, PrintsHighHalfFirst) {
  EXPECT_EQ(to_string(RunId{0x1, 0xab}), "00000000000000ab0000000000000001");
}

TEST(InFlight, RanksLikeASortedList) {
  Rng rng(1);
  for (const std::size_t copies : {1u, 2u, 7u, 64u, 100u}) {
    InFlight in_flight(copies);
    std::vector<std::size_t> sorted;
    std::size_t next = 0;
    while (next < copies || !sorted.empty()) {
      if (next < copies && rng.below(2) == 0) {
        in_flight.insert(next);
        sorted.push_back(next++);
      } else if (!sorted.empty()) {
        const std::size_t rank = rng.below(sorted.size());
        ASSERT_EQ(in_flight.at(rank), sorted[rank]);
        ASSERT_EQ(in_flight.rank(sorted[rank]), rank);
        in_flight.erase(sorted[rank]);
        sorted.erase(sorted.begin() + static_cast<std::ptrdiff_t>(rank));
      }
      ASSERT_EQ(in_flight.count(), sorted.size());
    }
  }
}

TEST(Columns, ZigzagKeepsSmallNumbersSmallAndAllNumbers) {
  EXPECT_EQ(zigzag(0), 0u);
  EXPECT_EQ(zigzag(-1), 1u);
  EXPECT_EQ(zigzag(1), 2u);
  for (const std::int64_t n :
       {std::int64_t{0}, std::int64_t{-5}, std::int64_t{1} << 62,
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(unzigzag(zigzag(n)), n);
  }
}

TEST(Columns, AreWhatTheGeneratedCodeWrites) {
  Column column;
  ScheduleColumns expected;
  for (const std::uint64_t n : {0u, 1u, 127u, 128u, 300u, 0xffffffffu}) {
    column.put(n);
    expected.add_step(static_cast<std::uint32_t>(n));
  }
  std::string written;
  column.append_to(written, ScheduleColumns::kStepFieldNumber);
  EXPECT_EQ(written, expected.SerializeAsString());
}

// One op of each kind, with operands that differ.
std::vector<Op> all_ops() {
  return {Enter{},
          Exit{},
          GridStep{ShapeId{1}},
          Allocate{KeyId{1}, BufferId{2}, ValueId{3}},
          Free{KeyId{1}},
          Read{KeyId{1}, RangeId{2}, Proxy::kAsync},
          Write{KeyId{1}, RangeId{2}, ValueId{3}, Proxy::kGeneric},
          Swap{KeyId{1}, RangeId{2}, ValueId{3}, Proxy::kAsync},
          CreateSemaphore{SemaphoreId{1}},
          Signal{SemaphoreId{1}, 9},
          Wait{SemaphoreId{1}, 9},
          ReadCount{SemaphoreId{1}},
          IssueCopy{AgentId{1}},
          CopyStep{CopyPhase::kPartialReceive, ValueId{3}, 9},
          Arrive{BarrierId{1}},
          AwaitBarrier{BarrierId{1}, 9},
          CheckSemaphores{},
          Refuse{RefusedOp::kCollectiveRunScoped},
          Raise{},
          Choose{9},
          Yield{}};
}

TEST(OpFields, EveryOpReadsBack) {
  const std::vector<Op> ops = all_ops();
  ASSERT_EQ(ops.size(), kOps);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const OpFields fields = fields_of(ops[i]);
    ASSERT_EQ(fields.op, i);
    const OpSchema& schema = kOpSchemas[i];
    EXPECT_EQ(fields.first, schema.first ? 1u : 0u) << i;
    EXPECT_EQ(fields.second, schema.second ? 2u : 0u) << i;
    EXPECT_EQ(fields.value, schema.value ? 3u : 0u) << i;
    EXPECT_EQ(fields.number, schema.number ? 9u : 0u) << i;
    const OpFields again = fields_of(op_of(fields));
    EXPECT_EQ(again.op, fields.op);
    EXPECT_EQ(again.detail, fields.detail);
    EXPECT_EQ(again.first, fields.first);
    EXPECT_EQ(again.second, fields.second);
    EXPECT_EQ(again.value, fields.value);
    EXPECT_EQ(again.number, fields.number);
  }
}

// Ops have the codes that trace.proto names.
TEST(WireOps, CodesAreThoseOfTheSchema) {
  EXPECT_EQ(wire_op(op_index<Enter>(), 0), OP_ENTER);
  EXPECT_EQ(wire_op(op_index<Allocate>(), 0), OP_ALLOCATE);
  EXPECT_EQ(wire_op(op_index<Signal>(), 0), OP_SIGNAL);
  EXPECT_EQ(wire_op(op_index<CopyStep>(), 0), OP_COPY_STEP);
  EXPECT_EQ(wire_op(op_index<CheckSemaphores>(), 0), OP_CHECK_SEMAPHORES);
  EXPECT_EQ(wire_op(op_index<Yield>(), 0), OP_YIELD);
  const auto async = static_cast<std::uint8_t>(Proxy::kAsync);
  EXPECT_EQ(wire_op(op_index<Read>(), async), OP_READ_ASYNC);
  EXPECT_EQ(wire_op(op_index<Swap>(), async), OP_SWAP_ASYNC);
  for (int code = 0; code < 64; ++code) {
    const auto op = thread_op(static_cast<std::uint8_t>(code));
    EXPECT_EQ(op.has_value(), OpCode_IsValid(code) && code != OP_COPY_STEP) << code;
    EXPECT_TRUE(!op || wire_op(op->op, op->detail) == code) << code;
  }
}

TEST(SeekTable, ReadsBackAndRefusesWhatIsWrong) {
  const std::vector<FrameWriter::Frame> frames = {{10, 100}, {20, 200}};
  const std::string table = encode_seek_table(frames);
  EXPECT_EQ(seek_table_bytes(table.substr(table.size() - kSeekFooterBytes)), table.size());
  const auto decoded = decode_seek_table(table);
  ASSERT_TRUE(decoded);
  ASSERT_EQ(decoded->size(), 2u);
  EXPECT_EQ((*decoded)[1].compressed_bytes, 20u);
  EXPECT_EQ((*decoded)[1].content_bytes, 200u);
  EXPECT_FALSE(decode_seek_table(table.substr(1)));
  EXPECT_FALSE(decode_seek_table(table + "x"));
  std::string reserved = table;
  reserved[reserved.size() - 5] = 1;
  EXPECT_FALSE(decode_seek_table(reserved));
}

TEST(RowLimits, NameWhatIsWrong) {
  const auto problem = [](Dim dim) {
    RangeRow row;
    row.dims = {dim};
    return range_problem(row);
  };
  EXPECT_EQ(problem({.start = -1, .stop = kSizeMax, .stride = kSizeMax}), "");
  EXPECT_EQ(problem({.start = 0, .stop = 1, .stride = 0}), "range with stride 0");
  EXPECT_EQ(problem({.start = 0, .stop = kSizeMax + 1}),
            "range 0:1152921504606846977:1 beyond 2^60");
  EXPECT_EQ(problem({.start = 2, .stop = 4, .stride = 1, .is_index = true}),
            "integer index that is 2:4:1");
  RangeRow row;
  row.permutation = {0, 0};
  EXPECT_EQ(range_problem(row), "permutation that names dimension 0 twice or out of range");
  Tables tables;
  BufferRow buffer;
  buffer.dtype = DType::kF32;
  buffer.content_shape = tables.shape(std::vector<std::int64_t>{1 << 30, 1 << 30});
  buffer.logical_shape = tables.shape(std::vector<std::int64_t>{0, 1 << 30, 1 << 30, 1 << 30});
  EXPECT_EQ(buffer_problem(tables, buffer), "buffer of more than 2^60 bytes");
  buffer.content_shape = buffer.logical_shape;
  EXPECT_EQ(buffer_problem(tables, buffer), "");
}

TEST(ChunkModel, PhasesFollowOneAnother) {
  EXPECT_EQ(phase_after(CopyPhase::kReadSource, true), CopyPhase::kSignalSend);
  EXPECT_EQ(phase_after(CopyPhase::kReadSource, false), CopyPhase::kWriteDestination);
  EXPECT_EQ(phase_after(CopyPhase::kSignalReceive, true), std::nullopt);
  EXPECT_EQ(natural_length(CopyPhase::kReadSource, true, true), 2u);
  EXPECT_EQ(natural_length(CopyPhase::kReadSource, false, true), 1u);
  EXPECT_EQ(natural_length(CopyPhase::kWriteDestination, false, true), 2u);
  EXPECT_EQ(natural_length(CopyPhase::kWriteDestination, false, false), 1u);
}

}  // namespace
}  // namespace replait
