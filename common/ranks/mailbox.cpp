#include "common/ranks/mailbox.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "common/cuda/stream.h"
#include "common/ranks/meeting.h"

namespace worklog {

namespace {

// Where a rank's mailbox is.
struct Place {
  int device;
  unsigned long long* address;
};

void reach(const Place& theirs, int own_device) {
  if (theirs.device == own_device) return;
  const cudaError_t code = cudaDeviceEnablePeerAccess(theirs.device, 0);
  if (code == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();  // as good: leave nothing for the next check
    return;
  }
  check(code, "device " + std::to_string(own_device) + " reaching the memory of device " +
                  std::to_string(theirs.device));
}

}  // namespace

Mailbox::Mailbox(Group& group, std::int64_t words, long long patience,
                 std::chrono::milliseconds limit)
    : own_(words * Mailboxes::kParts),
      missing_(std::vector<int>{-1, 0}),
      words_(words),
      patience_(patience) {
  check(cudaGetDevice(&device_), "cudaGetDevice");
  const Place mine = {device_, own_.data()};
  check(cudaMemset(own_.data(), 0xff, own_.bytes()), "emptying a mailbox");
  check(cudaDeviceSynchronize(), "emptying a mailbox");

  const std::string text(reinterpret_cast<const char*>(&mine), sizeof mine);
  const std::vector<std::string> places = meet(group, kMailboxes, text, limit, sizeof mine);
  std::vector<unsigned long long*> addresses;
  for (const std::string& said : places) {
    Place place{};
    std::memcpy(&place, said.data(), sizeof place);
    reach(place, mine.device);
    addresses.push_back(place.address);
  }
  of_ranks_ = DeviceBuffer<unsigned long long*>(addresses);
}

Mailboxes Mailbox::next() {
  check_nobody_missing();
  return {of_ranks_.data(), words_, launches_++, missing_.data(), patience_};
}

std::int64_t Mailbox::words_there() const {
  const std::vector<unsigned long long> words = own_.download();
  return std::ssize(words) - std::count(words.begin(), words.end(), Mailboxes::kEmpty);
}

void Mailbox::check_all_came() {
  known_missing_ = missing_.download().front();
  check_nobody_missing();
}

void Mailbox::check_nobody_missing() const {
  if (known_missing_ < 0) return;
  throw RankError("rank " + std::to_string(known_missing_) +
                  " left no word in the kernel's mailbox");
}

void Mailbox::give_up() {
  check(cudaSetDevice(device_), "choosing a device");
  const Stream stream;
  const int yes = 1;
  check(
      cudaMemcpyAsync(missing_.data() + 1, &yes, sizeof yes, cudaMemcpyHostToDevice, stream.get()),
      "ending a wait");
  check(cudaStreamSynchronize(stream.get()), "ending a wait");
}

void Mailbox::leave_allocated() {
  static std::mutex mutex;
  static auto* const left = new std::vector<DeviceBuffer<unsigned long long>>;
  const std::lock_guard lock(mutex);
  left->push_back(std::move(own_));
}

}  // namespace worklog
