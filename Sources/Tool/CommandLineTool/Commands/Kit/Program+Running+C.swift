import Glibc
import LatchkeyPlainText

/// Programs of other makers, which are on the PATH.
extension Program {
    /// The first program of that name in a directory of the PATH.
    package static func onPath(_ name: String) throws(CommandFailure) -> Program {
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        let directories = path.split(separator: ":").filter { PathText.isAbsolute($0) }
        let paths: [String] = directories.map { "\($0)/\(name)" }
        guard let found = paths.first(where: { unsafe access($0, X_OK) == 0 }) else {
            throw CommandFailure(
                .startFailed, "\(name) was not found.", why: "No directory of the PATH has it.",
                advice: "Install Swift, and put its usr/bin on the PATH.")
        }
        return Program(path: found)
    }

    /// The program's standard output, at most its first MiB; nil if it cannot be started or fails.
    package func output(of arguments: [String]) -> String? {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return nil }
        defer { close(ends[0]) }
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        let started = try? start(arguments, descriptors: (nothing, ends[1], nothing), detached: false)
        close(ends[1])
        guard let started else { return nil }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = unsafe read(ends[0], &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            if output.count < 1 << 20 { output += buffer[..<count] }
        }
        return Self.status(of: started) == 0 ? String(decoding: output, as: UTF8.self) : nil
    }

    /// Runs the program with this one's standard input, output and error, and returns how it ended, as a shell says it.
    package func run(_ arguments: [String], environment: [String]) throws(CommandFailure) -> Int32 {
        do throws(ProgramFailure) {
            return Self.status(
                of: try start(
                    arguments, environment: environment, descriptors: (STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO),
                    detached: false))
        } catch {
            throw CommandFailure(.startFailed, "\(path) could not be started.", why: SystemError.text(error.errno))
        }
    }

    private static func status(of process: Int32) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return 1 }
        }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
