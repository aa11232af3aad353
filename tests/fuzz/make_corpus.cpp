// Writes the seeds of the trace reader's corpus into a folder: small traces, as files and as
// frames.
#include <cstdio>
#include <string>

#include "trace/trace.pb.h"
#include "trace_file.h"

using namespace replait::test;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make-corpus FOLDER\n", stderr);
    return 2;
  }
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto events = static_cast<std::uint32_t>(8 + 90 * seed);
    const std::string bytes =
        trace_bytes(random_execution({.seed = seed,
                                      .events = events,
                                      .threads = 2,
                                      .launches = 1 + static_cast<std::uint32_t>(seed % 2)}));
    std::string frames(1, '\1');
    for (std::string content : frame_contents(bytes)) {
      replait::Trace trace;
      if (frames.size() == 1 && trace.ParseFromString(content)) {
        // The schema says nothing to a reader, and would be most of the input.
        trace.mutable_packet(0)->mutable_header()->clear_schema();
        content = trace.SerializeAsString();
      }
      for (int i = 0; i < 4; ++i) frames.push_back(static_cast<char>(content.size() >> (8 * i)));
      frames += content;
    }
    const std::string name = std::string(argv[1]) + "/seed-" + std::to_string(seed);
    write_file(name + ".file", std::string(1, '\0') + bytes);
    write_file(name + ".frames", frames);
  }
  return 0;
}
