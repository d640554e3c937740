import Foundation
import Testing

@testable import LatchkeySecretMemory

/// Secrets of a parent in a child of `fork`. Each test runs in a process of its own, with one thread.
@Suite("Secrets after a fork") struct SecretForkTests {
    @Test("a secret of the parent that the child uses ends the child, whatever it stands in")
    func useInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            silenceStandardError()
            let uses: [() -> Void] = Self.secrets().map { box in { box.withBytes { _ in } } }
            let buffers = [
                SecretBuffer(count: 4096), SecretBuffer(count: 4096, isLocked: false), SecretBuffer(count: 9000),
            ]
            let others = [SecretBox(copying: [1, 2, 3]), SecretBox(copying: [1, 2, 3])]
            for use in uses + buffers.map({ buffer in { _ = buffer.bytes } }) + [{ _ = others[0].equals(others[1]) }] {
                use()
                let outcome = outcomeOfChild { use() }
                guard [SIGILL, SIGTRAP].contains(outcome.signal) else { exit(1) }
            }
            exit(0)
        }
    }

    @Test("the child that ends so says why") func lineInOwnProcess() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let box = SecretBox(copying: [1])
            _ = outcomeOfChild { box.withBytes { _ in } }
            exit(0)
        }
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self).contains(
                "after a fork, this process used a secret"))
    }

    @Test("the child releases secrets of its parent, has secrets of its own, and ends by exit")
    func releaseInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            var boxes = Self.secrets() + Self.secrets().map { $0.keptOnFork() }
            let empty = SecretBox(copying: [])
            let outcome = outcomeOfChild {
                boxes = []
                guard empty.withBytes({ $0.isEmpty }) else { _exit(2) }
                let own = Self.secrets()
                guard own.allSatisfy({ Self.hasContent($0) }) else { _exit(3) }
                // Secrets of the child are wiped in a grandchild.
                let grandchild = outcomeOfChild {
                    silenceStandardError()
                    own[0].withBytes { _ in }
                }
                guard grandchild.signal != 0 else { _exit(4) }
                exit(0)
            }
            guard outcome == (0, 0) else { exit(outcome.code + 10) }
            // The parent's are as they were, and its arena takes back what it gave.
            guard boxes.allSatisfy({ Self.hasContent($0) }) else { exit(5) }
            boxes = []
            exit(0)
        }
    }

    @Test("a secret that is kept has its bytes in children and grandchildren, and each wipes its own copy")
    func keptInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let kept = Self.secrets().map { $0.keptOnFork() }
            let outcome = outcomeOfChild {
                guard kept.allSatisfy({ Self.hasContent($0) }) else { _exit(1) }
                var again = kept.map { $0.keptOnFork() }
                let grandchild = outcomeOfChild {
                    guard (kept + again).allSatisfy({ Self.hasContent($0) }) else { _exit(2) }
                    again = []
                    exit(0)
                }
                exit(grandchild.signal + grandchild.code)
            }
            guard outcome == (0, 0) else { exit(outcome.code + 10) }
            exit(kept.allSatisfy { Self.hasContent($0) } ? 0 : 3)
        }
    }

    @Test("what a process owns is made anew in a child, though a thread of the parent holds its lock")
    func ownedInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let values = ProcessMutex([ProcessMark.current])
            values.withLock { $0.append(.current) }
            let (held, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                values.withLock { _ in
                    held.signal()
                    goOn.wait()
                }
            }
            held.wait()
            let outcome = outcomeOfChild { _exit(values.withLock { $0 } == [.current] ? 0 : 1) }
            goOn.signal()
            guard outcome == (0, 0) else { exit(1) }
            exit(values.withLock { $0.count } == 2 ? 0 : 2)
        }
    }

    /// One of each slot size, and two with pages of their own.
    private static func secrets() -> [SecretBox] {
        [32, 200, 1000, 4096, 4097, 70_000].map { SecretBox(copying: [UInt8](repeating: 0xA5, count: $0)) }
    }

    private static func hasContent(_ box: SecretBox) -> Bool { box.withBytes { $0.allSatisfy { $0 == 0xA5 } } }
}

/// Runs `body` in a child, and returns how the child ended.
private func outcomeOfChild(_ body: () -> Void) -> (signal: Int32, code: Int32) {
    let child = forkProcess()
    if child == 0 {
        body()
        _exit(0)
    }
    var status: Int32 = -1
    guard child > 0, waitpid(child, &status, 0) == child else { exit(99) }
    return (status & 0x7F, status >> 8 & 0xFF)
}

private func silenceStandardError() {
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO)
}

/// Calls `fork`, which Swift hides.
private func forkProcess() -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(nil, "fork") else { return -1 }
    return unsafeBitCast(symbol, to: Fork.self)()
}
