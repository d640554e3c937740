import Glibc

/// A record that one of several processes appends.
package enum AppendedRecord {
    package static let byteCount = 128

    /// - Parameter writer: the first byte, so that a reader knows whose record it is.
    package static func bytes(writer: Int, number: Int) -> [UInt8] {
        [UInt8(writer)] + pattern(byteCount - 1, seed: number &* 3 &+ writer)
    }
}

/// The part of `file-system-check` that stands for another process in a rule. Each command answers with one line.
package enum OtherProcessCommands {
    package static let names = [
        "append", "flock", "flock-close", "lock", "lock-shared", "lock-holder", "map-increment",
    ]

    /// - Parameter arguments: the command, the path of a file, and numbers.
    /// - Returns: the answer; nil for an unknown command or missing arguments.
    package static func answer(_ arguments: [String]) throws -> String? {
        guard arguments.count >= 2 else { return nil }
        let path = Path(arguments[1])
        let numbers = arguments.dropFirst(2).compactMap { Int($0) }
        switch (arguments[0], numbers.count) {
        case ("append", 2):
            let file = try OpenFile(path, O_WRONLY | O_APPEND)
            for number in 0..<numbers[1] {
                try file.writeOn(AppendedRecord.bytes(writer: numbers[0], number: number))
            }
            try file.close()
            return ""
        case ("flock", 0):
            return outcome { () throws(CallFailure) in
                let file = try OpenFile(path, O_RDWR)
                try file.lock(LOCK_EX)
                try file.close()
            }
        case ("flock-close", 0):
            let (one, other) = try (OpenFile(path, O_RDWR), OpenFile(path, O_RDWR))
            try one.lock(LOCK_EX)
            let before = outcome { () throws(CallFailure) in try other.lock(LOCK_EX) }
            try one.close()
            let after = outcome { () throws(CallFailure) in try other.lock(LOCK_EX) }
            try other.close()
            return "\(before) \(after)"
        case ("lock", 2), ("lock-shared", 2):
            return outcome { () throws(CallFailure) in
                let file = try OpenFile(path, O_RDWR)
                try file.lockRange(
                    arguments[0] == "lock" ? .exclusive : .shared, Int64(numbers[0]), Int64(numbers[1]))
                try file.close()
            }
        case ("lock-holder", 2):
            let file = try OpenFile(path, O_RDWR)
            return try "\(file.lockHolder(Int64(numbers[0]), Int64(numbers[1])))"
        case ("map-increment", 0):
            let file = try OpenFile(path, O_RDWR)
            try file.withMap(0, 8192) { $0[1] += 1 }
            return ""
        default:
            return nil
        }
    }

    private static func outcome(_ body: () throws(CallFailure) -> Void) -> String {
        do {
            try body()
            return "locked"
        } catch {
            return ErrorName.of(error.number)
        }
    }
}
