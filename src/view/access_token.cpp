#include "view/access_token.hpp"

#include <sys/random.h>

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "io/file_descriptor.hpp"

namespace grus {
namespace {

// In a time that does not tell how many characters are right.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

}  // namespace

AccessToken::AccessToken() {
  std::array<std::uint8_t, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    fail_io("read", "random numbers of the system");
  for (const std::uint8_t byte : bytes) token_ += fmt::format("{:02x}", byte);
}

std::string AccessToken::address(int port) const { return fmt::format("http://127.0.0.1:{}/{}/", port, token_); }

HttpServer::Handler AccessToken::guard(HttpServer::Handler handler) const {
  return [token = token_, handler = std::move(handler)](const HttpRequest& request) {
    const std::string_view path = request.path;
    const std::size_t slash = path.find('/', 1);
    if (slash == std::string_view::npos || !same_secret(path.substr(1, slash - 1), token))
      return http_words(403, "This address lacks its token. Open the whole address that the program printed.");
    HttpRequest inner = request;
    inner.path = path.substr(slash);
    return handler(inner);
  };
}

}  // namespace grus
