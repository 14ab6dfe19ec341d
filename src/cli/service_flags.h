#pragma once
// The flags of `reckon serve`, and what they mean for the HTTP server and the engine.

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/model_flags.h"
#include "http/server.h"
#include "reckon/engine.h"
#include "server/service.h"

namespace reckon::cli {

struct ServiceFlags {
  ModelFlags model;
  std::string template_file;
  std::vector<std::string> aliases;  // the first is the name that clients see
  std::string host = "127.0.0.1";
  int port = 8080;
  std::vector<std::string> listen;  // instead of host and port
  std::string key_file;
  bool insecure_no_key = false;
  std::string tls_certificate;
  std::string tls_key;
  std::vector<std::string> hosts;
  std::vector<std::string> origins;
  int n_parallel = 8;
  int kv_mib = 0;  // 0: the engine's choice
  int max_queue = 64;
  int drain_s = 30;
  std::string request_log;                  // file, "-": standard error; empty: none
  std::vector<std::string> metric_aliases;  // llama.cpp, vllm
  int queue_timeout_s = 0;                  // 0: none, as for the other two
  int first_token_timeout_s = 0;
  int timeout_s = 0;
  int cache_entries = 1000;
  int cache_s = 0;  // 0: for ever
};

void add_service_flags(CLI::App& app, ServiceFlags& flags);

// Exit::kUsage for what cannot be, such as a key file that is not there.
Outcome<http::ServerOptions> server_options(const ServiceFlags& flags);
Outcome<http::Access> access_of(const ServiceFlags& flags);
EngineOptions engine_options(const ServiceFlags& flags);
server::ServiceOptions service_options(const ServiceFlags& flags);

}  // namespace reckon::cli
