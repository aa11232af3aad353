#include "trace/header_codec.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>

#include "trace/columns.h"
#include "trace/trace.pb.h"

#ifndef REPLAIT_VERSION
#error "the build file defines REPLAIT_VERSION"
#endif

namespace replait {
namespace {

std::string frame_of(const Packet& packet) {
  std::string content;
  append_field(content, Trace::kPacketFieldNumber, packet.SerializeAsString());
  return content;
}

// The schema as its readers may want it: what a field of an unknown version is.
std::string schema() {
  google::protobuf::FileDescriptorSet files;
  Trace::descriptor()->file()->CopyTo(files.add_file());
  return files.SerializeAsString();
}

Failure unreadable(std::string message) {
  return {.kind = FailureKind::kUnreadable, .message = std::move(message), .remedy = {}};
}

}  // namespace

std::string encode_header(const Header& header) {
  Packet packet;
  HeaderPacket& out = *packet.mutable_header();
  out.set_format_version(kFormatVersion);
  out.set_oldest_reader_version(kOldestReaderVersion);
  out.set_tool_version(REPLAIT_VERSION);
  out.set_scheduler(header.scheduler);
  out.set_seed(header.seed);
  out.set_program(header.program);
  out.set_program_hash_xxh3(header.program_hash);
  out.set_inputs_hash_xxh3(header.inputs_hash);
  out.set_jax_version(header.jax_version);
  out.set_value_level(static_cast<ValueLevelCode>(header.values));
  for (const auto& [name, value] : header.options) {
    NamedText& option = *out.add_option();
    option.set_name(name);
    option.set_value(value);
  }
  out.set_schema(schema());
  return frame_of(packet);
}

std::string encode_environment(const NamedTexts& environment) {
  Packet packet;
  for (const auto& [name, value] : environment) {
    NamedText& entry = *packet.mutable_environment()->add_entry();
    entry.set_name(name);
    entry.set_value(value);
  }
  return frame_of(packet);
}

std::string encode_value_part(const ValueRow& row, std::size_t offset_bytes) {
  Packet packet;
  ValuePacket& value = *packet.mutable_value();
  value.set_hash_low_xxh3(row.hash[0]);
  value.set_hash_high_xxh3(row.hash[1]);
  value.set_total_bytes(row.bytes.size());
  value.set_offset_bytes(offset_bytes);
  value.set_data(row.bytes.data() + offset_bytes,
                 std::min(kValuePartBytes, row.bytes.size() - offset_bytes));
  return frame_of(packet);
}

Result<Header> decode_header(const HeaderPacket& packet) {
  if (packet.oldest_reader_version() > kFormatVersion) {
    Failure failure = unreadable(
        fmt::format("trace format {} needs a replait that reads format {}, this one reads up to {}",
                    packet.format_version(), packet.oldest_reader_version(), kFormatVersion));
    failure.remedy = "install a newer replait";
    return failure;
  }
  if (packet.format_version() < 1 || packet.oldest_reader_version() < 1 ||
      packet.oldest_reader_version() > packet.format_version()) {
    return unreadable(fmt::format("impossible format version {} (oldest reader {})",
                                  packet.format_version(), packet.oldest_reader_version()));
  }
  if (!ValueLevelCode_IsValid(packet.value_level())) {
    return unreadable(fmt::format("unknown value level {}", int{packet.value_level()}));
  }
  Header header;
  header.scheduler = packet.scheduler();
  header.seed = packet.seed();
  header.program = packet.program();
  header.program_hash = packet.program_hash_xxh3();
  header.inputs_hash = packet.inputs_hash_xxh3();
  header.jax_version = packet.jax_version();
  header.values = static_cast<ValueLevel>(packet.value_level());
  for (const NamedText& option : packet.option()) {
    header.options.emplace_back(option.name(), option.value());
  }
  return header;
}

}  // namespace replait
