// What a recording holds, counted: a sink for `show`.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <variant>

#include "trace/event_sink.h"

namespace replait {

class Statistics : public EventSink {
 public:
  struct Thread {
    std::uint64_t events = 0;
    std::uint64_t copies = 0;  // Issued.
  };
  struct Key {
    std::optional<BufferId> buffer;  // The first allocation.
    std::uint64_t reads = 0;         // Swaps count as both.
    std::uint64_t writes = 0;
  };
  struct Launch {
    std::uint64_t first = 0;  // Events of its agents.
    std::uint64_t last = 0;
    std::uint64_t events = 0;
  };

  void begin(const Header&, const Tables& tables) override { tables_ = &tables; }
  void consume(std::span<const Applied> events) override;
  void finish(const ExecutionEnd&) override {}

  // By the op's place in Op.
  const std::array<std::uint64_t, std::variant_size_v<Op>>& ops() const { return ops_; }
  const std::map<AgentIdentity, Thread>& threads() const { return threads_; }
  const std::map<KeyId, Key>& keys() const { return keys_; }
  const std::map<LaunchId, Launch>& launches() const { return launches_; }

 private:
  void count(const Applied& event);

  const Tables* tables_ = nullptr;
  std::array<std::uint64_t, std::variant_size_v<Op>> ops_{};
  std::map<AgentIdentity, Thread> threads_;
  std::map<KeyId, Key> keys_;
  std::map<LaunchId, Launch> launches_;
};

// The word of the op at a place in Op.
std::string_view op_word_at(std::size_t index);

}  // namespace replait
