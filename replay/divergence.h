// Where a replay left its recording, and how that is printed.
#pragma once

#include <cstdint>
#include <string>

namespace replait {

struct Divergence {
  std::uint64_t event = 0;  // The first that differs; the number of events where the end differs.
  std::string expected;     // What was recorded, in one line.
  std::string got;          // What the replay has instead.
  std::string cause;        // What could explain it, in one line.
};

// error: replay diverged at event 412 of trace.replait
//   - expected  ...
//   + got       ...
//   CAUSE
//   see it:    replait replay trace.replait --until 412
std::string divergence_text(const Divergence& divergence, const std::string& file,
                            const std::string& program);

}  // namespace replait
