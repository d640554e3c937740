import Foundation
import Glibc
import LatchkeyCodeSignature
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

/// A device with a daemon, a trusted team, and a directory for programs.
final class AttackStage {
    let device: ThrowawayDevice
    let programs: String
    let key = TeamKey.generate()

    init() throws {
        device = try ThrowawayDevice()
        programs = device.directory + "-programs"
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: false)
        let started = try device("start")
        try #require(started.status == 0, "\(started.errors)")
        try trust(key)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: programs)
    }

    var socket: String { device.directory + "/run/keychain.sock" }
    /// The first group of programs that the trusted team signed.
    var group: String { key.publicKey.identifier.text + ".shared" }

    @discardableResult
    func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        try RemoteKeychain(socketPath: socket).ask(question)
    }

    func trust(_ key: TeamKey) throws {
        try ask(TrustTeam(key: key.publicKey, name: "a team", expires: nil, passcode: nil))
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A copy of the attack program, unsigned.
    func program(_ name: String) throws -> String {
        let path = programs + "/" + name
        try AttackProgram.copy(to: path)
        return path
    }

    /// A copy of the attack program that the trusted team signed.
    func signedProgram(_ name: String) throws -> String {
        let path = try program(name)
        try AttackProgram.sign(path, by: key)
        return path
    }

    /// A file with the request's frame.
    func frame(_ request: ItemRequest, named name: String) throws -> String {
        let path = programs + "/" + name + ".frame"
        try Conversation.frame(request).write(to: URL(filePath: path))
        return path
    }

    /// Runs a program that asks in its own name.
    func outcome(of program: String, _ request: ItemRequest) throws -> Conversation.Outcome {
        let ending = try run(URL(filePath: program), ["ask", socket, try frame(request, named: "\(UUID())")])
        return try only(try Conversation.outcomes(ending.output), ending.errors)
    }

    func only(_ outcomes: [Conversation.Outcome], _ errors: String = "") throws -> Conversation.Outcome {
        try #require(outcomes.count == 1, "\(outcomes) \(errors)")
        return outcomes[0]
    }

    /// Stores an item in the group of the trusted team's programs.
    func storeSecret() throws {
        let victim = try signedProgram("storing-\(UUID())")
        try #require(try outcome(of: victim, Conversation.add("mail")) == .stored)
    }

    /// The daemon stands still while `body` runs.
    func whileDaemonStands<R>(_ body: () throws -> R) throws -> R {
        try StandingProcess.run(try device.processIdentifier("latchkeyd"), body)
    }

    /// The programs that the daemon has seen.
    func applications() throws -> [SeenApplication] {
        try ask(ListApplications()).map(\.seen)
    }
}

/// A program that says "ready" and waits for a byte of input.
final class WaitingProgram {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        signal(SIGPIPE, SIG_IGN)
        try process.run()
    }

    deinit {
        // Not a signal that the process may have inherited as blocked.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    var processIdentifier: Int32 { process.processIdentifier }

    /// Returns the output up to the line that says that it waits.
    func waitUntilReady() throws -> String {
        var text = ""
        while !text.hasSuffix("ready\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw AttackStage.Failure(description: "it ended after \(text)") }
            text += String(decoding: data, as: UTF8.self)
        }
        return text
    }

    /// Lets it go on, and gives what it writes until its end. One that does not wait may have ended already.
    func finish() throws -> String {
        try? input.fileHandleForWriting.write(contentsOf: Data([0]))
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
