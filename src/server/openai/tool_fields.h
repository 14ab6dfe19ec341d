#pragma once
// tools, tool_choice and parallel_tool_calls.

#include <optional>
#include <string>
#include <vector>

#include "server/field_reader.h"
#include "server/output_form.h"

namespace reckon::server {

struct Tool {
  std::string name;
  std::string parameters;  // JSON schema as text; empty: none
};

struct ToolFields {
  std::vector<Tool> tools;
  std::string tools_json;  // as sent; empty: none, or tool_choice says so
  bool required = false;   // the answer must be a call, of `only` where that is set
  std::optional<std::string> only;

  [[nodiscard]] bool active() const { return !tools_json.empty(); }
  [[nodiscard]] std::vector<std::string> active_names() const;  // what the model may call
  // For an answer that must be a call: {"name": ..., "arguments": {...}} and nothing else.
  [[nodiscard]] OutputForm call_form() const;
};

void read_tool_fields(FieldReader& in, ToolFields& out);

}  // namespace reckon::server
