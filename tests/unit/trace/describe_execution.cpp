// The text form that tests compare: every field of every row, and no id.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "random_execution.h"

namespace replait::test {
namespace {

class Describer {
 public:
  explicit Describer(const Tables& tables) : t_(tables) {}

  std::string event(const Applied& event) const {
    return fmt::format("{}: {} {} {} -> {} {} {}", event.index, agent(event.agent),
                       source(event.source), op(event.op), value(event.outcome.value),
                       error(event.outcome.error), event.outcome.count);
  }
  std::string pending(const PendingOp& p) const {
    return fmt::format("{} {} {} has {} needs {}", agent(p.agent), source(p.source), op(p.op),
                       p.has, p.needs);
  }

 private:
  std::string launch(LaunchId id) const {
    const LaunchRow& r = t_[id];
    return fmt::format("launch({} {} {} {}x{} {}{}{}{} {})", r.number, r.kernel, source(r.source),
                       r.devices, r.cores_per_device, r.gated, r.out_of_bounds_reads_raise,
                       r.uninitialized_nan, r.eager_copies, r.vector_clock_size);
  }
  std::string source(SourceId id) const {
    if (id == SourceId{}) return "-";
    const SourceRow& r = t_[id];
    const SourceText& text = t_.text(id);
    return fmt::format("{}:{}:{} {} '{}' {} < {}", r.file, r.line, r.column, r.function,
                       text.line_text, text.file_hash, source(r.caller));
  }
  std::string key(KeyId id) const {
    const KeyRow& r = t_[id];
    return fmt::format("key({} {} {} {} {})", launch(r.launch), r.space, r.buffer, r.device,
                       r.core);
  }
  std::string range(RangeId id) const {
    const RangeRow& r = t_[id];
    std::string out = "[";
    for (const Dim& d : r.dims) {
      out += fmt::format("{}:{}:{}{} ", d.start, d.stop, d.stride, d.is_index ? "i" : "");
    }
    out += fmt::format("] {} {}", fmt::join(r.permutation, ","), fmt::join(r.mask, ","));
    if (!r.window) return out;
    return out + fmt::format(" {} {} {}", r.window->name, fmt::join(r.window->indices, ","),
                             fmt::join(r.window->iteration, ","));
  }
  std::string shape(ShapeId id) const { return fmt::format("({})", fmt::join(t_[id], ",")); }
  std::string buffer(BufferId id) const {
    const BufferRow& r = t_[id];
    return fmt::format("buffer({} {} {} {} {} {})", static_cast<int>(r.kind), dtype_name(r.dtype),
                       shape(r.content_shape), shape(r.logical_shape), r.references, r.name);
  }
  std::string semaphore(SemaphoreId id) const {
    const SemaphoreRow& r = t_[id];
    const bool fixed = r.kind == SemaphoreKind::kFixed;
    return fmt::format("semaphore({} {} {} {} {} {})", fixed ? "fixed" : launch(r.launch), r.device,
                       r.core, r.id, r.dma, r.name);
  }
  std::string barrier(BarrierId id) const {
    const BarrierRow& r = t_[id];
    return fmt::format("barrier({} {} {} {} {} {} {})", launch(r.launch), static_cast<int>(r.kind),
                       r.device, r.number, r.arrivals, r.interpreter_only, r.name);
  }
  std::string value(ValueId id) const {
    if (id == ValueId{}) return "-";
    const ValueRow& r = t_[id];
    std::string out = fmt::format("value({:x}", r.hash[0]);
    for (const std::byte byte : r.bytes) out += fmt::format(" {}", static_cast<int>(byte));
    return out + ")";
  }
  std::string error(ErrorId id) const {
    if (id == ErrorId{}) return "-";
    const ErrorRow& r = t_[id];
    return fmt::format("error({} {} {} {})", static_cast<int>(r.kind), r.type, r.text, r.rule);
  }
  std::string agent(AgentId id) const {
    const AgentRow& r = t_[id];
    if (!r.is_copy()) return fmt::format("thread({} {} {})", launch(r.launch), r.device, r.core);
    const CopyRow& c = r.copy;
    return fmt::format("copy({} {} {} {} -> {} {} send {} receive {} {})", agent(*r.issuer),
                       r.issue, key(c.source_key), range(c.source_range), key(c.destination_key),
                       range(c.destination_range),
                       c.send_semaphore ? semaphore(*c.send_semaphore) : "-",
                       semaphore(c.receive_semaphore), c.pipeline);
  }
  template <typename Access>
  std::string access(const char* name, const Access& o) const {
    return fmt::format("{} {} {} {}", name, key(o.key), range(o.range), static_cast<int>(o.proxy));
  }
  std::string op(const Op& op) const {
    return std::visit(
        Overloaded{
            [](const Enter&) -> std::string { return "enter"; },
            [](const Exit&) -> std::string { return "exit"; },
            [&](const GridStep& o) { return "grid " + shape(o.point); },
            [&](const Allocate& o) {
              return fmt::format("allocate {} {} {}", key(o.key), buffer(o.buffer), value(o.value));
            },
            [&](const Free& o) { return "free " + key(o.key); },
            [&](const Read& o) { return access("read", o); },
            [&](const Write& o) { return access("write", o) + value(o.value); },
            [&](const Swap& o) { return access("swap", o) + value(o.value); },
            [&](const CreateSemaphore& o) { return "create " + semaphore(o.semaphore); },
            [&](const Signal& o) {
              return fmt::format("signal {} {}", semaphore(o.semaphore), o.increment);
            },
            [&](const Wait& o) {
              return fmt::format("wait {} {}", semaphore(o.semaphore), o.demand);
            },
            [&](const ReadCount& o) { return "count " + semaphore(o.semaphore); },
            [&](const IssueCopy& o) { return "issue " + agent(o.copy); },
            [&](const CopyStep& o) {
              return fmt::format("step {} {} {}", static_cast<int>(o.phase), value(o.value),
                                 o.bytes);
            },
            [&](const Arrive& o) { return "arrive " + barrier(o.barrier); },
            [&](const AwaitBarrier& o) {
              return fmt::format("await {} {}", barrier(o.barrier), o.phase);
            },
            [](const CheckSemaphores&) -> std::string { return "check"; },
            [](const Refuse& o) { return fmt::format("refuse {}", static_cast<int>(o.what)); },
            [](const Raise&) -> std::string { return "raise"; },
            [](const Choose& o) { return fmt::format("choose {}", o.n); },
            [](const Yield&) -> std::string { return "yield"; },
        },
        op);
  }

  const Tables& t_;
};

}  // namespace

std::vector<std::string> describe(const Tables& tables, const std::vector<Applied>& events) {
  std::vector<std::string> out;
  for (const Applied& event : events) out.push_back(Describer(tables).event(event));
  return out;
}

std::string describe(const Tables& tables, const ExecutionEnd& end) {
  std::string out = fmt::format("kind {}\n", static_cast<int>(end.kind));
  for (const PendingOp& pending : end.pending) {
    out += Describer(tables).pending(pending) + "\n";
  }
  for (const Finding& f : end.findings) {
    out += fmt::format("{} {} {} {} {} {}\n", f.rule, static_cast<int>(f.severity), f.message,
                       fmt::join(f.details, "|"), fmt::join(f.events, ","),
                       f.event ? fmt::format("{}", *f.event) : "end");
  }
  return out;
}

}  // namespace replait::test
