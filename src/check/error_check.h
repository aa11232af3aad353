// The kernel's own faults: the first op that raised (and that is not marked as a follower) is the
// cause, whatever else raised follows from it; errors that were only printed stand for themselves.
#pragma once

#include <vector>

#include "check/check.h"

namespace replait {

class ErrorCheck : public Check {
 protected:
  void see(const Applied& event) override;
  void conclude(const ExecutionEnd& end) override;

 private:
  void add(const Applied& event);

  std::vector<Applied> raised_;
};

}  // namespace replait
