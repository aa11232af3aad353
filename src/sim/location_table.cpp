#include "sim/location_table.h"

#include <algorithm>
#include <bit>
#include <fstream>
#include <sstream>

#include "sched/describe.h"
#include "trace/hash.h"

namespace replait {

namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool ends_with_path(std::string_view path, std::string_view end) {
  return path == end || (path.size() > end.size() && path.ends_with(end) &&
                         path[path.size() - end.size() - 1] == '/');
}

}  // namespace

std::string relative_file(std::string_view file) {
  while (take_prefix(file, "./") || take_prefix(file, "../") || take_prefix(file, "/")) {
  }
  std::string_view below = file;
  if (take_prefix(below, "home/") || take_prefix(below, "Users/")) {
    below.remove_prefix(std::min(below.find('/'), below.size()));
    if (take_prefix(below, "/")) file = below;
  }
  return std::string(file);
}

LocationTable::File LocationTable::split(std::string name, std::string_view text) {
  File file{.name = std::move(name), .lines = {}, .hash = hash64(text)};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    file.lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return file;
}

const LocationTable::File& LocationTable::file(std::string_view compiled_name) {
  const auto found = files_.find(compiled_name);
  if (found != files_.end()) return found->second;
  const auto add = [&](File file) -> const File& {
    return files_.emplace(compiled_name, std::move(file)).first->second;
  };
  for (const EmbeddedSource& source : sources_) {
    if (ends_with_path(compiled_name, source.file)) {
      return add(split(std::string(source.file), source.text));
    }
  }
  std::string name = relative_file(compiled_name);
  for (const std::string& path : {std::string(compiled_name), name}) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    if (stream && text << stream.rdbuf()) return add(split(std::move(name), text.str()));
  }
  return add({.name = std::move(name), .lines = {}, .hash = 0});
}

SourceId LocationTable::add(const Location& where) {
  if (where.line == 0) return {};
  const File& from = file(where.file);
  SourceRow row;
  row.file = from.name;
  row.line = where.line;
  SourceText text;
  text.file_hash = from.hash;
  if (where.line <= from.lines.size()) text.line_text = from.lines[where.line - 1];
  return tables_.source(row, std::move(text));
}

SourceId LocationTable::find(const Location& where) {
  // The compiler's string is a constant: its address tells files apart, and is never shown.
  const std::uint64_t hash = mix(std::bit_cast<std::uintptr_t>(where.file), where.line);
  const auto next = static_cast<std::uint32_t>(known_.size());
  const std::uint32_t row = index_.find_or_insert(hash, next, [&](std::uint32_t number) {
    const Location& known = known_[number].where;
    return known.file == where.file && known.line == where.line;
  });
  if (row == next) known_.push_back({.where = where, .id = add(where)});
  recent_[where.line % kRecent] = known_[row];
  return known_[row].id;
}

}  // namespace replait
