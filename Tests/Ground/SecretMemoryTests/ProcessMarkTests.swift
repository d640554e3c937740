import Foundation
import LatchkeySecretMemory
import Testing

@Suite struct ProcessMarkTests {
    @Test("the mark stays in a process, and its children and grandchildren have others") func forksInOwnProcess() async
    {
        await #expect(processExitsWith: .success) {
            let own = ProcessMark.current
            guard own == .current else { exit(1) }
            for _ in 0..<2 {
                let child = forkProcess()
                guard child != 0 else {
                    let mark = ProcessMark.current
                    guard mark != own, mark == .current else { _exit(2) }
                    let grandchild = forkProcess()
                    guard grandchild != 0 else { _exit([own, mark].contains(.current) ? 3 : 0) }
                    _exit(status(of: grandchild))
                }
                let outcome = status(of: child)
                guard outcome == 0 else { exit(outcome) }
            }
            exit(own == .current ? 0 : 4)
        }
    }
}

private func status(of child: pid_t) -> Int32 {
    var status: Int32 = -1
    guard child > 0, waitpid(child, &status, 0) == child else { return 9 }
    return status >> 8 & 0xFF | status & 0x7F
}

/// Calls `fork`, which Swift hides. The process must have one thread that does anything.
private func forkProcess() -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(nil, "fork") else { return -1 }
    return unsafeBitCast(symbol, to: Fork.self)()
}
