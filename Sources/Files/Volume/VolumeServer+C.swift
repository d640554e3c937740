import Glibc
import LatchkeyFileAccess

/// The process that serves a mounted volume, as far as the system shows it to this user.
package struct VolumeServer: Sendable, Equatable {
    /// A state of a process.
    package enum State: Sendable {
        case running
        /// It is stopped, by SIGSTOP or a debugger, and answers when it goes on.
        case stopped
        /// It was killed or has ended, and answers no more. A thread of it may still wait in the kernel.
        case dead
    }

    package let process: Int32
    package let state: State

    /// Its name, and the options by which `latchkey volume mount` starts it.
    private static let name = "latchkey-volume"
    private static let (storageOption, folderOption) = ("--storage", "--at")

    /// Finds the process that serves a volume at a folder; nil if this user does not see it.
    package static func serving(storage: String, folder: String) -> VolumeServer? {
        for process in numbers(in: "/proc") where text("/proc/\(process)/comm") == Array((name + "\n").utf8) {
            // Of a process that was killed only threads that are still in the kernel have arguments.
            let tasks =
                ["/proc/\(process)"] + numbers(in: "/proc/\(process)/task").map { "/proc/\(process)/task/\($0)" }
            guard tasks.contains(where: { isServer(of: storage, at: folder, text("\($0)/cmdline") ?? []) }),
                let state = state(ofProcess: process)
            else { continue }
            return VolumeServer(process: process, state: state)
        }
        return nil
    }

    private static func isServer(of storage: String, at folder: String, _ arguments: [UInt8]) -> Bool {
        let words = arguments.split(separator: 0, omittingEmptySubsequences: false)
        func value(of option: String) -> ArraySlice<UInt8>? {
            words.firstIndex { $0.elementsEqual(option.utf8) }.flatMap { place in
                place + 1 < words.count ? words[place + 1] : nil
            }
        }
        return value(of: storageOption)?.elementsEqual(storage.utf8) == true
            && value(of: folderOption)?.elementsEqual(folder.utf8) == true
    }

    /// The state of a process; nil if there is none of this number.
    package static func state(ofProcess process: Int32) -> State? {
        // The program's name, which may have any characters, stands in parentheses before the state.
        guard let line = text("/proc/\(process)/stat"), let end = line.lastIndex(of: UInt8(ascii: ")")),
            end + 2 < line.count
        else { return nil }
        switch UnicodeScalar(line[end + 2]) {
        case "Z", "X", "x": return .dead
        case "T", "t": return isKilled(process) ? .dead : .stopped
        default: return isKilled(process) ? .dead : .running
        }
    }

    /// True if the first thread was killed, and has not ended yet because it is in the kernel.
    private static func isKilled(_ process: Int32) -> Bool {
        let lines = (text("/proc/\(process)/status") ?? []).split(separator: UInt8(ascii: "\n"))
        let mark = Array("SigPnd:".utf8)
        guard let line = lines.first(where: { $0.starts(with: mark) }) else { return false }
        let digits = String(decoding: line.dropFirst(mark.count), as: UTF8.self).filter { !$0.isWhitespace }
        return UInt64(digits, radix: 16).map { $0 & 1 << UInt64(SIGKILL - 1) != 0 } ?? false
    }

    private static func numbers(in directory: String) -> [Int32] {
        guard let stream = unsafe opendir(directory) else { return [] }
        defer { unsafe closedir(stream) }
        var found: [Int32] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let number = Int32(name) { found.append(number) }
        }
        return found
    }

    /// A file of the kernel; paths make arguments as long as this.
    private static func text(_ path: String) -> [UInt8]? {
        guard let file = try? OwnedDescriptor(opening: path, O_RDONLY) else { return nil }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe try? file.read(at: 0, into: $0) }
        return count.map { Array(bytes.prefix($0)) }
    }

    private static let limit = 1 << 16
}
