import Foundation
import Glibc

/// A look at a process by `/proc`.
enum ProcessStates {
    /// The letter that stands for the state of each thread: D waits in the kernel, where no signal reaches it, T is
    /// stopped, Z has ended.
    static func threads(_ process: Int32) -> [Int32: Character] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        var states: [Int32: Character] = [:]
        for thread in threads.compactMap({ Int32($0) }) {
            let line = FileManager.default.contents(atPath: "/proc/\(process)/task/\(thread)/stat") ?? Data()
            guard let end = line.lastIndex(of: UInt8(ascii: ")")), end + 2 < line.endIndex else { continue }
            states[thread] = Character(UnicodeScalar(line[end + 2]))
        }
        return states
    }

    /// The processes that watch the server of a volume.
    static func watchers(ofFolder folder: String) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).filter { number in
            let line = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data()
            let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return words.count == 4 && words[1] == "--watch" && words[3] == folder
        }
    }

    /// The signals that a process has blocked, of those that programs use.
    static func blockedSignals(_ process: Int32) -> Set<Int32> {
        let status = FileManager.default.contents(atPath: "/proc/\(process)/status") ?? Data()
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
        let digits = line?.dropFirst(7).trimmingCharacters(in: .whitespaces) ?? ""
        let bits = UInt64(digits, radix: 16) ?? 0
        return Set((1..<32).filter { bits & 1 << UInt64($0 - 1) != 0 })
    }
}

/// Returns true as soon as a condition holds, and false if it does not in this time.
func comes(within seconds: Int, _ condition: () throws -> Bool) rethrows -> Bool {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let end = now.tv_sec + seconds
    while try !condition() {
        clock_gettime(CLOCK_MONOTONIC, &now)
        guard now.tv_sec < end else { return false }
        usleep(1_000)
    }
    return true
}
