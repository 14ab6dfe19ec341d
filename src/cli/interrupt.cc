#include "cli/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>
#include <utility>

#include "cli/exit_code.h"

namespace reckon::cli {
namespace {

// What the signal handler may touch: the write end of a pipe.
std::atomic<int> signal_pipe{-1};

void on_signal(int signal) {
  const int saved = errno;
  const int fd = signal_pipe.load(std::memory_order_relaxed);
  const auto byte = static_cast<unsigned char>(signal);
  if (fd >= 0) [[maybe_unused]]
    const auto n = ::write(fd, &byte, 1);
  errno = saved;
}

void install(int signal) {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

struct InterruptWatch::State {
  int pipe[2] = {-1, -1};
  std::mutex mutex;
  Handler handler;
  int patience = 0;  // signals that the handler still takes
  std::function<void()> reload;
  std::function<void()> cleanup;
  std::thread thread;

  void end_program(int signal) {
    if (cleanup) cleanup();
    ::_exit(static_cast<int>(signal == SIGTERM ? Exit::kTerminated : Exit::kInterrupted));
  }

  void loop() {
    unsigned char byte = 0;
    while (true) {
      const auto n = ::read(pipe[0], &byte, 1);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0 || byte == 0) return;
      const std::scoped_lock lock(mutex);
      if (byte == SIGHUP) {
        if (reload) reload();
        continue;
      }
      if (!handler || patience-- <= 0) end_program(byte);
      handler(byte);
    }
  }
};

InterruptWatch::InterruptWatch() : state_(std::make_unique<State>()) {
  ::signal(SIGPIPE, SIG_IGN);                         // a write to a closed pipe fails with EPIPE instead
  if (::pipe2(state_->pipe, O_CLOEXEC) != 0) return;  // then the default action stays
  ::fcntl(state_->pipe[1], F_SETFL, O_NONBLOCK);
  signal_pipe = state_->pipe[1];
  // The thread itself takes no signals, so that it never interrupts its own handler.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  state_->thread = std::thread([state = state_.get()] { state->loop(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  install(SIGINT);
  install(SIGTERM);
}

InterruptWatch::~InterruptWatch() {
  if (state_->thread.joinable()) {
    ::signal(SIGINT, SIG_DFL);
    ::signal(SIGTERM, SIG_DFL);
    ::signal(SIGHUP, SIG_DFL);
    signal_pipe = -1;
    const unsigned char stop = 0;
    while (::write(state_->pipe[1], &stop, 1) < 0 && (errno == EINTR || errno == EAGAIN)) {
    }
    state_->thread.join();
  }
  if (state_->pipe[0] >= 0) ::close(state_->pipe[0]);
  if (state_->pipe[1] >= 0) ::close(state_->pipe[1]);
}

void InterruptWatch::set_handler(Handler handler, int patience) {
  const std::scoped_lock lock(state_->mutex);
  state_->handler = std::move(handler);
  state_->patience = patience;
}

void InterruptWatch::set_reload(std::function<void()> reload) {
  const std::scoped_lock lock(state_->mutex);
  state_->reload = std::move(reload);
  if (state_->reload) {
    install(SIGHUP);
  } else {
    ::signal(SIGHUP, SIG_DFL);
  }
}

void InterruptWatch::set_cleanup(std::function<void()> cleanup) {
  const std::scoped_lock lock(state_->mutex);
  state_->cleanup = std::move(cleanup);
}

}  // namespace reckon::cli
