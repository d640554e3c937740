import Foundation
import Glibc
import LatchkeyCodeSignature
import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyTestSupport
import Testing

/// Programs as a compiler makes them, with the very note that `Security` brings along.
@Suite("A compiled program")
struct CompiledProgramTests {
    private let signed = Signed()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static let noteSource = PackageFolder.file("Sources/Faces/CSignatureNote")

    /// Compiles a program that waits for the end of its input and returns 7. The linker may throw away what it can.
    private func program(
        _ name: String = "program", notes: Int = 1, linker: String? = nil, _ arguments: [String] = []
    ) throws -> String {
        let source = try directory.file(
            "main.c", Array("#include <unistd.h>\nint main(void){char c;while(read(0,&c,1)>0);return 7;}\n".utf8))
        var objects: [String] = []
        for index in 0..<notes {
            let object = directory.path("note\(index).o")
            try run(
                "cc", "-c", "-O2", "-ffunction-sections", "-fdata-sections", "-I",
                Self.noteSource.appendingPathComponent("include").path,
                Self.noteSource.appendingPathComponent("note.c").path, "-o", object)
            objects.append(object)
        }
        let path = directory.path(name)
        let choice = linker.map { ["-fuse-ld=\($0)"] } ?? []
        try run("cc", choice + ["-O2", "-Wl,--gc-sections", source] + objects + arguments + ["-o", path])
        return path
    }

    @discardableResult
    private func run(_ command: String, _ arguments: String...) throws -> String {
        try run(command, arguments)
    }

    @discardableResult
    private func run(_ command: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [command] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(command) \(arguments): \(said)")
        return said
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Signs the program as it is.
    private func sign(_ path: String) throws -> ProgramSignature {
        let signature = try signed.signature(digest: try withImage(at: path) { try $0.digest() })
        try SignatureWriter.write(signature, intoFileAt: path)
        return signature
    }

    private func check(_ path: String) throws {
        try withImage(at: path) { image in
            try #require(try image.embeddedSignature()).check(digest: try image.digest())
        }
    }

    @Test("has one place for a signature, and it survives strip", arguments: [nil, "gold", "bfd"])
    func survivesStrip(linker: String?) throws {
        let path = try program(linker: linker)
        let notes = try run("readelf", "-nW", path)
        #expect(notes.components(separatedBy: "0x4c4b5331").count == 2, "\(notes)")
        try withImage(at: path) { #expect($0.noteRanges.count == 1) }
        try run("strip", path)
        try withImage(at: path) { #expect($0.noteRanges.count == 1) }
        let signature = try sign(path)
        try check(path)
        try withImage(at: path) { image in
            let found = try image.embeddedSignature()
            #expect(found == signature)
            #expect(image.loadPaths.count == 1)
        }
        // Stripped once more nothing is left to take away but what strip itself arranges anew: the note stays.
        try run("strip", "-R", ".comment", path)
        try withImage(at: path) { image in
            let found = try image.embeddedSignature()
            #expect(found == signature)
        }
    }

    @Test("keeps its digest when it is signed, and is itself again when the signature is removed")
    func digestUnchanged() throws {
        let path = try program()
        let plain = try bytes(path)
        let digest = try withImage(at: path) { try $0.digest() }
        #expect(digest == sha256(plain))
        _ = try sign(path)
        #expect(try bytes(path) != plain)
        let after = try withImage(at: path) { try $0.digest() }
        #expect(after == digest)
        // Signing again replaces the signature.
        _ = try sign(path)
        try check(path)
        try SignatureWriter.write(nil, intoFileAt: path)
        #expect(try bytes(path) == plain)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 3, "nothing lies beside")
    }

    @Test("that is changed after it was signed is not accepted")
    func changed() throws {
        let path = try program()
        _ = try sign(path)
        var changed = try bytes(path)
        let place = try #require(changed.indices.last { changed[$0] != 0 })
        changed[place] ^= 1
        let other = try directory.file("changed", changed)
        try withImage(at: other) { image in
            let signature = try #require(try image.embeddedSignature())
            let digest = try image.digest()
            #expect(throws: SignatureFailure.wrongDigest) { try signature.check(digest: digest) }
        }
    }

    @Test("can be signed while it runs, and goes on running; owner, mode and links stay")
    func whileItRuns() throws {
        let path = try program()
        try #require(chmod(path, 0o2751) == 0)
        let isRoot = geteuid() == 0
        if isRoot { try #require(chown(path, 12, 34) == 0 && chmod(path, 0o2751) == 0) }
        let link = directory.path("link")
        try #require(symlink("program", link) == 0)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        let input = Pipe()
        process.standardInput = input
        try process.run()
        _ = try sign(link)
        try check(path)
        #expect(process.isRunning)
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 7)
        var status = stat()
        try #require(lstat(path, &status) == 0)
        #expect(status.st_mode == S_IFREG | 0o2751)
        if isRoot { #expect(status.st_uid == 12 && status.st_gid == 34) }
        try #require(lstat(link, &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
        let signedOne = Process()
        signedOne.executableURL = URL(fileURLWithPath: path)
        signedOne.standardInput = FileHandle.nullDevice
        try signedOne.run()
        signedOne.waitUntilExit()
        #expect(signedOne.terminationStatus == 7)
    }

    @Test("with the note twice is signed in one of them; both filled are refused")
    func twoNotes() throws {
        let path = try program(notes: 2)
        try withImage(at: path) { #expect($0.noteRanges.count == 2) }
        let signature = try sign(path)
        try check(path)
        var both = try bytes(path)
        let ranges = try withImage(at: path) { $0.noteRanges }
        let first = both[Int(ranges[0].lowerBound)..<Int(ranges[0].upperBound)]
        both.replaceSubrange(Int(ranges[1].lowerBound)..<Int(ranges[1].upperBound), with: first)
        let other = try directory.file("both", both)
        _ = try withImage(at: other) { image in
            #expect(throws: SignatureFailure.twoSignatures) { _ = try image.embeddedSignature() }
        }
        // Signing it anew leaves one.
        try SignatureWriter.write(signature, intoFileAt: other)
        try check(other)
    }

    @Test("without the note has no place; a signature beside it is right for the same bytes")
    func detached() throws {
        let path = try program(notes: 0)
        let digest = try withImage(at: path) { image in
            #expect(image.noteRanges.isEmpty)
            return try image.digest()
        }
        #expect(digest == sha256(try bytes(path)))
        let signature = try signed.signature(digest: digest)
        #expect(throws: SignatureFailure.noPlace) { try SignatureWriter.write(signature, intoFileAt: path) }
        try ProgramSignature(decoding: signature.encoded()).check(digest: digest)
        // The same signature is right in the note and beside the file.
        let noted = try program("noted")
        let inside = try sign(noted)
        try ProgramSignature(decoding: inside.encoded()).check(digest: try withImage(at: noted) { try $0.digest() })
        try SignatureWriter.write(nil, intoFileAt: path)
    }

    @Test("is not given a signature that would not be accepted, and stays as it was")
    func wrongSignature() throws {
        let path = try program()
        let plain = try bytes(path)
        #expect(throws: SignatureFailure.wrongDigest) {
            try SignatureWriter.write(try signed.signature(), intoFileAt: path)
        }
        let statement = try signed.statement(digest: try withImage(at: path) { try $0.digest() })
        let forged = ProgramSignature(statement: statement, key: signed.key.publicKey, signature: [1, 2, 3])
        #expect(throws: SignatureFailure.invalid) { try SignatureWriter.write(forged, intoFileAt: path) }
        #expect(try bytes(path) == plain)
        let script = try directory.file("script", Array("#!/bin/sh\n".utf8))
        #expect(throws: SignatureFailure.script) {
            try SignatureWriter.write(try signed.signature(), intoFileAt: script)
        }
        expectRule(.programUnreadable) { try SignatureWriter.write(nil, intoFileAt: directory.path("missing")) }
        try #require(mkfifo(directory.path("pipe"), 0o600) == 0)
        expectRule(.programUnreadable) { try SignatureWriter.write(nil, intoFileAt: directory.path("pipe")) }
    }

    @Test("says where the loader looks for libraries")
    func runPaths() throws {
        let old = try program("old", ["-Wl,-rpath,/usr/lib/x:/tmp/y", "-Wl,--disable-new-dtags"])
        try withImage(at: old) { #expect($0.runPaths == ["/usr/lib/x", "/tmp/y"]) }
        let new = try program("new", ["-Wl,-rpath,$ORIGIN/../lib", "-Wl,--enable-new-dtags"])
        try withImage(at: new) { #expect($0.runPaths == ["$ORIGIN/../lib"]) }
        try withImage(at: try program()) { #expect($0.runPaths.isEmpty) }
    }

    @Test("statically linked has neither paths nor a loader")
    func staticProgram() throws {
        let source = try directory.file("static.c", Array("void _start(void){for(;;);}\n".utf8))
        let path = directory.path("static")
        try run("cc", "-nostdlib", "-static", source, "-o", path)
        try withImage(at: path) { image in
            #expect(image.kind == .elf)
            #expect(image.runPaths.isEmpty)
            #expect(image.loadPaths.isEmpty)
        }
    }
}
