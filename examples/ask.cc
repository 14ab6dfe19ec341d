// Asks a model one question and prints the answer as it comes: ask MODEL.gguf "question"

#include <reckon/chat.h>
#include <reckon/engine.h>

#include <cstdio>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace {

// An id list for a mark such as </think>: one token where the vocabulary has it, else its pieces.
std::vector<reckon::TokenId> ids_of(const reckon::Tokenizer& tokenizer, const std::string& mark) {
  return mark.empty() ? std::vector<reckon::TokenId>{} : tokenizer.encode(mark, /*parse_special=*/true);
}

reckon::Result<reckon::Request> make_request(const reckon::Engine& engine, const std::string& question) {
  const reckon::Tokenizer& tokenizer = engine.tokenizer();
  auto chat_template = reckon::ChatTemplate::create(engine.info().chat_template, &tokenizer);
  if (!chat_template) return std::unexpected(chat_template.error());
  reckon::Message message;
  message.role = "user";
  message.content = question;
  auto prompt = (*chat_template)->render({message}, {});
  if (!prompt) return std::unexpected(prompt.error());

  reckon::Request request;
  request.prompt = tokenizer.encode(prompt->segments, {.add_bos = tokenizer.adds_bos()});
  request.sample = engine.info().sample_defaults;
  request.max_new_tokens = 512;
  const reckon::ThoughtMarks& marks = (*chat_template)->thought_marks();
  request.thought.starts_inside = prompt->starts_in_thought;
  request.thought.open = ids_of(tokenizer, marks.open);
  request.thought.close = ids_of(tokenizer, marks.close);
  return request;
}

// Prints the answer until its last event; the error of the request, if it failed.
reckon::Result<void> ask(reckon::Engine& engine, const std::string& question) {
  auto request = make_request(engine, question);
  if (!request) return std::unexpected(request.error());
  std::promise<reckon::Result<void>> done;
  auto id = engine.submit(*std::move(request), [&](const reckon::Event& event) {
    std::fwrite(event.text.data(), 1, event.text.size(), event.in_thought ? stderr : stdout);
    std::fflush(stdout);
    if (event.finish == reckon::Finish::kRunning) return true;
    done.set_value(event.error == nullptr ? reckon::Result<void>{} : std::unexpected(*event.error));
    return false;
  });
  if (!id) return std::unexpected(id.error());
  return done.get_future().get();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s MODEL.gguf \"question\"\n", argv[0]);
    return 2;
  }
  auto engine = reckon::Engine::load(argv[1], {});
  auto answered = engine ? ask(**engine, argv[2]) : std::unexpected(engine.error());
  if (!answered) {
    std::fprintf(stderr, "error: %s\n", answered.error().message.c_str());
    return 1;
  }
  std::puts("");
}
