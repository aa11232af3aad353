#include "random_execution.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/rng.h"
#include "trace/chunk_model.h"
#include "trace/hash.h"

namespace replait::test {
namespace {

class Generator {
 public:
  Generator(const RandomOptions& options, Execution& execution)
      : options_(options), rng_(options.seed), out_(execution), tables_(*execution.tables) {}

  void run();

 private:
  struct CopyState {
    AgentId agent{};
    SourceId source{};
    CopyPhase next = CopyPhase::kReadSource;
    ValueId value{};
  };

  std::uint64_t below(std::uint64_t bound) { return rng_.below(bound); }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
  std::string word(const char* stem, std::uint64_t kinds) {
    return fmt::format("{}{}", stem, below(kinds));
  }

  void make_header();
  void make_launches();
  ShapeId shape();
  KeyId key();
  BufferId buffer();
  RangeId range();
  SemaphoreId semaphore();
  BarrierId barrier();
  SourceId source();
  ValueId value();
  ErrorId error();
  AgentId issue(AgentId thread, SourceId source);
  Op op(AgentId thread, SourceId source);
  Op access();
  Outcome outcome(const Op& op);
  void copy_step();
  void put(AgentId agent, SourceId source, const Op& op, const Outcome& outcome);

  const RandomOptions& options_;
  Rng rng_;
  Execution& out_;
  Tables& tables_;
  std::vector<LaunchId> launches_;
  std::vector<AgentId> threads_;
  std::vector<std::uint64_t> issued_;  // By thread.
  std::vector<CopyState> copies_;
};

void Generator::make_header() {
  out_.header.scheduler = "random";
  out_.header.seed = options_.seed;
  out_.header.program = "random_execution";
  out_.header.program_hash = hash64(std::string_view("random_execution"));
  out_.header.inputs_hash = below(2) * 77;
  out_.header.jax_version = "0.12.0.1";
  out_.header.values = options_.values;
  out_.header.options = {{"scale", "3"}, {"name", "a b"}};
}

void Generator::make_launches() {
  for (std::uint32_t i = 0; i < options_.launches; ++i) {
    LaunchRow row;
    row.number = i;
    row.kernel = word("kernel", 2);
    row.source = source();
    row.devices = options_.threads;
    row.cores_per_device = 2;
    row.gated = i % 2 == 0;
    row.out_of_bounds_reads_raise = chance(2);
    row.uninitialized_nan = chance(2);
    row.eager_copies = chance(2);
    row.vector_clock_size = static_cast<std::uint32_t>(below(3));
    launches_.push_back(tables_.add_launch(row));
    for (std::uint32_t t = 0; t < options_.threads; ++t) {
      threads_.push_back(tables_.thread(launches_.back(), t, static_cast<std::uint32_t>(below(2))));
    }
  }
  issued_.resize(threads_.size());
}

ShapeId Generator::shape() {
  std::vector<std::int64_t> dims(below(4));
  for (std::int64_t& dim : dims) dim = static_cast<std::int64_t>(below(5));
  return tables_.shape(dims);
}

KeyId Generator::key() {
  return tables_.key({.launch = launches_[below(launches_.size())],
                      .space = word("space", 3),
                      .buffer = 100 + static_cast<std::int64_t>(below(4)),
                      .device = static_cast<std::uint32_t>(below(2)),
                      .core = static_cast<std::uint32_t>(below(2))});
}

BufferId Generator::buffer() {
  BufferRow row;
  row.kind = chance(8) ? AllocationKind::kOther : AllocationKind::kBuffer;
  row.dtype = static_cast<DType>(below(static_cast<std::uint64_t>(kLastDType) + 1));
  row.content_shape = shape();
  row.logical_shape = shape();
  row.references = static_cast<std::uint32_t>(1 + below(3));
  row.name = chance(2) ? "" : word("x_ref", 3);
  return tables_.buffer(row);
}

RangeId Generator::range() {
  RangeRow row;
  const std::uint64_t dims = below(4);
  for (std::uint64_t i = 0; i < dims; ++i) {
    Dim dim;
    dim.start = static_cast<std::int64_t>(below(64)) - 4;
    dim.is_index = chance(3);
    dim.stop = dim.start + (dim.is_index ? 1 : static_cast<std::int64_t>(below(10)) - 1);
    dim.stride = dim.is_index ? 1 : static_cast<std::int64_t>(1 + below(3));
    row.dims.push_back(dim);
  }
  if (chance(6)) row.permutation = {2, 0, 1};
  if (chance(6)) row.mask = {static_cast<std::uint8_t>(below(256)), 1};
  if (chance(40)) row.dims.push_back({.start = -(std::int64_t{1} << 60), .stop = 1 << 30});
  if (chance(10)) {
    row.window = WindowBlock{.name = word("x", 2), .indices = {1, -2}, .iteration = {3}};
  }
  return tables_.range(row);
}

SemaphoreId Generator::semaphore() {
  SemaphoreRow row;
  row.kind = chance(4) ? SemaphoreKind::kFixed : SemaphoreKind::kInternal;
  if (row.kind == SemaphoreKind::kInternal) row.launch = launches_[below(launches_.size())];
  row.device = static_cast<std::uint32_t>(below(2));
  row.id = 2000 + static_cast<std::int64_t>(below(5));
  row.dma = chance(2);
  row.name = chance(2) ? "" : word("sem", 3);
  return tables_.semaphore(row);
}

BarrierId Generator::barrier() {
  return tables_.barrier({.launch = launches_[below(launches_.size())],
                          .kind = static_cast<BarrierKind>(below(5)),
                          .device = static_cast<std::uint32_t>(below(2)),
                          .number = static_cast<std::uint32_t>(below(2)),
                          .arrivals = static_cast<std::uint32_t>(1 + below(2)),
                          .interpreter_only = chance(2),
                          .name = chance(2) ? "" : "b"});
}

SourceId Generator::source() {
  if (chance(5)) return SourceId{};
  const SourceId caller = chance(2) ? source() : SourceId{};
  const std::string file = word("kernel", 2) + ".py";
  const auto line = static_cast<std::uint32_t>(below(30));
  const SourceRow row{.file = file,
                      .line = line,
                      .column = static_cast<std::uint32_t>(below(3)),
                      .function = chance(2) ? "" : "body",
                      .caller = caller};
  return tables_.source(row, {.line_text = fmt::format("x = {}", line), .file_hash = below(3)});
}

ValueId Generator::value() {
  if (options_.values == ValueLevel::kNone || chance(10)) return ValueId{};
  std::vector<std::byte> bytes(8);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(below(chance(2) ? 2 : 256));
  ValueRow row;
  row.hash = value_hash(DType::kU8, std::vector<std::int64_t>{8}, bytes);
  if (options_.values == ValueLevel::kFull && !chance(10)) row.bytes = bytes;
  return tables_.value(row);
}

ErrorId Generator::error() {
  if (!chance(20)) return ErrorId{};
  return tables_.error({.kind = static_cast<ErrorKind>(below(2)),
                        .type = "ValueError",
                        .text = word("not that one: ", 3),
                        .rule = "memory.not-a-buffer"});
}

AgentId Generator::issue(AgentId thread, SourceId source) {
  CopyRow row;
  row.source_key = key();
  row.source_range = range();
  row.destination_key = key();
  row.destination_range = range();
  if (chance(2)) row.send_semaphore = semaphore();
  row.receive_semaphore = semaphore();
  row.pipeline = chance(4);
  const auto at = static_cast<std::size_t>(std::find(threads_.begin(), threads_.end(), thread) -
                                           threads_.begin());
  const AgentId copy = tables_.copy(thread, issued_[at]++, row);
  copies_.push_back({.agent = copy, .source = source});
  return copy;
}

Op Generator::access() {
  const KeyId k = key();
  const RangeId r = range();
  const Proxy proxy = chance(4) ? Proxy::kAsync : Proxy::kGeneric;
  const std::uint64_t which = below(3);
  if (which == 0) return Read{k, r, proxy};
  const ValueId v = value();
  if (which == 1) return Write{k, r, v, proxy};
  return Swap{k, r, v, proxy};
}

Op Generator::op(AgentId thread, SourceId at) {
  switch (below(20)) {
    case 0:
      return Enter{};
    case 1:
      return Exit{};
    case 2:
      return GridStep{shape()};
    case 3: {
      const KeyId k = key();
      const BufferId b = buffer();
      return Allocate{k, b, value()};
    }
    case 4:
      return Free{key()};
    case 5:
      return CreateSemaphore{semaphore()};
    case 6:
      return Signal{semaphore(), below(1000)};
    case 7:
      return Wait{semaphore(), below(1000)};
    case 8:
      return ReadCount{semaphore()};
    case 9:
    case 10:
      return IssueCopy{issue(thread, at)};
    case 11:
      return Arrive{barrier()};
    case 12:
      return AwaitBarrier{barrier(), below(4)};
    case 13:
      return CheckSemaphores{};
    case 14:
      return Refuse{static_cast<RefusedOp>(below(2))};
    case 15:
      return Raise{};
    case 16:
      return Choose{static_cast<std::uint32_t>(1 + below(5))};
    case 17:
      return Yield{};
  }
  return access();
}

Outcome Generator::outcome(const Op& op) {
  Outcome outcome;
  const bool reads = std::holds_alternative<Read>(op) || std::holds_alternative<Swap>(op);
  if (reads || chance(30)) outcome.value = value();
  outcome.error = error();
  if (const auto* choose = std::get_if<Choose>(&op)) {
    outcome.count = below(choose->n);
  } else if (chance(2)) {
    outcome.count = below(3) == 0 ? rng_.next() : below(2000);
  }
  return outcome;
}

void Generator::put(AgentId agent, SourceId at, const Op& op, const Outcome& outcome) {
  out_.events.push_back(
      {.index = out_.events.size(), .agent = agent, .source = at, .op = op, .outcome = outcome});
}

void Generator::copy_step() {
  const std::size_t at = below(copies_.size());
  CopyState& copy = copies_[at];
  CopyStep step{.phase = copy.next, .value = {}, .bytes = 0};
  if (chance(6)) {
    step.phase = CopyPhase::kPartialReceive;
    step.bytes = 1 + below(100);
  } else if (copy.next == CopyPhase::kReadSource) {
    step.value = copy.value = value();
  } else if (copy.next == CopyPhase::kWriteDestination) {
    step.value = chance(4) ? value() : copy.value;
  }
  Outcome result = outcome(step);
  if (chance(2)) result.value = step.value;
  const SourceId at_source = chance(8) ? source() : copy.source;
  put(copy.agent, at_source, step, result);
  if (step.phase == CopyPhase::kPartialReceive) return;
  const bool has_send = tables_[copy.agent].copy.send_semaphore.has_value();
  const std::optional<CopyPhase> next = phase_after(step.phase, has_send);
  if (next) {
    copy.next = *next;
  } else {
    copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

void Generator::run() {
  make_header();
  make_launches();
  while (out_.events.size() < options_.events) {
    if (!copies_.empty() && chance(3)) {
      const std::uint64_t steps = 1 + below(3);
      for (std::uint64_t i = 0; i < steps && !copies_.empty(); ++i) copy_step();
      continue;
    }
    const AgentId thread = threads_[below(threads_.size())];
    const std::uint64_t run = 1 + below(4);
    for (std::uint64_t i = 0; i < run; ++i) {
      const SourceId at = source();
      const Op next = op(thread, at);
      put(thread, at, next, outcome(next));
    }
  }
  out_.events.resize(options_.events);
  out_.end.kind = static_cast<EndKind>(below(4));
  const SemaphoreId waited = semaphore();
  out_.end.pending = {
      {.agent = threads_[0], .source = source(), .op = Wait{waited, 7}, .has = 3, .needs = 7},
      {.agent = threads_.back(), .source = source(), .op = IssueCopy{issue(threads_.back(), {})}},
      {.agent = threads_.back(), .source = {}, .op = access()}};
  Finding stuck;
  stuck.rule = "sync.deadlock";
  stuck.severity = Severity::kWarning;
  stuck.message = "stuck";
  stuck.details = {"first", "second"};
  stuck.events = {0, options_.events - 1};
  stuck.event = 0;
  Finding left;
  left.rule = "memory.leak";
  left.message = "left";
  out_.end.findings = {stuck, left};
}

}  // namespace

Execution random_execution(const RandomOptions& options) {
  Execution execution;
  Generator(options, execution).run();
  return execution;
}

TemporaryFolder::TemporaryFolder() {
  folder_ = (std::filesystem::path(::testing::TempDir()) / "replait-XXXXXX").string();
  if (mkdtemp(folder_.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace replait::test
