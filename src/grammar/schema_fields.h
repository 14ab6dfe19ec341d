#pragma once
// The keywords that hold for one value: of a schema itself, and of all that it takes in through $ref and allOf.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/json.h"

namespace reckon::grammar {

// A schema and where it stands, as a JSON pointer.
struct SchemaAt {
  const text::Json* json = nullptr;
  std::string pointer;
};

struct Field {
  std::string_view keyword;
  const text::Json* value = nullptr;
  std::string pointer;
  std::uint32_t owner = 0;  // fields of one schema object have the same
};

struct Fields {
  std::vector<Field> all;
  bool is_never = false;  // a schema `false` is among them: no value fits
  std::uint32_t n_owners = 0;

  [[nodiscard]] const Field* find(std::string_view keyword) const;
  [[nodiscard]] bool has(std::string_view keyword) const { return find(keyword) != nullptr; }
};

class SchemaReader {
 public:
  explicit SchemaReader(const text::Json& root) : root_(&root) {}

  // Adds the keywords of `schema`. kUnsupported: a keyword that is not known. kInvalidInput: a $ref that leads nowhere,
  // or in a circle.
  Result<void> add_fields(const SchemaAt& schema, Fields& fields);
  // Where a schema that is only a $ref leads; any other schema itself.
  Result<SchemaAt> resolved(SchemaAt schema) const;

 private:
  Result<void> add_fields(const SchemaAt& schema, Fields& fields, int depth);
  Result<SchemaAt> target_of(const text::Json& reference, const std::string& pointer) const;

  const text::Json* root_;
  std::size_t n_steps_ = 0;
};

// `pointer` with one more part, escaped as in RFC 6901.
[[nodiscard]] std::string pointer_to(const std::string& pointer, std::string_view name);
[[nodiscard]] std::unexpected<Error> field_error(const Field& field, std::string_view what,
                                                 ErrorCode code = ErrorCode::kInvalidInput);
[[nodiscard]] std::unexpected<Error> unsupported_field(const Field& field, std::string_view why = {});

}  // namespace reckon::grammar
