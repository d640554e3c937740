import Glibc

/// The marks of a file that has not changed since the last backup.
struct FileStamp: Hashable, Sendable {
    /// The type of the file and its permissions.
    let mode: UInt32
    let owner: UInt32
    let group: UInt32
    /// Of the stored file: that of a protected one is greater than that of its content.
    let size: Int64
    let number: UInt64
    /// Nanoseconds since 1970.
    let modified: Int64
    let changed: Int64

    static let byteCount = 3 * 4 + 4 * 8

    init(_ status: stat) {
        mode = status.st_mode
        owner = status.st_uid
        group = status.st_gid
        size = Int64(status.st_size)
        number = UInt64(status.st_ino)
        modified = status.st_mtim.nanoseconds
        changed = status.st_ctim.nanoseconds
    }

    init(_ bytes: ArraySlice<UInt8>) {
        var rest = StampReader(bytes)
        mode = rest.next()
        owner = rest.next()
        group = rest.next()
        size = rest.next()
        number = rest.next()
        modified = rest.next()
        changed = rest.next()
    }

    func write(to bytes: inout [UInt8]) {
        bytes.appendLittleEndian(mode)
        bytes.appendLittleEndian(owner)
        bytes.appendLittleEndian(group)
        bytes.appendLittleEndian(size)
        bytes.appendLittleEndian(number)
        bytes.appendLittleEndian(modified)
        bytes.appendLittleEndian(changed)
    }

    /// True if the file was changed so shortly before that a change after it may have left the same times: file systems
    /// count time in steps.
    func isTooYoung(at nanoseconds: Int64) -> Bool {
        changed > nanoseconds - Self.youth || modified > nanoseconds - Self.youth
    }

    /// The coarsest step of a file system that Linux knows is two seconds.
    private static let youth: Int64 = 2_000_000_000
}

/// Integers one after the other, little-endian.
struct StampReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func next<Number: FixedWidthInteger>() -> Number {
        let count = Number.bitWidth / 8
        var number: Number = 0
        for byte in rest.prefix(count).reversed() { number = number << 8 | Number(truncatingIfNeeded: byte) }
        rest = rest.dropFirst(count)
        return number
    }
}

extension [UInt8] {
    mutating func appendLittleEndian(_ number: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
    }
}

extension timespec {
    var nanoseconds: Int64 { Int64(tv_sec) &* 1_000_000_000 &+ Int64(tv_nsec) }
}
