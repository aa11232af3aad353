// The Machine for tests in Python: reads ops, one a line, and prints what came of each.
//
//   case JAX_VERSION DEVICES CORES raise|uninitialized nan|zero VECTOR_CLOCK_SIZE
//   enter | check DEVICE | refuse load|scoped
//   allocate KEY buffer|other DTYPE CONTENT LOGICAL REFERENCES BYTES
//   free KEY
//   read KEY CORE RANGE WINDOW
//   write KEY CORE RANGE WINDOW BYTES
//   swap KEY CORE RANGE MASK BYTES
//   create|signal|wait SPACE ID DEVICE CORE [N]      SPACE: internal|fixed
//   copy SOURCE RANGE DESTINATION RANGE SEND RECEIVE  ids of internal semaphores on core 0; runs it
//
// KEY is space:buffer:device:core, RANGE s0:8:1,i3, shapes 8x128, WINDOW name|1,2|0,3, masks one
// digit a bit, bytes hexadecimal; "-" is an empty one. Prints "ok HEX" with what was read, or the
// type, a tab and the text.

#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "model/machine.h"

namespace replait {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  if (text == "-") return parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<std::int64_t> numbers(const std::string& text, char separator) {
  std::vector<std::int64_t> values;
  for (const std::string& part : split(text, separator)) values.push_back(std::stoll(part));
  return values;
}

std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> bytes;
  if (hex == "-") return bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

RangeRow range_of(const std::string& text, const std::string& mask, const std::string& window) {
  RangeRow row;
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::int64_t> n = numbers(part.substr(1), ':');
    row.dims.push_back(part[0] == 'i'
                           ? Dim{.start = n[0], .stop = n[0] + 1, .stride = 1, .is_index = true}
                           : Dim{.start = n[0], .stop = n[1], .stride = n[2], .is_index = false});
  }
  if (mask != "-") {
    row.mask.assign((mask.size() + 7) / 8, 0);
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (mask[i] == '1') row.mask[i / 8] |= static_cast<std::uint8_t>(1 << i % 8);
    }
  }
  if (window != "-") {
    const std::vector<std::string> parts = split(window, '|');
    row.window = WindowBlock{
        .name = parts[0], .indices = numbers(parts[1], ','), .iteration = numbers(parts[2], ',')};
  }
  return row;
}

// One case: a Machine of its own. The ops of each line come from the words that follow the verb.
class Case {
 public:
  explicit Case(std::istream& in) {
    MachineOptions options;
    LaunchRow row;
    std::string outside;
    std::string uninitialized;
    in >> options.jax_version >> row.devices >> row.cores_per_device >> outside >> uninitialized >>
        row.vector_clock_size;
    row.out_of_bounds_reads_raise = outside == "raise";
    row.uninitialized_nan = uninitialized == "nan";
    launch_ = tables_.add_launch(row);
    machine_ = std::make_unique<Machine>(tables_, options);
  }

  void run(const std::string& verb, std::istream& in) {
    if (verb == "copy") return run_copy(in);
    std::vector<std::byte> bytes;
    AgentId agent = tables_.thread(launch_, 0, 0);
    const Op op = parse(verb, in, agent, bytes);
    if (!machine_->readiness(agent, op).ready) {
      std::cout << "blocked\n";
      return;
    }
    print(machine_->apply(agent, op, bytes, nullptr));
  }

 private:
  Op parse(const std::string& verb, std::istream& in, AgentId& agent,
           std::vector<std::byte>& bytes) {
    if (verb == "enter") return Enter{};
    if (verb == "check") {
      std::uint32_t device = 0;
      in >> device;
      agent = tables_.thread(launch_, device, 0);
      return CheckSemaphores{};
    }
    if (verb == "refuse") {
      return Refuse{.what = word(in) == "load" ? RefusedOp::kMaskedLoad
                                               : RefusedOp::kCollectiveRunScoped};
    }
    if (verb == "allocate") return parse_allocate(in, bytes);
    if (verb == "free") return Free{.key = key(in)};
    if (verb == "create") return CreateSemaphore{.semaphore = semaphore(in)};
    if (verb == "signal" || verb == "wait") {
      const SemaphoreId which = semaphore(in);
      std::int64_t n = 0;
      in >> n;
      const auto amount = static_cast<std::uint64_t>(n);
      if (verb == "signal") return Signal{.semaphore = which, .increment = amount};
      return Wait{.semaphore = which, .demand = amount};
    }
    return parse_access(verb, in, agent, bytes);
  }

  Op parse_allocate(std::istream& in, std::vector<std::byte>& bytes) {
    const KeyId where = key(in);
    BufferRow row;
    row.kind = word(in) == "buffer" ? AllocationKind::kBuffer : AllocationKind::kOther;
    row.dtype = *parse_dtype(word(in));
    row.content_shape = tables_.shape(numbers(word(in), 'x'));
    row.logical_shape = tables_.shape(numbers(word(in), 'x'));
    in >> row.references;
    bytes = bytes_of(word(in));
    return Allocate{.key = where, .buffer = tables_.buffer(row), .value = {}};
  }

  Op parse_access(const std::string& verb, std::istream& in, AgentId& agent,
                  std::vector<std::byte>& bytes) {
    const KeyId where = key(in);
    std::uint32_t core = 0;
    in >> core;
    agent = tables_.thread(launch_, 0, core);
    const std::string dims = word(in);
    const std::string extra = word(in);
    const bool swaps = verb == "swap";
    const RangeId range = tables_.range(range_of(dims, swaps ? extra : "-", swaps ? "-" : extra));
    if (verb != "read") bytes = bytes_of(word(in));
    if (swaps) return Swap{.key = where, .range = range, .value = {}, .proxy = {}};
    if (verb == "write") return Write{.key = where, .range = range, .value = {}, .proxy = {}};
    return Read{.key = where, .range = range, .proxy = {}};
  }

  void run_copy(std::istream& in) {
    CopyRow row;
    row.source_key = key(in);
    row.source_range = tables_.range(range_of(word(in), "-", "-"));
    row.destination_key = key(in);
    row.destination_range = tables_.range(range_of(word(in), "-", "-"));
    const std::string send = word(in);
    if (send != "-") {
      row.send_semaphore = internal(std::stoll(send), tables_[row.source_key].device);
    }
    row.receive_semaphore = internal(std::stoll(word(in)), tables_[row.destination_key].device);
    const AgentId thread = tables_.thread(launch_, tables_[row.source_key].device, 0);
    const AgentId copy = tables_.copy(thread, copies_++, row);
    Outcome outcome = machine_->apply(thread, IssueCopy{.copy = copy}, {}, nullptr);
    while (outcome.error == ErrorId{}) {
      const std::optional<Op> next = machine_->next_phase(copy);
      if (!next) break;
      outcome = machine_->apply(copy, *next, {}, nullptr);
    }
    print(outcome);
  }

  void print(const Outcome& outcome) {
    const ErrorRow& error = tables_[outcome.error];
    if (outcome.error != ErrorId{}) {
      std::cout << error.type << '\t' << error.text << '\n';
      return;
    }
    std::string hex;
    for (const std::byte byte : machine_->read_bytes()) {
      constexpr const char* kDigits = "0123456789abcdef";
      hex += kDigits[static_cast<unsigned>(byte) >> 4];
      hex += kDigits[static_cast<unsigned>(byte) & 15];
    }
    std::cout << "ok " << hex << '\n';
  }

  static std::string word(std::istream& in) {
    std::string text;
    in >> text;
    return text;
  }
  KeyId key(std::istream& in) {
    const std::vector<std::string> parts = split(word(in), ':');
    return tables_.key({.launch = launch_,
                        .space = parts[0],
                        .buffer = std::stoll(parts[1]),
                        .device = static_cast<std::uint32_t>(std::stoul(parts[2])),
                        .core = static_cast<std::uint32_t>(std::stoul(parts[3]))});
  }
  SemaphoreId internal(std::int64_t id, std::uint32_t device) {
    return tables_.semaphore({.launch = launch_,
                              .device = device,
                              .core = 0,
                              .id = id,
                              .kind = SemaphoreKind::kInternal,
                              .dma = false,
                              .name = ""});
  }
  SemaphoreId semaphore(std::istream& in) {
    const bool fixed = word(in) == "fixed";
    SemaphoreRow row;
    row.kind = fixed ? SemaphoreKind::kFixed : SemaphoreKind::kInternal;
    row.launch = fixed ? LaunchId{} : launch_;
    in >> row.id >> row.device >> row.core;
    return tables_.semaphore(row);
  }

  Tables tables_;
  LaunchId launch_{};
  std::unique_ptr<Machine> machine_;
  std::uint64_t copies_ = 0;
};

}  // namespace
}  // namespace replait

int main() {
  std::unique_ptr<replait::Case> current;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string verb;
    in >> verb;
    if (verb == "case") {
      current = std::make_unique<replait::Case>(in);
    } else if (current != nullptr) {
      current->run(verb, in);
    }
  }
  return EXIT_SUCCESS;
}
