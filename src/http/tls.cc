#include "http/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace reckon::http {

Result<std::shared_ptr<boost::asio::ssl::context>> load_tls(const TlsFiles& files) {
  using boost::asio::ssl::context;
  try {
    auto tls = std::make_shared<context>(context::tls_server);
    SSL_CTX* const native = tls->native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);  // 34 KiB a connection that waits
    boost::system::error_code error;
    tls->use_certificate_chain_file(files.certificate.string(), error);
    if (error) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("the certificate {} cannot be used: {}", files.certificate.string(), error.message()));
    }
    // OpenSSL checks here that the key is the certificate's.
    tls->use_private_key_file(files.key.string(), context::pem, error);
    if (error) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("the key {} cannot be used with the certificate {}: {}", files.key.string(),
                              files.certificate.string(), error.message()));
    }
    return tls;
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInternal, fmt::format("TLS cannot be set up: {}", e.what()));
  }
}

}  // namespace reckon::http
