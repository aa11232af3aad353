// Where an op stands: file, line and the line's text, the same from every compiler.
#include <gtest/gtest.h>

#include "event_log.h"
#include "replait/replait.h"
#include "sim/location_table.h"

namespace replait {
namespace {

TEST(RelativeFile, SaysNothingOfWhereTheCompilerRan) {
  EXPECT_EQ(relative_file("ring.cpp"), "ring.cpp");
  EXPECT_EQ(relative_file("./src/ring.cpp"), "src/ring.cpp");
  EXPECT_EQ(relative_file("../../src/ring.cpp"), "src/ring.cpp");
  EXPECT_EQ(relative_file("/opt/kernels/ring.cpp"), "opt/kernels/ring.cpp");
  EXPECT_EQ(relative_file("/home/name/kernels/ring.cpp"), "kernels/ring.cpp");
  EXPECT_EQ(relative_file("../../home/name/kernels/ring.cpp"), "kernels/ring.cpp");
  EXPECT_EQ(relative_file("/Users/name/ring.cpp"), "ring.cpp");
  EXPECT_EQ(relative_file("home/ring.cpp"), "home/ring.cpp");
}

constexpr EmbeddedSource kSources[] = {{"kernels/a.cpp", "first\nsecond\n\nfourth"}, {"b.cpp", ""}};

struct Placed {
  std::string file;
  std::uint32_t line;
  std::string text;
  friend bool operator==(const Placed&, const Placed&) = default;
};

Placed place(const Location& where) {
  Tables tables;
  LocationTable locations(tables, kSources);
  const SourceId id = locations.id(where);
  EXPECT_EQ(locations.id(where), id);
  return {tables[id].file, tables[id].line, tables.text(id).line_text};
}

TEST(LocationTable, TakesNameAndTextOfAnEmbeddedFile) {
  const Placed second{"kernels/a.cpp", 2, "second"};
  EXPECT_EQ(place({.file = "../../project/kernels/a.cpp", .line = 2}), second);
  EXPECT_EQ(place({.file = "/home/name/kernels/a.cpp", .line = 2}), second);
  EXPECT_EQ(place({.file = "kernels/a.cpp", .line = 4}), (Placed{"kernels/a.cpp", 4, "fourth"}));
  EXPECT_EQ(place({.file = "kernels/a.cpp", .line = 5}), (Placed{"kernels/a.cpp", 5, ""}));
}

TEST(LocationTable, AnotherFileWithALongerNameIsNoEmbeddedOne) {
  EXPECT_EQ(place({.file = "ab.cpp", .line = 1}), (Placed{"ab.cpp", 1, ""}));
}

TEST(LocationTable, AFileThatCannotBeReadHasNoText) {
  EXPECT_EQ(place({.file = "../nowhere/c.cpp", .line = 3}), (Placed{"nowhere/c.cpp", 3, ""}));
}

TEST(LocationTable, EqualNamesAtTwoAddressesAreOneFile) {
  Tables tables;
  LocationTable locations(tables, kSources);
  const std::string once = "kernels/a.cpp";
  const std::string twice = "kernels/a.cpp";
  EXPECT_EQ(locations.id({.file = once.c_str(), .line = 1}),
            locations.id({.file = twice.c_str(), .line = 1}));
}

TEST(LocationTable, NoLineIsNoSource) {
  Tables tables;
  LocationTable locations(tables, kSources);
  EXPECT_EQ(locations.id({}), SourceId{});
}

// The line numbers are relative to the marks, so that the compilers are held to the same ones.
std::uint32_t first_line = 0;

void body(ThreadContext& context) {
  first_line = __LINE__;
  const auto x = context.allocate<float>(MemorySpace::kVmem, {2, 2}, {.name = "x"});
  x[{0, 1}] = 1.0F;
  // clang-format off
  const float sum = x[{0, 1}] +
                    x[{0, 1}];
  x.at({1}).set({sum, sum});
  context.allocate<float>(
      MemorySpace::kVmem,
      {2});
  // clang-format on
}

TEST(Location, IsTheLineOfTheCall) {
  const auto result = run(Kernel{.name = "lines", .body = body});
  std::vector<std::uint32_t> lines;
  for (const std::string& line : result->log.lines) {
    const std::size_t at = line.find(" @");
    if (at == std::string::npos) continue;
    lines.push_back(static_cast<std::uint32_t>(std::stoul(line.substr(at + 2))) - first_line);
  }
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{1, 2, 4, 5, 6, 7}));
}

TEST(Location, OfAKernelIsInItsLaunch) {
  const Location where = Location::current();
  const Kernel kernel{.name = "defined", .body = [](ThreadContext&) {}, .where = where};
  const auto result = run(kernel);
  const LaunchRow& launch = result->tables[LaunchId{}];
  EXPECT_EQ(launch.kernel, "defined");
  EXPECT_EQ(result->tables[launch.source].line, where.line);
}

}  // namespace
}  // namespace replait
