// `reckon chat`: a conversation on the terminal.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <memory>

#include "base/result.h"
#include "cli/answer_printer.h"
#include "cli/chat_input.h"
#include "cli/chat_session.h"
#include "cli/display_text.h"
#include "cli/line_editor.h"
#include "cli/loaded_engine.h"

namespace reckon::cli {
namespace {

struct ChatFlags {
  ModelFlags model;
  GenerationSettings settings;
  std::string system;
  std::string template_file;
  bool no_history = false;
};

constexpr std::string_view kPrompt = "> ";
constexpr std::string_view kMore = ". ";
constexpr int kPatience = 4;  // Ctrl-C during one answer before the program gives way

class Chat {
 public:
  Chat(const ChatFlags& flags, LoadedEngine& loaded, Context& context)
      : flags_(flags),
        engine_(*loaded.engine),
        template_(*loaded.chat_template),
        context_(context),
        io_(context.io),
        session_(loaded.engine->info().name, flags.settings, flags.system),
        history_(flags.no_history || !context.io.in_is_terminal ? std::filesystem::path() : default_history_path()),
        editor_(context.io, history_, ChatSession::completions) {
    if (context_.watch != nullptr) context_.watch->set_cleanup([this] { put_terminal_right(); });
  }
  ~Chat() {
    if (context_.watch != nullptr) context_.watch->set_cleanup({});
  }
  Chat(const Chat&) = delete;
  Chat& operator=(const Chat&) = delete;

  Exit loop() {
    greet();
    while (!left_ && io_.out.error_number() == 0) {
      const auto line = editor_.read_line(lines_.is_open() ? kMore : kPrompt, kMore);
      switch (line.kind) {
        case LineEditor::Line::Kind::kText:
          if (const auto message = lines_.push(line.text)) take(*message);
          break;
        case LineEditor::Line::Kind::kInterrupt:
          if (line.text.empty() && !lines_.is_open()) note("Ctrl-D or /exit leaves");
          lines_.reset();
          break;
        case LineEditor::Line::Kind::kEnd:
          if (lines_.is_open()) take(lines_.take_rest());
          left_ = true;
      }
    }
    return exit_;
  }

 private:
  void greet() {
    if (!io_.in_is_terminal || flags_.model.quiet) return;
    const EngineStats stats = engine_.stats();
    note(fmt::format("{}; {} tokens of context; {} threads. /help lists commands, Ctrl-D leaves.",
                     model_title(engine_.info()), stats.n_context, stats.n_threads));
  }

  std::string wrapped(const std::string& text) const {
    return io_.err_is_terminal ? wrap_lines(text, io_.width()) : text;
  }

  // A remark of ours, apart from what the model says.
  void note(std::string_view text) {
    const Style style(io_.err_colour);
    io_.err.line(fmt::format("{}{}{}", style.faint(), wrapped(without_controls(text)), style.reset()));
  }

  void complain(std::string_view text) {
    print_error(io_, text);
    if (!io_.in_is_terminal) exit_ = Exit::kFailed;  // a script should hear of it
  }

  void take(const std::string& input) {
    if (input.empty()) return;
    if (io_.in_is_terminal) history_.add(input);
    const auto reply = session_.handle(input);
    switch (reply.kind) {
      case ChatSession::Reply::Kind::kExit:
        left_ = true;
        break;
      case ChatSession::Reply::Kind::kSay:
        if (reply.is_error) {
          complain(reply.text);
        } else if (!reply.text.empty()) {
          note(reply.text);
        }
        break;
      case ChatSession::Reply::Kind::kAsk:
        answer();
    }
  }

  void answer() {
    RenderOptions options;
    options.thinking = session_.settings().think;
    const auto prompt = template_.render(session_.messages_to_send(), options);
    if (!prompt) return complain(prompt.error().message);
    const ThoughtMarks& marks = template_.thought_marks();
    warn_of_greedy(marks);
    AnswerPrinter printer(io_, session_.settings().show_thoughts);
    const auto answer = run_request(engine_, make_request(engine_, *prompt, marks, session_.settings()),
                                    ReasoningParser(marks, prompt->starts_in_thought),
                                    [&](const ReasoningParser::Delta& delta) { return printer.push(delta); },
                                    {.watch = context_.watch, .patience = kPatience});
    printer.finish();
    if (!answer) return explain_failure(answer.error());
    session_.accept(*answer);
    report(*answer);
  }

  void warn_of_greedy(const ThoughtMarks& marks) {
    if (warned_ || flags_.model.quiet) return;
    const auto warning = greedy_warning(engine_.info(), marks, session_.settings());
    if (warning.empty()) return;
    print_warning(io_, warning);
    warned_ = true;
  }

  void explain_failure(const CommandError& error) {
    complain(error.message);
    if (error.exit == Exit::kLimit) {
      note("the conversation is kept: /save it, then /clear, or start with a longer --ctx and /load it");
    }
  }

  void report(const Answer& answer) {
    if (answer.signal == SIGTERM) {
      left_ = true;
      exit_ = Exit::kTerminated;
      return;
    }
    if (flags_.model.quiet) return;
    if (answer.finish == Finish::kCancelled) {
      note(answer.content.empty() ? "stopped; /regen asks again" : "stopped; what came is kept, /regen asks again");
    } else if (const auto reason = early_end(engine_, answer, session_.settings()); !reason.empty()) {
      note(reason);
    }
    const int used = answer.timings.n_prompt + answer.timings.n_generated;
    note(fmt::format("{} | context {}/{}", stats_line(answer), used, engine_.stats().n_context));
  }

  // On the signal's thread, just before the program ends.
  void put_terminal_right() {
    editor_.restore_terminal();
    if (io_.out_colour) Output(1).write("\x1b[0m\n");
  }

  const ChatFlags& flags_;
  Engine& engine_;
  const ChatTemplate& template_;
  Context& context_;
  Io& io_;
  ChatSession session_;
  History history_;
  LineEditor editor_;
  MessageAssembler lines_;
  bool left_ = false;
  bool warned_ = false;
  Exit exit_ = Exit::kOk;
};

}  // namespace

Command add_chat(CLI::App& root) {
  const auto flags = std::make_shared<ChatFlags>();
  CLI::App* app = root.add_subcommand("chat", "Talk with the model; /help inside lists the commands.");
  add_system_flag(*app, flags->system, "everything");
  add_template_flag(*app, flags->template_file);
  add_model_flag(*app, flags->model);
  add_context_flag(*app, flags->model);
  add_thread_flag(*app, flags->model);
  add_generation_flags(*app, flags->settings);
  app->add_flag("--no-history", flags->no_history, "do not keep what is typed for the next time")->group("Output");
  add_quiet_flag(*app, flags->model, "only the answers: no greeting, no statistics");
  app->footer(
      "Examples:\n"
      "  reckon chat\n"
      "  reckon chat -m model.gguf -s \"Answer in one sentence.\" --think-budget 500\n"
      "\n"
      "Ctrl-C stops an answer and keeps what came; Ctrl-D or /exit leaves. /set changes flags on\n"
      "the way, /save talk.json and /load talk.json keep a conversation.\n");
  return {app, [flags](Context& context) -> Outcome<Exit> {
            RECKON_TRY(auto loaded, load_engine(flags->model, flags->template_file, context));
            return Chat(*flags, loaded, context).loop();
          }};
}

}  // namespace reckon::cli
