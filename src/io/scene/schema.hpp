// The schema of scenes: tables of fields, each bound to the member of Spec it fills.
//
// One table drives three things: what the reader accepts, which paths --set reaches, and docs/scene-reference.md. A
// field's default in the reference is printed from a default-made Spec, so it cannot differ from what runs.
//
//   Describe<PairSpec>("pair", "...")
//       .number("friction", &PairSpec::friction, at_least_zero, "Coulomb coefficient")
//       .choice("law", &PairSpec::law, law_names(), "...")
//       .done();
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/scene/document.hpp"
#include "io/scene/value_reader.hpp"

namespace grus::scene {

struct Object;

struct Field {
  std::string key;
  std::string type;      // in words: "number", "list of body"
  std::string unit;      // empty: none
  std::string range;     // in words, empty: any
  std::string fallback;  // default in words, empty: left out
  std::string about;
  bool required = false;
  bool is_value = true;              // reached by --set: no section, no list of elements
  const Object* nested = nullptr;    // section or elements
  std::vector<std::string> only_of;  // keys or kinds of the object this field belongs to; empty: all
  std::function<void(ValueReader&, const Entry&, void*)> read;
};

// At most one of these keys (exactly one when required).
struct OneOf {
  std::vector<std::string> keys;
  bool required = true;
};

struct Object {
  std::string name;  // "pair"
  std::string about;
  std::vector<Field> fields;
  std::vector<OneOf> one_of;
  // Checks across fields and settings derived from them; runs only when every field was read without a fault.
  std::function<void(ValueReader&, const Node&, void*)> finish;
};

// Reads a map into `target` (the type the object was described for).
void read_object(ValueReader& reader, const Object& object, const Node& node, void* target);

// Dotted paths of all single values reached through sections: what --set may name.
std::vector<std::string> setting_paths(const Object& root);

std::string show_default(bool value);
std::string show_default(Real value);
std::string show_default(const Vec3& value);
std::string show_default(const std::string& value);
template <std::integral T>
std::string show_default(T value) {
  return std::to_string(value);
}
template <class T>
std::string show_default(const std::optional<T>& value) {
  return value ? show_default(*value) : "";
}

template <class Enum>
using Names = std::vector<std::pair<std::string, Enum>>;

std::string name_list(const std::vector<std::string>& names);

// For sections that fill the object itself.
inline constexpr std::identity self;

template <class T>
class Describe {
 public:
  Describe(std::string name, std::string about) { object_.name = std::move(name), object_.about = std::move(about); }

  // `get` is a pointer to member or a function T& -> member&.
  template <class Get>
  Describe& number(std::string key, Get get, Range range, std::string about) {
    Field& field = add(std::move(key), "number", std::move(about), get);
    field.unit = range.unit;
    field.range = range.words();
    bind(get,
         [range](ValueReader& reader, const Entry& entry) { return reader.number(entry.key, *entry.value, range); });
    return *this;
  }

  template <class Get>
  Describe& integer(std::string key, Get get, Range range, std::string about) {
    Field& field = add(std::move(key), "whole number", std::move(about), get);
    field.range = range.words();
    bind(get,
         [range](ValueReader& reader, const Entry& entry) { return reader.integer(entry.key, *entry.value, range); });
    return *this;
  }

  template <class Get>
  Describe& boolean(std::string key, Get get, std::string about) {
    add(std::move(key), "true or false", std::move(about), get);
    bind(get, [](ValueReader& reader, const Entry& entry) { return reader.boolean(entry.key, *entry.value); });
    return *this;
  }

  template <class Get>
  Describe& text(std::string key, Get get, TextRule rule, std::string about) {
    add(std::move(key), type_name(rule), std::move(about), get);
    bind(get, [rule](ValueReader& reader, const Entry& entry) { return reader.text(entry.key, *entry.value, rule); });
    return *this;
  }

  template <class Get>
  Describe& vector(std::string key, Get get, VectorRule rule, Range range, std::string about) {
    Field& field = add(std::move(key), type_name(rule), std::move(about), get);
    field.unit = range.unit;
    field.range = range.words();
    bind(get, [rule, range](ValueReader& reader, const Entry& entry) {
      return reader.vector(entry.key, *entry.value, rule, range);
    });
    return *this;
  }

  template <class Get, class Enum>
  Describe& choice(std::string key, Get get, Names<Enum> names, std::string about) {
    std::vector<std::string> words;
    for (const auto& [word, value] : names) words.push_back(word);
    T prototype{};
    Field& field = put(std::move(key), (words.size() > 1 ? "one of " : "") + name_list(words), std::move(about));
    for (const auto& [word, value] : names) {
      if (std::invoke(get, prototype) == value) field.fallback = word;
    }
    bind(get, [names = std::move(names), words](ValueReader& reader, const Entry& entry) -> std::optional<Enum> {
      const std::optional<std::size_t> index = reader.choice(entry.key, *entry.value, words);
      if (!index) return std::nullopt;
      return names[*index].second;
    });
    return *this;
  }

  // A map read into the member that `get` yields (an optional one is made); `get` may yield the object itself.
  template <class Get>
  Describe& section(std::string key, Get get, const Object& nested, std::string about) {
    Field& field = put(std::move(key), nested.name, std::move(about));
    field.nested = &nested;
    field.is_value = false;
    field.read = [get, &nested](ValueReader& reader, const Entry& entry, void* target) {
      read_object(reader, nested, *entry.value, &made(std::invoke(get, *static_cast<T*>(target))));
    };
    return *this;
  }

  // A list of maps, appended to a vector.
  template <class Get>
  Describe& list(std::string key, Get get, const Object& nested, std::string about) {
    Field& field = put(std::move(key), "list of " + nested.name, std::move(about));
    field.nested = &nested;
    field.is_value = false;
    field.read = [get, &nested](ValueReader& reader, const Entry& entry, void* target) {
      for (const NodePtr& item : reader.list(entry.key, *entry.value)) {
        auto& elements = std::invoke(get, *static_cast<T*>(target));
        elements.emplace_back();
        if constexpr (requires { elements.back().mark; }) elements.back().mark = item->mark.source();
        read_object(reader, nested, *item, &elements.back());
      }
    };
    return *this;
  }

  // Anything else: `read` does its own checks, `type` says what they accept.
  Describe& custom(std::string key, std::string type, std::function<void(ValueReader&, const Entry&, T&)> read,
                   std::string about) {
    Field& field = put(std::move(key), std::move(type), std::move(about));
    field.read = [read = std::move(read)](ValueReader& reader, const Entry& entry, void* target) {
      read(reader, entry, *static_cast<T*>(target));
    };
    return *this;
  }

  // About the field just described.
  Describe& required() {
    last().required = true;
    last().fallback.clear();
    return *this;
  }
  Describe& fallback(std::string words) {
    last().fallback = std::move(words);
    return *this;
  }
  Describe& unit(std::string words) {
    last().unit = std::move(words);
    return *this;
  }
  Describe& nested(const Object& object) {
    last().nested = &object;
    return *this;
  }
  Describe& elements() {
    last().is_value = false;
    return *this;
  }
  Describe& only_of(std::vector<std::string> kinds) {
    last().only_of = std::move(kinds);
    return *this;
  }

  // About the object.
  Describe& exactly_one_of(std::vector<std::string> keys) {
    object_.one_of.push_back({std::move(keys), true});
    return *this;
  }
  Describe& at_most_one_of(std::vector<std::string> keys) {
    object_.one_of.push_back({std::move(keys), false});
    return *this;
  }
  Describe& finish(std::function<void(ValueReader&, const Node&, T&)> check) {
    object_.finish = [check = std::move(check)](ValueReader& reader, const Node& node, void* target) {
      check(reader, node, *static_cast<T*>(target));
    };
    return *this;
  }
  Object done() { return std::move(object_); }

 private:
  template <class M>
  static M& made(M& member) {
    return member;
  }
  template <class M>
  static M& made(std::optional<M>& member) {
    if (!member) member.emplace();
    return *member;
  }

  Field& last() { return object_.fields.back(); }

  Field& put(std::string key, std::string type, std::string about) {
    Field field;
    field.key = std::move(key);
    field.type = std::move(type);
    field.about = std::move(about);
    object_.fields.push_back(std::move(field));
    return last();
  }

  template <class Get>
  Field& add(std::string key, std::string type, std::string about, Get get) {
    Field& field = put(std::move(key), std::move(type), std::move(about));
    T prototype{};
    field.fallback = show_default(std::invoke(get, prototype));
    return field;
  }

  // `value` yields an optional of what the member takes.
  template <class Get, class Value>
  void bind(Get get, Value value) {
    last().read = [get, value = std::move(value)](ValueReader& reader, const Entry& entry, void* target) {
      auto result = value(reader, entry);
      if (!result) return;
      using Member = std::remove_cvref_t<decltype(std::invoke(get, *static_cast<T*>(target)))>;
      if constexpr (std::is_arithmetic_v<Member>) {
        std::invoke(get, *static_cast<T*>(target)) = static_cast<Member>(*result);
      } else if constexpr (requires {
                             typename Member::value_type;
                             requires std::is_integral_v<typename Member::value_type>;
                             requires !std::same_as<Member, std::string>;
                           }) {
        std::invoke(get, *static_cast<T*>(target)) = static_cast<typename Member::value_type>(*result);
      } else {
        std::invoke(get, *static_cast<T*>(target)) = std::move(*result);
      }
    };
  }

  Object object_;
};

}  // namespace grus::scene
