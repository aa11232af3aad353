// From the place of a call to a SourceId, with the file's relative name and the line's text.
//
// Recordings hold no absolute paths. A file that was built into the program has the name that it
// was built in with; of others the leading "./" and "../" go, and so does a home directory: a path
// says where the compiler ran, which is nobody's business.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "replait/kernel.h"
#include "replait/location.h"
#include "trace/row_index.h"
#include "trace/tables.h"

namespace replait {

// "../src/ring.cpp" -> "src/ring.cpp"; "/home/name/project/ring.cpp" -> "project/ring.cpp".
std::string relative_file(std::string_view file);

class LocationTable {
 public:
  LocationTable(Tables& tables, std::span<const EmbeddedSource> sources)
      : tables_(tables), sources_(sources) {}

  SourceId id(const Location& where) {
    const Known& recent = recent_[where.line % kRecent];
    if (recent.where.file == where.file && recent.where.line == where.line) return recent.id;
    return find(where);
  }

 private:
  static constexpr std::size_t kRecent = 64;
  struct File {
    std::string name;
    std::vector<std::string> lines;
    std::uint64_t hash = 0;
  };
  struct Known {
    Location where;
    SourceId id{};
  };

  SourceId find(const Location& where);
  SourceId add(const Location& where);
  const File& file(std::string_view compiled_name);
  static File split(std::string name, std::string_view text);

  Tables& tables_;
  std::span<const EmbeddedSource> sources_;
  std::map<std::string, File, std::less<>> files_;  // By the compiler's name.
  std::vector<Known> known_;
  RowIndex index_;
  std::array<Known, kRecent> recent_;  // By line: a kernel's loop has few.
};

}  // namespace replait
