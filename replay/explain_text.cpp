#include <algorithm>

#include "replay/explain.h"
#include "replay/json_text.h"

namespace replait {
namespace {

constexpr std::size_t kWidthMax = 100;      // Longer lines are hard to read.
constexpr std::size_t kSectionsMax = 3;     // More than that are only listed.
constexpr std::size_t kTitlesMax = 8;       // Of one section; of more only those that match.
constexpr std::size_t kErrorsShownMax = 6;  // Of a rule: a title each.

std::string summary(const RuleEntry& rule) {
  return rule.severity.empty() ? rule.summary : rule.severity + ": " + rule.summary;
}

class Printer {
 public:
  Printer(const ExplainIndex& index, const ExplainLayout& layout)
      : index_(index), layout_(layout), width_(std::min(layout.width, kWidthMax)) {}

  std::string text(const ExplainAnswer& answer) {
    const std::size_t entries = answer.rules.size() + answer.explanations.size();
    if (entries > kSectionsMax) return listed(answer);
    for (const RuleEntry& rule : answer.rules) add_rule(rule);
    for (const Explanation& explanation : answer.explanations) add_error(explanation);
    return text_;
  }

 private:
  std::string listed(const ExplainAnswer& answer) {
    for (const RuleEntry& rule : answer.rules)
      text_ += wrapped(summary(rule), bold(rule.id) + "  ", "    ", width_);
    for (const Explanation& explanation : answer.explanations)
      text_ += wrapped(explanation.matched.front(), "", "    ", width_);
    text_ += "\nto read one:  " + layout_.program + " explain '";
    text_ += answer.rules.empty() ? "TEXT" : answer.rules.front().id;
    text_ += answer.rules.empty() ? "', with more of the text\n" : "'\n";
    return text_;
  }

  std::string bold(const std::string& shown) const {
    return layout_.color ? "\x1b[1m" + shown + "\x1b[0m" : shown;
  }

  void separate() {
    if (!text_.empty()) text_ += "\n" + std::string(width_, '-') + "\n\n";
  }

  void add_body(const DocSection& section) {
    text_ += "\n" + section_text(section, width_, layout_.color);
  }

  void add_rule(const RuleEntry& rule) {
    separate();
    text_ += wrapped(summary(rule), bold(rule.id) + "  ", "    ", width_);
    if (const DocSection* section = index_.section_of(rule.id)) add_body(*section);
    const std::vector<const DocSection*> sections = index_.errors_of(rule.id);
    if (sections.empty()) return;
    text_ += "\nWhat JAX says of it:\n";
    for (std::size_t i = 0; i < std::min(sections.size(), kErrorsShownMax); ++i)
      text_ += wrapped(sections[i]->titles.front(), "  - ", "    ", width_);
    if (sections.size() > kErrorsShownMax)
      text_ += "  - and " + std::to_string(sections.size() - kErrorsShownMax) + " more kinds\n";
  }

  void add_error(const Explanation& explanation) {
    separate();
    const std::vector<std::string>& all = explanation.section->titles;
    const bool few = all.size() <= kTitlesMax;
    for (const std::string& title : few ? all : explanation.matched)
      text_ += wrapped(bold(title), "", "    ", width_);
    if (!few && all.size() > explanation.matched.size())
      text_ += "(and " + std::to_string(all.size() - explanation.matched.size()) +
               " more texts of this kind)\n";
    add_body(*explanation.section);
  }

  const ExplainIndex& index_;
  const ExplainLayout& layout_;
  std::size_t width_;
  std::string text_;
};

std::string markdown(const DocSection* section) {
  std::string text;
  if (section == nullptr) return text;
  for (const std::string& line : section->lines) text += line + "\n";
  return text;
}

void add_strings(JsonText& json, std::string_view name, const std::vector<std::string>& strings) {
  json.key(name).begin_array();
  for (const std::string& text : strings) json.value(text);
  json.end_array();
}

}  // namespace

std::string explain_text(const ExplainIndex& index, const ExplainAnswer& answer,
                         const ExplainLayout& layout) {
  return Printer(index, layout).text(answer);
}

std::string explain_json(const ExplainIndex& index, const ExplainAnswer& answer,
                         std::string_view query) {
  JsonText json;
  json.begin_object().field("schema", "replait.explain/1").field("query", query);
  json.key("rules").begin_array();
  for (const RuleEntry& rule : answer.rules) {
    json.begin_object().field("rule", rule.id).field("severity", rule.severity);
    json.field("summary", rule.summary).field("text", markdown(index.section_of(rule.id)));
    std::vector<std::string> titles;
    for (const DocSection* section : index.errors_of(rule.id))
      titles.insert(titles.end(), section->titles.begin(), section->titles.end());
    add_strings(json, "errors", titles);
    json.end_object();
  }
  json.end_array().key("errors").begin_array();
  for (const Explanation& explanation : answer.explanations) {
    json.begin_object().field("group", explanation.section->group);
    add_strings(json, "titles", explanation.section->titles);
    add_strings(json, "matched", explanation.matched);
    add_strings(json, "rules", explanation.section->rules);
    json.field("text", markdown(explanation.section)).end_object();
  }
  json.end_array();
  add_strings(json, "nearest", answer.nearest);
  return json.end_object().text();
}

}  // namespace replait
