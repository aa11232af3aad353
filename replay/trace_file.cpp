#include "replay/trace_file.h"

#include <fmt/format.h>

#include "replay/event_text.h"

namespace replait {
namespace {

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() > end.size() && std::string_view(text).substr(text.size() - end.size()) == end;
}

}  // namespace

Result<std::unique_ptr<TraceReader>> open_trace(const std::string& file,
                                                const CommandContext& context) {
  return TraceReader::open(file,
                           {.max_memory_bytes = context.max_memory_bytes, .accept_changed = false});
}

Result<std::unique_ptr<TraceReader>> open_for_replay(const std::string& file,
                                                     const CommandContext& context) {
  return TraceReader::open(file,
                           {.max_memory_bytes = context.max_memory_bytes, .accept_changed = true});
}

Result<void> feed(TraceReader& reader, std::span<EventSink* const> sinks) {
  for (EventSink* sink : sinks) sink->begin(reader.header(), reader.tables());
  while (true) {
    const Result<std::vector<Applied>> chunk = reader.next_chunk();
    if (!chunk.ok()) return chunk.failure();
    if (chunk->empty()) break;
    for (EventSink* sink : sinks) sink->consume(*chunk);
  }
  const ExecutionEnd cut{.kind = EndKind::kCut, .pending = {}, .findings = {}};
  for (EventSink* sink : sinks) sink->finish(reader.end() ? reader.end()->execution : cut);
  return {};
}

Failure with_recovery(Failure failure, const std::string& file, std::uint64_t events,
                      const CommandContext& context) {
  if (failure.kind != FailureKind::kUnreadable || events == 0 || file == "-") return failure;
  failure.remedy += fmt::format("{}save the {} events that could be read:  {} recover {}",
                                failure.remedy.empty() ? "" : "\n", grouped(events),
                                context.program, shell_quoted(file));
  return failure;
}

std::string recovered_name(const std::string& file) {
  constexpr std::string_view kPartial = ".partial", kTrace = ".replait";
  if (ends_with(file, kPartial)) return file.substr(0, file.size() - kPartial.size());
  const std::string stem =
      ends_with(file, kTrace) ? file.substr(0, file.size() - kTrace.size()) : file;
  return stem + ".recovered.replait";
}

}  // namespace replait
