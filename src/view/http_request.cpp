#include "view/http_request.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace grus {
namespace {

constexpr std::array<std::string_view, 3> known_methods = {"GET", "HEAD", "POST"};
constexpr std::string_view line_end = "\r\n";

// The text before `mark`, which is taken off with it; nothing when there is no mark.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + mark.size());
  return taken;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Digits only: no sign, no blanks, no overflow.
template <class Integer>
std::optional<Integer> whole_number(std::string_view text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (text.empty() || !digits || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_token(std::string_view text) {
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    unsigned value = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const char* digits = text.data() + i + 1;
    if (std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2) return std::nullopt;
    result += static_cast<char>(value);
    i += 2;
  }
  return result;
}

// No control characters, no backslash, no segment that leads elsewhere.
bool is_plain_path(std::string_view path) {
  const auto bad = [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '\\'; };
  if (path.empty() || path.front() != '/' || std::any_of(path.begin(), path.end(), bad)) return false;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    if (segment == "." || segment == "..") return false;
    path.remove_prefix(segment.size());
  }
  return true;
}

std::optional<HttpFault> read_request_line(std::string_view line, HttpRequest& request) {
  const auto method = take_until(line, " ");
  const auto target = take_until(line, " ");
  if (!method || !target || !is_token(*method)) return HttpFault{400, "This is no request of HTTP/1.1."};
  if (line != "HTTP/1.1" && line != "HTTP/1.0") return HttpFault{505, "Only HTTP/1.1 is spoken here."};
  if (std::find(known_methods.begin(), known_methods.end(), *method) == known_methods.end())
    return HttpFault{501, "Only GET, HEAD and POST are known here."};
  const auto printable = [](unsigned char c) { return c > 0x20 && c < 0x7f; };
  if (!std::all_of(target->begin(), target->end(), printable))
    return HttpFault{400, "The path holds characters that must be written as %XX."};
  const std::size_t mark = target->find('?');
  const auto path = percent_decoded(target->substr(0, mark));
  if (!path || !is_plain_path(*path)) return HttpFault{400, "The path is none of this server's."};
  request.method = *method;
  request.path = *path;
  if (mark != std::string_view::npos) request.query = target->substr(mark + 1);
  request.keep_alive = line == "HTTP/1.1";
  return std::nullopt;
}

struct SeenHeaders {
  bool host = false, length = false, range = false;
};

std::optional<HttpFault> read_header(std::string_view line, HttpRequest& request, SeenHeaders& seen) {
  const auto name_part = take_until(line, ":");
  // a blank before the colon or a folded line is a way to smuggle a header past one of two readers
  if (!name_part || !is_token(*name_part)) return HttpFault{400, "A header is malformed."};
  const std::string name = lower(*name_part);
  const std::string_view value = trimmed(line);
  const auto bad = [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; };
  if (std::any_of(value.begin(), value.end(), bad)) return HttpFault{400, "A header holds control characters."};
  const auto twice = [&](bool& flag) { return std::exchange(flag, true); };
  if (name == "host") {
    if (twice(seen.host)) return HttpFault{400, "There are two Host headers."};
    request.host = value;
  } else if (name == "content-length") {
    const auto length = whole_number<std::uint32_t>(value);
    if (twice(seen.length) || !length) return HttpFault{400, "The Content-Length is no number."};
    request.content_length = *length;
  } else if (name == "range") {
    if (twice(seen.range)) return HttpFault{400, "There are two Range headers."};
    request.range = value;
  } else if (name == "transfer-encoding") {
    return HttpFault{501, "Bodies in pieces are not taken."};
  } else if (name == "connection") {
    const std::string words = lower(value);
    if (words.find("close") != std::string::npos) request.keep_alive = false;
  }
  return std::nullopt;
}

}  // namespace

std::variant<HttpRequest, HttpFault> parse_http_request(std::string_view head) {
  HttpRequest request;
  SeenHeaders seen;
  const auto first = take_until(head, line_end);
  if (!first) return HttpFault{400, "This is no request of HTTP/1.1."};
  if (auto fault = read_request_line(*first, request)) return *fault;
  for (int count = 0;; ++count) {
    const auto line = take_until(head, line_end);
    if (!line) return HttpFault{400, "The headers have no end."};
    if (line->empty()) break;
    if (count == http_header_limit) return HttpFault{431, "There are too many headers."};
    if (auto fault = read_header(*line, request, seen)) return *fault;
  }
  if (!seen.host) return HttpFault{400, "The Host header is missing."};
  return request;
}

std::variant<ByteRange, HttpFault> parse_byte_range(std::string_view range, std::int64_t file_size) {
  const HttpFault malformed{400, "The Range is none: expected bytes=FIRST-LAST."};
  const HttpFault beyond{416, fmt::format("The file has {} bytes.", file_size)};
  constexpr std::string_view unit = "bytes=";
  if (range.substr(0, unit.size()) != unit) return malformed;
  range.remove_prefix(unit.size());
  if (range.find(',') != std::string_view::npos) return HttpFault{416, "Several ranges at once are not served."};
  const auto first_text = take_until(range, "-");
  if (!first_text) return malformed;
  const auto first = whole_number<std::int64_t>(*first_text), last = whole_number<std::int64_t>(range);
  if ((!first_text->empty() && !first) || (!range.empty() && !last) || (!first && !last)) return malformed;
  if (!first) {  // the last bytes
    if (*last == 0 || file_size == 0) return beyond;
    return ByteRange{std::max<std::int64_t>(0, file_size - *last), file_size};
  }
  if (last && *last < *first) return malformed;
  if (*first >= file_size) return beyond;
  return ByteRange{*first, last && *last < file_size ? *last + 1 : file_size};
}

bool is_loopback_host(std::string_view host, int port) {
  const std::string end = fmt::format(":{}", port);
  if (host.size() > end.size() && host.substr(host.size() - end.size()) == end) host.remove_suffix(end.size());
  return host == "127.0.0.1" || host == "localhost";
}

}  // namespace grus
