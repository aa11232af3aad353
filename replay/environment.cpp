#include "replay/environment.h"

#include <fmt/format.h>
#include <sys/utsname.h>

namespace replait {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

std::vector<std::pair<std::string, std::string>> recording_environment() {
  std::vector<std::pair<std::string, std::string>> environment{
      {"replait", REPLAIT_VERSION},
      {"compiler", compiler()},
  };
  // Neither nodename nor version: the latter may hold the name of the machine that built it.
  if (utsname system{}; uname(&system) == 0) {
    environment.emplace_back("system", system.sysname);
    environment.emplace_back("machine", system.machine);
  }
  return environment;
}

}  // namespace replait
