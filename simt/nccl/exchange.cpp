#include "simt/nccl/exchange.h"

#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "simt/executor/executor.h"
#include "simt/nccl/reduction.h"

namespace simt::nccl {
namespace {

Message message_of(const Terms& terms, std::span<const std::byte> data) {
  std::vector<std::byte> bytes(sizeof terms + data.size());
  std::memcpy(bytes.data(), &terms, sizeof terms);
  if (!data.empty()) std::memcpy(bytes.data() + sizeof terms, data.data(), data.size());
  return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

Terms terms_of(const Message& message) {
  Terms terms;
  std::memcpy(&terms, message->data(), sizeof terms);
  return terms;
}

std::span<const std::byte> data_of(const Message& message) {
  return std::span(*message).subspan(sizeof(Terms));
}

}  // namespace

void check_buffer(const ncclComm& comm, const char* argument, const void* address,
                  std::size_t bytes) {
  if (bytes == 0) return;
  if (address == nullptr) {
    throw Failure{ncclInvalidArgument, std::string(argument) + " is null"};
  }
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, address);
  if (attributes.type == cudaMemoryTypeUnregistered) {
    throw Failure{ncclInvalidArgument,
                  std::string(argument) + " is memory of the host, which no device reaches"};
  }
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != comm.device) {
    throw Failure{ncclInvalidArgument, std::string(argument) + " is memory of device " +
                                           std::to_string(attributes.device) +
                                           ", and the communicator is of device " +
                                           std::to_string(comm.device)};
  }
}

// ---- what is sent ----

void Exchange::begin() {
  const Sizes sizes = sizes_of(operation_, comm_->rank, comm_->room->ranks());
  own_.resize(sizes.send);
  if (copy(own_.data(), operation_.send, sizes.send, name_of(operation_.terms.call)) != 0) {
    throw Failure{ncclInvalidArgument, "sendbuff has fewer than the " + std::to_string(sizes.send) +
                                           " bytes that are read"};
  }
  if (operation_.terms.call == Call::kSend) {
    comm_->room->send(comm_->rank, operation_.peer, Channel::kDirect,
                      message_of(operation_.terms, own_));
  } else if (operation_.terms.call != Call::kRecv) {
    send_to_all();
  }
}

void Exchange::send_to_all() const {
  // What is the same for all is made once.
  const Call call = operation_.terms.call;
  const bool differs = call == Call::kReduce || call == Call::kReduceScatter;
  Message same;
  for (int rank = 0; rank < comm_->room->ranks(); ++rank) {
    if (rank == comm_->rank) continue;
    if (same == nullptr || differs) same = message_to(rank);
    comm_->room->send(comm_->rank, rank, Channel::kCollective, same);
  }
}

// What a rank needs of this one.
Message Exchange::message_to(int rank) const {
  const std::span<const std::byte> all(own_);
  const std::size_t part = all.size() / static_cast<std::size_t>(comm_->room->ranks());
  switch (operation_.terms.call) {
    case Call::kReduce:
      return message_of(operation_.terms, rank == operation_.terms.root ? all : all.first(0));
    case Call::kReduceScatter:
      return message_of(operation_.terms, all.subspan(static_cast<std::size_t>(rank) * part, part));
    default:
      return message_of(operation_.terms, all);
  }
}

// ---- what is received ----

Message Exchange::receive_from(int rank) const {
  const bool is_direct = operation_.terms.call == Call::kRecv;
  Message message =
      comm_->room->receive(rank, comm_->rank, is_direct ? Channel::kDirect : Channel::kCollective,
                           is_direct ? "ncclSend to it" : describe(operation_.terms));
  Terms expected = operation_.terms;
  if (is_direct) expected.call = Call::kSend;
  const Terms theirs = terms_of(message);
  if (theirs == expected) return message;
  throw Failure{ncclInvalidUsage, "rank " + std::to_string(rank) + " calls " + describe(theirs) +
                                      ", where this one calls " + describe(operation_.terms)};
}

void Exchange::end() {
  const Call call = operation_.terms.call;
  if (call == Call::kSend) return;
  Bytes result;
  if (call == Call::kRecv) {
    const Message message = receive_from(operation_.peer);
    const std::span<const std::byte> data = data_of(message);
    result.assign(data.begin(), data.end());
  } else {
    result = result_of_collective();
  }
  if (copy(operation_.receive, result.data(), result.size(), name_of(call)) != 0) {
    throw Failure{
        ncclInvalidArgument,
        "recvbuff has fewer than the " + std::to_string(result.size()) + " bytes that are written"};
  }
}

Exchange::Bytes Exchange::result_of_collective() const {
  std::vector<Message> messages;
  messages.reserve(static_cast<std::size_t>(comm_->room->ranks()));
  for (int rank = 0; rank < comm_->room->ranks(); ++rank)
    messages.push_back(rank == comm_->rank ? message_to(rank) : receive_from(rank));
  return from_all(messages);
}

Exchange::Bytes Exchange::from_all(const std::vector<Message>& messages) const {
  std::vector<std::span<const std::byte>> of_ranks;
  of_ranks.reserve(messages.size());
  for (const Message& message : messages)
    of_ranks.push_back(data_of(message));
  const Terms& terms = operation_.terms;
  switch (terms.call) {
    case Call::kReduce:
      if (terms.root != comm_->rank) return {};
      [[fallthrough]];
    case Call::kAllReduce:
    case Call::kReduceScatter:
      return reduce(of_ranks, terms.type, terms.op);
    case Call::kBroadcast: {
      const auto& data = of_ranks[static_cast<std::size_t>(terms.root)];
      return {data.begin(), data.end()};
    }
    default: {
      Bytes all;
      for (const auto& data : of_ranks)
        all.insert(all.end(), data.begin(), data.end());
      return all;
    }
  }
}

}  // namespace simt::nccl
