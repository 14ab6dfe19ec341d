#include "http/server.h"

#include <fmt/format.h>
#include <pthread.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <exception>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/result.h"
#include "http/listen_socket.h"
#include "http/listener.h"
#include "http/service_state.h"
#include "http/tls.h"

namespace reckon::http {
namespace {

namespace asio = boost::asio;

constexpr int kOneThread = 1;  // spares the locks between I/O threads that there are not

// Signals that end or reload the program are for its main thread.
void block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE}) sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

Result<void> check_exposure(const ListenAddress& wanted, const Access& access) {
  if (!access.keys.empty() || access.allow_no_key) return {};
  for (const SocketAddress& address : wanted.addresses) {
    if (!address.is_loopback()) {
      return fail(
          ErrorCode::kInvalidInput,
          fmt::format("{} can be reached from other machines, and no API key is set: give a key file, listen on "
                      "127.0.0.1, or say --insecure-no-key",
                      wanted.text));
    }
  }
  return {};
}

class AsioServer final : public Server {
 public:
  AsioServer(ServerOptions options, Router router, OnExchangeEnd on_end)
      : tls_files_(std::move(options.tls)),
        state_(options.limits, std::move(options.access), std::move(router), std::move(on_end)),
        io_(kOneThread),
        work_(io_.get_executor()) {}
  ~AsioServer() override { stop(); }
  AsioServer(const AsioServer&) = delete;
  AsioServer& operator=(const AsioServer&) = delete;

  Result<void> open(const std::vector<std::string>& wanted);
  void run() {
    thread_ = std::thread([this] { work(); });
  }

  std::vector<std::string> addresses() const override;
  void set_access(Access access) override { state_.set_access(std::move(access)); }
  Result<void> reload_tls() override;
  int n_connections() const override { return state_.n_connections(); }
  void post(std::function<void()> callback, std::chrono::milliseconds delay) override;
  void drain(std::chrono::milliseconds patience) override;

 private:
  void work();
  void stop();
  std::shared_ptr<asio::ssl::context> tls() const {
    const std::scoped_lock lock(tls_mutex_);
    return tls_;
  }

  const std::optional<TlsFiles> tls_files_;
  mutable std::mutex tls_mutex_;
  std::shared_ptr<asio::ssl::context> tls_;
  ServiceState state_;
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::vector<std::shared_ptr<Listener>> listeners_;
  std::thread thread_;
};

Result<void> AsioServer::open(const std::vector<std::string>& wanted) {
  if (wanted.empty()) return fail(ErrorCode::kInvalidInput, "no address to listen on");
  RECKON_TRY_VOID(reload_tls());
  for (const std::string& text : wanted) {
    RECKON_TRY(const ListenAddress address, parse_listen_address(text));
    RECKON_TRY_VOID(check_exposure(address, *state_.access()));
    RECKON_TRY(auto sockets, open_listen_sockets(address));
    for (ListenSocket& socket : sockets) {
      listeners_.push_back(
          std::make_shared<Listener>(io_, state_, std::move(socket), address.host, [this] { return tls(); }));
    }
  }
  for (const auto& listener : listeners_) listener->start();
  return {};
}

void AsioServer::work() {
  block_signals();
  for (;;) {
    try {
      io_.run();
      return;
    } catch (const std::exception& e) {
      log_line(LogLevel::kWarning, fmt::format("a task of the I/O thread failed: {}", e.what()));
    } catch (...) {
      log_line(LogLevel::kWarning, "a task of the I/O thread failed");
    }
  }
}

void AsioServer::stop() {
  if (!thread_.joinable()) return;
  asio::post(io_, [this] {
    for (const auto& listener : listeners_) listener->close();
    // Every exchange learns that its client is gone before the thread ends; no other thread posts here after that.
    state_.close_all([this] { io_.stop(); });
  });
  thread_.join();
}

std::vector<std::string> AsioServer::addresses() const {
  std::vector<std::string> texts;
  for (const auto& listener : listeners_) texts.push_back(listener->address().text());
  return texts;
}

Result<void> AsioServer::reload_tls() {
  if (!tls_files_) return {};
  RECKON_TRY(auto next, load_tls(*tls_files_));
  const std::scoped_lock lock(tls_mutex_);
  tls_.swap(next);
  return {};
}

void AsioServer::post(std::function<void()> callback, std::chrono::milliseconds delay) {
  if (delay.count() <= 0) {
    asio::post(io_, std::move(callback));
    return;
  }
  const auto timer = std::make_shared<asio::steady_timer>(io_, delay);
  timer->async_wait([timer, callback = std::move(callback)](const boost::system::error_code& error) {
    if (!error) callback();
  });
}

void AsioServer::drain(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  state_.is_draining = true;
  // What the I/O thread was about to hand to a handler is counted once it gets here.
  const auto closed = std::make_shared<std::promise<void>>();
  asio::post(io_, [this, closed] {
    for (const auto& listener : listeners_) listener->close();
    closed->set_value();
  });
  if (closed->get_future().wait_until(deadline) == std::future_status::ready) state_.wait_for_exchanges(deadline);
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Router router, OnExchangeEnd on_end) {
  try {
    const std::vector<std::string> wanted = options.listen;
    auto server = std::make_unique<AsioServer>(std::move(options), std::move(router), std::move(on_end));
    RECKON_TRY_VOID(server->open(wanted));
    server->run();
    return server;
  } catch (const std::system_error& e) {
    return fail(ErrorCode::kOutOfMemory, fmt::format("the system refused the I/O thread or its queue: {}", e.what()));
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInternal, fmt::format("the HTTP service cannot start: {}", e.what()));
  }
}

}  // namespace reckon::http
