// `record -- PROGRAM ARGS`: a Python program as it is, with its Pallas kernels recorded.
//
// This process only starts the program, with the recorder's sitecustomize folder first on
// PYTHONPATH and REPLAIT_* variables that say what to record; the recorder answers in a status
// file. Afterwards the written trace is judged here, outside the program.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "replay/child.h"
#include "replay/event_text.h"
#include "replay/json_text.h"
#include "replay/judgement.h"
#include "replay/python_program.h"
#include "replay/record.h"
#include "replay/trace_file.h"
#include "report/json.h"
#include "report/text.h"

namespace replait {
namespace {

// A file that is gone when this is.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    path_ = (error ? "/tmp" : folder.string()) + "/replait-status-XXXXXX";
    const int file = mkstemp(path_.data());
    made_ = file >= 0;
    if (made_) ::close(file);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (made_) ::unlink(path_.c_str());
  }

  bool made() const { return made_; }
  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  std::string path_;
  bool made_ = false;
};

// What the recorder said: {"kernels": 3, "error": "..."}. Written by our own package only.
struct Status {
  bool present = false;
  std::uint64_t kernels = 0;
  std::string error;
};

// The text behind `"name":`, from its first character that is no space; empty if there is none.
std::string_view field(std::string_view json, std::string_view name) {
  const std::string key = fmt::format("\"{}\":", name);
  const std::size_t at = json.find(key);
  if (at == std::string_view::npos) return {};
  json.remove_prefix(at + key.size());
  const std::size_t begin = json.find_first_not_of(" \t\n");
  return begin == std::string_view::npos ? std::string_view() : json.substr(begin);
}

std::string string_field(std::string_view json, std::string_view name) {
  std::string_view rest = field(json, name);
  std::string text;
  if (rest.empty() || rest.front() != '"') return text;
  for (rest.remove_prefix(1); !rest.empty() && rest.front() != '"'; rest.remove_prefix(1)) {
    if (rest.front() != '\\' || rest.size() < 2) {
      text += rest.front();
      continue;
    }
    rest.remove_prefix(1);
    text += rest.front() == 'n' ? '\n' : rest.front();
  }
  return text;
}

Status status_of(const std::string& json) {
  Status status;
  status.present = !json.empty();
  const std::string_view kernels = field(json, "kernels");
  std::from_chars(kernels.data(), kernels.data() + kernels.size(), status.kernels);
  status.error = string_field(json, "error");
  return status;
}

// Refused before the program runs, so that nothing it does is lost.
Result<void> check_writable(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  const std::string where = folder.empty() ? "." : folder.string();
  std::string reason;
  if (std::filesystem::is_directory(path, ignored))
    reason = "it is a folder";
  else if (access(where.c_str(), W_OK | X_OK) != 0)
    reason = fmt::format("its folder: {}", std::strerror(errno));
  if (reason.empty()) return {};
  return Failure{FailureKind::kUsage, fmt::format("cannot write '{}': {}", path, reason),
                 "name a file that can be written with -o; nothing was run"};
}

class ProgramRecording {
 public:
  ProgramRecording(const RecordOptions& options, CommandContext& context)
      : options_(options), context_(context) {}

  Result<void> run() {
    const Arguments& program = *context_.child;
    const Result<std::string> python = python_of(program);
    if (!python.ok()) return python.failure();
    const Result<std::string> folder = recorder_folder(*python);
    if (!folder.ok()) return folder.failure();
    Result<std::string> path =
        output_path(options_, std::filesystem::path(script_of(program)).stem().string());
    if (!path.ok()) return path.failure();
    path_ = std::filesystem::absolute(*path).string();  // The program may change its folder.
    shown_path_ = *path;
    if (Result<void> writable = check_writable(path_); !writable.ok()) return writable;
    if (!status_file_.made())
      return Failure{FailureKind::kUsage,
                     fmt::format("cannot make the file '{}'", status_file_.path()),
                     "set TMPDIR to a folder that can be written; nothing was run"};
    const Result<int> code = run_child(program, environment(*folder));
    if (!code.ok()) return code.failure();
    return judge(*code);
  }

 private:
  // What the recording is called after: f.py, the module behind -m, else the program.
  static std::string script_of(const Arguments& program) {
    for (std::size_t i = 1; i < program.size(); ++i) {
      if (program[i] == "-m" && i + 1 < program.size()) return program[i + 1];
      if (!program[i].empty() && program[i].front() != '-') return program[i];
    }
    return program.front();
  }

  Environment environment(const std::string& folder) const {
    const char* old_path = std::getenv("PYTHONPATH");
    const bool has_path = old_path != nullptr && *old_path != '\0';
    return {
        {"REPLAIT_RECORD", path_},
        {"REPLAIT_VALUES", options_.values},
        {"REPLAIT_ENVIRONMENT", options_.no_environment ? "0" : "1"},
        {"REPLAIT_STATUS_FILE", status_file_.path()},
        {"PYTHONPATH", has_path ? fmt::format("{}:{}", folder, old_path) : folder},
    };
  }

  // The program's own exit code stands, where it is not 0.
  Result<void> judge(int code) {
    const Status status = status_of(status_file_.text());
    context_.exit_code = code;
    std::error_code ignored;
    const std::string partial = path_ + ".partial";
    if (!status.error.empty())
      std::fprintf(stderr, "replait: %s\n", printable(status.error).c_str());
    if (std::filesystem::exists(path_, ignored) && status.kernels > 0) return judge_trace(code);
    const bool no_kernels = status.present && status.kernels == 0;
    if (!no_kernels && std::filesystem::exists(partial, ignored)) {
      context_.fail({FailureKind::kNothing,
                     fmt::format("the program ended before its recording was finished: {}.partial",
                                 shown_path_),
                     fmt::format("save it:  {} recover {}.partial", context_.program,
                                 shell_quoted(shown_path_))});
    } else {
      context_.fail({FailureKind::kNothing, "recorded 0 kernels",
                     status.present
                         ? "pass interpret=pltpu.InterpretParams(...) to the pallas_call to record"
                         : "the program never loaded the recorder: python's -I, -E and -S keep it "
                           "out, and so does clearing PYTHONPATH"});
    }
    if (code != 0) context_.exit_code = code;
    return {};
  }

  Result<void> judge_trace(int code) {
    Result<std::unique_ptr<TraceReader>> reader = open_trace(path_, context_);
    if (!reader.ok()) return reader.failure();
    Judgement judgement;
    if (Result<void> fed = feed(**reader, judgement.sinks()); !fed.ok()) return fed;
    const Report report = judgement.report(shown_path_, context_);
    if (code == 0) context_.exit_code = judgement.exit_code(report, context_);
    print(judgement.summary(), report);
    return {};
  }

  // On standard error: standard output is the program's.
  void print(const RunSummary& summary, const Report& report) const {
    const std::size_t kernels = report.launches.size();
    std::string text;
    if (context_.json) {
      JsonText json;
      json.begin_object().field("schema", "replait.record/1").field("file", shown_path_);
      json.field("kernels", std::uint64_t{kernels}).field("events", summary.events());
      summary.add_to(json);
      text = json.key("report").raw(to_json(report)).end_object().text();
    } else {
      text = fmt::format("replait: recorded {} kernel{}, {}, in {}\n\n{}replay it: {} replay {}\n",
                         kernels, kernels == 1 ? "" : "s", summary.counted(), shown_path_,
                         to_text(report, static_cast<std::size_t>(context_.width)),
                         context_.program, shell_quoted(shown_path_));
    }
    std::fputs(text.c_str(), stderr);
  }

  const RecordOptions& options_;
  CommandContext& context_;
  TemporaryFile status_file_;
  std::string path_;
  std::string shown_path_;
};

}  // namespace

void record_program(const RecordOptions& options, CommandContext& context) {
  const Result<void> recorded = ProgramRecording(options, context).run();
  if (!recorded.ok()) context.fail(recorded.failure());
}

}  // namespace replait
