import AppleLog
import Foundation
import Testing

/// Each test runs in a process of its own, whose standard error is read.
@Suite("The log's output")
struct OutputTests {
    private func lines(_ result: ExitTest.Result?) throws -> [String] {
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        return text.split(separator: "\n").map(String.init).filter { $0.contains("[login:test]") || $0.contains("<") }
    }

    /// The lines without the time and the process.
    private func endings(_ lines: [String]) -> [String] {
        lines.map { line in line.range(of: "] ").map { String(line[$0.upperBound...]) } ?? line }
    }

    @Test("has the messages from `default` on, with the kinds that Apple's methods write")
    func levelsInOwnProcess() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            unsetenv("LATCHKEY_LOG")
            let logger = Logger(subsystem: "login", category: "test")
            logger.trace("a \(1)")
            logger.debug("b")
            logger.info("c")
            logger.notice("d")
            logger.log("e")
            logger.warning("f")
            logger.error("g")
            logger.critical("h")
            logger.fault("i")
            logger.log(level: .info, "j")
            logger.log(level: .error, "k")
        }
        #expect(
            endings(try lines(result)) == [
                "default: [login:test] d", "default: [login:test] e", "error: [login:test] f",
                "error: [login:test] g", "fault: [login:test] h", "fault: [login:test] i", "error: [login:test] k",
            ])
        let first = try #require(try lines(result).first)
        #expect(
            first.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} \S+\[\d+\] default: \[login:test\] d/) != nil)
    }

    @Test("begins with the type that LATCHKEY_LOG names")
    func chosenInOwnProcess() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("LATCHKEY_LOG", "debug", 1)
            let log = OSLog(subsystem: "login", category: "test")
            os_log(.debug, log: log, "a \(1)")
            guard log.isEnabled(type: .debug), !OSLog.disabled.isEnabled(type: .fault), !log.signpostsEnabled else {
                exit(1)
            }
            Logger(.disabled).fault("[login:test] b")
        }
        #expect(endings(try lines(result)) == ["debug: [login:test] a 1"])
        let silent = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("LATCHKEY_LOG", "off", 1)
            Logger(subsystem: "login", category: "test").fault("a")
        }
        #expect(try lines(silent) == [])
    }

    @Test("does not compute the values of a message that is left out")
    func lazyInOwnProcess() async throws {
        await #expect(processExitsWith: .success) {
            unsetenv("LATCHKEY_LOG")
            func value() -> Int { exit(1) }
            Logger(subsystem: "login", category: "test").debug("\(value())")
        }
    }

    @Test("keeps a line that a value brings along from looking like a message, and escapes control characters")
    func forgedInOwnProcess() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            unsetenv("LATCHKEY_LOG")
            Logger(subsystem: "login", category: "test").log("\("a\nfault: [login:test] b\u{1B}[2J", privacy: .public)")
        }
        let written = try lines(result)
        #expect(written.count == 2)
        #expect(written.last == "\tfault: [login:test] b\\u{1b}[2J")
    }

    @Test("has the priorities of the journal where the journal reads it")
    func journalInOwnProcess() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var status = stat()
            fstat(STDERR_FILENO, &status)
            setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
            setenv("LATCHKEY_LOG", "debug", 1)
            let logger = Logger(subsystem: "login", category: "test")
            logger.debug("a")
            logger.info("b")
            logger.notice("c")
            logger.error("d\ne")
            logger.fault("f")
        }
        #expect(
            try lines(result) == [
                "<7>[login:test] a", "<6>[login:test] b", "<5>[login:test] c", "<3>[login:test] d", "<3>e",
                "<2>[login:test] f",
            ])
    }

    @Test("is cut before the journal cuts it, which would take a prefix from the rest of a line")
    func longLineInOwnProcess() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var status = stat()
            fstat(STDERR_FILENO, &status)
            setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
            let text = String(repeating: "é", count: 30_000) + "<0>forged"
            Logger(subsystem: "login", category: "test").error("\(text, privacy: .public)")
        }
        let written = try lines(result)
        #expect(written.count == 8 && written.allSatisfy { $0.hasPrefix("<3>") && $0.utf8.count <= 8195 })
        let text = written.map { $0.dropFirst(3) }.joined()
        #expect(text == "[login:test] " + String(repeating: "é", count: 30_000) + "<0>forged")
    }

    @Test("has no prefixes where JOURNAL_STREAM is that of another stream")
    func otherStreamInOwnProcess() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("JOURNAL_STREAM", "1:1", 1)
            Logger(subsystem: "login", category: "test").error("a")
        }
        #expect(endings(try lines(result)) == ["error: [login:test] a"])
    }
}
