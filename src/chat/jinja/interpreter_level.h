#pragma once
// The guard of the interpreter's own stack, for the two files that hold its halves.

#include "chat/jinja/interpreter.h"

namespace reckon::chat::jinja {

class Interpreter::Level {
 public:
  explicit Level(int& depth) : depth_(depth) { ++depth_; }
  ~Level() { --depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  int& depth_;
};

}  // namespace reckon::chat::jinja
