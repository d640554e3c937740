import Foundation
import Glibc
import LatchkeyFileAccess
import LatchkeyTestSupport
import Testing

@testable import LatchkeyVolume

/// A stored tree that is altered at random: everything that can be listed is read, and nothing that is read was never
/// written. The seed of a failure is the argument of the test.
@Suite("A store with random damage")
struct MutationTests {
    private static let long = String(repeating: "long", count: 50)
    private static let texts = (0..<6).map { index in
        (0..<[0, 10, 5000, 30_000, 4096, 70_000][index]).map { UInt8(truncatingIfNeeded: $0 &* (index + 3)) }
    }

    private func fill(_ volume: Volume) throws {
        for directory in ["", "a/", "a/b/", "\(Self.long)/"] {
            if !directory.isEmpty { try volume.makeDirectory(String(directory.dropLast())) }
            for (index, text) in Self.texts.enumerated() {
                let number = try volume.make(directory + (index == 5 ? Self.long + "f" : "f\(index)"))
                try volume.write(number, text)
                try volume.flush(number)
                volume.release(number)
                try volume.setExtendedAttribute(number, Array("user.a".utf8), [UInt8(index)], flags: 0)
            }
            let (parent, _) = try volume.parent(directory + "l")
            _ = try volume.makeLink(parent, EntryName([108]), to: Array("target".utf8), by: Volume.caller)
        }
    }

    /// Every entry of the store, directories before what is in them.
    private func entries(_ root: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root).sorted().map { root + "/" + $0 }
    }

    private func alter(_ root: String, _ random: inout SplitMix) throws {
        let entries = try entries(root)
        guard let path = entries.randomElement(using: &random), let other = entries.randomElement(using: &random) else {
            return
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        let folder = (path as NSString).deletingLastPathComponent
        switch Int.random(in: 0..<13, using: &random) {
        case 0: _ = rename(path, folder + "/" + (other as NSString).lastPathComponent)
        case 1: _ = rename(path, other)
        case 2: try? exchange(path, other)
        case 3: _ = truncate(path, off_t.random(in: 0...max(1, status.st_size), using: &random))
        case 4...7:
            let file = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
            guard file >= 0 else { return }
            defer { close(file) }
            // Headers more often than the rest.
            let limit = Bool.random(using: &random) ? min(200, status.st_size) : status.st_size
            let bytes = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            pwrite(file, bytes, bytes.count, off_t.random(in: 0...max(0, limit), using: &random))
        case 8:
            guard let name = (try? StoredFile.attributeNames(path))?.randomElement(using: &random) else { return }
            if Bool.random(using: &random) {
                try? StoredFile.removeAttribute(path, name)
            } else {
                let value = (0..<Int.random(in: 0...40, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
                try? StoredFile.setAttribute(path, name, value)
            }
        case 9:
            remove(path)
            symlink([other, "/etc", "AAAA", "."].randomElement(using: &random) ?? "", path)
        case 10:
            remove(path)
            mkfifo(path, 0o600)
        case 11:
            remove(path)
            mkdir(path, 0o700)
        default:
            let bytes = (try? StoredFile.bytes(other)) ?? []
            if status.st_mode & S_IFMT == S_IFREG { try? StoredFile.write(bytes, to: path) }
        }
    }

    private func exchange(_ path: String, _ other: String) throws {
        func split(_ path: String) throws -> (BackingDirectory, FileName) {
            let path = path as NSString
            return (try BackingDirectory(path: path.deletingLastPathComponent), FileName(path.lastPathComponent))
        }
        let ((one, name), (two, newName)) = (try split(path), try split(other))
        try one.move(name, to: two, newName, flags: 2)
    }

    /// Uses everything in a directory, in a random way. Failures are expected, other content is not.
    private func use(_ volume: Volume, _ directory: UInt64, depth: Int, _ random: inout SplitMix) {
        // A directory can be below itself under another name only by a link, which is not followed.
        guard depth < 40, let entries = try? volume.entries(directory) else { return }
        for entry in entries {
            guard let node = try? volume.lookup(directory, entry.name).node else { continue }
            _ = try? volume.attributes(node.number)
            for name in (try? volume.extendedAttributeNames(node.number)) ?? [] {
                if let value = try? volume.extendedAttribute(node.number, name) { #expect(value.count == 1) }
            }
            if let target = try? volume.target(ofLink: node.number) { #expect(target == Array("target".utf8)) }
            if (try? volume.open(node.number, flags: O_RDONLY)) != nil {
                if let read = try? volume.read(node.number, count: 80_000) {
                    // Content of the header before the last one, that of a file just made, is an earlier state.
                    #expect(Self.texts.contains(read), "\(read.count) bytes that were never written")
                }
                volume.release(node.number)
            }
            use(volume, node.number, depth: depth + 1, &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try? volume.remove(directory, entry.name)
            case 1: try? volume.removeDirectory(directory, entry.name)
            case 2: try? volume.move(directory, entry.name, to: Volume.rootNumber, EntryName([77]), flags: 0)
            case 3: _ = try? volume.setAttributes(node.number, changes)
            default: break
            }
        }
    }

    private var changes: AttributeChanges {
        var changes = AttributeChanges()
        changes.permissions = 0o640
        changes.size = 0
        changes.times = FileTimes(access: .present, change: .present)
        return changes
    }

    @Test(
        "is never followed out of the store, and shows nothing that was never written",
        arguments: 0..<24 as Range<UInt64>)
    func random(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let stage = try VolumeStage()
        let outside = stage.beside("outside")
        try StoredFile.write(Array("outside".utf8), to: outside)
        try fill(stage.volume)
        stage.close()
        let alterations = Int.random(in: 1...30, using: &random)
        for _ in 0..<alterations { try alter(stage.storage + "/content", &random) }
        do {
            try stage.open()
        } catch {
            Issue.record("the root and the description were not altered: \(error)")
            return
        }
        let check = VolumeCheck.run(on: stage.volume, repairs: Bool.random(using: &random))
        #expect(!check.isCancelled)
        use(stage.volume, Volume.rootNumber, depth: 0, &random)
        _ = VolumeCheck.run(on: stage.volume, repairs: false)
        #expect(try StoredFile.bytes(outside) == Array("outside".utf8))
        // The rest can still be used.
        try? stage.volume.remove("last")
        try stage.volume.store("last", "text")
        #expect(try stage.volume.text("last") == "text")
    }
}
