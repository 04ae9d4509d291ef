#include "simt/nccl/unique_id.h"

#include <cstring>
#include <random>
#include <string>

#include "simt/nccl/processes.h"

namespace simt::nccl {
namespace {

constexpr std::uint64_t kMagic = 0x74'6d'69'73'6c'63'63'6eull;  // "ncclsimt"

/// What an id holds.
struct Content {
  std::uint64_t magic = 0;
  RoomName name = {};
};
static_assert(sizeof(Content) <= NCCL_UNIQUE_ID_BYTES);

std::uint64_t this_process() {
  static const std::uint64_t number = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
  }();
  return number;
}

// Never destroyed: static objects of the program may end communicators at the very end.
struct Rooms {
  std::mutex mutex;
  std::uint64_t ids = 0;
  std::map<RoomName, std::weak_ptr<Room>> by_name;
};
Rooms& rooms() {
  static Rooms& instance = *new Rooms;
  return instance;
}

}  // namespace

ncclUniqueId make_unique_id() {
  const std::lock_guard lock(rooms().mutex);
  const Content content{kMagic, {this_process(), ++rooms().ids, process_number().value_or(-1)}};
  ncclUniqueId id = {};
  std::memcpy(id.internal, &content, sizeof content);
  return id;
}

std::shared_ptr<Room> room_of(const ncclUniqueId& id, int ranks) {
  Content content;
  std::memcpy(&content, id.internal, sizeof content);
  if (content.magic != kMagic) {
    throw Failure{ncclInvalidArgument, "commId does not come from ncclGetUniqueId"};
  }
  const RoomName& name = content.name;
  const bool is_known_elsewhere = process_number() && name.host >= 0;
  if (name.process != this_process() && !is_known_elsewhere) {
    throw Failure{ncclInvalidUsage,
                  "commId was made by another process, which cannot be reached: MPI_Init must come "
                  "before ncclGetUniqueId and ncclCommInitRank, and simt be built with MPI"};
  }
  const std::lock_guard lock(rooms().mutex);
  std::erase_if(rooms().by_name, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<Room>& known = rooms().by_name[name];
  std::shared_ptr<Room> room = known.lock();
  if (room == nullptr) {
    known = room = std::make_shared<Room>(ranks);
    if (is_known_elsewhere) room->set_carrier(make_carrier(name, *room));
  }
  if (room->ranks() != ranks) {
    throw Failure{ncclInvalidArgument, "nranks is " + std::to_string(ranks) +
                                           ", and another rank has said " +
                                           std::to_string(room->ranks())};
  }
  return room;
}

}  // namespace simt::nccl
