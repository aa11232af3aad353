// The byte of a thread's op column: its OpCode and two flags.
//
// An access through the async proxy has a code of its own, so the byte has room for 64 codes.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/op_fields.h"

namespace replait {

constexpr std::uint8_t kHasExtra = 0x40;
constexpr std::uint8_t kHasCount = 0x80;

constexpr std::uint8_t kAsyncAccesses[] = {op_index<Read>(), op_index<Write>(), op_index<Swap>()};

constexpr std::uint8_t wire_op(std::uint8_t op, std::uint8_t detail) {
  for (std::uint8_t i = 0; i < 3; ++i) {
    if (op == kAsyncAccesses[i] && detail == static_cast<std::uint8_t>(Proxy::kAsync)) {
      return static_cast<std::uint8_t>(kOps + i);
    }
  }
  return op;
}

struct OpAndDetail {
  std::uint8_t op = 0;
  std::uint8_t detail = 0;  // The proxy.
};
// Without the flags. nullopt for a code that is none, or that no thread may have.
constexpr std::optional<OpAndDetail> thread_op(std::uint8_t code) {
  if (code == op_index<CopyStep>() || code >= kOps + 3) return std::nullopt;
  if (code < kOps) return OpAndDetail{.op = code, .detail = 0};
  return OpAndDetail{.op = kAsyncAccesses[code - kOps],
                     .detail = static_cast<std::uint8_t>(Proxy::kAsync)};
}

}  // namespace replait
