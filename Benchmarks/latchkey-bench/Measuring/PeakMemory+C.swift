import Glibc

/// Runs a command in a shell and tells how much memory it had at most.
enum PeakMemory {
    /// Mebibytes of resident memory of the largest of the command's processes.
    static func mebibytes(of command: String, arguments: [String]) throws -> Double {
        var words: [UnsafeMutablePointer<CChar>?] = (["/bin/sh", "-c", command, "sh"] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var process: pid_t = 0
        guard posix_spawn(&process, "/bin/sh", nil, nil, words, environ) == 0 else { throw Failure("no shell starts") }
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(process, &status, 0, &usage) == process, status == 0 else {
            throw Failure("\(command) ended with \(status)")
        }
        return Double(usage.ru_maxrss) / 1024
    }
}
