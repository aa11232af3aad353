#include "replay/run_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "replay/event_text.h"
#include "replay/json_text.h"

namespace replait {
namespace {

// Where an event stands in the user's code, with the line's text where the trace has it.
std::string place_lines(const Tables& tables, AgentId agent, SourceId source,
                        std::string_view what) {
  std::string lines = fmt::format("    {:<18}  {}", Describer(tables).agent(agent), what);
  const std::string place = source_text(tables, source);
  if (!place.empty()) lines += "  at " + place;
  lines += "\n";
  const std::string& text = tables.text(source).line_text;
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin != std::string::npos)
    lines += fmt::format("        {}\n", printable(text.substr(begin)));
  return lines;
}

// What a blocked thread waits for.
std::string lack(const Tables& tables, const PendingOp& pending) {
  const std::string what = Describer(tables).op(pending.op);
  return fmt::format("{}: has {}, needs {}, lacks {}", what, pending.has, pending.needs,
                     pending.needs - std::min(pending.has, pending.needs));
}

}  // namespace

void RunSummary::begin(const Header&, const Tables& tables) { tables_ = &tables; }

void RunSummary::consume(std::span<const Applied> events) {
  events_ += events.size();
  for (const Applied& event : events) {
    if (to_index(event.outcome.error) == 0) [[likely]]
      continue;
    if ((*tables_)[event.outcome.error].kind == ErrorKind::kPrinted)
      printed_.push_back(event);
    else if (!failure_)
      failure_ = event;
  }
}

void RunSummary::finish(const ExecutionEnd& end) { end_ = end; }

std::string_view RunSummary::outcome() const {
  switch (end_.kind) {
    case EndKind::kFinished:
      return "finished";
    case EndKind::kFailed:
      return "failed";
    case EndKind::kDeadlocked:
      return "deadlocked";
    case EndKind::kAbandoned:
      return "abandoned";
    case EndKind::kCut:
      return "cut";
  }
  REPLAIT_CHECK(false, "unknown end");
}

std::string RunSummary::counted() const {
  return fmt::format("{} event{}", grouped(events_), events_ == 1 ? "" : "s");
}

void RunSummary::add_to(JsonText& json) const {
  const auto add_error = [&](const Applied& event) {
    const ErrorRow& error = (*tables_)[event.outcome.error];
    json.begin_object().field("event", event.index).field("type", error.type);
    json.field("text", error.text).field("rule", error.rule).field("op", op_word_of(event.op));
    json.field("agent", Describer(*tables_).agent(event.agent));
    json.field("source", source_text(*tables_, event.source)).end_object();
  };
  json.field("outcome", outcome()).key("failure");
  if (failure_)
    add_error(*failure_);
  else
    json.null();
  json.key("printed").begin_array();
  for (const Applied& event : printed_) add_error(event);
  json.end_array().key("pending").begin_array();
  for (const PendingOp& pending : end_.pending) {
    json.begin_object().field("agent", Describer(*tables_).agent(pending.agent));
    json.field("op", op_word_of(pending.op))
        .field("has", pending.has)
        .field("needs", pending.needs);
    json.field("source", source_text(*tables_, pending.source)).end_object();
  }
  json.end_array();
}

std::string RunSummary::headline() const {
  if (failure_) {
    const ErrorRow& error = (*tables_)[failure_->outcome.error];
    return fmt::format("{} at event {}: {}", printable(error.type), failure_->index,
                       printable(error.text));
  }
  switch (end_.kind) {
    case EndKind::kFinished:
      return fmt::format("finished: {}, no failure", counted());
    case EndKind::kFailed:
      return fmt::format("failed after {}", counted());
    case EndKind::kDeadlocked:
      return fmt::format("deadlock after {}: no thread can move, {} {} blocked", counted(),
                         end_.pending.size(), end_.pending.size() == 1 ? "is" : "are");
    case EndKind::kAbandoned:
      return fmt::format("stopped after {}, without a verdict", counted());
    case EndKind::kCut:
      return fmt::format("the recording was cut after {}", counted());
  }
  REPLAIT_CHECK(false, "unknown end");
}

std::string RunSummary::text() const {
  std::string text = headline() + "\n";
  if (failure_) {
    text += place_lines(*tables_, failure_->agent, failure_->source, op_word_of(failure_->op));
  } else {
    for (const PendingOp& pending : end_.pending)
      text += place_lines(*tables_, pending.agent, pending.source, lack(*tables_, pending));
  }
  for (const Applied& event : printed_) {
    const ErrorRow& error = (*tables_)[event.outcome.error];
    text += fmt::format("  printed at event {}: {}\n", event.index, printable(error.text));
    text += place_lines(*tables_, event.agent, event.source, op_word_of(event.op));
  }
  return text;
}

}  // namespace replait
