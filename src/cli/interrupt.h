#pragma once
// Ctrl-C (SIGINT), SIGTERM and SIGHUP as calls on an ordinary thread, so that what answers them may lock and allocate.

#include <functional>
#include <memory>

namespace reckon::cli {

// Owner: main(). At most one at a time. Construct it before other threads start.
// Without a handler a signal ends the program at once with exit code 130 or 143, after the terminal is put right.
// So does one signal more than the `patience` of the handler.
class InterruptWatch {
 public:
  using Handler = std::function<void(int signal)>;

  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  // Called on the watch's thread for the next `patience` signals; empty: back to ending the program. Returns once no
  // call is running any more. Thread: any, but not from inside the handler.
  void set_handler(Handler handler, int patience = 1);
  // SIGHUP from now on: called on the watch's thread, as often as it comes. Empty: back to ending the program.
  void set_reload(std::function<void()> reload);
  // Runs last before the program is ended by a signal: wipe a progress bar, show the cursor, leave raw mode.
  void set_cleanup(std::function<void()> cleanup);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reckon::cli
