#include "replay/json_text.h"

#include <gtest/gtest.h>

namespace replait {
namespace {

TEST(JsonText, LaysOutNestedValuesInTheOrderOfTheCalls) {
  JsonText json;
  json.begin_object().field("name", "x").field("count", std::uint64_t{3}).field("ok", true);
  json.key("none").null().key("list").begin_array().value(std::uint64_t{1});
  json.begin_object().end_object().end_array().end_object();
  EXPECT_EQ(json.text(),
            "{\n  \"name\": \"x\",\n  \"count\": 3,\n  \"ok\": true,\n  \"none\": null,\n"
            "  \"list\": [\n    1,\n    {}\n  ]\n}\n");
}

TEST(JsonText, EscapesWhatJsonMayNotHold) {
  EXPECT_EQ(json_quoted("a\"b\\c\nd\x01"), "\"a\\\"b\\\\c\\nd\\u0001\"");
}

TEST(JsonText, KeepsUtf8AndReplacesWhatIsNone) {
  EXPECT_EQ(json_quoted("\xc3\xa4"), "\"\xc3\xa4\"");
  EXPECT_EQ(json_quoted("\xff"
                        "a"),
            "\"\\ufffda\"");
  EXPECT_EQ(json_quoted("\xc0\x80"), "\"\\ufffd\\ufffd\"");             // Overlong.
  EXPECT_EQ(json_quoted("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");  // A surrogate.
}

}  // namespace
}  // namespace replait
