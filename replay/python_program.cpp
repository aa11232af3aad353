#include "replay/python_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace replait {
namespace {

constexpr std::string_view kRemedy =
    "give python itself, or a Python script: replait record -o FILE -- python PROGRAM.py ARGS\n"
    "(a tool such as pytest: -- python -m pytest ARGS)";

// python, python3, python3.12, also by path.
bool is_python(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  constexpr std::string_view kPython = "python";
  if (name.substr(0, kPython.size()) != kPython) return false;
  return name.find_first_not_of("0123456789.t", kPython.size()) == std::string_view::npos;
}

std::optional<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    std::error_code ignored;
    if (access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file, ignored))
      return file;
  }
  return std::nullopt;
}

// "#!/usr/bin/env -S python3 -u" -> "python3".
std::string interpreter_of(const std::string& first_line) {
  std::istringstream words(first_line.substr(2));
  std::string word;
  words >> word;
  if (std::filesystem::path(word).filename() != "env") return word;
  while (words >> word) {
    if (word.front() != '-' && word.find('=') == std::string::npos) return word;
  }
  return "";
}

// Installers write this where the path to Python is too long for a first line:
//   #!/bin/sh
//   '''exec' "/very/long/path/python" "$0" "$@"
std::string exec_line_python(const std::string& line) {
  constexpr std::string_view kExec = "'''exec' ";
  if (line.compare(0, kExec.size(), kExec) != 0) return "";
  std::string rest = line.substr(kExec.size());
  const char quote = rest.empty() ? ' ' : rest.front();
  if (quote != '"') return rest.substr(0, rest.find(' '));
  return rest.substr(1, rest.find('"', 1) - 1);
}

}  // namespace

Result<std::string> python_of(const Arguments& program) {
  const std::string& name = program.front();
  if (is_python(name)) {
    if (find_program(name)) return name;
    return Failure{FailureKind::kUsage, fmt::format("no program '{}' is on PATH", name),
                   "install that Python, or give the path of another"};
  }
  const std::optional<std::string> file = find_program(name);
  if (!file) {
    return Failure{FailureKind::kUsage,
                   fmt::format("expected a program after --, found none called '{}'", name),
                   std::string(kRemedy)};
  }
  std::ifstream script(*file, std::ios::binary);
  std::string first(2, '\0'), second;
  script.read(first.data(), 2);
  if (script && first == "#!") {
    std::string rest;
    std::getline(script, rest);
    std::getline(script, second);
    const std::string named = interpreter_of("#!" + rest);
    if (is_python(named)) return named;
    if (const std::string python = exec_line_python(second); is_python(python)) return python;
    return Failure{
        FailureKind::kUsage,
        fmt::format("'{}' is no Python program: its first line names '{}'", *file, named),
        std::string(kRemedy)};
  }
  return Failure{FailureKind::kUsage, fmt::format("'{}' is no Python program", *file),
                 std::string(kRemedy)};
}

Result<std::string> recorder_folder(const std::string& python) {
  // The current folder, which -c puts first, must not pass for an installed package.
  constexpr const char* kAsk =
      "import sys; sys.path = [p for p in sys.path if p]\n"
      "import replait; print(replait.site_folder())";
  const Result<Captured> answer = capture_child({python, "-c", kAsk});
  if (!answer.ok()) return answer.failure();
  if (answer->code == 0) {
    std::string folder = answer->output;
    while (!folder.empty() && (folder.back() == '\n' || folder.back() == '\r')) folder.pop_back();
    if (!folder.empty()) return folder;
  }
  std::string reason = answer->errors;
  while (!reason.empty() && reason.back() == '\n') reason.pop_back();
  if (const std::size_t last = reason.rfind('\n'); last != std::string::npos)
    reason.erase(0, last + 1);
  return Failure{FailureKind::kUsage,
                 fmt::format("'{}' has no working replait package: {}", python,
                             reason.empty() ? "no answer" : reason),
                 fmt::format("install it there, from a checkout of replait: {} -m pip install .\n"
                             "nothing was run",
                             python)};
}

}  // namespace replait
