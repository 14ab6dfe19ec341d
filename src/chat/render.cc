#include "chat/render.h"

#include "base/result.h"
#include "chat/jinja/context.h"
#include "chat/jinja/interpreter.h"
#include "chat/jinja/parser.h"
#include "text/json.h"

namespace reckon::chat {

Result<std::string> render_text(std::string_view template_source, std::string_view context_json,
                                std::optional<std::int64_t> now) {
  RECKON_TRY(const jinja::Template parsed, jinja::parse_template(template_source));
  RECKON_TRY(const text::Json json, text::parse_json(context_json));
  const jinja::Value context = jinja::to_value(json, jinja::Mark::kUser);
  if (context.as_dict() == nullptr) return fail(ErrorCode::kInvalidInput, "the context must be a JSON object");
  jinja::Interpreter interpreter(parsed, *context.as_dict(), jinja::Limits{}, now);
  RECKON_TRY(const jinja::MarkedText text, interpreter.run());
  return text.bytes();
}

}  // namespace reckon::chat
