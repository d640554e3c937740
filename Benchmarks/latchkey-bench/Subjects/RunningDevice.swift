import Foundation
import Glibc
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// A device served by real daemon and enclave processes.
final class RunningDevice {
    let directory: DeviceDirectory
    private let process = Process()

    /// Starts the daemon, which starts the enclave. Returns before it answers; see ``waitUntilReady()``.
    init(_ path: String, options: [String] = [], processor: String?) throws {
        directory = DeviceDirectory(path: path)
        let program = URL(fileURLWithPath: try Worker.thisProgram()).deletingLastPathComponent().path + "/latchkeyd"
        Worker.configure(process, program: program, arguments: ["--device", path] + options, processor: processor)
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    /// For ``Worker``: where its keychain is.
    var environment: [String: String] { ["LATCHKEY_DEVICE": "unix:" + directory.keychainSocket] }

    /// Returns with the first answer to a find.
    func waitUntilReady() throws {
        let keychain = RemoteKeychain(socketPath: directory.keychainSocket)
        let question = ItemRequest(
            operation: .find,
            query: [
                QueryPair("class", .string("genp")), QueryPair("svce", .string(SampleItems.service(7))),
                QueryPair("acct", .string(SampleItems.account(7))), QueryPair("r_Data", .boolean(true)),
            ],
            wantsResult: true)
        for _ in 0..<20_000 {
            let reply = keychain.perform(question)
            if reply.code == .success || reply.code == .itemNotFound { return }
            guard process.isRunning else { throw Failure("latchkeyd ended with status \(process.terminationStatus)") }
            usleep(500)
        }
        throw Failure("latchkeyd does not answer")
    }

    var daemonID: Int32 { get throws { try Self.number(in: directory.daemonProcessFile) } }
    var enclaveID: Int32 { get throws { try Self.number(in: directory.enclaveProcessFile) } }

    /// Resident memory in MiB. Pages of libraries that both processes share are counted in each.
    func residentMebibytes(of processID: Int32) throws -> Double { try Self.mebibytes("VmRSS:", of: processID) }

    /// The largest resident memory that the process had, in MiB, counted likewise.
    func peakMebibytes(of processID: Int32) throws -> Double { try Self.mebibytes("VmHWM:", of: processID) }

    private static func mebibytes(_ field: String, of processID: Int32) throws -> Double {
        let status = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(field) }),
            let kibibytes = line.split(separator: " ").dropLast().last.flatMap({ Double($0) })
        else { throw Failure("process \(processID) has no \(field)") }
        return kibibytes / 1024
    }

    /// Ends daemon and enclave as an owner would.
    func stop() throws {
        let enclave = try? enclaveID
        process.terminate()
        process.waitUntilExit()
        guard let enclave else { return }
        kill(enclave, SIGTERM)
        while kill(enclave, 0) == 0, !Self.isZombie(enclave) { usleep(500) }
    }

    private static func isZombie(_ processID: Int32) -> Bool {
        let line = (try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)) ?? ""
        return line.contains(") Z ")
    }

    private static func number(in path: String) throws -> Int32 {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        guard let number = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Failure("\(path) holds no process number")
        }
        return number
    }
}
