/// \file
/// What the stand-in CUDA headers ask of the CPU executor. No CUDA name appears here.
///
/// A launch runs every thread of the grid as a fiber. All threads of a block stay on one OS thread;
/// blocks are spread over the workers. Barriers, shuffles and votes are rendezvous points at which
/// fibers wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/executor/threads_in_turn.h"

namespace simt {

/// Numbers along the three dimensions of a grid or a block.
struct Dim3 {
  unsigned x = 1;  ///< the fastest
  unsigned y = 1;  ///< the second
  unsigned z = 1;  ///< the slowest
};

/// The shape of a launch. Shared memory is in bytes.
struct LaunchConfig {
  Dim3 grid;                             ///< blocks
  Dim3 block;                            ///< threads of a block
  std::size_t dynamic_shared_bytes = 0;  ///< a block
  Dim3 cluster;                          ///< blocks of a cluster; 1 x 1 x 1 for none
  /// The kernel's address, by which allow_dynamic_shared() knows it; null leaves that check out.
  const void* kernel = nullptr;
  /// All blocks are resident and may meet at grid_barrier(). Not together with clusters.
  bool cooperative = false;
  /// The stream's handle, for those who observe launches: they run at once, in whatever stream.
  const void* stream = nullptr;
  /// A device may start it before the kernel ahead of it in its stream has ended, for which its
  /// threads have to wait.
  bool starts_early = false;
  /// It stands for kernels of a library's: it is checked, not counted, and observers hear of a
  /// library's call instead.
  bool of_library = false;
  /// The place of findings that lie in the library's own code; 0 if it is not known.
  std::uintptr_t called_from = 0;
};

/// A place in the source, taken where a default argument is expanded: the line that calls, not the
/// one that declares.
struct Location {
  const char* file;  ///< as the compiler was given it
  int line;          ///< from 1
  /// Where it is called from, if both arguments are left out.
  static constexpr Location current(const char* file = __builtin_FILE(),
                                    int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// What the lanes of a warp do together.
enum class WarpOperation : std::uint32_t {
  kShuffleIndex,  ///< `__shfl_sync`
  kShuffleUp,     ///< `__shfl_up_sync`
  kShuffleDown,   ///< `__shfl_down_sync`
  kShuffleXor,    ///< `__shfl_xor_sync`
  kSync,          ///< `__syncwarp`
  kBallot,        ///< `__ballot_sync` and the other votes
  kGather,        ///< for active_lanes()
  kTogether,      ///< for perform_together()
};

/// Runs `body(arguments)` once for every thread of the grid and returns when all have ended.
/// A launch that an H200 would refuse runs nothing and sets the error that take_error() returns.
/// `threads(arguments, turns)` does the same for those that take turns: a launch that has it may
/// run plain.
void launch(const char* kernel, const LaunchConfig& config, void (*body)(void*), void* arguments,
            void (*threads)(void*, ThreadsInTurn&) = nullptr);

/// While it lives, host code is in the function of a library whose code is compiled with the
/// program: findings lie at the line of the program that calls the library.
class LibraryCall {
 public:
  /// `frame`: __builtin_frame_address(0) of a function that keeps frame pointers, as all do that
  /// are compiled as device code is.
  explicit LibraryCall(const void* frame);
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;
  ~LibraryCall();

 private:
  std::uintptr_t outer_;
};

/// Runs `body(arguments)` as a kernel of a single thread, in place of those that the function of a
/// library would launch on a device. Returns the current device's error, as peek_error() does.
int run_for_library(const char* function, void (*body)(void*), void* arguments);

/// Lets a kernel have up to `bytes` of dynamic shared memory, of which more than 48 KiB need this.
/// Returns a CUDA error code: 1 above 227 KiB.
int allow_dynamic_shared(const void* kernel, std::size_t bytes);

/// The CUDA error code of the most recent failed launch or kernel, 0 if none; `take` clears it.
int take_error();
/// The same, without clearing it.
int peek_error();
/// Makes `code` the most recent error.
void set_error(int code);

// ---- called by device code ----

/// Whether it is a kernel that calls, and not host code.
bool in_kernel();

/// What the running launch calls for a kernel that it was given the address of: where nothing is
/// counted or checked, the copy without hooks that it may have.
void (*code_of_kernel(void (*kernel)()))();

// clang must neither duplicate nor move a rendezvous into the sides of a branch, as it otherwise
// does when it threads jumps: lanes that meet in the source would no longer do so in the code.
#if defined(__clang__)
#define SIMT_RENDEZVOUS __attribute__((convergent, noduplicate))
#else
/// Marks functions in which lanes wait for each other.
#define SIMT_RENDEZVOUS
#endif

// A rendezvous of many lanes is in two halves: arrive_...() ends in a jump to another lane, and the
// lane that goes on does so in its kernel, which calls leave_...() at once. In a single function
// the processor would mispredict its return, because that is on another stack than its call:
// measured, a switch takes 20 ns in that way, and 8 ns in this one.

/// What a lane that goes on takes over from the one that ran before it: where that one will go on,
/// and where to keep that.
struct Handover {
  void* context;  ///< of the lane that ran before
  void* kept_in;  ///< where to write that
};

/// The first half of block_barrier().
SIMT_RENDEZVOUS Handover arrive_at_block_barrier(bool predicate, Location where);
/// The second half of block_barrier().
int leave_block_barrier(Handover handover);

/// Waits until all threads of the block that have not returned arrive. Returns how many of them
/// passed `predicate`.
[[gnu::always_inline]] inline int block_barrier(bool predicate, Location where) {
  return leave_block_barrier(arrive_at_block_barrier(predicate, where));
}

/// What a lane asks of the other lanes of its warp. Its 16 bytes travel in two registers, without a
/// gap: g++ copies what ends in one in pieces that overlap, on which processors stall.
struct Exchange {
  unsigned mask = 0;             ///< the lanes that take part, the calling one among them
  int argument = 0;              ///< the lane, delta or lane mask of a shuffle
  int width = 0;                 ///< of the segments of a shuffle
  WarpOperation operation = {};  ///< what they do
  /// Whether they ask for the same.
  bool operator==(const Exchange& other) const {
    return mask == other.mask && argument == other.argument && width == other.width &&
           operation == other.operation;
  }
};

/// The first half of warp_operation().
SIMT_RENDEZVOUS Handover arrive_at_warp_operation(Exchange exchange, std::uint64_t value,
                                                  Location where);
/// The second half of warp_operation().
std::uint64_t leave_warp_operation(Handover handover);

/// One lane's part in a warp-wide operation; `value` holds up to 8 bytes. Shuffles return the
/// source lane's value, kBallot the lanes whose value is not 0.
[[gnu::always_inline]] inline std::uint64_t warp_operation(Exchange exchange, std::uint64_t value,
                                                           Location where) {
  return leave_warp_operation(arrive_at_warp_operation(exchange, value, where));
}

/// What all 32 lanes of a warp do together, such as a product of matrices that lie in their
/// registers. Each lane has one of its own, behind which lies what it brings and takes away.
struct WarpTask {
  /// Does it, with the tasks of all lanes by their number, once all have come.
  using Perform = void (*)(WarpTask* const* lanes);
  Perform perform;                   ///< the same in all lanes
  const char* name;                  ///< for messages and records, such as "wmma::mma_sync"
  unsigned tensor_instructions = 0;  ///< that a device's tensor cores execute for it
};

/// The calling lane's part in it: returns when it is done.
[[gnu::always_inline]] inline void perform_together(WarpTask& task, Location where) {
  // Lanes that come to different tasks do not ask for the same.
  const auto which = static_cast<int>(reinterpret_cast<std::uintptr_t>(task.perform));
  constexpr unsigned kAll = 0xffffffff;
  constexpr int kWholeWarp = 32;
  warp_operation({kAll, which, kWholeWarp, WarpOperation::kTogether},
                 reinterpret_cast<std::uintptr_t>(&task), where);
}

/// The lanes of the calling warp that wait at that place when no other lane can go on.
SIMT_RENDEZVOUS unsigned active_lanes(Location where);

/// What clock64() counts: the accesses and basic blocks that the calling thread's warp has executed
/// in its block, and 32 more for each call of this, so that a loop that waits for a time ends. It
/// tells no time, never runs backwards between threads of a block that a barrier orders, and is the
/// same on every run of the same program; host code gets 0.
std::uint64_t device_ticks();

/// The block's dynamic shared memory.
void* dynamic_shared();

/// One `__shared__` variable of one kernel instance; the translator makes it a function-local
/// static.
struct SharedVariable {
  const char* name;       ///< as the source spells it
  std::size_t bytes;      ///< of the whole variable
  std::size_t alignment;  ///< in bytes, a power of two
  Location where;         ///< of its declaration
};
/// Where that variable lies in the running block's shared memory.
void* static_shared(const SharedVariable& variable);

/// Where in the block's shared memory it lies, as 32-bit addresses of PTX tell it.
std::uint32_t address_in_shared_memory(const void* pointer);
/// The other way round. What lies outside of shared memory is found when it is accessed.
void* pointer_to_shared_memory(std::uint64_t address);

/// Clusters and their distributed shared memory.
SIMT_RENDEZVOUS void cluster_barrier(Location where);
/// The two halves of that barrier. A thread that arrives goes on: all take part when they wait,
/// which is later than on a GPU, but in an order that it allows.
void cluster_arrive(Location where);
/// Waits for all threads of the cluster to have arrived.
SIMT_RENDEZVOUS void cluster_wait(Location where);
/// The block's number within its cluster.
unsigned cluster_rank();
/// Blocks of the cluster; 1 if the launch has none.
unsigned cluster_size();
/// The same along each dimension.
Dim3 cluster_shape();
/// Where block number `rank` of the cluster has what `mine` is in the caller's shared memory.
void* map_shared_rank(void* mine, unsigned rank);
/// The number of the block of the cluster in whose shared memory an address lies.
unsigned rank_of_shared(const void* address, Location where);

/// Waits until all threads of a cooperative grid arrive.
SIMT_RENDEZVOUS void grid_barrier(Location where);
/// Whether that is possible in the running kernel.
bool grid_is_cooperative();

/// Ends the calling thread, as PTX's exit does: as if it had returned from the kernel.
[[noreturn]] void exit_thread();

/// Notes that the running kernel has waited for the one ahead of it in its stream, which has always
/// ended.
void wait_for_kernel_ahead();

/// Where in the code the running function goes on when it returns.
#define SIMT_CODE_ADDRESS \
  reinterpret_cast<std::uintptr_t>(__builtin_extract_return_addr(__builtin_return_address(0)))

/// What tells a loop's mark from x86's other ways to do nothing.
constexpr int kLoopMark = 0x5317;
/// Marks the machine code where a loop begins, which the executor reads (log/machine_code.h there).
inline __attribute__((always_inline, artificial)) void mark_loop() {
#ifdef __x86_64__
  asm inline volatile("nopl %c0(%%rax)" : : "i"(kLoopMark));
#endif
}
/// The same in functions that compilers may evaluate.
constexpr inline __attribute__((always_inline, artificial)) void loop_begins() {
  if (!__builtin_is_constant_evaluated()) mark_loop();
}

/// The next atomic operation of the calling thread adds a constant, the same in all threads, and
/// nobody asks for its result: in shared memory, hardware adds what a warp's lanes add to a word at
/// once.
void adds_a_constant();
/// Tells the counters and checkers that an atomic operation touches `bytes` bytes at `address`. It
/// happens where this is called from, unless `code_address` says otherwise.
void note_atomic(void* address, std::size_t bytes, Location where);
/// The same at another place in the code. One that `overwrites` is an exchange, by which memory may
/// be written for the first time.
void note_atomic(void* address, std::size_t bytes, Location where, std::uintptr_t code_address,
                 bool overwrites);

/// Starts a copy of 4, 8 or 16 bytes from global to the block's shared memory (cp.async). The last
/// `zeros` of them are not read: zeros arrive for them. A load is counted for it, no shared store.
void start_async_copy(void* shared, const void* global, std::size_t bytes, std::size_t zeros,
                      Location where);
/// Closes a group of the copies that the calling thread has started.
void commit_async_copies();
/// Waits for all groups of the calling thread but the latest `groups_left`: what they copy arrives.
void wait_for_async_copies(std::size_t groups_left);

/// The same copy, for which the calling thread's next arrival at a barrier in shared memory stands.
void start_async_copy_for(const void* barrier, void* shared, const void* global, std::size_t bytes,
                          Location where);
/// Whether an address lies in the shared memory of the calling thread's block.
bool is_shared_memory(const void* address);

/// Makes a barrier of 8 bytes in the block's shared memory, each of whose phases ends when
/// `expected` arrivals have come (cuda::barrier). What goes wrong with one ends the launch.
void init_async_barrier(void* barrier, std::uint32_t expected, Location where);
/// Whose barrier it may be.
enum class BarrierPlace : std::uint8_t {
  kBlock,    ///< the calling thread's block's
  kCluster,  ///< that of any block of the cluster, as map_shared_rank() tells of it
};
/// How a thread arrives at one.
struct AsyncArrival {
  std::uint32_t count = 1;                    ///< of the arrivals that it stands for
  bool drops = false;                         ///< whether later phases expect one arrival less
  std::uint32_t bytes = 0;                    ///< that the phase shall expect from now on, too
  BarrierPlace place = BarrierPlace::kBlock;  ///< of the barrier
  /// What the last to arrive calls before the phase ends; null for nothing.
  void (*completion)(void* of) = nullptr;
  void* completion_of = nullptr;  ///< its argument
};
/// Returns the number of the phase that it arrived in.
std::uint64_t arrive_at_async_barrier(void* barrier, AsyncArrival arrival, Location where);
/// The phase that is under way shall expect so many bytes more.
void expect_bytes(void* barrier, std::uint32_t bytes, BarrierPlace place, Location where);
/// Stores 4, 8 or 16 bytes in the shared memory of a block of the cluster (st.async). They are
/// there for those who have waited for the phase of that block's barrier, which they count for.
void store_async(void* to, const void* value, std::size_t bytes, void* barrier, Location where);
/// Waits until that phase has ended; one less than the first has always ended.
SIMT_RENDEZVOUS void wait_for_async_barrier(void* barrier, std::uint64_t phase, Location where);
/// Waits for the same, and returns whether it has ended: when no thread can go on otherwise, those
/// who wait here go on without it.
SIMT_RENDEZVOUS bool try_async_barrier(void* barrier, std::uint64_t phase, Location where);
/// Whether it has, in which case the calling thread is as if it had waited.
bool async_barrier_has_passed(void* barrier, std::uint64_t phase, Location where);
/// The number of the phase that has not ended, or of the one before it: that of this parity.
std::uint64_t async_barrier_phase(void* barrier, bool parity, Location where);

/// Waits for the threads of the calling one's tile: `threads`, some whole warps, whose numbers in
/// the block follow each other. Their state is the executor's, as it is the device's own.
SIMT_RENDEZVOUS void tile_barrier(unsigned threads, Location where);
/// What the calling thread shows to the other threads of its tiles, who look behind a barrier.
void show_in_tile(std::uint64_t value);
/// What the block's thread of that number has shown last.
std::uint64_t shown_in_tile(unsigned thread);

/// Tells the counters and checkers of an atomic load or store of cuda::atomic's: it counts as a
/// load or store, and does not race with atomic operations.
void note_atomic_load(const void* address, std::size_t bytes, Location where);
/// The same of a store.
void note_atomic_store(void* address, std::size_t bytes, Location where);
/// What the calling thread has done comes before what those do who acquire from this object in
/// shared memory. Nothing elsewhere: there, fences do it.
void release_through(const void* object);
/// The calling thread comes after those who released through it before.
void acquire_through(const void* object);

/// Tells the checkers that what the calling thread's block has done shall be visible to others.
void note_fence(std::uintptr_t code_address);

// ---- device memory ----

/// A variable of a program that lies in the device's memory; the translator adds an object that
/// tells of it.
struct DeviceVariable {
  /// Which of CUDA's keywords it has.
  enum Memory : std::uint8_t {
    kDevice,    ///< `__device__`
    kManaged,   ///< `__managed__`
    kConstant,  ///< `__constant__`
  };
  const char* name;              ///< as the source spells it
  const volatile void* address;  ///< where the program has it
  std::size_t bytes;             ///< of the whole variable
  std::size_t element_bytes;     ///< by which its traffic is counted
  Memory memory;                 ///< its keyword
};
/// Before the first launch: while static objects are initialized. The same variable may come
/// several times, once for each file that includes it.
void add_device_variable(const DeviceVariable& variable);

/// Memory in the executor's arena; `element_bytes` is the size of the elements by which its traffic
/// is counted. Return CUDA error codes.
int device_malloc(void** address, std::size_t bytes, std::size_t element_bytes);
/// Frees what device_malloc() or managed_malloc() gave; null is allowed.
int device_free(void* address);
/// As cudaDeviceReset() does.
void free_all_device_memory();
/// The same, for memory that host code may dereference as well.
int managed_malloc(void** address, std::size_t bytes, std::size_t element_bytes);
/// Whether it lies in memory of the device, managed memory included.
bool is_device_pointer(const void* address);
/// The device that had been current when the memory at an address of device memory was allocated.
int device_of_memory(const void* address);
/// Whether it lies in memory that host code may dereference as well.
bool is_managed_pointer(const void* address);
/// Within a larger allocation, counts [address, address + bytes) by elements of `element_bytes`.
void set_element_size(const void* address, std::size_t bytes, std::size_t element_bytes);
/// Lets kernels reach memory of the host where it lies, as CUDA's mapped memory, until it is
/// unmapped. What they do there counts as global memory, by elements of `element_bytes`, and as if
/// it began at a multiple of 256 bytes, as memory from cudaMalloc, plus what its address is past a
/// multiple of 16. Its bounds are not checked. Not while a kernel runs. Return CUDA error codes.
int map_host_memory(const void* address, std::size_t bytes, std::size_t element_bytes);
/// Ends that for the memory that begins at `address`.
int unmap_host_memory(const void* address);
/// Whether it lies in memory that is mapped so.
bool is_mapped_pointer(const void* address);
/// Device memory that is free, and that there is.
void device_memory_info(std::size_t* free_bytes, std::size_t* total_bytes);
/// Copies between host and device memory (either side may be either) on behalf of the host; checks
/// both ranges, and names `call` where one is wrong. Return CUDA error codes.
int copy(void* to, const void* from, std::size_t bytes, const char* call = "cudaMemcpy");
/// Memory that a library reads or writes on behalf of the host: pieces of equal size, such as the
/// columns of a matrix.
struct MemoryPieces {
  const void* begin;         ///< of the first
  std::size_t bytes;         ///< of each
  std::size_t count = 1;     ///< how many
  std::size_t distance = 0;  ///< in bytes, from the beginning of one to that of the next
};
/// What `call` reads there has to be allocated, and should have been written; other memory than the
/// device's is not looked at. Return CUDA error codes.
int check_library_read(const MemoryPieces& pieces, const char* call);
/// What `call` writes there has to be allocated, and counts as written from now on.
int check_library_write(const MemoryPieces& pieces, const char* call);
/// Sets `bytes` bytes of device memory to `byte`, as cudaMemset() does.
int fill(void* to, int byte, std::size_t bytes);

}  // namespace simt
