#include "replay/text_match.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <set>
#include <utility>

namespace replait {
namespace {

constexpr std::size_t kWordsMax = 20'000;  // Of a text that is longer the last: errors end it.
constexpr std::size_t kLinesMax = 500;     // Likewise.
constexpr std::size_t kAbsorbedMax = 64;   // Words that one {} can stand for.
constexpr std::size_t kNearestMax = 3;
// Words that say nothing by themselves.
constexpr std::array<std::string_view, 27> kSmallWords = {
    "a",   "an",   "and", "are",  "as",   "at",  "be", "but",  "by",
    "for", "from", "has", "have", "in",   "is",  "it", "no",   "not",
    "of",  "off",  "on",  "only", "text", "the", "to", "with", "without"};

bool is_small(const std::string& word) {
  return std::binary_search(kSmallWords.begin(), kSmallWords.end(), std::string_view(word));
}

bool is_number(const std::string& word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// "ValueError: text" -> "text"; anything else as it is.
std::string_view without_type(std::string_view line) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return line;
  const std::string_view type = line.substr(0, colon);
  const bool is_type = type.ends_with("Error") || type.ends_with("Exception");
  return is_type && type.find(' ') == std::string_view::npos ? line.substr(colon + 2) : line;
}

}  // namespace

bool TextMatcher::Share::operator<(const Share& other) const {
  return std::pair(found * other.all, found) < std::pair(other.found * all, other.found);
}

TextMatcher::TextMatcher(const std::vector<std::string>& templates) {
  for (const std::string& text : templates) {
    templates_.push_back(template_of(text));
    std::set<std::string> distinct;
    for (const Word& word : templates_.back().words) distinct.insert(word.text);
    for (const std::string& word : distinct) ++templates_with_[word];
  }
}

TextMatches TextMatcher::match(std::string_view text) const {
  const Words words = words_of(text);
  TextMatches matches{.kind = MatchKind::kWhole, .best = whole_matches(words), .nearest = {}};
  if (!matches.best.empty()) return matches;
  matches.kind = MatchKind::kPart;
  matches.best = part_matches(text);
  if (!matches.best.empty()) return matches;
  return word_matches(words);
}

TextMatcher::Words TextMatcher::words_of(std::string_view text) {
  Words words;
  std::size_t line = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word_char(text[i])) {
      if (text[i] == '\n') ++line;
      ++i;
      continue;
    }
    words.push_back({.text = {}, .line = line});
    for (; i < text.size() && is_word_char(text[i]); ++i) words.back().text += lower(text[i]);
  }
  if (words.size() > kWordsMax) words.erase(words.begin(), words.end() - kWordsMax);
  return words;
}

TextMatcher::Template TextMatcher::template_of(std::string_view text) {
  Template made;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    for (Word& word : words_of(text.substr(0, open))) {
      made.words.push_back(std::move(word));
      ++made.named;
    }
    text.remove_prefix(open);
    if (text.empty()) break;
    ++made.blanks;
    if (made.words.empty() || !made.words.back().text.empty()) made.words.push_back({});
    text.remove_prefix(std::min(text.find('}'), text.size() - 1) + 1);
  }
  return made;
}

// Each {} takes as few words as it can; a last one takes the rest of its line.
std::optional<TextMatcher::Span> TextMatcher::matches_at(const Template& tried, const Words& text,
                                                         std::size_t at) {
  std::size_t absorbed = 0;
  const auto equal = [](const Word& a, const Word& b) { return a.text == b.text; };
  for (auto run = tried.words.begin(); run != tried.words.end();) {
    if (run->text.empty()) {
      ++run;
      if (run != tried.words.end()) continue;
      const std::size_t line = at == 0 ? 0 : text[at - 1].line;
      for (; at < text.size() && text[at].line == line; ++at) ++absorbed;
      break;
    }
    const auto end =
        std::find_if(run, tried.words.end(), [](const Word& word) { return word.text.empty(); });
    const auto from = text.begin() + static_cast<std::ptrdiff_t>(at);
    const bool after_blank = run != tried.words.begin();
    const std::size_t reach =
        static_cast<std::size_t>(end - run) + (after_blank ? kAbsorbedMax : 0);
    const auto until = from + static_cast<std::ptrdiff_t>(std::min(reach, text.size() - at));
    const auto found = std::search(from, until, run, end, equal);
    if (found == until) return std::nullopt;
    absorbed += static_cast<std::size_t>(found - from);
    at = static_cast<std::size_t>(found - text.begin()) + static_cast<std::size_t>(end - run);
    run = end;
  }
  return Span{.end = at, .absorbed = absorbed};
}

std::vector<std::size_t> TextMatcher::whole_matches(const Words& text) const {
  struct Found {
    std::size_t index, begin, end, named, wrong_blanks;
  };
  std::vector<Found> all;
  for (std::size_t i = 0; i < templates_.size(); ++i) {
    const Template& tried = templates_[i];
    for (std::size_t at = text.size(); tried.named > 0 && at-- > 0;) {
      const std::optional<Span> span = matches_at(tried, text, at);
      if (!span) continue;
      const std::size_t absorbed = span->absorbed;
      const std::size_t wrong = std::max(absorbed, tried.blanks) - std::min(absorbed, tried.blanks);
      all.push_back({.index = i,
                     .begin = at,
                     .end = span->end,
                     .named = tried.named,
                     .wrong_blanks = absorbed == 0 ? 0 : wrong});
      break;
    }
  }
  const auto is_beaten = [&](const Found& found) {
    return std::any_of(all.begin(), all.end(), [&](const Found& other) {
      const bool overlap = found.begin < other.end && other.begin < found.end;
      if (!overlap) return other.begin > found.begin;
      if (other.named != found.named) return other.named > found.named;
      return other.wrong_blanks < found.wrong_blanks;
    });
  };
  std::vector<std::size_t> best;
  for (const Found& found : all) {
    if (!is_beaten(found)) best.push_back(found.index);
  }
  if (best.empty() && !all.empty()) {  // Each is beaten by another: they overlap in a ring.
    const auto longest = std::max_element(
        all.begin(), all.end(), [](const Found& a, const Found& b) { return a.named < b.named; });
    best.push_back(longest->index);
  }
  return best;
}

// How many words of the text stand in the template if the whole text is a piece of it; else 0.
std::size_t TextMatcher::piece_words(const Template& tried, const Words& text) {
  constexpr std::size_t kNo = 0;
  // By place in the template: 1 + the most words that were matched by a way that leads there.
  std::vector<std::size_t> ways(tried.words.size() + 1, 1);
  for (const Word& word : text) {
    std::vector<std::size_t> next(ways.size(), kNo);
    for (std::size_t place = 0; place < tried.words.size(); ++place) {
      if (ways[place] == kNo) continue;
      const bool blank = tried.words[place].text.empty();
      if (blank) {
        next[place] = std::max(next[place], ways[place]);
        ways[place + 1] = std::max(ways[place + 1], ways[place]);
      } else if (tried.words[place].text == word.text) {
        next[place + 1] = std::max(next[place + 1], ways[place] + 1);
      }
    }
    ways = std::move(next);
  }
  const std::size_t most = *std::max_element(ways.begin(), ways.end());
  return most == kNo ? 0 : most - 1;
}

std::vector<std::size_t> TextMatcher::part_matches(std::string_view text) const {
  std::vector<std::string_view> lines = lines_of(text);
  if (lines.size() > kLinesMax) lines.erase(lines.begin(), lines.end() - kLinesMax);
  std::vector<std::size_t> best;
  std::size_t most = 0;
  const auto attempt = [&](std::string_view piece, std::size_t least) {
    const Words words = words_of(piece);
    if (std::all_of(words.begin(), words.end(), [](const Word& w) { return is_small(w.text); }))
      return;
    const auto telling = static_cast<std::size_t>(std::count_if(
        words.begin(), words.end(), [](const Word& w) { return !is_number(w.text); }));
    for (std::size_t i = 0; i < templates_.size(); ++i) {
      const std::size_t found = piece_words(templates_[i], words);
      if (found < least || 2 * found < telling || found < most) continue;
      if (found > most) best.clear();
      most = found;
      if (best.empty() || best.back() != i) best.push_back(i);
    }
  };
  attempt(text, 1);
  if (lines.size() == 1) attempt(without_type(lines[0]), 1);
  for (const std::string_view line : lines) {
    if (lines.size() > 1) attempt(without_type(line), 3);
  }
  std::sort(best.begin(), best.end());
  best.erase(std::unique(best.begin(), best.end()), best.end());
  return best;
}

std::uint64_t TextMatcher::weight(const std::string& word) const {
  if (is_small(word) || is_number(word)) return 0;
  const auto found = templates_with_.find(word);
  const std::uint64_t with = found == templates_with_.end() ? 1 : found->second;
  return static_cast<std::uint64_t>(std::bit_width(templates_.size() / with));
}

TextMatcher::Share TextMatcher::share_of(const Template& tried, const Words& text) const {
  std::set<std::string> wanted;
  std::set<std::string> given;
  for (const Word& word : tried.words) wanted.insert(word.text);
  for (const Word& word : text) given.insert(word.text);
  wanted.erase("");
  std::uint64_t all_wanted = 0;
  std::uint64_t all_given = 0;
  Share share;
  for (const std::string& word : wanted) all_wanted += weight(word);
  for (const std::string& word : given) {
    all_given += weight(word);
    if (wanted.count(word) > 0) share.found += weight(word);
  }
  share.all = std::max<std::uint64_t>(std::min(all_wanted, all_given), 1);
  return share;
}

TextMatches TextMatcher::word_matches(const Words& text) const {
  std::vector<std::pair<Share, std::size_t>> shares;
  for (std::size_t i = 0; i < templates_.size(); ++i) {
    const Share share = share_of(templates_[i], text);
    if (share.found > 0) shares.emplace_back(share, i);
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return b.first < a.first; });
  TextMatches matches;
  for (const auto& [share, i] : shares) {
    if (10 * share.found >= 6 * share.all && !(share < shares.front().first)) {
      matches.kind = MatchKind::kWords;
      matches.best.push_back(i);
    }
    if (matches.nearest.size() < kNearestMax) matches.nearest.push_back(i);
  }
  if (matches.kind == MatchKind::kWords) matches.nearest.clear();
  return matches;
}

}  // namespace replait
