#include "clock/vector_clock.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "base/check.h"

namespace replait {
namespace {

constexpr int kBits = 4;
constexpr std::size_t kWidth = std::size_t{1} << kBits;
constexpr int kHeightMax = 32 / kBits - 1;

std::size_t digit(std::uint32_t slot, int height) {
  return (slot >> (kBits * height)) & (kWidth - 1);
}

// The height of the lowest tree that has the slot.
int height_of(std::uint32_t slot) {
  int height = 0;
  while (height < kHeightMax && (slot >> (kBits * (height + 1))) != 0) ++height;
  return height;
}

}  // namespace

struct VectorClock::Node {
  std::uint32_t references = 1;
};
struct VectorClock::Leaf : Node {
  std::array<Epoch, kWidth> epochs{};
};
struct VectorClock::Inner : Node {
  std::array<Node*, kWidth> children{};
};

VectorClock::Node* VectorClock::retain(Node* node) {
  if (node != nullptr) ++node->references;
  return node;
}

void VectorClock::release(Node* node, int height) {
  if (node == nullptr || --node->references != 0) return;
  if (height == 0) {
    delete static_cast<Leaf*>(node);
    return;
  }
  auto* inner = static_cast<Inner*>(node);
  for (Node* child : inner->children) release(child, height - 1);
  delete inner;
}

VectorClock::VectorClock(const VectorClock& other)
    : root_(retain(other.root_)), height_(other.height_) {}

VectorClock& VectorClock::operator=(const VectorClock& other) {
  Node* root = retain(other.root_);  // First: other may be *this.
  release(root_, height_);
  root_ = root;
  height_ = other.height_;
  return *this;
}

VectorClock& VectorClock::operator=(VectorClock&& other) noexcept {
  std::swap(root_, other.root_);
  std::swap(height_, other.height_);
  return *this;
}

VectorClock::~VectorClock() { release(root_, height_); }

Epoch VectorClock::epoch(SlotId slot) const {
  const std::uint32_t index = to_index(slot);
  if (height_of(index) > height_) return 0;
  const Node* node = root_;
  for (int height = height_; node != nullptr && height > 0; --height) {
    node = static_cast<const Inner*>(node)->children[digit(index, height)];
  }
  return node == nullptr ? 0 : static_cast<const Leaf*>(node)->epochs[digit(index, 0)];
}

void VectorClock::grow(int height) {
  if (root_ == nullptr) height_ = std::max(height_, height);
  while (height_ < height) {
    auto* inner = new Inner;
    inner->children[0] = root_;
    root_ = inner;
    ++height_;
  }
}

// A node of this clock's own: made if absent, copied if shared.
VectorClock::Inner* VectorClock::writable_inner(Node*& node, int height) {
  if (node == nullptr) {
    node = new Inner;
  } else if (node->references > 1) {
    auto* copy = new Inner;
    copy->children = static_cast<Inner*>(node)->children;
    for (Node* child : copy->children) retain(child);
    release(node, height);
    node = copy;
  }
  return static_cast<Inner*>(node);
}

VectorClock::Leaf* VectorClock::writable_leaf(Node*& node) {
  if (node == nullptr) {
    node = new Leaf;
  } else if (node->references > 1) {
    auto* copy = new Leaf;
    copy->epochs = static_cast<Leaf*>(node)->epochs;
    release(node, 0);
    node = copy;
  }
  return static_cast<Leaf*>(node);
}

void VectorClock::raise(SlotId slot, Epoch to) {
  const std::uint32_t index = to_index(slot);
  REPLAIT_CHECK(to >= epoch(slot) && to != std::numeric_limits<Epoch>::max());
  grow(height_of(index));
  Node** place = &root_;
  for (int height = height_; height > 0; --height) {
    place = &writable_inner(*place, height)->children[digit(index, height)];
  }
  writable_leaf(*place)->epochs[digit(index, 0)] = to;
}

// Where one side has all that the other has, its node is taken whole, so that equal parts of two
// clocks become one node and later joins skip them.
void VectorClock::join_into(Node*& mine, Node* theirs, const Node* known, int height) {
  if (theirs == nullptr || theirs == mine || theirs == known) return;
  if (mine == nullptr) {
    mine = retain(theirs);
  } else if (height == 0) {
    join_leaves(mine, theirs);
  } else {
    join_inner(mine, theirs, known, height);
  }
}

void VectorClock::join_leaves(Node*& mine, Node* theirs) {
  Leaf joined;
  bool mine_suffices = true;
  bool theirs_suffices = true;
  const auto& a = static_cast<Leaf*>(mine)->epochs;
  const auto& b = static_cast<Leaf*>(theirs)->epochs;
  for (std::size_t i = 0; i < kWidth; ++i) {
    joined.epochs[i] = std::max(a[i], b[i]);
    mine_suffices &= joined.epochs[i] == a[i];
    theirs_suffices &= joined.epochs[i] == b[i];
  }
  if (theirs_suffices) {
    release(mine, 0);
    mine = retain(theirs);
  } else if (!mine_suffices) {
    writable_leaf(mine)->epochs = joined.epochs;
  }
}

void VectorClock::join_inner(Node*& mine, Node* theirs, const Node* known, int height) {
  // A shared child has two owners here, so joining into it makes a new node and leaves it alone.
  const bool shared = mine->references > 1;
  std::array<Node*, kWidth> joined = static_cast<Inner*>(mine)->children;
  if (shared) {
    for (Node* child : joined) retain(child);
  }
  bool mine_suffices = true;
  bool theirs_suffices = true;
  for (std::size_t i = 0; i < kWidth; ++i) {
    Node* const child = static_cast<Inner*>(theirs)->children[i];
    Node* const before = joined[i];
    const Node* const known_child =
        known == nullptr ? nullptr : static_cast<const Inner*>(known)->children[i];
    join_into(joined[i], child, known_child, height - 1);
    mine_suffices &= joined[i] == before;
    theirs_suffices &= joined[i] == child;
  }
  if (!shared) {
    static_cast<Inner*>(mine)->children = joined;
  } else if (!mine_suffices && !theirs_suffices) {
    release(mine, height);
    auto* inner = new Inner;
    inner->children = joined;
    mine = inner;
  } else {
    for (Node* child : joined) release(child, height - 1);
  }
  if (theirs_suffices) {
    release(mine, height);
    mine = retain(theirs);
  }
}

void VectorClock::join_since(const VectorClock& other, const VectorClock& known) {
  if (other.root_ == nullptr || root_ == other.root_) return;
  grow(other.height_);
  Node** place = &root_;
  // Only the lowest subtree of this clock can have anything in common with a lower tree.
  for (int height = height_; height > other.height_; --height) {
    place = &writable_inner(*place, height)->children[0];
  }
  const Node* const skipped = known.height_ == other.height_ ? known.root_ : nullptr;
  join_into(*place, other.root_, skipped, other.height_);
}

bool VectorClock::node_covers(const Node* mine, const Node* theirs, int height) {
  if (theirs == nullptr || mine == theirs) return true;
  for (std::size_t i = 0; i < kWidth; ++i) {
    if (height == 0) {
      const Epoch epoch = mine == nullptr ? 0 : static_cast<const Leaf*>(mine)->epochs[i];
      if (epoch < static_cast<const Leaf*>(theirs)->epochs[i]) return false;
    } else {
      const Node* child = mine == nullptr ? nullptr : static_cast<const Inner*>(mine)->children[i];
      if (!node_covers(child, static_cast<const Inner*>(theirs)->children[i], height - 1)) {
        return false;
      }
    }
  }
  return true;
}

bool VectorClock::covers(const VectorClock& other) const {
  const Node* mine = root_;
  const Node* theirs = other.root_;
  int mine_height = height_;
  int theirs_height = other.height_;
  for (; mine != nullptr && mine_height > theirs_height; --mine_height) {
    mine = static_cast<const Inner*>(mine)->children[0];
  }
  for (; theirs != nullptr && theirs_height > mine_height; --theirs_height) {
    const auto& children = static_cast<const Inner*>(theirs)->children;
    for (std::size_t i = 1; i < kWidth; ++i) {
      if (!node_covers(nullptr, children[i], theirs_height - 1)) return false;
    }
    theirs = children[0];
  }
  return node_covers(mine, theirs, theirs_height);
}

}  // namespace replait
