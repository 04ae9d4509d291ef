#include "simt/executor/log/machine_code.h"

#ifdef SIMT_READS_MACHINE_CODE
#include <Zydis/Zydis.h>
#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "simt/executor/executor.h"
#include "simt/executor/log/block_hook.h"

namespace simt {
namespace {

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
  CodeFlow read(std::uintptr_t first_block) {
    add(first_block);
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
    const std::optional<Instruction> instruction = instruction_at(way.at);
    if (!instruction) return 0;
    switch (instruction->decoded.meta.category) {
      case ZYDIS_CATEGORY_CALL:
        return behind_call(block, *instruction, way.loops);
      case ZYDIS_CATEGORY_RET:
        flow_.add_return(block);
        return 0;
      case ZYDIS_CATEGORY_UNCOND_BR:
        return target_of(*instruction);
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

  std::uintptr_t behind_call(BlockNumber block, const Instruction& call, unsigned loops) {
    if (!traces_a_block(target_of(call))) {
      flow_.add_effect(block, access_event(call.next()));
      return call.next();
    }
    flow_.add_way(block, add(call.next()), loops);
    return 0;
  }

  // Directly, or by a stub that jumps there.
  static bool traces_a_block(std::uintptr_t target) {
    for (int jumps = 0; target != 0 && target != block_hook() && jumps < 2; ++jumps) {
      std::optional<Instruction> instruction = instruction_at(target);
      if (instruction && instruction->is(ZYDIS_MNEMONIC_ENDBR64))
        instruction = instruction_at(instruction->next());
      if (!instruction || !instruction->is(ZYDIS_MNEMONIC_JMP)) return false;
      target = target_of(*instruction);
    }
    return target == block_hook();
  }

  CodeFlow flow_;
  std::vector<std::pair<BlockNumber, std::uintptr_t>> open_;
};

}  // namespace

const bool reads_machine_code = true;

CodeFlow read_code(std::uintptr_t first_block) {
  CodeFlow flow = Reader().read(first_block);
  flow.find_meetings();
  return flow;
}

}  // namespace simt

#else

namespace simt {

const bool reads_machine_code = false;

CodeFlow read_code(std::uintptr_t) {
  return {};
}

}  // namespace simt

#endif
