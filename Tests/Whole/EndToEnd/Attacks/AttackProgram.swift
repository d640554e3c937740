import Foundation
import Glibc
import LatchkeyCodeSignature
import LatchkeyPropertyListDER
import Testing

/// Copies of the attack program, compiled once for all tests of this process.
enum AttackProgram {
    private static let compiled = Result { try Compilation() }

    /// A fresh copy, with room for a signature.
    static func copy(to path: String) throws {
        try FileManager.default.copyItem(atPath: try compiled.get().program, toPath: path)
        try #require(chmod(path, 0o755) == 0)
        try waitUntilStartable(path)
    }

    /// Returns when no process has the file open for writing. Processes that other tests start at the same moment
    /// inherit what this one has open until they become another program, and no file can be started that is being
    /// written.
    static func waitUntilStartable(_ path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        let setLease: Int32 = 1024
        while fcntl(file, setLease, F_RDLCK) != 0 {
            try #require(errno == EAGAIN)
            usleep(1_000)
        }
        _ = fcntl(file, setLease, F_UNLCK)
    }

    /// The library that does the same in another program's name.
    static func library() throws -> String { try compiled.get().library }

    private struct Compilation {
        let program: String
        let library: String

        init() throws {
            var template = Array("/tmp/latchkey-attack.XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // Programs under other users load the library from here.
            try #require(chmod(directory, 0o755) == 0)
            program = directory + "/program"
            library = directory + "/library.so"
            let note = Installation.repositoryFile("Sources/Faces/CSignatureNote")
            try Self.compile(AttackSource.program, ["-o", program, note + "/note.c", "-I", note + "/include"])
            try Self.compile(AttackSource.library, ["-shared", "-fPIC", "-o", library])
            atexit { Compilation.remove() }
        }

        private static func compile(_ source: String, _ arguments: [String]) throws {
            let ending = try run(
                URL(filePath: "/usr/bin/env"), ["clang", "-O1", "-w", "-x", "c", "-"] + arguments,
                input: Data(source.utf8))
            try #require(ending.status == 0, "needs clang, which comes with Swift: \(ending.errors)")
        }

        private static func remove() {
            guard case .success(let made) = compiled else { return }
            try? FileManager.default.removeItem(atPath: (made.program as NSString).deletingLastPathComponent)
        }
    }

    /// Signs a program; the team's group `TEAM.shared` is its first one.
    static func sign(
        _ path: String, by key: TeamKey, named name: String = "victim", minimumLevel: AssuranceLevel? = nil
    ) throws {
        try SignatureWriter.write(
            try signature(for: path, by: key, named: name, minimumLevel: minimumLevel), intoFileAt: path)
        try waitUntilStartable(path)
    }

    static func signature(
        for path: String, by key: TeamKey, named name: String = "victim", minimumLevel: AssuranceLevel? = nil
    ) throws -> ProgramSignature {
        let team = key.publicKey.identifier
        var entitlements: [String: PropertyValue] = [
            "keychain-access-groups": .array([.string(team.text + ".shared")])
        ]
        if let minimumLevel {
            entitlements[ProgramEntitlements.Key.minimumLevel] = .string(minimumLevel.rawValue)
        }
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        return try key.sign(
            SignatureStatement(
                application: team.text + "." + name, entitlements: ProgramEntitlements(entitlements),
                digest: ExecutableImage(descriptor: file.fileDescriptor).digest(), date: 1000, team: team))
    }

    /// Changes one byte of what the program is, behind the back of its signature.
    static func changeByte(of path: String) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        let place = try #require(bytes.range(of: Data("unknown mode".utf8))).lowerBound
        bytes[place] ^= 0x20
        try bytes.write(to: URL(filePath: path))
        try #require(chmod(path, 0o755) == 0)
        try waitUntilStartable(path)
    }
}
