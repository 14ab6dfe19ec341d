#include "cli/service_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <optional>

#include "base/result.h"

namespace reckon::cli {
namespace {

void add_network_flags(CLI::App& app, ServiceFlags& flags) {
  app.add_option("--host", flags.host, "address to listen on; beyond this machine only with --api-key-file")
      ->type_name("ADDRESS")
      ->group("Network");
  add_whole(app, "--port", flags.port, 0, 65535, "port; 0 takes a free one")->group("Network");
  app.add_option("--listen", flags.listen,
                 "instead of both: HOST:PORT, [::1]:PORT or unix:/path/to.sock; may be given often")
      ->type_name("ADDRESS")
      ->allow_extra_args(false)
      ->group("Network");
  app.add_option("--tls-cert", flags.tls_certificate, "serve HTTPS with this certificate chain (PEM)")
      ->type_name("FILE")
      ->group("Network");
  app.add_option("--tls-key", flags.tls_key, "the private key of the certificate (PEM)")
      ->type_name("FILE")
      ->group("Network");
}

void add_access_flags(CLI::App& app, ServiceFlags& flags) {
  app.add_option("--api-key-file", flags.key_file, "ask for a key; one a line of this file, NAME:KEY or the key alone")
      ->type_name("FILE")
      ->group("Access");
  app.add_flag("--insecure-no-key", flags.insecure_no_key, "listen beyond this machine without keys: anybody may ask")
      ->group("Access");
  app.add_option("--allow-host", flags.hosts, "answer to this host name as well; may be given often")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->group("Access");
  app.add_option("--allow-origin", flags.origins,
                 "pages of this origin may ask, https://chat.example; may be given often")
      ->type_name("ORIGIN")
      ->allow_extra_args(false)
      ->group("Access");
}

void add_work_flags(CLI::App& app, ServiceFlags& flags) {
  add_whole(app, "--parallel", flags.n_parallel, 1, 256, "answers that are made at the same time; more wait")
      ->group("Work");
  add_whole(app, "--queue", flags.max_queue, 0, 4096, "requests that may wait; one more gets 429")->group("Work");
  add_whole(app, "--kv-size", flags.kv_mib, 1, 1 << 20,
            "MiB for keys and values of all answers and their cache; else two full contexts")
      ->group("Work");
  add_whole(app, "--queue-timeout", flags.queue_timeout_s, 1, 86400, "seconds that a request may wait; then 504")
      ->group("Work");
  add_whole(app, "--first-token-timeout", flags.first_token_timeout_s, 1, 86400,
            "seconds until the first token of an answer; then 504")
      ->group("Work");
  add_whole(app, "--timeout", flags.timeout_s, 1, 86400, "seconds for a whole answer; then it ends where it is")
      ->group("Work");
  add_whole(app, "--result-cache", flags.cache_entries, 0, 1 << 20,
            "answers to requests with a seed or temperature 0 that are kept, 1000 by default; 0 keeps none")
      ->group("Work");
  add_whole(app, "--result-cache-seconds", flags.cache_s, 1, 1 << 30, "how long they are kept; else for ever")
      ->group("Work");
  add_whole(app, "--drain", flags.drain_s, 0, 3600, "seconds that running answers get after Ctrl-C or SIGTERM")
      ->group("Work");
}

void add_watching_flags(CLI::App& app, ServiceFlags& flags) {
  app.add_option("--request-log", flags.request_log,
                 "write a line of JSON for each request and answer, without their text; - is standard error")
      ->type_name("FILE")
      ->group("Watching");
  app.add_option("--metric-alias", flags.metric_aliases,
                 "show /metrics under the names of this engine as well, for its dashboards; may be given often")
      ->type_name("llama.cpp|vllm")
      ->check(CLI::IsMember({"llama.cpp", "vllm"}))
      ->allow_extra_args(false)
      ->group("Watching");
}

}  // namespace

void add_service_flags(CLI::App& app, ServiceFlags& flags) {
  add_model_flag(app, flags.model);
  add_context_flag(app, flags.model);
  add_thread_flag(app, flags.model);
  app.add_option("--alias", flags.aliases,
                 "name of the model for clients; may be given often, the first is the one that is shown")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->group("Model");
  app.add_option("--chat-template", flags.template_file, "use this Jinja template instead of the model's own")
      ->type_name("FILE")
      ->group("Model");
  add_network_flags(app, flags);
  add_access_flags(app, flags);
  add_work_flags(app, flags);
  add_watching_flags(app, flags);
  add_quiet_flag(app, flags.model, "no warnings, no progress");
}

Outcome<http::Access> access_of(const ServiceFlags& flags) {
  http::Access access;
  if (!flags.key_file.empty()) {
    CLI_TRY(access.keys, Stage::kUsage, http::read_key_file(flags.key_file));
  }
  access.allow_no_key = flags.insecure_no_key;
  access.hosts = flags.hosts;
  access.origins = flags.origins;
  return access;
}

Outcome<http::ServerOptions> server_options(const ServiceFlags& flags) {
  http::ServerOptions options;
  options.listen = flags.listen;
  if (options.listen.empty()) {
    const bool is_v6 = flags.host.find(':') != std::string::npos && !flags.host.starts_with('[');
    options.listen.push_back(is_v6 ? fmt::format("[{}]:{}", flags.host, flags.port)
                                   : fmt::format("{}:{}", flags.host, flags.port));
  }
  if (flags.tls_certificate.empty() != flags.tls_key.empty()) {
    return stop(Exit::kUsage, "--tls-cert and --tls-key go together: give both or neither");
  }
  if (!flags.tls_certificate.empty()) {
    options.tls = http::TlsFiles{.certificate = flags.tls_certificate, .key = flags.tls_key};
  }
  RECKON_TRY(options.access, access_of(flags));
  return options;
}

server::ServiceOptions service_options(const ServiceFlags& flags) {
  const auto limit = [](int seconds) { return seconds == 0 ? std::nullopt : std::optional<int>(seconds * 1000); };
  server::ServiceOptions options;
  options.time_limits = {.queue_ms = limit(flags.queue_timeout_s),
                         .first_token_ms = limit(flags.first_token_timeout_s),
                         .total_ms = limit(flags.timeout_s)};
  options.cache.max_entries = static_cast<std::size_t>(flags.cache_entries);
  options.cache.lifetime = std::chrono::seconds(flags.cache_s);
  return options;
}

EngineOptions engine_options(const ServiceFlags& flags) {
  EngineOptions options;
  options.max_sequences = flags.n_parallel;
  options.max_queue = flags.max_queue;
  options.measure_reads = true;
  options.kv_bytes = static_cast<std::size_t>(flags.kv_mib) << 20;
  return options;
}

}  // namespace reckon::cli
