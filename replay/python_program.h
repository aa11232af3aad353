// Which Python a command line would start, and whether replait is installed in it.
//
// The recorder gets into a program by a sitecustomize folder on PYTHONPATH, so the program must be
// a Python, or a script whose first line names one. Anything else (shell wrappers, version
// managers' shims) is refused before it runs: it would run unrecorded.
#pragma once

#include <string>

#include "base/result.h"
#include "replay/child.h"

namespace replait {

// The interpreter that `program` (PROGRAM ARGS, not empty) runs in.
Result<std::string> python_of(const Arguments& program);

// Asks `python` for the folder to put first on PYTHONPATH. Failure (kUsage): it has no replait.
Result<std::string> recorder_folder(const std::string& python);

}  // namespace replait
