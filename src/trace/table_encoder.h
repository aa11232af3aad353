// The rows of a chunk (or of the end) as columns: TableColumns and LaunchPackets of trace.proto.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "trace/canonical.h"
#include "trace/local_rows.h"

namespace replait {

// How many rows of each kind the file holds already.
using KnownRows = std::array<std::uint32_t, kRowKinds>;

struct EncodedTables {
  std::string columns;   // A serialised TableColumns.
  std::string launches;  // LaunchPackets, each serialised as a packet of a Trace.
};

struct TableSource {
  const Tables& tables;
  const Canonical& canonical;
  bool with_bytes;  // Whether the file keeps the values' bytes.
};

// A copy that an earlier chunk issued.
struct CarriedCopy {
  std::uint8_t next_phase = 0;
  std::uint32_t issue_source = 0;  // Local number.
};

// `carried` by local number.
EncodedTables encode_tables(const TableSource& source, const LocalRows& rows,
                            const KnownRows& known,
                            const std::map<std::uint32_t, CarriedCopy>& carried);

}  // namespace replait
