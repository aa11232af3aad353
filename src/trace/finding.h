// A finding is data: what was found, where, and what it rests on. Printers (src/report) only lay it
// out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/event.h"

namespace replait {

enum class Severity : std::uint8_t { kError, kWarning, kNote };

struct Finding {
  std::string rule;  // Stable: "race.read-write", "sync.deadlock"; see docs/findings.md.
  Severity severity = Severity::kError;
  std::string message;                 // One line, in JAX's words and the user's names.
  std::vector<std::string> details;    // Further lines, in order.
  std::vector<std::uint64_t> events;   // Indices of the events that it rests on.
  std::optional<std::uint64_t> event;  // Where it was found; absent: at the end.
  friend bool operator==(const Finding&, const Finding&) = default;
};

}  // namespace replait
