#include "cli/model_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "cli/display_text.h"
#include "cli/model_path.h"

namespace reckon::cli {

CLI::Option* add_whole(CLI::App& app, const std::string& name, int& target, int low, int high,
                       const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [&target, low, high, name](const std::string& text) {
            int value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high) {
              throw CLI::ValidationError(name.substr(name.find("--")),
                                         fmt::format("want a whole number from {} to {}, got '{}'", low, high,
                                                     cut_to_width(one_line(text), 40)));
            }
            target = value;
          },
          help)
      ->type_name("N");
}

void add_model_flag(CLI::App& app, ModelFlags& flags) {
  app.add_option("-m,--model", flags.model, "a GGUF file, any shard of one, or a folder that holds one model")
      ->type_name("PATH")
      ->group("Model");
}

void add_thread_flag(CLI::App& app, ModelFlags& flags) {
  add_whole(app, "-t,--threads", flags.n_threads, 1, 256,
            "compute threads; else the physical cores that this process may use")
      ->group("Model");
}

void add_context_flag(CLI::App& app, ModelFlags& flags) {
  add_whole(app, "-c,--ctx", flags.n_context, 16, 1 << 24,
            "tokens of context, prompt and answer together; else 8192 or what the model was trained for")
      ->group("Model");
}

void add_quiet_flag(CLI::App& app, ModelFlags& flags, const char* help) {
  app.add_flag("-q,--quiet", flags.quiet, help)->group("Output");
}

void add_system_flag(CLI::App& app, std::string& system, const char* told_before) {
  app.add_option("-s,--system", system, fmt::format("what the model is told before {}", told_before))
      ->type_name("TEXT")
      ->group("Prompt");
}

void add_template_flag(CLI::App& app, std::string& file) {
  app.add_option("--chat-template", file, "use this Jinja template instead of the model's own")
      ->type_name("FILE")
      ->group("Prompt");
}

void add_generation_flags(CLI::App& app, GenerationSettings& settings) {
  for (const Setting& setting : all_settings()) {
    std::string flag = setting.name;
    std::ranges::replace(flag, '_', '-');
    flag = "--" + flag;
    const std::string names = flag == "--max-tokens" ? "-n," + flag : flag;
    const bool of_thought = flag.starts_with("--think") || flag == "--show-thoughts";
    app.add_option_function<std::string>(
           names,
           [&settings, &setting, flag](const std::string& text) {
             if (const auto problem = setting.set(settings, text)) throw CLI::ValidationError(flag, *problem);
           },
           setting.help)
        ->type_name(setting.value_name)
        ->group(of_thought ? "Thought" : "Sampling");
  }
  app.add_option("--stop", settings.stop, "end the answer before this text; may be given 16 times")
      ->type_name("TEXT")
      ->allow_extra_args(false)
      ->group("Sampling")
      ->check([](const std::string& text) -> std::string {
        return text.empty() || text.size() > 256 ? "want 1 to 256 bytes of text" : "";
      });
  app.add_flag("--ignore-eos", settings.ignore_eos, "go on where the model would end its turn")->group("Sampling");
  app.add_flag("!--no-loop-guard", settings.loop_guard, "let an answer go on that only repeats itself")
      ->group("Sampling");
}

Outcome<std::filesystem::path> model_of(const ModelFlags& flags) {
  return find_model(flags.model, std::getenv("RECKON_MODEL"));
}

}  // namespace reckon::cli
