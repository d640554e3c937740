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
    /// False for a dead process that shows its arguments no more, because its last thread closes its files: another
    /// volume may be the one it served.
    package let isNamed: Bool

    /// Its name, and the options by which `latchkey volume mount` starts it.
    private static let name = "latchkey-volume"
    private static let (storageOption, folderOption) = ("--storage", "--at")

    /// Finds the process that serves a volume at a folder; nil if this user does not see it.
    ///
    /// Any user can start a process that looks like a dead server: those of other users do not count, but root sees
    /// all, and one that lives comes first.
    package static func serving(storage: String, folder: String) -> VolumeServer? {
        var (dead, nameless): (VolumeServer?, VolumeServer?)
        for process in numbers(in: "/proc") where text("/proc/\(process)/comm") == Array((name + "\n").utf8) {
            // Of a process that was killed only threads that are still in the kernel have arguments.
            let tasks =
                ["/proc/\(process)"] + numbers(in: "/proc/\(process)/task").map { "/proc/\(process)/task/\($0)" }
            let arguments = tasks.map { text("\($0)/cmdline") ?? [] }
            let isNamed = arguments.contains { isServer(of: storage, at: folder, $0) }
            guard isNamed || arguments.allSatisfy(\.isEmpty), mayServeThisUser(process),
                let state = state(ofProcess: process)
            else { continue }
            let server = VolumeServer(process: process, state: state, isNamed: isNamed)
            switch (isNamed, state) {
            case (true, .dead): dead = dead ?? server
            case (true, _): return server
            case (false, .dead) where tasks.dropFirst().contains { !hasEnded($0) }: nameless = nameless ?? server
            case (false, _): continue
            }
        }
        return dead ?? nameless
    }

    /// True for processes of this user and of root, and for root. The owner of `/proc/N` is root where a process hides
    /// its memory.
    private static func mayServeThisUser(_ process: Int32) -> Bool {
        let own = geteuid()
        guard own != 0 else { return true }
        let user = field("Uid:", ofProcess: process).flatMap { $0.split(whereSeparator: \.isWhitespace).first }
        return user.flatMap { uid_t($0) }.map { $0 == own || $0 == 0 } ?? false
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
        guard let fields = fields("/proc/\(process)") else { return nil }
        switch fields[0] {
        case "Z", "X", "x": return .dead
        case _ where isEnding(fields) || isKilled(process): return .dead
        case "T", "t": return .stopped
        default: return .running
        }
    }

    /// The fields of the file `stat` of a process or thread, from its state on.
    private static func fields(_ task: String) -> [String]? {
        // The program's name, which may have any characters, stands in parentheses before the state.
        guard let line = text("\(task)/stat"), let end = line.lastIndex(of: UInt8(ascii: ")")), end + 2 < line.count
        else { return nil }
        return line[(end + 2)...].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// True for a thread that holds nothing any more.
    private static func hasEnded(_ task: String) -> Bool {
        fields(task).map { ["Z", "X", "x"].contains($0[0]) } ?? true
    }

    /// True if the first thread ends and closes its files meanwhile, which takes long where another volume stores them.
    ///
    /// - Parameter fields: of the file `stat`, from the state on.
    private static func isEnding(_ fields: [String]) -> Bool {
        fields.count > flagsPlace && UInt64(fields[flagsPlace]).map { $0 & exitingFlag != 0 } ?? false
    }

    private static let flagsPlace = 6
    /// The kernel's `PF_EXITING`.
    private static let exitingFlag: UInt64 = 0x4

    /// True if the first thread was killed, and has not ended yet because it is in the kernel.
    private static func isKilled(_ process: Int32) -> Bool {
        let digits = field("SigPnd:", ofProcess: process)?.filter { !$0.isWhitespace } ?? ""
        return UInt64(digits, radix: 16).map { $0 & 1 << UInt64(SIGKILL - 1) != 0 } ?? false
    }

    /// The rest of a line of the status of a process.
    private static func field(_ name: String, ofProcess process: Int32) -> String? {
        let lines = (text("/proc/\(process)/status") ?? []).split(separator: UInt8(ascii: "\n"))
        let line = lines.first { $0.starts(with: name.utf8) }
        return line.map { String(decoding: $0.dropFirst(name.utf8.count), as: UTF8.self) }
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
