// The tree under the reader: marks, limits, and writing a tree so that it reads back.
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/reader_limits.hpp"
#include "io/scene/document.hpp"
#include "io/scene/utf8.hpp"

namespace grus::scene {
namespace {

NodePtr parse(const std::string& text, FaultList& faults) { return parse_document(text, {"f.yaml"}, faults); }

std::string first_fault(const std::string& text) {
  FaultList faults;
  parse(text, faults);
  try {
    faults.raise();
  } catch (const InputError& error) {
    return to_string(error.faults().front());
  }
  return "";
}

bool same(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size() || a.entries.size() != b.entries.size())
    return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!same(*a.items[i], *b.items[i])) return false;
  }
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    if (a.entries[i].key != b.entries[i].key || !same(*a.entries[i].value, *b.entries[i].value)) return false;
  }
  return true;
}

TEST(SceneDocument, MarksCountFromOne) {
  FaultList faults;
  const NodePtr root = parse("a: 1\nbb: [x,\n  y]\n", faults);
  ASSERT_TRUE(root && faults.empty());
  EXPECT_EQ(root->find("bb")->mark.line, 2);
  EXPECT_EQ(root->find("bb")->mark.column, 1);
  EXPECT_EQ(root->find("bb")->value->items[1]->mark.line, 3);
  EXPECT_EQ(root->find("bb")->value->items[1]->mark.column, 3);
}

TEST(SceneDocument, FaultsSayWhere) {
  using testing::HasSubstr;
  EXPECT_THAT(first_fault("a: 1\na: 2"), HasSubstr("f.yaml:2:1: key 'a' was already given on line 1"));
  EXPECT_THAT(first_fault("&a [*a, *a]"), HasSubstr("f.yaml:1:5: this alias stands inside the node it names"));
  EXPECT_THAT(first_fault("a: [1"), HasSubstr("f.yaml:"));
  EXPECT_THAT(first_fault("a: 1\n---\nb: 2"), HasSubstr("second document"));
  EXPECT_THAT(first_fault("a: !!binary xx"), HasSubstr("f.yaml:1:4: tag"));
  EXPECT_THAT(first_fault("[1, 2]: 3"), HasSubstr("f.yaml:1:1: found a list or map as a key"));
  EXPECT_THAT(first_fault("a: \"\x01\""), HasSubstr("f.yaml:1:5: byte 0x01 is a control character"));
  EXPECT_THAT(first_fault("a: 1\nb: \xff"), HasSubstr("f.yaml:2:4: byte 0xff is not UTF-8"));
}

TEST(SceneDocument, RefusesWhatWouldExhaustTheMachine) {
  EXPECT_THAT(first_fault(std::string(100000, '[') + std::string(100000, ']')), testing::HasSubstr("deep"));
  EXPECT_THAT(first_fault(std::string(100000, '[')), testing::HasSubstr("f.yaml:1:"));
  std::string blocks;
  for (int i = 0; i < 2000; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_THAT(first_fault(blocks), testing::HasSubstr("deep"));
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 1; k < 10; ++k) bomb += ", " + last;
    bomb += "]\n";
  }
  EXPECT_THAT(first_fault(bomb), testing::HasSubstr("aliases stand for more than 100000 values"));
  EXPECT_THAT(first_fault(std::string(most_scene_bytes + 1, ' ')), testing::HasSubstr("bytes long"));
}

TEST(SceneDocument, Utf8) {
  EXPECT_FALSE(find_text_fault("grüße, 石, \xf0\x9f\x98\x80\r\n\t"));
  for (const char* bad : {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80", "\x7f"})
    EXPECT_TRUE(find_text_fault(bad)) << bad;
}

Node random_node(std::mt19937& random, int depth) {
  static const std::vector<std::string> texts = {
      "1", "-2.5e-3", "a b", "x: y",        "- z",  "#c",    "*a", "&b", "[",           "}",     "a,b", "\"q\"", "'",
      "",  "null",    "~",   "line\nbreak", "true", "0.5*d", "-",  "?",  "back\\slash", "tab\t", "ü",   " lead"};
  Node node;
  const unsigned kind = depth > 3 ? 1u : static_cast<unsigned>(random() % 4);
  node.kind = static_cast<Node::Kind>(kind);
  if (node.kind == Node::Kind::scalar) {
    node.text = texts[random() % texts.size()];
    node.in_quotes = true;
    return node;
  }
  if (node.kind == Node::Kind::null) return node;
  for (unsigned i = 0; i < random() % 5; ++i) {
    NodePtr child = std::make_shared<const Node>(random_node(random, depth + 1));
    node.weight += child->weight;
    if (node.kind == Node::Kind::list) node.items.push_back(child);
    if (node.kind == Node::Kind::map)
      node.entries.push_back({texts[random() % texts.size()] + std::to_string(i), {}, child});
  }
  return node;
}

TEST(SceneDocument, WritesWhatReadsBack) {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    Node node = random_node(random, 0);
    if (node.kind != Node::Kind::map && node.kind != Node::Kind::list) continue;
    for (const std::string& text : {to_flow(node), to_block(node)}) {
      FaultList faults;
      const NodePtr back = parse(text, faults);
      ASSERT_TRUE(back && faults.empty()) << text;
      EXPECT_TRUE(same(node, *back)) << text;
    }
  }
}

}  // namespace
}  // namespace grus::scene
