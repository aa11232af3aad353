#include "check/key_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/rules.h"
#include "trace/describe.h"

namespace replait {

void KeyCheck::see(const Applied& event) {
  if (raised(event)) return;
  if (const auto* op = std::get_if<Allocate>(&event.op)) {
    const auto [found, is_new] = held_.try_emplace(op->key);
    if (is_new) {
      const std::uint32_t references = (*tables_)[op->buffer].references;
      found->second = {op->buffer, std::max(references, 1u), event};
    } else {
      meet(found->second, event, *op);
    }
  }
  if (const auto* op = std::get_if<Free>(&event.op)) {
    const auto found = held_.find(op->key);
    if (found != held_.end() && --found->second.references == 0) held_.erase(found);
  }
}

void KeyCheck::meet(const Held& held, const Applied& event, const Allocate& op) {
  const BufferRow& there = (*tables_)[held.buffer];
  const BufferRow& asked = (*tables_)[op.buffer];
  const bool same = there.kind == asked.kind && there.dtype == asked.dtype &&
                    there.content_shape == asked.content_shape &&
                    there.logical_shape == asked.logical_shape;
  if (same && held.by.source == event.source) return;
  if (!told_.insert({op.key, op.buffer, event.source}).second) return;
  const Describer say(*tables_);
  Finding finding;
  finding.rule = "memory.key-collision";
  finding.severity = same ? Severity::kWarning : severity_of(finding.rule);
  finding.message =
      fmt::format("two allocations met at key {}: {}", say.key(op.key),
                  same ? "of one type, from two places" : "the second one did nothing, silently");
  finding.details.push_back(fmt::format(
      "it holds {} {}, allocated by {} ({}, event {})", say.buffer(op.key, held.buffer),
      say.type(held.buffer), say.agent(held.by.agent), say.source(held.by.source), held.by.index));
  finding.details.push_back(fmt::format(
      "asked for was {} {}, by {} ({}, event {})", say.buffer(op.key, op.buffer),
      say.type(op.buffer), say.agent(event.agent), say.source(event.source), event.index));
  finding.events = {held.by.index, event.index};
  finding.event = event.index;
  sources_[event.index] = event.source;
  findings_.push_back(std::move(finding));
}

}  // namespace replait
