#include "view/http_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"

namespace grus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t piece_bytes = 256 << 10;
constexpr int pause_when_exhausted = 100;  // ms

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 416:
      return "Range Not Satisfiable";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Internal Server Error";
  }
}

[[noreturn]] void fail_socket(const char* action, int port) {
  throw IoError(fmt::format("cannot {} 127.0.0.1:{}: {}", action, port, std::strerror(errno)));
}

void set_timeout(int socket, int option, std::chrono::seconds time) {
  timeval value{};
  value.tv_sec = static_cast<time_t>(time.count());
  ::setsockopt(socket, SOL_SOCKET, option, &value, sizeof value);
}

// False when the client is gone or takes nothing.
bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool send_file(int socket, int file, ByteRange range) {
  std::vector<char> piece(piece_bytes);
  while (range.begin < range.end) {
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(piece_bytes, range.end - range.begin));
    const ssize_t got = ::pread(file, piece.data(), wanted, static_cast<off_t>(range.begin));
    if (got <= 0) return false;  // the file became shorter: the length that was promised cannot be kept
    if (!send_all(socket, std::string_view(piece.data(), static_cast<std::size_t>(got)))) return false;
    range.begin += got;
  }
  return true;
}

// Nothing of a run is kept in the browser's cache, no other page may frame this one, and it talks to this server only.
constexpr std::string_view fixed_headers =
    "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n";

bool send_response(int socket, const HttpResponse& response, bool head_only, bool keep_alive) {
  const std::string_view text = response.page.empty() ? std::string_view(response.body) : response.page;
  const std::int64_t length =
      response.file ? response.range.end - response.range.begin : static_cast<std::int64_t>(text.size());
  const std::string head =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: {}\r\n{}{}\r\n",
                  response.status, reason_of(response.status), response.type, length,
                  keep_alive ? "keep-alive" : "close", response.more_headers, fixed_headers);
  if (!send_all(socket, head)) return false;
  if (head_only) return true;
  return response.file ? send_file(socket, response.file->get(), response.range) : send_all(socket, text);
}

// Bytes of one connection. Reads are cut off when the request takes too long as a whole, so that a client that sends a
// byte now and then does not hold its thread.
class RequestReader {
 public:
  RequestReader(int socket, const HttpLimits& limits) : socket_(socket), limits_(limits) {}

  // Nothing: the client closed, or stayed silent between requests.
  std::optional<std::variant<HttpRequest, HttpFault>> next() {
    Clock::time_point deadline = Clock::now() + limits_.idle;
    bool began = !buffer_.empty();
    for (;;) {
      const std::size_t end = buffer_.find("\r\n\r\n");
      if (end != std::string::npos) return with_body(end + 4);
      if (buffer_.size() > http_head_limit) return HttpFault{431, "The head of the request is too long."};
      if (!began && !buffer_.empty()) {
        began = true;
        deadline = Clock::now() + limits_.patience;
      }
      switch (read_more(deadline)) {
        case Read::some:
          break;
        case Read::late:
          if (began) return HttpFault{408, "The request did not come to its end."};
          return std::nullopt;
        case Read::gone:
          return std::nullopt;
      }
    }
  }

 private:
  enum class Read { some, late, gone };

  Read read_more(Clock::time_point deadline) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Read::late;
    pollfd waits{socket_, POLLIN, 0};
    const int ready = ::poll(&waits, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) return Read::some;
    if (ready <= 0) return Read::late;
    char bytes[16 << 10];
    const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
    if (got <= 0) return Read::gone;
    buffer_.append(bytes, static_cast<std::size_t>(got));
    return Read::some;
  }

  std::optional<std::variant<HttpRequest, HttpFault>> with_body(std::size_t head_size) {
    if (head_size > http_head_limit) return HttpFault{431, "The head of the request is too long."};
    auto parsed = parse_http_request(std::string_view(buffer_).substr(0, head_size));
    auto* request = std::get_if<HttpRequest>(&parsed);
    if (request == nullptr) return parsed;
    if (request->content_length > limits_.body) return HttpFault{413, "The request carries too much."};
    const Clock::time_point deadline = Clock::now() + limits_.patience;
    while (buffer_.size() < head_size + request->content_length) {
      const Read read = read_more(deadline);
      if (read == Read::late) return HttpFault{408, "The request did not come to its end."};
      if (read == Read::gone) return std::nullopt;
    }
    request->body = buffer_.substr(head_size, request->content_length);
    buffer_.erase(0, head_size + request->content_length);
    return parsed;
  }

  int socket_;
  const HttpLimits& limits_;
  std::string buffer_;
};

// What the handler throws is the answer, never the end of the program.
HttpResponse answer(const HttpServer::Handler& handler, const HttpRequest& request, int port) {
  if (!is_loopback_host(request.host, port)) return http_words(403, "Only pages of this machine are served.");
  try {
    return handler(request);
  } catch (const std::exception& error) {
    return http_words(500, error.what());
  }
}

}  // namespace

HttpResponse http_words(int status, std::string words) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(words) + "\n";
  return response;
}

HttpServer::HttpServer(int port, Handler handler, const HttpLimits& limits)
    : handler_(std::move(handler)), limits_(limits) {
  listener_ = FileDescriptor::adopt(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  wake_ = FileDescriptor::adopt(::eventfd(0, EFD_CLOEXEC));
  if (listener_.get() < 0 || wake_.get() < 0) fail_socket("open a socket for", port);
  const int yes = 1;
  ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t size = sizeof address;
  if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::listen(listener_.get(), SOMAXCONN) != 0 ||
      ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    fail_socket("listen on", port);
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_loop(); });
}

HttpServer::~HttpServer() {
  stopping_ = true;
  const std::uint64_t one = 1;
  if (::write(wake_.get(), &one, sizeof one) != sizeof one) {
    // an eventfd takes a number unless it is full, and then the thread wakes anyway
  }
  acceptor_.join();
  for (Connection& connection : connections_) ::shutdown(connection.socket.get(), SHUT_RDWR);
  reap(true);
}

void HttpServer::reap(bool all) {
  for (auto connection = connections_.begin(); connection != connections_.end();) {
    if (!all && !connection->done) {
      ++connection;
      continue;
    }
    connection->thread.join();
    connection = connections_.erase(connection);
  }
}

void HttpServer::accept_loop() {
  while (!stopping_) {
    pollfd waits[2] = {{listener_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0 && errno != EINTR) return;
    if (stopping_) return;
    if ((waits[0].revents & POLLIN) == 0) continue;
    FileDescriptor socket = FileDescriptor::adopt(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.get() < 0) {
      // Gone again: the next one may do better. No descriptors or memory left: the connection waits in the queue, and
      // poll would return at once; look again when some may have been given back.
      const bool exhausted = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
      reap(false);
      if (!exhausted) continue;
      close_silent();
      ::poll(&waits[1], 1, pause_when_exhausted);
      continue;
    }
    set_timeout(socket.get(), SO_SNDTIMEO, limits_.patience);
    const int yes = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    reap(false);
    try {
      accept_one(std::move(socket));
    } catch (const std::exception&) {
      // No thread or memory left: the new connection is dropped, a silent one makes room for the next.
      close_silent();
    }
  }
}

void HttpServer::accept_one(FileDescriptor socket) {
  if (open_count() >= static_cast<std::size_t>(limits_.connections) && !close_silent()) {
    send_response(socket.get(), http_words(503, "Too many connections."), false, false);
    return;
  }
  Connection& connection = connections_.emplace_back();
  connection.socket = std::move(socket);
  connection.silent_since = Clock::now().time_since_epoch().count();
  try {
    connection.thread = std::thread([this, &connection] { serve(connection); });
  } catch (...) {
    connections_.pop_back();
    throw;
  }
}

std::size_t HttpServer::open_count() const {
  return static_cast<std::size_t>(
      std::count_if(connections_.begin(), connections_.end(), [](const Connection& c) { return !c.closed; }));
}

// Ends the connection that has waited longest for a request. False when all are at work.
bool HttpServer::close_silent() {
  Connection* longest = nullptr;
  Clock::rep since = 0;
  for (Connection& connection : connections_) {
    const Clock::rep silent = connection.silent_since;
    if (connection.closed || silent == 0 || (longest != nullptr && silent >= since)) continue;
    longest = &connection;
    since = silent;
  }
  if (longest == nullptr) return false;
  longest->closed = true;
  ::shutdown(longest->socket.get(), SHUT_RDWR);  // wakes its thread
  return true;
}

void HttpServer::serve(Connection& connection) {
  try {
    answer_requests(connection);
  } catch (const std::exception&) {
    // No memory left for a request or its answer: this connection ends, not the program.
  }
  ::shutdown(connection.socket.get(), SHUT_RDWR);
  connection.done = true;
}

void HttpServer::answer_requests(Connection& connection) {
  const int socket = connection.socket.get();
  RequestReader reader(socket, limits_);
  while (!stopping_) {
    connection.silent_since = Clock::now().time_since_epoch().count();
    const auto next = reader.next();
    connection.silent_since = 0;
    if (!next) break;
    if (const auto* fault = std::get_if<HttpFault>(&*next)) {
      send_response(socket, http_words(fault->status, fault->words), false, false);
      break;
    }
    const HttpRequest& request = std::get<HttpRequest>(*next);
    const HttpResponse response = answer(handler_, request, port_);
    if (!send_response(socket, response, request.method == "HEAD", request.keep_alive) || !request.keep_alive) break;
  }
}

}  // namespace grus
