import Glibc
import LatchkeyTestSupport

/// One thread's files and their shadows.
final class ShadowWorker: @unchecked Sendable {
    // Sendable because one thread at a time uses it: the runner waits for all before it goes on.
    private let directory: TestDirectory
    private let largest: Int
    private var random: SplitMix
    private var files: [ShadowFile]
    private var done = 0
    private var refused = Set<ShadowOperation>()
    /// The last operations, the newest last.
    private(set) var history: [String] = []

    init(_ directory: TestDirectory, number: Int, fileCount: Int, largest: Int, random: SplitMix) throws {
        self.directory = directory
        self.largest = largest
        self.random = random
        files = (0..<fileCount).map { ShadowFile(name: "file-\($0)") }
        for file in files { _ = try file.opened(in: directory) }
    }

    func perform(_ count: Int) throws {
        for _ in 0..<count {
            let operation = ShadowOperation.weighted[number(below: ShadowOperation.weighted.count)]
            guard !refused.contains(operation) else { continue }
            let file = files[number(below: files.count)]
            done += 1
            do {
                try perform(operation, on: file)
            } catch let failure as CallFailure where failure.number == EOPNOTSUPP && operation.mayBeRefused {
                refused.insert(operation)
            }
            try equal(file.opened(in: directory).status().size, Int64(file.bytes.count), "size of \(file.name)")
        }
    }

    func close() throws {
        for file in files { try file.close() }
    }

    /// Reads everything anew, through other openings and after the cache was dropped.
    func verify() throws {
        try equal(directory.names(), files.map(\.name).sorted(), "names")
        for file in files {
            try equal(bytes: directory.contents(file.name), file.bytes, "\(file.name)")
            let handle = try file.opened(in: directory)
            try handle.synchronize()
            try handle.dropPages()
            try equal(bytes: handle.contents(), file.bytes, "\(file.name) from the file system")
        }
    }

    // MARK: - Operations

    private func perform(_ operation: ShadowOperation, on file: ShadowFile) throws {
        let handle = try file.opened(in: directory)
        let (offset, count) = (position(in: file), length())
        note("\(operation) \(file.name) of \(file.bytes.count) bytes: \(offset), \(count)")
        switch operation {
        case .write:
            let bytes = newBytes(count)
            try handle.write(bytes, at: Int64(offset))
            file.put(bytes, at: offset)
        case .append:
            let bytes = newBytes(min(count, max(0, largest - file.bytes.count)))
            let appending = try directory.open(file.name, O_WRONLY | O_APPEND)
            if !bytes.isEmpty { try equal(appending.writeOn(bytes), bytes.count, "bytes appended at once") }
            try appending.close()
            file.put(bytes, at: file.bytes.count)
        case .read:
            let end = min(offset + count, file.bytes.count)
            let wanted = offset < end ? Array(file.bytes[offset..<end]) : []
            try equal(bytes: handle.read(count, at: Int64(offset)), wanted, "\(file.name) from \(offset)")
        case .readAll:
            try equal(bytes: directory.contents(file.name), file.bytes, "\(file.name)")
        case .dropAndRead:
            try handle.synchronize()
            try handle.dropPages()
            try equal(bytes: handle.contents(), file.bytes, "\(file.name) after its pages were dropped")
        case .truncate:
            try handle.truncate(Int64(offset))
            file.resize(to: offset)
        case .truncateByPath:
            try directory.truncate(file.name, Int64(offset))
            file.resize(to: offset)
        case .emptyAtOpening:
            try file.close()
            try directory.open(file.name, O_RDWR | O_TRUNC).close()
            file.bytes = []
        case .mapWrite, .mapRead:
            try map(file, handle, from: offset, count, writing: operation == .mapWrite)
        case .synchronize:
            try handle.synchronize()
        case .synchronizeData:
            try handle.synchronizeData()
        case .reopen:
            try file.close()
        case .rename, .linkAndUnlink, .replace, .readRemoved:
            try changeName(operation, of: file)
        case .punch:
            try handle.allocate(.punchingHole, Int64(offset), Int64(count + 1))
            file.clear(offset..<offset + count + 1)
        case .allocate:
            try handle.allocate(.extending, Int64(offset), Int64(count + 1))
            file.grow(to: offset + count + 1)
        case .allocateKeepingSize:
            try handle.allocate(.keepingSize, Int64(offset), Int64(count + 1))
        case .copyRange:
            try copy(from: file, handle, offset, count)
        }
    }

    private func map(_ file: ShadowFile, _ handle: OpenFile, from offset: Int, _ count: Int, writing: Bool) throws {
        let start = min(offset, max(0, file.bytes.count - 1)) / 4096 * 4096
        let count = min(count, file.bytes.count - start)
        guard count > 0 else { return }
        let new = writing ? newBytes(count) : nil
        let closes = number(below: 4) == 0
        try handle.withMap(Int64(start), count, synchronizing: number(below: 3) == 0) { memory in
            try equal(bytes: Array(memory), Array(file.bytes[start..<start + count]), "\(file.name) mapped at \(start)")
            // The mapping outlives the descriptor.
            if closes { try file.close() }
            if let new { memory.copyBytes(from: new) }
        }
        if let new { file.put(new, at: start) }
    }

    private func changeName(_ operation: ShadowOperation, of file: ShadowFile) throws {
        let name = Path("name-\(done)-" + String(repeating: "n", count: number(below: 240)))
        switch operation {
        case .rename:
            try directory.rename(file.name, name)
            file.name = name
        case .linkAndUnlink:
            try directory.link(file.name, name)
            try equal(directory.status(file.name).links, 2, "links of \(file.name)")
            try directory.unlink(file.name)
            file.name = name
        case .replace:
            // As editors do it: a new file, synchronized, over the old one.
            let bytes = newBytes(length())
            let new = try directory.create(name, bytes)
            try new.synchronize()
            try new.close()
            let old = try file.opened(in: directory)
            try directory.rename(name, file.name)
            try equal(bytes: old.contents(), file.bytes, "\(file.name), replaced and still open")
            try file.close()
            file.bytes = bytes
        default:
            let old = try file.opened(in: directory)
            try directory.unlink(file.name)
            try equal(bytes: old.contents(), file.bytes, "\(file.name), removed and still open")
            try old.write([1, 2, 3], at: 5)
            try equal(old.read(3, at: 5), [1, 2, 3], "\(file.name), removed and written")
            try file.close()
            file.bytes = []
        }
    }

    private func copy(from file: ShadowFile, _ handle: OpenFile, _ offset: Int, _ count: Int) throws {
        let other = files[number(below: files.count)]
        let target = position(in: other)
        guard other !== file, offset < file.bytes.count else { return }
        let copied: Int
        do {
            copied = try other.opened(in: directory).copy(count, from: handle, Int64(offset), to: Int64(target))
        } catch let failure as CallFailure where [EXDEV, EINVAL, ENOSYS].contains(failure.number) {
            refused.insert(.copyRange)
            return
        }
        try expect(copied <= count, "copy_file_range copied \(copied) of \(count)")
        other.put(Array(file.bytes[offset..<min(offset + copied, file.bytes.count)]), at: target)
        try equal(bytes: other.opened(in: directory).contents(), other.bytes, "\(other.name) after a copy")
    }

    // MARK: - Chance

    private func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    /// Blocks have borders, and errors live there.
    private func position(in file: ShadowFile) -> Int {
        let position =
            switch number(below: 6) {
            case 0: number(below: largest)
            case 1: number(below: largest / 4096) * 4096
            case 2: number(below: largest / 4096) * 4096 + number(below: 3) - 1
            case 3: file.bytes.count
            case 4: file.bytes.count + number(below: 9000) - 4500
            default: number(below: file.bytes.count + 1)
            }
        return min(max(0, position), largest)
    }

    private func length() -> Int {
        switch number(below: 5) {
        case 0: number(below: 10)
        case 1: 4096 * number(below: 8)
        case 2: 4095 + number(below: 3)
        case 3: number(below: 60_000)
        default: number(below: 5000)
        }
    }

    /// Never zeros: a hole looks different.
    private func newBytes(_ count: Int) -> [UInt8] {
        let stamp = Int(random.next() & 0xFFFF)
        return (0..<count).map { index in UInt8(((index &* 31) ^ (index >> 8) &+ stamp) % 255 + 1) }
    }

    private func note(_ text: String) {
        history.append("\(done): \(text)")
        if history.count > 25 { history.removeFirst() }
    }
}

extension ShadowOperation {
    fileprivate var mayBeRefused: Bool {
        [.punch, .allocate, .allocateKeepingSize, .copyRange].contains(self)
    }
}
