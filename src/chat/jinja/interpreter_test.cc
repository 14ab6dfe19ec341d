// Marks and limits of the template language. That it renders as jinja2 does is in golden_test.cc.
#include "chat/jinja/interpreter.h"

#include <gtest/gtest.h>

#include "chat/jinja/context.h"
#include "chat/jinja/parser.h"

namespace reckon::chat::jinja {
namespace {

// Renders with {"u": "User Text", "l": ["a", "b"], "n": 7} from the user; user text comes out in [brackets].
Result<std::string> marked(std::string_view source, const Limits& limits = {}) {
  auto parsed = parse_template(source, limits);
  if (!parsed) return std::unexpected(parsed.error());
  const auto json = text::parse_json(R"({"u": " User-Text ", "l": ["a", "b"], "n": 7, "d": {"k": "v"}})");
  const Value context = to_value(*json, Mark::kUser);
  auto text = Interpreter(*parsed, *context.as_dict(), limits, 0).run();
  if (!text) return std::unexpected(text.error());
  std::string out;
  std::size_t begin = 0;
  for (const MarkedText::Run& run : text->runs()) {
    const std::string part = text->bytes().substr(begin, run.end - begin);
    out += run.mark == Mark::kTemplate ? part : "[" + part + "]";
    begin = run.end;
  }
  return out;
}

std::string error_of(std::string_view source, const Limits& limits = {}) {
  const auto text = marked(source, limits);
  return text ? "rendered: " + text->substr(0, 200) : text.error().message;
}

struct MarkCase {
  std::string_view source;
  std::string_view text;
};

TEST(Marks, every_string_operation_keeps_what_the_user_wrote_apart) {
  const MarkCase cases[] = {
      {"<a>{{ u }}</a>", "<a>[ User-Text ]</a>"},
      {"{{ '<' + u + '>' }}", "<[ User-Text ]>"},
      {"{{ '<' ~ u ~ n ~ '>' }}", "<[ User-Text 7]>"},
      {"{{ u | trim }}|{{ u.strip() }}|{{ u[1:5] }}|{{ u[1] }}", "[User-Text]|[User-Text]|[User]|[U]"},
      {"{{ u | upper }}{{ 'x' }}{{ u.lower() }}", "[ USER-TEXT ]x[ user-text ]"},
      {"{{ u.split('-')[1] }}|{{ 'a-b'.split('-')[1] }}", "[Text ]|b"},
      {"{{ u | replace('User', '<|im_end|>') }}", "[ ]<|im_end|>[-Text ]"},
      {"{{ 'a-b' | replace('-', u) }}", "a[ User-Text ]b"},
      {"{{ l | join(', ') }}", "[a], [b]"},
      {"{{ l | map('upper') | join('-') }}", "[A]-[B]"},
      {"{{ '-'.join(l) }}", "[a]-[b]"},
      {"{{ 'aaa'.rsplit('aa') }}{{ 'aaa'.split('aa') }}{{ 'a b  c'.rsplit() }}", "['a', '']['', 'a']['a', 'b', 'c']"},
      {"{{ u[::-1] }}", "[ txeT-resU ]"},
      {"{{ '%s|%5s' % (u, 'x') }}", "[ User-Text ]|    x"},
      {"{{ '<{}>'.format(u) }}", "<[ User-Text ]>"},
      {"{{ l | tojson }}", "[[\"a\"], [\"b\"]]"},
      {"{{ d | tojson }}", "{[\"k\"]: [\"v\"]}"},
      {"{{ l }}", "[['a'], ['b']]"},
      {"{{ n }}{{ n + 1 }}{{ n | string }}", "[787]"},
      {"{% set x %}<{{ u }}>{% endset %}{{ x }}", "<[ User-Text ]>"},
      {"{% macro m(t) %}<{{ t }}>{% endmacro %}{{ m(u) | upper }}", "<[ USER-TEXT ]>"},
      {"{% filter upper %}a{{ u }}{% endfilter %}", "A[ USER-TEXT ]"},
      {"{% for c in u.strip() %}{{ c }}.{% break %}{% endfor %}", "[U]."},
      {"{{ ('a' ~ u ~ 'b') | indent(2, true) }}", "  a[ User-Text ]b"},
      {"{{ u | e }}{{ u | title }}{{ u | capitalize }}", "[ User-Text  User-Text  user-text ]"},
      {"{{ u | list | first }}{{ (u | trim).partition('-')[0] }}", "[ User]"},
      {"{{ u if u else 'x' }}{{ u or 'x' }}{{ missing | default(u) }}", "[ User-Text  User-Text  User-Text ]"},
      {"{{ ' <|im_end|> ' | trim }}", "<|im_end|>"},
  };
  for (const MarkCase& c : cases) {
    const auto text = marked(c.source);
    EXPECT_EQ(text ? *text : text.error().message, c.text) << c.source;
  }
}

TEST(Limits, hostile_templates_end_in_an_error_that_names_the_limit) {
  const std::string_view cases[] = {
      "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
      "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
      "{{ range(1000000000) }}",
      "{{ 'x' * 10000000000 }}",
      "{{ [1] * 10000000000 }}",
      "{% set ns = namespace(s='xxxxxxxx') %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(100) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
      "{% set ns = namespace(l=[]) %}{% for i in range(100000) %}{% set ns.l = [ns.l] %}{% endfor %}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(100) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(100) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l == "
      "ns.l }}",
      "{% set ns = namespace(l=(1,)) %}{% for i in range(100) %}{% set ns.l = (ns.l, ns.l) %}{% endfor %}{{ ns.l | "
      "tojson }}",
      "{% set ns = namespace() %}{% set ns.me = [ns] %}{{ ns }}",
      "{{ 'aaaa' | replace('', 'b' * 8000000) }}",
      "{{ 9223372036854775807 + 1 }}",
      "{{ 2 ** 64 }}",
      "{{ 'a' | map('map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', "
      "'map',"
      "'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', 'map', "
      "'map',"
      "'map', 'map', 'map', 'map', 'list') }}",
      "{% for t in [[]] recursive %}{{ loop([[]]) }}{% endfor %}",
      "{{ ('a' * 4000000).rfind('b' + 'a' * 2000000) }}{{ ('a' * 4000000).rfind('b' + 'a' * 2000000) }}",
  };
  Limits tight;  // a tenth of the real ones, so that the test is quick without optimisation
  tight.steps /= 10;
  tight.output_bytes /= 10;
  tight.list_items /= 10;
  for (const std::string_view source : cases) {
    const std::string error = error_of(source, tight);
    EXPECT_NE(error.find("template limit"), std::string::npos) << source << "\n" << error;
  }
}

// Work that grows with a text and leaves no text behind is paid for as well: each of these runs for minutes otherwise.
TEST(Limits, work_on_long_texts_is_counted_in_every_operation) {
  constexpr std::string_view operations[] = {
      "s | int",
      "s | float",
      "s | upper",
      "s | title",
      "s | capitalize",
      "s | wordcount",
      "s | length",
      "s | escape",
      "s | trim",
      "s.strip('aB c')",
      "s.split()",
      "s.split('a')",
      "s.splitlines()",
      "s.count('a')",
      "s.count('zz')",
      "s.find('zz')",
      "s.rfind('zz')",
      "s.replace('a','b')",
      "s.replace('','b')",
      "s.isalpha()",
      "s.islower()",
      "s.partition('zz')",
      "s.rpartition('z')",
      "s.startswith('a', 1)",
      "'zz' in s",
      "s == t",
      "s < t",
      "s ~ 'a'",
      "s[::2]",
      "s[5:-5]",
      "s | indent",
      "s | truncate(9)",
      "s | urlencode",
      "s | tojson",
      "s | list",
      "s | reverse",
      "'%s' % s",
      "'{}'.format(s)",
      "s.zfill(700000)",
      "s.center(700000)",
      "s.removeprefix('a')",
      "s | first",
      "s | last",
      "w | join(',')",
      "w | sort",
      "w | unique | list",
      "l | sort",
      "l | sum",
      "l | max",
      "l | reverse | list",
      "l | map('string') | list",
      "l | select('odd') | list",
      "l | batch(2) | list",
      "-1 in l",
      "l == l2",
      "l + l",
      "l[1:]",
      "l | string",
      "l | tojson",
      "l | join",
  };
  Limits tight;
  tight.steps = 400'000;
  for (const std::string_view operation : operations) {
    const std::string source =
        "{% set s = 'aB c' * 150000 %}{% set t = s ~ '' %}{% set w = ('ab ' * 2000).split() %}{% set l = range(5000) | "
        "list %}"
        "{% set l2 = range(5000) | list %}{% for i in range(400) %}{% set x = " +
        std::string(operation) + " %}{% endfor %}";
    const std::string error = error_of(source, tight);
    EXPECT_NE(error.find("template limit"), std::string::npos) << operation << "\n" << error;
  }
}

TEST(Limits, depth_is_counted_in_every_construct) {
  const auto nested = [](std::string_view open, std::string_view middle, std::string_view close, std::size_t n) {
    std::string source;
    for (std::size_t i = 0; i < n; ++i) source += open;
    source += middle;
    for (std::size_t i = 0; i < n; ++i) source += close;
    return source;
  };
  for (const std::size_t n : {std::size_t{10}, std::size_t{30'000}}) {
    for (const std::string& source :
         {"{{ " + nested("(", "1", ")", n) + " }}", "{{ " + nested("[", "1", "]", n) + " }}",
          "{{ " + nested("not ", "1", "", n) + " }}", "{{ " + nested("- ", "1", "", n) + " }}",
          "{{ " + nested("1 if 1 else ", "1", "", n) + " }}", "{{ x" + nested("", "", "[0]", n) + " is defined }}",
          "{{ 1" + nested("", "", " + 1", n) + " }}", "{{ '1'" + nested("", "", " | trim", n) + " }}",
          nested("{% if 1 %}", "x", "{% endif %}", n), nested("{% for a in [1] %}", "x", "{% endfor %}", n),
          nested("{% filter upper %}", "x", "{% endfilter %}", n), "{% set " + nested("(", "a", ")", n) + " = 1 %}",
          "{{ " + nested("{1: ", "1", "}", n) + " }}", "{{ " + nested("range(", "1", ") | length", n) + " }}"}) {
      const std::string error = error_of(source);
      if (n == 10) {
        EXPECT_EQ(error.find("template limit"), std::string::npos) << source.substr(0, 200) << error;
      } else {
        EXPECT_NE(error.find("template limit"), std::string::npos) << source.substr(0, 40) << "\n" << error;
      }
    }
  }
}

TEST(Limits, deep_macros_with_deep_bodies_fit_the_stack) {
  std::string ifs;
  std::string ends;
  for (int i = 0; i < 90; ++i) {
    ifs += "{% if 1 %}";
    ends += "{% endif %}";
  }
  std::string parens(90, '(');
  const std::string source = "{% macro m(k) %}" + ifs + "{{ " + parens + "m(k + 1)" + std::string(90, ')') + " }}" +
                             ends + "{% endmacro %}{{ m(0) }}";
  EXPECT_NE(error_of(source).find("template limit"), std::string::npos);
}

TEST(Limits, source_and_output_are_bounded) {
  EXPECT_NE(error_of(std::string(2u << 20, 'x')).find("template limit"), std::string::npos);
  EXPECT_NE(error_of("{% for i in range(3000) %}{{ 'x' * 3000 }}{% endfor %}").find("template limit"),
            std::string::npos);
}

TEST(Errors, name_line_and_column) {
  EXPECT_EQ(error_of("a\n  {{ 1 + }}").find("line 2, column 10"), 0U) << error_of("a\n  {{ 1 + }}");
  EXPECT_EQ(error_of("a\n{{ u.x.y }}").find("line 2, column 7"), 0U) << error_of("a\n{{ u.x.y }}");
  EXPECT_EQ(error_of("{{ raise_exception('no ' ~ n) }}"), "line 1, column 19: the template refuses: no 7");
  EXPECT_NE(error_of("\n{% include 'x' %}").find("line 2"), std::string::npos);
}

TEST(Values, of_circles_are_freed) {  // the leak checker of the asan build is the judge
  EXPECT_TRUE(
      marked("{% set ns = namespace() %}{% set ns.a = ns %}{% set ns.b = [ns] %}"
             "{% macro m() %}{% endmacro %}{% set ns.m = m %}{% for x in [1] %}{% set ns.loop = loop %}"
             "{% macro k() %}{{ x }}{% endmacro %}{% set ns.k = k %}{% endfor %}{{ ns.k() }}{{ ns.loop.index }}"));
}

}  // namespace
}  // namespace reckon::chat::jinja
