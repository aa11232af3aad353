// The rules that a finding can name, each with its severity: docs/findings.md in the code.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "trace/finding.h"

namespace replait {

struct Rule {
  std::string_view id;
  Severity severity;
  std::string_view summary;
};

// By id.
std::span<const Rule> rules();

// nullptr: none of this version's.
const Rule* find_rule(std::string_view id);

// What a rule that this version does not know counts as: an error.
Severity severity_of(std::string_view rule);

// Whether `rule` is meant by `pattern`: its id, or a family of ids as in "race.*".
bool rule_matches(std::string_view rule, std::string_view pattern);

std::string_view to_string(Severity severity);

}  // namespace replait
