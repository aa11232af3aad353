// Random executions for the codec's tests: every op, every kind of row, several launches, copies in
// every phase, errors, values. No Machine made them: the codec stores whatever an event stream
// holds, as long as copies take their phases in order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/event_sink.h"
#include "trace/tables.h"

namespace replait::test {

struct RandomOptions {
  std::uint64_t seed = 0;
  std::uint32_t events = 600;
  std::uint32_t threads = 3;  // A launch.
  std::uint32_t launches = 2;
  ValueLevel values = ValueLevel::kFull;
};

struct Execution {
  std::unique_ptr<Tables> tables = std::make_unique<Tables>();
  Header header;
  std::vector<Applied> events;
  ExecutionEnd end;
};

Execution random_execution(const RandomOptions& options);

// An execution as text without ids, so that two with other numbers compare equal iff they are.
std::vector<std::string> describe(const Tables& tables, const std::vector<Applied>& events);
std::string describe(const Tables& tables, const ExecutionEnd& end);

// A temporary folder that lives as long as this.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

}  // namespace replait::test
