#include <cstring>
#include <initializer_list>
#include <random>
#include <stdexcept>

#include "bench/transfer.h"
#include "common/cuda/device_buffer.h"
#include "common/cuda/stream.h"

namespace worklog::bench {

namespace {

constexpr std::int64_t kSizes[] = {
    1, 3, 4, 15, 16, 17, 400, 4095, 16384, 16388, 1024 * 1024, 1024 * 1024 + 30, 5000000};
constexpr std::byte kPoison{0xa5};

std::vector<std::byte> random_bytes(std::int64_t count) {
  std::mt19937 generator(static_cast<unsigned>(count));
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  for (std::byte& byte : bytes)
    byte = static_cast<std::byte>(generator() & 0xff);
  return bytes;
}

std::string described(const char* what, const std::string& name, std::int64_t bytes) {
  return std::string(what) + ", " + name + ", " + std::to_string(bytes) + " bytes: ";
}

// The target has poison behind the last byte that a copy may write.
void verify_copy(const Copy& copy, const std::vector<std::byte>& data, const Stream& stream) {
  const auto bytes = static_cast<std::int64_t>(data.size());
  const DeviceBuffer<std::byte> source(data);
  DeviceBuffer<std::byte> target(std::vector<std::byte>(data.size() + 64, kPoison));
  copy.launch(source.data(), target.data(), bytes, stream.get());
  stream.synchronize();

  std::vector<std::byte> expected = data;
  expected.resize(data.size() + 64, kPoison);
  const std::vector<std::byte> got = target.download();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (got[i] == expected[i]) continue;
    throw std::runtime_error(described("copy", copy.name, bytes) + "byte " + std::to_string(i) +
                             " is " + std::to_string(std::to_integer<int>(got[i])) + ", must be " +
                             std::to_string(std::to_integer<int>(expected[i])));
  }
}

void verify_read(const Read& read, const std::vector<std::byte>& data, const Stream& stream) {
  const auto bytes = static_cast<std::int64_t>(data.size());
  const DeviceBuffer<std::byte> source(data);
  DeviceBuffer<unsigned> sums(std::vector<unsigned>(static_cast<std::size_t>(sums_for(bytes))));
  read.launch(source.data(), bytes, sums.data(), stream.get());
  stream.synchronize();

  unsigned expected = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    expected ^= std::to_integer<unsigned>(data[i]) << (8 * (i % 4));
  }
  unsigned got = 0;
  for (const unsigned sum : sums.download())
    got ^= sum;
  if (got != expected) {
    throw std::runtime_error(described("read", read.name, bytes) + "the sum is " +
                             std::to_string(got) + ", must be " + std::to_string(expected));
  }
}

void verify_combine(const Combine& combine, const std::vector<std::byte>& data,
                    const Stream& stream) {
  const auto bytes = static_cast<std::int64_t>(data.size());
  std::vector<std::byte> reversed(data.rbegin(), data.rend());
  const DeviceBuffer<std::byte> a(data);
  const DeviceBuffer<std::byte> b(reversed);
  DeviceBuffer<std::byte> target(std::vector<std::byte>(data.size() + 64, kPoison));
  combine.launch(a.data(), b.data(), target.data(), bytes, stream.get());
  stream.synchronize();

  std::vector<std::byte> expected(data.size() + 64, kPoison);
  for (std::size_t i = 0; i < data.size(); ++i)
    expected[i] = data[i] ^ reversed[i];
  const std::vector<std::byte> got = target.download();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (got[i] == expected[i]) continue;
    throw std::runtime_error(described("combine", combine.name, bytes) + "byte " +
                             std::to_string(i) + " is " +
                             std::to_string(std::to_integer<int>(got[i])) + ", must be " +
                             std::to_string(std::to_integer<int>(expected[i])));
  }
}

}  // namespace

void verify_transfers(int sm_count) {
  const Stream stream;
  for (const std::int64_t size : kSizes) {
    const std::vector<std::byte> data = random_bytes(size);
    for (const Copy& copy : all_copies(sm_count))
      verify_copy(copy, data, stream);
    for (const Read& read : all_reads(sm_count))
      verify_read(read, data, stream);
    for (const Combine& combine : all_combines(sm_count))
      verify_combine(combine, data, stream);
  }
}

}  // namespace worklog::bench
