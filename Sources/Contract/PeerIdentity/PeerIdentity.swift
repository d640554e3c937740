import LatchkeyCodeSignature
import LatchkeyCryptoSuite
import LatchkeyEncoding
import LatchkeyItemModel

/// The program and user of a process, by the kernel's information, not by the program's claims.
///
/// This tells honest programs of one user apart. It does not stop malicious software of the same user, which can load
/// code into a program as it starts; `Docs/Threats` has the levels.
package struct PeerIdentity: Sendable, Hashable {
    package let processID: Int32
    package let userID: UInt32
    package let groupID: UInt32
    package let executable: ExecutableFile
    /// True if it has this process's pid namespace. In another one, of a container, a sandbox or an attacker, other
    /// processes can send messages in its name.
    package let sharesNamespace: Bool
    let record: ProcessRecord

    init(
        processID: Int32, userID: UInt32, groupID: UInt32, executable: ExecutableFile, sharesNamespace: Bool = true,
        record: ProcessRecord
    ) {
        self.processID = processID
        self.userID = userID
        self.groupID = groupID
        self.executable = executable
        self.sharesNamespace = sharesNamespace
        self.record = record
    }

    /// For people: the path of the program.
    package var displayName: String { executable.displayPath }

    /// The access group of an unsigned program: no other program gets the same.
    ///
    /// It follows the path and the user, so that a program keeps its items when it is updated. If the path means
    /// nothing here it follows the file: an attacker who can choose paths must not get another program's group. In
    /// another pid namespace programs cannot be told apart reliably; no group there is one of a program outside.
    package var privateAccessGroup: String {
        guard !executable.isPathKnown || !sharesNamespace else {
            return Self.privateAccessGroup(userID: userID, path: executable.path)
        }
        let file = "\(executable.device) \(executable.inode)" + (sharesNamespace ? "" : " in a pid namespace")
        return Self.privateAccessGroup(
            "unsigned.elsewhere", of: "latchkey unsigned program elsewhere", [String(userID), file], executable.path)
    }

    /// Returns the private group of the program at `path` when `userID` runs it.
    package static func privateAccessGroup(userID: UInt32, path: [UInt8]) -> String {
        privateAccessGroup(knownPath, of: "latchkey unsigned program", [String(userID)], path)
    }

    private static func privateAccessGroup(
        _ prefix: String, of kind: String, _ marks: [String], _ path: [UInt8]
    ) -> String {
        let separator: [UInt8] = [0]
        let text = ([kind] + marks).flatMap { Array($0.utf8) + separator } + path
        let fingerprint = Hexadecimal.text(sha256(text).prefix(10))
        var name = ExecutableFile(device: 0, inode: 0, path: path).name
        if prefix == knownPath { name = PrivateGroup.spelled(name) }
        return "\(prefix).\(name).\(fingerprint)"
    }

    private static let knownPath = "unsigned"
}
