// Every op as the same few numbers, so that the codec is written once and not once an op.
//
// An op has at most two operands that are rows, one value, one small detail and one number. The
// schema says which; encoder, decoder and canonical stream follow it. To add an op: event.h, the
// three functions of op_fields.cpp, and its OpCode in trace.proto.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "trace/event.h"
#include "trace/tables.h"

namespace replait {

// The kinds of rows. The order is part of the canonical stream.
enum class RowKind : std::uint8_t {
  kLaunch,
  kAgent,
  kKey,
  kBuffer,
  kShape,
  kRange,
  kSemaphore,
  kBarrier,
  kSource,
  kValue,
  kError,
};
constexpr std::size_t kRowKinds = 11;

constexpr std::size_t index_of(RowKind kind) { return static_cast<std::size_t>(kind); }

// Kinds whose row 0 means "none".
constexpr bool has_none(RowKind kind) {
  return kind == RowKind::kSource || kind == RowKind::kValue || kind == RowKind::kError;
}

constexpr std::size_t kOps = std::variant_size_v<Op>;

template <typename T, std::size_t I = 0>
constexpr std::uint8_t op_index() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, Op>, T>) {
    return static_cast<std::uint8_t>(I);
  } else {
    return op_index<T, I + 1>();
  }
}

struct OpSchema {
  std::optional<RowKind> first = std::nullopt;
  std::optional<RowKind> second = std::nullopt;
  bool value = false;   // Stores a value.
  bool result = false;  // Its outcome has a value.
  bool number = false;  // An amount, phase or the like.
};

// By index into Op's alternatives.
extern const std::array<OpSchema, kOps> kOpSchemas;

struct OpFields {
  std::uint8_t op = 0;      // Index into Op's alternatives.
  std::uint8_t detail = 0;  // Proxy, CopyPhase or RefusedOp.
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::uint32_t value = 0;
  std::uint64_t number = 0;
};

OpFields fields_of(const Op& op);

// REQUIRES: an op and a detail within their enumerations.
Op op_of(const OpFields& fields);

// How many details the op has: Proxy, CopyPhase, RefusedOp, or 1.
std::uint8_t details_of(std::uint8_t op);

// Calls visit(kind, id) for each row that this one refers to, in the canonical order.
template <typename Visit>
void for_each_reference(const Tables& tables, RowKind kind, std::uint32_t id, Visit visit) {
  switch (kind) {
    case RowKind::kLaunch: {
      visit(RowKind::kSource, to_index(tables[LaunchId{id}].source));
      return;
    }
    case RowKind::kAgent: {
      const AgentRow& row = tables[AgentId{id}];
      if (!row.is_copy()) {
        visit(RowKind::kLaunch, to_index(row.launch));
        return;
      }
      visit(RowKind::kAgent, to_index(*row.issuer));
      visit(RowKind::kKey, to_index(row.copy.source_key));
      visit(RowKind::kRange, to_index(row.copy.source_range));
      visit(RowKind::kKey, to_index(row.copy.destination_key));
      visit(RowKind::kRange, to_index(row.copy.destination_range));
      if (row.copy.send_semaphore) {
        visit(RowKind::kSemaphore, to_index(*row.copy.send_semaphore));
      }
      visit(RowKind::kSemaphore, to_index(row.copy.receive_semaphore));
      return;
    }
    case RowKind::kKey: {
      visit(RowKind::kLaunch, to_index(tables[KeyId{id}].launch));
      return;
    }
    case RowKind::kBuffer: {
      const BufferRow& row = tables[BufferId{id}];
      visit(RowKind::kShape, to_index(row.content_shape));
      visit(RowKind::kShape, to_index(row.logical_shape));
      return;
    }
    case RowKind::kSemaphore: {
      const SemaphoreRow& row = tables[SemaphoreId{id}];
      if (row.kind != SemaphoreKind::kFixed) visit(RowKind::kLaunch, to_index(row.launch));
      return;
    }
    case RowKind::kBarrier: {
      visit(RowKind::kLaunch, to_index(tables[BarrierId{id}].launch));
      return;
    }
    case RowKind::kSource: {
      visit(RowKind::kSource, to_index(tables[SourceId{id}].caller));
      return;
    }
    case RowKind::kShape:
    case RowKind::kRange:
    case RowKind::kValue:
    case RowKind::kError:
      return;
  }
}

// As for_each_reference, and what those refer to, each before its referrer and the row itself last;
// `known(kind, id)` ends the descent, and enter(kind, id) is called for each row that is not.
// Call stacks may be deep, so callers are followed without recursion.
template <typename Known, typename Enter>
void enter_row(const Tables& tables, RowKind kind, std::uint32_t id, const Known& known,
               const Enter& enter) {
  if (known(kind, id)) return;
  if (kind == RowKind::kSource) {
    std::vector<std::uint32_t> chain;
    for (std::uint32_t at = id; !known(kind, at); at = to_index(tables[SourceId{at}].caller)) {
      chain.push_back(at);
    }
    for (std::size_t i = chain.size(); i > 0; --i) enter(kind, chain[i - 1]);
    return;
  }
  for_each_reference(tables, kind, id, [&](RowKind part, std::uint32_t part_id) {
    enter_row(tables, part, part_id, known, enter);
  });
  enter(kind, id);
}

}  // namespace replait
