#include "trace/tables.h"

#include <limits>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace replait {
namespace {

// A fast mixing hash for the index only: it never reaches a file or an output.
class Mixer {
 public:
  Mixer& add(std::uint64_t number) {
    state_ = (state_ ^ number) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 29;
    return *this;
  }
  Mixer& add(std::int64_t number) { return add(static_cast<std::uint64_t>(number)); }
  Mixer& add(std::string_view text) {
    add(text.size());
    for (const char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return *this;
  }
  template <typename T>
  Mixer& add_all(const std::vector<T>& numbers) {
    add(numbers.size());
    for (const T number : numbers) add(static_cast<std::uint64_t>(number));
    return *this;
  }
  std::uint64_t hash() const {
    std::uint64_t h = state_ ^ (state_ >> 32);
    h *= 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
  }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3u;
};

// Where a semaphore is told from another: its name and what it counts are no part of it.
bool same_semaphore(const SemaphoreRow& a, const SemaphoreRow& b) {
  return a.launch == b.launch && a.device == b.device && a.core == b.core && a.id == b.id &&
         a.kind == b.kind;
}

bool same_value(const ValueRow& a, const ValueRow& b) {
  return a.hash[0] == b.hash[0] && (a.hash[1] == b.hash[1] || a.hash[1] == 0 || b.hash[1] == 0);
}

std::uint64_t place_hash(LaunchId launch, std::uint32_t device, std::uint32_t core) {
  return Mixer()
      .add(std::uint64_t{to_index(launch)})
      .add(std::uint64_t{device} << 32 | core)
      .hash();
}

// The next row's number, or a failed check: ids have 32 bits.
std::uint32_t next_number(std::size_t rows) {
  REPLAIT_CHECK(rows < std::numeric_limits<std::uint32_t>::max(), "more rows than ids");
  return static_cast<std::uint32_t>(rows);
}

}  // namespace

template <typename Row>
std::uint32_t Tables::intern(Interned<Row>& table, const Row& row, std::uint64_t hash) {
  const std::uint32_t next = next_number(table.rows.size());
  const std::uint32_t found = table.index.find_or_insert(
      hash, next, [&](std::uint32_t number) { return table.rows[number] == row; });
  if (found == next) table.rows.push_back(row);
  return found;
}

Tables::Tables() {
  source(SourceRow{});
  value(ValueRow{});
  error(ErrorRow{});
}

LaunchId Tables::add_launch(LaunchRow row) {
  const std::uint32_t number = next_number(launches_.size());
  launches_.push_back(std::move(row));
  return from_index<LaunchId>(number);
}

AgentId Tables::thread(LaunchId launch, std::uint32_t device, std::uint32_t core) {
  const std::uint32_t next = next_number(agents_.rows.size());
  const std::uint32_t found = agents_.index.find_or_insert(
      place_hash(launch, device, core), next, [&](std::uint32_t number) {
        const AgentRow& row = agents_.rows[number];
        return !row.is_copy() && row.launch == launch && row.device == device && row.core == core;
      });
  if (found == next) {
    AgentRow row;
    row.launch = launch;
    row.device = device;
    row.core = core;
    agents_.rows.push_back(std::move(row));
  }
  return from_index<AgentId>(found);
}

AgentId Tables::copy(AgentId issuer, std::uint64_t issue, const CopyRow& row) {
  REPLAIT_CHECK(to_index(issuer) < agents_.rows.size() && !(*this)[issuer].is_copy());
  const std::uint32_t next = next_number(agents_.rows.size());
  const std::uint64_t hash = Mixer().add(std::uint64_t{to_index(issuer)}).add(~issue).hash();
  const std::uint32_t found = agents_.index.find_or_insert(hash, next, [&](std::uint32_t number) {
    const AgentRow& other = agents_.rows[number];
    return other.issuer == issuer && other.issue == issue;
  });
  if (found == next) {
    AgentRow agent = (*this)[issuer];
    agent.issuer = issuer;
    agent.issue = issue;
    agent.copy = row;
    agents_.rows.push_back(std::move(agent));
  }
  return from_index<AgentId>(found);
}

KeyId Tables::key(const KeyRow& row) {
  const std::uint64_t hash = Mixer()
                                 .add(std::uint64_t{to_index(row.launch)})
                                 .add(row.space)
                                 .add(row.buffer)
                                 .add(std::uint64_t{row.device} << 32 | row.core)
                                 .hash();
  return from_index<KeyId>(intern(keys_, row, hash));
}

BufferId Tables::buffer(const BufferRow& row) {
  const std::uint64_t hash =
      Mixer()
          .add(static_cast<std::uint64_t>(row.kind) << 8 | static_cast<std::uint64_t>(row.dtype))
          .add(std::uint64_t{to_index(row.content_shape)} << 32 | to_index(row.logical_shape))
          .add(std::uint64_t{row.references})
          .add(row.name)
          .hash();
  return from_index<BufferId>(intern(buffers_, row, hash));
}

ShapeId Tables::shape(std::span<const std::int64_t> dims) {
  std::vector<std::int64_t> row(dims.begin(), dims.end());
  const std::uint64_t hash = Mixer().add_all(row).hash();
  return from_index<ShapeId>(intern(shapes_, row, hash));
}

RangeId Tables::range(const RangeRow& row) {
  Mixer mixer;
  mixer.add(row.dims.size());
  for (const Dim& dim : row.dims) {
    mixer.add(dim.start).add(dim.stop).add(dim.stride).add(std::uint64_t{dim.is_index});
  }
  mixer.add_all(row.permutation).add_all(row.mask);
  if (row.window) mixer.add_all(row.window->indices).add_all(row.window->iteration);
  return from_index<RangeId>(intern(ranges_, row, mixer.hash()));
}

SemaphoreId Tables::semaphore(const SemaphoreRow& row) {
  const std::uint32_t next = next_number(semaphores_.rows.size());
  const std::uint64_t hash = Mixer()
                                 .add(std::uint64_t{to_index(row.launch)})
                                 .add(std::uint64_t{row.device} << 32 | row.core)
                                 .add(row.id)
                                 .add(static_cast<std::uint64_t>(row.kind))
                                 .hash();
  const std::uint32_t found = semaphores_.index.find_or_insert(
      hash, next,
      [&](std::uint32_t number) { return same_semaphore(semaphores_.rows[number], row); });
  if (found == next) semaphores_.rows.push_back(row);
  return from_index<SemaphoreId>(found);
}

BarrierId Tables::barrier(const BarrierRow& row) {
  const std::uint64_t hash =
      Mixer()
          .add(std::uint64_t{to_index(row.launch)} << 8 | static_cast<std::uint64_t>(row.kind))
          .add(std::uint64_t{row.device} << 32 | row.number)
          .add(std::uint64_t{row.arrivals} << 1 | std::uint64_t{row.interpreter_only})
          .add(row.name)
          .hash();
  return from_index<BarrierId>(intern(barriers_, row, hash));
}

SourceId Tables::source(const SourceRow& row, SourceText text) {
  const std::uint64_t hash = Mixer()
                                 .add(row.file)
                                 .add(std::uint64_t{row.line} << 32 | row.column)
                                 .add(row.function)
                                 .add(std::uint64_t{to_index(row.caller)})
                                 .hash();
  const std::uint32_t number = intern(sources_, row, hash);
  if (number == texts_.size()) texts_.push_back(std::move(text));
  return from_index<SourceId>(number);
}

ValueId Tables::value(ValueRow row) {
  const std::uint32_t next = next_number(values_.rows.size());
  const std::uint64_t hash = Mixer().add(row.hash[0]).hash();
  const std::uint32_t found = values_.index.find_or_insert(
      hash, next, [&](std::uint32_t number) { return same_value(values_.rows[number], row); });
  if (found == next) {
    values_.rows.push_back(std::move(row));
  } else {
    ValueRow& known = values_.rows[found];
    if (known.hash[1] == 0) known.hash[1] = row.hash[1];
    if (known.bytes.empty()) known.bytes = std::move(row.bytes);
  }
  return from_index<ValueId>(found);
}

ErrorId Tables::error(const ErrorRow& row) {
  const std::uint64_t hash = Mixer()
                                 .add(static_cast<std::uint64_t>(row.kind))
                                 .add(row.type)
                                 .add(row.text)
                                 .add(row.rule)
                                 .hash();
  return from_index<ErrorId>(intern(errors_, row, hash));
}

AgentIdentity Tables::identity(AgentId id) const {
  const AgentRow& row = (*this)[id];
  return {.launch = (*this)[row.launch].number,
          .device = row.device,
          .core = row.core,
          .is_copy = row.is_copy(),
          .issue = row.issue};
}

}  // namespace replait
