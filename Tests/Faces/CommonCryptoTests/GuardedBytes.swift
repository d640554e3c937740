import Glibc
import Synchronization

/// Memory that ends where a page begins that no code may touch: the first byte read or written beyond the end stops the
/// test, in libcrypto's assembly too, which no sanitizer sees. The memory also tells if anything was written before it.
///
/// Keep it in a variable while its address is in use: an address alone does not keep it.
final class GuardedBytes {
    private let mapping: Mapping
    private let slack: Int
    private static let filler: UInt8 = 0xB5

    /// All of it, to its last byte; at first no byte is zero.
    let bytes: UnsafeMutableRawBufferPointer

    init(count: Int) {
        mapping = Mapping.taken(atLeast: count)
        slack = mapping.byteCount - count
        memset(mapping.start, Int32(Self.filler), mapping.byteCount)
        bytes = UnsafeMutableRawBufferPointer(start: mapping.start + slack, count: count)
    }

    convenience init(_ contents: [UInt8]) {
        self.init(count: contents.count)
        contents.withUnsafeBytes { bytes.copyMemory(from: $0) }
    }

    deinit {
        mapping.giveBack()
    }

    /// Never nil, for 0 bytes as well.
    var start: UnsafeMutableRawPointer { mapping.start + slack }

    func contents(_ count: Int) -> [UInt8] { Array(bytes.prefix(count)) }

    /// True if nothing was written before the beginning, as far back as the page goes.
    var isIntactBefore: Bool {
        let count = min(slack, 64)
        return UnsafeRawBufferPointer(start: start - count, count: count).allSatisfy { $0 == Self.filler }
    }
}

/// Pages to use, and one after them that is not to be touched.
private struct Mapping: @unchecked Sendable {
    // Sendable because it has one owner at a time: it is in the list of the free ones, or taken from it.
    let start: UnsafeMutableRawPointer
    let byteCount: Int

    private static let pageByteCount = sysconf(Int32(_SC_PAGESIZE))
    /// Of one page each: most buffers are small, and asking the system for each would take longer than the ciphers.
    private static let free = Mutex<[Mapping]>([])

    static func taken(atLeast count: Int) -> Mapping {
        if count <= pageByteCount, let one = free.withLock({ $0.popLast() }) { return one }
        let usable = max((count + pageByteCount - 1) / pageByteCount, 1) * pageByteCount
        let mapped = mmap(
            nil, usable + pageByteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { preconditionFailure("a test needs its memory") }
        precondition(mprotect(mapped + usable, pageByteCount, PROT_NONE) == 0, "the page is our own")
        return Mapping(start: mapped, byteCount: usable)
    }

    func giveBack() {
        if byteCount == Self.pageByteCount {
            Self.free.withLock { $0.append(self) }
        } else {
            munmap(start, byteCount + Self.pageByteCount)
        }
    }
}
