#include "http/reply.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace reckon::http {
namespace {

class ReplyTest : public testing::Test {
 protected:
  std::shared_ptr<Reply> make(bool sends_body = true) {
    return std::make_shared<Reply>(Request{}, 10, sends_body, [this] { ++n_wakes_; });
  }
  int n_wakes_ = 0;
};

TEST_F(ReplyTest, WakesOnceForManyWrites) {
  const auto reply = make();
  reply->begin_stream(200, "", {});
  EXPECT_EQ(n_wakes_, 0) << "nobody waited";
  EXPECT_FALSE(reply->arm()) << "there is a head to take";
  EXPECT_TRUE(reply->take().head);
  EXPECT_TRUE(reply->arm());
  reply->write("a");
  reply->write("b");
  EXPECT_EQ(n_wakes_, 1);
  EXPECT_EQ(reply->take().bytes, "ab");
}

TEST_F(ReplyTest, CountsWhatIsUnderWayAsBacklog) {
  const auto reply = make();
  reply->begin_stream(200, "", {});
  EXPECT_TRUE(reply->write("a long first one"));
  EXPECT_EQ(reply->take().bytes, "a long first one");
  EXPECT_FALSE(reply->is_overrun());
  EXPECT_FALSE(reply->write("b")) << "the first is not sent yet";
  EXPECT_TRUE(reply->is_overrun());
  EXPECT_EQ(n_wakes_, 1) << "the connection has to know although it waits for nothing";
}

TEST_F(ReplyTest, TakesTheFirstAnswerOnly) {
  const auto reply = make();
  reply->respond({201, "", {}, ""});
  reply->respond({202, "", {}, ""});
  reply->begin_stream(203, "", {});
  EXPECT_FALSE(reply->write("x"));
  const Reply::Output output = reply->take();
  EXPECT_EQ(output.head->status, 201);
  EXPECT_TRUE(output.is_complete);
  EXPECT_FALSE(reply->leave()) << "the answer is complete";
}

TEST_F(ReplyTest, TellsOnceThatTheClientLeft) {
  const auto reply = make();
  int n_gone = 0;
  reply->on_gone([&] { ++n_gone; });
  EXPECT_TRUE(reply->leave());
  EXPECT_FALSE(reply->leave());
  EXPECT_EQ(n_gone, 1);
  reply->on_gone([&] { ++n_gone; });
  EXPECT_EQ(n_gone, 2) << "who asks late is told at once";
  reply->respond({});
  EXPECT_FALSE(reply->take().head);
}

TEST_F(ReplyTest, LetsACallbackHoldTheExchange) {
  const auto reply = make();
  std::weak_ptr<Exchange> watch;
  {
    const auto exchange = make_exchange(reply);
    watch = exchange;
    exchange->on_gone([exchange] {});
  }
  EXPECT_FALSE(watch.expired());
  reply->respond({});  // lets go of the last exchange, which comes back
  EXPECT_TRUE(watch.expired());
}

TEST_F(ReplyTest, AnswersForAnExchangeThatIsDropped) {
  const auto reply = make();
  make_exchange(reply).reset();
  EXPECT_EQ(reply->take().head->status, 500);
}

TEST_F(ReplyTest, SendsNoBodyToHead) {
  const auto reply = make(false);
  reply->begin_stream(200, "", {});
  EXPECT_FALSE(reply->write("x"));
  EXPECT_TRUE(reply->take().is_complete);
}

}  // namespace
}  // namespace reckon::http
