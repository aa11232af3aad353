// The tables whose rows have a form of their own: ranges, sources, agents, values.
#include <fmt/format.h>

#include "trace/chunk_model.h"
#include "trace/columns.h"
#include "trace/row_limits.h"
#include "trace/table_decoder.h"
#include "trace/trace.pb.h"

namespace replait {
namespace {

// Which position of at_ and last_copy_ belongs to which column.
enum At {
  kAtDim,
  kAtPermutation,
  kAtMask,
  kAtName,
  kAtPlace,
  kAtSend,
  kAtPhase,
  kAtThread,
  kAtCopy,
  kAtSource
};
enum LastCopy {
  kSourceKey,
  kSourceRange,
  kDestinationKey,
  kDestinationRange,
  kReceive,
  kSend,
};

constexpr std::uint32_t kIsCopy = 1;
constexpr std::uint32_t kHasSend = 2;
constexpr std::uint32_t kPipeline = 4;

std::uint64_t advance(std::int64_t& last, std::int64_t difference) {
  last = static_cast<std::int64_t>(static_cast<std::uint64_t>(last) +
                                   static_cast<std::uint64_t>(difference));
  return static_cast<std::uint64_t>(last);
}

}  // namespace

void TableDecoder::ranges(const RangeColumns& c) {
  const int rows = c.row_size();
  if (failed() || !number_rows(RowKind::kRange, rows, c.row().data()) ||
      !have(RowKind::kRange, rows, c.form()) ||
      !have(RowKind::kRange, c.start_size(), c.extent(), c.stride())) {
    return;
  }
  for (int i = 0; i < rows; ++i) {
    RangeRow row;
    if (!range(c, i, row)) return;
    const std::uint64_t bytes =
        sizeof row + row.dims.size() * sizeof(Dim) + row.permutation.size() * 4 + row.mask.size();
    enter(RowKind::kRange, to_index(tables_.range(row)), bytes);
    if (failed()) return;
  }
  if (at_[kAtDim] != c.start_size() || at_[kAtPermutation] != c.permutation_size() ||
      at_[kAtMask] != c.mask_size() || at_[kAtName] != c.window_name_size() ||
      at_[kAtPlace] != c.window_place_size()) {
    fail_columns(RowKind::kRange);
  }
}

bool TableDecoder::range(const RangeColumns& c, int i, RangeRow& row) {
  const std::uint32_t dimensions = c.form(i) >> 3;
  if (dimensions > kDimensionsMax) fail(fmt::format("range of {} dimensions", dimensions));
  if (failed()) return false;
  if (dimensions > starts_.size()) {
    starts_.resize(dimensions);
    extents_.resize(dimensions);
  }
  for (std::uint32_t d = 0; d < dimensions && !failed(); ++d) {
    int& at = at_[kAtDim];
    if (at >= c.start_size()) {
      fail_columns(RowKind::kRange);
      return false;
    }
    const std::uint64_t start = advance(starts_[d], c.start(at));
    const std::uint64_t extent = advance(extents_[d], c.extent(at));
    row.dims.push_back({.start = static_cast<std::int64_t>(start),
                        .stop = static_cast<std::int64_t>(start + extent),
                        .stride = static_cast<std::int64_t>(c.stride(at) >> 1),
                        .is_index = (c.stride(at) & 1) != 0});
    ++at;
  }
  if ((c.form(i) & 2) != 0) {
    const std::uint32_t places = take(c.permutation(), at_[kAtPermutation]);
    if (places == 0 || places > kDimensionsMax) {
      fail(fmt::format("permutation of {} dimensions", places));
    }
    for (std::uint32_t p = 0; p < places && !failed(); ++p) {
      row.permutation.push_back(take(c.permutation(), at_[kAtPermutation]));
    }
  }
  if ((c.form(i) & 1) != 0) {
    const std::string mask = take(c.mask(), at_[kAtMask]);
    if (mask.empty()) fail("empty mask");
    row.mask.assign(mask.begin(), mask.end());
  }
  if ((c.form(i) & 4) != 0) {
    row.window.emplace();
    row.window->name = text(take(c.window_name(), at_[kAtName]));
    for (std::vector<std::int64_t>* place : {&row.window->indices, &row.window->iteration}) {
      const std::int64_t numbers = take(c.window_place(), at_[kAtPlace]);
      if (numbers < 0 || numbers > std::int64_t{kDimensionsMax}) {
        fail(fmt::format("block of {} dimensions", numbers));
      }
      for (std::int64_t n = 0; n < numbers && !failed(); ++n) {
        place->push_back(take(c.window_place(), at_[kAtPlace]));
      }
    }
  }
  std::string problem = range_problem(row);
  if (!problem.empty()) fail(std::move(problem));
  return !failed();
}

void TableDecoder::sources(const SourceColumns& c) {
  const int rows = c.row_size();
  if (failed() || !number_rows(RowKind::kSource, rows, c.row().data()) ||
      !have(RowKind::kSource, rows, c.file(), c.line(), c.column(), c.function(), c.caller())) {
    return;
  }
  int at_text = 0;
  int at_hash = 0;
  std::int64_t line = 0;
  for (int i = 0; i < rows && !failed(); ++i) {
    const auto local = static_cast<std::uint32_t>(i) + first_local(RowKind::kSource);
    advance(line, c.line(i));
    if (line < 0 || line > std::int64_t{0xffffffff}) fail(fmt::format("source line {}", line));
    const SourceRow row{.file = text(c.file(i)),
                        .line = static_cast<std::uint32_t>(line),
                        .column = c.column(i),
                        .function = text(c.function(i)),
                        .caller = ref<SourceId>(RowKind::kSource, c.caller(i))};
    SourceText beside;
    if (is_new(RowKind::kSource, local)) {
      if (c.line_text_size() > 0) beside.line_text = text(take(c.line_text(), at_text));
      if (c.file_hash_xxh3_size() > 0) beside.file_hash = take(c.file_hash_xxh3(), at_hash);
    }
    if (failed()) return;
    const std::uint64_t bytes = sizeof row + row.file.size() + row.function.size() + sizeof beside +
                                beside.line_text.size();
    enter(RowKind::kSource, to_index(tables_.source(row, std::move(beside))), bytes);
  }
  if (at_text != c.line_text_size() || at_hash != c.file_hash_xxh3_size()) {
    fail_columns(RowKind::kSource);
  }
}

void TableDecoder::agents(const AgentColumns& c) {
  const int rows = c.row_size();
  if (failed() || !number_rows(RowKind::kAgent, rows, c.row().data()) ||
      !have(RowKind::kAgent, rows, c.form()) ||
      !have(RowKind::kAgent, c.launch_size(), c.device(), c.core()) ||
      !have(RowKind::kAgent, c.issuer_size(), c.issue(), c.source_key(), c.source_range(),
            c.destination_key(), c.destination_range(), c.receive_semaphore())) {
    return;
  }
  chunk_->next_phase.assign(static_cast<std::size_t>(rows), ChunkRows::kNoPhase);
  chunk_->issue_source.assign(static_cast<std::size_t>(rows), 0);
  next_issue_.assign(static_cast<std::size_t>(rows), 0);
  for (int i = 0; i < rows && !failed(); ++i) {
    const std::uint32_t form = c.form(i);
    if (form > (kIsCopy | kHasSend | kPipeline) || ((form & kIsCopy) == 0 && form != 0)) {
      fail(fmt::format("agent of form {}", form));
      return;
    }
    if ((form & kIsCopy) != 0) {
      copy(c, static_cast<std::uint32_t>(i), form);
      continue;
    }
    int& at = at_[kAtThread];
    if (at >= c.launch_size()) break;
    const auto launch = ref<LaunchId>(RowKind::kLaunch, c.launch(at));
    if (failed()) return;
    const AgentId id = tables_.thread(launch, c.device(at), c.core(at));
    ++at;
    enter(RowKind::kAgent, to_index(id), sizeof(AgentRow));
  }
  if (at_[kAtThread] != c.launch_size() || at_[kAtCopy] != c.issuer_size() ||
      at_[kAtSend] != c.send_semaphore_size() || at_[kAtPhase] != c.next_phase_size() ||
      at_[kAtSource] != c.issue_source_size()) {
    fail_columns(RowKind::kAgent);
  }
}

void TableDecoder::copy(const AgentColumns& c, std::uint32_t local, std::uint32_t form) {
  int& at = at_[kAtCopy];
  if (at >= c.issuer_size()) return fail_columns(RowKind::kAgent);
  const auto step = [this](LastCopy which, std::int32_t difference) {
    return last_copy_[which] += static_cast<std::uint32_t>(difference);
  };
  const auto issuer = ref<AgentId>(RowKind::kAgent, c.issuer(at));
  CopyRow row;
  row.source_key = ref<KeyId>(RowKind::kKey, step(kSourceKey, c.source_key(at)));
  row.source_range = ref<RangeId>(RowKind::kRange, step(kSourceRange, c.source_range(at)));
  row.destination_key = ref<KeyId>(RowKind::kKey, step(kDestinationKey, c.destination_key(at)));
  row.destination_range =
      ref<RangeId>(RowKind::kRange, step(kDestinationRange, c.destination_range(at)));
  row.receive_semaphore =
      ref<SemaphoreId>(RowKind::kSemaphore, step(kReceive, c.receive_semaphore(at)));
  if ((form & kHasSend) != 0) {
    const std::uint32_t send = step(kSend, take(c.send_semaphore(), at_[kAtSend]));
    row.send_semaphore = ref<SemaphoreId>(RowKind::kSemaphore, send);
  }
  row.pipeline = (form & kPipeline) != 0;
  if (failed()) return;
  if (tables_[issuer].is_copy()) return fail("a copy that a copy issued");
  std::uint64_t& next_issue = next_issue_[c.issuer(at)];
  const std::uint64_t issue = next_issue + static_cast<std::uint64_t>(c.issue(at));
  next_issue = issue + 1;
  ++at;
  if (!is_new(RowKind::kAgent, local)) {
    const std::uint32_t phase = take(c.next_phase(), at_[kAtPhase]);
    if (phase > static_cast<std::uint32_t>(CopyPhase::kSignalReceive)) {
      return fail(fmt::format("copy in phase {}", phase));
    }
    const std::uint32_t source = take(c.issue_source(), at_[kAtSource]);
    ref_index(RowKind::kSource, source);  // Must exist.
    chunk_->next_phase[local] = static_cast<std::uint8_t>(phase);
    chunk_->issue_source[local] = source;
  }
  const AgentId id = tables_.copy(issuer, issue, row);
  if (tables_[id].copy != row) return fail("one copy with two rows");
  enter(RowKind::kAgent, to_index(id), sizeof(AgentRow));
}

void TableDecoder::values(const ValueColumns& c) {
  const int rows = c.row_size();
  if (failed() || !number_rows(RowKind::kValue, rows, c.row().data()) ||
      !have(RowKind::kValue, rows, c.hash_low_xxh3())) {
    return;
  }
  if (c.hash_high_xxh3_size() > 0 && !have(RowKind::kValue, rows, c.hash_high_xxh3())) return;
  for (int i = 0; i < rows && !failed(); ++i) {
    const auto local = static_cast<std::uint32_t>(i) + first_local(RowKind::kValue);
    ValueRow row;
    row.hash = {c.hash_low_xxh3(i), c.hash_high_xxh3_size() > 0 ? c.hash_high_xxh3(i) : 0};
    if (row.hash[1] != 0 && is_new(RowKind::kValue, local)) {
      const auto blob = file_.blobs.find(row.hash);
      if (blob == file_.blobs.end()) return fail("a value whose bytes are not in the file");
      row.bytes = std::move(blob->second);
      file_.blobs.erase(blob);
    }
    enter(RowKind::kValue, to_index(tables_.value(std::move(row))), sizeof row);
  }
}

}  // namespace replait
