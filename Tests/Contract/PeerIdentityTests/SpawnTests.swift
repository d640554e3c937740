import CLatchkeyShims
import Foundation
import Glibc
import LatchkeyThreading
import Testing

@Suite("Starting a program")
struct SpawnTests {
    /// Starts a program that prints its own status, and sends it signals before it may have begun.
    ///
    /// - Returns: its lines, and whether it ended by itself.
    private func status(options: Int32, signals: [Int32] = []) throws -> (lines: [String: String], hasEnded: Bool) {
        let output = Pipe()
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("cat"), strdup("/proc/self/status"), nil]
        defer { words.forEach { free($0) } }
        var number: pid_t = 0
        let writing = output.fileHandleForWriting
        try #require(
            lk_spawn("/bin/cat", &words, environ, [nothing, writing.fileDescriptor, nothing], options, &number) == 0)
        for signal in signals { kill(number, signal) }
        try writing.close()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        var status: Int32 = 0
        try #require(waitpid(number, &status, 0) == number)
        let pairs = text.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
        return (
            Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1].trimmingCharacters(in: .whitespaces)) }),
            status == 0
        )
    }

    /// The signals of a line of a status, of those that programs use.
    private func signals(_ line: String?) throws -> Set<Int32> {
        let bits = try #require(line.flatMap { UInt64($0, radix: 16) })
        return Set((1..<32).filter { bits & 1 << UInt64($0 - 1) != 0 })
    }

    private static let all = Set<Int32>(1..<32).subtracting([SIGKILL, SIGSTOP])

    @Test("a program that is started with signals blocked is not ended by one that comes before it runs")
    func blocked() throws {
        let found = try status(options: LK_SPAWN_BLOCKED | LK_SPAWN_NEW_SESSION, signals: Self.all.sorted())
        #expect(found.hasEnded)
        #expect(try signals(found.lines["SigBlk"]) == Self.all)
        #expect(try signals(found.lines["SigIgn"]) == [])
    }

    @Test("no other program gets signals that are blocked or ignored, whatever is in the one that starts it")
    func others() throws {
        var set = sigset_t()
        var before = sigset_t()
        sigfillset(&set)
        pthread_sigmask(SIG_BLOCK, &set, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let found = try status(options: LK_SPAWN_NEW_SESSION)
        #expect(found.hasEnded)
        #expect(try signals(found.lines["SigBlk"]) == [])
        #expect(try signals(found.lines["SigIgn"]) == [])
    }

    @Test("the mark of a thread's life ends with the thread")
    func life() throws {
        let mark = Pipe()
        let begin = DetachedThread.start {
            var descriptor = lk_life_begin()
            write(mark.fileHandleForWriting.fileDescriptor, &descriptor, MemoryLayout<Int32>.size)
        }
        try #require(begin)
        var descriptor: Int32 = -1
        try #require(read(mark.fileHandleForReading.fileDescriptor, &descriptor, MemoryLayout<Int32>.size) > 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        #expect(lk_life_wait(descriptor) == 0)
    }
}
