#include "server/openai/tool_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/openai/message_reader.h"
#include "text/json_writer.h"

namespace reckon::server {
namespace {

using text::Json;

constexpr std::size_t kMaxName = 128;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

void check_name(FieldReader& in, const std::string& name) {
  if (in.failed()) return;
  if (name.empty()) return in.fail("name", "want a name");
  if (!std::ranges::all_of(name, is_name_character)) in.fail("name", "letters, digits, _ - and . only");
}

Tool read_tool(FieldReader& request, const Json& json, std::size_t index) {
  Tool tool;
  FieldReader in(json, fmt::format("tools[{}].", index));
  std::string type;
  in.string("type", 64, type);
  if (!in.failed() && type != "function") {
    in.fail("type", fmt::format("want \"function\", got \"{}\"", shortened(type)));
  }
  const Json* function = in.object("function");
  if (function == nullptr) {
    if (!in.failed()) in.fail("function", "want an object with name, description and parameters");
  } else {
    FieldReader body(*function, in.path_of("function."));
    body.string("name", kMaxName, tool.name);
    check_name(body, tool.name);
    if (const Json* parameters = body.object("parameters")) tool.parameters = text::dump_json(*parameters);
    in.adopt(body.error());
  }
  request.adopt(in.error());
  return tool;
}

void read_named_choice(FieldReader& in, const Json& choice, ToolFields& out) {
  FieldReader fields(choice, "tool_choice.");
  std::string name;
  fields.string("name", kMaxName, name);
  if (const Json* function = fields.object("function")) {
    FieldReader body(*function, "tool_choice.function.");
    body.string("name", kMaxName, name);
    fields.adopt(body.error());
  }
  if (fields.failed()) return in.adopt(fields.error());
  if (std::ranges::find(out.tools, name, &Tool::name) == out.tools.end()) {
    return in.fail("tool_choice", fmt::format("there is no tool \"{}\" in tools", shortened(name)));
  }
  out.required = true;
  out.only = name;
}

void read_choice(FieldReader& in, ToolFields& out) {
  const Json* choice = in.any("tool_choice");
  if (choice == nullptr) return;
  const std::string word = choice->as_string() == nullptr ? "" : *choice->as_string();
  if (word == "none") {
    out.tools_json.clear();
  } else if (word == "required") {
    if (out.tools.empty()) return in.fail("tool_choice", "\"required\" needs tools");
    out.required = true;
  } else if (choice->as_object() != nullptr) {
    read_named_choice(in, *choice, out);
  } else if (word != "auto") {
    in.fail_type("tool_choice", R"("auto", "none", "required" or {"type": "function", "function": {"name": ...}})",
                 *choice);
  }
}

}  // namespace

std::vector<std::string> ToolFields::active_names() const {
  std::vector<std::string> names;
  if (!active()) return names;
  for (const Tool& tool : tools) names.push_back(tool.name);
  return names;
}

OutputForm ToolFields::call_form() const {
  OutputForm form;
  if (!required) return form;
  text::JsonArray choices;
  for (const Tool& tool : tools) {
    if (only && *only != tool.name) continue;
    text::JsonObject properties;
    properties.raw("name", text::JsonObject().text("const", tool.name).str());
    properties.raw("arguments", tool.parameters.empty() ? R"({"type": "object"})" : tool.parameters);
    text::JsonObject choice;
    choice.text("type", "object").raw("properties", properties.str());
    choice.raw("required", R"(["name", "arguments"])").boolean("additionalProperties", false);
    choices.raw(choice.str());
  }
  form.kind = OutputForm::Kind::kJsonSchema;
  form.source = text::JsonObject().raw("anyOf", choices.str()).str();
  form.field = "tools";
  return form;
}

void read_tool_fields(FieldReader& in, ToolFields& out) {
  std::optional<bool> parallel;
  in.boolean("parallel_tool_calls", parallel);
  if (const Json::Array* items = in.array("tools", kMaxTools)) {
    for (std::size_t i = 0; i < items->size() && !in.failed(); ++i) out.tools.push_back(read_tool(in, (*items)[i], i));
    if (!items->empty()) out.tools_json = text::dump_json(*in.any("tools"));
  }
  if (!in.failed()) read_choice(in, out);
}

}  // namespace reckon::server
