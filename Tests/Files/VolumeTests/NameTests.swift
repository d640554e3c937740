import Glibc
import Testing

@testable import LatchkeyVolume

@Suite("Names on a volume")
struct NameTests {
    private let stage: VolumeStage
    private var volume: Volume { stage.volume }

    init() throws {
        stage = try VolumeStage()
    }

    private func name(_ count: Int) -> String { String((0..<count).map { _ in "n" }) }

    @Test("of every length that matters are found again, listed and removed without a trace")
    func lengths() throws {
        let lengths = [1, 2, 15, 16, 17, 159, 160, 161, 175, 176, 177, 191, 192, 254, 255]
        for length in lengths { try volume.store(name(length), "\(length)") }
        try stage.reopen()
        #expect(try volume.names() == lengths.map(name).sorted())
        for length in lengths { #expect(try volume.text(name(length)) == "\(length)") }
        for length in lengths { try volume.remove(name(length)) }
        #expect(try stage.entries() == [])
    }

    @Test("of odd bytes are kept as they are")
    func oddBytes() throws {
        let names: [[UInt8]] = [
            [0xFF], [0xC3, 0x28], [1], [10], [27, 91, 50, 74], Array("...".utf8), Array("-rf".utf8),
            Array("+plus".utf8), Array("=equal".utf8), Array(".new-thing".utf8), Array("latchkey-volume".utf8),
            Array("a\u{301}".utf8), Array("\u{E1}".utf8), [UInt8](repeating: 0xFE, count: 255), Array("a,b".utf8),
            Array(" ".utf8), [0x5C],
        ]
        for name in names {
            let made = try volume.makeFile(
                Volume.rootNumber, EntryName(name), permissions: 0o600, by: Volume.caller)
            volume.release(made.node.number)
        }
        try stage.reopen()
        #expect(Set(try volume.entries(Volume.rootNumber).map(\.name.bytes)) == Set(names))
        for name in names { #expect(throws: Never.self) { try volume.lookup(Volume.rootNumber, EntryName(name)) } }
    }

    @Test("that no file system has are refused")
    func impossible() {
        for name in [[], [46], [46, 46], [97, 47], [97, 0]] as [[UInt8]] {
            #expect(throws: VolumeFailure(EINVAL)) { try EntryName(name) }
        }
        #expect(throws: VolumeFailure(ENAMETOOLONG)) { try EntryName([UInt8](repeating: 97, count: 256)) }
    }

    @Test("do not show in the store, and look different in two directories")
    func sealed() throws {
        let long = String(repeating: "diary", count: 40)
        for directory in ["a", "b"] {
            try volume.makeDirectory(directory)
            for name in ["diary", long] { try volume.store("\(directory)/\(name)") }
        }
        let (one, other) = (try stage.entries("a"), try stage.entries("b"))
        #expect(one.count == 3 && other.count == 3)
        #expect(Set(one).isDisjoint(with: other))
        for name in one + other + (try stage.entries()) { #expect(!name.contains("diary")) }
    }

    @Test("move between directories, and the file of a long name with them", arguments: [1, 160, 161, 255])
    func move(_ count: Int) throws {
        let name = name(count)
        try volume.makeDirectory("a")
        try volume.makeDirectory("b")
        try volume.store("a/\(name)", "content")
        try volume.move("a/\(name)", to: "b/\(name)")
        #expect(try stage.entries("a") == [])
        #expect(try volume.names("b") == [name])
        try volume.move("b/\(name)", to: "b/short")
        #expect(try stage.entries("b").count == 1)
        try volume.move("b/short", to: "a/\(name)")
        try stage.reopen()
        #expect(try volume.text("a/\(name)") == "content")
        #expect(try stage.entries("a").count == (count > 160 ? 2 : 1))
    }

    @Test("replace what is there, unless that is asked for otherwise")
    func replacing() throws {
        let long = name(200)
        for target in ["b", long] {
            try volume.store("a", "new")
            let old = try volume.make(target, "old")
            #expect(throws: VolumeFailure(EEXIST)) { try volume.move("a", to: target, flags: 1) }
            #expect(try volume.text(target) == "old")
            try volume.move("a", to: target)
            #expect(try volume.text(target) == "new")
            #expect(try volume.read(old) == Array("old".utf8), "a handle stays on the file that was replaced")
            volume.release(old)
            #expect(throws: VolumeFailure(ENOENT)) { try volume.number("a") }
        }
        #expect(try stage.entries().count == 3)
        #expect(throws: VolumeFailure(EINVAL)) { try volume.move("b", to: "c", flags: 4) }
        #expect(throws: VolumeFailure(ENOENT)) { try volume.move("none", to: name(180)) }
        #expect(try stage.entries().count == 3, "a refused move leaves no file of a long name")
    }

    @Test("change places", arguments: [(1, 2), (1, 200), (200, 201)])
    func exchange(_ one: Int, _ other: Int) throws {
        try volume.makeDirectory("d")
        try volume.store("d/inner", "inner")
        try volume.move("d", to: name(one))
        try volume.store(name(other), "file")
        try volume.move(name(one), to: name(other), flags: 2)
        for _ in 0..<2 {
            #expect(try volume.text(name(one)) == "file")
            #expect(try volume.text("\(name(other))/inner") == "inner")
            try stage.reopen()
        }
        #expect(throws: VolumeFailure(ENOENT)) { try volume.move(name(one), to: "absent", flags: 2) }
    }

    @Test("of one file are hard links, and go one by one")
    func hardLinks() throws {
        let number = try volume.make("one", "text")
        let long = name(220)
        for name in ["two", long] {
            #expect(try volume.link(number, Volume.rootNumber, EntryName(Array(name.utf8))).node.number == number)
        }
        #expect(try volume.attributes(number).status.st_nlink == 3)
        #expect(throws: VolumeFailure(EEXIST)) {
            try volume.link(number, Volume.rootNumber, EntryName(Array("two".utf8)))
        }
        try volume.move("one", to: "two")
        #expect(try volume.names() == [long, "one", "two"].sorted(), "two names of one file both stay")
        try volume.remove("one")
        try volume.write(number, Array("TE".utf8))
        #expect(try volume.text("two") == "TExt")
        try volume.remove("two")
        try volume.remove(long)
        #expect(try stage.entries() == [])
        #expect(try volume.read(number) == Array("TExt".utf8), "the handle keeps the file")
        #expect(try volume.attributes(number).status.st_nlink == 0)
        volume.release(number)
        #expect(throws: VolumeFailure.self) { try volume.open(number, flags: O_RDONLY) }
    }

    @Test("of one file are told apart after the kernel forgot a directory and looked it up again")
    func forgottenDirectory() throws {
        let first = try volume.makeDirectory("P")
        _ = try volume.makeDirectory("Q")
        try volume.store("P/a", "text")
        let file = try volume.number("P/a")
        let other = try volume.number("Q")
        #expect(try volume.link(file, other, EntryName(Array("b".utf8))).node.number == file)
        // As many times as it can have been looked up.
        volume.forget(first, count: .max)
        #expect(try volume.number("P") != first)
        #expect(try volume.number("P/a") == file)
        try volume.remove("P/a")
        #expect(try volume.attributes(file).status.st_nlink == 1)
        #expect(try volume.text("Q/b") == "text")
        try volume.store("P/a", "another")
        #expect(try volume.text("Q/b") == "text", "the name that it had is another file's now")
    }

    @Test("of directories with what was cut off in them are removed, and replaced")
    func remnants() throws {
        for name in ["d", "e"] {
            try volume.makeDirectory(name)
            let stored = try stage.stored(name)
            try StoredFile.write([1], to: stored + "/.new-file")
            try #require(mkdir(stored + "/.new-directory", 0o700) == 0)
            try StoredFile.write([2], to: stored + "/=" + self.name(43))
        }
        try volume.makeDirectory("new")
        try volume.move("new", to: "d")
        try volume.removeDirectory("e")
        #expect(try volume.names() == ["d"])
        try volume.store("d/file")
        try StoredFile.write([1], to: try stage.stored("d") + "/.new-file")
        #expect(throws: VolumeFailure(ENOTEMPTY)) { try volume.removeDirectory("d") }
        #expect(try stage.entries("d").contains(".new-file"), "nothing goes from a directory that stays")
        try volume.remove("d/file")
        try StoredFile.write([1], to: try stage.stored("d") + "/foreign file")
        #expect(throws: VolumeFailure(ENOTEMPTY)) { try volume.removeDirectory("d") }
    }

    @Test("are listed without entries that no volume makes")
    func foreignEntries() throws {
        try volume.store("own")
        let content = stage.storage + "/content"
        for name in [
            "hello", ".new-abc", ".hidden", "=", "+", "+" + self.name(43), "=" + self.name(43), "AAAA", "\u{E9}",
        ] {
            try StoredFile.write([1, 2, 3], to: content + "/" + name)
        }
        #expect(try volume.names() == ["own"])
        try volume.store("another")
        try stage.reopen()
        #expect(try volume.names() == ["another", "own"])
    }
}
