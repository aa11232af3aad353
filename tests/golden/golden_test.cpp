// The golden corpus: traces/VERDICT/NAME.replait for each sample and seed 1, and beside it
// NAME.txt, what `check` and `replay` print of it and how they exit.
//
// Recording anew must give the same run; with the libraries of traces/versions.txt, the same bytes.
// The stored traces must print what they printed when they were stored, so a change of format,
// meaning or wording shows as a difference in a file. REPLAIT_UPDATE_GOLDEN=1 writes all of it
// anew.
#include <google/protobuf/stubs/common.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "examples/cpp/samples.h"
#include "replay/child.h"

namespace replait {
namespace {

struct Golden {
  std::string kernel;
  std::string verdict;  // The family of the rule that it shows: "race", "memory"; or "clean".
  std::string stem;     // Of its files.
  std::vector<std::string> options;
};

std::ostream& operator<<(std::ostream& stream, const Golden& golden) {
  return stream << golden.verdict << "/" << golden.stem;
}

std::vector<Golden> goldens() {
  std::vector<Golden> all;
  for (const Kernel& kernel : sample_kernels()) {
    const std::string verdict = kernel.expected.substr(0, kernel.expected.find_first_of(". "));
    all.push_back({kernel.name, verdict, kernel.name, {}});
    // What the format can hold besides, on one kernel that has everything.
    if (kernel.name != "ring-shared-semaphore") continue;
    all.push_back({kernel.name, verdict, kernel.name + ".hash", {"--values", "hash"}});
    all.push_back({kernel.name, verdict, kernel.name + ".full", {"--values", "full"}});
    all.push_back({kernel.name, verdict, kernel.name + ".clocks", {"--debug-clocks"}});
  }
  return all;
}

bool updating() { return std::getenv("REPLAIT_UPDATE_GOLDEN") != nullptr; }

std::filesystem::path corpus() { return std::getenv("GOLDEN_FOLDER"); }

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write(const std::filesystem::path& file, const std::string& bytes) {
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

// The bytes of a trace depend on these two, its run id on nothing.
std::string versions() {
  return "protobuf " + std::to_string(GOOGLE_PROTOBUF_VERSION) + "\nzstd " + ZSTD_versionString() +
         "\n";
}

Captured run(const std::vector<std::string>& arguments) {
  Arguments all{"replait"};  // Found on PATH, so that no output depends on the build's place.
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Result<Captured> result = capture_child(all);
  return result.ok() ? *result : Captured{.code = -1, .output = "", .errors = "not started"};
}

// As a transcript.
std::string transcript(const std::vector<std::string>& arguments) {
  const Captured result = run(arguments);
  std::string text = "$ replait";
  for (const std::string& argument : arguments) text += " " + argument;
  return text + "\n" + result.output + result.errors + "[exit " + std::to_string(result.code) +
         "]\n";
}

class Corpus : public testing::TestWithParam<Golden> {
 protected:
  void SetUp() override {
    ASSERT_NE(std::getenv("GOLDEN_FOLDER"), nullptr) << "run this through meson test";
    const std::filesystem::path folder = std::getenv("REPLAIT_FOLDER");
    setenv("PATH", (folder.string() + ":" + std::getenv("PATH")).c_str(), 1);
    std::string made = (std::filesystem::temp_directory_path() / "replait-golden-XXXXXX").string();
    ASSERT_NE(mkdtemp(made.data()), nullptr);
    temporary_ = made;
    std::filesystem::create_directories(folder_of(GetParam()));
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(folder_of(GetParam()));
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(temporary_);
  }

  static std::filesystem::path folder_of(const Golden& golden) { return corpus() / golden.verdict; }
  std::string record(const std::string& name) const {
    const std::string file = (temporary_ / name).string();
    std::vector<std::string> arguments{
        "record", GetParam().kernel, "--seed", "1", "--no-environment", "-o", file};
    arguments.insert(arguments.end(), GetParam().options.begin(), GetParam().options.end());
    const Captured result = run(arguments);
    EXPECT_TRUE(result.code == 0 || result.code == 1) << result.errors;
    return file;
  }
  static std::string run_id(const std::string& file) {
    const std::string output = run({"replay", file}).output;
    const std::size_t at = output.find("run id ");
    return at == std::string::npos ? "none: " + output : output.substr(at, 7 + 32);
  }

  std::filesystem::path temporary_;
  std::filesystem::path before_;
};

TEST_P(Corpus, IsRecordedAsBeforeAndPrintsAsBefore) {
  const std::string trace = GetParam().stem + ".replait";
  const std::string text = GetParam().stem + ".txt";
  const std::string first = record("first.replait");
  const std::string second = record("second.replait");
  ASSERT_EQ(read(first), read(second)) << "two recordings differ";
  if (updating()) {
    write(trace, read(first));
    write(text, transcript({"check", trace}) + "\n" + transcript({"replay", trace}));
  }
  EXPECT_EQ(run_id(first), run_id(trace));
  if (versions() == read(corpus() / "versions.txt")) {
    EXPECT_TRUE(read(first) == read(trace)) << "the bytes of " << trace << " differ";
  }
  EXPECT_EQ(transcript({"check", trace}) + "\n" + transcript({"replay", trace}), read(text));
}

INSTANTIATE_TEST_SUITE_P(Samples, Corpus, testing::ValuesIn(goldens()), [](const auto& golden) {
  std::string name = golden.param.stem;
  for (char& c : name) c = c == '-' || c == '.' ? '_' : c;
  return name;
});

TEST(CorpusFolder, HoldsNothingElse) {
  std::set<std::filesystem::path> known{corpus() / "README.md", corpus() / "versions.txt"};
  for (const Golden& golden : goldens()) {
    for (const char* suffix : {".replait", ".txt"})
      known.insert(corpus() / golden.verdict / (golden.stem + suffix));
  }
  if (updating()) write(corpus() / "versions.txt", versions());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus())) {
    if (!entry.is_regular_file() || entry.path().string().find("/jax/") != std::string::npos)
      continue;
    EXPECT_EQ(known.count(entry.path()), 1U) << entry.path();
  }
}

}  // namespace
}  // namespace replait
