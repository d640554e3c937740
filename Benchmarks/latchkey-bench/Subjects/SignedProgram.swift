import Foundation
import Glibc
import LatchkeyCodeSignature
import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// Copies of this program that a trusted team has signed.
final class SignedProgram {
    let path: String
    let byteCount: Int
    private let copies: String
    private var copyCount = 0

    /// Signs a copy of this program in `directory` and has the device trust the team.
    init(in directory: String, on device: RunningDevice) throws {
        path = directory + "/signed-client"
        copies = directory
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: try Worker.thisProgram(), toPath: path)
        let team = TeamKey.generate()
        try Self.sign(path, team)
        byteCount = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        let keychain = RemoteKeychain(socketPath: device.directory.keychainSocket)
        try keychain.ask(TrustTeam(key: team.publicKey, name: "bench", expires: nil, passcode: nil))
    }

    /// A file that the daemon has not seen yet, with the same content.
    func copy() throws -> String {
        copyCount += 1
        let copy = copies + "/signed-client-\(copyCount)"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        return copy
    }

    private static func sign(_ path: String, _ team: TeamKey) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("cannot open \(path)") }
        defer { close(descriptor) }
        let identifier = team.publicKey.identifier
        let application = "\(identifier).org.latchkey.bench"
        let statement = try SignatureStatement(
            application: application,
            entitlements: ProgramEntitlements([ProgramEntitlements.Key.application: .string(application)]),
            digest: ExecutableImage(descriptor: descriptor).digest(),
            date: Date().timeIntervalSinceReferenceDate.rounded(), team: identifier)
        try SignatureWriter.write(team.sign(statement), intoFileAt: path)
    }
}
