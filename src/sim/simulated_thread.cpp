#include "sim/simulated_thread.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <typeinfo>

#include "replait/thread_context.h"

namespace replait {

namespace {

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

}  // namespace

SimulatedThread::SimulatedThread(SimulationState& state, std::uint32_t device, std::uint32_t core)
    : state_(state),
      agent_(state.tables.thread(state.launch, device, core)),
      identity_(state.tables.identity(agent_)) {}

Result<void> SimulatedThread::start(StackPool& stacks) {
  std::string name = fmt::format("device {}, core {}", identity_.device, identity_.core);
  Result<std::unique_ptr<Fiber>> fiber =
      Fiber::create(stacks, std::move(name), [this](Fiber&) { run(); });
  if (!fiber) return fiber.failure();
  fiber_ = std::move(*fiber);
  return {};
}

void SimulatedThread::run() {
  const Location nowhere;
  perform(Enter{}, nowhere);
  if (!run_body()) {
    perform(Raise{}, nowhere);
    return;
  }
  if (identity_.core == 0) perform(CheckSemaphores{}, nowhere);
  perform(Exit{}, nowhere);
}

bool SimulatedThread::run_body() {
  try {
    ThreadContext context(*this);
    state_.kernel.body(context);
    return true;
  } catch (const Cancel&) {
    throw;
  } catch (const std::exception& exception) {
    caught(typeid(exception).name(), exception.what());
  } catch (...) {
    caught(abi::__cxa_current_exception_type()->name(), "");
  }
  return false;
}

void SimulatedThread::caught(const char* type, const char* text) {
  raised_ = state_.tables.error({.kind = ErrorKind::kRaised,
                                 .type = demangled(type),
                                 .text = text,
                                 .rule = "exec.exception"});
}

void SimulatedThread::set_value(ValueId value) {
  if (auto* allocate = std::get_if<Allocate>(&op_)) allocate->value = value;
  if (auto* write = std::get_if<Write>(&op_)) write->value = value;
  if (auto* swap = std::get_if<Swap>(&op_)) swap->value = value;
}

const Outcome& SimulatedThread::perform(const Op& op, const Location& where,
                                        std::span<const std::byte> bytes) {
  // A destructor in a body that is being cancelled.
  if (fiber_->cancelling()) return outcome_;
  op_ = op;
  source_ = state_.locations.id(where);
  bytes_ = bytes;
  fiber_->suspend();
  return outcome_;
}

}  // namespace replait
