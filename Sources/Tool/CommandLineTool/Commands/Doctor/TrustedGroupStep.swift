import LatchkeyDevice

/// The group of setgid programs, whose processes their own user cannot tamper with.
enum TrustedGroupStep {
    static func step(
        isPromised: Bool,
        group: (identifier: UInt32, members: [String])? = Account.group(SystemInstallation.trustedGroup),
        usersOf: (UInt32) -> [String] = Account.users
    ) -> InstallationStep {
        let name = SystemInstallation.trustedGroup
        guard let group else {
            return InstallationStep(
                "trusted group", isPromised ? .missing : .notice, "there is no group \(name): no app reaches level A",
                mend: "groupadd --system \(name)")
        }
        guard group.members.isEmpty else {
            return InstallationStep(
                "trusted group", .missing,
                "\(group.members.joined(separator: ", ")) could pass for every app in \(name)",
                mend: group.members.map { "gpasswd --delete \($0) \(name)" }.joined(separator: "; "))
        }
        let users = usersOf(group.identifier)
        guard users.isEmpty else {
            return InstallationStep(
                "trusted group", .missing,
                "it is the primary group of \(users.joined(separator: ", ")), who could pass for every app in \(name)",
                mend: users.map { "usermod --gid OTHER-GROUP \($0)" }.joined(separator: "; "))
        }
        return InstallationStep("trusted group", .ok, "\(name) (\(group.identifier)), without members")
    }
}
