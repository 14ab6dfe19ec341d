#pragma once
// Turns a schema into rules, one for each combination of schemas that hold for a value together. Used once.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "grammar/json_parts.h"
#include "grammar/schema_fields.h"
#include "grammar/syntax.h"
#include "text/json.h"

namespace reckon::grammar {

class SchemaWriter {
 public:
  explicit SchemaWriter(const text::Json& root) : root_(&root), reader_(root), parts_(syntax_) {}
  Result<Syntax> write();

 private:
  // A value for which all of these schemas hold.
  Result<NodeId> value(std::vector<SchemaAt> schemas, int depth);
  Result<NodeId> value_of(Fields fields, int depth);
  Result<NodeId> alternatives(const Fields& fields, const Field& choice, int depth);
  Result<NodeId> constants(const Fields& fields, unsigned types);
  Result<NodeId> value_of_type(const Fields& fields, unsigned type, int depth);

  Result<NodeId> string(const Fields& fields);
  Result<NodeId> number(const Fields& fields, bool is_whole);
  Result<NodeId> array(const Fields& fields, int depth);
  Result<NodeId> object(const Fields& fields, int depth);
  // The schemas of items or members that are not listed by name or place.
  struct Others {
    bool allowed = false;
    std::vector<SchemaAt> schemas;  // none: any value
  };
  struct Property {
    std::string name;
    std::vector<SchemaAt> schemas;
    bool required = false;
  };
  Result<std::vector<Property>> properties_of(const Fields& fields, const Others& others);
  Result<NodeId> map_object(const Fields& fields, NodeId member, std::uint64_t min, std::uint64_t max);

  const text::Json* root_;
  SchemaReader reader_;
  Syntax syntax_;
  JsonParts parts_;
  std::map<std::vector<const text::Json*>, NodeId> made_;  // by schemas; also those that are not finished
  std::map<std::string, NodeId> made_strings_;             // by what bounds them
  std::size_t n_values_ = 0;
};

}  // namespace reckon::grammar
