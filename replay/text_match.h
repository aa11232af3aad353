// Which of many templates ("Semaphore {id} has non-zero count ...") a text is, or is a piece of.
//
// People paste what they have: the message alone, a whole traceback, a line that the terminal cut,
// a few words that they remember. So three tries, the first that finds something wins:
//   whole   all words of a template in order, {} standing for anything; of several that overlap the
//           longest, else the last: a failure's message holds its cause's after its own
//   part    the text, or one line of it, is a piece of a template
//   words   the words of a template, weighted by how few templates have them [Sparck Jones 1972]
// Case, punctuation, quotes and line breaks do not count: shells and terminals change them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace replait {

enum class MatchKind : std::uint8_t { kNone, kWhole, kPart, kWords };

struct TextMatches {
  MatchKind kind = MatchKind::kNone;
  std::vector<std::size_t> best;     // Templates that match equally well, in their order.
  std::vector<std::size_t> nearest;  // Where nothing matched: at most three, nearest first.
};

class TextMatcher {
 public:
  explicit TextMatcher(const std::vector<std::string>& templates);

  TextMatches match(std::string_view text) const;

 private:
  struct Word {
    std::string text;  // In a template: empty for {}.
    std::size_t line = 0;
  };
  using Words = std::vector<Word>;
  struct Template {
    Words words;             // Never two {} in a row.
    std::size_t blanks = 0;  // How many {} it was written with.
    std::size_t named = 0;   // How many words it has.
  };
  struct Span {
    std::size_t end = 0;       // Behind the last word.
    std::size_t absorbed = 0;  // Words that {} stand for.
  };
  struct Share {  // Of the words that count, in weights.
    std::uint64_t found = 0;
    std::uint64_t all = 0;
    bool operator<(const Share& other) const;
  };

  static Words words_of(std::string_view text);
  static Template template_of(std::string_view text);
  static std::optional<Span> matches_at(const Template& tried, const Words& text, std::size_t at);
  static std::size_t piece_words(const Template& tried, const Words& text);

  std::vector<std::size_t> whole_matches(const Words& text) const;
  std::vector<std::size_t> part_matches(std::string_view text) const;
  TextMatches word_matches(const Words& text) const;
  Share share_of(const Template& tried, const Words& text) const;
  std::uint64_t weight(const std::string& word) const;

  std::vector<Template> templates_;
  std::map<std::string, std::uint64_t> templates_with_;  // By word.
};

}  // namespace replait
