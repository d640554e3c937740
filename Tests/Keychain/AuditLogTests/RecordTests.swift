import Foundation
import LatchkeyAuditLog
import LatchkeyCodeSignature
import LatchkeyCryptoSuite
import LatchkeyEncoding
import LatchkeyPropertyListDER
import Testing

@Suite("A record of the audit log")
struct RecordTests {
    @Test("comes back with everything that was put in")
    func roundTrip() throws {
        let directory = try LogDirectory()
        let whole = AuditEvent(
            program: "ABCDEFGHIJ.org.example.mail", team: TeamIdentifier("ABCDEFGHIJ"), level: .a, processID: .max,
            userID: .max, executableDigest: [UInt8](repeating: 0xAB, count: 32), operation: "owner-update",
            itemClass: "inet", accessGroup: "ünï", code: -34018, rule: "foreign-access-group")
        let log = directory.log()
        log.record(whole, atOnce: true)
        log.record(event(), atOnce: true)
        let records = try directory.records()
        #expect(records.map(\.event) == [whole, event()])
        #expect(records.map(\.number) == [1, 2])
        #expect(records.map(\.count) == [1, 1])
        #expect(records.map(\.time.seconds) == [directory.now, directory.now])
    }

    @Test("has the bytes that the format's page describes")
    func bytes() throws {
        let directory = try LogDirectory()
        directory.write(["a", "b"])
        var previous = [UInt8](repeating: 0, count: 32)
        let frames = try directory.frames()
        #expect(frames.count == 2)
        for (index, frame) in frames.enumerated() {
            let dictionary = Array(frame[4..<frame.count - 32])
            let digest = sha256(previous + dictionary)
            #expect(Array(frame.suffix(32)) == digest)
            guard case .dictionary(let fields) = try DERReader.decode(dictionary) else {
                Issue.record("no dictionary")
                continue
            }
            #expect(
                fields == [
                    "number": .integer(Int64(index + 1)), "time": .date(directory.now), "count": .integer(1),
                    "program": .string("/bin/app"), "level": .string("C"), "process": .integer(7),
                    "user": .integer(1000), "executable": .data([1, 2, 3]), "operation": .string("find"),
                    "class": .string("genp"), "group": .string(["a", "b"][index]), "code": .integer(0),
                    "rule": .string(""), "previous": .data(previous),
                ])
            previous = digest
        }
    }

    @Test("stays within its limit, however long the names are that a program gives")
    func longNames() throws {
        let directory = try LogDirectory()
        let long = String(repeating: "ä", count: 70_000)
        let log = directory.log()
        log.record(
            AuditEvent(
                program: long, team: nil, level: .c, processID: 0, userID: 0,
                executableDigest: [UInt8](repeating: 1, count: 9999), operation: long, itemClass: long,
                accessGroup: long, code: .min, rule: long), atOnce: true)
        log.record(event(), atOnce: true)
        #expect(try directory.frames()[0].count <= 4 + 4096 + 32)
        let records = try directory.records()
        #expect(records.count == 2)
        #expect(records[0].event.program.hasSuffix("ä…"))
        #expect(try directory.fault() == nil)
    }

    @Test("is readable by the owner alone")
    func permissions() throws {
        let directory = try LogDirectory()
        directory.write(["a"])
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.url().path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}
