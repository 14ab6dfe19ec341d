// TLS with a certificate that is made here.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "http/test_server.h"

namespace reckon::http {
namespace {

template <auto free>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;

// Of localhost, signed by itself, for a day.
void write_certificate(const TlsFiles& files, long serial) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 86'400);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  ASSERT_GT(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
  FILE* file = std::fopen(files.certificate.c_str(), "w");
  ASSERT_NE(file, nullptr);
  PEM_write_X509(file, certificate.get());
  std::fclose(file);
  file = std::fopen(files.key.c_str(), "w");
  ASSERT_NE(file, nullptr);
  PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
}

class TlsClient {
 public:
  explicit TlsClient(const std::string& address) : socket_(address), context_(SSL_CTX_new(TLS_client_method())) {
    const timeval limit{10, 0};
    ::setsockopt(socket_.fd(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), socket_.fd());
    is_open_ = SSL_connect(ssl_.get()) == 1;
  }
  [[nodiscard]] bool is_open() const { return is_open_; }
  [[nodiscard]] long serial() const {
    const Certificate certificate(SSL_get1_peer_certificate(ssl_.get()));
    return ASN1_INTEGER_get(X509_get0_serialNumber(certificate.get()));
  }
  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const int n = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (n <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  // Until `end` has come.
  std::string read_until(std::string_view end) {
    std::string text;
    char buffer[4096];
    while (!text.contains(end)) {
      const int n = SSL_read(ssl_.get(), buffer, sizeof buffer);
      if (n <= 0) break;
      text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
  }
  // The end came with TLS's own farewell, so nothing was cut off.
  bool ends_cleanly() {
    char byte = 0;
    const int n = SSL_read(ssl_.get(), &byte, 1);
    return n <= 0 && SSL_get_error(ssl_.get(), n) == SSL_ERROR_ZERO_RETURN;
  }
  void close() { socket_.close(); }

 private:
  TestClient socket_;
  std::unique_ptr<SSL_CTX, Freer<SSL_CTX_free>> context_;
  std::unique_ptr<SSL, Freer<SSL_free>> ssl_;
  bool is_open_ = false;
};

class TlsTest : public testing::Test {
 protected:
  TlsTest() : folder_(std::filesystem::temp_directory_path() / ("reckon-tls-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    files_ = {folder_ / "certificate.pem", folder_ / "key.pem"};
    write_certificate(files_, 1);
  }
  ~TlsTest() override { std::filesystem::remove_all(folder_); }
  ServerOptions options() const {
    ServerOptions made;
    made.tls = files_;
    return made;
  }
  const std::filesystem::path folder_;
  TlsFiles files_;
};

TEST_F(TlsTest, AnswersAndStreams) {
  TestServer server(options());
  TlsClient client(server.address);
  ASSERT_TRUE(client.is_open());
  client.send(get("/hello"));
  EXPECT_TRUE(client.read_until("hello").contains("200 OK"));
  const std::string large(200'000, 'x');
  client.send(post("/echo", large + "END"));
  EXPECT_TRUE(client.read_until("END").contains(large));
  client.send(get("/held", "Connection: close\r\n"));
  const auto exchange = server.held.take();
  exchange->begin_stream(200, "text/plain", {});
  exchange->write("one");
  EXPECT_TRUE(client.read_until("one\r\n").contains("one"));
  exchange->write("two");
  exchange->end_stream();
  EXPECT_TRUE(client.read_until("0\r\n\r\n").contains("two"));
  EXPECT_TRUE(client.ends_cleanly());
}

TEST_F(TlsTest, NoticesAClientThatLeaves) {
  TestServer server(options());
  TlsClient client(server.address);
  client.send(get("/held"));
  const auto exchange = server.held.take();
  Box<bool> gone;
  exchange->on_gone([&] { gone.put(true); });
  client.close();
  EXPECT_TRUE(gone.take());
  server.wait_for_connections(0);
}

TEST_F(TlsTest, TakesANewCertificateForNewConnections) {
  TestServer server(options());
  TlsClient before(server.address);
  EXPECT_EQ(before.serial(), 1);
  write_certificate(files_, 2);
  ASSERT_TRUE(server.server->reload_tls());
  EXPECT_EQ(TlsClient(server.address).serial(), 2);
  before.send(get("/hello"));
  EXPECT_TRUE(before.read_until("hello").contains("200 OK"));
  std::ofstream(files_.certificate) << "no certificate";
  const auto reloaded = server.server->reload_tls();
  ASSERT_FALSE(reloaded);
  EXPECT_EQ(reloaded.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(TlsClient(server.address).serial(), 2);
}

TEST_F(TlsTest, ClosesOnAClientThatSpeaksPlainHttpOrNothing) {
  ServerOptions impatient = options();
  impatient.limits.header_timeout = std::chrono::milliseconds(50);
  TestServer server(std::move(impatient));
  EXPECT_EQ(server.connect().ask(get("/hello")).status, 0);
  TestClient silent = server.connect();
  silent.read_all();
  server.wait_for_connections(0);
}

TEST_F(TlsTest, WantsAKeyThatFitsTheCertificate) {
  const auto start = [this] {
    ServerOptions made = options();
    made.listen = {"127.0.0.1:0"};
    return Server::start(std::move(made), {});
  };
  const TlsFiles other{folder_ / "other.pem", files_.key};
  write_certificate(other, 3);
  const auto mismatched = start();
  ASSERT_FALSE(mismatched);
  EXPECT_EQ(mismatched.error().code, ErrorCode::kInvalidInput);
  std::filesystem::remove(files_.certificate);
  const auto missing = start();
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().message.contains("certificate.pem"));
}

}  // namespace
}  // namespace reckon::http
