import AppleLog
import Foundation
import Testing

/// Each test runs in a process of its own, whose standard error is a pipe with a reader that does not read at once, or none.
@Suite("The log's standard error")
struct StandardErrorTests {
    @Test("ends no program if it has no reader, and a message leaves errno and signals as they were")
    func noReaderInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            unsetenv("LATCHKEY_LOG")
            signal(SIGPIPE, SIG_DFL)
            let (reader, writer) = standardErrorPipe()
            close(reader)
            close(writer)
            let logger = Logger(subsystem: "login", category: "test")
            errno = ENOENT
            logger.fault("a")
            guard errno == ENOENT else { exit(1) }
            var (pending, blocked) = (sigset_t(), sigset_t())
            sigpending(&pending)
            pthread_sigmask(SIG_BLOCK, nil, &blocked)
            guard sigismember(&pending, SIGPIPE) == 0, sigismember(&blocked, SIGPIPE) == 0 else { exit(2) }
            // A signal that the program holds back is its own.
            sigaddset(&blocked, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &blocked, nil)
            raise(SIGPIPE)
            logger.fault("a")
            sigpending(&pending)
            guard sigismember(&pending, SIGPIPE) == 1 else { exit(3) }
        }
    }

    @Test("has long messages of several threads one after the other")
    func threadsInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            unsetenv("LATCHKEY_LOG")
            let (reader, writer) = standardErrorPipe()
            // Each message takes several calls then.
            guard fcntl(writer, F_SETFL, O_NONBLOCK) == 0 else { exit(3) }
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: 4) { thread in
                    let text = String(repeating: "\(thread)", count: 300_000)
                    for _ in 0..<5 { Logger().log("\(text, privacy: .public)") }
                }
                dup2(reader, STDERR_FILENO)
                close(writer)
            }
            let lines = readToEnd(reader).split(separator: "\n")
            guard lines.count == 20 else { exit(1) }
            for line in lines {
                let text = line.suffix(300_000)
                guard text.allSatisfy({ $0 == text.first }), line.dropLast(300_000).hasSuffix("default: ") else {
                    exit(2)
                }
            }
        }
    }

    @Test("has the whole of a message if it does not wait itself, but its reader goes on")
    func slowReaderInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            unsetenv("LATCHKEY_LOG")
            let (reader, writer) = standardErrorPipe()
            guard fcntl(writer, F_SETFL, O_NONBLOCK) == 0 else { exit(1) }
            DispatchQueue.global().async {
                Logger().log("\(String(repeating: "a", count: 500_000), privacy: .public)")
                dup2(reader, STDERR_FILENO)
                close(writer)
            }
            guard readToEnd(reader).hasSuffix(String(repeating: "a", count: 500_000) + "\n") else { exit(2) }
        }
    }

    @Test("holds up no program if its reader stands still, and a message that was cut does not run into the next one")
    func stuckReaderInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            unsetenv("LATCHKEY_LOG")
            let (reader, writer) = standardErrorPipe()
            guard fcntl(writer, F_SETFL, O_NONBLOCK) == 0, fcntl(reader, F_SETFL, O_NONBLOCK) == 0 else { exit(1) }
            Logger().log("\(String(repeating: "a", count: 500_000), privacy: .public)")
            Logger().log("left out")
            let cut = readToEnd(reader)
            guard cut.hasSuffix("aaa"), !cut.contains("\n") else { exit(2) }
            Logger().log("b")
            Logger().log("c")
            let next = readToEnd(reader).split(separator: "\n", omittingEmptySubsequences: false)
            guard next.count == 4, next[0].isEmpty, next[1].hasSuffix(" b"), next[2].hasSuffix(" c") else { exit(3) }
        }
    }
}

/// Makes standard error a pipe; `writer` is another descriptor of it.
private func standardErrorPipe() -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0, dup2(ends[1], STDERR_FILENO) >= 0 else { exit(9) }
    return (ends[0], ends[1])
}

/// Reads until there is no writer, or nothing is left in a pipe that does not wait.
private func readToEnd(_ descriptor: Int32) -> String {
    var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
}
