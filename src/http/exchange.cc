#include "http/exchange.h"

#include "http/field_text.h"

namespace reckon::http {

std::string_view Request::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (equals_ignoring_case(header.name, name)) return header.value;
  }
  return {};
}

}  // namespace reckon::http
