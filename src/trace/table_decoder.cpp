#include "trace/table_decoder.h"

#include <fmt/format.h>

#include <unordered_set>

#include "trace/columns.h"
#include "trace/row_limits.h"
#include "trace/trace.pb.h"

namespace replait {
namespace {

constexpr std::string_view kKindNames[kRowKinds] = {
    "launches",   "agents",   "keys",    "buffers", "shapes", "ranges",
    "semaphores", "barriers", "sources", "values",  "errors",
};

std::string_view plural(RowKind kind) { return kKindNames[index_of(kind)]; }

}  // namespace

FileRows::FileRows() {
  for (std::size_t kind = 0; kind < kRowKinds; ++kind) {
    if (has_none(static_cast<RowKind>(kind))) ids[kind] = {0};
  }
}

std::string TableDecoder::decode(const TableColumns& columns,
                                 const std::vector<const LaunchPacket*>& packets,
                                 ChunkRows& chunk) {
  chunk_ = &chunk;
  for (std::size_t kind = 0; kind < kRowKinds; ++kind) {
    known_[kind] = static_cast<std::uint32_t>(file_.ids[kind].size());
    chunk.ids[kind].assign(has_none(static_cast<RowKind>(kind)) ? 1 : 0, 0);
    chunk.numbers[kind] = chunk.ids[kind];
  }
  texts(columns);
  // What a row refers to comes before it.
  sources(columns.sources());
  launches(packets);
  shapes(columns.shapes());
  keys(columns.keys());
  buffers(columns.buffers());
  ranges(columns.ranges());
  semaphores(columns.semaphores());
  barriers(columns.barriers());
  agents(columns.agents());
  values(columns.values());
  errors(columns.errors());
  return problem_;
}

void TableDecoder::fail_columns(RowKind kind) {
  fail(fmt::format("columns of unequal length in the table of {}", plural(kind)));
}

void TableDecoder::texts(const TableColumns& columns) {
  texts_.push_back({});
  std::unordered_set<std::string_view> seen{""};
  for (const std::string& text : columns.text()) {
    texts_.push_back(text);
    if (!seen.insert(text).second) fail("a text stands twice in a chunk");
  }
}

std::string TableDecoder::text(std::uint32_t number) {
  if (number < texts_.size()) return std::string(texts_[number]);
  fail(fmt::format("text {} of {}", number, texts_.size() - 1));
  return {};
}

bool TableDecoder::number_rows(RowKind kind, int count, const std::uint32_t* codes) {
  std::vector<std::uint32_t>& numbers = chunk_->numbers[index_of(kind)];
  const std::uint32_t known = known_[index_of(kind)];
  std::uint32_t next = known;
  std::int64_t last = 0;
  for (int i = 0; i < count && !failed(); ++i) {
    if (codes[i] == 0) {
      numbers.push_back(next++);
      continue;
    }
    last += unzigzag(codes[i] - 1);
    if (last < first_local(kind) || last >= known) {
      fail(fmt::format("row {} of {} {} is restated", last, known, plural(kind)));
    }
    numbers.push_back(static_cast<std::uint32_t>(last));
  }
  return !failed();
}

void TableDecoder::enter(RowKind kind, std::uint32_t id, std::uint64_t bytes) {
  if (failed()) return;
  std::vector<std::uint32_t>& entered = chunk_->ids[index_of(kind)];
  const std::size_t local = entered.size();
  const std::uint32_t number = chunk_->numbers[index_of(kind)][local];
  std::vector<std::uint32_t>& ids = file_.ids[index_of(kind)];
  entered.push_back(id);
  if (number < known_[index_of(kind)]) {
    if (ids[number] != id) {
      fail(fmt::format("row {} of {} is restated as another", number, plural(kind)));
    }
    return;
  }
  ids.push_back(id);
  std::string problem = row_problem(tables_, kind, id);
  if (!problem.empty()) fail(std::move(problem));
  // Rows, their places in indexes and in numberings.
  if (!budget_.take(bytes + 64)) fail("its tables need more memory than --max-memory allows");
}

std::uint32_t TableDecoder::ref_index(RowKind kind, std::uint64_t local) {
  const std::vector<std::uint32_t>& entered = chunk_->ids[index_of(kind)];
  if (local < entered.size()) return entered[local];
  fail(fmt::format("row {} of {} {} of the chunk", local, entered.size(), plural(kind)));
  return 0;
}

void TableDecoder::launches(const std::vector<const LaunchPacket*>& packets) {
  for (const LaunchPacket* packet : packets) {
    std::vector<std::uint32_t>& ids = file_.ids[index_of(RowKind::kLaunch)];
    LaunchRow row;
    row.number = packet->number();
    row.kernel = packet->kernel();
    row.source = ref<SourceId>(RowKind::kSource, packet->source());
    row.devices = packet->devices();
    row.cores_per_device = packet->cores_per_device();
    row.gated = packet->gated();
    row.out_of_bounds_reads_raise = packet->out_of_bounds_reads_raise();
    row.uninitialized_nan = packet->uninitialized_nan();
    row.eager_copies = packet->eager_copies();
    row.vector_clock_size = packet->vector_clock_size();
    const std::uint32_t number = packet->file_number();
    if (number > ids.size()) fail(fmt::format("launch {} after {}", number, ids.size()));
    if (failed()) return;
    chunk_->numbers[index_of(RowKind::kLaunch)].push_back(number);
    if (number == ids.size()) {
      enter(RowKind::kLaunch, to_index(tables_.add_launch(row)), sizeof row + row.kernel.size());
    } else if (tables_[from_index<LaunchId>(ids[number])] == row) {
      enter(RowKind::kLaunch, ids[number], 0);
    } else {
      fail(fmt::format("launch {} is restated as another", number));
    }
  }
}

void TableDecoder::shapes(const ShapeColumns& c) {
  const int rows = c.row_size();
  if (failed() || !number_rows(RowKind::kShape, rows, c.row().data()) ||
      !have(RowKind::kShape, rows, c.dimensions())) {
    return;
  }
  int at = 0;
  std::vector<std::int64_t> dims;
  for (int i = 0; i < rows && !failed(); ++i) {
    dims.clear();
    for (std::uint32_t d = 0; d < c.dimensions(i) && !failed(); ++d)
      dims.push_back(take(c.size(), at));
    enter(RowKind::kShape, to_index(tables_.shape(dims)), sizeof dims + 8 * dims.size());
  }
  if (at != c.size_size()) fail_columns(RowKind::kShape);
}

void TableDecoder::keys(const KeyColumns& c) {
  const int rows = c.row_size();
  if (failed() || !number_rows(RowKind::kKey, rows, c.row().data()) ||
      !have(RowKind::kKey, rows, c.launch(), c.space(), c.buffer(), c.device(), c.core())) {
    return;
  }
  std::uint64_t buffer = 0;
  for (int i = 0; i < rows && !failed(); ++i) {
    buffer += static_cast<std::uint64_t>(c.buffer(i));
    const KeyRow row{.launch = ref<LaunchId>(RowKind::kLaunch, c.launch(i)),
                     .space = text(c.space(i)),
                     .buffer = static_cast<std::int64_t>(buffer),
                     .device = c.device(i),
                     .core = c.core(i)};
    if (failed()) return;
    enter(RowKind::kKey, to_index(tables_.key(row)), sizeof row + row.space.size());
  }
}

void TableDecoder::buffers(const BufferColumns& c) {
  const int rows = c.row_size();
  if (failed() || !number_rows(RowKind::kBuffer, rows, c.row().data()) ||
      !have(RowKind::kBuffer, rows, c.kind(), c.dtype(), c.content_shape(), c.logical_shape(),
            c.references(), c.name())) {
    return;
  }
  for (int i = 0; i < rows && !failed(); ++i) {
    if (c.kind(i) > static_cast<std::uint32_t>(AllocationKind::kOther) ||
        c.dtype(i) > static_cast<std::uint32_t>(kLastDType)) {
      fail(fmt::format("buffer of kind {} and dtype {}", c.kind(i), c.dtype(i)));
    }
    const BufferRow row{.kind = static_cast<AllocationKind>(c.kind(i)),
                        .dtype = static_cast<DType>(c.dtype(i)),
                        .content_shape = ref<ShapeId>(RowKind::kShape, c.content_shape(i)),
                        .logical_shape = ref<ShapeId>(RowKind::kShape, c.logical_shape(i)),
                        .references = c.references(i),
                        .name = text(c.name(i))};
    if (failed()) return;
    enter(RowKind::kBuffer, to_index(tables_.buffer(row)), sizeof row + row.name.size());
  }
}

void TableDecoder::semaphores(const SemaphoreColumns& c) {
  const int rows = c.row_size();
  if (failed() || !number_rows(RowKind::kSemaphore, rows, c.row().data()) ||
      !have(RowKind::kSemaphore, rows, c.form(), c.launch(), c.device(), c.core(), c.id(),
            c.name())) {
    return;
  }
  std::uint64_t id = 0;
  for (int i = 0; i < rows && !failed(); ++i) {
    id += static_cast<std::uint64_t>(c.id(i));
    const bool fixed = (c.form(i) & 2) != 0;
    if (c.form(i) > 3 || (fixed && c.launch(i) != 0)) {
      fail(fmt::format("semaphore of form {} in launch {}", c.form(i), c.launch(i)));
    }
    const SemaphoreRow row{
        .launch = fixed ? LaunchId{0} : ref<LaunchId>(RowKind::kLaunch, c.launch(i)),
        .device = c.device(i),
        .core = c.core(i),
        .id = static_cast<std::int64_t>(id),
        .kind = fixed ? SemaphoreKind::kFixed : SemaphoreKind::kInternal,
        .dma = (c.form(i) & 1) != 0,
        .name = text(c.name(i))};
    if (failed()) return;
    const SemaphoreId entered = tables_.semaphore(row);
    if (tables_[entered] != row) fail("one semaphore under two names");
    enter(RowKind::kSemaphore, to_index(entered), sizeof row + row.name.size());
  }
}

void TableDecoder::barriers(const BarrierColumns& c) {
  const int rows = c.row_size();
  if (failed() || !number_rows(RowKind::kBarrier, rows, c.row().data()) ||
      !have(RowKind::kBarrier, rows, c.form(), c.launch(), c.device(), c.number(), c.arrivals(),
            c.name())) {
    return;
  }
  for (int i = 0; i < rows && !failed(); ++i) {
    const std::uint32_t kind = c.form(i) >> 1;
    if (kind > static_cast<std::uint32_t>(BarrierKind::kUser)) {
      fail(fmt::format("barrier of kind {}", kind));
    }
    const BarrierRow row{.launch = ref<LaunchId>(RowKind::kLaunch, c.launch(i)),
                         .kind = static_cast<BarrierKind>(kind),
                         .device = c.device(i),
                         .number = c.number(i),
                         .arrivals = c.arrivals(i),
                         .interpreter_only = (c.form(i) & 1) != 0,
                         .name = text(c.name(i))};
    if (failed()) return;
    enter(RowKind::kBarrier, to_index(tables_.barrier(row)), sizeof row + row.name.size());
  }
}

void TableDecoder::errors(const ErrorColumns& c) {
  const int rows = c.row_size();
  if (failed() || !number_rows(RowKind::kError, rows, c.row().data()) ||
      !have(RowKind::kError, rows, c.kind(), c.type(), c.text(), c.rule())) {
    return;
  }
  for (int i = 0; i < rows && !failed(); ++i) {
    if (c.kind(i) > static_cast<std::uint32_t>(ErrorKind::kPrinted)) {
      fail(fmt::format("error of kind {}", c.kind(i)));
    }
    const ErrorRow row{.kind = static_cast<ErrorKind>(c.kind(i)),
                       .type = text(c.type(i)),
                       .text = text(c.text(i)),
                       .rule = text(c.rule(i))};
    if (failed()) return;
    enter(RowKind::kError, to_index(tables_.error(row)),
          sizeof row + row.type.size() + row.text.size() + row.rule.size());
  }
}

}  // namespace replait
