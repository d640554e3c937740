import LatchkeyTestSupport

/// The writes of one process, the same for the same seed: so that the one who checks knows what was written.
struct StormPlan {
    /// Writes to one file up to a synchronization.
    struct Batch {
        enum Change {
            case write([UInt8], at: Int)
            case truncate(Int)
        }

        enum Kind {
            /// In place, then fsync.
            case edit([Change])
            /// A new file, fsync, renamed over the old one, fsync of the directory.
            case replace([UInt8])
            /// Unlink, fsync of the directory.
            case remove
        }

        let file: Int
        let kind: Kind
    }

    static let fileCount = 5
    static let largestByteCount = 60_000

    static func name(_ file: Int) -> Path { "file-\(file)" }
    static let newName: Path = "file.new"

    private var random: SplitMix
    /// The bytes of each file after the batches so far; nil for a file that is not there.
    private(set) var files = [[UInt8]?](repeating: nil, count: fileCount)

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
    }

    /// The next batch, which ``files`` does not have yet.
    mutating func next() -> Batch {
        let file = number(below: Self.fileCount)
        switch number(below: 12) {
        case 0 where files[file] != nil: return Batch(file: file, kind: .remove)
        case 1, 2: return Batch(file: file, kind: .replace(bytes(1 + number(below: 20_000))))
        default:
            let changes = (0...number(below: 5)).map { _ -> Batch.Change in
                guard number(below: 6) > 0 else { return .truncate(number(below: Self.largestByteCount)) }
                let small = number(below: 2) == 0
                let offset = number(below: Self.largestByteCount)
                let count = 1 + number(below: small ? 300 : 12_000)
                return .write(bytes(count), at: small ? offset : offset / 4096 * 4096)
            }
            return Batch(file: file, kind: .edit(changes))
        }
    }

    mutating func apply(_ batch: Batch) {
        switch batch.kind {
        case .remove: files[batch.file] = nil
        case .replace(let bytes): files[batch.file] = bytes
        case .edit(let changes):
            var bytes = files[batch.file] ?? []
            for change in changes { Self.apply(change, to: &bytes) }
            files[batch.file] = bytes
        }
    }

    static func apply(_ change: Batch.Change, to bytes: inout [UInt8]) {
        switch change {
        case .write(let new, let offset):
            bytes += [UInt8](repeating: 0, count: max(0, offset + new.count - bytes.count))
            bytes.replaceSubrange(offset..<offset + new.count, with: new)
        case .truncate(let count):
            bytes = Array(bytes.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - bytes.count))
        }
    }

    /// Without zeros, and different in each batch.
    private mutating func bytes(_ count: Int) -> [UInt8] {
        let stamp = number(below: 1 << 20)
        return (0..<count).map { UInt8((($0 &* 31) ^ ($0 >> 8) &+ stamp) % 255 + 1) }
    }

    private mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
}
