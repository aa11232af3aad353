// Writes the trace of docs/trace-format.md, or its annotated form: what that page shows. Once for
// each format: the file that must stay readable, and what it says.
#include <cstdio>
#include <string>

#include "tiny_execution.h"
#include "trace_file.h"

using namespace replait::test;

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  if (argc == 2 && how == "annotated") {
    std::fputs(annotated(trace_bytes(tiny_execution())).c_str(), stdout);
    return 0;
  }
  if (argc == 3 && how == "trace") {
    write_file(argv[2], trace_bytes(tiny_execution()));
    return 0;
  }
  if (argc == 3 && how == "golden") {
    const std::string name = std::string(argv[2]) + "/format-1";
    WriteOptions options;
    options.writer.environment = {{"python", "3.12.1"}};
    write_file(name + ".replait", trace_bytes(random_execution({.seed = 1}), options));
    write_file(name + ".txt", summary(read_trace(name + ".replait")));
    return 0;
  }
  std::fputs("usage: write-tiny annotated | trace FILE | golden FOLDER\n", stderr);
  return 2;
}
