// A report is data: what was found in one run, in words that are ready to print.
//
// Every string is printable (trace/describe.h) and holds no address, no time and no path of the
// machine that made it, so two runs of a command print the same bytes. Printers (text.h, json.h)
// only lay it out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/checks.h"
#include "race/race_detector.h"
#include "trace/event_sink.h"

namespace replait {

struct ReportLine {
  std::string file;
  std::uint32_t line = 0;    // 0: unknown.
  std::uint32_t column = 0;  // 0: unknown.
  std::string function;      // May be empty.
  std::string text;          // The line itself, as it was when recorded; may be empty.
};

struct ReportAccess {
  std::uint64_t event = 0;
  std::string agent;   // "device 1, core 0", "copy #3 (device 0 -> device 1)"
  std::string action;  // "reads", "writes", "swaps"
  std::string range;   // "[0:8, 3]"
  bool by_copy = false;
  // Innermost first; a copy's is where it was issued. Empty: unknown.
  std::vector<ReportLine> stack;
};

struct ReportRace {
  std::string rule;
  Severity severity = Severity::kError;
  std::uint32_t launch = 0;
  std::string buffer;  // Its name; may be empty.
  std::string key;     // As JAX prints it.
  std::string type;    // "f32[8,128]"; empty where no allocation was recorded.
  ReportAccess first;
  ReportAccess second;
  std::uint64_t pairs = 0;
  std::vector<std::string> nearest;
  std::string missing;
  std::string see;  // The command that stops before the second access.
};

struct ReportFinding {
  Finding finding;
  std::vector<ReportLine> stack;  // Of the event where it was found.
};

struct ReportLaunch {
  std::uint32_t number = 0;
  std::string kernel;
  std::uint32_t devices = 0;
  std::uint32_t cores_per_device = 0;
};

struct Report {
  std::string file;
  std::string program;
  std::string scheduler;
  std::uint64_t seed = 0;
  std::string jax_version;
  std::vector<ReportLaunch> launches;
  std::uint64_t events = 0;
  EndKind end = EndKind::kFinished;
  bool other_schedules_judged = false;
  std::vector<ReportRace> races;
  std::vector<ReportFinding> findings;
  std::string reproduce;  // The command that prints this again.

  // Of severity error: what decides the exit code.
  std::size_t errors() const;
};

struct ReportOptions {
  std::string file;         // As the user named the trace.
  std::string command;      // "replait": how the user called us.
  std::string file_quoted;  // For the shell.
  std::string arguments;    // Further arguments of the check, for the line that reproduces it.
  std::optional<std::uint32_t> launch;  // Only races of this launch.
  std::string rule;                     // Only this rule or family; empty: all.
};

// What the report is made from, all after finish().
struct ReportInputs {
  const Header& header;
  const Tables& tables;
  const RaceDetector& races;
  const Checks& checks;
  EndKind end;
  std::uint64_t events;
};

Report make_report(const ReportInputs& inputs, const ReportOptions& options);

// "finished", "failed", "deadlocked", "abandoned", "cut".
std::string_view to_string(EndKind kind);

}  // namespace replait
