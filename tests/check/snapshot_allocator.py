"""Simulates the CUDA allocator of torch, by the rules of docs/definitions.md, section 32.

The simulator writes the events and the state as torch's snapshots do. It also counts its own amounts after every event,
from the blocks and not from the events, so that a test can compare them with a replay. It searches lists instead of
sorted sets, because the programs of the tests are short."""

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
ACTIONS = ("alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map",
           "segment_unmap", "oom")


class OutOfMemory(Exception):
    pass


class Block:
    def __init__(self, address, size):
        self.address, self.size = address, size
        self.state = "free"  # free, used, pending, or unmapped (in a range of an expandable segment)
        self.requested, self.stack = 0, None


class Range:
    """A segment, or the range of addresses of an expandable segment. Its blocks fill it, in the order of addresses."""

    def __init__(self, address, size, stream, pool, is_small, is_expandable, stack):
        self.stream, self.pool, self.is_small, self.is_expandable = stream, pool, is_small, is_expandable
        self.address, self.stack = address, stack
        self.blocks = [Block(address, size)]
        if is_expandable:
            self.blocks[0].state = "unmapped"

    def join(self):
        """Joins neighbours that are both free or both unmapped."""
        joined = []
        for block in self.blocks:
            if joined and joined[-1].state == block.state and block.state in ("free", "unmapped"):
                joined[-1].size += block.size
            else:
                joined.append(block)
        self.blocks = joined

    def cut(self, block, sizes):
        """Divides a block into blocks of these sizes; the rest is the last block. Returns the blocks."""
        at, parts = block.address, []
        for size in sizes + [block.size - sum(sizes)]:
            if size:
                part = Block(at, size)
                part.state = block.state
                parts.append(part)
                at += size
        index = self.blocks.index(block)
        self.blocks[index:index + 1] = parts
        return parts


class Allocator:
    def __init__(self, capacity=16 * GIB, base=0x7E0000000000, expandable=False, max_split=None, divisions=0,
                 max_entries=None, contexts=True):
        self.capacity, self.next_address, self.expandable = capacity, base, expandable
        self.max_split, self.divisions, self.max_entries = max_split, divisions, max_entries
        self.contexts = contexts  # whether events have stacks
        self.other_bytes = 0      # memory of other processes
        self.ranges, self.waiting = [], []
        self.events, self.truth, self.pools_of_events = [], [], False
        self.is_recording, self.clock, self.metadata, self.pool = True, 1_700_000_000_000_000, "", (0, 0)
        self.ooms, self.retries, self.empty_caches = [], 0, 0
        self.before = [0, 0, 0, 0]  # amounts before the first event of the ring
        self.limit = None         # limit of the program (set_per_process_memory_fraction), bytes

    # ---- amounts, counted from the blocks ----

    def blocks(self, *states):
        return [(r, b) for r in self.ranges for b in r.blocks if b.state in states]

    def amounts(self):
        used = [b for _, b in self.blocks("used")]
        pending = sum(b.size for _, b in self.blocks("pending"))
        reserved = sum(b.size for _, b in self.blocks("used", "pending", "free"))
        allocated = sum(b.size for b in used)
        return [allocated, allocated + pending, reserved, sum(b.requested for b in used)]

    def record(self, action, address, size, stream, stack):
        self.clock += 3
        if not self.is_recording:
            return
        event = {"action": action, "device_free" if action == "oom" else "addr": address, "size": size,
                 "stream": stream, "time_us": self.clock, "compile_context": "N/A", "user_metadata": self.metadata}
        if self.contexts and stack is not None:
            event["frames"] = stack
        if self.pools_of_events:
            event["pool_id"] = self.pool
        self.events.append(event)
        self.truth.append(self.amounts())
        if self.max_entries and len(self.events) > self.max_entries:
            self.before = self.truth[0]
            del self.events[0], self.truth[0]

    # ---- rules ----

    def round(self, size):
        if size < 512:
            return 512
        if self.divisions > 1 and size > 512 * self.divisions:
            power = 1 << size.bit_length() - 1
            step = power // self.divisions
            return size if size == power else -(-size // step) * step
        return -(-size // 512) * 512

    @staticmethod
    def segment_size(size):
        return 2 * MIB if size <= MIB else 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB

    def is_split(self, kind, size, rest):
        if kind.is_small or self.expandable:
            return rest >= 512
        return rest > MIB and (self.max_split is None or size < self.max_split)

    # ---- requests ----

    def malloc(self, requested, stack, stream=0):
        size = self.round(requested)
        self.finish_frees(stack, False)
        found = self.find(size, stream) or self.grow(size, stream, stack)
        if not found:
            if self.release(stack):
                self.retries += 1
            found = self.grow(size, stream, stack)
        if not found:
            self.fail(size, stream, stack)
        kind, block = found
        if self.is_split(kind, size, block.size - size):
            block = kind.cut(block, [size])[0]
        block.state, block.requested, block.stack = "used", requested, stack
        self.record("alloc", block.address, requested, stream, stack)
        return block

    def find(self, size, stream):
        fits = [(b.size, b.address, r, b) for r, b in self.blocks("free")
                if (r.pool, r.is_small, r.stream) == (self.pool, size <= MIB, stream) and b.size >= size]
        if not fits:
            return None
        _, _, kind, block = min(fits, key=lambda fit: fit[:2])
        if self.max_split is not None and not kind.is_expandable:
            if size < self.max_split <= block.size or size >= self.max_split and block.size >= size + 20 * MIB:
                return None
        return kind, block

    def device_free(self):
        return self.capacity - self.other_bytes - self.amounts()[2]

    def can_take(self, size):
        return self.device_free() >= size and (self.limit is None or self.amounts()[2] + size <= self.limit)

    def grow(self, size, stream, stack):
        if self.expandable:
            return self.expand(size, stream, stack)
        wanted = self.segment_size(size)
        if not self.can_take(wanted):
            return None
        made = Range(self.next_address, wanted, stream, self.pool, size <= MIB, False, stack)
        self.next_address += -(-wanted // (2 * MIB)) * 2 * MIB
        self.ranges.append(made)
        self.record("segment_alloc", made.address, wanted, stream, stack)
        return made, made.blocks[0]

    def expand(self, size, stream, stack):
        """Maps pages until free blocks in a row have `size` bytes."""
        key = (self.pool, size <= MIB, stream)
        kind = next((r for r in self.ranges if (r.pool, r.is_small, r.stream) == key), None)
        if kind is None:
            kind = Range(self.next_address, 2 * self.capacity, stream, self.pool, size <= MIB, True, stack)
            self.next_address += 4 * self.capacity
            self.ranges.append(kind)
        page = 2 * MIB if kind.is_small else 20 * MIB
        run = []
        for block in kind.blocks:
            run = run + [block] if block.state in ("free", "unmapped") else []
            if run and sum(b.size for b in run) >= size and any(b.state == "unmapped" for b in run):
                break
        have = 0
        for block in run:
            if block.state == "unmapped" and have < size:
                taken = min(-(-(size - have) // page) * page, block.size)
                if not self.can_take(taken):
                    kind.join()
                    return None
                part = kind.cut(block, [taken])[0]
                part.state = "free"
                self.record("segment_map", part.address, taken, stream, stack)
                have += taken
            elif block.state == "free":
                have += block.size
        start = run[0].address
        kind.join()
        return kind, next(b for b in kind.blocks if b.address == start)

    def fail(self, size, stream, stack):
        free, inactive = self.device_free(), sum(b.size for _, b in self.blocks("free"))
        asked = size if self.expandable else self.segment_size(size)
        kind = "limit" if free >= asked else "fragmented" if inactive and inactive + free >= size else "full"
        self.record("oom", free, size, stream, stack)
        self.ooms.append({"kind": kind, "short_bytes": max(0, asked - free), "segment_bytes": asked,
                          "device_free_bytes": free, "requested_bytes": size})
        raise OutOfMemory

    def free(self, block, stack, uses=0):
        """uses: number of later requests after which the other streams have finished their work; 0: no other stream."""
        kind = next(r for r in self.ranges if block in r.blocks)
        block.state = "pending"
        self.record("free_requested", block.address, block.requested, kind.stream, stack)
        if uses:
            self.waiting.append([uses, kind, block])
        else:
            self.complete(kind, block, stack)

    def complete(self, kind, block, stack):
        block.state = "free"
        self.record("free_completed", block.address, block.requested, kind.stream, stack)
        kind.join()

    def finish_frees(self, stack, all_frees):
        for entry in list(self.waiting):
            entry[0] -= 1
            if all_frees or entry[0] <= 0:
                self.waiting.remove(entry)
                self.complete(entry[1], entry[2], stack)

    def release(self, stack):
        """Gives free segments, and free pages of expandable segments, back to the device. Returns the bytes."""
        self.finish_frees(stack, True)
        before = self.amounts()[2]
        for kind in [r for r in self.ranges if r.pool == (0, 0)]:
            if not kind.is_expandable and len(kind.blocks) == 1 and kind.blocks[0].state == "free":
                self.ranges.remove(kind)
                self.record("segment_free", kind.address, kind.blocks[0].size, kind.stream, stack)
            for block in [b for b in kind.blocks if kind.is_expandable and b.state == "free"]:
                self.unmap(kind, block, stack)
        return before - self.amounts()[2]

    def unmap(self, kind, block, stack):
        page = 2 * MIB if kind.is_small else 20 * MIB
        first = -(-(block.address - kind.address) // page) * page + kind.address
        end = (block.address + block.size - kind.address) // page * page + kind.address
        if end <= first:
            return
        part = next(b for b in kind.cut(block, [first - block.address, end - first]) if b.address == first)
        part.state = "unmapped"
        self.record("segment_unmap", first, end - first, kind.stream, stack)
        kind.join()

    # ---- the snapshot ----

    def segments(self, device):
        found = []
        for kind in self.ranges:
            run = []
            for block in kind.blocks + [None]:
                if block is not None and block.state != "unmapped":
                    run.append(block)
                elif run:
                    found.append(self.segment(kind, run, device))
                    run = []
        return sorted(found, key=lambda s: s["address"])

    def segment(self, kind, run, device):
        names = {"used": "active_allocated", "pending": "active_pending_free", "free": "inactive"}
        # the requested size of a free block is stale in torch; the simulator writes a wrong one
        blocks = [{"address": b.address, "size": b.size, "state": names[b.state],
                   "requested_size": 77 if b.state == "free" else b.requested,
                   "frames": (b.stack or []) if self.contexts and b.state != "free" else []} for b in run]
        sums = [sum(b.size for b in run if b.state in states)
                for states in (("used", "pending", "free"), ("used",), ("used", "pending"))]
        return {"device": device, "address": run[0].address, "total_size": sums[0], "allocated_size": sums[1],
                "active_size": sums[2], "requested_size": 0, "stream": kind.stream,
                "segment_type": "small" if kind.is_small else "large", "segment_pool_id": kind.pool,
                "is_expandable": kind.is_expandable, "frames": kind.stack or [], "blocks": blocks}

    def settings(self):
        return {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1 if self.max_split is None else self.max_split,
                "garbage_collection_threshold": 0.0, "expandable_segments": self.expandable,
                "roundup_power2_divisions": {str(1 << k): self.divisions for k in range(16)}}


def snapshot(allocators, annotations=()):
    return {"segments": [s for device, a in enumerate(allocators) for s in a.segments(device)],
            "device_traces": [a.events for a in allocators], "allocator_settings": allocators[0].settings(),
            "external_annotations": list(annotations)}


def fragmentation(allocator):
    """Free memory at this moment, counted by the definitions."""
    split, releasable, largest, count = 0, 0, 0, 0
    for kind in allocator.ranges:
        page = 2 * MIB if kind.is_small else 20 * MIB
        for block in [b for b in kind.blocks if b.state == "free"]:
            count += 1
            largest = max(largest, block.size)
            if kind.is_expandable:
                # pages are counted from the beginning of the mapped range
                start = block.address
                while any(b.address + b.size == start and b.state != "unmapped" for b in kind.blocks):
                    start = next(b.address for b in kind.blocks if b.address + b.size == start)
                low, high = block.address - start, block.address - start + block.size
                pages = high // page - -(-low // page)
                releasable += max(0, pages) * page if kind.pool == (0, 0) else 0
            elif len(kind.blocks) > 1:
                split += block.size
            elif kind.pool == (0, 0):
                releasable += block.size
    return {"inactive_split_bytes": split, "releasable_bytes": releasable, "largest_free_bytes": largest,
            "free_blocks": count}
