// The Recorder that Python sees: turns what the hooks tell into rows and ops (its stub,
// replait/_native.pyi, says what each argument is).
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "jax_recorder.h"
#include "python_values.h"

namespace replait {

// A trace that cannot be written: replait.ReplaitError in Python.
class RecordingFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Which op it is and whose: its number, agent and source.
struct Head {
  std::uint64_t number;
  std::uint32_t agent;
  std::uint32_t source;
};

class PythonRecorder {
 public:
  using Rows = std::vector<std::pair<std::string, std::string>>;
  using Handle = pybind11::handle;
  // (device, core, id, fixed)
  using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>;
  // (agent, source, semaphore, demand)
  using BlockedWait = std::tuple<std::uint32_t, std::uint32_t, Place, std::int64_t>;
  // (agent, source, kind, device, arrivals, interpreter-only)
  using AtBarrier =
      std::tuple<std::uint32_t, std::uint32_t, int, std::uint32_t, std::uint32_t, bool>;

  PythonRecorder(const std::string& path, const std::string& jax_version,
                 const std::string& program, const std::string& values, const Rows& options,
                 const Rows& environment);

  // Rows.
  std::uint32_t launch(const std::string& kernel, std::uint32_t source, std::uint32_t devices,
                       std::uint32_t cores, bool out_of_bounds_reads_raise, bool uninitialized_nan,
                       bool eager_copies, std::uint32_t vector_clock_size);
  std::uint32_t thread(std::uint32_t launch, std::uint32_t device, std::uint32_t core);
  std::uint32_t source(const std::string& file, std::uint32_t line, std::uint32_t column,
                       const std::string& function, std::uint32_t caller, const std::string& text,
                       std::uint64_t file_hash);
  void name_semaphore(std::uint32_t launch, std::int64_t id, bool dma, const std::string& name);

  // Ops.
  void enter(const Head& head, Handle error);
  void exit(const Head& head);
  void grid_step(const Head& head, Handle point);
  void allocate(const Head& head, Handle key, Handle dtype, Handle content_shape,
                Handle logical_shape, std::uint32_t references, const std::string& name,
                Handle content, Handle error);
  void free(const Head& head, Handle key, Handle error);
  void read(const Head& head, Handle key, Handle range, Handle window, Handle value, Handle error);
  void write(const Head& head, Handle key, Handle range, Handle window, Handle value, Handle error);
  void swap(const Head& head, Handle key, Handle range, Handle mask, Handle value, Handle before,
            Handle error);
  void create_semaphore(const Head& head, const Place& place);
  void signal(const Head& head, const Place& place, std::int64_t increment, Handle count,
              Handle error);
  void wait(const Head& head, const Place& place, std::int64_t demand, Handle count, Handle error);
  std::uint32_t issue_copy(const Head& head, Handle source_key, Handle source_range,
                           Handle destination_key, Handle destination_range,
                           const std::optional<Place>& send, const Place& receive, Handle error);
  void copy_step(const Head& head, int phase, Handle value, Handle count, Handle error);
  void arrive(const Head& head, int kind, std::uint32_t device, std::uint32_t arrivals,
              bool interpreter_only);
  void await_barrier(const Head& head, int kind, std::uint32_t device, std::uint32_t arrivals,
                     bool interpreter_only);
  void check_semaphores(const Head& head, const std::optional<std::string>& printed);
  void refuse(const Head& head, int what, Handle error);
  void raise_error(const Head& head, Handle error);

  // The trace. finish() returns the run id and the number of findings.
  std::uint64_t events() const { return recorder_->events(); }
  std::pair<std::string, std::uint64_t> finish(const std::string& kind,
                                               const std::vector<BlockedWait>& waits,
                                               const std::vector<AtBarrier>& barriers);
  // Leaves no file behind. Nothing may be called afterwards.
  void discard();

 private:
  struct Stored {
    ValueId id{};
    Array array;
  };

  Tables& tables() { return recorder_->tables(); }
  LaunchId launch_of(const Head& head) { return tables()[from_index<AgentId>(head.agent)].launch; }
  void tell(const Head& head, const Op& op, const Facts& facts, Stored stored);
  void tell(const Head& head, const Op& op, const Facts& facts);
  void tell(const Head& head, const Op& op) { tell(head, op, Facts{}); }
  Facts facts(Handle error);
  Facts facts(Handle error, Handle count);
  Stored store(Handle object);
  std::optional<ValueId> seen(Handle object);
  ValueId value(const Array& array);
  SemaphoreId semaphore(LaunchId launch, const Place& place);
  BarrierId barrier(const Head& head, int kind, std::uint32_t device, std::uint32_t arrivals,
                    bool interpreter_only);

  std::string path_;
  std::unique_ptr<JaxRecorder> recorder_;
  PythonValues python_;
  struct SemaphoreName {
    bool dma = false;
    std::string name;
  };
  std::map<std::pair<std::uint32_t, std::int64_t>, SemaphoreName> semaphore_names_;
  std::unordered_map<std::uint32_t, std::uint64_t> issues_;  // By issuer.
};

}  // namespace replait
