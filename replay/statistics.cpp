#include "replay/statistics.h"

#include "trace/describe.h"

namespace replait {
namespace {

template <std::size_t... kIndices>
constexpr auto op_words(std::index_sequence<kIndices...>) {
  return std::array<Op, sizeof...(kIndices)>{Op(std::in_place_index<kIndices>)...};
}

}  // namespace

std::string_view op_word_at(std::size_t index) {
  static const auto kOps = op_words(std::make_index_sequence<std::variant_size_v<Op>>());
  if (std::holds_alternative<CopyStep>(kOps[index])) return "copy step";
  return op_word_of(kOps[index]);
}

void Statistics::consume(std::span<const Applied> events) {
  for (const Applied& event : events) count(event);
}

void Statistics::count(const Applied& event) {
  ++ops_[event.op.index()];
  const AgentRow& row = (*tables_)[event.agent];
  const auto [launch, is_new] = launches_.try_emplace(row.launch);
  if (is_new) launch->second.first = event.index;
  launch->second.last = event.index;
  ++launch->second.events;
  if (!row.is_copy()) {
    Thread& thread = threads_[tables_->identity(event.agent)];
    ++thread.events;
    if (std::holds_alternative<IssueCopy>(event.op)) ++thread.copies;
  }
  if (const auto* op = std::get_if<Allocate>(&event.op)) {
    Key& key = keys_[op->key];
    if (!key.buffer) key.buffer = op->buffer;
  }
  if (const auto* op = std::get_if<Read>(&event.op)) ++keys_[op->key].reads;
  if (const auto* op = std::get_if<Write>(&event.op)) ++keys_[op->key].writes;
  if (const auto* op = std::get_if<Swap>(&event.op)) {
    ++keys_[op->key].reads;
    ++keys_[op->key].writes;
  }
  if (const auto* op = std::get_if<CopyStep>(&event.op); op != nullptr && row.is_copy()) {
    if (op->phase == CopyPhase::kReadSource) ++keys_[row.copy.source_key].reads;
    if (op->phase == CopyPhase::kWriteDestination) ++keys_[row.copy.destination_key].writes;
  }
}

}  // namespace replait
