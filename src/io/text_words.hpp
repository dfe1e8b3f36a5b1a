// Words of a text with the lines they stand on. Words are split at blanks; '\n', "\r\n" and '\r' end a line.
#pragma once

#include <string>
#include <string_view>

#include "io/scene/fault_list.hpp"

namespace grus {

class TextWords {
 public:
  explicit TextWords(std::string_view text) : text_(text) {}

  int line() const { return line_; }
  // Of the word read last, from 1.
  int column() const { return static_cast<int>(word_begin_ - line_begin_) + 1; }
  // Bytes not read yet: a bound of what may still be announced.
  std::size_t bytes_left() const { return text_.size() - at_; }
  bool at_end() {
    skip(" \t\r\n");
    return at_ >= text_.size();
  }
  // The next word, on this line or a later one; empty at the end.
  std::string_view next() {
    skip(" \t\r\n");
    return word();
  }
  // The next word of this line; empty at its end.
  std::string_view next_on_line() {
    skip(" \t");
    return word();
  }
  // The rest of the line.
  std::string_view rest() {
    skip(" \t");
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
    std::string_view line = text_.substr(begin, at_ - begin);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    return line;
  }

 private:
  void skip(std::string_view blanks) {
    while (at_ < text_.size() && blanks.find(text_[at_]) != std::string_view::npos) {
      if (text_[at_] == '\n' || (text_[at_] == '\r' && (at_ + 1 >= text_.size() || text_[at_ + 1] != '\n'))) {
        ++line_;
        line_begin_ = at_ + 1;
      }
      ++at_;
    }
  }
  std::string_view word() {
    word_begin_ = at_;
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) == std::string_view::npos) ++at_;
    return text_.substr(word_begin_, at_ - word_begin_);
  }

  std::string_view text_;
  std::size_t at_ = 0, line_begin_ = 0, word_begin_ = 0;
  int line_ = 1;
};

// As shown in a message.
inline std::string found_word(std::string_view word) {
  return word.empty() ? "the end" : scene::quoted(std::string(word));
}

}  // namespace grus
