#include "view/http_request.hpp"

#include <string>

#include <gtest/gtest.h>

namespace grus::http_request_test {

HttpRequest parsed(const std::string& head) {
  const auto result = parse_http_request(head);
  if (const auto* fault = std::get_if<HttpFault>(&result)) ADD_FAILURE() << fault->words;
  return std::holds_alternative<HttpRequest>(result) ? std::get<HttpRequest>(result) : HttpRequest{};
}

int refused(const std::string& head) {
  const auto result = parse_http_request(head);
  const auto* fault = std::get_if<HttpFault>(&result);
  return fault == nullptr ? 0 : fault->status;
}

std::string get(const std::string& target, const std::string& headers = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost:80\r\n" + headers + "\r\n";
}

TEST(HttpRequest, IsReadWithItsHeaders) {
  const HttpRequest request = parsed(get("/run/a%20b/x?y=1", "RANGE:  bytes=1-2 \r\nConnection: Close\r\n"));
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/run/a b/x");
  EXPECT_EQ(request.query, "y=1");
  EXPECT_EQ(request.host, "localhost:80");
  EXPECT_EQ(request.range, "bytes=1-2");
  EXPECT_FALSE(request.keep_alive);
}

TEST(HttpRequest, StaysOpenUnlessOld) {
  EXPECT_TRUE(parsed(get("/")).keep_alive);
  EXPECT_FALSE(parsed("GET / HTTP/1.0\r\nHost: a\r\n\r\n").keep_alive);
}

TEST(HttpRequest, PathsThatLeadElsewhereAreRefused) {
  for (const char* target : {"/../etc/passwd", "/a/../../b", "/%2e%2e/etc/passwd", "/a/%2E%2E", "/..%2f..%2fetc",
                             "/./a", "/a%00b", "/a%0d%0ab", "/a\\b", "/%5c..%5ca", "http://other/", "a", "*", "", "/a%",
                             "/a%4", "/a%zz", "/\x01", "/\xc3\xa4"}) {
    EXPECT_EQ(refused(get(target)), 400) << target;
  }
}

TEST(HttpRequest, MalformedHeadsAreRefused) {
  EXPECT_EQ(refused(""), 400);
  EXPECT_EQ(refused("\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET /\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET  / HTTP/1.1\r\nHost: a\r\n\r\n"), 505);  // an empty target
  EXPECT_EQ(refused("G(T / HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/2\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(refused("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n"), 501);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refused(get("/", "Host: b\r\n")), 400);
  EXPECT_EQ(refused(get("/", "no colon\r\n")), 400);
  EXPECT_EQ(refused(get("/", "Range : bytes=0-1\r\n")), 400);
  EXPECT_EQ(refused(get("/", "X: a\r\n folded\r\n")), 400);
  EXPECT_EQ(refused(get("/", "X: a\x01\r\n")), 400);
  EXPECT_EQ(refused(get("/", "Transfer-Encoding: chunked\r\n")), 501);
  for (const char* length : {"-1", "1 2", "99999999999", "0x10", ""})
    EXPECT_EQ(refused(get("/", std::string("Content-Length: ") + length + "\r\n")), 400) << length;
  EXPECT_EQ(refused(get("/", "Content-Length: 1\r\nContent-Length: 2\r\n")), 400);
}

TEST(HttpRequest, TooManyHeadersAreRefused) {
  std::string headers;
  for (int i = 0; i <= http_header_limit; ++i) headers += "X: y\r\n";
  EXPECT_EQ(refused(get("/", headers)), 431);
}

void expect_range(const char* text, std::int64_t size, std::int64_t begin, std::int64_t end) {
  const auto result = parse_byte_range(text, size);
  const auto* range = std::get_if<ByteRange>(&result);
  ASSERT_NE(range, nullptr) << text;
  EXPECT_EQ(range->begin, begin) << text;
  EXPECT_EQ(range->end, end) << text;
}

TEST(ByteRange, IsCutToTheFile) {
  expect_range("bytes=0-0", 10, 0, 1);
  expect_range("bytes=2-5", 10, 2, 6);
  expect_range("bytes=2-", 10, 2, 10);
  expect_range("bytes=2-99", 10, 2, 10);
  expect_range("bytes=-3", 10, 7, 10);
  expect_range("bytes=-99", 10, 0, 10);
  expect_range("bytes=0-9223372036854775807", 10, 0, 10);
}

int refused_range(const char* text, std::int64_t size) {
  const auto result = parse_byte_range(text, size);
  const auto* fault = std::get_if<HttpFault>(&result);
  return fault == nullptr ? 0 : fault->status;
}

TEST(ByteRange, OthersAreRefused) {
  for (const char* text : {"", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-2", "bytes= 1-2", "bytes=1-2x",
                           "items=0-1", "bytes=--1", "bytes=99999999999999999999-", "bytes=0x1-2"})
    EXPECT_EQ(refused_range(text, 10), 400) << text;
  for (const char* text : {"bytes=10-", "bytes=11-12", "bytes=-0", "bytes=0-1,3-4"})
    EXPECT_EQ(refused_range(text, 10), 416) << text;
  EXPECT_EQ(refused_range("bytes=0-", 0), 416);
  EXPECT_EQ(refused_range("bytes=-1", 0), 416);
}

TEST(LoopbackHost, IsTheOnlyOne) {
  EXPECT_TRUE(is_loopback_host("127.0.0.1:8080", 8080));
  EXPECT_TRUE(is_loopback_host("localhost:8080", 8080));
  for (const char* host :
       {"evil.example:8080", "127.0.0.1:81", "127.0.0.1.evil.example:8080", "", ":8080", "localhost.:8080"})
    EXPECT_FALSE(is_loopback_host(host, 8080)) << host;
}

}  // namespace grus::http_request_test
