#include "replay/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace replait {
namespace {

// What the child does before it becomes the program. -1: stream left as it is.
struct Streams {
  int input = -1;
  int output = -1;
  int errors = -1;
};

std::vector<char*> pointers(const Arguments& arguments) {
  std::vector<char*> list;
  for (const std::string& argument : arguments) list.push_back(const_cast<char*>(argument.c_str()));
  list.push_back(nullptr);
  return list;
}

[[noreturn]] void become(const std::vector<char*>& list, const Environment& environment,
                         const Streams& streams, int failed) {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGQUIT, SIG_DFL);
  if (streams.input >= 0) dup2(streams.input, STDIN_FILENO);
  if (streams.output >= 0) dup2(streams.output, STDOUT_FILENO);
  if (streams.errors >= 0) dup2(streams.errors, STDERR_FILENO);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  execvp(list[0], list.data());
  const int reason = errno;
  // A pipe that closes on exec: the parent reads nothing from it iff the program started.
  [[maybe_unused]] const auto written = write(failed, &reason, sizeof reason);
  _exit(127);
}

Result<pid_t> start(const Arguments& arguments, const Environment& environment,
                    const Streams& streams) {
  std::array<int, 2> failed{};
  if (pipe2(failed.data(), O_CLOEXEC) != 0)
    return Failure{FailureKind::kUsage, fmt::format("cannot make a pipe: {}", std::strerror(errno)),
                   "close some open files, or raise the limit (ulimit -n)"};
  const std::vector<char*> list = pointers(arguments);
  const pid_t child = fork();
  if (child == 0) become(list, environment, streams, failed[1]);
  close(failed[1]);
  int reason = child < 0 ? errno : 0;
  if (child > 0 && read(failed[0], &reason, sizeof reason) != sizeof reason) reason = 0;
  close(failed[0]);
  if (reason == 0) return child;
  if (child > 0) waitpid(child, nullptr, 0);
  return Failure{FailureKind::kUsage,
                 fmt::format("cannot start '{}': {}", arguments[0], std::strerror(reason)),
                 "give a program that is on PATH, or its path"};
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Reads both until both are closed, so that neither can fill up and stop the child.
void drain(std::array<pollfd, 2> streams, std::array<std::string*, 2> into) {
  std::array<char, 4096> bytes{};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (poll(streams.data(), streams.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (streams[i].fd < 0 || streams[i].revents == 0) continue;
      const ssize_t count = read(streams[i].fd, bytes.data(), bytes.size());
      if (count > 0)
        into[i]->append(bytes.data(), static_cast<std::size_t>(count));
      else if (count == 0 || errno != EINTR)
        streams[i].fd = -1;
    }
  }
}

}  // namespace

Result<int> run_child(const Arguments& arguments, const Environment& environment) {
  struct sigaction ignore {
  }, interrupt{}, quit{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &interrupt);
  sigaction(SIGQUIT, &ignore, &quit);
  const Result<pid_t> child = start(arguments, environment, {});
  const int code = child.ok() ? wait_for(*child) : 0;
  sigaction(SIGINT, &interrupt, nullptr);
  sigaction(SIGQUIT, &quit, nullptr);
  if (!child.ok()) return child.failure();
  return code;
}

Result<Captured> capture_child(const Arguments& arguments) {
  std::array<int, 2> output{}, errors{};
  if (pipe2(output.data(), O_CLOEXEC) != 0 || pipe2(errors.data(), O_CLOEXEC) != 0)
    return Failure{FailureKind::kUsage, fmt::format("cannot make a pipe: {}", std::strerror(errno)),
                   "close some open files, or raise the limit (ulimit -n)"};
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const Result<pid_t> child =
      start(arguments, {}, {.input = nothing, .output = output[1], .errors = errors[1]});
  close(output[1]);
  close(errors[1]);
  if (nothing >= 0) close(nothing);
  Captured captured;
  if (child.ok()) {
    drain({pollfd{output[0], POLLIN, 0}, pollfd{errors[0], POLLIN, 0}},
          {&captured.output, &captured.errors});
    captured.code = wait_for(*child);
  }
  close(output[0]);
  close(errors[0]);
  if (!child.ok()) return child.failure();
  return captured;
}

}  // namespace replait
