#include "tiny_execution.h"

#include <cstdint>

#include "trace/hash.h"

namespace replait::test {
namespace {

class Builder {
 public:
  explicit Builder(Execution& execution) : out_(execution), tables_(*execution.tables) {}

  void build();

 private:
  SourceId line(std::uint32_t number, const char* text) {
    return tables_.source(
        {.file = "ring.py", .line = number, .column = 3, .function = "body", .caller = {}},
        {.line_text = text, .file_hash = 0x1122334455667788});
  }
  void put(AgentId agent, SourceId source, const Op& op, std::uint64_t count = 0) {
    out_.events.push_back({.index = out_.events.size(),
                           .agent = agent,
                           .source = source,
                           .op = op,
                           .outcome = {.value = {}, .error = {}, .count = count}});
  }

  Execution& out_;
  Tables& tables_;
};

void Builder::build() {
  LaunchRow launch_row;
  launch_row.kernel = "ring";
  launch_row.devices = 2;
  const LaunchId launch = tables_.add_launch(launch_row);
  const AgentId sender = tables_.thread(launch, 0, 0);
  const AgentId receiver = tables_.thread(launch, 1, 0);
  const KeyId x =
      tables_.key({.launch = launch, .space = "vmem", .buffer = 100, .device = 0, .core = 0});
  const KeyId y =
      tables_.key({.launch = launch, .space = "vmem", .buffer = 100, .device = 1, .core = 0});
  RangeRow row;
  row.dims = {{.start = 2, .stop = 3, .stride = 1, .is_index = true}, {.start = 0, .stop = 128}};
  const RangeId range = tables_.range(row);
  SemaphoreRow semaphore;
  semaphore.launch = launch;
  semaphore.id = 2000;
  semaphore.dma = true;
  semaphore.name = "send_sem";
  const SemaphoreId send = tables_.semaphore(semaphore);
  semaphore.device = 1;
  semaphore.id = 2001;
  semaphore.name = "recv_sem";
  const SemaphoreId receive = tables_.semaphore(semaphore);
  CopyRow copy_row;
  copy_row.source_key = x;
  copy_row.destination_key = y;
  copy_row.source_range = copy_row.destination_range = range;
  copy_row.send_semaphore = send;
  copy_row.receive_semaphore = receive;
  const AgentId copy = tables_.copy(sender, 0, copy_row);
  const SourceId start = line(7, "copy.start()");
  const SourceId wait = line(8, "copy.wait_recv()");
  const SourceId read = line(9, "y = y_ref[2]");

  put(sender, {}, Enter{});
  put(receiver, {}, Enter{});
  put(sender, start, IssueCopy{copy});
  put(copy, start, CopyStep{.phase = CopyPhase::kReadSource, .value = {}, .bytes = 0});
  put(copy, start, CopyStep{.phase = CopyPhase::kSignalSend, .value = {}, .bytes = 0}, 512);
  put(copy, start, CopyStep{.phase = CopyPhase::kWriteDestination, .value = {}, .bytes = 0});
  put(copy, start, CopyStep{.phase = CopyPhase::kSignalReceive, .value = {}, .bytes = 0}, 512);
  put(receiver, wait, Wait{receive, 512});
  put(receiver, read, Read{y, range, Proxy::kGeneric});
  put(receiver, {}, Exit{});
  put(sender, {}, Exit{});
  out_.header.scheduler = "round-robin";
  out_.header.seed = 7;
  out_.header.program = "tiny";
  out_.header.program_hash = hash64(std::string_view("tiny"));
  out_.header.jax_version = "0.12.0.1";
}

}  // namespace

Execution tiny_execution() {
  Execution execution;
  Builder(execution).build();
  return execution;
}

}  // namespace replait::test
