import CLatchkeyShims
import Synchronization

/// Locked pages cut into slots, so that taking a small secret costs no system call and `RLIMIT_MEMLOCK`
/// (8 MiB by default) lasts for thousands of keys.
///
/// A slot is wiped when it comes back. Secrets larger than the largest slot get pages of their own.
final class SecretArena: Sendable {
    static let shared = SecretArena()

    private static let slotSizes = [64, 256, 1024, 4096]
    private static let slabByteCount = 64 * 1024

    private struct FreeSlots {
        var lists: [[UInt]] = Array(repeating: [], count: SecretArena.slotSizes.count)
    }

    private let free = Mutex(FreeSlots())

    /// Memory for `count` bytes, zeroed. The slot may be larger; give the same pointer and count back.
    func take(_ count: Int) -> UnsafeMutableRawPointer {
        guard let size = Self.slotIndex(for: count) else { return unsafe Self.map(count) }
        return unsafe free.withLock { slots in
            if slots.lists[size].isEmpty {
                let slab = unsafe UInt(bitPattern: Self.map(Self.slabByteCount))
                let step = UInt(Self.slotSizes[size])
                slots.lists[size] = (0..<UInt(Self.slabByteCount) / step).map { slab + $0 * step }
            }
            let address = slots.lists[size].removeLast()
            guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: address) else {
                preconditionFailure("a slot of the secret arena has no address")
            }
            return unsafe pointer
        }
    }

    func giveBack(_ pointer: UnsafeMutableRawPointer, count: Int) {
        unsafe lk_wipe(pointer, count)
        guard let size = Self.slotIndex(for: count) else {
            unsafe lk_unmap_secret_pages(pointer, count)
            return
        }
        free.withLock { $0.lists[size].append(UInt(bitPattern: pointer)) }
    }

    private static func slotIndex(for count: Int) -> Int? {
        slotSizes.firstIndex { count <= $0 }
    }

    /// Out of memory is not an error a caller could answer: the process would lose the secret it is about to store.
    private static func map(_ count: Int) -> UnsafeMutableRawPointer {
        var locked: Int32 = 0
        guard let pages = unsafe lk_map_secret_pages(max(count, 1), &locked) else {
            preconditionFailure("no memory left for a secret of \(count) bytes")
        }
        return unsafe pages
    }
}
