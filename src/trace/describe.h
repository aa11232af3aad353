// Ids in the user's words, for findings and reports: "device 1, core 0", "recv_sem [2003 on device
// 1, core 0]", "ring.cpp:42".
//
// Names come from a trace, so from anyone: what a terminal would obey (control characters, marks
// that turn the writing direction) and what is no UTF-8 is spelled out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/tables.h"

namespace replait {

// Printable: control characters, direction marks and bytes that are no UTF-8 as \x1b. Applying it
// twice changes nothing more.
std::string printable(std::string_view text);

class Describer {
 public:
  // `tables` must outlive this.
  explicit Describer(const Tables& tables) : tables_(tables) {}

  // "device 1, core 0"; "copy #3 (device 0 -> device 1)"; "launch 2, ..." where there are several.
  std::string agent(AgentId id) const;
  std::string place(std::uint32_t device, std::uint32_t core) const;

  std::string key(KeyId id) const;  // As JAX prints it: ('vmem', 102, 0, 0).
  // "out ('any', 100, 1, 0)"; "buffer (...)" where it has no name.
  std::string buffer(KeyId key, std::optional<BufferId> buffer) const;
  std::string type(BufferId id) const;  // "f32[8,128]": the logical shape.
  // "[0:8, 3]", a stride as in Python's slices; "[0:8] where masked (5 elements)".
  std::string range(RangeId id) const;

  std::string semaphore(SemaphoreId id) const;  // "recv_sem [2003 on device 1, core 0]"
  std::string barrier(BarrierId id) const;
  std::string source(SourceId id) const;  // "ring.cpp:42"; "an unknown line".
  // With the line's text where it is known: "ring.cpp:42: `recv.wait(1);`".
  std::string source_line(SourceId id) const;

  // What a thread asks for: "wait for 4096 on recv_sem [...]", "read x ('vmem', ...) [0:8]".
  std::string op(const Op& op) const;

 private:
  const Tables& tables_;
};

// The bare word of an op: "wait", "read", "copy: write destination".
std::string_view op_word_of(const Op& op);

}  // namespace replait
