package import LatchkeyCodeSignature
import LatchkeyItemModel
package import LatchkeyKeychainMessages
package import LatchkeyPeerIdentity

/// The rights of a program: the one place that makes a caller from a program's file and its process.
///
/// The file's part comes from a ``ProgramCheck``; whether the team is trusted is asked anew each time, because that can
/// change while a program runs.
package struct CallerRecognition: Sendable {
    /// The process of the program and its user, as the kernel says.
    package struct Runner: Sendable, Hashable {
        /// 0 where nothing runs.
        package let processID: Int32
        package let userID: UInt32
        package let groupID: UInt32
        /// True if the process has the daemon's pid namespace.
        package let sharesNamespace: Bool

        package init(processID: Int32, userID: UInt32, groupID: UInt32, sharesNamespace: Bool = true) {
            self.processID = processID
            self.userID = userID
            self.groupID = groupID
            self.sharesNamespace = sharesNamespace
        }
    }

    private let check: ProgramCheck
    private let trustedGroup: UInt32?
    private let ownersTool: OwnersToolFile?
    private let requiredLevel: @Sendable () -> AssuranceLevel?
    private let verdict: @Sendable (TeamPublicKey) -> TeamVerdict
    private let teamOfAlias: @Sendable (TeamAlias) -> TeamIdentifier?

    /// - Parameters:
    ///   - trustedGroup: the group of setgid programs that their users cannot tamper with; nil if there is none.
    ///   - ownersTool: the tool of the device's owner; nil where no program is that by its file.
    ///   - requiredLevel: the weakest level at which this device serves anybody; nil if it serves all.
    ///   - verdict: what the device thinks of a team's key now.
    ///   - teamOfAlias: the team that has an alias now; nil if none has it.
    package init(
        check: ProgramCheck, trustedGroup: UInt32?, ownersTool: OwnersToolFile? = nil,
        requiredLevel: @escaping @Sendable () -> AssuranceLevel? = { nil },
        verdict: @escaping @Sendable (TeamPublicKey) -> TeamVerdict,
        teamOfAlias: @escaping @Sendable (TeamAlias) -> TeamIdentifier? = { _ in nil }
    ) {
        self.check = check
        self.trustedGroup = trustedGroup
        self.ownersTool = ownersTool
        self.requiredLevel = requiredLevel
        self.verdict = verdict
        self.teamOfAlias = teamOfAlias
    }

    /// Looks at a connected program; it may take as long as reading its file.
    package func recognise(_ peer: PeerIdentity, program: OpenExecutable?) -> RecognisedProgram {
        recognise(
            program, executable: peer.executable, privateAccessGroup: peer.privateAccessGroup,
            runner: Runner(
                processID: peer.processID, userID: peer.userID, groupID: peer.groupID,
                sharesNamespace: peer.sharesNamespace))
    }

    /// Looks at a program that need not run.
    package func recognise(
        _ program: OpenExecutable?, executable: ExecutableFile, privateAccessGroup: String, runner: Runner
    ) -> RecognisedProgram {
        recognised(
            program.map { check.finding(on: $0) }, ignoresGroupOfFile: program?.ignoresGroupOfFile ?? true,
            executable: executable, privateAccessGroup: privateAccessGroup, runner: runner)
    }

    func recognised(
        _ finding: ProgramFinding?, ignoresGroupOfFile: Bool, executable: ExecutableFile, privateAccessGroup: String,
        runner: Runner
    ) -> RecognisedProgram {
        RecognisedProgram(
            executable: executable, privateAccessGroup: privateAccessGroup, runner: runner, finding: finding,
            protectionObstacle: protectionObstacle(finding, ignoresGroupOfFile, executable, runner))
    }

    /// The program's present rights.
    package func caller(_ program: RecognisedProgram) -> Caller {
        var caller = callerByItsFile(program)
        caller.isOwnersTool =
            caller.refusal == nil && ownersTool?.isTool(program.executable, runBy: program.runner) ?? false
        return caller
    }

    private func callerByItsFile(_ program: RecognisedProgram) -> Caller {
        switch standing(of: program) {
        case .unsigned:
            let refusal = deviceRefusal(at: .c)
            return Caller(
                name: program.executable.displayPath,
                accessGroups: refusal == nil ? PrivateGroup.spellings(of: program.privateAccessGroup) : [], level: .c,
                process: program.process, refusal: refusal)
        case .refused(let failure):
            return refusedCaller(program, .c, Refusal(failure))
        case .accepted where !program.runner.sharesNamespace:
            return refusedCaller(program, .c, Self.otherNamespace)
        case .accepted(let signature):
            let entitlements = signature.statement.entitlements
            let level = program.signedLevel
            if let needed = entitlements.minimumLevel, level < needed {
                return refusedCaller(
                    program, level, Refusal(SignatureFailure.levelTooLow(found: level, needed: needed)))
            }
            if let refusal = deviceRefusal(at: level) { return refusedCaller(program, level, refusal) }
            return Caller(
                name: signature.statement.application, accessGroups: entitlements.accessGroups,
                isDenied: entitlements.isDenied, isAppClip: entitlements.isAppClip,
                mayGivePasscode: entitlements.givesPasscode,
                application: signature.statement.application, level: level, process: program.process)
        }
    }

    private enum Standing {
        case unsigned
        case accepted(ProgramSignature)
        case refused(SignatureFailure)
    }

    private func standing(of program: RecognisedProgram) -> Standing {
        switch program.finding?.signature {
        case nil, .some(.none): return .unsigned
        case .refused(let failure): return .refused(failure)
        case .valid(let signature):
            if Interpreters.contains(name: program.executable.name) {
                return .refused(.interpreter(name: program.executable.name))
            }
            let team = signature.statement.team
            switch verdict(signature.key) {
            case .trusted: return aliasFailure(of: signature).map { .refused($0) } ?? .accepted(signature)
            case .unknown: return .refused(.teamNotTrusted(team))
            case .otherKey: return .refused(.teamOtherKey(team))
            case .revoked: return .refused(.teamRevoked(team))
            case .expired(let date): return .refused(.teamExpired(team, date: date))
            }
        }
    }

    /// A trusted team may have a prefix of groups besides its own only if the owner gave it to it.
    private func aliasFailure(of signature: ProgramSignature) -> SignatureFailure? {
        let team = signature.statement.team
        for alias in signature.statement.entitlements.teamAliases {
            guard let holder = teamOfAlias(alias) else { return .aliasNotPinned(alias, of: team) }
            guard holder == team else { return .aliasTaken(alias, by: holder) }
        }
        return nil
    }

    /// A signature that does not count never leads to the group of an unsigned program either.
    private func refusedCaller(_ program: RecognisedProgram, _ level: AssuranceLevel, _ refusal: Refusal) -> Caller {
        Caller(
            name: program.executable.displayPath, accessGroups: [], level: level, process: program.process,
            refusal: refusal)
    }

    private static let otherNamespace = Refusal(.otherPIDNamespace)

    private func deviceRefusal(at level: AssuranceLevel) -> Refusal? {
        guard let needed = requiredLevel(), level < needed else { return nil }
        return Refusal(as: .deviceDemandsLevel, needed.rawValue, level.rawValue)
    }

    /// The way for other software of the user to put itself into the program; nil for level A.
    private func protectionObstacle(
        _ finding: ProgramFinding?, _ ignoresGroupOfFile: Bool, _ executable: ExecutableFile, _ runner: Runner
    ) -> ProtectionObstacle? {
        guard let finding, case .valid = finding.signature else { return .notSigned }
        let file = finding.identity
        let setgid: UInt32 = 0o2010
        guard file.mode & setgid == setgid else { return .notSetgid }
        guard let trustedGroup else { return .noTrustedGroup }
        guard file.groupID == trustedGroup else { return .otherGroup(file.groupID) }
        guard file.ownerID == 0 else { return .otherOwner(file.ownerID) }
        guard file.mode & 0o022 == 0 else { return .writable }
        guard !ignoresGroupOfFile else { return .setgidIgnored }
        guard executable.isPathKnown else { return .otherMountNamespace }
        guard runner.groupID == trustedGroup else { return .otherRunningGroup(runner.groupID) }
        guard finding.loadsSystemFilesOnly else { return .foreignLibraries }
        return nil
    }
}

extension Refusal {
    init(_ failure: SignatureFailure) {
        self.init(filled: failure.text)
    }
}
