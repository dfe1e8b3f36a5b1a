#include "io/xml_outline.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "io/text_words.hpp"

namespace grus {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_name(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) != 0 || c == '_' || c == '-' || c == '.' || c == ':' || u >= 0x80;
}

class XmlScanner {
 public:
  XmlScanner(std::string_view text, const XmlLimits& limits) : text_(text), limits_(limits) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
  }

  XmlOutline scan() {
    while (at_ < text_.size()) {
      if (text_[at_] != '<') {
        if (open_.empty() && !is_blank(text_[at_])) fail("found text outside of all tags");
        step();
      } else {
        markup();
      }
    }
    if (!open_.empty()) {
      const XmlElement& inner = outline_.elements[static_cast<std::size_t>(open_.back())];
      fail(fmt::format("found the end, expected </{}> of line {}", inner.name, inner.line));
    }
    if (outline_.elements.empty()) fail("found no tag");
    return std::move(outline_);
  }

 private:
  [[noreturn]] void fail(std::string message) const { throw XmlFault{line_, std::move(message)}; }

  void step() {
    if (text_[at_] == '\n') ++line_;
    ++at_;
  }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) step();
  }
  bool begins(std::string_view mark) const { return text_.substr(at_).starts_with(mark); }
  void skip_past(std::string_view mark) {
    const std::size_t end = text_.find(mark, at_);
    if (end == std::string_view::npos) fail(fmt::format("found the end, expected {}", mark));
    while (at_ < end + mark.size()) step();
  }
  std::string_view name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == begin) fail("found a tag without a name");
    return text_.substr(begin, at_ - begin);
  }

  void markup() {
    if (begins("<!--")) return skip_past("-->");
    if (begins("<![CDATA[")) return skip_past("]]>");
    if (begins("<?")) return skip_past("?>");
    if (begins("<!")) fail("found a declaration such as DOCTYPE, which is not read");
    ++at_;
    if (at_ < text_.size() && text_[at_] == '/') return closing_tag();
    opening_tag();
  }

  void closing_tag() {
    ++at_;
    const std::string_view closed = name();
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != '>') fail(fmt::format("found no '>' at the end of </{}", closed));
    ++at_;
    if (open_.empty()) fail(fmt::format("found </{}>, but no tag is open", closed));
    const XmlElement& inner = outline_.elements[static_cast<std::size_t>(open_.back())];
    if (inner.name != closed)
      fail(fmt::format("found </{}>, expected </{}> of line {}", closed, inner.name, inner.line));
    open_.pop_back();
  }

  void opening_tag() {
    XmlElement element;
    element.line = line_;
    element.name = name();
    element.parent = open_.empty() ? -1 : open_.back();
    if (open_.empty() && !outline_.elements.empty()) fail(fmt::format("found a second root, <{}>", element.name));
    if (static_cast<int>(open_.size()) >= limits_.depth)
      fail(fmt::format("found tags within tags more than {} deep", limits_.depth));
    if (outline_.elements.size() >= limits_.elements) fail(fmt::format("found more than {} tags", limits_.elements));
    const bool has_content = read_attributes(element);
    const auto number = static_cast<int>(outline_.elements.size());
    if (element.parent >= 0) outline_.elements[static_cast<std::size_t>(element.parent)].children.push_back(number);
    outline_.elements.push_back(std::move(element));
    if (has_content) open_.push_back(number);
  }

  // True for <a ...>, false for <a .../>.
  bool read_attributes(XmlElement& element) {
    for (;;) {
      const std::size_t before = at_;
      skip_blanks();
      if (at_ >= text_.size()) fail(fmt::format("found the end within <{}", element.name));
      if (text_[at_] == '>') {
        ++at_;
        return true;
      }
      if (begins("/>")) {
        at_ += 2;
        return false;
      }
      if (at_ == before) fail(fmt::format("found {} within <{}", quoted_here(), element.name));
      read_attribute(element);
    }
  }

  void read_attribute(XmlElement& element) {
    if (!is_name(text_[at_])) fail(fmt::format("found {} within <{}", quoted_here(), element.name));
    const std::string_view key = name();
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != '=') fail(fmt::format("attribute {}: expected '=' and a value", key));
    ++at_;
    skip_blanks();
    if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\''))
      fail(fmt::format("attribute {}: expected a value in quotes", key));
    const char quote = text_[at_++];
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '<') fail(fmt::format("attribute {}: found '<' within its value", key));
      step();
    }
    if (at_ >= text_.size()) fail(fmt::format("attribute {}: its value has no end", key));
    if (element.attribute(key) != nullptr) fail(fmt::format("attribute {} is given twice", key));
    if (element.attributes.size() >= limits_.attributes)
      fail(fmt::format("found more than {} attributes of <{}>", limits_.attributes, element.name));
    element.attributes.emplace_back(key, text_.substr(begin, at_ - begin));
    ++at_;
  }

  std::string quoted_here() const { return found_word(text_.substr(at_, 1)); }

  std::string_view text_;
  const XmlLimits& limits_;
  std::size_t at_ = 0;
  int line_ = 1;
  XmlOutline outline_;
  std::vector<int> open_;
};

}  // namespace

const std::string_view* XmlElement::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes) {
    if (key == wanted) return &value;
  }
  return nullptr;
}

const XmlElement* XmlOutline::child(const XmlElement& of, std::string_view name) const {
  for (const int number : of.children) {
    const XmlElement& element = elements[static_cast<std::size_t>(number)];
    if (element.name == name) return &element;
  }
  return nullptr;
}

std::variant<XmlOutline, XmlFault> parse_xml_outline(std::string_view text, const XmlLimits& limits) {
  try {
    return XmlScanner(text, limits).scan();
  } catch (XmlFault& fault) {
    return std::move(fault);
  }
}

}  // namespace grus
