#pragma once
// Chooses the next token from a model's logits, in the order that reckon/sampling.h states.
// Owner: Engine, one for all sequences. Thread: engine thread. Memory: all made in the constructor.
//
// No sort of the vocabulary. Only tokens within `window` (20 by default) of the best, measured after temperature, are
// looked at: the others have a share below e^-20 = 2e-9 each. That is no approximation: wherever the others could
// change which tokens stay or which one is drawn, all are looked at.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reckon/sampling.h"
#include "sample/logit_blocks.h"
#include "sample/token_counts.h"

namespace reckon::sample {

// The order within sample(): mask, penalties, bias, forbidden tokens, then what chooses.
struct SampleInput {
  std::span<float> logits = {};              // [n_vocab], changed
  std::span<const std::uint64_t> mask = {};  // bit i % 64 of word i / 64: token i may come; empty: all may
  const SampleOptions* options = nullptr;    // checked: see check_request
  const TokenCounts* counts = nullptr;       // null: no penalties
  std::span<const TokenId> forbidden = {};   // never chosen, whatever the bias
  std::uint64_t position = 0;                // of the token to choose, in its sequence
};

class Sampler {
 public:
  explicit Sampler(std::size_t n_vocab, double window = 20);

  // Empty where no token is left: all are forbidden or NaN.
  std::optional<TokenId> sample(const SampleInput& input);

 private:
  struct Candidate {
    float logit;
    TokenId id;
  };
  // Sorts before: likelier, or equally likely with a lower id.
  static bool before(const Candidate& a, const Candidate& b) {
    return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
  }

  void gather(double window);
  void gather_from(float threshold);
  void gather_top_k(std::size_t top_k);
  bool keep_top_p(float top_p);
  void keep_min_p(float min_p);
  template <class Wanted>
  void keep(Wanted wanted);
  void weigh();
  [[nodiscard]] double tail_bound() const;
  TokenId draw(const SampleInput& input);
  TokenId draw_with_tail(const SampleInput& input);

  LogitBlocks blocks_;
  std::size_t n_vocab_;
  double window_;
  double temperature_ = 1;
  std::vector<Candidate> candidates_;  // in order of ids, capacity n_vocab
  std::vector<double> weights_;        // of the candidates: exp((logit - max) / temperature)
  double weight_sum_ = 0;
  double gathered_window_ = 0;    // infinite: every token is a candidate
  float threshold_ = 0;           // candidates have at least this logit
  std::vector<Candidate> order_;  // scratch
};

}  // namespace reckon::sample
