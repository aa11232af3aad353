#include "trace/table_encoder.h"

#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/columns.h"
#include "trace/trace.pb.h"

namespace replait {
namespace {

class TableEncoder {
 public:
  TableEncoder(const TableSource& source, const LocalRows& rows, const KnownRows& known)
      : tables_(source.tables),
        canonical_(source.canonical),
        with_bytes_(source.with_bytes),
        rows_(rows),
        known_(known) {}

  void shapes(ShapeColumns& out);
  void keys(KeyColumns& out);
  void buffers(BufferColumns& out);
  void ranges(RangeColumns& out);
  void semaphores(SemaphoreColumns& out);
  void barriers(BarrierColumns& out);
  void sources(SourceColumns& out);
  void agents(AgentColumns& out, const std::map<std::uint32_t, CarriedCopy>& carried);
  void values(ValueColumns& out);
  void errors(ErrorColumns& out);
  std::string launches();
  void texts(TableColumns& out) const {
    for (const std::string_view text : texts_) out.add_text(text.data(), text.size());
  }

 private:
  // Calls visit(local number, id, whether the row is new to the file) in order of local number, and
  // adds the row codes.
  template <typename Columns, typename Visit>
  void each_row(RowKind kind, Columns& out, Visit visit) {
    const std::vector<std::uint32_t>& used = rows_.used(kind);
    std::uint32_t last = 0;
    for (std::uint32_t local = has_none(kind) ? 1 : 0; local < used.size(); ++local) {
      const std::uint32_t number = used[local];
      const bool is_new = number >= known_[index_of(kind)];
      out.add_row(is_new ? 0 : static_cast<std::uint32_t>(row_code(number, last)));
      if (!is_new) last = number;
      visit(local, canonical_.id(kind, number), is_new);
    }
  }
  std::uint32_t text(std::string_view text);
  template <typename Id>
  std::uint32_t local(RowKind kind, Id id) const {
    return rows_.local(kind, to_index(id));
  }
  void copy(AgentColumns& out, const AgentRow& row);

  const Tables& tables_;
  const Canonical& canonical_;
  const bool with_bytes_;
  const LocalRows& rows_;
  const KnownRows& known_;
  std::unordered_map<std::string_view, std::uint32_t> text_numbers_;
  std::vector<std::string_view> texts_;

  struct LastCopy {
    std::uint32_t source_key = 0, source_range = 0, destination_key = 0, destination_range = 0;
    std::uint32_t receive_semaphore = 0, send_semaphore = 0;
  } last_copy_;
  std::vector<std::uint64_t> next_issue_;  // By local number of the issuer.
};

std::int32_t step(std::uint32_t now, std::uint32_t& last) {
  const auto difference = static_cast<std::int32_t>(now - last);
  last = now;
  return difference;
}

std::int64_t step(std::int64_t now, std::int64_t& last) {
  const std::int64_t difference = now - last;
  last = now;
  return difference;
}

std::uint32_t TableEncoder::text(std::string_view text) {
  if (text.empty()) return 0;
  const auto [entry, is_new] =
      text_numbers_.emplace(text, static_cast<std::uint32_t>(texts_.size() + 1));
  if (is_new) texts_.push_back(text);
  return entry->second;
}

void TableEncoder::shapes(ShapeColumns& out) {
  each_row(RowKind::kShape, out, [&](std::uint32_t, std::uint32_t id, bool) {
    const std::vector<std::int64_t>& dims = tables_[ShapeId{id}];
    out.add_dimensions(static_cast<std::uint32_t>(dims.size()));
    for (const std::int64_t size : dims) out.add_size(size);
  });
}

void TableEncoder::keys(KeyColumns& out) {
  std::int64_t buffer = 0;
  each_row(RowKind::kKey, out, [&](std::uint32_t, std::uint32_t id, bool) {
    const KeyRow& row = tables_[KeyId{id}];
    out.add_launch(local(RowKind::kLaunch, row.launch));
    out.add_space(text(row.space));
    out.add_buffer(step(row.buffer, buffer));
    out.add_device(row.device);
    out.add_core(row.core);
  });
}

void TableEncoder::buffers(BufferColumns& out) {
  each_row(RowKind::kBuffer, out, [&](std::uint32_t, std::uint32_t id, bool) {
    const BufferRow& row = tables_[BufferId{id}];
    out.add_kind(static_cast<std::uint32_t>(row.kind));
    out.add_dtype(static_cast<std::uint32_t>(row.dtype));
    out.add_content_shape(local(RowKind::kShape, row.content_shape));
    out.add_logical_shape(local(RowKind::kShape, row.logical_shape));
    out.add_references(row.references);
    out.add_name(text(row.name));
  });
}

void TableEncoder::ranges(RangeColumns& out) {
  std::vector<std::int64_t> starts, extents;  // Of the last row that had the dimension.
  each_row(RowKind::kRange, out, [&](std::uint32_t, std::uint32_t id, bool) {
    const RangeRow& row = tables_[RangeId{id}];
    out.add_form(static_cast<std::uint32_t>(row.dims.size() << 3) | (row.window ? 4u : 0u) |
                 (row.permutation.empty() ? 0u : 2u) | (row.mask.empty() ? 0u : 1u));
    if (row.dims.size() > starts.size()) {
      starts.resize(row.dims.size());
      extents.resize(row.dims.size());
    }
    for (std::size_t i = 0; i < row.dims.size(); ++i) {
      const Dim& dim = row.dims[i];
      out.add_start(step(dim.start, starts[i]));
      out.add_extent(step(dim.stop - dim.start, extents[i]));
      out.add_stride(static_cast<std::uint64_t>(dim.stride) << 1 | (dim.is_index ? 1 : 0));
    }
    if (!row.permutation.empty()) {
      out.add_permutation(static_cast<std::uint32_t>(row.permutation.size()));
      for (const std::uint32_t place : row.permutation) out.add_permutation(place);
    }
    if (!row.mask.empty()) out.add_mask(row.mask.data(), row.mask.size());
    if (!row.window) return;
    out.add_window_name(text(row.window->name));
    for (const std::vector<std::int64_t>* place : {&row.window->indices, &row.window->iteration}) {
      out.add_window_place(static_cast<std::int64_t>(place->size()));
      for (const std::int64_t number : *place) out.add_window_place(number);
    }
  });
}

void TableEncoder::semaphores(SemaphoreColumns& out) {
  std::int64_t last_id = 0;
  each_row(RowKind::kSemaphore, out, [&](std::uint32_t, std::uint32_t id, bool) {
    const SemaphoreRow& row = tables_[SemaphoreId{id}];
    const bool fixed = row.kind == SemaphoreKind::kFixed;
    out.add_form((fixed ? 2u : 0u) | (row.dma ? 1u : 0u));
    out.add_launch(fixed ? 0 : local(RowKind::kLaunch, row.launch));
    out.add_device(row.device);
    out.add_core(row.core);
    out.add_id(step(row.id, last_id));
    out.add_name(text(row.name));
  });
}

void TableEncoder::barriers(BarrierColumns& out) {
  each_row(RowKind::kBarrier, out, [&](std::uint32_t, std::uint32_t id, bool) {
    const BarrierRow& row = tables_[BarrierId{id}];
    out.add_form(static_cast<std::uint32_t>(row.kind) << 1 | (row.interpreter_only ? 1u : 0u));
    out.add_launch(local(RowKind::kLaunch, row.launch));
    out.add_device(row.device);
    out.add_number(row.number);
    out.add_arrivals(row.arrivals);
    out.add_name(text(row.name));
  });
}

void TableEncoder::sources(SourceColumns& out) {
  std::int64_t line = 0;
  bool any_text = false, any_hash = false;
  each_row(RowKind::kSource, out, [&](std::uint32_t, std::uint32_t id, bool is_new) {
    const SourceRow& row = tables_[SourceId{id}];
    out.add_file(text(row.file));
    out.add_line(step(std::int64_t{row.line}, line));
    out.add_column(row.column);
    out.add_function(text(row.function));
    out.add_caller(local(RowKind::kSource, row.caller));
    if (!is_new) return;
    const SourceText& beside = tables_.text(SourceId{id});
    out.add_line_text(text(beside.line_text));
    out.add_file_hash_xxh3(beside.file_hash);
    any_text = any_text || !beside.line_text.empty();
    any_hash = any_hash || beside.file_hash != 0;
  });
  if (!any_text) out.clear_line_text();
  if (!any_hash) out.clear_file_hash_xxh3();
}

void TableEncoder::copy(AgentColumns& out, const AgentRow& row) {
  const std::uint32_t issuer = local(RowKind::kAgent, *row.issuer);
  out.add_issuer(issuer);
  if (issuer >= next_issue_.size()) next_issue_.resize(issuer + 1);
  out.add_issue(static_cast<std::int64_t>(row.issue - next_issue_[issuer]));
  next_issue_[issuer] = row.issue + 1;
  const CopyRow& copy = row.copy;
  LastCopy& last = last_copy_;
  out.add_source_key(step(local(RowKind::kKey, copy.source_key), last.source_key));
  out.add_source_range(step(local(RowKind::kRange, copy.source_range), last.source_range));
  out.add_destination_key(step(local(RowKind::kKey, copy.destination_key), last.destination_key));
  out.add_destination_range(
      step(local(RowKind::kRange, copy.destination_range), last.destination_range));
  out.add_receive_semaphore(
      step(local(RowKind::kSemaphore, copy.receive_semaphore), last.receive_semaphore));
  if (copy.send_semaphore) {
    out.add_send_semaphore(
        step(local(RowKind::kSemaphore, *copy.send_semaphore), last.send_semaphore));
  }
}

void TableEncoder::agents(AgentColumns& out, const std::map<std::uint32_t, CarriedCopy>& carried) {
  each_row(RowKind::kAgent, out, [&](std::uint32_t number, std::uint32_t id, bool is_new) {
    const AgentRow& row = tables_[AgentId{id}];
    out.add_form((row.is_copy() ? 1u : 0u) | (row.copy.send_semaphore ? 2u : 0u) |
                 (row.copy.pipeline ? 4u : 0u));
    if (row.is_copy()) {
      copy(out, row);
      if (is_new) return;
      // The end packet names copies that are pending, in no phase that matters.
      const auto found = carried.find(number);
      const CarriedCopy state = found == carried.end() ? CarriedCopy{} : found->second;
      out.add_next_phase(state.next_phase);
      out.add_issue_source(state.issue_source);
    } else {
      out.add_launch(local(RowKind::kLaunch, row.launch));
      out.add_device(row.device);
      out.add_core(row.core);
    }
  });
}

void TableEncoder::values(ValueColumns& out) {
  bool any_high = false;
  each_row(RowKind::kValue, out, [&](std::uint32_t, std::uint32_t id, bool) {
    const ValueRow& row = tables_[ValueId{id}];
    const std::uint64_t high = with_bytes_ && !row.bytes.empty() ? row.hash[1] : 0;
    out.add_hash_low_xxh3(row.hash[0]);
    out.add_hash_high_xxh3(high);
    any_high = any_high || high != 0;
  });
  if (!any_high) out.clear_hash_high_xxh3();
}

void TableEncoder::errors(ErrorColumns& out) {
  each_row(RowKind::kError, out, [&](std::uint32_t, std::uint32_t id, bool) {
    const ErrorRow& row = tables_[ErrorId{id}];
    out.add_kind(static_cast<std::uint32_t>(row.kind));
    out.add_type(text(row.type));
    out.add_text(text(row.text));
    out.add_rule(text(row.rule));
  });
}

std::string TableEncoder::launches() {
  std::string out;
  for (const std::uint32_t number : rows_.used(RowKind::kLaunch)) {
    const LaunchRow& row = tables_[LaunchId{canonical_.id(RowKind::kLaunch, number)}];
    Packet packet;
    LaunchPacket& launch = *packet.mutable_launch();
    launch.set_file_number(number);
    launch.set_number(row.number);
    launch.set_kernel(row.kernel);
    launch.set_source(local(RowKind::kSource, row.source));
    launch.set_devices(row.devices);
    launch.set_cores_per_device(row.cores_per_device);
    launch.set_gated(row.gated);
    launch.set_out_of_bounds_reads_raise(row.out_of_bounds_reads_raise);
    launch.set_uninitialized_nan(row.uninitialized_nan);
    launch.set_eager_copies(row.eager_copies);
    launch.set_vector_clock_size(row.vector_clock_size);
    append_field(out, Trace::kPacketFieldNumber, packet.SerializeAsString());
  }
  return out;
}

}  // namespace

EncodedTables encode_tables(const TableSource& source, const LocalRows& rows,
                            const KnownRows& known,
                            const std::map<std::uint32_t, CarriedCopy>& carried) {
  TableEncoder encoder(source, rows, known);
  TableColumns columns;
  const auto has = [&rows](RowKind kind) {
    return rows.used(kind).size() > (has_none(kind) ? 1u : 0u);
  };
  if (has(RowKind::kShape)) encoder.shapes(*columns.mutable_shapes());
  if (has(RowKind::kKey)) encoder.keys(*columns.mutable_keys());
  if (has(RowKind::kBuffer)) encoder.buffers(*columns.mutable_buffers());
  if (has(RowKind::kRange)) encoder.ranges(*columns.mutable_ranges());
  if (has(RowKind::kSemaphore)) encoder.semaphores(*columns.mutable_semaphores());
  if (has(RowKind::kBarrier)) encoder.barriers(*columns.mutable_barriers());
  if (has(RowKind::kSource)) encoder.sources(*columns.mutable_sources());
  if (has(RowKind::kAgent)) encoder.agents(*columns.mutable_agents(), carried);
  if (has(RowKind::kValue)) encoder.values(*columns.mutable_values());
  if (has(RowKind::kError)) encoder.errors(*columns.mutable_errors());
  encoder.texts(columns);
  // No map fields, so this is deterministic.
  return {.columns = columns.SerializeAsString(), .launches = encoder.launches()};
}

}  // namespace replait
