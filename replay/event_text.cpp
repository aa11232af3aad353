#include "replay/event_text.h"

#include <fmt/format.h>

#include "model/machine.h"

namespace replait {
namespace {

std::string op_text(const Tables& tables, const Machine& machine, const Op& op) {
  const Describer describer(tables);
  const auto access = [&](KeyId key, RangeId range) {
    return fmt::format("{} {} {}", op_word_of(op), describer.buffer(key, machine.buffer_at(key)),
                       describer.range(range));
  };
  if (const auto* read = std::get_if<Read>(&op)) return access(read->key, read->range);
  if (const auto* write = std::get_if<Write>(&op)) return access(write->key, write->range);
  if (const auto* swap = std::get_if<Swap>(&op)) return access(swap->key, swap->range);
  return describer.op(op);
}

}  // namespace

std::string source_text(const Tables& tables, SourceId id) {
  return to_index(id) == 0 ? "" : Describer(tables).source(id);
}

std::string op_and_source_text(const Tables& tables, const Machine& machine, SourceId source,
                               const Op& op) {
  std::string line =
      fmt::format("{:<44}  {}", op_text(tables, machine, op), source_text(tables, source));
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string event_text(const Tables& tables, const Machine& machine, AgentId agent, SourceId source,
                       const Op& op) {
  return fmt::format("{:<18}  {}", Describer(tables).agent(agent),
                     op_and_source_text(tables, machine, source, op));
}

std::string outcome_text(const Tables& tables, const Outcome& outcome) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (to_index(outcome.error) != 0) {
    const ErrorRow& error = tables[outcome.error];
    add(fmt::format("{}: {}", error.type.empty() ? "printed" : printable(error.type),
                    printable(error.text)));
  }
  if (to_index(outcome.value) != 0)
    add(fmt::format("value {:016x}", tables[outcome.value].hash[0]));
  if (outcome.count != 0) add(fmt::format("count {}", outcome.count));
  return text.empty() ? "nothing" : text;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

}  // namespace replait
