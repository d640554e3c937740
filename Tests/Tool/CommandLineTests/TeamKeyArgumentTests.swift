import Foundation
import LatchkeyCodeSignature
import LatchkeyCommandLineTool
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import Testing

@Suite("A team's key as it is named")
final class TeamKeyArgumentTests {
    private static let hexadecimal =
        "046567dcf4dac7888911a5a1c2391e50ddf6012ff9a081ffd59e916349d8f91d3a"
        + "c25d7385ca345cc371144eb8759a9e600e659603d64aec5c00343b529bd0356c"
    private static let base64 =
        "BGVn3PTax4iJEaWhwjkeUN32AS/5oIH/1Z6RY0nY+R06wl1zhco0XMNxFE64dZqeYA5llgPWSuxcADQ7UpvQNWw="

    private let directory: String

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "teams-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func file(_ text: String) throws -> String {
        let path = directory + "/x.team"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private static func vector(_ name: String) -> String {
        PackageFolder.file("Fixtures/Vectors/teams/\(name)").path
    }

    @Test(
        "is the same in hexadecimal, in base64, and as a PEM file",
        arguments: [hexadecimal, hexadecimal.uppercased(), base64, vector("one-public.pem")])
    func forms(_ argument: String) throws {
        let named = try TeamKeyArgument(argument)
        #expect(named.key.identifier.text == "EIF5MUDOJM")
        #expect(Array(named.key.bytes.prefix(3)) == [0x04, 0x65, 0x67])
        #expect(named.name == nil)
    }

    @Test(
        "may stand in a file in hexadecimal or base64 too", arguments: [hexadecimal, base64 + "\n", "  \(base64)\r\n"])
    func plainFiles(_ text: String) throws {
        #expect(try TeamKeyArgument(file(text)).key.identifier.text == "EIF5MUDOJM")
    }

    @Test("in a team's file comes with the team's name")
    func teamFile() throws {
        let key = try TeamKeyArgument(Self.hexadecimal).key
        let named = try TeamKeyArgument(file(TeamFile(name: "Späti", key: key).text))
        #expect(named.key == key)
        #expect(named.name == "Späti")
    }

    @Test("the other key of the vectors has the same identifier and is another key")
    func vectors() throws {
        let one = try TeamKeyArgument(Self.vector("one-public.pem")).key
        let other = try TeamKeyArgument(Self.vector("other-public.pem")).key
        #expect(one != other)
        #expect(one.identifier == other.identifier)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let argument: String
        let status: ExitReason
    }

    private static let faults = [
        Fault(testDescription: "no such file", argument: "/nowhere/at/all", status: .inputUnreadable),
        Fault(testDescription: "a directory", argument: "/tmp", status: .inputUnreadable),
        Fault(
            testDescription: "hexadecimal of a point that is not on the curve",
            argument: "04" + String(repeating: "3a", count: 64),
            status: .inputMalformed),
        Fault(
            testDescription: "a compressed point", argument: "02" + String(hexadecimal.dropFirst(2)),
            status: .inputMalformed),
        Fault(testDescription: "a private key", argument: vector("one-private.pem"), status: .inputMalformed),
    ]

    @Test("that is invalid is refused, with the way to name one", arguments: faults)
    private func faults(_ fault: Fault) {
        let failure = #expect(throws: CommandFailure.self) { try TeamKeyArgument(fault.argument) }
        #expect(failure?.status == fault.status)
        #expect(failure?.advice != nil)
    }

    @Test(
        "in a file without a team's key is refused",
        arguments: ["", "hello", hexadecimal.dropLast(2) + "", base64 + base64])
    func badFiles(_ text: String) throws {
        let path = try file(text)
        let failure = #expect(throws: CommandFailure.self) { try TeamKeyArgument(path) }
        #expect(failure?.status == .inputMalformed)
    }

    @Test("in a file too long is refused without reading all of it")
    func longFile() throws {
        let path = try file(String(repeating: " ", count: TeamFile.byteLimit) + Self.base64)
        let failure = #expect(throws: CommandFailure.self) { try TeamKeyArgument(path) }
        #expect(failure?.status == .inputMalformed)
    }
}
