import Foundation

/// The largest resident memory of a program while it runs.
///
/// The kernel counts the memory of the process that starts a program as the program's own. The program is therefore
/// started by an interpreter of Python, whose few mebibytes are less than any program measured here takes.
enum PeakMemory {
    /// Makes the memory of now the peak of this process.
    static func restart() throws {
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    /// The largest resident memory of this process since ``restart()``, in bytes.
    static func peak() throws -> UInt64 {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kibibytes = line.split(separator: " ").dropLast().last.flatMap({ UInt64($0) })
        else { throw Failure("this process has no VmHWM") }
        return kibibytes << 10
    }

    /// Mebibytes of the resident memory of the shell command's process; `exec` makes a program of it.
    static func mebibytes(of command: String, arguments: [String]) throws -> Double {
        let script = """
            import os, sys
            child = os.fork()
            if child == 0:
                os.execv("/bin/sh", ["/bin/sh", "-c"] + sys.argv[1:])
            _, status, usage = os.wait4(child, 0)
            assert status == 0, f"the command ended with {status}"
            with open("/proc/self/status") as fields:
                own = next(int(line.split()[1]) for line in fields if line.startswith("VmHWM:"))
            assert usage.ru_maxrss > own, f"{usage.ru_maxrss} KiB are those of the interpreter"
            print(usage.ru_maxrss)
            """
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        // Without site packages, which nothing here needs.
        process.arguments = ["-I", "-S", "-c", script, command, "sh"] + arguments
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let kibibytes = Double(text.filter { !$0.isWhitespace }) else {
            throw Failure("\(command) could not be measured")
        }
        return kibibytes / 1024
    }
}
