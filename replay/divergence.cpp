#include "replay/divergence.h"

#include <fmt/format.h>

#include "replay/command_context.h"

namespace replait {

std::string divergence_text(const Divergence& divergence, const std::string& file,
                            const std::string& program) {
  return fmt::format(
      "error: replay diverged at event {0} of {1}\n"
      "  - expected  {2}\n"
      "  + got       {3}\n"
      "  {4}\n"
      "  see it:    {5} replay {6} --until {0}\n",
      divergence.event, file, divergence.expected, divergence.got, divergence.cause, program,
      shell_quoted(file));
}

}  // namespace replait
