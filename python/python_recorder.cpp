#include "python_recorder.h"

#include <filesystem>
#include <system_error>

#include "base/check.h"
#include "trace/hash.h"

namespace replait {
namespace {

namespace py = pybind11;

[[noreturn]] void raise_failure(const Failure& failure) {
  throw RecordingFailure(failure.remedy.empty() ? failure.message
                                                : failure.message + "; " + failure.remedy);
}

ValueLevel value_level(const std::string& name) {
  if (name == "hash") return ValueLevel::kHash;
  if (name == "full") return ValueLevel::kFull;
  REPLAIT_CHECK(name == "none", "an unknown value level");
  return ValueLevel::kNone;
}

EndKind end_kind(const std::string& name) {
  if (name == "finished") return EndKind::kFinished;
  if (name == "failed") return EndKind::kFailed;
  if (name == "deadlocked") return EndKind::kDeadlocked;
  REPLAIT_CHECK(name == "abandoned", "an unknown end");
  return EndKind::kAbandoned;
}

std::unique_ptr<JaxRecorder> open(const std::string& path, JaxRecorder::Options options) {
  Result<std::unique_ptr<JaxRecorder>> opened = JaxRecorder::open(path, std::move(options));
  if (!opened.ok()) raise_failure(opened.failure());
  return std::move(*opened);
}

Header header(const std::string& jax_version, const std::string& program,
              const std::string& values) {
  Header header;
  header.scheduler = "ungated";
  header.program = program;
  header.jax_version = jax_version;
  header.values = value_level(values);
  return header;
}

}  // namespace

PythonRecorder::PythonRecorder(const std::string& path, const std::string& jax_version,
                               const std::string& program, const std::string& values,
                               const Rows& options, const Rows& environment)
    : path_(path),
      recorder_([&] {
        Header made = header(jax_version, program, values);
        made.options = options;
        return open(path, {.header = std::move(made), .environment = environment});
      }()),
      python_(recorder_->tables()) {}

std::uint32_t PythonRecorder::launch(const std::string& kernel, std::uint32_t source,
                                     std::uint32_t devices, std::uint32_t cores,
                                     bool out_of_bounds_reads_raise, bool uninitialized_nan,
                                     bool eager_copies, std::uint32_t vector_clock_size) {
  return to_index(tables().add_launch({.number = static_cast<std::uint32_t>(tables().launches()),
                                       .kernel = kernel,
                                       .source = from_index<SourceId>(source),
                                       .devices = devices,
                                       .cores_per_device = cores,
                                       .gated = false,
                                       .out_of_bounds_reads_raise = out_of_bounds_reads_raise,
                                       .uninitialized_nan = uninitialized_nan,
                                       .eager_copies = eager_copies,
                                       .vector_clock_size = vector_clock_size}));
}

std::uint32_t PythonRecorder::thread(std::uint32_t launch, std::uint32_t device,
                                     std::uint32_t core) {
  return to_index(tables().thread(from_index<LaunchId>(launch), device, core));
}

std::uint32_t PythonRecorder::source(const std::string& file, std::uint32_t line,
                                     std::uint32_t column, const std::string& function,
                                     std::uint32_t caller, const std::string& text,
                                     std::uint64_t file_hash) {
  return to_index(tables().source({.file = file,
                                   .line = line,
                                   .column = column,
                                   .function = function,
                                   .caller = from_index<SourceId>(caller)},
                                  {.line_text = text, .file_hash = file_hash}));
}

void PythonRecorder::name_semaphore(std::uint32_t launch, std::int64_t id, bool dma,
                                    const std::string& name) {
  semaphore_names_[{launch, id}] = {.dma = dma, .name = name};
}

void PythonRecorder::enter(const Head& head, Handle error) { tell(head, Enter{}, facts(error)); }

void PythonRecorder::exit(const Head& head) { tell(head, Exit{}); }

void PythonRecorder::grid_step(const Head& head, Handle point) {
  tell(head, GridStep{python_.shape(point)});
}

void PythonRecorder::allocate(const Head& head, Handle key, Handle dtype, Handle content_shape,
                              Handle logical_shape, std::uint32_t references,
                              const std::string& name, Handle content, Handle error) {
  const ShapeId content_id = python_.shape(content_shape);
  const ShapeId logical_id = python_.shape(logical_shape);
  const BufferId buffer = tables().buffer({.kind = AllocationKind::kBuffer,
                                           .dtype = python_.dtype(dtype),
                                           .content_shape = content_id,
                                           .logical_shape = logical_id,
                                           .references = references,
                                           .name = name});
  Stored stored = store(content);
  const Op op = Allocate{python_.key(launch_of(head), key), buffer, stored.id};
  tell(head, op, facts(error), std::move(stored));
}

void PythonRecorder::free(const Head& head, Handle key, Handle error) {
  tell(head, Free{python_.key(launch_of(head), key)}, facts(error));
}

void PythonRecorder::read(const Head& head, Handle key, Handle range, Handle window, Handle value,
                          Handle error) {
  const KeyId key_id = python_.key(launch_of(head), key);
  const RangeId range_id = python_.range(range, py::none(), window);
  Facts said = facts(error);
  said.value = seen(value);
  tell(head, Read{key_id, range_id, Proxy::kGeneric}, said);
}

void PythonRecorder::write(const Head& head, Handle key, Handle range, Handle window, Handle value,
                           Handle error) {
  const KeyId key_id = python_.key(launch_of(head), key);
  const RangeId range_id = python_.range(range, py::none(), window);
  Stored stored = store(value);
  const Op op = Write{key_id, range_id, stored.id, Proxy::kGeneric};
  tell(head, op, facts(error), std::move(stored));
}

void PythonRecorder::swap(const Head& head, Handle key, Handle range, Handle mask, Handle value,
                          Handle before, Handle error) {
  const KeyId key_id = python_.key(launch_of(head), key);
  const RangeId range_id = python_.range(range, mask, py::none());
  Stored stored = store(value);
  Facts said = facts(error);
  said.value = seen(before);
  const Op op = Swap{key_id, range_id, stored.id, Proxy::kGeneric};
  tell(head, op, said, std::move(stored));
}

void PythonRecorder::create_semaphore(const Head& head, const Place& place) {
  tell(head, CreateSemaphore{semaphore(launch_of(head), place)});
}

void PythonRecorder::signal(const Head& head, const Place& place, std::int64_t increment,
                            Handle count, Handle error) {
  const SemaphoreId id = semaphore(launch_of(head), place);
  tell(head, Signal{id, static_cast<std::uint64_t>(increment)}, facts(error, count));
}

void PythonRecorder::wait(const Head& head, const Place& place, std::int64_t demand, Handle count,
                          Handle error) {
  const SemaphoreId id = semaphore(launch_of(head), place);
  tell(head, Wait{id, static_cast<std::uint64_t>(demand)}, facts(error, count));
}

std::uint32_t PythonRecorder::issue_copy(const Head& head, Handle source_key, Handle source_range,
                                         Handle destination_key, Handle destination_range,
                                         const std::optional<Place>& send, const Place& receive,
                                         Handle error) {
  const LaunchId launch = launch_of(head);
  CopyRow row;
  row.source_key = python_.key(launch, source_key);
  row.source_range = python_.range(source_range, py::none(), py::none());
  row.destination_key = python_.key(launch, destination_key);
  row.destination_range = python_.range(destination_range, py::none(), py::none());
  if (send) row.send_semaphore = semaphore(launch, *send);
  row.receive_semaphore = semaphore(launch, receive);
  const AgentId issuer = from_index<AgentId>(head.agent);
  const AgentId copy = tables().copy(issuer, issues_[head.agent]++, row);
  tell(head, IssueCopy{copy}, facts(error));
  return to_index(copy);
}

void PythonRecorder::copy_step(const Head& head, int phase, Handle value, Handle count,
                               Handle error) {
  Facts said = facts(error, count);
  said.value = seen(value);
  tell(head,
       CopyStep{.phase = static_cast<CopyPhase>(phase),
                .value = said.value.value_or(ValueId{}),
                .bytes = 0},
       said);
}

void PythonRecorder::arrive(const Head& head, int kind, std::uint32_t device,
                            std::uint32_t arrivals, bool interpreter_only) {
  tell(head, Arrive{barrier(head, kind, device, arrivals, interpreter_only)});
}

void PythonRecorder::await_barrier(const Head& head, int kind, std::uint32_t device,
                                   std::uint32_t arrivals, bool interpreter_only) {
  tell(head, AwaitBarrier{barrier(head, kind, device, arrivals, interpreter_only), 0});
}

void PythonRecorder::check_semaphores(const Head& head, const std::optional<std::string>& printed) {
  Facts said;
  if (printed) {
    said.error = tables().error({.kind = ErrorKind::kPrinted,
                                 .type = "",
                                 .text = *printed,
                                 .rule = "sync.semaphore-nonzero"});
  }
  tell(head, CheckSemaphores{}, said);
}

void PythonRecorder::refuse(const Head& head, int what, Handle error) {
  tell(head, Refuse{static_cast<RefusedOp>(what)}, facts(error));
}

void PythonRecorder::raise_error(const Head& head, Handle error) {
  tell(head, Raise{}, facts(error));
}

std::pair<std::string, std::uint64_t> PythonRecorder::finish(
    const std::string& kind, const std::vector<BlockedWait>& waits,
    const std::vector<AtBarrier>& barriers) {
  std::vector<PendingOp> ops;
  for (const auto& [agent, source, place, demand] : waits) {
    const LaunchId launch = tables()[from_index<AgentId>(agent)].launch;
    const Wait wait{semaphore(launch, place), static_cast<std::uint64_t>(demand)};
    ops.push_back(
        {.agent = from_index<AgentId>(agent), .source = from_index<SourceId>(source), .op = wait});
  }
  for (const auto& [agent, source, kind_number, device, arrivals, interpreter_only] : barriers) {
    const Head head{.number = 0, .agent = agent, .source = source};
    const BarrierId id = barrier(head, kind_number, device, arrivals, interpreter_only);
    ops.push_back({.agent = from_index<AgentId>(agent),
                   .source = from_index<SourceId>(source),
                   .op = AwaitBarrier{id, 0}});
  }
  Result<JaxRecorder::Finished> finished = recorder_->finish(end_kind(kind), std::move(ops));
  if (!finished.ok()) raise_failure(finished.failure());
  return {to_string(finished->run_id), finished->findings};
}

void PythonRecorder::discard() {
  recorder_.reset();
  std::error_code ignored;  // There may be none.
  std::filesystem::remove(path_ + ".partial", ignored);
}

void PythonRecorder::tell(const Head& head, const Op& op, const Facts& facts) {
  tell(head, op, facts, Stored{});
}

void PythonRecorder::tell(const Head& head, const Op& op, const Facts& facts, Stored stored) {
  ToldOp told{.agent = from_index<AgentId>(head.agent),
              .source = from_index<SourceId>(head.source),
              .op = op,
              .facts = facts,
              .bytes = stored.array.bytes,
              .keep_alive = std::move(stored.array.keep_alive)};
  if (Result<void> result = recorder_->tell(head.number, std::move(told)); !result.ok())
    raise_failure(result.failure());
}

Facts PythonRecorder::facts(Handle error) {
  return {.error = python_.error(error), .value = {}, .count = {}};
}

Facts PythonRecorder::facts(Handle error, Handle count) {
  Facts said = facts(error);
  if (!count.is_none()) said.count = static_cast<std::uint64_t>(count.cast<std::int64_t>());
  return said;
}

PythonRecorder::Stored PythonRecorder::store(Handle object) {
  Stored stored;
  if (recorder_->values() == ValueLevel::kNone || object.is_none()) return stored;
  stored.array = python_.array(object);
  stored.id = value(stored.array);
  return stored;
}

std::optional<ValueId> PythonRecorder::seen(Handle object) {
  if (recorder_->values() == ValueLevel::kNone || object.is_none()) return std::nullopt;
  return value(python_.array(object));
}

ValueId PythonRecorder::value(const Array& array) {
  ValueRow row;
  row.hash = value_hash(array.dtype, array.shape, array.bytes);
  if (recorder_->values() == ValueLevel::kFull)
    row.bytes.assign(array.bytes.begin(), array.bytes.end());
  return tables().value(std::move(row));
}

SemaphoreId PythonRecorder::semaphore(LaunchId launch, const Place& place) {
  const auto& [device, core, id, fixed] = place;
  SemaphoreRow row;
  row.launch = fixed ? LaunchId{} : launch;
  row.device = static_cast<std::uint32_t>(device);
  row.core = static_cast<std::uint32_t>(core);
  row.id = id;
  row.kind = fixed ? SemaphoreKind::kFixed : SemaphoreKind::kInternal;
  const auto named = semaphore_names_.find({to_index(launch), id});
  if (!fixed && named != semaphore_names_.end()) {
    row.dma = named->second.dma;
    row.name = named->second.name;
  }
  return tables().semaphore(row);
}

BarrierId PythonRecorder::barrier(const Head& head, int kind, std::uint32_t device,
                                  std::uint32_t arrivals, bool interpreter_only) {
  return tables().barrier({.launch = launch_of(head),
                           .kind = static_cast<BarrierKind>(kind),
                           .device = device,
                           .number = 0,
                           .arrivals = arrivals,
                           .interpreter_only = interpreter_only,
                           .name = ""});
}

}  // namespace replait
