#include "replay/event_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "replay/event_text.h"

namespace replait {

EventOrder::State& EventOrder::state(AgentId agent) {
  if (to_index(agent) >= agents_.size()) agents_.resize(to_index(agent) + 1);
  return agents_[to_index(agent)];
}

std::string EventOrder::add(const Applied& event) {
  const bool is_step = std::holds_alternative<CopyStep>(event.op);
  if (tables_[event.agent].is_copy() != is_step)
    return is_step ? "a thread has no phases of a copy" : "a copy has only its phases";
  if (!is_step) return add_thread_op(event);
  return state(event.agent).entered ? "" : "the copy has not been issued";
}

std::string EventOrder::add_thread_op(const Applied& event) {
  State& thread = state(event.agent);
  if (thread.left) return "the thread has left its launch";
  if (thread.entered == std::holds_alternative<Enter>(event.op))
    return thread.entered ? "the thread has entered already" : "the thread has not entered yet";
  if (const auto* issue = std::get_if<IssueCopy>(&event.op)) {
    const AgentRow& copy = tables_[issue->copy];
    if (!copy.is_copy() || copy.issuer != event.agent) return "the copy is not this thread's";
    if (copy.issue != thread.copies)
      return fmt::format("the thread's next copy is its copy {}", thread.copies);
    ++thread.copies;
    state(issue->copy).entered = true;
    return "";
  }
  if (const auto* choose = std::get_if<Choose>(&event.op);
      choose != nullptr && event.outcome.count >= choose->n)
    return fmt::format("a choice of {} is below {}", choose->n, choose->n);
  thread.entered = true;
  thread.left = std::holds_alternative<Exit>(event.op);
  return "";
}

std::vector<AgentId> EventOrder::running() const {
  std::vector<AgentId> running;
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    const AgentId agent = from_index<AgentId>(i);
    if (agents_[i].entered && !agents_[i].left && !tables_[agent].is_copy())
      running.push_back(agent);
  }
  std::sort(running.begin(), running.end(),
            [this](AgentId a, AgentId b) { return tables_.identity(a) < tables_.identity(b); });
  return running;
}

}  // namespace replait
