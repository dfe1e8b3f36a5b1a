#include "io/scene/document.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "io/reader_limits.hpp"
#include "io/scene/memory_stream.hpp"
#include "io/scene/utf8.hpp"

namespace grus::scene {

const Entry* Node::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::scalar:
      return quoted(node.text);
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      break;
  }
  return "a map";
}

namespace {

// Ends the parse at the first fault that leaves no sensible tree.
struct Stop {
  YAML::Mark mark;
  std::string message;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const Origin& origin, FaultList& faults)
      : text_(text), file_(std::make_shared<const std::string>(origin.file)), origin_(origin), faults_(faults) {}

  NodePtr root() const { return root_; }

  Mark mark_of(const YAML::Mark& at) const {
    // the first line of a text inside another begins at the origin's column
    const int column = at.line == 0 ? at.column + origin_.column : at.column + 1;
    return {file_, at.line + origin_.line, column};
  }

  void OnDocumentStart(const YAML::Mark& at) override {
    if (root_) throw Stop{at, "a second document begins here, expected one document per file"};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& at, YAML::anchor_t anchor) override {
    Node node;
    // yaml-cpp marks a missing value at the next token, lines away; the key is where people look
    const bool after_key = !open_.empty() && open_.back().key_given;
    node.mark = after_key ? open_.back().entry.mark : mark_of(at);
    leaf(at, anchor, std::move(node));
  }

  void OnScalar(const YAML::Mark& at, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(at, tag);
    Node node;
    node.mark = mark_of(at);
    node.text = value;
    node.in_quotes = tag == "!";
    if (node.in_quotes && !is_closed(at)) throw Stop{at, "not YAML: a quote is opened here and never closed"};
    node.kind = Node::Kind::scalar;
    const bool plain_null = !node.in_quotes && (value == "~" || value == "null");
    if (plain_null) node.kind = Node::Kind::null;
    leaf(at, anchor, std::move(node));
  }

  void OnAlias(const YAML::Mark& at, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Stop{at, "this alias stands inside the node it names: a cycle"};
    // a few lines of aliases of aliases stand for more values than there are atoms
    aliased_ += found->second->weight;
    if (aliased_ > most_scene_aliased)
      throw Stop{at, fmt::format("aliases stand for more than {} values", most_scene_aliased)};
    place(at, found->second);
  }

  void OnSequenceStart(const YAML::Mark& at, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(at, tag, anchor, Node::Kind::list);
  }
  void OnMapStart(const YAML::Mark& at, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(at, tag, anchor, Node::Kind::map);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override {
    refuse_duplicates(open_.back().node);
    close();
  }

 private:
  struct Open {
    YAML::Mark at;
    YAML::anchor_t anchor;
    Node node;
    bool key_given = false;
    Entry entry;  // whose value comes next
  };

  static void check_tag(const YAML::Mark& at, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      throw Stop{at, fmt::format("tag {} is not used in scenes", quoted(tag))};
  }

  void leaf(const YAML::Mark& at, YAML::anchor_t anchor, Node node) {
    const NodePtr shared = std::make_shared<const Node>(std::move(node));
    if (anchor != 0) anchors_[anchor] = shared;
    place(at, shared);
  }

  // yaml-cpp lets the end of the file close a quote: a forgotten quote would swallow the rest of a scene in silence.
  bool is_closed(const YAML::Mark& at) const {
    const auto begin = static_cast<std::size_t>(at.pos);
    if (begin >= text_.size()) return true;
    const char quote = text_[begin];
    if (quote != '"' && quote != '\'') return true;
    for (std::size_t i = begin + 1; i < text_.size(); ++i) {
      if (quote == '"' && text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        const bool doubled = quote == '\'' && i + 1 < text_.size() && text_[i + 1] == quote;
        if (!doubled) return true;
        ++i;
      }
    }
    return false;
  }

  void open(const YAML::Mark& at, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
    check_tag(at, tag);
    if (!open_.empty() && open_.back().node.kind == Node::Kind::map && !open_.back().key_given)
      throw Stop{at, "found a list or map as a key, expected a name"};
    if (static_cast<int>(open_.size()) >= deepest_scene)
      throw Stop{at, fmt::format("nested more than {} levels deep", deepest_scene)};
    Open next{at, anchor, {}, false, {}};
    next.node.kind = kind;
    next.node.mark = mark_of(at);
    open_.push_back(std::move(next));
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    const NodePtr shared = std::make_shared<const Node>(std::move(done.node));
    if (done.anchor != 0) anchors_[done.anchor] = shared;
    place(done.at, shared);
  }

  void place(const YAML::Mark& at, const NodePtr& child) {
    if (open_.empty()) {
      root_ = child;
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::list) {
      parent.node.items.push_back(child);
    } else if (!parent.key_given) {
      if (child->kind != Node::Kind::scalar)
        throw Stop{at, fmt::format("found {} as a key, expected a name", describe(*child))};
      parent.entry = {child->text, mark_of(at), nullptr};
      parent.key_given = true;
      return;
    } else {
      parent.entry.value = child;
      parent.node.entries.push_back(std::move(parent.entry));
      parent.key_given = false;
    }
    parent.node.weight += child->weight;
    if (parent.node.weight > most_scene_nodes) throw Stop{at, fmt::format("more than {} values", most_scene_nodes)};
  }

  void refuse_duplicates(Node& map) {
    std::map<std::string_view, const Entry*> seen;
    bool any = false;
    for (const Entry& entry : map.entries) {
      const auto [first, is_new] = seen.emplace(entry.key, &entry);
      if (is_new) continue;
      any = true;
      faults_.add(entry.mark.source(),
                  fmt::format("key {} was already given on line {}", quoted(entry.key), first->second->mark.line));
    }
    if (!any) return;
    // keep the first of each, so that the rest of the scene is still checked
    std::vector<Entry> kept;
    for (Entry& entry : map.entries) {
      if (seen.at(entry.key) == &entry) kept.push_back(entry);
    }
    map.entries = std::move(kept);
  }

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  Origin origin_;
  FaultList& faults_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, NodePtr> anchors_;
  std::size_t aliased_ = 0;  // nodes that aliases stand for
  NodePtr root_;
};

bool is_text(std::string_view text, const Origin& origin, FaultList& faults) {
  if (text.size() > most_scene_bytes) {
    faults.add({origin.file, origin.line, origin.column},
               fmt::format("{} bytes long, at most {} are read", text.size(), most_scene_bytes));
    return false;
  }
  const std::optional<TextFault> fault = find_text_fault(text);
  if (!fault) return true;
  const int column = fault->line == 1 ? fault->column + origin.column - 1 : fault->column;
  faults.add({origin.file, fault->line + origin.line - 1, column}, fault->message);
  return false;
}

}  // namespace

NodePtr parse_document(std::string_view text, const Origin& origin, FaultList& faults) {
  if (!is_text(text, origin, faults)) return nullptr;
  TreeBuilder builder(text, origin, faults);
  try {
    MemoryStream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop& stop) {
    faults.add(builder.mark_of(stop.mark).source(), stop.message);
    return nullptr;
  } catch (const YAML::Exception& error) {
    const YAML::Mark at = error.mark.is_null() ? YAML::Mark() : error.mark;
    faults.add(builder.mark_of(at).source(), fmt::format("not YAML: {}", error.msg));
    return nullptr;
  }
  if (builder.root()) return builder.root();
  Node nothing;
  nothing.mark = builder.mark_of(YAML::Mark());
  return std::make_shared<const Node>(std::move(nothing));
}

namespace {

// May a scalar stand without quotes inside a flow list? A conservative answer.
bool is_plain(const std::string& text) {
  const auto word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  const auto harmless = [&](char c) {
    return word(c) || std::string_view("._+-*/^()").find(c) != std::string_view::npos;
  };
  if (text.empty() || !std::all_of(text.begin(), text.end(), harmless)) return false;
  if (text == "null") return false;
  return word(text[0]) || (text.size() > 1 && (text[0] == '.' || text[0] == '-' || text[0] == '+') && word(text[1]));
}

std::string flow_scalar(const std::string& text, bool in_quotes) {
  if (!in_quotes && is_plain(text)) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out + '"';
}

void write_block(const Node& node, std::size_t indent, std::string& out) {
  constexpr std::size_t widest = 100;
  const std::string flow = node.weight < widest ? to_flow(node) : "";
  const bool fits = !flow.empty() && flow.size() + indent <= widest;
  const bool container = node.kind == Node::Kind::list || node.kind == Node::Kind::map;
  const bool empty = node.items.empty() && node.entries.empty();
  if (!container || empty || (fits && indent > 0)) {
    out += (out.empty() || out.back() == ' ' ? "" : " ") + (flow.empty() ? to_flow(node) : flow) + "\n";
    return;
  }
  // after "- " the first key stays on its line
  bool inline_first = out.ends_with("- ");
  if (!inline_first && !out.empty() && out.back() != '\n') out += '\n';
  for (const NodePtr& item : node.items) {
    out += (inline_first ? "" : std::string(indent, ' ')) + "- ";
    inline_first = false;
    write_block(*item, indent + 2, out);
  }
  for (const Entry& entry : node.entries) {
    out += (inline_first ? "" : std::string(indent, ' ')) + flow_scalar(entry.key, false) + ":";
    inline_first = false;
    write_block(*entry.value, indent + 2, out);
  }
}

}  // namespace

std::string to_flow(const Node& node) {
  std::string out;
  switch (node.kind) {
    case Node::Kind::null:
      return "~";
    case Node::Kind::scalar:
      return flow_scalar(node.text, node.in_quotes);
    case Node::Kind::list:
      for (const NodePtr& item : node.items) out += (out.empty() ? "" : ", ") + to_flow(*item);
      return "[" + out + "]";
    case Node::Kind::map:
      break;
  }
  for (const Entry& entry : node.entries)
    out += (out.empty() ? "" : ", ") + flow_scalar(entry.key, false) + ": " + to_flow(*entry.value);
  return "{" + out + "}";
}

std::string to_block(const Node& node) {
  std::string out;
  write_block(node, 0, out);
  return out;
}

}  // namespace grus::scene
