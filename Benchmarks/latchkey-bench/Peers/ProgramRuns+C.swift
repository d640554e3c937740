import Glibc

/// Programs that are started, and waited for, one after the other.
enum ProgramRuns {
    /// The nanoseconds that `count` runs took, each from before its start until after its end.
    static func time(_ count: Int, _ words: [String]) throws -> UInt64 {
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        return try nanoseconds {
            for _ in 0..<count {
                var (process, status): (pid_t, Int32) = (0, 0)
                guard posix_spawn(&process, words[0], nil, nil, &arguments, environ) == 0,
                    waitpid(process, &status, 0) == process, status == 0
                else { throw Failure("\(words[0]) did not run, or ended with \(status >> 8)") }
            }
        }
    }
}
