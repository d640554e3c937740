import Foundation
import LatchkeyAuditLog
import LatchkeyEncoding
import Testing

@Suite("The chain of the audit log")
struct ChainTests {
    @Test("holds for a log as it was written")
    func sound() throws {
        let directory = try LogDirectory()
        directory.write(["a"])
        directory.advance(by: 60)
        directory.write(["b", "c"])
        let verdict = try directory.reader.verify()
        #expect(verdict.fault == nil)
        #expect(verdict.recordCount == 3)
        #expect(verdict.firstNumber == 1)
        #expect(verdict.firstTime == 800_000_000)
        #expect(verdict.lastTime == 800_000_060)
        #expect(verdict.head?.number == 3)
        #expect(verdict.head?.digest == (try directory.frames().last?.suffix(32)).map { Array($0) })
        #expect(verdict.asideFiles.isEmpty)
    }

    @Test("of a device that has no log yet has no record and no fault")
    func empty() throws {
        let directory = try LogDirectory()
        let verdict = try directory.reader.verify()
        #expect(verdict.recordCount == 0 && verdict.head == nil && verdict.fault == nil)
    }

    @Test("shows every byte that was changed", arguments: [UInt8(0x01), 0x80, 0xFF])
    func flippedBytes(_ mask: UInt8) throws {
        let directory = try LogDirectory()
        directory.write(["a", "b", "c"])
        let bytes = try directory.bytes()
        let starts = try directory.frames().reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= mask
            try directory.put(changed)
            let verdict = try directory.reader.verify()
            let sound = starts.dropFirst().count { $0 <= index }
            #expect(verdict.fault != nil, "byte \(index) was changed and nothing was found")
            #expect(verdict.recordCount == sound, "byte \(index)")
            #expect(verdict.fault?.lastSoundNumber == Int64(sound), "byte \(index)")
        }
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fault: AuditFault.Kind
        let lastSoundNumber: Int64
        let change: @Sendable (inout [[UInt8]]) -> Void
    }

    static let changes = [
        Change(testDescription: "the first record removed", fault: .missingBeginning, lastSoundNumber: 0) {
            $0.removeFirst()
        },
        Change(testDescription: "all but the last removed", fault: .missingBeginning, lastSoundNumber: 0) {
            $0.removeFirst(4)
        },
        Change(testDescription: "a record in the middle removed", fault: .missingRecords, lastSoundNumber: 2) {
            $0.remove(at: 2)
        },
        Change(testDescription: "two in the middle removed", fault: .missingRecords, lastSoundNumber: 1) {
            $0.removeSubrange(1...2)
        },
        Change(testDescription: "two records swapped", fault: .wrongOrder, lastSoundNumber: 1) { $0.swapAt(1, 2) },
        Change(testDescription: "the first and the last swapped", fault: .missingBeginning, lastSoundNumber: 0) {
            $0.swapAt(0, 4)
        },
        Change(testDescription: "a record repeated at the end", fault: .wrongOrder, lastSoundNumber: 5) {
            $0.append($0[2])
        },
        Change(testDescription: "a record repeated in its place", fault: .wrongOrder, lastSoundNumber: 3) {
            $0.insert($0[2], at: 3)
        },
        Change(testDescription: "noise appended", fault: .changed, lastSoundNumber: 5) {
            $0.append([UInt8](repeating: 0xA5, count: 300))
        },
        Change(testDescription: "a record appended without the right digest", fault: .changed, lastSoundNumber: 5) {
            var frame = $0[4]
            frame[frame.count - 40] ^= 1
            $0.append(frame)
        },
        Change(testDescription: "zeros appended", fault: .cut, lastSoundNumber: 5) {
            $0.append([UInt8](repeating: 0, count: 4096))
        },
        Change(testDescription: "the last record cut short", fault: .cut, lastSoundNumber: 4) { $0[4].removeLast() },
        Change(testDescription: "the last length cut short", fault: .cut, lastSoundNumber: 4) { $0[4] = [1, 1] },
        Change(testDescription: "a length of nothing", fault: .changed, lastSoundNumber: 1) {
            $0[1].replaceSubrange(0..<4, with: [0, 0, 0, 0])
        },
        Change(testDescription: "a length beyond the limit", fault: .changed, lastSoundNumber: 1) {
            $0[1].replaceSubrange(0..<4, with: [1, 0x10, 0, 0])
        },
    ]

    @Test("shows where and why it breaks", arguments: changes)
    func breaks(_ change: Change) throws {
        let directory = try LogDirectory()
        directory.write(["a", "b", "c", "d", "e"])
        var frames = try directory.frames()
        change.change(&frames)
        try directory.put(frames.joined())
        let verdict = try directory.reader.verify()
        #expect(verdict.fault?.kind == change.fault)
        #expect(verdict.fault?.lastSoundNumber == change.lastSoundNumber)
        #expect(verdict.fault?.file == "audit")
        #expect(verdict.recordCount == Int(change.lastSoundNumber))
    }

    @Test("shows a record of another log, sound in itself, in the place of one of its own")
    func spliced() throws {
        let (one, other) = (try LogDirectory(), try LogDirectory())
        one.write(["a", "b", "c"])
        other.write(["x", "y", "z"])
        let (own, foreign) = (try one.frames(), try other.frames())
        try one.put([own[0], foreign[1], own[2]].joined())
        let fault = try one.reader.verify().fault
        #expect(fault?.kind == .changed && fault?.lastSoundNumber == 1)
    }

    @Test("shows that its end was cut off to a reader that remembers a place in it")
    func remembered() throws {
        let directory = try LogDirectory()
        directory.write(["a", "b"])
        let head = try #require(try directory.reader.verify().head)
        directory.write(["c"])
        #expect(try directory.reader.verify(expecting: head).fault == nil)
        let frames = try directory.frames()
        try directory.put(frames[0])
        #expect(try directory.fault() == nil, "the file alone cannot tell")
        #expect(try directory.reader.verify(expecting: head).fault?.kind == .missingEnd)
        directory.write(["d", "e"])
        #expect(try directory.fault() == nil)
        #expect(try directory.reader.verify(expecting: head).fault?.kind == .changed)
        try FileManager.default.removeItem(at: directory.url())
        #expect(try directory.reader.verify(expecting: head).fault?.kind == .missingEnd)
    }

    @Test("is shown as far as it can be read, the newest first")
    func tail() throws {
        let directory = try LogDirectory()
        directory.write(["a", "b", "c"])
        #expect(try directory.reader.tail(2).map(\.event.accessGroup) == ["c", "b"])
        #expect(try directory.reader.tail(9).map(\.event.accessGroup) == ["c", "b", "a"])
        #expect(try directory.reader.tail(0).isEmpty)
        var frames = try directory.frames()
        frames[2].removeLast(5)
        try directory.put(frames.joined())
        #expect(try directory.reader.tail(9).map(\.event.accessGroup) == ["b", "a"])
    }

    @Test("cannot be read where there is no directory, and says so")
    func unreadable() throws {
        let directory = try LogDirectory()
        let reader = AuditReader(directory: directory.path + "/none")
        #expect(throws: AuditReadFailure.unreadable(path: directory.path + "/none", errno: ENOENT)) {
            try reader.verify()
        }
        #expect(throws: AuditReadFailure.self) { try reader.tail(1) }
    }
}
