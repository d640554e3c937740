import Foundation
import Glibc

/// The calls that programs make in a folder, in a process of its own.
final class FolderClient {
    /// As `cp` and `cat` read and write.
    private static let pieceByteCount = 128 << 10
    private static let smallByteCount = 100

    private var piece = (0..<pieceByteCount).map { UInt8(truncatingIfNeeded: ($0 &* 31) >> 3) }

    func serve() {
        Worker.serve { words in
            switch (words.first, words.count) {
            case ("write"?, 3): try self.write(String(words[1]), mebibytes: Int(words[2]) ?? 0)
            case ("read"?, 3): try self.read(String(words[1]), mebibytes: Int(words[2]) ?? 0)
            case ("create"?, 3): try Self.create(String(words[1]), count: Int(words[2]) ?? 0)
            case ("unpack"?, 3):
                try Self.time(of: ["tar", "-xf", String(words[1]), "-C", String(words[2])], output: "/dev/null")
            case ("list"?, 3): try Self.time(of: ["ls", "-lR", String(words[1])], output: String(words[2]))
            default: throw Failure("unknown command")
            }
        }
    }

    /// Writes a new file in pieces, and waits until it is stored.
    private func write(_ path: String, mebibytes: Int) throws -> UInt64 {
        try nanoseconds {
            let file = try Self.open(path, O_WRONLY | O_CREAT | O_EXCL)
            for number in 0..<Self.pieces(mebibytes) {
                mark(number)
                let count = Glibc.write(file, piece, piece.count)
                guard count == piece.count else { throw Self.failure("write to", path) }
            }
            guard fsync(file) == 0 else { throw Self.failure("synchronize", path) }
            guard close(file) == 0 else { throw Self.failure("close", path) }
        }
    }

    /// Reads the file that ``write(_:mebibytes:)`` made. Of each piece the beginning and the end are compared.
    private func read(_ path: String, mebibytes: Int) throws -> UInt64 {
        var found = [UInt8](repeating: 0, count: Self.pieceByteCount)
        return try nanoseconds {
            let file = try Self.open(path, O_RDONLY)
            for number in 0..<Self.pieces(mebibytes) {
                guard Glibc.read(file, &found, found.count) == found.count else { throw Self.failure("read", path) }
                let begins = found.withUnsafeBytes { $0.load(as: Int.self) }
                guard begins == number, found.last == piece.last else { throw Self.wrong(path) }
            }
            close(file)
        }
    }

    /// Compares every byte.
    func verify(_ path: String, mebibytes: Int) throws {
        var found = [UInt8](repeating: 0, count: Self.pieceByteCount)
        let file = try Self.open(path, O_RDONLY)
        defer { close(file) }
        for number in 0..<Self.pieces(mebibytes) {
            mark(number)
            guard Glibc.read(file, &found, found.count) == found.count else { throw Self.failure("read", path) }
            guard found == piece else { throw Self.wrong(path) }
        }
        guard Glibc.read(file, &found, 1) == 0 else { throw Self.wrong(path) }
    }

    /// Makes files of 100 bytes, one after the other.
    private static func create(_ folder: String, count: Int) throws -> UInt64 {
        let paths = (0..<count).map { path(folder, $0) }
        let contents = (0..<count).map { content($0) }
        return try nanoseconds {
            for index in 0..<count {
                let file = try open(paths[index], O_WRONLY | O_CREAT | O_EXCL)
                let written = Glibc.write(file, contents[index], smallByteCount)
                guard written == smallByteCount, close(file) == 0 else { throw failure("write to", paths[index]) }
            }
        }
    }

    /// Compares the files that `create` made.
    static func verifySmallFiles(_ folder: String, count: Int) throws {
        for index in 0..<count {
            let path = path(folder, index)
            guard FileManager.default.contents(atPath: path).map({ [UInt8]($0) }) == content(index) else {
                throw wrong(path)
            }
        }
        guard try FileManager.default.contentsOfDirectory(atPath: folder).count == count else { throw wrong(folder) }
    }

    private static func path(_ folder: String, _ index: Int) -> String { "\(folder)/file-\(index)" }

    private static func content(_ index: Int) -> [UInt8] {
        let text = Array("\(index) ".utf8)
        return (0..<smallByteCount).map { text[$0 % text.count] }
    }

    /// From starting a program to its end.
    private static func time(of words: [String], output: String) throws -> UInt64 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        let variables = ["PATH=/usr/bin:/bin", "LC_ALL=C"]
        let environment = variables.map { strdup($0) } + [nil]
        defer { environment.forEach { free($0) } }
        var status: Int32 = -1
        let time = nanoseconds {
            var process: pid_t = 0
            guard posix_spawnp(&process, words[0], &actions, nil, arguments, environment) == 0 else { return }
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
        guard status == 0 else { throw Failure("\(words.joined(separator: " ")) ended with \(status)") }
        return time
    }

    private func mark(_ number: Int) {
        piece.withUnsafeMutableBytes { $0.storeBytes(of: number, as: Int.self) }
    }

    private static func open(_ path: String, _ flags: Int32) throws -> Int32 {
        let file = Glibc.open(path, flags | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("open", path) }
        return file
    }

    private static func failure(_ action: String, _ path: String) -> Failure {
        Failure("cannot \(action) \(path): \(String(cString: strerror(errno)))")
    }

    private static func wrong(_ path: String) -> Failure { Failure("\(path) is not what was written") }

    private static func pieces(_ mebibytes: Int) -> Int { mebibytes << 20 / pieceByteCount }
}
