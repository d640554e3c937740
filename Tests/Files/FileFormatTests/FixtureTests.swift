import Foundation
import LatchkeyFileFormat
import LatchkeyTestSupport
import Testing

/// The files of format version 1 below Fixtures/ProtectedFiles. Every later version reads them.
enum FileFixture: String, CaseIterable, Sendable {
    /// Never synchronized, without content.
    case empty
    /// One byte, written out and not synchronized.
    case flushed
    /// Two synchronizations, a change of class from 4 to 1, part of a block cut off.
    case changed
    /// A tree of depth 3 with holes.
    case sparse
    /// Written out, then tied to a database as its log.
    case tied

    var url: URL { PackageFolder.file("Fixtures/ProtectedFiles/1/\(rawValue)") }

    var length: UInt64 {
        switch self {
        case .empty: 0
        case .flushed: 1
        case .changed: 9000
        case .sparse: 40_000_000
        case .tied: 5000
        }
    }

    /// Pieces of the content; all other bytes are zeros.
    var pieces: [(offset: UInt64, bytes: [UInt8])] {
        switch self {
        case .empty: []
        case .flushed: [(0, [0x2A])]
        case .changed: [(0, Array(Sample.bytes(12_000, seed: 5).prefix(9000)))]
        case .sparse: [(10_000, Sample.bytes(5000, seed: 6)), (39_990_000, Sample.bytes(10_000, seed: 7))]
        case .tied: [(0, Sample.bytes(5000, seed: 8))]
        }
    }

    var tie: FileTie? { self == .tied ? FileTie(.log, of: [UInt8](32..<48)) : nil }

    /// Writes the file anew with the randomness that is always the same.
    func made() throws -> FaultyBacking {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        switch self {
        case .empty: break
        case .flushed:
            try file.write([0x2A], at: 0)
            try file.flush()
        case .changed:
            try file.write(Sample.bytes(12_000, seed: 5), at: 0)
            try file.synchronize(.full)
            try file.truncate(to: 9000)
            try file.synchronize(.full)
            try file.changeProtection(to: 1, wrappedKey: Sample.strict)
        case .sparse:
            for (offset, bytes) in pieces { try file.write(bytes, at: offset) }
            try file.synchronize(.full)
        case .tied:
            for (offset, bytes) in pieces { try file.write(bytes, at: offset) }
            try file.flush()
            try file.setTie(tie)
        }
        return backing
    }
}

@Suite struct FixtureTests {
    @Test("a file of version 1 opens with its content", arguments: FileFixture.allCases)
    func opens(fixture: FileFixture) throws {
        let backing = FaultyBacking(Array(try Data(contentsOf: fixture.url)))
        let file = try ProtectedFile.opened(backing, access: .readOnly)
        #expect(try file.size == fixture.length)
        #expect(try file.protectionClass == (fixture == .changed ? 1 : 4))
        #expect(try file.wrappedKey == (fixture == .changed ? Sample.strict : Sample.weak))
        #expect(try file.tie == fixture.tie)
        #expect(try file.check().isIntact)
        var expected = [UInt8](repeating: 0, count: Int(fixture.length))
        for (offset, bytes) in fixture.pieces { expected.write(bytes, at: Int(offset)) }
        let isSame = try file.contents == expected
        #expect(isSame)
    }

    @Test("the same randomness gives the bytes of the fixtures", arguments: FileFixture.allCases)
    func writes(fixture: FileFixture) throws {
        let made = try fixture.made().cached
        guard FileManager.default.fileExists(atPath: fixture.url.path) else {
            try Data(made).write(to: fixture.url)
            Issue.record("\(fixture.url.path) was missing and has been written: check and commit it")
            return
        }
        let isSame = try Data(contentsOf: fixture.url) == Data(made)
        #expect(isSame)
    }
}
