#include "server/web_assets.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace reckon::server {
namespace {

TEST(WebAssets, ThereIsAlwaysAPageAtTheRoot) {
  const WebAsset* page = find_web_asset("/");
  ASSERT_NE(page, nullptr);
  EXPECT_FALSE(page->bytes.empty());
  EXPECT_FALSE(page->immutable);
  EXPECT_EQ(find_web_asset("/../etc/passwd"), nullptr);
  EXPECT_EQ(find_web_asset(""), nullptr);
}

TEST(WebAssets, EveryFileHasATypeATagAndAPathOfItsOwn) {
  std::set<std::string_view> paths;
  for (const WebAsset& asset : web_assets()) {
    EXPECT_TRUE(paths.insert(asset.path).second) << asset.path;
    EXPECT_TRUE(asset.path.starts_with("/")) << asset.path;
    EXPECT_FALSE(asset.content_type.empty()) << asset.path;
    EXPECT_TRUE(asset.etag.starts_with('"') && asset.etag.ends_with('"')) << asset.path;
    EXPECT_LT(asset.gzip.size(), asset.bytes.size()) << asset.path;
    EXPECT_TRUE(asset.gzip.empty() || asset.gzip.starts_with("\x1f\x8b")) << asset.path;
  }
}

TEST(WebAssets, ThePageNamesOnlyFilesThatAreThere) {
  const std::string_view html = find_web_asset("/")->bytes;
  for (auto at = html.find("\"./"); at != std::string_view::npos; at = html.find("\"./", at + 1)) {
    const std::string path(html.substr(at + 2, html.find('"', at + 1) - at - 2));
    EXPECT_NE(find_web_asset(path), nullptr) << path;
  }
  EXPECT_EQ(html.find("<style"), std::string_view::npos);
}

TEST(WebAssets, ThePolicyAllowsNothingInlineAndNothingFromElsewhere) {
  const std::string_view policy = web_content_security_policy();
  EXPECT_TRUE(policy.starts_with("default-src 'none'"));
  EXPECT_EQ(policy.find("unsafe"), std::string_view::npos);
  EXPECT_EQ(policy.find("http"), std::string_view::npos);
}

TEST(WebAssets, GzipIsSentToThoseWhoTakeIt) {
  EXPECT_TRUE(accepts_gzip("gzip"));
  EXPECT_TRUE(accepts_gzip("br, GZIP ;q=0.8"));
  EXPECT_TRUE(accepts_gzip("*"));
  EXPECT_FALSE(accepts_gzip(""));
  EXPECT_FALSE(accepts_gzip("br"));
  EXPECT_FALSE(accepts_gzip("gzip;q=0"));
  EXPECT_FALSE(accepts_gzip("*, gzip; q=0.0"));
}

}  // namespace
}  // namespace reckon::server
