#include "grammar/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "grammar/json_parts.h"
#include "grammar/limits.h"
#include "grammar/schema_writer.h"
#include "text/json.h"

namespace reckon::grammar {

Result<Syntax> read_schema(std::string_view text) {
  if (text.size() > kMaxSourceBytes) {
    return fail(ErrorCode::kLimit, fmt::format("schema: {} bytes, at most {}", text.size(), kMaxSourceBytes));
  }
  // A schema in a schema takes two levels of JSON, or three in a list.
  RECKON_TRY(const text::Json root, text::parse_json(text, {.max_depth = 3 * kMaxSchemaDepth}));
  return SchemaWriter(root).write();
}

Syntax any_json_object() {
  Syntax syntax;
  JsonParts parts(syntax);
  syntax.root = syntax.add_rule("root");
  syntax.define(syntax.root, parts.object());
  return syntax;
}

}  // namespace reckon::grammar
