// Schedulers by name: "random", "pct:depth=3,steps=10000".
#include "sched/scheduler.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "sched/pct.h"
#include "sched/random_walk.h"
#include "sched/round_robin.h"

namespace replait {

namespace {

constexpr std::string_view kKnown =
    "the schedulers are: round-robin, random, pct[:depth=N,steps=N] (default depth=3,steps=10000)";

struct Parameter {
  std::string_view key;
  std::uint64_t* value;
  std::uint64_t max;  // The least value is 1.
};

Failure wrong(std::string_view spec, std::string what) {
  return {.kind = FailureKind::kUsage,
          .message = fmt::format("scheduler '{}': {}", spec, what),
          .remedy = std::string(kKnown)};
}

Result<void> parse_parameters(std::string_view spec, std::string_view text,
                              std::span<const Parameter> known) {
  std::string names;
  for (const Parameter& parameter : known) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", parameter.key);
  }
  if (names.empty()) return wrong(spec, "it has no parameters");
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const std::size_t equals = item.find('=');
    const std::string_view key = item.substr(0, equals);
    const Parameter* found = nullptr;
    for (const Parameter& parameter : known) {
      if (parameter.key == key) found = &parameter;
    }
    if (found == nullptr) {
      return wrong(spec, fmt::format("unknown parameter '{}', expected {}", key, names));
    }
    const std::string_view digits =
        equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 1 ||
        value > found->max) {
      return wrong(spec, fmt::format("{} must be a whole number from 1 to {}, not '{}'", key,
                                     found->max, digits));
    }
    *found->value = value;
    if (comma == std::string_view::npos) return {};
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<std::unique_ptr<Scheduler>> make_scheduler(std::string_view spec, std::uint64_t seed) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  std::uint64_t depth = PctOptions{}.depth;
  std::uint64_t steps = PctOptions{}.steps;
  std::vector<Parameter> parameters;
  if (name == "pct") {
    parameters = {{.key = "depth", .value = &depth, .max = 1000},
                  {.key = "steps", .value = &steps, .max = std::uint64_t{1} << 62}};
  }
  if (name != "round-robin" && name != "random" && name != "pct") {
    return wrong(spec, "no such scheduler");
  }
  if (colon != std::string_view::npos) {
    const Result<void> parsed = parse_parameters(spec, spec.substr(colon + 1), parameters);
    if (!parsed) return parsed.failure();
  }
  if (name == "round-robin") return std::unique_ptr<Scheduler>(new RoundRobinScheduler());
  if (name == "random") return std::unique_ptr<Scheduler>(new RandomWalkScheduler(seed));
  return std::unique_ptr<Scheduler>(
      new PctScheduler({.depth = static_cast<std::uint32_t>(depth), .steps = steps}, seed));
}

}  // namespace replait
