// `show FILE`: what a recording holds, or its events one by one.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <memory>

#include "replay/command.h"
#include "replay/event_text.h"
#include "replay/json_text.h"
#include "replay/run_summary.h"
#include "replay/statistics.h"
#include "replay/trace_file.h"
#include "report/layout.h"
#include "trace/describe.h"

namespace replait {
namespace {

constexpr std::string_view kExamples =
    "replait show bug.replait                   how it was recorded, and what it holds\n"
    "replait show bug.replait --events 40:60    events 40 to 59, one a line\n"
    "replait show bug.replait --json            the same for a program\n";

struct Options {
  std::string file;
  std::string events;  // "A:B"
};

std::string_view level_name(ValueLevel level) {
  switch (level) {
    case ValueLevel::kNone:
      return "none";
    case ValueLevel::kHash:
      return "hash";
    case ValueLevel::kFull:
      return "full";
  }
  REPLAIT_CHECK(false, "unknown level of values");
}

// Prints the events from `first` to before `end`, as they come.
class EventLister : public EventSink {
 public:
  EventLister(std::uint64_t first, std::uint64_t end, bool json)
      : first_(first), end_(end), is_json_(json) {
    if (is_json_) {
      json_.begin_object().field("schema", "replait.events/1").key("events").begin_array();
    }
  }

  void begin(const Header&, const Tables& tables) override { tables_ = &tables; }
  void consume(std::span<const Applied> events) override {
    for (const Applied& event : events) {
      if (event.index >= first_ && event.index < end_) print(event);
    }
    seen_ += events.size();
  }
  void finish(const ExecutionEnd&) override {}

  std::uint64_t seen() const { return seen_; }
  std::string json() { return json_.end_array().end_object().text(); }

 private:
  void print(const Applied& event) {
    const Describer say(*tables_);
    const std::string outcome = outcome_text(*tables_, event.outcome);
    if (is_json_) {
      json_.begin_object().field("index", event.index).field("agent", say.agent(event.agent));
      json_.field("op", op_word_of(event.op)).field("text", say.op(event.op));
      json_.field("source", source_text(*tables_, event.source)).field("outcome", outcome);
      json_.end_object();
      return;
    }
    std::string line =
        fmt::format("{:>8}  {:<18}  {}", event.index, say.agent(event.agent), say.op(event.op));
    if (outcome != "nothing") line += "  = " + printable(outcome);
    if (to_index(event.source) != 0) line += "  " + say.source(event.source);
    std::fputs((line + "\n").c_str(), stdout);
  }

  std::uint64_t first_;
  std::uint64_t end_;
  bool is_json_;
  JsonText json_;
  const Tables* tables_ = nullptr;
  std::uint64_t seen_ = 0;
};

class ShowCommand {
 public:
  ShowCommand(const Options& options, CommandContext& context)
      : options_(options), context_(context) {}

  void run() {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    const bool listing = !options_.events.empty();
    if (listing && !parse_span(first, end)) {
      return context_.fail(
          {FailureKind::kUsage,
           fmt::format("expected --events A:B with A before B, got '{}'", options_.events),
           "for events 40 to 59: --events 40:60"});
    }
    const Result<std::unique_ptr<TraceReader>> reader = open_trace(options_.file, context_);
    if (!reader.ok()) return context_.fail(reader.failure());
    EventLister lister(first, end, context_.json && listing);
    std::vector<EventSink*> sinks{&lister};
    if (!listing) sinks = {&lister, &summary_, &statistics_};
    const Result<void> fed = feed(**reader, sinks);
    if (!fed.ok()) {
      return context_.fail(with_recovery(fed.failure(), options_.file, lister.seen(), context_));
    }
    if (listing && first >= lister.seen()) {
      return context_.fail(
          {FailureKind::kUsage,
           fmt::format("expected events below {}, got --events {}", lister.seen(), options_.events),
           ""});
    }
    if (listing && context_.json) std::fputs(lister.json().c_str(), stdout);
    if (!listing) context_.json ? print_json(**reader) : print_text(**reader);
    if (!(*reader)->end()) {
      context_.fail(with_recovery(
          {FailureKind::kUnreadable, options_.file + " ended abnormally: it has no end packet", ""},
          options_.file, lister.seen(), context_));
    }
  }

 private:
  bool parse_span(std::uint64_t& first, std::uint64_t& end) const {
    const std::string& text = options_.events;
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return false;
    const char* const middle = text.data() + colon;
    const char* const stop = text.data() + text.size();
    const auto a = std::from_chars(text.data(), middle, first);
    const auto b = std::from_chars(middle + 1, stop, end);
    return a.ec == std::errc() && a.ptr == middle && b.ec == std::errc() && b.ptr == stop &&
           first < end;
  }

  void print_text(TraceReader& reader) const {
    Layout layout(static_cast<std::size_t>(context_.width));
    print_header(layout, reader);
    print_launches(layout, reader.tables());
    print_threads(layout);
    print_keys(layout, reader.tables());
    layout.paragraph("", "events:", 2);
    for (std::size_t i = 0; i < statistics_.ops().size(); ++i) {
      if (statistics_.ops()[i] == 0) continue;
      layout.paragraph(
          "  ", fmt::format("{:<18} {:>12}", op_word_at(i), grouped(statistics_.ops()[i])), 4);
    }
    std::fputs(layout.text().c_str(), stdout);
    std::fputs(("outcome: " + summary_.text()).c_str(), stdout);
    if (reader.end()) {
      std::fputs(("run id: " + to_string(reader.end()->run_id) + "\n").c_str(), stdout);
    }
  }

  void print_header(Layout& layout, TraceReader& reader) const {
    const Header& header = reader.header();
    layout.item("program", printable(header.program));
    layout.item("scheduler", fmt::format("{}, seed {}", printable(header.scheduler), header.seed));
    layout.item("JAX rules",
                header.jax_version.empty() ? "unknown" : printable(header.jax_version));
    layout.item("values", level_name(header.values));
    for (const auto& [name, value] : header.options) {
      layout.item("option", printable(name) + " = " + printable(value));
    }
    if (reader.environment().empty()) layout.item("environment", "not recorded");
    for (const auto& [name, value] : reader.environment()) {
      layout.item("environment", printable(name) + " = " + printable(value));
    }
  }

  void print_launches(Layout& layout, const Tables& tables) const {
    for (const auto& [id, launch] : statistics_.launches()) {
      const LaunchRow& row = tables[id];
      layout.item(fmt::format("launch {}", row.number),
                  fmt::format("{}, {} device{} of {} core{}, {} events from {} to {}{}",
                              printable(row.kernel), row.devices, row.devices == 1 ? "" : "s",
                              row.cores_per_device, row.cores_per_device == 1 ? "" : "s",
                              grouped(launch.events), launch.first, launch.last,
                              row.gated ? "" : ", free-running"));
    }
  }

  void print_threads(Layout& layout) const {
    for (const auto& [identity, thread] : statistics_.threads()) {
      layout.item("thread", fmt::format("launch {}, device {}, core {}: {} events, {} copies "
                                        "issued",
                                        identity.launch, identity.device, identity.core,
                                        grouped(thread.events), grouped(thread.copies)));
    }
  }

  void print_keys(Layout& layout, const Tables& tables) const {
    const Describer say(tables);
    for (const auto& [id, key] : statistics_.keys()) {
      layout.item("key", fmt::format("launch {}, {}{}: {} reads, {} writes",
                                     tables[tables[id].launch].number, say.buffer(id, key.buffer),
                                     key.buffer ? " " + say.type(*key.buffer) : "",
                                     grouped(key.reads), grouped(key.writes)));
    }
  }

  void print_json(TraceReader& reader) const {
    JsonText json;
    const Header& header = reader.header();
    json.begin_object().field("schema", "replait.show/1").field("file", options_.file);
    json.field("program", header.program).field("scheduler", header.scheduler);
    json.field("seed", header.seed).field("jax_version", header.jax_version);
    json.field("values", level_name(header.values)).key("options").begin_array();
    for (const auto& [name, value] : header.options) {
      json.begin_object().field("name", name).field("value", value).end_object();
    }
    json.end_array().key("environment").begin_array();
    for (const auto& [name, value] : reader.environment()) {
      json.begin_object().field("name", name).field("value", value).end_object();
    }
    json.end_array();
    add_launches(json, reader.tables());
    add_threads(json);
    add_keys(json, reader.tables());
    json.key("ops").begin_object();
    for (std::size_t i = 0; i < statistics_.ops().size(); ++i) {
      if (statistics_.ops()[i] != 0) json.field(op_word_at(i), statistics_.ops()[i]);
    }
    json.end_object().field("events", summary_.events());
    summary_.add_to(json);
    json.key("run_id");
    reader.end() ? json.value(to_string(reader.end()->run_id)) : json.null();
    std::fputs(json.end_object().text().c_str(), stdout);
  }

  void add_launches(JsonText& json, const Tables& tables) const {
    json.key("launches").begin_array();
    for (const auto& [id, launch] : statistics_.launches()) {
      const LaunchRow& row = tables[id];
      json.begin_object().field("number", std::uint64_t{row.number}).field("kernel", row.kernel);
      json.field("devices", std::uint64_t{row.devices});
      json.field("cores_per_device", std::uint64_t{row.cores_per_device}).field("gated", row.gated);
      json.field("events", launch.events).field("first_event", launch.first);
      json.field("last_event", launch.last).end_object();
    }
    json.end_array();
  }

  void add_threads(JsonText& json) const {
    json.key("threads").begin_array();
    for (const auto& [identity, thread] : statistics_.threads()) {
      json.begin_object().field("launch", std::uint64_t{identity.launch});
      json.field("device", std::uint64_t{identity.device});
      json.field("core", std::uint64_t{identity.core}).field("events", thread.events);
      json.field("copies", thread.copies).end_object();
    }
    json.end_array();
  }

  void add_keys(JsonText& json, const Tables& tables) const {
    const Describer say(tables);
    json.key("keys").begin_array();
    for (const auto& [id, key] : statistics_.keys()) {
      json.begin_object().field("launch", std::uint64_t{tables[tables[id].launch].number});
      json.field("key", say.key(id)).field("buffer", key.buffer ? tables[*key.buffer].name : "");
      json.field("type", key.buffer ? say.type(*key.buffer) : "");
      json.field("reads", key.reads).field("writes", key.writes).end_object();
    }
    json.end_array();
  }

  const Options& options_;
  CommandContext& context_;
  RunSummary summary_;
  Statistics statistics_;
};

}  // namespace

void add_show_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "show", "Print what a recording holds", std::string(kExamples));
  command->add_option("FILE", options->file, "The trace; - for standard input")->required();
  command->add_option("--events", options->events, "List the events from A to before B")
      ->type_name("A:B");
  command->callback([options, &context] { ShowCommand(*options, context).run(); });
}

}  // namespace replait
