// A recording that is killed loses at most its last frame: what was written before can be
// recovered, and replays.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "replait/replait.h"
#include "trace/trace_reader.h"

namespace replait {
namespace {

// Runs for longer than anybody waits.
void endless(ThreadContext& context) {
  const auto data = context.allocate<int>(MemorySpace::kHbm, {4}, {.name = "data"});
  const Semaphore turn = context.semaphore({.name = "turn"});
  for (int i = 0; i < 2'000'000'000; ++i) {
    data[i % 4] = i;
    turn.signal();
    turn.wait();
  }
}

int command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "replait");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  return main(static_cast<int>(arguments.size()), argv.data(),
              {{.name = "endless", .summary = "runs on", .expected = "clean", .body = endless}});
}

TEST(KilledRecording, CanBeRecoveredAndReplayed) {
  std::string folder = (std::filesystem::temp_directory_path() / "replait-kill-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string trace = folder + "/t.replait";
  const std::string partial = trace + ".partial";

  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(command({"record", "endless", "-o", trace}));
  std::error_code missing;
  while (std::filesystem::file_size(partial, missing) < 20'000 || missing) usleep(1000);
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(std::filesystem::exists(trace));

  EXPECT_EQ(command({"replay", partial}), 3) << "a cut trace is not replayed as if it were whole";
  const auto events = recover_trace(partial, trace);
  ASSERT_TRUE(events.ok()) << events.failure().message;
  EXPECT_GT(*events, 1000U);
  EXPECT_EQ(command({"replay", trace}), 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace replait
