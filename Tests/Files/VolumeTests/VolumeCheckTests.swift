import Foundation
import Glibc
import LatchkeyKeybag
import LatchkeyTestSupport
import SecurityTesting
import Testing

@testable import LatchkeyVolume

@Suite("Checking a volume")
struct VolumeCheckTests {
    private let stage: VolumeStage
    private var volume: Volume { stage.volume }

    init() throws {
        stage = try VolumeStage()
        try volume.makeDirectory("d")
        for name in ["f", "d/g", String(repeating: "l", count: 200)] {
            try volume.store(name, String(repeating: name, count: 10_000 / name.utf8.count))
        }
        try volume.store("empty")
        _ = try volume.makeLink(Volume.rootNumber, EntryName(Array("link".utf8)), to: [97], by: Volume.caller)
        try volume.setExtendedAttribute(try volume.number("f"), Array("user.a".utf8), [1], flags: 0)
        _ = try volume.link(try volume.number("f"), try volume.number("d"), EntryName(Array("f2".utf8)))
    }

    private func check(repairs: Bool = false) throws -> VolumeCheck.Result {
        try stage.reopen()
        return VolumeCheck.run(on: volume, repairs: repairs)
    }

    private func names(_ result: VolumeCheck.Result) -> [String: VolumeFinding.Kind] {
        Dictionary(
            result.findings.map { (String(decoding: Array($0.path.joined(separator: [47])), as: UTF8.self), $0.kind) },
            uniquingKeysWith: { first, _ in first })
    }

    @Test("finds nothing where nothing is wrong, and counts each file once")
    func intact() throws {
        let result = try check()
        #expect(result.findings == [])
        #expect(result.files == 4 && result.directories == 2 && result.links == 1 && result.lockedFiles == 0)
        #expect(result.bytes == 29_999)
        #expect(VolumeCheck.storedByteCount(of: volume) > 30_000)
        #expect(try check(repairs: true) == result, "a repair of what is intact changes nothing")
    }

    @Test("reports its way through a long file, and ends within it")
    func progress() throws {
        try volume.store("long", String(repeating: "long ", count: 400_000))
        try stage.reopen()
        let total = VolumeCheck.storedByteCount(of: volume)
        var counts: [UInt64] = []
        let whole = VolumeCheck.run(on: volume, repairs: false) { count in
            counts.append(count)
            return true
        }
        // A second name of a file is a stored file, too.
        #expect(counts.reduce(0, +) == total)
        #expect(counts.max() ?? total < total / 50, "a small part at a time")
        #expect(whole.findings == [] && !whole.isCancelled)
        var left = counts.count / 2
        try stage.reopen()
        let part = VolumeCheck.run(on: volume, repairs: true) { _ in
            left -= 1
            return left > 0
        }
        #expect(part.isCancelled && part.findings == [] && part.bytes < whole.bytes)
        #expect(left == 0, "nothing is read after the end")
    }

    @Test("names damaged content with its ranges")
    func content() throws {
        let stored = try stage.stored("d/g")
        stage.close()
        var bytes = try StoredFile.bytes(stored)
        let before = bytes
        // Somewhere in the third block behind the headers: content or tree.
        bytes[4096 * 2 + 50] ^= 1
        try StoredFile.write(bytes, to: stored)
        let found = names(try check(repairs: true))
        guard case .damagedContent(let ranges)? = found["d/g"] else {
            Issue.record("\(found)")
            return
        }
        #expect(!ranges.isEmpty && ranges.allSatisfy { $0.upperBound <= 10_000 })
        #expect(found.count == 1)
        #expect(try StoredFile.bytes(stored) == bytes, "damaged content stays as it is")
        try StoredFile.write(before, to: stored)
        #expect(try check().findings == [])
    }

    @Test("finds a damaged header copy, and replaces it if it shall", arguments: [0, 1])
    func headerCopy(_ copy: Int) throws {
        let stored = try stage.stored("d/g")
        let number = try volume.number("d/g")
        // Both copies hold the present state.
        try volume.open(number, flags: O_RDWR)
        for byte in [1, 2] as [UInt8] {
            try volume.write(number, [byte])
            try volume.synchronize(number)
        }
        volume.release(number)
        let old = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
        var changes = AttributeChanges()
        changes.times = FileTimes(change: old)
        _ = try volume.setAttributes(number, changes)
        stage.close()
        var bytes = try StoredFile.bytes(stored)
        bytes[4096 * copy + 300] ^= 1
        try StoredFile.write(bytes, to: stored)
        try #require(utimensat(AT_FDCWD, stored, [old, old], 0) == 0)
        let first = try check()
        #expect(names(first) == ["d/g": .damagedHeaderCopy(isRepaired: false)])
        #expect(first.findings.map(\.kind.isDamage) == [true])
        let repaired = try check(repairs: true)
        #expect(names(repaired) == ["d/g": .damagedHeaderCopy(isRepaired: true)])
        #expect(repaired.findings.map(\.kind.isDamage) == [false])
        #expect(try check().findings == [])
        #expect(try volume.attributes(volume.number("d/g")).status.st_mtim.tv_sec == old.tv_sec)
    }

    @Test("finds what was lost, altered or put there, and leaves it where it is")
    func everything() throws {
        let long = String(repeating: "l", count: 200)
        let content = stage.storage + "/content"
        let file = try stage.stored("f")
        let directory = try stage.stored("d")
        let link = try stage.stored("link")
        let longEntry = try stage.stored(long) as NSString
        try volume.store("headless", "text")
        let headless = try stage.stored("headless")
        try volume.store("clear")
        let clear = try stage.stored("clear")
        try volume.makeDirectory("nameless")
        let nameless = try stage.stored("nameless")
        stage.close()
        try StoredFile.write(Array("LKPF".utf8) + [UInt8](repeating: 1, count: 9000), to: headless)
        try StoredFile.write(Array("a letter in clear, of another program".utf8), to: clear)
        try StoredFile.removeAttribute(nameless, Volume.identifierAttribute)
        try #require(unlink(link) == 0 && symlink("/etc/passwd", link) == 0)
        try #require(unlink(content + "/=" + longEntry.lastPathComponent.dropFirst()) == 0)
        try StoredFile.setAttribute(file, Volume.storedAttributePrefix + "AAAA", [1])
        try StoredFile.write([1], to: content + "/README.txt")
        try StoredFile.write([1], to: content + "/.new-file")
        try StoredFile.write([1], to: content + "/=orphan")
        try #require(mkdir(directory + "/.new-directory", 0o700) == 0)
        try StoredFile.write([1], to: stage.storage + "/notes")
        // A copy under a name of another directory.
        let moved = directory + "/" + (file as NSString).lastPathComponent
        try StoredFile.write([], to: moved)

        let expected: [String: VolumeFinding.Kind] = [
            "headless": .damagedHeader, "clear": .notProtected, "nameless": .noIdentifier, "link": .damagedTarget,
            longEntry.lastPathComponent: .foreignName, "f": .damagedAttribute, "README.txt": .foreign,
            ".new-file": .remnant(isRemoved: false), "=orphan": .remnant(isRemoved: false),
            "d/.new-directory": .remnant(isRemoved: false), "notes": .foreign,
            "d/" + (file as NSString).lastPathComponent: .foreignName,
        ]
        let found = try check()
        var names = names(found)
        // One file has two names, and is reported under the one that comes first.
        if let kind = names.removeValue(forKey: "d/f2") { names["f"] = kind }
        #expect(names == expected)
        let before = try FileManager.default.subpathsOfDirectory(atPath: stage.storage).count
        _ = try check(repairs: true)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: stage.storage).count == before - 3)
        let after = try check()
        #expect(after.findings.count == expected.count - 3)
        #expect(after.findings.filter { $0.kind.isDamage }.count == 7)
    }

    @Test("counts files of a locked class, and checks them after an unlock")
    func locked() throws {
        try volume.store("a", "secret", protection: .complete)
        try volume.store("b", "secret", protection: .completeUnlessOpen)
        let stored = try stage.stored("a")
        stage.close()
        try stage.device.lock()
        let locked = try check()
        #expect(locked.lockedFiles == 2 && locked.findings == [] && locked.files == 6)
        var bytes = try StoredFile.bytes(stored)
        bytes[8192 + 5] ^= 1
        stage.close()
        try StoredFile.write(bytes, to: stored)
        #expect(try check().findings == [])
        try stage.device.unlock("1234")
        #expect(names(try check()).keys.sorted() == ["a"])
    }

    @Test("ends when it is told to")
    func cancelled() throws {
        var count = 0
        let result = VolumeCheck.run(on: volume, repairs: false) { _ in
            count += 1
            return count < 3
        }
        #expect(result.isCancelled)
        #expect(count == 3)
    }

    @Test("says that a copy was made in the store")
    func copies() throws {
        let (one, other) = (try stage.stored("f"), try stage.stored("d/g"))
        stage.close()
        try StoredFile.write(try StoredFile.bytes(one), to: other)
        let found = try check().findings
        #expect(found.map(\.kind) == [.repeatedIdentifier])
    }
}
