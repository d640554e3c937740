import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeySecretMemory

/// Public keys of teams.
enum TeamKeys {
    /// Two keys of one identifier (`Fixtures/Vectors/teams`).
    static let one = key(
        "046567dcf4dac7888911a5a1c2391e50ddf6012ff9a081ffd59e916349d8f91d3a"
            + "c25d7385ca345cc371144eb8759a9e600e659603d64aec5c00343b529bd0356c")
    static let other = key(
        "041534310a1279a546a4bb45fbd5d378d40c7aa2d07a0838b440887379039ae59a"
            + "01d46fe080db139eafab34e584b1501dc51ce582037cbeec05a26845f935fb4b")
    /// A key of another identifier: no signature is checked with it.
    static let third = key("04" + String(repeating: "3a", count: 64))

    /// The prefix of a team of Apple's.
    static let alias = alias("A1B2C3D4E5")

    static func alias(_ text: String) -> TeamAlias {
        guard let alias = TeamAlias(text) else { preconditionFailure("\(text) is an alias") }
        return alias
    }

    private static func key(_ digits: String) -> TeamPublicKey {
        var rest = digits[...]
        var bytes: [UInt8] = []
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        guard let key = TeamPublicKey(bytes) else { preconditionFailure("the constants above are keys") }
        return key
    }
}

extension TestKeychain {
    /// Returns the outcome of a question: "done", "done, groups: N", "forgotten N", the rule that declined it, or the enclave's refusal.
    func outcome(_ question: some DeviceQuestion) -> String {
        do throws(DeviceRefusal) {
            switch try service.ask(question, caller: Self.caller) {
            case is Done: return "done"
            case let groups as StoredGroupCount: return groups.count == 0 ? "done" : "done, groups: \(groups.count)"
            case let removed as RemovedCount: return "forgotten \(removed.count)"
            default: return "another answer"
            }
        } catch {
            switch error {
            case .declined(_, let refusal), .unreachable(let refusal): return refusal.ruleName
            case .refused(let refusal): return "\(refusal)"
            }
        }
    }

    func outcome(_ question: some ForwardedQuestion) -> String { outcome(Forwarded(question)) }

    func trust(
        _ key: TeamPublicKey, name: String = "Team", expires: Double? = nil, passcode: String? = nil
    ) -> String {
        outcome(
            TrustTeam(
                key: key, name: name, expires: expires.map { WallTime(secondsSince2001: $0) },
                passcode: passcode.map(passcodeBox)))
    }

    func revoke(_ key: TeamPublicKey, passcode: String? = nil) -> String {
        outcome(RevokeTeam(key.identifier, passcode: passcode.map(passcodeBox)))
    }

    func pin(_ alias: TeamAlias, _ key: TeamPublicKey, passcode: String? = nil) -> String {
        outcome(PinTeamAlias(alias, to: key.identifier, passcode: passcode.map(passcodeBox)))
    }

    func unpin(_ alias: TeamAlias, _ key: TeamPublicKey, passcode: String? = nil) -> String {
        outcome(RemoveTeamAlias(alias, of: key.identifier, passcode: passcode.map(passcodeBox)))
    }

    var aliases: [PinnedAlias] {
        (try? service.ask(ListTeamAliases(), caller: Self.caller)) ?? []
    }

    func forget(_ application: String, removesItems: Bool? = nil, passcode: String? = nil) -> String {
        outcome(ForgetApplication(application, removesItems: removesItems, passcode: passcode.map(passcodeBox)))
    }

    var teams: [TrustedTeam] {
        (try? service.ask(ListTeams(), caller: Self.caller)) ?? []
    }

    var applications: [RegisteredApplication] {
        (try? service.ask(ListApplications(), caller: Self.caller)) ?? []
    }
}

func passcodeBox(_ text: String) -> SecretBox { SecretBox(copying: Array(text.utf8)) }

extension WallTime {
    func later(by seconds: Double) -> WallTime { WallTime(secondsSince2001: self.seconds + seconds) }
}
