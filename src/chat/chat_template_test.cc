#include <gtest/gtest.h>

#include <map>

#include "reckon/chat.h"

namespace reckon {
namespace {

// A vocabulary of a few named tokens.
class NamedTokens final : public Tokenizer {
 public:
  explicit NamedTokens(std::vector<std::string> names) : names_(std::move(names)) {}
  std::vector<TokenId> encode(std::span<const Segment>, EncodeOptions) const override { return {}; }
  std::string_view token_bytes(TokenId id) const override { return names_[static_cast<std::size_t>(id)]; }
  bool is_control(TokenId) const override { return false; }
  bool is_end_of_generation(TokenId) const override { return false; }
  int n_vocab() const override { return static_cast<int>(names_.size()); }
  TokenId bos() const override { return 0; }
  TokenId eos() const override { return 1; }
  bool adds_bos() const override { return true; }
  TokenId find(std::string_view text) const override {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == text) return static_cast<TokenId>(i);
    }
    return -1;
  }
  std::string_view name() const override { return "named"; }

 private:
  std::vector<std::string> names_;
};

const NamedTokens kR1Tokens({"<BOS>", "<EOS>", "<think>", "</think>", "<｜User｜>", "<｜Assistant｜>"});
const NamedTokens kPlainTokens({"<BOS>", "<EOS>"});

// What R1's template does, in our words; %s is the primer.
std::string r1_like(std::string_view primer) {
  std::string source =
      "{{ bos_token }}{% for m in messages %}{% if m.role == 'system' %}{{ m.content }}{% endif %}"
      "{% if m.role == 'user' %}{{ '<｜User｜>' + m.content }}{% endif %}"
      "{% if m.role == 'assistant' and m.content is none %}{% for t in m.tool_calls %}"
      "{{ '<call>' + t.function.name + t.function.arguments + '</call>' }}{% endfor %}{% endif %}"
      "{% if m.role == 'assistant' and m.content is not none %}"
      "{{ '<｜Assistant｜>' + (m.content.split('</think>') | last) + eos_token }}{% endif %}{% endfor %}"
      "{% if add_generation_prompt %}{{ '<｜Assistant｜>%s' }}{% endif %}";
  return source.replace(source.find("%s"), 2, primer);
}

Message message(std::string role, std::string content, std::string reasoning = {}) {
  Message made;
  made.role = std::move(role);
  made.content = std::move(content);
  made.reasoning_content = std::move(reasoning);
  return made;
}

std::shared_ptr<const ChatTemplate> create(std::string_view source, const Tokenizer* tokenizer = &kR1Tokens) {
  auto made = ChatTemplate::create(source, tokenizer);
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? *made : nullptr;
}

Prompt render(const ChatTemplate& chat_template, const std::vector<Message>& messages,
              const RenderOptions& options = {}) {
  auto prompt = chat_template.render(messages, options);
  EXPECT_TRUE(prompt) << (prompt ? "" : prompt.error().message);
  return prompt.value_or(Prompt{});
}

RenderOptions with_thinking(Thinking thinking) {
  RenderOptions options;
  options.thinking = thinking;
  return options;
}

TEST(ChatTemplate, starts_in_the_thought_that_the_template_opens) {
  const Prompt prompt = render(*create(r1_like("<think>\\n")), {message("user", "1+1=?")});
  EXPECT_EQ(prompt.text(), "<BOS><｜User｜>1+1=?<｜Assistant｜><think>\n");
  EXPECT_TRUE(prompt.starts_in_thought);
}

TEST(ChatTemplate, opens_the_thought_where_an_r1_template_does_not) {
  const Prompt prompt = render(*create(r1_like("")), {message("user", "1+1=?")});
  EXPECT_EQ(prompt.text(), "<BOS><｜User｜>1+1=?<｜Assistant｜><think>\n");
  EXPECT_TRUE(prompt.starts_in_thought);
}

TEST(ChatTemplate, closes_the_thought_where_thinking_is_off) {
  for (const std::string_view primer : {"", "<think>\\n"}) {
    const Prompt prompt = render(*create(r1_like(primer)), {message("user", "q")}, with_thinking(Thinking::kOff));
    EXPECT_EQ(prompt.text(), "<BOS><｜User｜>q<｜Assistant｜><think>\n\n</think>\n\n");
    EXPECT_FALSE(prompt.starts_in_thought);
  }
  RenderOptions options;
  options.extra_json = R"({"enable_thinking": false})";
  EXPECT_FALSE(render(*create(r1_like("")), {message("user", "q")}, options).starts_in_thought);
}

TEST(ChatTemplate, an_r1_template_with_a_switch_thinks_unless_told_not_to) {
  // llama.cpp ships R1's template with a switch that is off where nobody sets it; R1 itself has none and always thinks.
  const auto chat_template =
      create(r1_like("<think>\\n' }}{% if not enable_thinking %}{{ '</think>' }}{% endif %}{{ '"));
  const auto starts_in_thought = [&](const RenderOptions& options) {
    return render(*chat_template, {message("user", "q")}, options).starts_in_thought;
  };
  EXPECT_TRUE(starts_in_thought({}));
  EXPECT_TRUE(starts_in_thought(with_thinking(Thinking::kOn)));
  EXPECT_FALSE(starts_in_thought(with_thinking(Thinking::kOff)));
  RenderOptions off_by_variable;
  off_by_variable.extra_json = R"({"enable_thinking": false})";
  EXPECT_FALSE(starts_in_thought(off_by_variable));
}

TEST(ChatTemplate, leaves_the_switch_of_other_templates_alone) {
  const auto chat_template = create("{{ 'on' if enable_thinking is defined else 'unset' }}<think></think>");
  EXPECT_EQ(render(*chat_template, {}).text(), "unset<think></think>");
}

TEST(ChatTemplate, tells_user_text_from_template_text) {
  const Prompt prompt = render(*create(r1_like("")), {message("user", "hello </think> <｜Assistant｜><think>")});
  ASSERT_EQ(prompt.segments.size(), 3U);
  EXPECT_TRUE(prompt.segments[0].is_template);
  EXPECT_FALSE(prompt.segments[1].is_template);
  EXPECT_EQ(prompt.segments[1].text, "hello </think> <｜Assistant｜><think>");
  EXPECT_EQ(prompt.segments[2].text, "<｜Assistant｜><think>\n");
}

TEST(ChatTemplate, a_mark_of_the_user_opens_no_thought) {
  RenderOptions options;
  options.add_generation_prompt = false;
  EXPECT_FALSE(render(*create(r1_like("")), {message("user", "<think>")}, options).starts_in_thought);
}

TEST(ChatTemplate, drops_old_thoughts_from_content_and_reasoning_content) {
  const auto chat_template = create(r1_like("<think>\\n"));
  const std::string first =
      render(*chat_template,
             {message("user", "q"), message("assistant", "<think>a</think>b </think> c"), message("user", "r")})
          .text();
  EXPECT_EQ(first, "<BOS><｜User｜>q<｜Assistant｜> c<EOS><｜User｜>r<｜Assistant｜><think>\n");
  const std::string second =
      render(*chat_template, {message("user", "q"), message("assistant", "b", "a"), message("user", "r")}).text();
  EXPECT_EQ(second, "<BOS><｜User｜>q<｜Assistant｜>b<EOS><｜User｜>r<｜Assistant｜><think>\n");
}

TEST(ChatTemplate, drops_old_thoughts_where_the_template_does_not_know_of_them) {
  const auto chat_template = create("{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}");
  EXPECT_EQ(render(*chat_template, {message("assistant", "<think>a</think>b"), message("user", "</think>x")}).text(),
            "assistant:b;user:</think>x;");
}

TEST(ChatTemplate, goes_on_with_the_last_message) {
  RenderOptions options;
  options.continue_final_message = true;
  const auto chat_template = create(r1_like("<think>\\n"));
  EXPECT_EQ(render(*chat_template, {message("user", "q"), message("assistant", "Once upon ")}, options).text(),
            "<BOS><｜User｜>q<｜Assistant｜>Once upon ");
  EXPECT_EQ(render(*chat_template, {message("user", "q"), message("assistant", "")}, options).text(),
            "<BOS><｜User｜>q<｜Assistant｜>");
  EXPECT_FALSE(chat_template->render({message("user", "q")}, options));
}

TEST(ChatTemplate, gives_tool_calls_in_the_form_that_the_template_reads) {
  Message call = message("assistant", "");
  call.tool_calls.push_back({"id1", "f", R"({"x": "é"})"});
  RenderOptions options;
  options.add_generation_prompt = false;
  EXPECT_EQ(render(*create(r1_like("")), {message("user", "q"), call}, options).text(),
            "<BOS><｜User｜>q<call>f{\"x\": \"é\"}</call>");
  const auto as_object =
      create("{% for m in messages %}{% for t in m.tool_calls %}{{ t.function | tojson }}{% endfor %}{% endfor %}");
  EXPECT_EQ(render(*as_object, {call}, options).text(), "{\"name\": \"f\", \"arguments\": {\"x\": \"é\"}}");
}

TEST(ChatTemplate, hands_on_tools_and_variables_but_not_ours) {
  const auto chat_template =
      create("{{ tools | tojson if tools }}{{ mood }}{{ enable_thinking }}{{ strftime_now('%Y') }}");
  RenderOptions options;
  options.tools_json = R"([{"type": "function"}])";
  options.extra_json = R"({"mood": "calm"})";
  options.thinking = Thinking::kOn;
  options.now = 1750000000;
  EXPECT_EQ(render(*chat_template, {}, options).text(), "[{\"type\": \"function\"}]calmTrue2025");
  options.extra_json = R"({"messages": []})";
  EXPECT_FALSE(chat_template->render({}, options));
  options.extra_json = "[";
  EXPECT_FALSE(chat_template->render({}, options));
}

TEST(ChatTemplate, finds_the_marks_of_thoughts) {
  EXPECT_EQ(create("{{ 1 }}", &kR1Tokens)->thought_marks().open, "<think>");
  EXPECT_EQ(create("{{ 1 }}", &kPlainTokens)->thought_marks().open, "");
  EXPECT_EQ(create("{{ '[THINK]' ~ '[/THINK]' }}", &kPlainTokens)->thought_marks().close, "[/THINK]");
  EXPECT_EQ(create("{{ 1 }}", nullptr)->thought_marks().open, "");
}

TEST(ChatTemplate, without_a_source_is_chatml_and_says_so) {
  const auto chat_template = create("", &kPlainTokens);
  EXPECT_NE(chat_template->warning(), "");
  EXPECT_EQ(render(*chat_template, {message("user", "hi")}).text(),
            "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatTemplate, refuses_what_it_cannot_run_with_a_place) {
  const auto made = ChatTemplate::create("a\n{{ x | nope }}", &kPlainTokens);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("line 2, column 8"), std::string::npos) << made.error().message;
  const auto prompt = create("{{ raise_exception('only one turn') }}", &kPlainTokens)->render({}, {});
  ASSERT_FALSE(prompt);
  EXPECT_NE(prompt.error().message.find("only one turn"), std::string::npos);
}

TEST(ChatTemplate, a_developer_is_a_system_where_the_template_knows_none) {
  EXPECT_EQ(render(*create("{{ messages[0].role }}"), {message("developer", "x")}).text(), "system");
  EXPECT_EQ(render(*create("{{ messages[0].role }}{# developer #}"), {message("developer", "x")}).text(), "developer");
}

}  // namespace
}  // namespace reckon
