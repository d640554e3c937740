import CLatchkeyShims
import Foundation
import Glibc
import LatchkeyThreading
import Testing

@testable import LatchkeySensor

@Suite("The digest of fingerprint templates")
struct TemplateTests {
    private final class Directory {
        let path: String

        init() throws {
            var template = Array("/tmp/lk-templates.XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ name: String, _ text: String) throws {
            let file = URL(filePath: path + "/" + name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }

        var digest: [UInt8]? { TemplateSource.directory(path).digest() }
    }

    @Test("changes with contents, names and number of the files, and with nothing else")
    func changes() throws {
        let directory = try Directory()
        #expect(directory.digest == nil)
        try directory.write("driver/0/7", "one")
        let first = try #require(directory.digest)
        #expect(first.count == 32)
        try directory.write("driver/0/7", "one")
        #expect(directory.digest == first)
        try directory.write("driver/0/7", "two")
        let second = directory.digest
        #expect(second != first)
        try directory.write("driver/0/8", "one")
        #expect(directory.digest != second)
        try FileManager.default.removeItem(atPath: directory.path + "/driver/0/8")
        #expect(directory.digest == second)
        try FileManager.default.moveItem(
            atPath: directory.path + "/driver/0/7", toPath: directory.path + "/driver/0/8")
        #expect(directory.digest != second)
    }

    @Test("there is none where a file is a link, not a file, or deeper than fprintd puts them")
    func refused() throws {
        for (name, target) in [("driver/link", "/etc/passwd"), ("driver/loop", ".")] {
            let directory = try Directory()
            try directory.write("driver/0/7", "one")
            try #require(symlink(target, directory.path + "/" + name) == 0)
            #expect(directory.digest == nil)
        }
        let pipe = try Directory()
        try #require(mkfifo(pipe.path + "/7", 0o600) == 0)
        #expect(pipe.digest == nil)
        let deep = try Directory()
        try deep.write("1/2/3/4/5/6/7", "one")
        #expect(deep.digest == nil)
    }

    @Test("is told over a socket by root alone, anew for each who asks")
    func service() throws {
        let directory = try Directory()
        try directory.write("driver/0/7", "one")
        let path = directory.path + ".sock"
        let listener = lk_socket_listen(path, 4)
        try #require(listener >= 0)
        defer { unlink(path) }
        let templates = directory.path
        let service = Background {
            TemplateService.serve(listener, templates: templates, idleSeconds: -1)
            return true
        }
        #expect(TemplateService.ask(path, trustedUser: geteuid()) == directory.digest)
        #expect(TemplateService.ask(path, trustedUser: geteuid() + 1) == nil)
        try directory.write("driver/0/7", "two")
        #expect(TemplateService.ask(path, trustedUser: geteuid()) == directory.digest)
        try FileManager.default.removeItem(atPath: directory.path + "/driver")
        #expect(TemplateService.ask(path, trustedUser: geteuid()) == nil)
        // Its listener is taken away.
        shutdown(listener, Int32(SHUT_RDWR))
        #expect(try service.value())
        close(listener)
        #expect(TemplateService.ask(path, trustedUser: geteuid()) == nil)
    }
}
