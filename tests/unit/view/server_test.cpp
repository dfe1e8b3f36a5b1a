// The server as a client sees it: over a socket, with everything that comes in from outside.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "io/frames.hpp"
#include "io/whole_file.hpp"
#include "unit/io/example_run.hpp"
#include "unit/io/temporary_directory.hpp"
#include "view/access_token.hpp"
#include "view/http_server.hpp"
#include "view/run_files.hpp"

namespace grus::server_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view page = "<html>the page</html>";

class Client {
 public:
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("connect failed");
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(std::string_view bytes) {
    ASSERT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), ssize_t(bytes.size()));
  }

  // Everything until the server closes.
  std::string rest() {
    std::string all;
    char bytes[4096];
    for (ssize_t got; (got = ::recv(socket_, bytes, sizeof bytes, 0)) > 0;)
      all.append(bytes, static_cast<std::size_t>(got));
    return all;
  }

 private:
  int socket_;
};

struct Answer {
  int status = 0;
  std::string head, body;
};

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    test::ExampleRun run;
    run.grains = 20;
    run.frames = 6;
    run.rows = 30;
    std::filesystem::create_directory(folder / "run");
    test::write_example_run(folder / "run", run);
    write_whole_file(folder / "secret", "a secret");
    write_whole_file(folder / "run/other.txt", "not for viewers");
    files.emplace(folder / "run", page);
    server.emplace(
        0, [this](const HttpRequest& request) { return files->respond(request); }, quick());
  }

  static HttpLimits quick() {
    HttpLimits limits;
    limits.patience = std::chrono::seconds(1);
    return limits;
  }

  Answer raw(std::string_view bytes) {
    Client client(server->port());
    client.send(bytes);
    const std::string all = client.rest();
    Answer answer;
    const std::size_t end = all.find("\r\n\r\n");
    answer.head = all.substr(0, end);
    if (end != std::string::npos) answer.body = all.substr(end + 4);
    if (answer.head.size() > 12) answer.status = std::stoi(answer.head.substr(9, 3));
    return answer;
  }
  Answer get(const std::string& target, const std::string& headers = "", const std::string& method = "GET") {
    return raw(method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server->port()) +
               "\r\nConnection: close\r\n" + headers + "\r\n");
  }

  test::TemporaryDirectory folder;
  std::optional<RunFiles> files;
  std::optional<HttpServer> server;
};

TEST_F(ServerTest, ServesThePageAndTheListOfRuns) {
  const Answer first = get("/");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.body, page);
  EXPECT_THAT(first.head, HasSubstr("Content-Security-Policy: default-src 'none'"));
  const auto list = nlohmann::json::parse(get("/runs.json").body);
  EXPECT_EQ(list.at("runs"), nlohmann::json::array({""}));
}

TEST_F(ServerTest, ServesFilesWholeAndByRange) {
  const std::string part = read_whole_file(folder / "run/frames/part-00000.bin");
  EXPECT_EQ(get("/run/-/frames/part-00000.bin").body, part);
  const Answer middle = get("/run/-/frames/part-00000.bin", "Range: bytes=8-23\r\n");
  EXPECT_EQ(middle.status, 206);
  EXPECT_EQ(middle.body, part.substr(8, 16));
  EXPECT_THAT(middle.head, HasSubstr("Content-Range: bytes 8-23/" + std::to_string(part.size())));
  const Answer beyond = get("/run/-/frames/part-00000.bin", "Range: bytes=" + std::to_string(part.size()) + "-\r\n");
  EXPECT_EQ(beyond.status, 416);
  EXPECT_THAT(beyond.head, HasSubstr("Content-Range: bytes */" + std::to_string(part.size())));
  EXPECT_EQ(get("/run/-/frames/part-00000.bin", "Range: bytes=x\r\n").status, 400);
  for (const char* file : {"summary.json", "series.csv", "frames/scene.json", "frames/index.json"})
    EXPECT_EQ(get(std::string("/run/-/") + file).body, read_whole_file(folder / ("run/" + std::string(file))));
}

// Takes all descriptors of this process, as few as there may be, until it is gone.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = 64;
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (int taken; (taken = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken_.push_back(taken);
  }
  ~NoDescriptors() {
    for (const int taken : taken_) ::close(taken);
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  void give_one_back() {
    ::close(taken_.back());
    taken_.pop_back();
  }

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

TEST_F(ServerTest, WaitsQuietlyForDescriptors) {
  std::optional<NoDescriptors> none(std::in_place);
  none->give_one_back();
  Client client(server->port());  // has the last one: the server cannot take the connection
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  const double busy = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;  // s, of all threads
  EXPECT_LT(busy, 0.1) << "a loop that spins takes 0.25 s";
  none.reset();
  client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server->port()) + "\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.rest(), HasSubstr("200 OK"));
}

TEST_F(ServerTest, FilesThatComeLaterAreNoFault) {
  std::filesystem::remove(folder / "run/summary.json");
  EXPECT_EQ(get("/run/-/summary.json").status, 204);
  std::filesystem::remove(folder / "run/frames/index.json");
  EXPECT_EQ(get("/run/-/frames/index.json").status, 404);
}

TEST_F(ServerTest, HeadHasNoBody) {
  const Answer answer = get("/run/-/series.csv", "", "HEAD");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.head,
              HasSubstr("Content-Length: " + std::to_string(read_whole_file(folder / "run/series.csv").size())));
  EXPECT_EQ(answer.body, "");
}

TEST_F(ServerTest, NothingElseOfTheDiskIsServed) {
  for (const char* target :
       {"/run/-/other.txt", "/run/-/checkpoint.h5", "/run/../secret", "/run/%2e%2e/secret", "/run/-/../../secret",
        "/run/-/frames/../../../secret", "/run/-/frames/..%2f..%2f..%2fsecret", "/run//etc/passwd", "/etc/passwd",
        "/run/-//etc/passwd", "/run/-/frames/part-00000.bin/", "/run/-/frames/part-xxxxx.bin", "/run/-/frames/",
        "/run/-", "/run/none/summary.json", "/secret"}) {
    const Answer answer = get(target);
    EXPECT_TRUE(answer.status == 404 || answer.status == 400) << target << ": " << answer.status;
    EXPECT_THAT(answer.body, Not(HasSubstr("a secret")));
    EXPECT_THAT(answer.body, Not(HasSubstr("not for viewers")));
  }
}

TEST_F(ServerTest, LinksOutOfTheFolderAreNotFollowed) {
  std::filesystem::remove(folder / "run/series.csv");
  std::filesystem::create_symlink(folder / "secret", folder / "run/series.csv");
  EXPECT_EQ(get("/run/-/series.csv").status, 404);
}

TEST_F(ServerTest, OtherHostsAndMethodsAreRefused) {
  EXPECT_EQ(raw("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n").status, 403);
  EXPECT_EQ(get("/", "", "POST").status, 405);
  EXPECT_EQ(get("/", "", "DELETE").status, 501);
  EXPECT_EQ(get("/", "Content-Length: 5\r\n", "POST").status, 413);
}

TEST_F(ServerTest, MalformedAndOversizedRequestsAreRefused) {
  EXPECT_EQ(raw("hello\r\n\r\n").status, 400);
  EXPECT_EQ(raw(std::string(40, '\0') + "\r\n\r\n").status, 400);
  EXPECT_EQ(raw("GET / HTTP/9\r\n\r\n").status, 505);
  EXPECT_EQ(get("/" + std::string(2 * http_head_limit, 'a')).status, 431);
  EXPECT_EQ(raw("GET / HTTP/1.1\r\nX: " + std::string(2 * http_head_limit, 'a')).status, 431);
}

TEST_F(ServerTest, AnUnfinishedRequestIsGivenUp) { EXPECT_EQ(raw("GET / HTTP/1.1\r\nHost: loc").status, 408); }

TEST_F(ServerTest, AConnectionTakesSeveralRequestsAtOnce) {
  const std::string host = "Host: localhost:" + std::to_string(server->port()) + "\r\n";
  const Answer answer =
      raw("GET /runs.json HTTP/1.1\r\n" + host + "\r\nGET / HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr(page));
}

TEST_F(ServerTest, ClientsThatVanishDoNoHarm) {
  // a file larger than what sockets keep for a client that does not read
  write_whole_file(folder / "run/frames/part-00009.bin", std::string(32 << 20, 'x'));
  for (int i = 0; i < 20; ++i) {
    Client client(server->port());
    client.send("GET /run/-/frames/part-00009.bin HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  EXPECT_EQ(get("/").status, 200);
}

TEST_F(ServerTest, ManyClientsAtOnceAndNoMore) {
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int t = 0; t < 12; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) good += get("/run/-/frames/index.json").status == 200 ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 60);
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 500; ++i) idle.push_back(std::make_unique<Client>(server->port()));
  // silent ones make room, however many there are
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(get("/").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(1));
}

TEST(HttpServerTest, AtWorkOnEverythingItSaysSo) {
  std::promise<void> go_on;
  const std::shared_future<void> gone_on = go_on.get_future().share();
  std::atomic<int> at_work = 0;
  HttpLimits limits;
  limits.connections = 2;
  const HttpServer server(
      0,
      [&](const HttpRequest&) {
        ++at_work;
        gone_on.wait();
        return http_words(200, "late");
      },
      limits);
  const std::string request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  Client first(server.port()), second(server.port());
  first.send(request);
  second.send(request);
  while (at_work < 2) std::this_thread::yield();
  Client third(server.port());
  EXPECT_THAT(third.rest(), HasSubstr("503"));
  go_on.set_value();
  EXPECT_THAT(first.rest(), HasSubstr("late"));
}

TEST(AccessTokenTest, OnlyTheWholeAddressIsAnswered) {
  const AccessToken token, other;
  EXPECT_NE(token.address(1), other.address(1));
  const std::string address = token.address(80), start = "http://127.0.0.1:80";
  ASSERT_EQ(address.substr(0, start.size()), start);
  const std::string path = address.substr(start.size());
  ASSERT_EQ(path.size(), 34u) << "128 bits in hexadecimal digits between slashes";
  const auto handler = token.guard([](const HttpRequest& request) { return http_words(200, request.path); });
  const auto ask = [&](const std::string& asked) {
    HttpRequest request;
    request.path = asked;
    return handler(request);
  };
  EXPECT_EQ(ask(path).body, "/\n");
  EXPECT_EQ(ask(path + "run/-/series.csv").body, "/run/-/series.csv\n");
  for (const std::string& wrong : {std::string("/"), path.substr(0, 33), path.substr(0, 32) + "/", "/x" + path,
                                   std::string("/runs.json"), "/" + path, other.address(80).substr(start.size())}) {
    EXPECT_EQ(ask(wrong).status, 403) << wrong;
    EXPECT_THAT(ask(wrong).body, HasSubstr("token"));
  }
}

// What the folder of somebody else can hold in place of the files of a run.
TEST_F(ServerTest, LinksPipesAndFoldersAreRefusedAtOnce) {
  namespace fs = std::filesystem;
  const std::string run = folder / "run";
  fs::remove(run + "/summary.json");
  ASSERT_EQ(::mkfifo((run + "/summary.json").c_str(), 0600), 0);
  fs::remove(run + "/frames/part-00000.bin");
  fs::create_symlink(folder / "secret", run + "/frames/part-00000.bin");
  fs::remove(run + "/frames/scene.json");
  fs::create_directory(run + "/frames/scene.json");
  for (int i = 0; i < 60; ++i) EXPECT_EQ(get("/run/-/summary.json").status, 404);
  EXPECT_EQ(get("/run/-/frames/part-00000.bin").status, 404);
  EXPECT_EQ(get("/run/-/frames/scene.json").status, 404);
  const Answer track = get("/run/-/track/0");
  EXPECT_EQ(track.status, 500);
  EXPECT_THAT(track.body, HasSubstr("is a link"));
  // the whole folder of frames as a link
  fs::rename(run + "/frames", folder / "elsewhere");
  fs::create_directory_symlink(folder / "elsewhere", run + "/frames");
  EXPECT_EQ(get("/run/-/frames/index.json").status, 404);
}

TEST_F(ServerTest, AnIndexNamesNoOtherFile) {
  const std::string path = folder / "run/frames/index.json";
  const std::string text = read_whole_file(path), name = "part-00000.bin";
  for (const char* other : {"../../secret", "/etc/passwd", "part-00001.bin", "part-0.bin", ""}) {
    std::string forged = text;
    forged.replace(forged.find(name), name.size(), other);
    write_whole_file(path, forged);
    const Answer answer = get("/run/-/track/0");
    EXPECT_EQ(answer.status, 500);
    EXPECT_THAT(answer.body, HasSubstr("expected part-00000.bin")) << other;
  }
}

TEST_F(ServerTest, TheWayOfABodyIsThatOfItsFrames) {
  const FrameReader reader(folder / "run");
  const Answer answer = get("/run/-/track/3");
  ASSERT_EQ(answer.body.size(), static_cast<std::size_t>(4 * floats_per_body * reader.frame_count()));
  std::vector<float> track(answer.body.size() / 4);
  std::memcpy(track.data(), answer.body.data(), answer.body.size());
  for (std::int64_t i = 0; i < reader.frame_count(); ++i) {
    const Frame frame = reader.read(i);
    const float* row = &track[static_cast<std::size_t>(i * floats_per_body)];
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(row[k], frame.position[9 + k]);
      EXPECT_EQ(row[7 + k], frame.velocity[9 + k]);
      EXPECT_EQ(row[10 + k], frame.angular_velocity[9 + k]);
    }
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(row[3 + k], frame.rotation[12 + k]);
  }
  for (const char* body : {"-1", "x", "", "99999", "99999999999999"})
    EXPECT_GE(get(std::string("/run/-/track/") + body).status, 400) << body;
}

TEST_F(ServerTest, ATruncatedPartIsASentence) {
  std::filesystem::resize_file(folder / "run/frames/part-00000.bin", 100);
  const Answer answer = get("/run/-/track/0");
  EXPECT_EQ(answer.status, 500);
  EXPECT_THAT(answer.body, HasSubstr("ends before the frame"));
}

TEST(RunFilesTest, ListTheRunsOfAStudy) {
  const test::TemporaryDirectory folder;
  for (const char* name : {"b", "a b"}) {
    std::filesystem::create_directory(folder / name);
    write_whole_file(folder / (std::string(name) + "/series.csv"), "t\n");
  }
  std::filesystem::create_directory(folder / "empty");
  const RunFiles files(folder.path(), page);
  EXPECT_EQ(files.runs(), (std::vector<std::string>{"a b", "b"}));
  HttpRequest request;
  request.method = "GET";
  request.path = "/run/a b/series.csv";
  EXPECT_EQ(files.respond(request).status, 200);
  request.path = "/run/empty/series.csv";
  EXPECT_EQ(files.respond(request).status, 404);
}

TEST(RunFilesTest, FoldersWithoutRunsAreRefused) {
  const test::TemporaryDirectory folder;
  EXPECT_THROW(RunFiles(folder.path(), page), InputError);
  EXPECT_THROW(RunFiles(folder / "none", page), InputError);
}

}  // namespace
}  // namespace grus::server_test
