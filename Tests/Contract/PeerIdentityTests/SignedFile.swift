import Foundation
import Glibc
import LatchkeyCodeSignature
import LatchkeyPropertyListDER
import Testing

@testable import LatchkeyPeerIdentity

/// A small ELF file with room for a signature, made byte by byte; it is read and never run.
final class SignedFile {
    let directory: String
    let path: String
    let key: TeamKey

    init(key: TeamKey = .generate()) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-check-\(UUID())").path
        path = directory + "/program"
        self.key = key
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try #require(FileManager.default.createFile(atPath: path, contents: Data(Self.elf())))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    var application: String { key.publicKey.identifier.text + ".app" }

    func open() throws -> OpenExecutable { try OpenExecutable(path: path) }

    func digest() throws -> [UInt8] {
        try open().withDescriptor { descriptor throws(SignatureFailure) in
            try ExecutableImage(descriptor: descriptor).digest()
        }
    }

    func signature(by other: TeamKey? = nil, named name: String = "app") throws -> ProgramSignature {
        let key = other ?? key
        let team = key.publicKey.identifier
        return try key.sign(
            SignatureStatement(
                application: team.text + "." + name,
                entitlements: ProgramEntitlements(["keychain-access-groups": .array([.string(team.text + ".shared")])]),
                digest: digest(), date: 1000, team: team))
    }

    func sign() throws {
        try SignatureWriter.write(signature(), intoFileAt: path)
    }

    /// Writes a detached signature and gives its directory.
    func detach(_ signature: ProgramSignature, into name: String = "signatures") throws -> String {
        let place = directory + "/" + name
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let digits = try digest().map { String(format: "%02x", $0) }.joined()
        try #require(
            FileManager.default.createFile(atPath: "\(place)/\(digits).lksig", contents: Data(signature.encoded())))
        return place
    }

    /// Changes a byte in the middle of the program, like an attacker who can write the file.
    func changeByte(at offset: off_t) throws {
        let descriptor = Glibc.open(path, O_RDWR)
        defer { close(descriptor) }
        var byte: UInt8 = 0
        try #require(pread(descriptor, &byte, 1, offset) == 1)
        byte ^= 1
        try #require(pwrite(descriptor, &byte, 1, offset) == 1)
    }

    /// Header, one PT_NOTE, its note with an empty descriptor, and 64 bytes that stand for code.
    static let codeOffset: off_t = 64 + 56

    private static func elf() -> [UInt8] {
        func word<N: FixedWidthInteger>(_ number: N) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        let note =
            word(UInt32(SignatureNote.name.count)) + word(UInt32(SignatureNote.descriptorByteCount))
            + word(SignatureNote.type) + SignatureNote.name
            + [UInt8](repeating: 0, count: (4 - SignatureNote.name.count % 4) % 4)
            + [UInt8](repeating: 0, count: SignatureNote.descriptorByteCount)
        let noteOffset = UInt64(codeOffset) + 64
        var bytes: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0] + [UInt8](repeating: 0, count: 8)
        bytes += word(UInt16(2)) + word(UInt16(62)) + word(UInt32(1)) + word(UInt64(0)) + word(UInt64(64))
        bytes += word(UInt64(0)) + word(UInt32(0)) + word(UInt16(64)) + word(UInt16(56)) + word(UInt16(1))
        bytes += word(UInt16(64)) + word(UInt16(0)) + word(UInt16(0))
        bytes += word(UInt32(4)) + word(UInt32(4)) + word(noteOffset) + word(noteOffset) + word(noteOffset)
        bytes += word(UInt64(note.count)) + word(UInt64(note.count)) + word(UInt64(4))
        bytes += [UInt8](repeating: 0xC3, count: 64)
        return bytes + note
    }
}
