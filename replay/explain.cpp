// `explain TEXT or RULE`: what an error of JAX or a rule of ours means, from the documents that are
// built in.
#include "replay/explain.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "replay/command.h"

namespace replait {
namespace {

constexpr std::string_view kExamples =
    "replait explain 'Attempting to swap into'   an error of JAX, or a part of its text\n"
    "replait explain memory.key-collision        a rule that a finding names\n"
    "replait explain race                        all rules that begin like this\n"
    "python train_step.py 2>&1 | replait explain -   the traceback that a program prints\n";

constexpr std::size_t kStandardInputMax = std::size_t{1} << 20;

// The end of standard input, where it is long: a traceback ends with the error.
std::string standard_input() {
  std::string text;
  std::vector<char> buffer(1 << 16);
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stdin)) {
    text.append(buffer.data(), count);
    if (text.size() > 2 * kStandardInputMax) text.erase(0, text.size() - kStandardInputMax);
  }
  return text;
}

Failure nothing_found(const ExplainAnswer& answer, const CommandContext& context) {
  Failure failure{.kind = FailureKind::kUsage,
                  .message =
                      "expected an error text of JAX's interpret mode or a rule, and know "
                      "none like it",
                  .remedy = {}};
  if (!answer.nearest.empty()) failure.remedy = "nearest:\n";
  for (const std::string& title : answer.nearest) failure.remedy += "  " + title + "\n";
  failure.remedy += "give more of the text, or a rule as '" + context.program +
                    " check' prints it; docs/errors.md has all texts";
  return failure;
}

void explain(const std::vector<std::string>& words, CommandContext& context) {
  std::string query;
  for (const std::string& word : words) query += (query.empty() ? "" : " ") + word;
  if (query == "-") query = standard_input();
  const ExplainIndex index(embedded_document("errors.md"), embedded_document("findings.md"));
  const ExplainAnswer answer = index.find(query);
  if (context.json) std::fputs(explain_json(index, answer, query).c_str(), stdout);
  if (!answer.found()) return context.fail(nothing_found(answer, context));
  if (context.json) return;
  const std::string text = explain_text(index, answer,
                                        {.program = context.program,
                                         .width = static_cast<std::size_t>(context.width),
                                         .color = context.color});
  std::fputs(text.c_str(), stdout);
}

}  // namespace

void add_explain_command(CLI::App& app, CommandContext& context) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      add_command(app, "explain", "Say what an error text of JAX or a rule means, and what to do",
                  std::string(kExamples));
  command->add_option("TEXT", *words, "The text, or a rule; - for standard input")->required();
  command->callback([words, &context] { explain(*words, context); });
}

}  // namespace replait
