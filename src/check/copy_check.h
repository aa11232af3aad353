// Copies that nobody waited for: on the hardware such a copy may still run when its kernel has
// ended, and leaves its semaphores non-zero.
//
// Told only where it is certain: the copy never completed, or no wait at all on one of its
// semaphores came after its issue. Copies of the grid's own pipeline are not the user's to wait
// for. Limits: runs that did not finish are not judged.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "check/check.h"

namespace replait {

class CopyCheck : public Check {
 protected:
  void see(const Applied& event) override;
  void conclude(const ExecutionEnd& end) override;

 private:
  struct Issued {
    std::uint64_t event = 0;
    AgentId copy{};
    SourceId source{};
    bool complete = false;
  };
  enum class Reason { kNoReceiveWait, kNoSendWait, kIncomplete };

  bool waited_since(SemaphoreId semaphore, std::uint64_t event) const;
  void add(const Issued& issued, Reason reason);
  void tell(SourceId source, Reason reason, const std::vector<Issued>& missed);
  std::string why(const Issued& issued, Reason reason) const;

  std::vector<Issued> issued_;                      // In order of issue.
  std::map<AgentId, std::size_t> in_flight_;        // Into issued_.
  std::map<SemaphoreId, std::uint64_t> last_wait_;  // 1 + its event.
  std::map<std::pair<SourceId, Reason>, std::vector<Issued>> missed_;
};

}  // namespace replait
