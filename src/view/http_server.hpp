// A small HTTP server on the loopback address: a thread per connection, of which there may be few. Files are sent in
// pieces straight from the disk. A client that vanishes or stalls costs its thread until a timeout, and nothing else:
// when connections, threads or descriptors run out, the connection that has been silent longest is closed for the new
// one.
//
// Why no library: the one that Debian has (cpp-httplib 0.11) binds a pool thread to every idle connection of a browser,
// brings OpenSSL and Brotli into the program, and answers malformed ranges with the whole file.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "io/file_descriptor.hpp"
#include "view/http_request.hpp"

namespace grus {

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::string_view page;                 // instead of body: text that outlives the server
  std::shared_ptr<FileDescriptor> file;  // instead of body: bytes `range` of a file
  ByteRange range;
  std::string more_headers;  // complete lines
};

HttpResponse http_words(int status, std::string words);

struct HttpLimits {
  int connections = 48;               // two browsers hold six each
  std::size_t body = 0;               // bytes that a request may carry
  std::chrono::seconds idle{30};      // between requests
  std::chrono::seconds patience{10};  // until a request that began is complete, and for each piece that is sent
};

class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // Listens on 127.0.0.1 at `port`, 0: any free one. `handler` is called from many threads. Throws IoError.
  HttpServer(int port, Handler handler, const HttpLimits& limits = {});
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }

 private:
  struct Connection {
    FileDescriptor socket;
    std::thread thread;
    std::atomic<bool> done = false;
    // Waits for a request since then (ticks of the steady clock); 0 while one is answered.
    std::atomic<std::chrono::steady_clock::rep> silent_since = 0;
    bool closed = false;  // by the accept thread; its own thread is about to end
  };

  void accept_loop();
  void accept_one(FileDescriptor socket);
  bool close_silent();
  std::size_t open_count() const;
  void serve(Connection& connection);
  void answer_requests(Connection& connection);
  void reap(bool all);

  Handler handler_;
  HttpLimits limits_;
  FileDescriptor listener_, wake_;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::list<Connection> connections_;  // touched by the accept thread, and by the destructor after it has ended
  std::thread acceptor_;
};

}  // namespace grus
