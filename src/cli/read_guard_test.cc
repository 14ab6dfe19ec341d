#include "cli/read_guard.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/mapped_file.h"

namespace reckon::cli {
namespace {

// In a process of its own: maps a file, cuts it to nothing, and reads it.
void read_a_file_that_was_cut(const std::filesystem::path& path) {
  install_read_guard();
  std::ofstream(path) << std::string(1 << 16, 'x');
  const auto file = MappedFile::open(path);
  if (!file) return;
  std::filesystem::resize_file(path, 0);
  const volatile std::byte* bytes = file->bytes().data();
  [[maybe_unused]] const std::byte value = bytes[20000];
}

TEST(ReadGuardDeathTest, AFileThatIsCutWhileMappedIsNamed) {
  const auto path = std::filesystem::path(testing::TempDir()) / "reckon_read_guard_模型.gguf";
  EXPECT_EXIT(read_a_file_that_was_cut(path), testing::ExitedWithCode(3),
              "reckon: error: .*reckon_read_guard_模型.gguf: cannot be read any more.*start again");
  std::filesystem::remove(path);
}

TEST(ReadGuardDeathTest, AnotherBusErrorKeepsItsDefaultAction) {
  EXPECT_EXIT(
      {
        install_read_guard();
        raise(SIGBUS);
      },
      testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace reckon::cli
