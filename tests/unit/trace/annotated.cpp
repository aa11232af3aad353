// The wire form of a trace next to the names that trace.proto gives it.
#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include "tiny_execution.h"
#include "trace/columns.h"
#include "trace/trace.pb.h"
#include "trace_file.h"

namespace replait::test {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr std::size_t kBytesShown = 8;

class Annotator {
 public:
  explicit Annotator(std::string_view content) : content_(content) {}

  std::string text() {
    message(*Trace::descriptor(), content_.size(), 0);
    return out_;
  }

 private:
  std::uint64_t varint() {
    std::uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(content_.at(at_++));
      n |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return n;
    }
  }
  std::uint64_t fixed64() {
    std::uint64_t n = 0;
    for (unsigned i = 0; i < 8; ++i) {
      n |= std::uint64_t{static_cast<unsigned char>(content_.at(at_++))} << (8 * i);
    }
    return n;
  }
  static bool is_fixed(const FieldDescriptor& field) {
    return field.type() == FieldDescriptor::TYPE_FIXED64;
  }
  std::string number(const FieldDescriptor& field) {
    if (is_fixed(field)) return fmt::format("{:016x}", fixed64());
    const std::uint64_t n = varint();
    const bool zigzags = field.type() == FieldDescriptor::TYPE_SINT64 ||
                         field.type() == FieldDescriptor::TYPE_SINT32;
    if (zigzags) return fmt::format("{}", unzigzag(n));
    if (field.enum_type() != nullptr) {
      const auto* value = field.enum_type()->FindValueByNumber(static_cast<int>(n));
      if (value != nullptr) return value->name();
    }
    return fmt::format("{}", n);
  }

  void line(std::size_t begin, std::size_t end, int depth, const std::string& what) {
    std::string bytes;
    for (std::size_t i = begin; i < end && i < begin + kBytesShown; ++i) {
      bytes += fmt::format("{:02x} ", static_cast<unsigned char>(content_[i]));
    }
    if (end - begin > kBytesShown) bytes += "..";
    out_ += fmt::format("{:04x}  {:<27}{:{}}{}\n", begin, bytes, "", 2 * depth, what);
  }

  void message(const Descriptor& type, std::size_t end, int depth) {
    while (at_ < end) field(type, depth);
  }

  void field(const Descriptor& type, int depth) {
    const std::size_t begin = at_;
    const std::uint64_t tag = varint();
    const FieldDescriptor* found = type.FindFieldByNumber(static_cast<int>(tag >> 3));
    if (found == nullptr) {
      ADD_FAILURE() << "no field " << (tag >> 3) << " in " << type.name();
      at_ = content_.size();
      return;
    }
    if ((tag & 7) != 2) {
      const std::string value = number(*found);
      return line(begin, at_, depth, found->name() + " = " + value);
    }
    const std::uint64_t size = varint();
    const std::size_t end = at_ + size;
    if (found->message_type() != nullptr) {
      line(begin, at_, depth, fmt::format("{}: {} bytes", found->name(), size));
      return message(*found->message_type(), end, depth + 1);
    }
    std::string value;
    if (found->type() == FieldDescriptor::TYPE_BYTES) {
      value = quoted(content_.substr(at_, size));
      at_ = end;
    } else {
      while (at_ < end) value += (value.empty() ? "" : ", ") + number(*found);
      value = "[" + value + "]";
    }
    line(begin, end, depth, found->name() + " = " + value);
  }

  static std::string quoted(std::string_view bytes) {
    std::string out = "\"";
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      out += byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
    }
    return out + "\"";
  }

  std::string_view content_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string annotated(const std::string& trace_bytes) {
  std::string out;
  std::size_t number = 0;
  for (std::string content : frame_contents(trace_bytes)) {
    Trace trace;
    if (!trace.ParseFromString(content)) return "no trace";
    if (trace.packet(0).has_header()) {
      trace.mutable_packet(0)->mutable_header()->clear_schema();
      trace.mutable_packet(0)->mutable_header()->clear_tool_version();
      content = trace.SerializeAsString();
    }
    out += fmt::format("{}frame {}, {} bytes\n", number == 0 ? "" : "\n", number, content.size());
    out += Annotator(content).text();
    ++number;
  }
  return out;
}

}  // namespace replait::test
