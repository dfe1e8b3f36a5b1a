// A secret in the address of a server on loopback: /TOKEN/... Every user and every program of the machine can connect
// to the port; only who was given the address gets an answer other than 403.
#pragma once

#include <string>
#include <string_view>

#include "view/http_server.hpp"

namespace grus {

class AccessToken {
 public:
  AccessToken();  // 128 bits of the system's random numbers

  // Where the server with this token and port is found: "http://127.0.0.1:PORT/TOKEN/".
  std::string address(int port) const;

  // Answers 403 when the path does not begin with the token, else what `handler` answers to the path behind it.
  HttpServer::Handler guard(HttpServer::Handler handler) const;

 private:
  std::string token_;
};

}  // namespace grus
