// Runs the built command in a folder of its own, and keeps what it printed.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "replay/child.h"

namespace replait {

// The test's working folder is empty, and gone afterwards. The binary stands in REPLAIT_UNDER_TEST.
class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    const char* binary = std::getenv("REPLAIT_UNDER_TEST");
    ASSERT_NE(binary, nullptr) << "run this through meson test";
    binary_ = std::filesystem::absolute(binary).string();
    std::string folder = (std::filesystem::temp_directory_path() / "replait-cli-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(folder_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::error_code ignored;
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(folder_, ignored);
  }

  Captured run(const std::vector<std::string>& arguments) const {
    Arguments all{binary_};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return captured(all);
  }
  // The shell line with `replait` as a function that runs the binary.
  Captured shell(const std::string& line) const {
    return captured({"sh", "-c", "replait() { '" + binary_ + "' \"$@\"; }; " + line});
  }

  // Exit code 2 to 5, nothing on standard output, and all of `parts` in the message.
  void expect_error(const std::vector<std::string>& arguments, int code,
                    std::initializer_list<const char*> parts) const {
    const Captured result = run(arguments);
    EXPECT_EQ(result.code, code) << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors.rfind("error: ", 0), 0U) << result.errors;
    for (const char* part : parts)
      EXPECT_NE(result.errors.find(part), std::string::npos) << part << "\n" << result.errors;
  }

  // Records a kernel that runs clean, and one that fails.
  void record(const std::string& kernel, const std::string& file,
              const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"record",           kernel, "--seed", "1",
                                       "--no-environment", "-o",   file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Captured result = run(arguments);
    ASSERT_TRUE(result.code == 0 || result.code == 1) << result.errors;
    ASSERT_TRUE(std::filesystem::exists(file));
  }

  static std::string bytes_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  static void write(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
  }

  std::filesystem::path folder_;

 private:
  static Captured captured(const Arguments& arguments) {
    const Result<Captured> result = capture_child(arguments);
    EXPECT_TRUE(result.ok());
    return result.ok() ? *result : Captured{};
  }

  std::string binary_;
  std::filesystem::path before_;
};

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace replait
