import LatchkeyDevice

/// The group of setgid programs, whose processes their own user cannot tamper with.
enum TrustedGroupStep {
    static func step(
        isPromised: Bool,
        group: (identifier: UInt32, members: [String])? = Account.group(SystemInstallation.trustedGroup)
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
        return InstallationStep("trusted group", .ok, "\(name) (\(group.identifier)), without members")
    }
}
