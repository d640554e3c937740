import Foundation
import Glibc
import LatchkeyFileAccess
import Testing

@testable import LatchkeyVolume

@Suite("A store that was changed behind the volume's back")
struct HostileStoreTests {
    private let stage: VolumeStage
    private var volume: Volume { stage.volume }

    init() throws {
        stage = try VolumeStage()
    }

    private func rename(_ old: String, _ new: String) throws {
        try #require(Glibc.rename(old, new) == 0, "\(old) \(new) \(errno)")
    }

    /// Two files change places.
    private func exchange(_ one: String, _ other: String) throws {
        try rename(one, one + ".tmp")
        try rename(other, one)
        try rename(one + ".tmp", other)
    }

    @Test("an entry under another name, or in another directory, is not there")
    func movedEntries() throws {
        for directory in ["a", "b"] {
            try volume.makeDirectory(directory)
            try volume.store("\(directory)/f", "in \(directory)")
        }
        let (one, other) = (try stage.stored("a/f"), try stage.stored("b"))
        try rename(one, other + "/" + (one as NSString).lastPathComponent)
        try stage.reopen()
        #expect(try volume.names("a") == [])
        #expect(try volume.names("b") == ["f"])
        #expect(throws: VolumeFailure(ENOENT)) { try volume.text("a/f") }
        #expect(try volume.text("b/f") == "in b")
    }

    @Test("a directory that changes places with another shows its own names")
    func exchangedDirectories() throws {
        for directory in ["a", "b"] {
            try volume.makeDirectory(directory)
            try volume.store("\(directory)/in \(directory)", directory)
        }
        try exchange(try stage.stored("a"), try stage.stored("b"))
        try stage.reopen()
        #expect(try volume.names("a") == ["in b"])
        #expect(try volume.text("a/in b") == "b")
    }

    @Test("the content of one file under the header of another is refused")
    func mixedFiles() throws {
        let text = String(repeating: "one or two", count: 2000)
        for name in ["one", "two"] { try volume.store(name, name + text) }
        let (one, two) = (try stage.stored("one"), try stage.stored("two"))
        stage.close()
        let (first, second) = (try StoredFile.bytes(one), try StoredFile.bytes(two))
        try StoredFile.write(Array(first[..<8192] + second[8192...]), to: one)
        try StoredFile.write(Array(second[..<4096] + first[4096..<8192] + second[8192...]), to: two)
        try stage.open()
        #expect(throws: VolumeFailure(EIO)) { try volume.text("one") }
        #expect(throws: VolumeFailure(EIO)) { try volume.text("two") }
        #expect(try volume.names() == ["one", "two"])
        for name in ["one", "two"] { try volume.remove(name) }
        #expect(try stage.entries() == [], "what is damaged can be removed")
    }

    @Test(
        "a file that was cut or replaced by other bytes is refused", arguments: [1, 100, 4095, 4096, 8191, 8192, 12000]
    )
    func cutFiles(_ count: Int) throws {
        let text = String(repeating: "t", count: 10000)
        try volume.store("f", text)
        let stored = try stage.stored("f")
        stage.close()
        let bytes = try StoredFile.bytes(stored)
        // A header that is left may be that of an earlier state: of the empty file.
        try StoredFile.write(Array(bytes[..<count]), to: stored)
        try stage.open()
        if count < 2048 || count >= 6144 {
            #expect(throws: VolumeFailure(EIO)) { try volume.text("f") }
        } else {
            #expect(try volume.text("f") == "")
        }
        stage.close()
        for altered in [
            [UInt8](repeating: 0, count: count), [UInt8](repeating: 0xA7, count: count),
            Array(bytes[..<4]) + [UInt8](repeating: 0, count: count),
        ] {
            try StoredFile.write(altered, to: stored)
            try stage.open()
            #expect(throws: VolumeFailure(EIO)) { try volume.text("f") }
            _ = try volume.attributes(volume.number("f"))
            #expect(throws: VolumeFailure(EIO)) {
                let number = try volume.number("f")
                try volume.open(number, flags: O_RDWR | O_TRUNC)
                volume.release(number)
            }
            stage.close()
            #expect(try StoredFile.bytes(stored) == altered, "damage is not overwritten")
        }
        try StoredFile.write(bytes, to: stored)
        try stage.open()
        #expect(try volume.text("f") == text)
    }

    @Test("a directory without its identifier is an error, and can be removed when it is empty")
    func lostIdentifier() throws {
        try volume.makeDirectory("d")
        try volume.store("d/f", "text")
        let stored = try stage.stored("d")
        stage.close()
        let identifier = try StoredFile.attribute(stored, Volume.identifierAttribute)
        #expect(identifier.count == 16)
        for count in [0, 15, 17] {
            let value = Array((identifier + [1])[..<count])
            try StoredFile.setAttribute(stored, Volume.identifierAttribute, value)
            try stage.open()
            #expect(throws: VolumeFailure(EIO)) { try volume.number("d") }
            stage.close()
        }
        try StoredFile.removeAttribute(stored, Volume.identifierAttribute)
        try stage.open()
        #expect(throws: VolumeFailure(EIO)) { try volume.number("d") }
        #expect(try volume.names() == ["d"])
        #expect(throws: VolumeFailure(ENOTEMPTY)) { try volume.removeDirectory("d") }
        stage.close()
        try StoredFile.setAttribute(stored, Volume.identifierAttribute, identifier)
        try stage.open()
        #expect(try volume.text("d/f") == "text")
    }

    enum Impostor: CaseIterable {
        case link, danglingLink, pipe, socket, directory, device
    }

    /// Puts something else under a path.
    private func put(_ impostor: Impostor, at path: String) throws {
        switch impostor {
        case .link: try #require(symlink(stage.beside("outside"), path) == 0)
        case .danglingLink: try #require(symlink(stage.beside("nowhere"), path) == 0)
        case .pipe: try #require(mkfifo(path, 0o600) == 0)
        case .socket: try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
        case .directory: try #require(mkdir(path, 0o700) == 0)
        case .device:
            // /dev/zero; only root makes devices.
            try #require((geteuid() == 0 ? mknod(path, S_IFCHR | 0o600, 1 << 8 | 5) : mkfifo(path, 0o600)) == 0)
        }
    }

    @Test(
        "another kind of entry in place of a file is never followed, and blocks nothing", arguments: Impostor.allCases)
    func impostorFiles(_ impostor: Impostor) throws {
        try StoredFile.write(Array("outside".utf8), to: stage.beside("outside"))
        let known = try volume.store("known", "text")
        try volume.store("unknown", "text")
        let paths = try ["known", "unknown"].map { try stage.stored($0) }
        volume.forget(try volume.number("unknown"), count: .max)
        for path in paths {
            try #require(unlink(path) == 0)
            try put(impostor, at: path)
        }
        // Still known as a file, though closed.
        for node in volume.closed.removeAll() { volume.letGo(node) }
        #expect(throws: VolumeFailure.self) {
            try volume.open(known, flags: O_RDWR)
            defer { volume.release(known) }
            try volume.write(known, [1])
            try volume.synchronize(known)
        }
        for name in ["known", "unknown"] {
            #expect(throws: VolumeFailure.self) { try volume.text(name) }
            _ = try? volume.target(ofLink: try volume.number(name))
            _ = try? volume.extendedAttributeNames(try volume.number(name))
            _ = try? volume.setAttributes(try volume.number(name), all)
        }
        #expect(try StoredFile.bytes(stage.beside("outside")) == Array("outside".utf8))
        var status = stat()
        try #require(stat(stage.beside("outside"), &status) == 0)
        #expect(status.st_mode & 0o7777 != 0o4750 && status.st_mtim.tv_sec > 1)
        #expect(throws: VolumeFailure.self) { try volume.store("unknown/below") }
    }

    private var all: AttributeChanges {
        var changes = AttributeChanges()
        changes.permissions = 0o4750
        changes.times = FileTimes(change: timespec(tv_sec: 1, tv_nsec: 0))
        return changes
    }

    @Test("another kind of entry in place of a directory is never followed", arguments: Impostor.allCases)
    func impostorDirectories(_ impostor: Impostor) throws {
        // With everything that a directory of the volume has.
        try volume.makeDirectory("d")
        try volume.store("d/f", "text")
        let stored = try stage.stored("d")
        try rename(stored, stage.beside("outside"))
        try put(impostor, at: stored)
        stage.close()
        try stage.open()
        #expect(throws: VolumeFailure.self) { try volume.names("d") }
        #expect(throws: VolumeFailure.self) { try volume.text("d/f") }
        #expect(throws: VolumeFailure.self) { try volume.store("d/new") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.beside("outside")).count == 1)
    }

    @Test("the root and the description are not followed, and block nothing", arguments: Impostor.allCases)
    func impostorRoot(_ impostor: Impostor) throws {
        stage.close()
        for name in ["content", "latchkey-volume"] {
            let path = stage.storage + "/" + name
            try rename(path, stage.beside("outside"))
            // An empty directory without names is what a new root looks like.
            if impostor == .directory, name == "content" {
                try rename(stage.beside("outside"), path)
                continue
            }
            try put(impostor, at: path)
            #expect(throws: Volume.OpeningFailure.self) { try stage.open() }
            #expect(throws: Volume.OpeningFailure.self) { try stage.open(isReadOnly: true) }
            _ = remove(path)
            try rename(stage.beside("outside"), path)
        }
        try stage.open()
    }

    @Test("the file of a long name that is damaged, swapped, huge or missing hides the entry and nothing else")
    func longNames() throws {
        let (one, two) = (String(repeating: "1", count: 200), String(repeating: "2", count: 200))
        for name in ["short", one, two] { try volume.store(name, "text") }
        func sidecar(_ name: String) throws -> String {
            let entry = (try stage.stored(name) as NSString).lastPathComponent
            return stage.storage + "/content/=" + entry.dropFirst()
        }
        let paths = (try sidecar(one), try sidecar(two))
        let bytes = try StoredFile.bytes(paths.0)
        let other = try StoredFile.bytes(paths.1)
        stage.close()
        let alterations: [[UInt8]] = [
            [], Array(bytes.dropLast()), bytes + [0], [bytes[0] ^ 1] + bytes.dropFirst(), other,
            [UInt8](repeating: 1, count: 513), [UInt8](repeating: 1, count: 1 << 20),
        ]
        for altered in alterations {
            try StoredFile.write(altered, to: paths.0)
            try stage.open()
            #expect(try volume.names() == ["short", two].sorted())
            // Known by its name it is still found: the entry depends on the name alone.
            #expect(try volume.text(one) == "text")
            stage.close()
        }
        for impostor in Impostor.allCases {
            _ = remove(paths.0)
            try put(impostor, at: paths.0)
            try stage.open()
            #expect(try volume.names() == ["short", two].sorted())
            stage.close()
        }
        _ = remove(paths.0)
        try stage.open()
        #expect(try volume.names() == ["short", two].sorted())
        // A use of the name writes it again.
        try volume.store("new")
        try volume.move("new", to: one)
        #expect(try volume.names() == ["short", one, two].sorted())
    }

    @Test("a target that was altered, cut or made up is an error")
    func targets() throws {
        _ = try volume.makeLink(Volume.rootNumber, EntryName([108]), to: Array("target".utf8), by: Volume.caller)
        let stored = try stage.stored("l")
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: stored)
        let flipped = (target.first == "A" ? "B" : "A") + target.dropFirst()
        for altered in ["/etc/passwd", "x", flipped, String(target.dropLast(4)), target + "AAAA", "AAAA", "%"] {
            try #require(unlink(stored) == 0 && symlink(altered, stored) == 0)
            try stage.reopen()
            let number = try volume.number("l")
            #expect(try volume.attributes(number).status.st_size >= 0)
            #expect(throws: VolumeFailure(EIO)) { try volume.target(ofLink: number) }
        }
    }

    @Test("hard links between directories of the store show one file under the names that were sealed")
    func storedHardLinks() throws {
        try volume.makeDirectory("d")
        try volume.store("f", "text")
        try volume.store("d/g", "other")
        let (file, inner) = (try stage.stored("f"), try stage.stored("d/g"))
        try #require(unlink(inner) == 0 && link(file, inner) == 0)
        try stage.reopen()
        #expect(try volume.text("f") == "text")
        #expect(try volume.text("d/g") == "text")
        let number = try volume.number("f")
        #expect(try volume.number("d/g") == number)
        try volume.open(number, flags: O_RDWR)
        try volume.write(number, Array("T".utf8))
        volume.release(number)
        try volume.remove("f")
        #expect(try volume.text("d/g") == "Text")
    }
}
