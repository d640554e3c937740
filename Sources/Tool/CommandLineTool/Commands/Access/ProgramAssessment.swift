import Foundation
import LatchkeyCodeSignature
import LatchkeyDevice
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPeerIdentity
import LatchkeyPlainText

/// The access that a program would get from a device if this user started it, and the reason.
struct ProgramAssessment {
    /// The file that runs: the program without links, or the interpreter of a script.
    let path: String
    /// The script that was named, if it was one.
    let script: String?
    let program: RecognisedProgram
    let caller: Caller

    init(of name: String, on device: DeviceAccess) throws(CommandFailure) {
        let found = try ProgramPath(of: name)
        path = found.path
        script = found.script
        let opened: OpenExecutable
        do throws(OpenExecutable.OpenFailure) {
            opened = try OpenExecutable(path: found.path)
        } catch {
            throw CommandFailure(
                .inputUnreadable, "\(PlainText.escaped(found.path)) cannot be read.",
                why: SystemError.text(error.errno))
        }
        let teams = try device.teams()
        let aliases = try device.teamAliases().filter { $0.removed == nil }
        let status = try device.status()
        let userID = Glibc.getuid()
        let tool = try device.ownersTool().path.map { OwnersToolFile(path: $0, owner: userID) }
        let access = CallerRecognition(
            check: ProgramCheck(detachedDirectories: DeviceDirectory(path: status.directory).signatureDirectories),
            trustedGroup: Account.groupID(SystemInstallation.trustedGroup), ownersTool: tool,
            requiredLevel: { status.requiredLevel },
            verdict: { teams.verdict(on: $0) },
            teamOfAlias: { alias in aliases.first { $0.alias == alias }?.team })
        let path = Array(found.path.utf8)
        let identity = opened.identity
        let setgid: UInt32 = 0o2010
        program = access.recognise(
            opened, executable: ExecutableFile(device: identity.device, inode: identity.inode, path: path),
            privateAccessGroup: PeerIdentity.privateAccessGroup(userID: userID, path: path),
            runner: CallerRecognition.Runner(
                processID: 0, userID: userID,
                groupID: identity.mode & setgid == setgid ? identity.groupID : Glibc.getgid()))
        var caller = access.caller(program)
        if caller.isOwnersTool { caller.accessGroups.insert(OwnersGroup.name, at: 0) }
        self.caller = caller
    }

    /// The signature that the program has, whether it counts or not.
    private var signature: ProgramSignature? {
        guard case .valid(let signature)? = program.finding?.signature else { return nil }
        return signature
    }

    /// The reason for the program's access.
    var reason: String {
        if let refusal = caller.refusal { return refusal.reason }
        if caller.isOwnersTool { return "It is the tool of this installation: the owner's items are its own." }
        guard signature != nil else {
            return "It has no signature: it is known by its path, and has a group to itself."
        }
        guard let obstacle = program.protectionObstacle else {
            return "Its signature counts, and other software of the user cannot reach into it."
        }
        return "Its signature counts. It has level B because \(obstacle)."
    }

    var text: String {
        var rows: [(String, String)] = []
        if let script { rows.append(("script", "\(script): run by its interpreter")) }
        rows.append(("program", path))
        if let digest { rows.append(("digest", digest)) }
        if let statement = signature?.statement {
            rows.append(("app", statement.application))
            rows.append(("team", statement.team.text))
        }
        rows.append(("level", caller.level.rawValue))
        let groups = caller.accessGroups.isEmpty ? ["none"] : caller.accessGroups
        for (index, group) in groups.enumerated() { rows.append((index == 0 ? "groups" : "", group)) }
        if caller.isDenied { rows.append(("denied", "its entitlements deny it the keychain")) }
        if let rule = caller.refusal?.ruleName { rows.append(("rule", rule)) }
        rows.append(("why", reason))
        if let advice = caller.refusal?.advice { rows.append(("do", advice)) }
        return rows.map { name, value in
            name + String(repeating: " ", count: 9 - name.utf8.count) + PlainText.escaped(value)
        }.joined(separator: "\n")
    }

    var json: [(String, JSONValue)] {
        func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
        return [
            ("program", .string(path)), ("script", text(script)), ("digest", text(digest)),
            ("app", text(signature?.statement.application)), ("team", text(signature?.statement.team.text)),
            ("level", .string(caller.level.rawValue)),
            ("accessGroups", .array(caller.accessGroups.map { .string($0) })), ("denied", .boolean(caller.isDenied)),
            ("rule", text(caller.refusal?.ruleName)), ("why", .string(reason)),
            ("advice", text(caller.refusal?.advice)),
        ]
    }

    private var digest: String? { program.finding?.digest.map { Hexadecimal.text($0) } }
}

extension [TrustedTeam] {
    /// The device's verdict on a key, from the list of its teams.
    fileprivate func verdict(on key: TeamPublicKey) -> TeamVerdict {
        guard let team = first(where: { $0.key.identifier == key.identifier }) else { return .unknown }
        guard team.key == key else { return .otherKey }
        if team.revoked != nil { return .revoked }
        if team.isExpired { return .expired(team.expires ?? 0) }
        return .trusted
    }
}
