// Tables: what the ids of one execution's events mean.
//
// Identity does not depend on the schedule: a thread is (launch, device, core), a copy (issuing
// agent, n-th issue by it), a key or semaphore (launch, core, id). The dense ids are only
// shorthand. Rows are interned: equal content, equal id. Rows are never changed or removed (but a
// value may get its bytes later), and references to them stay valid while the Tables live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "trace/event.h"
#include "trace/row_index.h"
#include "trace/rows.h"

namespace replait {

class Tables {
 public:
  Tables();  // With row 0 of sources, values and errors.
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  // Each returns the id of an equal row, or adds one. Launches and copies are always added.
  LaunchId add_launch(LaunchRow row);
  AgentId thread(LaunchId launch, std::uint32_t device, std::uint32_t core);
  AgentId copy(AgentId issuer, std::uint64_t issue,
               const CopyRow& row);  // Same issuer and issue: same id.
  KeyId key(const KeyRow& row);
  BufferId buffer(const BufferRow& row);
  ShapeId shape(std::span<const std::int64_t> dims);
  RangeId range(const RangeRow& row);
  SemaphoreId semaphore(const SemaphoreRow& row);  // Equal up to dma and name.
  BarrierId barrier(const BarrierRow& row);
  SourceId source(const SourceRow& row, SourceText text = {});
  // Equal if the low halves of the hashes are, and the high halves where both are known (not 0).
  // High half and bytes are kept from the first row that brings them.
  ValueId value(ValueRow row);
  ErrorId error(const ErrorRow& row);

  // REQUIRES: an id that this object returned.
  const LaunchRow& operator[](LaunchId id) const { return launches_[to_index(id)]; }
  const AgentRow& operator[](AgentId id) const { return agents_.rows[to_index(id)]; }
  const KeyRow& operator[](KeyId id) const { return keys_.rows[to_index(id)]; }
  const BufferRow& operator[](BufferId id) const { return buffers_.rows[to_index(id)]; }
  const std::vector<std::int64_t>& operator[](ShapeId id) const {
    return shapes_.rows[to_index(id)];
  }
  const RangeRow& operator[](RangeId id) const { return ranges_.rows[to_index(id)]; }
  const SemaphoreRow& operator[](SemaphoreId id) const { return semaphores_.rows[to_index(id)]; }
  const BarrierRow& operator[](BarrierId id) const { return barriers_.rows[to_index(id)]; }
  const SourceRow& operator[](SourceId id) const { return sources_.rows[to_index(id)]; }
  const ValueRow& operator[](ValueId id) const { return values_.rows[to_index(id)]; }
  const ErrorRow& operator[](ErrorId id) const { return errors_.rows[to_index(id)]; }
  const SourceText& text(SourceId id) const { return texts_[to_index(id)]; }

  AgentIdentity identity(AgentId id) const;

  std::size_t launches() const { return launches_.size(); }
  std::size_t agents() const { return agents_.rows.size(); }
  std::size_t keys() const { return keys_.rows.size(); }
  std::size_t buffers() const { return buffers_.rows.size(); }
  std::size_t shapes() const { return shapes_.rows.size(); }
  std::size_t ranges() const { return ranges_.rows.size(); }
  std::size_t semaphores() const { return semaphores_.rows.size(); }
  std::size_t barriers() const { return barriers_.rows.size(); }
  std::size_t sources() const { return sources_.rows.size(); }
  std::size_t values() const { return values_.rows.size(); }
  std::size_t errors() const { return errors_.rows.size(); }

 private:
  // A deque keeps references to rows valid while it grows.
  template <typename Row>
  struct Interned {
    std::deque<Row> rows;
    RowIndex index;
  };
  template <typename Row>
  static std::uint32_t intern(Interned<Row>& table, const Row& row, std::uint64_t hash);

  std::deque<LaunchRow> launches_;
  Interned<AgentRow> agents_;
  Interned<KeyRow> keys_;
  Interned<BufferRow> buffers_;
  Interned<std::vector<std::int64_t>> shapes_;
  Interned<RangeRow> ranges_;
  Interned<SemaphoreRow> semaphores_;
  Interned<BarrierRow> barriers_;
  Interned<SourceRow> sources_;
  std::deque<SourceText> texts_;
  Interned<ValueRow> values_;
  Interned<ErrorRow> errors_;
};

}  // namespace replait
