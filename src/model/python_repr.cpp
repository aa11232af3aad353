// Python's repr, for the texts that must be JAX's own.

#include <fmt/format.h>

#include "model/machine.h"

namespace replait {
namespace {

// A tuple of one has a comma of its own.
std::string tuple(const std::vector<std::string>& parts) {
  return parts.size() == 1 ? fmt::format("({},)", parts[0])
                           : fmt::format("({})", fmt::join(parts, ", "));
}

std::string quoted(const std::string& text) {
  const bool single = text.find('\'') == std::string::npos || text.find('"') != std::string::npos;
  const char quote = single ? '\'' : '"';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  out += quote;
  return out;
}

}  // namespace

std::string python_repr(const KeyRow& key) {
  return fmt::format("({}, {}, {}, {})", quoted(key.space), key.buffer, key.device, key.core);
}

std::string python_repr(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> parts;
  for (const std::int64_t size : shape) parts.push_back(std::to_string(size));
  return tuple(parts);
}

std::string python_repr(const RangeRow& range) {
  std::vector<std::string> parts;
  for (const Dim& dim : range.dims) {
    parts.push_back(dim.is_index
                        ? std::to_string(dim.start)
                        : fmt::format("slice({}, {}, {})", dim.start, dim.stop, dim.stride));
  }
  return tuple(parts);
}

}  // namespace replait
