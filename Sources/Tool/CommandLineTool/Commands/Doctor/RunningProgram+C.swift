import CLatchkeyShims
import Glibc
import LatchkeyDevice
import LatchkeyPlainText

/// The state of a running process' program file since the process was started.
enum RunningProgram: Equatable {
    /// It is the file at the path.
    case present(String)
    /// No file is at the path any more.
    case removed(String)
    /// Another file is at the path.
    case replaced(String)
    /// The process was not started by an absolute path.
    case unknown

    /// A file is made a moment before the process is that runs it, and two clocks are compared.
    private static let slackNanoseconds: Int64 = 2_000_000_000

    init(of process: Int32) {
        guard let line = BoundedFile.text("/proc/\(process)/cmdline", limit: 1 << 14),
            let path = line.utf8.split(separator: 0, maxSplits: 1).first.map({ String(decoding: $0, as: UTF8.self) }),
            PathText.isAbsolute(path)
        else {
            self = .unknown
            return
        }
        guard unsafe access(path, F_OK) == 0 else {
            self = MissingFile.isGone(path) ? .removed(path) : .unknown
            return
        }
        let link = "/proc/\(process)/exe"
        // A daemon of a plain user forbids other processes of that user to look into it.
        guard unsafe access(link, F_OK) != 0 else {
            self = SameFile.isNamed(by: path, and: link) ? .present(path) : .replaced(path)
            return
        }
        self.init(path, born: unsafe lk_file_birth(path), started: Self.start(of: process))
    }

    /// - Parameters:
    ///   - born: when the file that is there now was made, in nanoseconds of 1970; 0 if that is not known.
    ///   - started: when the process was.
    init(_ path: String, born: Int64, started: Int64?) {
        guard born > 0, let started else {
            self = .unknown
            return
        }
        self = born > started + Self.slackNanoseconds ? .replaced(path) : .present(path)
    }

    /// In nanoseconds of 1970.
    private static func start(of process: Int32) -> Int64? {
        guard let text = BoundedFile.text("/proc/\(process)/stat", limit: 2048),
            let bracket = text.lastIndex(of: ")")
        else { return nil }
        // The first field after the name is number 3 of proc(5).
        let fields = text[bracket...].split(separator: " ").dropFirst()
        guard fields.count > 19, let ticks = Int64(fields[fields.startIndex + 22 - 3]) else { return nil }
        let perSecond = Int64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        let age = nanoseconds(CLOCK_BOOTTIME) - ticks * (1_000_000_000 / perSecond)
        return nanoseconds(CLOCK_REALTIME) - age
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
