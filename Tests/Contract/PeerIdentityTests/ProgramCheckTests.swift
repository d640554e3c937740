import Foundation
import Glibc
import LatchkeyCodeSignature
import Testing

@testable import LatchkeyPeerIdentity

@Suite("A program is read once, and again when its file changed")
struct ProgramCheckTests {
    /// A clock that is an hour ahead of every file, so that none is too fresh to be remembered.
    static func later() -> Int64 { FileIdentity.wallTime() + 3_600_000_000_000 }

    private func check(_ directories: [String] = [], capacity: Int = 256) -> ProgramCheck {
        ProgramCheck(detachedDirectories: directories, capacity: capacity, now: { Self.later() })
    }

    @Test("an unsigned program is not hashed")
    func unsigned() throws {
        let file = try SignedFile()
        let finding = check().finding(on: try file.open())
        #expect(finding.signature == .none)
        #expect(finding.digest == nil)
    }

    @Test("a signed program is read once for any number of connections")
    func cached() throws {
        let file = try SignedFile()
        try file.sign()
        let check = check()
        for _ in 0..<3 {
            let finding = check.finding(on: try file.open())
            guard case .valid(let signature) = finding.signature else {
                Issue.record("\(finding.signature)")
                return
            }
            #expect(signature.statement.application == file.application)
            #expect(finding.digest == (try file.digest()))
        }
        #expect(check.readCount == 1)
    }

    @Test("a byte changed after signing is found, also by a check that knew the file before")
    func changed() throws {
        let file = try SignedFile()
        try file.sign()
        let check = check()
        _ = check.finding(on: try file.open())
        try file.changeByte(at: SignedFile.codeOffset)
        #expect(check.finding(on: try file.open()).signature == .refused(.wrongDigest))
        #expect(check.readCount == 2)
    }

    @Test("a file that was changed within the last second is read each time")
    func fresh() throws {
        let file = try SignedFile()
        try file.sign()
        let changed = try file.open().identity.changed
        for (age, reads) in [(Int64(0), 2), (ProgramCheck.restlessNanoseconds, 1), (-1_000_000, 2)] {
            let check = ProgramCheck(now: { changed + age })
            _ = check.finding(on: try file.open())
            _ = check.finding(on: try file.open())
            #expect(check.readCount == reads, "\(age) ns after the change")
        }
    }

    @Test("only so many programs are remembered; the one not used for longest goes")
    func bounded() throws {
        let files = try (0..<3).map { _ in try SignedFile() }
        let check = check(capacity: 2)
        _ = check.finding(on: try files[0].open())
        _ = check.finding(on: try files[1].open())
        _ = check.finding(on: try files[0].open())
        _ = check.finding(on: try files[2].open())
        #expect(check.entryCount == 2)
        #expect(check.readCount == 3)
        _ = check.finding(on: try files[0].open())
        #expect(check.readCount == 3)
        _ = check.finding(on: try files[1].open())
        #expect(check.readCount == 4)
    }

    @Test("a signature beside the program counts, also one that comes later")
    func detached() throws {
        let file = try SignedFile()
        let place = file.directory + "/signatures"
        let check = check([file.directory + "/none", place])
        #expect(check.finding(on: try file.open()).signature == .none)
        let signature = try file.signature()
        _ = try file.detach(signature)
        #expect(check.finding(on: try file.open()).signature == .valid(signature))
        try FileManager.default.removeItem(atPath: place)
        #expect(check.finding(on: try file.open()).signature == .none)
    }

    @Test("a signature in the file and one beside it that disagree are refused")
    func two() throws {
        let file = try SignedFile()
        try file.sign()
        let other = TeamKey.generate()
        for (signature, isAccepted) in [
            (try file.signature(), true), (try file.signature(named: "other"), false),
            (try file.signature(by: other), false),
        ] {
            let place = try file.detach(signature)
            let found = check([place]).finding(on: try file.open()).signature
            if isAccepted {
                guard case .valid = found else {
                    Issue.record("\(found)")
                    continue
                }
            } else {
                #expect(found == .refused(.twoSignatures))
            }
        }
    }

    @Test("a directory or a signature that others can write counts for nothing, and not as none")
    func writableByOthers() throws {
        let file = try SignedFile()
        let place = try file.detach(try file.signature())
        #expect(chmod(place, 0o777) == 0)
        #expect(check([place]).finding(on: try file.open()).signature == .none)
        #expect(chmod(place, 0o755) == 0)
        let entry = try #require(try FileManager.default.contentsOfDirectory(atPath: place).first)
        #expect(chmod(place + "/" + entry, 0o666) == 0)
        guard case .refused(.malformed) = check([place]).finding(on: try file.open()).signature else {
            Issue.record("a signature that others can write was accepted")
            return
        }
    }

    @Test("a program that may be run but not read is an unsigned one")
    func unreadable() throws {
        let file = try SignedFile()
        try file.sign()
        try #require(chmod(file.path, 0o111) == 0)
        // Root reads everything; the descriptor itself is what the check looks at.
        guard geteuid() != 0 else { return try #require(try file.open().isReadable) }
        let program = try file.open()
        #expect(!program.isReadable)
        #expect(check().finding(on: program).signature == .none)
    }
}
