// Random executions for the race properties: a tape of numbers decides who does what next.
//
// Whatever the tape says gives an execution that a Machine could have made: waits come only where
// the count suffices, copies take their phases in order. A shorter tape is a shorter execution, so
// rapidcheck shrinks it well.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "execution_builder.h"

namespace replait {

class RandomExecution {
 public:
  explicit RandomExecution(std::vector<std::uint16_t> tape);

 private:
  std::uint32_t draw(std::uint32_t n);
  void make_tables();
  void make_ranges();
  RangeId range_of(std::uint32_t buffer);
  void step();
  void step_thread(std::uint32_t place);
  void step_copy(std::size_t index);
  void access(AgentId agent);
  void issue(AgentId agent);
  void synchronise(AgentId agent, std::uint32_t device);

  std::vector<std::uint16_t> tape_;
  std::size_t at_ = 0;
  std::uint32_t devices_;
  std::uint32_t cores_;

 public:
  ExecutionBuilder builder;

 private:
  std::vector<std::uint32_t> launch_of_place_;  // The next, or the one it is in.
  std::vector<bool> inside_;
  std::vector<LaunchId> launches_;
  std::vector<std::vector<KeyId>> keys_;              // By launch.
  std::vector<std::vector<RangeId>> ranges_;          // By buffer number.
  std::vector<std::vector<SemaphoreId>> semaphores_;  // By launch; the last one is a fixed id.
  std::vector<BarrierId> barriers_;
  std::map<BarrierId, std::uint64_t> arrivals_;
  struct Flight {
    AgentId copy;
    std::uint32_t next;
  };
  std::vector<Flight> flights_;
};

}  // namespace replait
