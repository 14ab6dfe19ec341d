#pragma once
// Certificate and key from PEM files. Internal to the folder: shows Boost.Asio.

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "http/server.h"

namespace reckon::http {

// TLS 1.2 and 1.3. kInvalidInput: a file that is not there, is no PEM, or a key that is not the certificate's.
Result<std::shared_ptr<boost::asio::ssl::context>> load_tls(const TlsFiles& files);

}  // namespace reckon::http
