import CLatchkeyShims
import Foundation
import Glibc
import LatchkeyTestSupport

/// An act of an attacker who can write to the directory that stores a volume.
struct StoreDamage {
    private let store: String
    private static let attributes = ["directory", "permissions", "protection", "x.note"].map { "user.latchkey." + $0 }
    private var random: SplitMix

    init(_ store: String, seed: UInt64) {
        self.store = store
        random = SplitMix(seed: seed)
    }

    /// Does one of them, to some entry.
    mutating func apply() throws {
        let entries = try FileManager.default.subpathsOfDirectory(atPath: store).sorted().map { store + "/" + $0 }
        guard let entry = entries.randomElement(using: &random), let other = entries.randomElement(using: &random)
        else {
            return
        }
        switch Int.random(in: 0..<11, using: &random) {
        case 0...2: change(entry)
        case 3: truncate(entry, Int.random(in: 0..<20_000, using: &random))
        case 4: try? FileManager.default.removeItem(atPath: entry)
        case 5:
            let between = store + "/between"
            guard rename(entry, between) == 0 else { return }
            rename(other, entry)
            rename(between, other)
        case 6:
            guard entry != other, !other.hasPrefix(entry) else { return }
            try? FileManager.default.removeItem(atPath: other)
            try? FileManager.default.copyItem(atPath: entry, toPath: other)
        case 7: replace(entry)
        case 8: changeAttribute(of: entry)
        case 9: rename(entry, (entry as NSString).deletingLastPathComponent + "/" + name(like: entry))
        default:
            let garbage = (0..<Int.random(in: 0..<9000, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            try? Data(garbage).write(
                to: URL(fileURLWithPath: (entry as NSString).deletingLastPathComponent + "/" + name(like: other)))
        }
    }

    private mutating func change(_ path: String) {
        let file = open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW)
        guard file >= 0 else { return }
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        guard size > 0 else { return }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            // Headers are at the beginning, and are what is parsed.
            let isHeader = Bool.random(using: &random)
            let place = Int.random(in: 0..<(isHeader ? min(size, 8192) : size), using: &random)
            let bytes = (0..<Int.random(in: 1...16, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = pwrite(file, bytes, bytes.count, place)
        }
    }

    private mutating func replace(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: mkfifo(path, 0o600)
        case 1: symlink("/etc/passwd", path)
        case 2: symlink(path, path)
        default: mkdir(path, 0o700)
        }
    }

    private mutating func changeAttribute(of path: String) {
        let name = Self.attributes.randomElement(using: &random) ?? ""
        guard Bool.random(using: &random) else {
            lk_attribute_remove(path, name)
            return
        }
        let value = (0..<Int.random(in: 0..<300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        lk_attribute_set(path, name, value, value.count)
    }

    /// A name of the same length whose characters are those of another order, so that it may still be decoded.
    private mutating func name(like path: String) -> String {
        String((path as NSString).lastPathComponent.shuffled(using: &random))
    }
}
