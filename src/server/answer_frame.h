#pragma once
// What all parts of one answer repeat: its id, when it was made, by which model, and what is to be said beside it.

#include <cstdint>
#include <string>
#include <vector>

#include "http/exchange.h"
#include "reckon/tokenizer.h"

namespace reckon::server {

struct AnswerFrame {
  std::string id;
  std::int64_t created = 0;  // Unix seconds
  std::string model;
  std::vector<std::string> warnings;
  const Tokenizer* tokenizer = nullptr;  // for the texts of tokens; lives as long as the service
  bool logprobs = false;
  bool include_usage = false;         // stream: a last chunk with the usage
  std::uint64_t seed = 0;             // of the first choice
  std::vector<http::Header> headers;  // X-Cache
};

}  // namespace reckon::server
