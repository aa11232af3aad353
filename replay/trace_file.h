// Opening a trace for a command, and what to do about one that is broken.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "replay/command_context.h"
#include "trace/trace_reader.h"

namespace replait {

// "-" is standard input. Within the command's --max-memory.
Result<std::unique_ptr<TraceReader>> open_trace(const std::string& file,
                                                const CommandContext& context);
// The same for a replay, which finds out itself where a changed file leaves the recording.
Result<std::unique_ptr<TraceReader>> open_for_replay(const std::string& file,
                                                     const CommandContext& context);

// Gives the whole recording to the sinks, also one that was cut: its end is then kCut.
Result<void> feed(TraceReader& reader, std::span<EventSink* const> sinks);

// A failure to read on after `events` good events: the remedy is the line that saves them. Other
// failures come back as they are.
Failure with_recovery(Failure failure, const std::string& file, std::uint64_t events,
                      const CommandContext& context);

// Where `recover` puts what it saves of `file`: NAME.replait for NAME.replait.partial, else
// NAME.recovered.replait.
std::string recovered_name(const std::string& file);

}  // namespace replait
