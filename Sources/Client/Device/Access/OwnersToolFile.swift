import LatchkeyItemModel
package import LatchkeyPeerIdentity

/// The owner's tool as a daemon knows it: the file `latchkey` beside the daemon's own, run by the device's owner.
///
/// The daemon decides this from the file, not from a claim of the program. An attacker who can replace the file can
/// replace the daemon as well. Neither a program's name nor a path in its own mount namespace makes it the tool.
package struct OwnersToolFile: Sendable, Hashable {
    package let path: String
    /// The user whose device it is.
    package let owner: UInt32

    package init(path: String, owner: UInt32) {
        self.path = path
        self.owner = owner
    }

    /// The tool beside the program that this process runs.
    package static func besideThisProgram(owner: UInt32) throws(IdentityFailure) -> OwnersToolFile {
        let own = try PeerIdentity.ofThisProcess().executable
        return OwnersToolFile(path: own.displayPath.dropLast(own.name.count) + OwnersGroup.toolName, owner: owner)
    }

    /// Returns true if a program is the tool. A running tool that was replaced meanwhile is known by its path, like
    /// every program. In another pid namespace other programs can speak in the tool's name.
    func isTool(_ executable: ExecutableFile, runBy runner: CallerRecognition.Runner) -> Bool {
        guard runner.userID == owner, runner.sharesNamespace else { return false }
        let bytes = Array(path.utf8)
        if ExecutableFile.file(at: bytes)?.isSameFile(as: executable) ?? false { return true }
        return executable.isPathKnown && executable.path == bytes
    }
}
