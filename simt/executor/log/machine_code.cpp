#include "simt/executor/log/machine_code.h"

#ifdef SIMT_READS_MACHINE_CODE
#include <Zydis/Zydis.h>
#include <array>
#include <cstring>
#include <link.h>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "simt/executor/executor.h"
#include "simt/executor/log/block_hook.h"

namespace simt {

// Of the runtime, which device code calls and does not come back from.
[[noreturn]] void trap(Location where);
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   const char* function);

namespace {

template <typename Function>
std::uintptr_t address_of(Function* function) {
  return reinterpret_cast<std::uintptr_t>(function);
}

// The code of a program or a library: nothing else is read.
struct Segment {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool contains(std::uintptr_t address) const { return begin <= address && address < end; }
};

Segment segment_of(std::uintptr_t address) {
  struct Search {
    std::uintptr_t address;
    Segment found;
  } search{address, {}};
  const auto look = [](dl_phdr_info* object, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto& header = object->dlpi_phdr[i];
      const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
      const Segment segment{begin, begin + header.p_memsz};
      const bool is_code = header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0;
      if (is_code && segment.contains(wanted.address)) wanted.found = segment;
    }
    return 0;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

struct Instruction {
  std::uintptr_t at;
  ZydisDecodedInstruction decoded;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;

  std::uintptr_t next() const { return at + decoded.length; }
  bool is(ZydisMnemonic mnemonic) const { return decoded.mnemonic == mnemonic; }
};

std::optional<Instruction> instruction_at(std::uintptr_t address) {
  static const ZydisDecoder decoder = [] {
    ZydisDecoder made;
    ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return made;
  }();
  Instruction read;
  read.at = address;
  const ZyanStatus status =
      ZydisDecoderDecodeFull(&decoder, reinterpret_cast<const void*>(address),
                             ZYDIS_MAX_INSTRUCTION_LENGTH, &read.decoded, read.operands.data());
  if (!ZYAN_SUCCESS(status)) return std::nullopt;
  return read;
}

// Where a jump or a call leads, 0 if only a register tells.
std::uintptr_t target_of(const Instruction& instruction) {
  const ZydisDecodedOperand& operand = instruction.operands[0];
  ZyanU64 address = 0;
  if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER ||
      !ZYAN_SUCCESS(
          ZydisCalcAbsoluteAddress(&instruction.decoded, &operand, instruction.at, &address)))
    return 0;
  if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) return address;
  if (operand.mem.base != ZYDIS_REGISTER_RIP) return 0;
  std::uintptr_t target;
  std::memcpy(&target, reinterpret_cast<const void*>(address), sizeof(target));
  return target;
}

// Device code keeps frame pointers.
bool begins_a_function(const Instruction& instruction) {
  return instruction.is(ZYDIS_MNEMONIC_PUSH) &&
         instruction.operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
         instruction.operands[0].reg.value == ZYDIS_REGISTER_RBP;
}

bool is_loop_mark(const Instruction& instruction) {
  return instruction.is(ZYDIS_MNEMONIC_NOP) && instruction.decoded.operand_count > 0 &&
         instruction.operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
         instruction.operands[0].mem.disp.value == kLoopMark;
}

// That begin at one place, one within the other.
constexpr unsigned kMostLoops = 16;

class Reader {
 public:
  explicit Reader(std::uintptr_t first_block)
      : first_block_(first_block), segment_(segment_of(first_block)) {}

  CodeFlow read() {
    add(first_block_);
    while (!open_.empty()) {
      const auto [block, address] = open_.back();
      open_.pop_back();
      read_block(block, address);
    }
    return std::move(flow_);
  }

 private:
  BlockNumber add(std::uintptr_t address) {
    const std::size_t before = flow_.blocks();
    const BlockNumber block = flow_.add_block(basic_block_event(address));
    if (flow_.blocks() > before) open_.emplace_back(block, address);
    return block;
  }

  // A way through the code of a block: where it has come to, and how many loops begin on it.
  struct Way {
    std::uintptr_t at;
    unsigned loops;
    bool operator<(const Way& other) const {
      return std::tie(at, loops) < std::tie(other.at, other.loops);
    }
  };

  // All ways from here to the next blocks.
  void read_block(BlockNumber block, std::uintptr_t address) {
    std::set<Way> seen;
    std::vector<Way> ways = {{address, 0}};
    while (!ways.empty()) {
      Way way = ways.back();
      ways.pop_back();
      while (way.at != 0 && way.loops <= kMostLoops && seen.insert(way).second)
        way.at = read_instruction(block, way, ways);
    }
  }

  // Returns the address of the next one on this way, 0 at its end.
  std::uintptr_t read_instruction(BlockNumber block, Way& way, std::vector<Way>& ways) {
    const std::optional<Instruction> instruction = read_at(way.at);
    if (!instruction) return 0;
    switch (instruction->decoded.meta.category) {
      case ZYDIS_CATEGORY_CALL:
        return behind_call(block, *instruction, way.loops);
      case ZYDIS_CATEGORY_RET:
        flow_.add_return(block);
        return 0;
      case ZYDIS_CATEGORY_UNCOND_BR:
        return go_to(block, target_of(*instruction));
      case ZYDIS_CATEGORY_COND_BR:
        ways.push_back({instruction->next(), way.loops});
        return target_of(*instruction);
      default:
        break;
    }
    if (begins_a_function(*instruction)) {  // which this one goes on as
      flow_.add_return(block);
      return 0;
    }
    way.loops += is_loop_mark(*instruction);
    const bool ends = instruction->is(ZYDIS_MNEMONIC_UD2) || instruction->is(ZYDIS_MNEMONIC_HLT);
    return ends ? 0 : instruction->next();
  }

  std::optional<Instruction> read_at(std::uintptr_t address) const {
    if (!segment_.contains(address)) return std::nullopt;
    return instruction_at(address);
  }

  // A jump to another function is a call behind which this one returns.
  std::uintptr_t go_to(BlockNumber block, std::uintptr_t target) {
    if (target != 0 && segment_.contains(target) && !traces_a_block(target)) return target;
    flow_.add_return(block);
    return 0;
  }

  std::uintptr_t behind_call(BlockNumber block, const Instruction& call, unsigned loops) {
    const std::uintptr_t target = target_of(call);
    if (target == address_of(&exit_thread)) {
      flow_.add_return(block);
      return 0;
    }
    if (!traces_a_block(target)) {
      flow_.add_effect(block, access_event(call.next()));
      return returns(target, 0) ? call.next() : 0;
    }
    flow_.add_way(block, add(call.next()), loops);
    return 0;
  }

  // Whether a function may return to whoever calls it: not if it does nothing but to end the
  // launch, as what compilers make of the rest of a function behind a failed assertion.
  bool returns(std::uintptr_t function, int depth) {
    if (function == address_of(&trap) || function == address_of(&assertion_failed)) return false;
    constexpr int kDeepest = 4;
    if (depth == kDeepest || !segment_.contains(function)) return true;
    const auto [known, is_new] = returns_.try_emplace(function, true);
    if (is_new) {
      const bool may = reaches_return(function, depth);
      returns_[function] = may;
      return may;
    }
    return known->second;
  }

  bool reaches_return(std::uintptr_t function, int depth) {
    constexpr std::size_t kMost = 1000;  // instructions to look at
    std::set<std::uintptr_t> seen;
    std::vector<std::uintptr_t> ways = {function};
    while (!ways.empty()) {
      std::uintptr_t at = ways.back();
      ways.pop_back();
      while (at != 0 && seen.insert(at).second) {
        const std::optional<Instruction> instruction = read_at(at);
        if (!instruction || seen.size() > kMost) return true;
        at = instruction->next();
        switch (instruction->decoded.meta.category) {
          case ZYDIS_CATEGORY_RET:
            return true;
          case ZYDIS_CATEGORY_CALL:
            if (!returns(target_of(*instruction), depth + 1)) at = 0;
            break;
          case ZYDIS_CATEGORY_COND_BR:
            ways.push_back(target_of(*instruction));
            break;
          case ZYDIS_CATEGORY_UNCOND_BR:
            at = target_of(*instruction);
            if (at == 0) return true;
            break;
          default:
            if (instruction->is(ZYDIS_MNEMONIC_UD2)) at = 0;
        }
      }
    }
    return false;
  }

  // Directly, or by a stub that jumps there.
  bool traces_a_block(std::uintptr_t target) const {
    for (int jumps = 0; target != 0 && target != block_hook() && jumps < 2; ++jumps) {
      std::optional<Instruction> instruction = read_at(target);
      if (instruction && instruction->is(ZYDIS_MNEMONIC_ENDBR64))
        instruction = read_at(instruction->next());
      if (!instruction || !instruction->is(ZYDIS_MNEMONIC_JMP)) return false;
      target = target_of(*instruction);
    }
    return target == block_hook();
  }

  const std::uintptr_t first_block_;
  const Segment segment_;
  CodeFlow flow_;
  std::map<std::uintptr_t, bool> returns_;  // by function
  std::vector<std::pair<BlockNumber, std::uintptr_t>> open_;
};

}  // namespace

const bool reads_machine_code = true;

CodeFlow read_code(std::uintptr_t first_block) {
  CodeFlow flow = Reader(first_block).read();
  flow.find_meetings();
  return flow;
}

std::uint64_t objects_unloaded() {
  std::uint64_t unloaded = 0;
  const auto look = [](dl_phdr_info* any_object, std::size_t, void* data) {
    *static_cast<std::uint64_t*>(data) = any_object->dlpi_subs;
    return 1;
  };
  dl_iterate_phdr(look, &unloaded);
  return unloaded;
}

}  // namespace simt

#else

namespace simt {

const bool reads_machine_code = false;

CodeFlow read_code(std::uintptr_t) {
  return {};
}

std::uint64_t objects_unloaded() {
  return 0;
}

}  // namespace simt

#endif
