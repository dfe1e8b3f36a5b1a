// One request of HTTP/1.1 (RFC 9112), read strictly: what a browser does not send is refused, so that nothing later has
// to be afraid of it. And one byte range of a file (RFC 9110, section 14.1.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace grus {

// Bytes of request line and headers together; browsers send about one thousand.
inline constexpr std::size_t http_head_limit = 16 << 10;
inline constexpr int http_header_limit = 64;

struct HttpRequest {
  std::string method;  // GET, HEAD or POST
  std::string path;    // percent-decoded, begins with '/', no control characters, no "." or ".." between slashes
  std::string query;   // as sent, without '?'
  std::string host;    // as sent
  std::string range;   // as sent; empty: none
  std::size_t content_length = 0;
  bool keep_alive = true;
  std::string body;  // filled by the server
};

// Why a request is refused: the status of the answer and a sentence.
struct HttpFault {
  int status = 400;
  std::string words;
};

// `head` is everything up to and including the empty line.
std::variant<HttpRequest, HttpFault> parse_http_request(std::string_view head);

// Bytes [begin, end) of a file.
struct ByteRange {
  std::int64_t begin = 0, end = 0;
};

// `range` as in "bytes=0-99", "bytes=100-" or "bytes=-100"; one range only, cut to the file. 416 when it lies beyond
// its end or asks for several, 400 when it is no range.
std::variant<ByteRange, HttpFault> parse_byte_range(std::string_view range, std::int64_t file_size);

// Only pages of this machine may talk to a server on loopback: a page of somebody else's can make a browser call it
// under a name that leads here (DNS rebinding), but then that name is the host.
bool is_loopback_host(std::string_view host, int port);

}  // namespace grus
