// Addresses, unix sockets, and who may be reached from where.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "http/socket_address.h"
#include "http/test_server.h"

namespace reckon::http {
namespace {

Result<std::unique_ptr<Server>> try_start(std::vector<std::string> listen, Access access = {}) {
  ServerOptions options;
  options.listen = std::move(listen);
  options.access = std::move(access);
  return Server::start(std::move(options), {});
}

class UnixSocketTest : public testing::Test {
 protected:
  UnixSocketTest()
      : path_(std::filesystem::temp_directory_path() / ("reckon-" + std::to_string(::getpid()) + ".sock")) {
    std::filesystem::remove(path_);
  }
  ~UnixSocketTest() override { std::filesystem::remove(path_); }
  ServerOptions options() const {
    ServerOptions made;
    made.listen = {address()};
    return made;
  }
  std::string address() const { return "unix:" + path_.string(); }
  const std::filesystem::path path_;
};

TEST(ListenAddress, IsHostAndPort) {
  EXPECT_EQ(parse_listen_address("127.0.0.1:80")->addresses.at(0).text(), "127.0.0.1:80");
  EXPECT_EQ(parse_listen_address("[::1]:80")->addresses.at(0).text(), "[::1]:80");
  EXPECT_EQ(parse_listen_address("localhost:1")->addresses.size(), 2U);
  EXPECT_EQ(parse_listen_address("unix:/tmp/x")->addresses.at(0).text(), "unix:/tmp/x");
  for (const std::string& bad : {std::string("8080"), std::string(":8080"), std::string("127.0.0.1"),
                                 std::string("127.0.0.1:"), std::string("127.0.0.1:65536"), std::string("127.0.0.1:-1"),
                                 std::string("127.0.0.1:80x"), std::string("::1:80"), std::string("[127.0.0.1]:80"),
                                 std::string("unix:"), "unix:/" + std::string(200, 'x'), std::string()}) {
    const auto parsed = parse_listen_address(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidInput);
  }
}

TEST(ListenAddress, KnowsTheLoopback) {
  for (const char* own : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1", "unix:/x"}) {
    EXPECT_TRUE(parse_listen_address(own)->addresses.at(0).is_loopback()) << own;
  }
  for (const char* open : {"0.0.0.0:1", "[::]:1", "192.168.1.1:1", "[::ffff:10.0.0.1]:1", "*:1"}) {
    EXPECT_FALSE(parse_listen_address(open)->addresses.at(0).is_loopback()) << open;
  }
}

TEST(Listen, ServesBothFamiliesOnOnePort) {
  ServerOptions options;
  options.listen = {"localhost:0"};
  TestServer server(std::move(options));
  const auto addresses = server.server->addresses();
  ASSERT_FALSE(addresses.empty());
  for (const std::string& address : addresses) {
    EXPECT_EQ(address.substr(address.rfind(':')), addresses.front().substr(addresses.front().rfind(':')));
    EXPECT_EQ(TestClient(address).ask(get("/hello")).status, 200) << address;
  }
}

TEST(Listen, NamesTheRemedyWhereThePortIsTaken) {
  TestServer server;
  const auto second = try_start({server.address});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kIo);
  EXPECT_TRUE(second.error().message.contains("in use"));
  EXPECT_TRUE(second.error().message.contains(server.address));
}

TEST(Listen, StaysOnTheLoopbackWithoutAKey) {
  for (const char* open : {"0.0.0.0:0", "[::]:0", "*:0"}) {
    const auto server = try_start({"127.0.0.1:0", open});
    ASSERT_FALSE(server) << open;
    EXPECT_EQ(server.error().code, ErrorCode::kInvalidInput);
    EXPECT_TRUE(server.error().message.contains("key"));
  }
  Access with_key;
  with_key.keys.push_back({"alice", {}});
  EXPECT_TRUE(try_start({"0.0.0.0:0"}, with_key));
  Access without;
  without.allow_no_key = true;
  EXPECT_TRUE(try_start({"0.0.0.0:0"}, without));
}

TEST(Listen, WantsAnAddress) { EXPECT_FALSE(try_start({})); }

TEST_F(UnixSocketTest, IsForItsOwnerOnlyAndGoesWithTheServer) {
  {
    TestServer server(options());
    struct stat info{};
    ASSERT_EQ(::stat(path_.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    TestClient client(address());
    EXPECT_EQ(client.ask(get("/hello")).status, 200);
    EXPECT_EQ(server.ends.take().client, "local");
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(UnixSocketTest, IsNotTakenFromAServerThatAnswers) {
  TestServer server(options());
  const auto second = try_start({address()});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kIo);
  EXPECT_EQ(TestClient(address()).ask(get("/hello")).status, 200);
}

TEST_F(UnixSocketTest, IsTakenOverFromOneThatDied) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const SocketAddress dead = parse_listen_address(address())->addresses.at(0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&dead.storage), dead.size), 0);
  ::close(fd);
  ASSERT_TRUE(std::filesystem::exists(path_));
  TestServer server(options());
  EXPECT_EQ(TestClient(address()).ask(get("/hello")).status, 200);
}

TEST_F(UnixSocketTest, NeverReplacesAFileThatIsNoSocket) {
  std::ofstream(path_) << "precious";
  const auto server = try_start({address()});
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(std::filesystem::file_size(path_), 8U);
}

}  // namespace
}  // namespace reckon::http
