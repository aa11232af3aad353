// replait-bench FOLDER: measures, prints each figure beside its peer, and writes FOLDER/bench.json.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>

#include "bench/measure.h"
#include "replay/json_text.h"

namespace {

using replait::bench::Figure;

void print(const Figure& figure) {
  std::string line = fmt::format("{:<34} {:>10.2f} {:<12}", figure.name, figure.value, figure.unit);
  if (!figure.peer.empty()) {
    line += fmt::format(" {:>6.2f} times {} ({:.2f})", figure.value / figure.peer_value,
                        figure.peer, figure.peer_value);
  }
  if (!figure.bar.empty()) line += fmt::format("; bar: {}", figure.bar);
  std::puts(line.c_str());
}

std::string to_json(const std::vector<Figure>& figures) {
  replait::JsonText json;
  json.begin_object().field("schema", "replait.bench/1").key("figures").begin_array();
  for (const Figure& figure : figures) {
    json.begin_object().field("name", figure.name);
    json.key("value").raw(fmt::format("{:.4g}", figure.value)).field("unit", figure.unit);
    json.field("peer", figure.peer).key("peer_value").raw(fmt::format("{:.4g}", figure.peer_value));
    json.field("bar", figure.bar).end_object();
  }
  return json.end_array().end_object().text();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: replait-bench FOLDER\n", stderr);
    return 2;
  }
  try {
    std::vector<Figure> figures = replait::bench::fiber_figures();
    for (Figure& figure : replait::bench::trace_figures(argv[1]))
      figures.push_back(std::move(figure));
    for (const Figure& figure : figures) print(figure);
    std::ofstream(std::string(argv[1]) + "/bench.json") << to_json(figures);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "replait-bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
