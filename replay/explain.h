// What `replait explain` knows: the sections of docs/errors.md and docs/findings.md, looked up by a
// JAX error text or by a rule.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "replay/doc_sections.h"
#include "replay/text_match.h"

namespace replait {

struct Explanation {
  const DocSection* section = nullptr;
  std::vector<std::string> matched;  // Which of its titles.
};

// What is said of a rule apart from its section: from the table of rules.
struct RuleEntry {
  std::string id;
  std::string severity;  // Empty where no finding has the rule yet.
  std::string summary;
};

struct ExplainAnswer {
  std::vector<RuleEntry> rules;           // Where the query is a rule, or begins or ends like some.
  std::vector<Explanation> explanations;  // Of one rule also the errors that name it, titles only.
  std::vector<std::string> nearest;       // Titles and rules, where nothing was found.

  bool found() const { return !rules.empty() || !explanations.empty(); }
};

class ExplainIndex {
 public:
  ExplainIndex(std::string_view errors, std::string_view findings);

  // `query` is an error text, a part of one, a traceback; or a rule's id, its beginning
  // ("memory", "race.w") or its last word ("deadlock").
  ExplainAnswer find(std::string_view query) const;

  // The section of a rule; nullptr where the documents have none.
  const DocSection* section_of(std::string_view rule) const;
  // The errors that name a rule.
  std::vector<const DocSection*> errors_of(std::string_view rule) const;

 private:
  std::vector<RuleEntry> all_rules() const;
  std::vector<RuleEntry> rules_like(std::string_view query) const;

  std::vector<DocSection> errors_;
  std::vector<DocSection> findings_;
  std::vector<std::size_t> section_of_title_;
  std::vector<std::string> titles_;
  TextMatcher matcher_;
};

struct ExplainLayout {
  std::string program;
  std::size_t width = 100;
  bool color = false;
};

// The answer as the terminal shows it, and as JSON. REQUIRES: answer.found().
std::string explain_text(const ExplainIndex& index, const ExplainAnswer& answer,
                         const ExplainLayout& layout);
std::string explain_json(const ExplainIndex& index, const ExplainAnswer& answer,
                         std::string_view query);

}  // namespace replait
