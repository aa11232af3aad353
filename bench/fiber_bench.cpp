// A fiber's round trip, resume and suspend, beside the bare switch of Boost.Context.
#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "bench/measure.h"
#include "fiber/fiber.h"

namespace replait::bench {
namespace {

constexpr int kSwitches = 2'000'000;
constexpr std::size_t kStackBytes = std::size_t{64} << 10;

void raw_body(boost::context::detail::transfer_t from) {
  while (true) from = boost::context::detail::jump_fcontext(from.fctx, nullptr);
}

}  // namespace

std::vector<Figure> fiber_figures() {
  std::vector<std::byte> stack(kStackBytes);
  boost::context::detail::fcontext_t context =
      boost::context::detail::make_fcontext(stack.data() + stack.size(), stack.size(), raw_body);
  StackPool pool;
  Result<std::unique_ptr<Fiber>> fiber = Fiber::create(pool, "bench", [](Fiber& self) {
    while (true) self.suspend();
  });
  if (!fiber.ok()) return {};
  const std::vector<double> least =
      best(7, {[&] {
                 for (int i = 0; i < kSwitches; ++i)
                   context = boost::context::detail::jump_fcontext(context, nullptr).fctx;
               },
               [&] {
                 for (int i = 0; i < kSwitches; ++i) (*fiber)->resume();
               }});
  constexpr double kNanoseconds = 1e9 / kSwitches;
  return {{.name = "fiber switch, round trip",
           .value = least[1] * kNanoseconds,
           .unit = "ns",
           .peer = "raw Boost.Context",
           .peer_value = least[0] * kNanoseconds,
           .bar = "at most 1.3 times"}};
}

}  // namespace replait::bench
