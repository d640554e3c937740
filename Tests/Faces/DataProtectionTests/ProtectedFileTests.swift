import DataProtection
import Dispatch
import Foundation
import Glibc
import SecurityTesting
import Testing

@Suite("Protected files and their classes")
struct ProtectedFileTests {
    private let folder: ProtectedFolder
    private let device: VirtualDevice
    private let files = ProtectedFileManager.default

    init() throws {
        folder = try ProtectedFolder()
        device = try VirtualDevice()
    }

    @Test("hold nothing in clear, and are read by their own calls", arguments: [Data(), .letter, Data(count: 100_000)])
    func roundTrip(_ content: Data) throws {
        let url = folder.file("f")
        try device.run { () throws in
            try content.writeProtected(to: url, options: .completeFileProtection)
            #expect(try Data(contentsOfProtected: url) == content)
        }
        let stored = try Data.stored(at: url)
        #expect(stored != content)
        #expect(stored.range(of: Data("diary".utf8)) == nil)
    }

    @Test("in clear are read as they are")
    func inClear() throws {
        let url = folder.file("plain")
        try Data.letter.write(to: url)
        try device.run { () throws in
            #expect(try Data(contentsOfProtected: url) == .letter)
            #expect(try files.attributesOfItem(atPath: url.path)[.protectionKey] == nil)
            #expect(throws: CocoaError.self) { try ProtectedFileHandle(forReadingFrom: url) }
        }
    }

    @Test("that are not there are reported as Foundation does")
    func missing() {
        device.run {
            let error = #expect(throws: CocoaError.self) { try Data(contentsOfProtected: folder.file("none")) }
            #expect(error?.code == .fileReadNoSuchFile)
            let other = #expect(throws: CocoaError.self) {
                try Data.letter.writeProtected(to: folder.file("none/deeper"))
            }
            #expect(other?.code == .fileNoSuchFile)
            #expect(throws: CocoaError.self) { try Data(contentsOfProtected: folder.url) }
        }
    }

    @Test("get the class of the options, of the file that they replace, of their directory, or the default")
    func classOfNewFiles() throws {
        func protection(_ name: String) throws -> String? {
            try files.protection(ofItemAtPath: folder.file(name).path)
        }
        try device.run { () throws in
            try Data.letter.writeProtected(to: folder.file("default"))
            #expect(try protection("default") == FileProtectionType.completeUntilFirstUserAuthentication.rawValue)
            try Data.letter.writeProtected(to: folder.file("named"), options: [.completeFileProtection, .atomic])
            #expect(try protection("named") == FileProtectionType.complete.rawValue)
            for options: Data.WritingOptions in [[], .atomic] {
                try Data("other".utf8).writeProtected(to: folder.file("named"), options: options)
                #expect(try protection("named") == FileProtectionType.complete.rawValue)
            }
            try files.createDirectory(
                atPath: folder.file("strict").path, withIntermediateDirectories: false,
                attributes: [.protectionKey: FileProtectionType.completeUnlessOpen])
            #expect(try protection("strict") == FileProtectionType.completeUnlessOpen.rawValue)
            try FileManager.default.createDirectory(
                at: folder.file("strict/inner"), withIntermediateDirectories: false)
            try Data.letter.writeProtected(to: folder.file("strict/inner/file"))
            #expect(try protection("strict/inner/file") == FileProtectionType.completeUnlessOpen.rawValue)
        }
    }

    @Test("change their class without their content, and keep it when they are moved")
    func changes() throws {
        let path = folder.file("f").path
        try device.run { () throws in
            #expect(files.createFile(atPath: path, contents: .letter, attributes: [.posixPermissions: 0o600]))
            for type in [FileProtectionType.complete, FileProtectionType.none, .completeUnlessOpen, .complete] {
                try files.setAttributes([.protectionKey: type], ofItemAtPath: path)
                let attributes = try files.attributesOfItem(atPath: path)
                #expect(try files.protection(ofItemAtPath: path) == type.rawValue)
                #expect((attributes[.size] as? NSNumber)?.intValue == Data.letter.count)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
                #expect(files.contents(atPath: path) == .letter)
            }
            try files.moveItem(atPath: path, toPath: path + "2")
            #expect(try files.protection(ofItemAtPath: path + "2") == FileProtectionType.complete.rawValue)
            try FileManager.default.copyItem(atPath: path + "2", toPath: path + "3")
            #expect(files.contents(atPath: path + "3") == .letter)
        }
    }

    @Test("in clear become protected ones when they get a class")
    func protecting() throws {
        let url = folder.file("plain")
        try Data.letter.write(to: url)
        try device.run { () throws in
            try files.setAttributes([.protectionKey: FileProtectionType.complete], ofItemAtPath: url.path)
            #expect(try Data.stored(at: url) != .letter)
            #expect(files.contents(atPath: url.path) == .letter)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["plain"])
    }

    @Test("are not overwritten where they must not be")
    func withoutOverwriting() throws {
        let url = folder.file("f")
        try device.run { () throws in
            try Data.letter.writeProtected(to: url, options: .withoutOverwriting)
            let error = #expect(throws: CocoaError.self) {
                try Data().writeProtected(to: url, options: .withoutOverwriting)
            }
            #expect(error?.code == .fileWriteFileExists)
            #expect(try Data(contentsOfProtected: url) == .letter)
        }
    }

    @Test("with a class that Apple does not have are refused")
    func unknownClass() throws {
        let url = folder.file("f")
        try device.run { () throws in
            #expect(throws: CocoaError.self) {
                try Data.letter.writeProtected(to: url, options: Data.WritingOptions(rawValue: 0x7000_0000))
            }
            #expect(throws: CocoaError.self) {
                try files.setAttributes(
                    [.protectionKey: FileProtectionType(rawValue: "NSFileProtectionWishful")],
                    ofItemAtPath: folder.url.path)
            }
        }
    }

    @Test("of a directory that is there keep its class when the directory is asked for again")
    func directoryAgain() throws {
        let path = folder.file("strict").path
        try device.run { () throws in
            for type in [FileProtectionType.complete, FileProtectionType.none] {
                try files.createDirectory(
                    atPath: path, withIntermediateDirectories: true, attributes: [.protectionKey: type])
            }
            #expect(try files.protection(ofItemAtPath: path) == FileProtectionType.complete.rawValue)
        }
    }

    @Test("are those that the system finds under a path")
    func links() throws {
        try FileManager.default.createDirectory(at: folder.file("a/b"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: folder.file("a/b"))
        let url = URL(fileURLWithPath: folder.url.path + "/link/../f")
        try device.run { () throws in
            for options: Data.WritingOptions in [[], .atomic] {
                try Data.letter.writeProtected(to: url, options: options)
                #expect(FileManager.default.fileExists(atPath: folder.file("a/f").path))
                #expect(!FileManager.default.fileExists(atPath: folder.file("f").path))
                try FileManager.default.removeItem(at: folder.file("a/f"))
            }
            #expect(!files.createFile(atPath: "", contents: .letter))
            #expect(throws: CocoaError.self) {
                try files.setAttributes([.protectionKey: FileProtectionType.complete], ofItemAtPath: "")
            }
        }
    }

    @Test("keep their permissions when they are replaced, and nothing but a file is replaced")
    func replacing() throws {
        let url = folder.file("f")
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        try device.run { () throws in
            try Data().writeProtected(to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: url.path)
            try Data.letter.writeProtected(to: url, options: .atomic)
            let permissions = try files.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber
            #expect(permissions?.intValue == 0o666)
            #expect(throws: CocoaError.self) { try Data.letter.writeProtected(to: pipe, options: .atomic) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["f", "pipe"])
    }

    @Test("whose headers are both damaged are not taken for files in clear")
    func damagedHeaders() throws {
        let url = folder.file("f")
        try device.run { try Data.letter.writeProtected(to: url) }
        var stored = try Data.stored(at: url)
        stored[20] ^= 1
        stored[4096 + 20] ^= 1
        try stored.write(to: url)
        try device.run { () throws in
            let error = #expect(throws: CocoaError.self) { try Data(contentsOfProtected: url) }
            #expect(error?.code == .fileReadCorruptFile)
            #expect(throws: CocoaError.self) {
                try files.setAttributes([.protectionKey: FileProtectionType.complete], ofItemAtPath: url.path)
            }
        }
        #expect(try Data.stored(at: url) == stored)
    }

    @Test("are protected once, however many ask for it at once")
    func racingProtection() throws {
        let url = folder.file("plain")
        try Data.letter.write(to: url)
        DispatchQueue.concurrentPerform(iterations: 4) { [device] number in
            device.run { () -> Void in
                #expect(throws: Never.self) {
                    if number % 2 == 0 {
                        try ProtectedFileManager.default.setAttributes(
                            [.protectionKey: FileProtectionType.complete], ofItemAtPath: url.path)
                    } else {
                        #expect(try Data(contentsOfProtected: url) == .letter)
                    }
                }
            }
        }
        try device.run { () throws in #expect(try Data(contentsOfProtected: url) == .letter) }
    }

    @Test("say which part is damaged")
    func damage() throws {
        let url = folder.file("f")
        try device.run { try Data(count: 20_000).writeProtected(to: url) }
        var stored = try Data.stored(at: url)
        // Behind the two header copies lie the blocks.
        for place in stride(from: stored.count - 9000, to: stored.count, by: 500) { stored[place] ^= 1 }
        try stored.write(to: url)
        device.run {
            let error = #expect(throws: CocoaError.self) { try Data(contentsOfProtected: url) }
            #expect(error?.code == .fileReadCorruptFile)
        }
    }
}

extension FileManager {
    /// The name of the class; nil for a file in clear. `FileProtectionType` cannot be compared itself.
    fileprivate func protection(ofItemAtPath path: String) throws -> String? {
        (try attributesOfItem(atPath: path)[.protectionKey] as? FileProtectionType)?.rawValue
    }
}
