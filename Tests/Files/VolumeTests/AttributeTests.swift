import Glibc
import LatchkeyKeybag
import LatchkeyTestSupport
import Testing

@testable import LatchkeyVolume

@Suite("Attributes on a volume")
struct AttributeTests {
    private let stage: VolumeStage
    private var volume: Volume { stage.volume }

    init() throws {
        stage = try VolumeStage()
    }

    private func change(_ path: String, _ body: (inout AttributeChanges) -> Void) throws {
        var changes = AttributeChanges()
        body(&changes)
        _ = try volume.setAttributes(try volume.number(path), changes)
    }

    @Test("every combination of permissions is kept, for files and directories")
    func permissions() throws {
        try volume.store("f")
        try volume.makeDirectory("d")
        for path in ["f", "d"] {
            for permissions in 0...0o7777 as ClosedRange<UInt32> {
                let number = try volume.number(path)
                try change(path) { $0.permissions = permissions }
                #expect(try volume.attributes(number).status.st_mode & 0o7777 == permissions)
                // Read from the store again.
                volume.forget(number, count: .max)
                #expect(try volume.permissions(path) == permissions)
            }
        }
    }

    @Test(
        "a new file and a new directory have the permissions they were made with",
        arguments: [0, 0o200, 0o400, 0o444, 0o600, 0o644, 0o1644, 0o2755, 0o4755] as [UInt32])
    func made(_ permissions: UInt32) throws {
        let handle = try volume.make("f", "content", permissions: permissions)
        try volume.write(handle, Array("C".utf8))
        volume.release(handle)
        try volume.makeDirectory("d", permissions: permissions)
        // The kernel takes the bits that run a program as others from what a user writes to.
        let kept = geteuid() == 0 ? permissions : permissions & 0o1777
        for _ in 0..<2 {
            #expect(try volume.permissions("f") == kept)
            // As with mkdir(2), bits that run programs as others are set later.
            #expect(try volume.permissions("d") == permissions & 0o1777)
            #expect(try volume.text("f") == "Content", "the kernel enforces permissions, the volume does not")
            try stage.reopen()
        }
        try volume.store("d/inner")
    }

    @Test(
        "what root makes for another user keeps the bits that run it as its owner or group",
        .needsRoot(to: "make files of another user"), arguments: [0o4755, 0o2755, 0o6711, 0o4400, 0o644] as [UInt32])
    func madeForOther(_ permissions: UInt32) throws {
        let caller = VolumeCaller(user: 12_345, group: 12_346)
        func make(_ path: String) throws -> stat {
            let (parent, name) = try volume.parent(path)
            let made = try volume.makeFile(parent, name, permissions: permissions, by: caller)
            volume.release(made.node.number)
            return try volume.attributes(made.node.number).status
        }
        let file = try make("f")
        #expect(file.st_uid == 12_345 && file.st_gid == 12_346)
        #expect(file.st_mode & 0o7777 == permissions)
        try volume.makeDirectory("d")
        try change("d") { $0.group = 12_347 }
        try change("d") { $0.permissions = 0o2777 }
        let other = try make("d/f")
        #expect(other.st_gid == 12_347)
        #expect(other.st_mode & 0o7777 == permissions & ~0o2000, "not as a group that is not the program's")
        try stage.reopen()
        #expect(try volume.permissions("f") == permissions)
        #expect(try volume.permissions("d/f") == permissions & ~0o2000)
    }

    @Test("an attribute of the wrong length does not count as permissions")
    func badPermissions() throws {
        try volume.store("f", permissions: 0o400)
        let stored = try stage.stored("f")
        for value in [[], [1], [1, 2, 3], [UInt8](repeating: 0xFF, count: 300)] as [[UInt8]] {
            try StoredFile.setAttribute(stored, Permissions.attribute, value)
            try stage.reopen()
            _ = try volume.permissions("f")
            #expect(try volume.text("f") == "")
        }
    }

    @Test("the time of a change is that of the write, whenever it reaches the store")
    func times() throws {
        let number = try volume.make("f", "one")
        let old = timespec(tv_sec: 1_000_000_000, tv_nsec: 123_456_789)
        try change("f") { $0.times = FileTimes(access: old, change: old) }
        func expectOld() throws {
            let status = try volume.attributes(try volume.number("f")).status
            #expect(status.st_mtim.tv_sec == old.tv_sec && status.st_mtim.tv_nsec == old.tv_nsec)
        }
        try expectOld()
        try volume.flush(number)
        try expectOld()
        try volume.synchronize(number)
        try expectOld()
        volume.release(number)
        try expectOld()
        try stage.reopen()
        try expectOld()
        // A write has its own time, which the write-out does not change.
        let again = try volume.number("f")
        try volume.open(again, flags: O_RDWR)
        try volume.write(again, Array("two".utf8))
        let written = try volume.attributes(again).status.st_mtim
        #expect(written.tv_sec > old.tv_sec)
        try volume.flush(again)
        try volume.synchronize(again)
        volume.release(again)
        try stage.reopen()
        let found = try volume.attributes(try volume.number("f")).status.st_mtim
        #expect(found.tv_sec == written.tv_sec && found.tv_nsec == written.tv_nsec)
    }

    @Test("a change of class leaves the time of the content")
    func classChange() throws {
        try volume.store("f", "text")
        let old = timespec(tv_sec: 1_000_000_000, tv_nsec: 5)
        try change("f") { $0.times = FileTimes(change: old) }
        let number = try volume.number("f")
        try volume.setExtendedAttribute(
            number, Array("user.latchkey.protection".utf8), Array(FileProtection.none.rawValue.utf8), flags: 0)
        try stage.reopen()
        #expect(try volume.attributes(volume.number("f")).status.st_mtim.tv_sec == old.tv_sec)
        #expect(try volume.lookup(Volume.rootNumber, EntryName(Array("f".utf8))).node.protection == FileProtection.none)
    }

    @Test("lengths are those of the content, and follow each change")
    func lengths() throws {
        let number = try volume.make("f")
        func length() throws -> Int { Int(try volume.attributes(number).status.st_size) }
        #expect(try length() == 0)
        try volume.write(number, [1], at: 100_000)
        #expect(try length() == 100_001)
        try change("f") { $0.size = 5 }
        #expect(try length() == 5)
        try volume.allocate(number, mode: 0, offset: 0, count: 9000)
        #expect(try length() == 9000)
        try volume.allocate(number, mode: 1, offset: 0, count: 20000)
        #expect(try length() == 9000)
        #expect(throws: VolumeFailure(EOPNOTSUPP)) { try volume.allocate(number, mode: 3, offset: 0, count: 1) }
        #expect(throws: VolumeFailure(ENOSPC)) { try volume.allocate(number, mode: 0, offset: 0, count: 1 << 62) }
        #expect(throws: VolumeFailure(EFBIG)) { try volume.allocate(number, mode: 0, offset: .max, count: 2) }
        #expect(throws: VolumeFailure(EFBIG)) { try change("f") { $0.size = 1 << 48 } }
        volume.release(number)
        try stage.reopen()
        #expect(try volume.attributes(volume.number("f")).status.st_size == 9000)
        #expect(throws: VolumeFailure(EISDIR)) { _ = try volume.setAttributes(Volume.rootNumber, sized(1)) }
    }

    private func sized(_ size: UInt64) -> AttributeChanges {
        var changes = AttributeChanges()
        changes.size = size
        return changes
    }

    @Test("links keep their targets, of up to about 3,000 bytes")
    func links() throws {
        let targets: [[UInt8]] = [[97], Array("../a b\n".utf8), [0xFF, 0xFE], [UInt8](repeating: 97, count: 3000)]
        for (index, target) in targets.enumerated() {
            let made = try volume.makeLink(
                Volume.rootNumber, EntryName(Array("l\(index)".utf8)), to: target, by: Volume.caller)
            #expect(made.status.st_size == target.count)
        }
        try volume.makeDirectory("d")
        try volume.move("l1", to: "d/moved")
        try volume.move("d/moved", to: "l1")
        try stage.reopen()
        for (index, target) in targets.enumerated() {
            let number = try volume.number("l\(index)")
            #expect(try volume.target(ofLink: number) == target)
            #expect(try volume.attributes(number).status.st_size == target.count)
        }
        #expect(throws: VolumeFailure(ENAMETOOLONG)) {
            try volume.makeLink(
                Volume.rootNumber, EntryName([97]), to: [UInt8](repeating: 97, count: 3100), by: Volume.caller)
        }
        #expect(try stage.entries().count == targets.count + 1)
    }
}
