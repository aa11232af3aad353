// How the benchmarks measure: the best of several runs, each beside its peer in the same process.
//
// Machines differ and are noisy, so what counts are ratios: a figure and its peer are run in turn,
// and the least time of each is taken (noise only ever adds).
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace replait::bench {

inline double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The least seconds of each of `work`, run in turn `rounds` times.
inline std::vector<double> best(int rounds, const std::vector<std::function<void()>>& work) {
  std::vector<double> least(work.size(), 1e300);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < work.size(); ++i) least[i] = std::min(least[i], seconds(work[i]));
  }
  return least;
}

// One line of the result: a figure beside its peer or its bar.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  std::string peer;       // What it is compared with; empty: nothing.
  double peer_value = 0;  // In the same unit.
  std::string bar;        // What it should reach, in words; may be empty.
};

std::vector<Figure> fiber_figures();
std::vector<Figure> trace_figures(const std::string& folder);

}  // namespace replait::bench
