#include "check/rules.h"

#include <algorithm>
#include <array>

namespace replait {
namespace {

constexpr std::array kRules{
    Rule{"exec.exception", Severity::kError, "The kernel raised."},
    Rule{"exec.follower", Severity::kNote, "The kernel failed because another thread had."},
    Rule{"machine.mismatch", Severity::kWarning,
         "JAX did something else than replait's model of it; verdicts of that launch are "
         "unverified."},
    Rule{"memory.bad-device", Severity::kError, "A device or core that does not exist."},
    Rule{"memory.key-collision", Severity::kError,
         "Two different allocations, or two kinds of semaphore, met at one key or id."},
    Rule{"memory.missing-key", Severity::kError, "The key holds nothing."},
    Rule{"memory.not-a-buffer", Severity::kError, "The key holds something else than a buffer."},
    Rule{"memory.out-of-bounds", Severity::kError, "An access outside its buffer."},
    Rule{"race.read-write", Severity::kError,
         "A read and a write of common elements that nothing orders."},
    Rule{"race.write-write", Severity::kError,
         "Two writes of common elements that nothing orders."},
    Rule{"replay.diverged", Severity::kError, "A replay left its recording."},
    Rule{"sync.copy-not-waited", Severity::kError, "A copy was started and never waited for."},
    Rule{"sync.deadlock", Severity::kError, "No thread can go on."},
    Rule{"sync.semaphore-nonzero", Severity::kError, "A semaphore's count is not zero at the end."},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* find_rule(std::string_view id) {
  const auto found =
      std::find_if(kRules.begin(), kRules.end(), [&](const Rule& rule) { return rule.id == id; });
  return found == kRules.end() ? nullptr : &*found;
}

Severity severity_of(std::string_view rule) {
  const Rule* const known = find_rule(rule);
  return known == nullptr ? Severity::kError : known->severity;
}

bool rule_matches(std::string_view rule, std::string_view pattern) {
  if (!pattern.ends_with(".*")) return rule == pattern;
  return rule.starts_with(pattern.substr(0, pattern.size() - 1));
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return {};
}

}  // namespace replait
