#include "server/ollama/answer.h"

#include <utility>

#include "server/openai/answer_parts.h"

namespace reckon::server::ollama {

void Answer::on_end(std::span<const ChoiceResult> choices) {
  if (const auto error = failure_of(choices)) return exchange_->respond(respond_error(*error));
  const ChoiceResult& result = choices.front();
  text::JsonObject body =
      line_of(frame_, {.reasoning = result.reasoning, .content = result.content, .calls = result.tool_calls});
  add_end(body, frame_, result);
  http::Response response;
  response.headers = frame_.headers;
  response.body = body.str();
  exchange_->respond(std::move(response));
}

// A space in front of a line of JSON changes nothing; an empty line would end many a client.
Stream::Stream(std::shared_ptr<http::Exchange> exchange, std::chrono::milliseconds heartbeat, Frame frame)
    : writer_(std::move(exchange), {"application/x-ndjson", " ", heartbeat}), frame_(std::move(frame)) {}

bool Stream::on_piece(std::size_t, const Piece& piece) {
  return writer_.write(line_of(frame_, piece.text).boolean("done", false).str() + "\n");
}

void Stream::on_end(std::span<const ChoiceResult> choices) {
  if (const auto error = failure_of(choices)) {
    writer_.write(line_of_error(*error) + "\n");
  } else {
    text::JsonObject line = line_of(frame_, {});
    add_end(line, frame_, choices.front());
    writer_.write(line.str() + "\n");
  }
  writer_.close();
}

}  // namespace reckon::server::ollama
