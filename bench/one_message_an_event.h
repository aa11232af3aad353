// The peer of the trace's size: one protobuf message an event, in schedule order, then zstd -3.
//
// What one would write first: repeated Event { index, agent, source, op, operands, outcome }, every
// field a varint, zero fields left out, as protobuf does. Tables and strings are not counted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/event_sink.h"

namespace replait::bench {

class OneMessageAnEvent : public EventSink {
 public:
  void begin(const Header&, const Tables&) override {}
  void consume(std::span<const Applied> events) override;
  void finish(const ExecutionEnd&) override {}

  std::uint64_t compressed_bytes() const;
  std::uint64_t plain_bytes() const { return bytes_.size(); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace replait::bench
