import Glibc

/// Programs that are started, and waited for, one after the other.
enum ProgramRuns {
    /// Replaced by a number that no other run of this process has.
    static let numberMark = "{}"

    nonisolated(unsafe) private static var number = 0  // Workers run one command at a time.

    /// Returns the nanoseconds that `count` runs took, each from before its start until after its end. The null device
    /// gets what they print.
    ///
    /// - Parameters:
    ///   - status: how each of them is to end.
    ///   - input: a file for their standard input.
    static func time(_ count: Int, endingWith status: Int, input: String, _ words: [String]) throws -> UInt64 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        if status != 0 { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        var sum: UInt64 = 0
        for _ in 0..<count {
            number += 1
            var arguments = words.map { strdup($0 == numberMark ? "\(number)" : $0) } + [nil]
            defer { for argument in arguments { free(argument) } }
            sum += try nanoseconds {
                var (process, ending): (pid_t, Int32) = (0, 0)
                guard posix_spawn(&process, words[0], &actions, nil, &arguments, environ) == 0,
                    waitpid(process, &ending, 0) == process, ending == Int32(status) << 8
                else { throw Failure("\(words[0]) did not run, or ended with \(ending >> 8)") }
            }
        }
        return sum
    }
}
