import Foundation

/// The two processes of the raw echo.
final class EchoPair {
    let socket: String
    private let end = Process()
    private let middle = Process()

    init(in directory: String, sizes: PacketSizes, processor: String?) throws {
        socket = directory + "/middle.sock"
        let next = directory + "/end.sock"
        let program = try Worker.thisProgram()
        Worker.configure(
            end, program: program, arguments: ["echo", "end", next, String(sizes.enclaveReply)], processor: processor)
        try end.run()
        try Self.wait(for: next)
        Worker.configure(
            middle, program: program,
            arguments: ["echo", "middle", socket, next, String(sizes.enclaveRequest), String(sizes.reply)],
            processor: processor)
        try middle.run()
        try Self.wait(for: socket)
    }

    /// Starts a server that answers one packet of each connection; its socket is at `path`.
    static func visits(at path: String, processor: String?) throws -> Process {
        try start(["visits", path], socket: path, processor: processor)
    }

    /// Starts a server that commits a row of bare SQLite before it answers; its socket is at `path`.
    /// - Parameter file: a copy of a device's database.
    static func store(at path: String, answer: Int, file: String, processor: String?) throws -> Process {
        try start(["store", path, String(answer), file], socket: path, processor: processor)
    }

    private static func start(_ arguments: [String], socket path: String, processor: String?) throws -> Process {
        let process = Process()
        Worker.configure(
            process, program: try Worker.thisProgram(), arguments: ["echo"] + arguments, processor: processor)
        try process.run()
        try wait(for: path)
        return process
    }

    private static func wait(for path: String) throws {
        for _ in 0..<5000 {
            if FileManager.default.fileExists(atPath: path) { return }
            usleep(1000)
        }
        throw Failure("the echo did not start: \(path)")
    }

    func stop() {
        for process in [middle, end] {
            process.terminate()
            process.waitUntilExit()
        }
    }
}
