// Vector clocks: the one definition of happens-before in this project.
//
// Each agent (a thread, or an async copy in flight) owns one slot, and only that agent raises it:
// by one after each of its releases, so an epoch names a segment between two releases. Every event
// is stamped with its agent's clock, so for an event a of agent p and any later event b of another
// agent
//     a happens-before b   <=>   a.clock[p] <= b.clock[p]            [Mattern 1989, Fidge 1988]
//
// Copies in flight can be many and each has to be told apart, so a clock may have millions of slots
// of which two clocks differ in a few. It is a radix tree of 16-wide nodes that are shared between
// clocks and copied when changed: a copy is O(1), a join skips what both share, up to 16 slots are
// one cache line, and a slot that nobody acquired costs nothing.
//
// Limits: clocks of one execution are used by one OS thread at a time (the counts are not atomic).
#pragma once

#include <cstdint>
#include <utility>

#include "base/ids.h"

namespace replait {

enum class SlotId : std::uint32_t {};  // A chain of agents, each ordered before the next.
using Epoch = std::uint32_t;           // From 1; 0: nothing of that slot is known.

class VectorClock {
 public:
  VectorClock() = default;
  VectorClock(const VectorClock& other);
  VectorClock(VectorClock&& other) noexcept
      : root_(std::exchange(other.root_, nullptr)), height_(std::exchange(other.height_, 0)) {}
  VectorClock& operator=(const VectorClock& other);
  VectorClock& operator=(VectorClock&& other) noexcept;
  ~VectorClock();

  Epoch epoch(SlotId slot) const;

  // Whether an event of `slot`'s agent at `epoch` happens before the events that this clock stamps.
  bool covers(SlotId slot, Epoch at) const { return epoch(slot) >= at; }

  // REQUIRES: `to` is not below epoch(slot), and only the slot's own agent calls this.
  void raise(SlotId slot, Epoch to);
  void tick(SlotId slot) { raise(slot, epoch(slot) + 1); }

  // Acquire: what is ordered before `other` is ordered before this clock from now on.
  // REQUIRES: both clocks come from the same execution and the same relation.
  void join(const VectorClock& other) { join_since(other, VectorClock()); }
  // The same where this clock covers `known` already: costs what `other` and `known` do not share.
  void join_since(const VectorClock& other, const VectorClock& known);

  // Whether a join costs so little that it is not worth remembering what was joined before.
  bool is_small() const { return height_ < 2; }

  // Whether every component of `other` is at most this clock's.
  bool covers(const VectorClock& other) const;

 private:
  struct Node;
  struct Leaf;
  struct Inner;

  static Node* retain(Node* node);
  static void release(Node* node, int height);
  static Inner* writable_inner(Node*& node, int height);
  static Leaf* writable_leaf(Node*& node);
  static void join_into(Node*& mine, Node* theirs, const Node* known, int height);
  static void join_leaves(Node*& mine, Node* theirs);
  static void join_inner(Node*& mine, Node* theirs, const Node* known, int height);
  static bool node_covers(const Node* mine, const Node* theirs, int height);
  void grow(int height);

  Node* root_ = nullptr;  // Null: every epoch below it is 0.
  int height_ = 0;        // 0: the root is a leaf; capacity 16^(height + 1).
};

}  // namespace replait
