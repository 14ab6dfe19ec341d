#include "server/served_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/field_reader.h"

namespace reckon::server {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool ServedModel::answers_to(std::string_view name) const {
  return name.empty() || equal(name, id) ||
         std::ranges::any_of(names, [&](const std::string& other) { return equal(name, other); });
}

Reply<void> ServedModel::check_name(std::string_view name) const {
  if (answers_to(name)) return {};
  auto error = refuse("model",
                      fmt::format("model: there is no \"{}\" here; this service has \"{}\" (reckon serve "
                                  "--alias NAME gives it another name)",
                                  shortened(name), id),
                      "model_not_found");
  error.error().status = 404;
  return error;
}

std::string model_id_of_file(std::string_view file_name) {
  file_name.remove_prefix(std::min(file_name.size(), file_name.find_last_of('/') + 1));
  if (file_name.ends_with(".gguf")) file_name.remove_suffix(5);
  constexpr std::string_view kShard = "-00001-of-00002";
  if (file_name.size() > kShard.size()) {
    const std::string_view tail = file_name.substr(file_name.size() - kShard.size());
    if (tail[0] == '-' && tail.substr(6, 4) == "-of-" && std::ranges::all_of(tail.substr(1, 5), is_digit) &&
        std::ranges::all_of(tail.substr(10), is_digit)) {
      file_name.remove_suffix(kShard.size());
    }
  }
  return std::string(file_name);
}

}  // namespace reckon::server
