import Foundation
import LatchkeyCodeSignature
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

@testable import LatchkeyDevice
@testable import LatchkeyPeerIdentity

@Suite("What a program may have follows from its file, its team and how it runs")
struct CallerRecognitionTests {
    static let key = TeamKey.generate()
    static let team = key.publicKey.identifier
    static let trustedGroup: UInt32 = 777
    static let digest = [UInt8](repeating: 7, count: 32)

    /// A file of root, setgid to the trusted group, and a process that runs it so: level A.
    struct Scene {
        var mode: UInt32 = 0o102755
        var ownerID: UInt32 = 0
        var groupID: UInt32 = trustedGroup
        var runningGroup: UInt32 = trustedGroup
        var configuredGroup: UInt32? = trustedGroup
        var loadsSystemFilesOnly = true
        var isPathKnown = true
        var sharesNamespace = true
        var ignoresGroupOfFile = false
        var path = "/usr/bin/mail"
        var minimumLevel: String?
        var extra: [String: PropertyValue] = [:]
        var deviceLevel: AssuranceLevel?
        var verdict = TeamVerdict.trusted
        var aliases: [String] = []
        /// The team that has every alias on the device.
        var teamOfAliases: TeamIdentifier?
        var signature: ProgramFinding.Signature?

        func caller() throws -> Caller {
            let access = CallerRecognition(
                check: ProgramCheck(), trustedGroup: configuredGroup, requiredLevel: { [deviceLevel] in deviceLevel },
                verdict: { [verdict] key in key == CallerRecognitionTests.key.publicKey ? verdict : .unknown },
                teamOfAlias: { [teamOfAliases] _ in teamOfAliases })
            return access.caller(try program(access))
        }

        func program(_ access: CallerRecognition) throws -> RecognisedProgram {
            let identity = FileIdentity(
                device: 1, inode: 2, byteCount: 3, modified: 4, changed: 5, mode: mode, ownerID: ownerID,
                groupID: groupID)
            let finding = ProgramFinding(
                identity: identity, signature: try signature ?? .valid(signed()), digest: digest,
                loadsSystemFilesOnly: loadsSystemFilesOnly)
            return access.recognised(
                finding, ignoresGroupOfFile: ignoresGroupOfFile,
                executable: ExecutableFile(device: 1, inode: 2, path: Array(path.utf8), isPathKnown: isPathKnown),
                privateAccessGroup: "unsigned.mail.0",
                runner: CallerRecognition.Runner(
                    processID: 9, userID: 1000, groupID: runningGroup, sharesNamespace: sharesNamespace))
        }

        private func signed() throws -> ProgramSignature {
            var entitlements: [String: PropertyValue] = [
                "keychain-access-groups": .array([.string("\(team).b"), .string("\(team).a")])
            ]
            if !aliases.isEmpty {
                entitlements["keychain-access-groups"] = .array(aliases.map { .string($0 + ".shared") })
                entitlements[ProgramEntitlements.Key.teamAliases] = .array(aliases.map { .string($0) })
            }
            if let minimumLevel { entitlements[ProgramEntitlements.Key.minimumLevel] = .string(minimumLevel) }
            return try key.sign(
                SignatureStatement(
                    application: "\(team).mail", entitlements: ProgramEntitlements(entitlements.merging(extra) { $1 }),
                    digest: digest, date: 1, team: team))
        }
    }

    @Test("an accepted signature gives its groups in their order, its application and its level")
    func accepted() throws {
        let caller = try Scene().caller()
        #expect(caller.accessGroups.prefix(2) == ["\(Self.team).b", "\(Self.team).a"])
        #expect(caller.application == "\(Self.team).mail")
        #expect(caller.name == caller.application)
        #expect(caller.team == Self.team)
        #expect(caller.level == .a)
        #expect(caller.refusal == nil)
        #expect(caller.process == CallerProcess(processID: 9, userID: 1000, executableDigest: Self.digest))
    }

    @Test("an unsigned program has its private group, at level C")
    func unsigned() throws {
        let caller = try Scene(signature: ProgramFinding.Signature.none).caller()
        #expect(caller.accessGroups == ["unsigned.mail.0"])
        #expect(caller.application == nil)
        #expect(caller.level == .c)
    }

    @Test("a program whose name is escaped in its group keeps the items of the group it had before")
    func formerSpelling() throws {
        let path = Array("/home/u/elsewhere.mail".utf8)
        let group = PeerIdentity.privateAccessGroup(userID: 1000, path: path)
        let fingerprint = try #require(group.split(separator: ".").last)
        let access = CallerRecognition(check: ProgramCheck(), trustedGroup: nil, verdict: { _ in .unknown })
        let caller = access.caller(
            access.recognise(
                nil, executable: ExecutableFile(device: 1, inode: 2, path: path), privateAccessGroup: group,
                runner: CallerRecognition.Runner(processID: 9, userID: 1000, groupID: 1000)))
        #expect(
            caller.accessGroups
                == ["unsigned.elsewhere%2Email.\(fingerprint)", "unsigned.elsewhere.mail.\(fingerprint)"])
        #expect(PrivateGroup(group)?.program == "elsewhere.mail")
    }

    /// A directory with a file called latchkey, and what a daemon beside it says of a program.
    private func isTool(
        _ name: String, owner: UInt32 = 1000, path: String? = nil, isPathKnown: Bool = true, sameFile: Bool = true,
        sharesNamespace: Bool = true,
        _ scene: Scene = Scene(signature: ProgramFinding.Signature.none)
    ) throws -> Bool {
        let directory = FileManager.default.temporaryDirectory.path + "/latchkey-tool-\(UUID())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for file in ["latchkey", "other"] { try Data(file.utf8).write(to: URL(filePath: directory + "/" + file)) }
        let file = try #require(ExecutableFile.file(at: Array((directory + "/" + name).utf8)))
        let access = CallerRecognition(
            check: ProgramCheck(), trustedGroup: nil,
            ownersTool: OwnersToolFile(path: directory + "/latchkey", owner: owner),
            requiredLevel: { scene.deviceLevel }, verdict: { _ in .trusted })
        let program = try scene.program(access)
        let executable = ExecutableFile(
            device: file.device, inode: sameFile ? file.inode : file.inode &+ 1,
            path: path.map { Array($0.utf8) } ?? file.path, isPathKnown: isPathKnown)
        return access.caller(
            access.recognised(
                program.finding, ignoresGroupOfFile: false, executable: executable, privateAccessGroup: "unsigned.x.0",
                runner: CallerRecognition.Runner(
                    processID: 9, userID: program.runner.userID, groupID: 1000, sharesNamespace: sharesNamespace))
        ).isOwnersTool
    }

    @Test("the owner's tool is the file beside the daemon's, run by the owner, and nothing else")
    func ownersTool() throws {
        #expect(try isTool("latchkey"))
        // Under another name, as through a hard link, it is still that file.
        #expect(try isTool("latchkey", path: "/elsewhere/x"))
        // Replaced while it runs.
        #expect(try isTool("latchkey", sameFile: false))
        #expect(try !isTool("other"))
        #expect(try !isTool("latchkey", owner: 1001))
        #expect(try !isTool("latchkey", owner: 0))
        // Another file that has the path in a mount namespace of its own.
        #expect(try !isTool("latchkey", isPathKnown: false, sameFile: false))
        // The tool itself where others can speak in its name.
        #expect(try !isTool("latchkey", sharesNamespace: false))
        // A program without groups is not the tool either.
        #expect(try !isTool("latchkey", Scene(deviceLevel: .a, signature: ProgramFinding.Signature.none)))
        #expect(try !isTool("latchkey", Scene(signature: .refused(.script))))
        #expect(try !Scene(signature: ProgramFinding.Signature.none).caller().isOwnersTool)
    }

    static let spoiled: [(String, Scene, ProtectionObstacle)] = [
        ("no setgid", Scene(mode: 0o100755), .notSetgid),
        ("setgid without the right to run", Scene(mode: 0o102745), .notSetgid),
        ("no trusted group", Scene(configuredGroup: nil), .noTrustedGroup),
        ("another group", Scene(groupID: 5), .otherGroup(5)),
        ("another owner", Scene(ownerID: 1000), .otherOwner(1000)),
        ("its group can write", Scene(mode: 0o102775), .writable),
        ("all can write", Scene(mode: 0o102757), .writable),
        ("nosuid", Scene(ignoresGroupOfFile: true), .setgidIgnored),
        ("another mount namespace", Scene(isPathKnown: false), .otherMountNamespace),
        ("another group at run time", Scene(runningGroup: 1000), .otherRunningGroup(1000)),
        ("libraries from elsewhere", Scene(loadsSystemFilesOnly: false), .foreignLibraries),
    ]

    @Test("what others can tamper with has level B", arguments: spoiled.indices)
    func levelB(index: Int) throws {
        let (name, scene, obstacle) = Self.spoiled[index]
        #expect(try scene.caller().level == .b, "\(name)")
        #expect(!(try scene.caller().accessGroups.isEmpty), "\(name)")
        let access = CallerRecognition(
            check: ProgramCheck(), trustedGroup: scene.configuredGroup, verdict: { _ in .trusted })
        #expect(try scene.program(access).protectionObstacle == obstacle)
    }

    @Test("groups of an alias are the program's where the device gave it to the team")
    func alias() throws {
        let caller = try Scene(aliases: ["A1B2C3D4E5"], teamOfAliases: Self.team).caller()
        #expect(caller.refusal == nil)
        #expect(caller.accessGroups == ["A1B2C3D4E5.shared"])
        #expect(caller.team == Self.team)
    }

    static let refused: [(Rule, Scene)] = [
        (.teamAliasNotPinned, Scene(aliases: ["A1B2C3D4E5"])),
        (.teamAliasTaken, Scene(aliases: ["A1B2C3D4E5"], teamOfAliases: TeamIdentifier("ABCDEFGHIJ"))),
        (.teamRevoked, Scene(verdict: .revoked, aliases: ["A1B2C3D4E5"], teamOfAliases: team)),
        (.teamNotTrusted, Scene(verdict: .unknown)), (.teamOtherKey, Scene(verdict: .otherKey)),
        (.teamRevoked, Scene(verdict: .revoked)), (.teamExpired, Scene(verdict: .expired(5))),
        (.signatureWrongDigest, Scene(signature: .refused(.wrongDigest))),
        (.signatureMalformed, Scene(signature: .refused(.malformed("x")))),
        (.signatureTwo, Scene(signature: .refused(.twoSignatures))),
        (.signatureInterpreter, Scene(path: "/usr/bin/python3.11")),
        (.otherPIDNamespace, Scene(sharesNamespace: false)),
        (.assuranceLevelTooLow, Scene(mode: 0o100755, minimumLevel: "A")),
        (.assuranceLevelTooLow, Scene(mode: 0o100755, deviceLevel: .a)),
        (.assuranceLevelTooLow, Scene(deviceLevel: .b, signature: ProgramFinding.Signature.none)),
    ]

    @Test("what is not accepted has no groups, and its own rule", arguments: refused.indices)
    func noGroups(index: Int) throws {
        let (rule, scene) = Self.refused[index]
        let caller = try scene.caller()
        #expect(caller.accessGroups.isEmpty)
        #expect(caller.application == nil)
        #expect(caller.refusal?.rule == rule)
    }

    @Test("a demand for a level is met by that level and better ones", arguments: ["A", "B", "C"])
    func enough(level: String) throws {
        #expect(try Scene(minimumLevel: level).caller().refusal == nil)
        #expect(try Scene(deviceLevel: AssuranceLevel(rawValue: level)).caller().refusal == nil)
    }

    @Test("denial of the keychain is passed on")
    func denied() throws {
        #expect(try Scene(extra: ["com.apple.private.keychain.deny": .boolean(true)]).caller().isDenied)
    }

    @Test("what a program demands for itself is known, whatever becomes of it", arguments: [nil, "A", "B"])
    func demand(level: String?) throws {
        let access = CallerRecognition(check: ProgramCheck(), trustedGroup: nil, verdict: { _ in .trusted })
        let program = try Scene(minimumLevel: level).program(access)
        #expect(program.demandedLevel == level.flatMap { AssuranceLevel(rawValue: $0) })
        #expect(try Scene(signature: ProgramFinding.Signature.none).program(access).demandedLevel == nil)
    }

    @Test("a program without groups is not put on the list")
    func sightings() throws {
        let access = CallerRecognition(check: ProgramCheck(), trustedGroup: nil, verdict: { _ in .revoked })
        let program = try Scene().program(access)
        #expect(program.sighting(as: access.caller(program)) == nil)
    }
}
