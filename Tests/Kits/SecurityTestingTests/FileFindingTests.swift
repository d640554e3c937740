import DataProtection
import Foundation
import LatchkeyTestSupport
import SecurityTesting
import Testing

@Suite("The findings about files")
struct FileFindingTests {
    private static let letter = Data("Dear diary, today the phone was locked.".utf8)
    private static let journalStart: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

    @Test("name the line that gave Foundation a class, and the file that it left in clear")
    func ignoredOption() throws {
        let device = try VirtualDevice()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let elsewhere = folder.appendingPathComponent("letter")
        let line = #line + 2
        try device.run {
            try Self.letter.write(to: elsewhere, options: [.completeFileProtection, .atomic])
            for _ in 0..<3 {
                try Self.letter.write(to: device.files.url("a"), options: .completeFileProtectionUnlessOpen)
            }
            // Nothing is asked for here.
            try Self.letter.write(to: elsewhere)
            try Self.letter.write(to: elsewhere, options: .noFileProtection)
            #expect(throws: CocoaError.self) {
                try Self.letter.write(to: folder.appendingPathComponent("no/letter"), options: .completeFileProtection)
            }
        }
        // The test's own, outside of any app.
        try Self.letter.write(to: elsewhere, options: .completeFileProtection)
        #expect(try Data(contentsOf: elsewhere) == Self.letter)
        let findings = device.findings
        #expect(findings.map(\.kind) == [.fileWithoutClass, .fileWithoutClass])
        #expect(findings.map(\.call) == [.dataWrite, .dataWrite])
        #expect(findings.map(\.path) == [elsewhere.resolvingSymlinksInPath().path, "a"])
        #expect(findings.map(\.callSite?.line) == [line, line + 2])
        #expect(findings.allSatisfy { $0.callSite?.file.hasSuffix("FileFindingTests.swift") ?? false })
        #expect(findings.first?.applicationIdentifier == "LATCHKEY00.com.example.app")
        #expect(findings.last?.reason.contains("completeFileProtectionUnlessOpen") ?? false)
    }

    @Test("name a file that is stored in clear, whichever call wrote it")
    func withoutClass() throws {
        let device = try VirtualDevice()
        try device.run {
            try Self.letter.write(to: device.files.url("option"))
            try Self.letter.writeProtected(to: device.files.url("good"), options: .completeFileProtection)
            #expect(FileManager.default.createFile(atPath: device.files.url("attribute").path, contents: Self.letter))
            try FileManager.default.setAttributes(
                [.protectionKey: FileProtectionType.complete], ofItemAtPath: device.files.url("attribute").path)
            // Nothing is in it that could be protected.
            #expect(FileManager.default.createFile(atPath: device.files.url("lock").path, contents: nil))
        }
        let findings = device.findings
        #expect(findings.map(\.kind) == [.fileWithoutClass, .fileWithoutClass])
        #expect(findings.map(\.path) == ["attribute", "option"])
        let finding = try #require(findings.last)
        #expect(finding.call == .storedFile)
        #expect(finding.callSite == nil)
        #expect(finding.applicationIdentifier == "")
        #expect(finding.description.hasPrefix("option: The file is stored in clear."))
        #expect(finding.advice.contains("writeProtected"))
        try device.run {
            for name in ["option", "attribute"] {
                try ProtectedFileManager.default.setAttributes(
                    [.protectionKey: FileProtectionType.complete], ofItemAtPath: device.files.url(name).path)
            }
        }
        #expect(device.findings.isEmpty)
    }

    @Test("stay after the device was closed, and start over when they are forgotten")
    func forgotten() throws {
        let device = try VirtualDevice()
        try Self.letter.write(to: device.files.url("a"))
        #expect(device.findings.count == 1)
        device.forgetFindings()
        #expect(device.findings.isEmpty)
        try Self.letter.write(to: device.files.url("b"))
        #expect(device.findings.map(\.path) == ["b"])
        device.close()
        #expect(device.findings.map(\.path) == ["b"])
        device.forgetFindings()
        #expect(device.findings.isEmpty)
        device.close()
    }

    struct Journal: Sendable, CustomTestStringConvertible {
        let name: String
        let start: [UInt8]
        let kind: Finding.Kind?

        init(_ name: String, _ start: [UInt8], _ kind: Finding.Kind?) {
            (self.name, self.start, self.kind) = (name, start, kind)
        }

        var testDescription: String { "\(name) \(start.prefix(4))" }
    }

    /// "Database File Format", sections 3 and 4.
    static let journals = [
        Journal("notes.db-journal", journalStart, .unprotectedJournal),
        // After a transaction with PRAGMA journal_mode = PERSIST.
        Journal("notes.db-journal", [UInt8](repeating: 0, count: 28) + [7], .unprotectedJournal),
        Journal("notes.db-wal", [0x37, 0x7f, 0x06, 0x82], .unprotectedJournal),
        Journal("notes.db-wal", [0x37, 0x7f, 0x06, 0x83], .unprotectedJournal),
        // Not SQLite's, but in clear.
        Journal("notes.db-wal", [0x37, 0x7f, 0x06, 0x84], .fileWithoutClass),
        Journal("notes.db-journal", Array("text".utf8), .fileWithoutClass),
        Journal("other.db-journal", journalStart, .fileWithoutClass),
        Journal("notes.db-shm", [0x18, 0xe2, 0x2d, 0x00], nil),
    ]

    @Test("name a journal in clear beside a protected database", arguments: journals)
    func journal(_ journal: Journal) throws {
        let device = try VirtualDevice()
        try device.run { try Self.letter.writeProtected(to: device.files.url("notes.db")) }
        try Data(journal.start + Self.letter).write(to: device.files.url(journal.name))
        #expect(device.findings.map(\.kind) == (journal.kind.map { [$0] } ?? []))
        #expect(device.findings.first?.path == (journal.kind.map { _ in journal.name }))
    }

    @Test("name a journal of a weaker class than its database, and no other")
    func weakerJournal() throws {
        let device = try VirtualDevice()
        let url = device.files.url("notes.db-wal")
        try device.run {
            try Self.letter.writeProtected(to: device.files.url("notes.db"), options: .completeFileProtectionUnlessOpen)
            try Self.letter.writeProtected(to: url, options: .noFileProtection)
        }
        #expect(device.findings.map(\.kind) == [.unprotectedJournal])
        #expect(device.findings.first?.reason.contains("NSFileProtectionNone") ?? false)
        for options in [Data.WritingOptions.completeFileProtectionUnlessOpen, .completeFileProtection] {
            try device.run { try Self.letter.writeProtected(to: url, options: options) }
            #expect(device.findings.isEmpty)
        }
    }

    @Test("name the line that uses an open file of class A while the device is locked")
    func usedWhileLocked() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let mail = device.install("com.example.mail", team: "A1B2C3D4E5")
        let other = device.install("com.example.other", team: "A1B2C3D4E5")
        let handle = try other.run {
            try ProtectedFileHandle(forCreating: device.files.url("queue"), protection: .complete)
        }
        try device.lock()
        var line = 0
        mail.run {
            // The handle hears of the lock a moment later.
            eventually {
                line = #line + 1
                return (try? handle.write(contentsOf: Self.letter)) == nil
            }
        }
        #expect(device.findings.map(\.kind) == [.openWhileLocked])
        let finding = try #require(device.findings.first)
        #expect(finding.path == "queue")
        #expect(finding.call == .fileHandle)
        #expect(finding.applicationIdentifier == "A1B2C3D4E5.com.example.mail")
        #expect(finding.callSite?.line == line)
        #expect(finding.callSite?.file.hasSuffix("FileFindingTests.swift") ?? false)
        #expect(finding.description.contains("ProtectedFileHandle by A1B2C3D4E5.com.example.mail: queue: "))
        try device.unlock("1234")
        try handle.close()
    }

    @Test("name a file of class A that stays open through the grace period")
    func openAfterGrace() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        func create(_ name: String, _ type: FileProtectionType) throws -> ProtectedFileHandle {
            try device.run { try ProtectedFileHandle(forCreating: device.files.url(name), protection: type) }
        }
        let handles = [
            try create("a", .complete), try create("b", .completeUnlessOpen), try create("closed", .complete),
        ]
        try device.lock(withGrace: true)
        try device.advance(by: .seconds(9))
        #expect(device.findings.isEmpty, "the grace period runs")
        try handles[2].close()
        try device.advance(by: .seconds(2))
        #expect(device.findings.map(\.kind) == [.openWhileLocked])
        #expect(device.findings.first?.path == "a")
        #expect(device.findings.first?.callSite == nil)
        #expect(device.findings.first?.description.hasPrefix("a: ") ?? false)
        for handle in handles { try handle.close() }
    }

    @Test("are not about a refused opening, an unlock in time, or a lock that nothing announced")
    func innocent() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let url = device.files.url("a")
        let handle = try device.run { try ProtectedFileHandle(forCreating: url, protection: .complete) }
        try device.lock(withGrace: true)
        try device.advance(by: .seconds(5))
        try device.unlock("1234")
        try device.advance(by: .seconds(60))
        try device.lock()
        try device.advance(by: .seconds(60))
        device.run {
            #expect(throws: CocoaError.self) {
                try Self.letter.writeProtected(to: device.files.url("b"), options: .completeFileProtection)
            }
        }
        try handle.close()
        // No handle is left that another opening could share.
        eventually { device.run { (try? ProtectedFileHandle(forReadingFrom: url)) == nil } }
        #expect(device.findings.isEmpty, "\(device.findings)")
    }
}
