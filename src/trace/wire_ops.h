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

// Codes 21 .. 23 are for ever the async accesses; ops that come to be after Yield follow them.
constexpr std::uint8_t kFirstAsyncCode = 21;
constexpr std::uint8_t kAsyncAccesses[] = {op_index<Read>(), op_index<Write>(), op_index<Swap>()};
constexpr std::uint8_t kAsyncCodes = 3;
static_assert(op_index<Yield>() + 1 == kFirstAsyncCode);

constexpr std::uint8_t wire_op(std::uint8_t op, std::uint8_t detail) {
  for (std::uint8_t i = 0; i < kAsyncCodes; ++i) {
    if (op == kAsyncAccesses[i] && detail == static_cast<std::uint8_t>(Proxy::kAsync)) {
      return static_cast<std::uint8_t>(kFirstAsyncCode + i);
    }
  }
  return static_cast<std::uint8_t>(op < kFirstAsyncCode ? op : op + kAsyncCodes);
}

struct OpAndDetail {
  std::uint8_t op = 0;
  std::uint8_t detail = 0;  // The proxy.
};
// Without the flags. nullopt for a code that is none, or that no thread may have.
constexpr std::optional<OpAndDetail> thread_op(std::uint8_t code) {
  if (code == op_index<CopyStep>() || code >= kOps + kAsyncCodes) return std::nullopt;
  if (code < kFirstAsyncCode) return OpAndDetail{.op = code, .detail = 0};
  const auto after = static_cast<std::uint8_t>(code - kFirstAsyncCode);
  if (after >= kAsyncCodes) {
    return OpAndDetail{.op = static_cast<std::uint8_t>(code - kAsyncCodes), .detail = 0};
  }
  return OpAndDetail{.op = kAsyncAccesses[after],
                     .detail = static_cast<std::uint8_t>(Proxy::kAsync)};
}

}  // namespace replait
