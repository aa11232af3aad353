#include <algorithm>
#include <set>
#include <utility>

#include "check/rules.h"
#include "replay/explain.h"
#include "replay/near_names.h"

namespace replait {
namespace {

std::vector<std::string> all_titles(const std::vector<DocSection>& sections) {
  std::vector<std::string> titles;
  for (const DocSection& section : sections)
    titles.insert(titles.end(), section.titles.begin(), section.titles.end());
  return titles;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n`'\"";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool names_rule(const DocSection& section, std::string_view rule) {
  return std::find(section.rules.begin(), section.rules.end(), rule) != section.rules.end();
}

// Whether the words of a title are a rule's id: "race.read-write", or with more behind it.
bool is_about(const DocSection& section, std::string_view rule) {
  return std::any_of(section.titles.begin(), section.titles.end(), [&](std::string_view title) {
    title = trimmed(title);
    return title.substr(0, title.find_first_of(" ,:`")) == rule;
  });
}

}  // namespace

ExplainIndex::ExplainIndex(std::string_view errors, std::string_view findings)
    : errors_(parse_sections(errors)),
      findings_(parse_sections(findings)),
      titles_(all_titles(errors_)),
      matcher_(titles_) {
  for (std::size_t i = 0; i < errors_.size(); ++i)
    section_of_title_.insert(section_of_title_.end(), errors_[i].titles.size(), i);
}

const DocSection* ExplainIndex::section_of(std::string_view rule) const {
  const auto found = std::find_if(findings_.begin(), findings_.end(),
                                  [&](const DocSection& s) { return is_about(s, rule); });
  return found == findings_.end() ? nullptr : &*found;
}

std::vector<const DocSection*> ExplainIndex::errors_of(std::string_view rule) const {
  std::vector<const DocSection*> found;
  for (const DocSection& section : errors_) {
    if (names_rule(section, rule)) found.push_back(&section);
  }
  return found;
}

// The rules that findings can have, then those that only the errors name, each by id.
std::vector<RuleEntry> ExplainIndex::all_rules() const {
  std::vector<RuleEntry> all;
  std::set<std::string> unfound;
  for (const DocSection& section : errors_)
    unfound.insert(section.rules.begin(), section.rules.end());
  for (const Rule& rule : rules()) {
    all.push_back({.id = std::string(rule.id),
                   .severity = std::string(to_string(rule.severity)),
                   .summary = std::string(rule.summary)});
    unfound.erase(all.back().id);
  }
  for (const std::string& id : unfound)
    all.push_back(
        {.id = id, .severity = "", .summary = "This version has no finding of this rule."});
  return all;
}

// An id that is spelled out is the only one; else all that begin like it, or whose last word it is.
std::vector<RuleEntry> ExplainIndex::rules_like(std::string_view query) const {
  std::vector<RuleEntry> like;
  const std::string last_word = "." + std::string(query);
  const std::string_view begin = query.ends_with(".*") ? query.substr(0, query.size() - 1) : query;
  for (RuleEntry& rule : all_rules()) {
    if (rule.id == query) return {rule};
    if (rule.id.starts_with(begin) || rule.id.ends_with(last_word)) like.push_back(std::move(rule));
  }
  return like;
}

ExplainAnswer ExplainIndex::find(std::string_view query) const {
  ExplainAnswer answer;
  const std::string_view word = trimmed(query);
  if (word.empty()) return answer;
  if (word.find_first_of(" \n") == std::string_view::npos) answer.rules = rules_like(word);
  if (answer.found()) return answer;

  const TextMatches matches = matcher_.match(query);
  for (const std::size_t title : matches.best) {
    const DocSection* section = &errors_[section_of_title_[title]];
    if (answer.explanations.empty() || answer.explanations.back().section != section)
      answer.explanations.push_back({.section = section, .matched = {}});
    answer.explanations.back().matched.push_back(titles_[title]);
  }
  if (answer.found()) return answer;
  for (const std::size_t title : matches.nearest) answer.nearest.push_back(titles_[title]);
  std::vector<std::string> ids;
  for (const RuleEntry& rule : all_rules()) ids.push_back(rule.id);
  for (std::string& id : near_names(word, ids)) answer.nearest.push_back(std::move(id));
  return answer;
}

}  // namespace replait
