// Traces whose frames are sound and whose content is not: every field of every packet is changed,
// one at a time, to what a hostile writer might choose. A reader refuses, or reads the same.
//
// zstd's checksums hide such content from flipped bits, so this is where the reader's own checks
// are put to the test.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/rng.h"
#include "trace/trace.pb.h"
#include "trace_file.h"

namespace replait::test {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Calls visit(message) for `message` and each message within.
void each_message(Message& message, const std::function<void(Message&)>& visit) {
  visit(message);
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      each_message(*reflection.MutableMessage(&message, field), visit);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      each_message(*reflection.MutableRepeatedMessage(&message, field, i), visit);
    }
  }
}

std::uint64_t hostile_number(Rng& rng, std::uint64_t old) {
  switch (rng.below(6)) {
    case 0:
      return old + 1;
    case 1:
      return old - 1;
    case 2:
      return rng.below(8);
    case 3:
      return ~std::uint64_t{0};
    case 4:
      return std::uint64_t{1} << rng.below(64);
  }
  return rng.next();
}

std::string hostile_text(Rng& rng, std::string text) {
  if (text.empty() || rng.below(3) == 0) return text + static_cast<char>(rng.below(256));
  if (rng.below(2) == 0) return text.substr(0, rng.below(text.size()));
  text[rng.below(text.size())] = static_cast<char>(rng.below(256));
  return text;
}

// Changes one entry of a field that is there.
void mutate_number(Message& message, const FieldDescriptor* field, Rng& rng) {
  const Reflection& r = *message.GetReflection();
  const bool repeated = field->is_repeated();
  const int at =
      repeated
          ? static_cast<int>(rng.below(static_cast<std::uint64_t>(r.FieldSize(message, field))))
          : 0;
  const auto change = [&](auto get, auto get_at, auto set, auto set_at) {
    const auto old = repeated ? (r.*get_at)(message, field, at) : (r.*get)(message, field);
    const auto now = static_cast<std::remove_const_t<decltype(old)>>(
        hostile_number(rng, static_cast<std::uint64_t>(old)));
    if (repeated) {
      (r.*set_at)(&message, field, at, now);
    } else {
      (r.*set)(&message, field, now);
    }
  };
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return change(&Reflection::GetInt32, &Reflection::GetRepeatedInt32, &Reflection::SetInt32,
                    &Reflection::SetRepeatedInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return change(&Reflection::GetInt64, &Reflection::GetRepeatedInt64, &Reflection::SetInt64,
                    &Reflection::SetRepeatedInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return change(&Reflection::GetUInt32, &Reflection::GetRepeatedUInt32, &Reflection::SetUInt32,
                    &Reflection::SetRepeatedUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return change(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64, &Reflection::SetUInt64,
                    &Reflection::SetRepeatedUInt64);
    case FieldDescriptor::CPPTYPE_ENUM:
      r.SetEnumValue(&message, field, static_cast<int>(rng.below(40)));
      return;
    case FieldDescriptor::CPPTYPE_BOOL:
      r.SetBool(&message, field, !r.GetBool(message, field));
      return;
    case FieldDescriptor::CPPTYPE_STRING:
      if (repeated) {
        r.SetRepeatedString(&message, field, at,
                            hostile_text(rng, r.GetRepeatedString(message, field, at)));
      } else {
        r.SetString(&message, field, hostile_text(rng, r.GetString(message, field)));
      }
      return;
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return;
  }
}

void mutate_field(Message& message, Rng& rng) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  if (fields.empty()) return;
  const FieldDescriptor* field = fields[rng.below(fields.size())];
  const std::uint64_t how = rng.below(5);
  if (how == 0) {
    reflection.ClearField(&message, field);
  } else if (how == 1 && field->is_repeated()) {
    reflection.RemoveLast(&message, field);
  } else if (how == 2 && field->is_repeated()) {
    const int size = reflection.FieldSize(message, field);
    reflection.SwapElements(&message, field, static_cast<int>(rng.below(size)),
                            static_cast<int>(rng.below(size)));
  } else {
    mutate_number(message, field, rng);
  }
}

class Mutation : public ::testing::TestWithParam<int> {};

TEST_P(Mutation, IsRefusedOrChangesNothing) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const std::string bytes =
      trace_bytes(random_execution({.seed = seed, .events = 300, .threads = 2, .launches = 2}));
  const Reading whole = read_bytes(bytes);
  ASSERT_FALSE(whole.failure);
  const std::vector<std::string> frames = frame_contents(bytes);
  Rng rng(seed);
  std::size_t refused = 0;
  constexpr std::size_t kTries = 400;
  for (std::size_t i = 0; i < kTries; ++i) {
    std::vector<std::string> mutated = frames;
    std::string& frame = mutated[1 + rng.below(frames.size() - 1)];
    Trace trace;
    ASSERT_TRUE(trace.ParseFromString(frame));
    std::vector<Message*> messages;
    each_message(trace, [&messages](Message& message) { messages.push_back(&message); });
    Message& message = *messages[1 + rng.below(messages.size() - 1)];
    const std::string before = message.ShortDebugString();
    mutate_field(message, rng);
    frame = trace.SerializeAsString();
    const Reading reading = read_bytes(of_frames(mutated));
    if (reading.failure) {
      ASSERT_EQ(reading.failure->kind, FailureKind::kUnreadable);
      ++refused;
      continue;
    }
    // What no part of the run id covers may be another: findings, texts of lines, clocks.
    ASSERT_EQ(reading.run_id, whole.run_id) << before << "\n became \n"
                                            << message.ShortDebugString();
    ASSERT_EQ(reading.events.size(), whole.events.size());
  }
  EXPECT_GT(refused, kTries / 2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Mutation, ::testing::Range(0, 8));

}  // namespace
}  // namespace replait::test
